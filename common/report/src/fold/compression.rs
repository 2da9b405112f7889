//! Folds compression: collects findings, and merges those in the same words, across topics, into one finding with several quotes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use precis_evidence::typed::field_question::is_of_its_document;
use precis_proto::fidelity::{FidelityLevel, FidelityReason};
use precis_proto::finding::Finding;
use precis_proto::job::{CompressionAnswer, JobOutcome, SourceRead, TopicFinding};
use precis_proto::source::Source;
use precis_proto::state::{SessionState, WriterReads};
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId, Timestamp};
use precis_text::equal_words::equal_words;
use precis_text::tie_break::tie_break;

use super::carried::{is_protected, readable};
use super::records::{self, DropReason, leave_out, read_unquoted};

/// Note for a source without a common word with the question.
const UNMATCHED: &str = "no passage shares a word with the question";

/// Folds one outcome per topic: numbers the findings best first, merges repeats, and records the tokens kept of each source.
pub fn compression(
    state: &mut SessionState,
    outcomes: Vec<(String, Vec<SourceId>, JobOutcome<CompressionAnswer>)>,
    now: Timestamp,
) {
    let (mut found, mut failed, mut unmatched, mut read) =
        (Vec::new(), BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
    // A source of several topics is matched if one of its topics has a passage that is.
    let mut matched: BTreeSet<SourceId> = BTreeSet::new();
    for (topic, sources, outcome) in outcomes {
        match outcome {
            JobOutcome::Done(answer) => {
                matched.extend(sources.into_iter().filter(|id| !answer.unmatched.contains(id)));
                unmatched.extend(answer.unmatched);
                state.meaning = answer.meaning.or(state.meaning.take());
                answer.read.into_iter().for_each(|of_topic| add_read(&mut read, of_topic));
                found.extend(answer.findings.into_iter().map(|finding| (topic.clone(), finding)));
            }
            JobOutcome::Failed(failure) => {
                let warning =
                    Warning::new(WarningCode::SummaryProviderFailed, Phase::Compression, failure.message.clone());
                state.warn(warning);
                failed.extend(sources.into_iter().map(|id| (id, failure.code.clone())));
            }
        }
    }
    unmatched.retain(|id| !matched.contains(id));
    let (findings, tally) = merge_findings(found, &state.sources);
    state.findings = findings;
    record_all(state, &tally, &failed, &unmatched, now);
    record_parts(state, &read);
}

/// Adds what was read of a source under one topic to what was read under others.
fn add_read(read: &mut BTreeMap<SourceId, SourceRead>, more: SourceRead) {
    let Some(known) = read.get_mut(&more.source_id) else {
        read.insert(more.source_id.clone(), more);
        return;
    };
    known.passages += more.passages;
    known.tokens += more.tokens;
    known.passages_held += more.passages_held;
    known.passages_cut += more.passages_cut;
    known.overflows += more.overflows;
}

/// Returns the findings of all topics, numbered best first, those in the same words merged, and the tally of each source. Of equally good
/// ones that of the earlier source comes first, by id, or by place if a search found it.
fn merge_findings(
    mut found: Vec<(String, TopicFinding)>,
    sources: &[Source],
) -> (Vec<Finding>, BTreeMap<SourceId, FindingTally>) {
    let is_found = |(place, source): (usize, &Source)| {
        Some((source.source_id.clone(), (!source.found_by.is_empty()).then_some(place)?))
    };
    let places: BTreeMap<SourceId, usize> = sources.iter().enumerate().filter_map(is_found).collect();
    found.sort_by(|(_, a), (_, b)| {
        let by_source = || source_key(a, &places).cmp(&source_key(b, &places));
        b.score.total_cmp(&a.score).then_with(by_source).then_with(|| a.quotes.cmp(&b.quotes))
    });
    let mut tally: BTreeMap<SourceId, FindingTally> = BTreeMap::new();
    let mut findings: Vec<Finding> = Vec::new();
    found.retain(|(_, finding)| !finding.quotes.is_empty());
    let mut known: HashMap<String, usize> = HashMap::new();
    for (topic, finding) in found {
        let Some(first) = finding.quotes.first() else { continue };
        let of = tally.entry(first.source_id.clone()).or_default();
        let mut words = equal_words(&finding.statement);
        if is_of_its_document(&finding.statement, &first.headings) {
            // No statement has this character.
            words.push('\n');
            words.push_str(first.source_id.as_str());
        }
        if let Some(&same) = known.get(&words) {
            of.duplicate += finding.tokens;
            // The same words in another source are another citation; in the same source they add nothing.
            for quote in finding.quotes {
                if findings[same].quotes.iter().all(|q| q.source_id != quote.source_id) {
                    findings[same].quotes.push(quote);
                }
            }
            continue;
        }
        of.kept += finding.tokens;
        known.insert(words, findings.len());
        findings.push(Finding {
            finding_id: u32::try_from(findings.len() + 1).unwrap_or(u32::MAX),
            topic,
            statement: finding.statement,
            quotes: finding.quotes,
            score: finding.score,
            tokens: finding.tokens,
            similarity: finding.similarity,
        });
    }
    (findings, tally)
}

/// The key that orders findings by their sources.
fn source_key<'f>(finding: &'f TopicFinding, places: &BTreeMap<SourceId, usize>) -> Option<(&'f str, usize, &'f str)> {
    let id = &finding.quotes.first()?.source_id;
    Some(tie_break(id, places.get(id).copied()))
}

/// The readable protected sources that no finding of `outcomes` quotes, in the order of the session.
#[must_use]
pub fn unquoted_protected(
    state: &SessionState,
    outcomes: &[(String, Vec<SourceId>, JobOutcome<CompressionAnswer>)],
) -> Vec<SourceId> {
    let mut quoted = BTreeSet::new();
    for (_, _, outcome) in outcomes {
        if let JobOutcome::Done(answer) = outcome {
            quoted.extend(answer.findings.iter().flat_map(|f| f.quotes.iter().map(|quote| &quote.source_id)));
        }
    }
    let readable = readable(state).into_iter();
    readable.filter(|id| is_protected(state, id) && !quoted.contains(id)).collect()
}

/// Records for each source how much of it a call was given, if not all: the level from an earlier phase only shows what was carried there.
fn record_parts(state: &mut SessionState, read: &BTreeMap<SourceId, SourceRead>) {
    let mut parts = 0;
    for (id, read) in read.iter().filter(|(_, read)| read.passages < read.passages_held || read.passages_cut > 0) {
        let phases = state.content_fidelity.0.get_mut(id).map(|item| &mut item.phases);
        if let Some(record) = phases.and_then(|phases| phases.get_mut(&Phase::Compression)) {
            let SourceRead { passages, passages_held, passages_cut, tokens, overflows, .. } = read;
            let cut = if *passages_cut > 0 { format!(", {passages_cut} of them cut") } else { String::new() };
            let after = match overflows {
                0 => String::new(),
                1 => ", after 1 retry because the call was too long".to_owned(),
                _ => format!(", after {overflows} retries because the calls were too long"),
            };
            record
                .warnings
                .push(format!("read in part: {passages} of {passages_held} passages{cut}, {tokens} tokens{after}"));
            parts += 1;
        }
    }
    if parts > 0 {
        let message = format!("{parts} sources were read in part; their fidelity records show how much of each");
        state.warn(Warning::new(WarningCode::ContentTruncated, Phase::Compression, message));
    }
}

#[derive(Default, Clone, Copy)]
struct FindingTally {
    kept: u64,
    duplicate: u64,
}

fn record_all(
    state: &mut SessionState,
    tally: &BTreeMap<SourceId, FindingTally>,
    failed: &BTreeMap<SourceId, String>,
    unmatched: &BTreeSet<SourceId>,
    now: Timestamp,
) {
    let quoted: BTreeSet<SourceId> =
        state.findings.iter().flat_map(|f| f.quotes.iter().map(|q| q.source_id.clone())).collect();
    for id in readable(state) {
        if state.writer_reads == Some(WriterReads::Whole) {
            records::pass_whole(state, &id, now);
            continue;
        }
        if !quoted.contains(&id) {
            let (loss, code) = unquoted_reason(failed.get(&id), unmatched.contains(&id));
            match is_protected(state, &id) && !failed.contains_key(&id) {
                true => read_unquoted(state, &id, &loss.note, Some(code), now),
                false => leave_out(state, &id, &loss, (code, &loss.note), now),
            }
            continue;
        }
        let FindingTally { kept, duplicate } = tally.get(&id).copied().unwrap_or_default();
        let mut record = records::record(state, &id, FidelityLevel::KeyPoints, kept, now);
        record.tokens_duplicate = duplicate.min(record.tokens_before - record.tokens_after);
        if unmatched.contains(&id) {
            record.warnings.push(UNMATCHED.to_owned());
        }
        state.content_fidelity.record(&id, Phase::Compression, record);
    }
}

/// Why no finding quotes a source, and the warning code for it.
fn unquoted_reason(failure: Option<&String>, is_unmatched: bool) -> (DropReason, WarningCode) {
    match failure {
        Some(code) => {
            let note = format!("compression_failed: {code}");
            (DropReason::new(FidelityReason::ProviderError, note), WarningCode::ContentDropped)
        }
        None if is_unmatched => (DropReason::new(None, UNMATCHED), WarningCode::NoMatchingEvidence),
        None => (DropReason::new(None, "no finding quotes it"), WarningCode::ContentDropped),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::finding::Quote;
    use precis_proto::job::{JobFailure, TopicFinding};

    use super::super::fixture::session;
    use super::*;

    fn finding(source: &SourceId, statement: &str, score: f64) -> TopicFinding {
        let locator = "char:0-5".parse().expect("a locator");
        let quotes = vec![Quote {
            source_id: source.clone(),
            locator,
            text: statement.to_owned(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        }];
        TopicFinding { statement: statement.to_owned(), quotes, score, tokens: 10, similarity: None }
    }

    #[test]
    fn header_fields_of_two_sources_in_the_same_words_are_two_findings() {
        let state = session(Phase::Compression, &[100, 100]);
        let [a, b] = [0, 1].map(|at: usize| &state.sources[at].source_id);
        for (statement, want) in [("status: Final", 2), ("It is final.", 1)] {
            let found = [a, b, a].map(|source| (String::new(), finding(source, statement, 0.5)));
            assert_eq!(merge_findings(found.to_vec(), &state.sources).0.len(), want, "{statement}");
        }
    }

    #[test]
    fn a_statement_that_two_sources_make_is_one_finding_with_two_quotes() {
        let mut state = session(Phase::Compression, &[100, 100, 100]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let answer = |findings| {
            JobOutcome::Done(CompressionAnswer {
                findings,
                unmatched: vec![ids[2].clone()],
                provider: "p".to_owned(),
                read: Vec::new(),
                meaning: None,
            })
        };
        let outcomes = vec![
            (
                "a".to_owned(),
                vec![ids[0].clone()],
                answer(vec![finding(&ids[0], "Granite forms under slow cooling", 0.5)]),
            ),
            (
                "b".to_owned(),
                vec![ids[1].clone(), ids[2].clone()],
                answer(vec![
                    finding(&ids[1], "Granite forms under slow cooling.", 0.9),
                    finding(&ids[1], "Basalt cools fast at the surface", 0.7),
                ]),
            ),
        ];
        compression(&mut state, outcomes, Timestamp(0));
        let told: Vec<(u32, usize)> = state.findings.iter().map(|f| (f.finding_id, f.quotes.len())).collect();
        assert_eq!(told, vec![(1, 2), (2, 1)]);
        let record = |n: usize| state.content_fidelity.get(&ids[n], Phase::Compression).expect("recorded");
        assert_eq!(
            (record(0).level, record(0).tokens_after),
            (FidelityLevel::KeyPoints, 0),
            "it is quoted all the same"
        );
        assert_eq!(record(0).tokens_duplicate, 10);
        assert_eq!(record(1).reason, None, "no budget made findings of it");
        assert_eq!(record(1).tokens_after, 20);
        assert_eq!((record(2).level, record(2).reason), (FidelityLevel::Dropped, None));
        assert_eq!(state.dropped_content_ids, ids[2..]);
    }

    #[test]
    fn statements_that_differ_in_a_number_or_a_negation_are_two_findings() {
        let mut state = session(Phase::Compression, &[100, 100, 100]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let say = |value: &str| {
            format!(
                "The penalty cap for late delivery under the framework contract of the buyer is {value} of the price"
            )
        };
        let findings = vec![
            finding(&ids[0], &say("5 %"), 0.9),
            finding(&ids[1], &say("10 %"), 0.8),
            finding(&ids[2], &say("not 5 %"), 0.7),
        ];
        let answer = JobOutcome::Done(CompressionAnswer {
            read: vec![],
            findings,
            unmatched: vec![],
            provider: "p".to_owned(),
            meaning: None,
        });
        compression(&mut state, vec![(String::new(), ids, answer)], Timestamp(0));
        assert_eq!(state.findings.iter().map(|f| f.quotes.len()).collect::<Vec<_>>(), [1, 1, 1]);
    }

    #[test]
    fn a_partly_read_source_says_how_much_and_a_whole_one_not() {
        let mut state = session(Phase::Compression, &[100, 100, 100]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let read = |n: usize, passages| SourceRead {
            source_id: ids[n].clone(),
            passages,
            tokens: 40,
            passages_held: 9,
            passages_cut: 0,
            overflows: if n == 1 { 2 } else { 0 },
        };
        let findings = ids.iter().map(|id| finding(id, &format!("{id} holds"), 0.5)).collect();
        let answer = CompressionAnswer {
            findings,
            unmatched: vec![],
            provider: "p".to_owned(),
            read: vec![read(0, 9), read(1, 8), SourceRead { passages_cut: 2, ..read(2, 9) }],
            meaning: None,
        };
        compression(&mut state, vec![(String::new(), ids.clone(), JobOutcome::Done(answer))], Timestamp(0));
        let notes = |n: usize| &state.content_fidelity.get(&ids[n], Phase::Compression).expect("recorded").warnings;
        assert!(notes(0).is_empty());
        assert_eq!(
            notes(1)[..],
            ["read in part: 8 of 9 passages, 40 tokens, after 2 retries because the calls were too long"]
        );
        assert_eq!(notes(2)[..], ["read in part: 9 of 9 passages, 2 of them cut, 40 tokens"]);
        assert_eq!(state.warnings.iter().map(|w| w.code).collect::<Vec<_>>(), [WarningCode::ContentTruncated]);
    }

    #[test]
    fn a_read_protected_source_is_kept_without_quotes() {
        let mut state = session(Phase::Compression, &[100, 100, 100, 100]);
        state.sources.iter_mut().for_each(|source| source.protected = true);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let answer = CompressionAnswer {
            findings: vec![finding(&ids[3], "Ice melts", 0.5)],
            unmatched: vec![ids[1].clone()],
            provider: "p".to_owned(),
            read: Vec::new(),
            meaning: None,
        };
        let outcomes = vec![
            (String::new(), vec![ids[0].clone(), ids[1].clone(), ids[3].clone()], JobOutcome::Done(answer)),
            (String::new(), vec![ids[2].clone()], JobOutcome::Failed(JobFailure::permanent("timeout", "m"))),
        ];
        assert_eq!(unquoted_protected(&state, &outcomes), ids[..3], "they are to be quoted alone");
        compression(&mut state, outcomes, Timestamp(0));
        let expected = [
            (FidelityLevel::Headline, Some(WarningCode::ContentTruncated)),
            (FidelityLevel::Headline, Some(WarningCode::NoMatchingEvidence)),
            (FidelityLevel::Dropped, Some(WarningCode::ContentDropped)),
            (FidelityLevel::KeyPoints, None),
        ];
        for (id, (level, code)) in ids.iter().zip(expected) {
            let record = state.content_fidelity.get(id, Phase::Compression).expect("recorded");
            assert_eq!(record.level, level, "{id}: nobody has read what failed");
            assert_eq!(
                record.warnings.iter().any(|w| w.starts_with("protected source was read,")),
                level == FidelityLevel::Headline
            );
            let told = state.warnings.iter().find(|w| w.item_id.as_ref() == Some(id)).map(|w| w.code);
            assert_eq!(told, code, "{id}");
        }
        assert_eq!(state.dropped_content_ids, ids[2..3]);
    }

    #[test]
    fn statements_differing_in_number_date_or_name_are_separate_findings() {
        let mut state = session(Phase::Compression, &[100]);
        let id = state.sources[0].source_id.clone();
        let said = [
            "The old glacier in the north lost 9 percent of its ice in the year 1901",
            "The old glacier in the north lost 8 percent of its ice in the year 1901",
            "The old glacier in the north lost 9 percent of its ice in the year 1902",
            "The old glacier in the north lost 9 percent of its ice in the year 1901.",
        ];
        let findings = said.iter().map(|statement| finding(&id, statement, 0.5)).collect();
        let answer =
            CompressionAnswer { findings, unmatched: vec![], provider: "p".to_owned(), read: vec![], meaning: None };
        compression(&mut state, vec![(String::new(), vec![id], JobOutcome::Done(answer))], Timestamp(0));
        assert_eq!(state.findings.len(), 3, "{:?}", state.findings);
    }

    #[test]
    fn a_failed_topic_leaves_a_record_for_each_of_its_sources() {
        let mut state = session(Phase::Compression, &[100]);
        let id = state.sources[0].source_id.clone();
        let failure = JobFailure::permanent("timeout", "m");
        compression(&mut state, vec![(String::new(), vec![id.clone()], JobOutcome::Failed(failure))], Timestamp(0));
        let record = state.content_fidelity.get(&id, Phase::Compression).expect("recorded");
        assert_eq!(record.warnings, vec!["compression_failed: timeout"]);
        assert_eq!(state.warnings[0].code, WarningCode::SummaryProviderFailed);
    }

    #[test]
    fn an_unquoted_source_is_listed_with_the_true_cause() {
        let mut state = session(Phase::Compression, &[100, 100, 100, 100]);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let gone = records::record(&state, &ids[3], FidelityLevel::Dropped, 0, Timestamp(0));
        state.content_fidelity.record(&ids[3], Phase::Summarization, gone);
        let answer = CompressionAnswer {
            findings: vec![],
            unmatched: vec![ids[1].clone()],
            provider: "p".to_owned(),
            read: Vec::new(),
            meaning: None,
        };
        let failure = JobFailure::permanent("timeout", "m");
        let outcomes = vec![
            ("a".to_owned(), ids[..2].to_vec(), JobOutcome::Done(answer)),
            ("b".to_owned(), vec![ids[2].clone()], JobOutcome::Failed(failure)),
        ];
        compression(&mut state, outcomes, Timestamp(0));
        let expected = [
            (None, "no finding quotes it", WarningCode::ContentDropped),
            (None, UNMATCHED, WarningCode::NoMatchingEvidence),
            (Some(FidelityReason::ProviderError), "compression_failed: timeout", WarningCode::ContentDropped),
        ];
        for (id, (reason, note, code)) in ids.iter().zip(expected) {
            let record = state.content_fidelity.get(id, Phase::Compression).expect("recorded");
            assert_eq!((record.level, record.reason), (FidelityLevel::Dropped, reason), "{id}");
            assert_eq!(record.warnings, [note]);
            let told: Vec<WarningCode> =
                state.warnings.iter().filter(|w| w.item_id.as_ref() == Some(id)).map(|w| w.code).collect();
            assert_eq!(told, [code], "{id}");
        }
        assert_eq!(state.dropped_content_ids, ids[..3]);
        assert!(state.content_fidelity.get(&ids[3], Phase::Compression).is_none(), "it was dropped before");
    }
}
