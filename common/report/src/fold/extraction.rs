//! Folds extraction: each source gets its canonical text or a failure.

use std::collections::BTreeMap;

use precis_proto::extraction::ExtractionAnswer;
use precis_proto::fidelity::{FidelityLevel, FidelityReason, FidelityRecord};
use precis_proto::job::{JobFailure, JobOutcome};
use precis_proto::source::{ContentRef, DUPLICATE, SourceFailure};
use precis_proto::state::SessionState;
use precis_proto::title;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId, Timestamp};

use super::records::{DropReason, drop_source};

/// Code of a source that a setting excludes from fetching. It is not a failure; its record gives a manual override as reason.
pub const NOT_FETCHED: &str = "not_fetched";

/// Folds one outcome for each of some sources, in any order; the other sources are unchanged.
pub fn extraction(state: &mut SessionState, outcomes: Vec<(SourceId, JobOutcome<ExtractionAnswer>)>, now: Timestamp) {
    for (id, outcome) in outcomes {
        match outcome {
            JobOutcome::Done(answer) => read(state, &id, answer, now),
            JobOutcome::Failed(failure) => record_failure(state, &id, failure, now),
        }
    }
    // After all outcomes, because which source counts as the original must not depend on their order.
    merge_copies(state, now);
}

/// Keeps the first of sources with equal texts; the others are recorded as its copies, so that a text counts once.
fn merge_copies(state: &mut SessionState, now: Timestamp) {
    let mut first: BTreeMap<ContentRef, usize> = BTreeMap::new();
    for at in 0..state.sources.len() {
        let Some(text) = state.sources[at].text.clone() else { continue };
        if let Some(kept) = first.get(&text.content).copied() {
            merge_copy(state, at, kept, now);
        } else {
            first.insert(text.content, at);
        }
    }
}

fn merge_copy(state: &mut SessionState, at: usize, kept: usize, now: Timestamp) {
    let (of, title) = (state.sources[kept].source_id.clone(), state.sources[kept].title.clone());
    let named = if title.trim().is_empty() { of.to_string() } else { title };
    let message = format!("the same text as {named}");
    let copy = &mut state.sources[at];
    let tokens = copy.text.take().map_or(0, |text| text.tokens);
    copy.failure = Some(SourceFailure { code: DUPLICATE.to_owned(), message: message.clone(), of: Some(of) });
    let (id, is_protected, relevance) = (copy.source_id.clone(), copy.protected, copy.relevance);
    let held = &mut state.sources[kept];
    held.protected |= is_protected;
    held.relevance = [held.relevance, relevance].into_iter().flatten().max_by(f64::total_cmp);
    let read = state.content_fidelity.get(&id, Phase::Extraction).map_or(tokens, |record| record.tokens_before);
    let record = FidelityRecord {
        level: FidelityLevel::Dropped,
        reason: None,
        warnings: vec![message],
        timestamp: now,
        tokens_before: read,
        tokens_after: 0,
        tokens_duplicate: read,
        visit: state.visit,
    };
    state.content_fidelity.record(&id, Phase::Extraction, record);
    if !state.dropped_content_ids.contains(&id) {
        state.dropped_content_ids.push(id);
    }
}

fn read(state: &mut SessionState, id: &SourceId, answer: ExtractionAnswer, now: Timestamp) {
    let tokens = answer.text.tokens;
    let cut = answer.tokens_cut;
    for remark in &answer.remarks {
        state.warn(Warning::new(WarningCode::SourceDegraded, Phase::Extraction, remark.clone()).about(id));
    }
    if cut > 0 {
        let message = format!("{cut} tokens beyond a limit were left out");
        state.warn(Warning::new(WarningCode::ContentTruncated, Phase::Extraction, message).about(id));
    }
    let record = FidelityRecord {
        level: if cut > 0 { FidelityLevel::Truncated } else { FidelityLevel::Raw },
        reason: (cut > 0).then_some(FidelityReason::BudgetLimit),
        warnings: answer.remarks,
        timestamp: now,
        tokens_before: tokens.saturating_add(cut),
        tokens_after: tokens,
        tokens_duplicate: 0,
        visit: state.visit,
    };
    state.content_fidelity.record(id, Phase::Extraction, record);
    let Some(source) = state.sources.iter_mut().find(|s| &s.source_id == id) else { return };
    let mut remark = None;
    if let Some(own) = answer.title.filter(|t| !t.trim().is_empty() && is_file_name(&source.title)) {
        let cut = title::cut(&own);
        remark = cut.as_ref().map(|_| title::cut_warning(&own));
        source.title = cut.unwrap_or(own);
    }
    source.content_type = Some(answer.content_type);
    source.text = Some(answer.text);
    if let Some(remark) = remark {
        state.warn(Warning::new(WarningCode::SourceDegraded, Phase::Extraction, remark).about(id));
    }
}

/// Whether a title is missing or only a file name, so that the document's own title should replace it.
fn is_file_name(title: &str) -> bool {
    let ending = title.rsplit_once('.').map_or("", |(_, ending)| ending);
    title.trim().is_empty()
        || (!title.contains(' ') && matches!(ending.len(), 2..=5))
        || matches!(ending, "pdf" | "html" | "htm")
}

fn record_failure(state: &mut SessionState, id: &SourceId, failure: JobFailure, now: Timestamp) {
    let message = format!("{}: {}", failure.code, failure.message);
    state.warn(Warning::new(WarningCode::SourceUnreadable, Phase::Extraction, message.clone()).about(id));
    let reason = match failure.code == NOT_FETCHED {
        true => FidelityReason::ManualOverride,
        false => FidelityReason::ProviderError,
    };
    drop_source(state, id, &DropReason::new(reason, message), now);
    if let Some(source) = state.sources.iter_mut().find(|s| &s.source_id == id) {
        source.failure = Some(SourceFailure::from(failure));
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::source::{ContentRef, SourceText};

    use super::super::fixture::{session, source};
    use super::*;

    fn blank(sources: usize) -> SessionState {
        let mut state = session(Phase::Extraction, &[]);
        for n in 0..sources {
            let mut source = source(n, 0);
            source.text = None;
            state.sources.push(source);
        }
        state
    }

    fn answer(tokens: u64, cut: u64, title: Option<&str>) -> JobOutcome<ExtractionAnswer> {
        of_text(&format!("{tokens} {cut} {title:?}"), tokens, cut, title)
    }

    fn of_text(text: &str, tokens: u64, cut: u64, title: Option<&str>) -> JobOutcome<ExtractionAnswer> {
        JobOutcome::Done(ExtractionAnswer {
            content_type: "text/plain".to_owned(),
            title: title.map(str::to_owned),
            text: SourceText {
                content: ContentRef::from_bytes(text.as_bytes()),
                chars: tokens,
                tokens,
                pages: 0,
                blocks: None,
            },
            remarks: Vec::new(),
            tokens_cut: cut,
        })
    }

    #[test]
    fn of_equal_texts_one_is_read_and_others_are_copies() {
        let mut state = blank(4);
        state.sources[2].protected = true;
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        let texts = ["same", "other", "same", "same"];
        let outcomes = ids.iter().zip(texts).map(|(id, text)| (id.clone(), of_text(text, 7, 0, None))).collect();
        extraction(&mut state, outcomes, Timestamp(5));
        let copies: Vec<Option<&SourceId>> =
            state.sources.iter().map(|s| s.failure.as_ref().and_then(|f| f.of.as_ref())).collect();
        assert_eq!(copies, [None, None, Some(&ids[0]), Some(&ids[0])]);
        let record = state.content_fidelity.get(&ids[3], Phase::Extraction).expect("recorded");
        assert_eq!((record.level, record.tokens_before, record.tokens_duplicate), (FidelityLevel::Dropped, 7, 7));
        assert_eq!(state.dropped_content_ids, ids[2..]);
        assert!(state.sources[0].protected && state.warnings.is_empty());
        let row = crate::ledger::of(&state.content_fidelity);
        assert_eq!((row[0].tokens_kept, row[0].tokens_duplicate, row[0].tokens_dropped), (14, 14, 0));
        assert_eq!(crate::ledger::check(&row), Ok(()));
    }

    #[test]
    fn a_read_source_is_raw_and_a_cut_one_truncated_with_warning() {
        let mut state = blank(2);
        let ids: Vec<SourceId> = state.sources.iter().map(|s| s.source_id.clone()).collect();
        extraction(
            &mut state,
            vec![(ids[0].clone(), answer(7, 0, None)), (ids[1].clone(), answer(7, 3, None))],
            Timestamp(5),
        );
        let level = |n: usize| {
            state.content_fidelity.get(&ids[n], Phase::Extraction).map(|r| (r.level, r.tokens_before, r.tokens_after))
        };
        assert_eq!(level(0), Some((FidelityLevel::Raw, 7, 7)));
        assert_eq!(level(1), Some((FidelityLevel::Truncated, 10, 7)));
        assert_eq!(state.warnings.len(), 1);
    }

    #[test]
    fn a_source_that_failed_is_dropped_with_its_reason() {
        for (code, reason) in
            [("encrypted", FidelityReason::ProviderError), (NOT_FETCHED, FidelityReason::ManualOverride)]
        {
            let mut state = blank(1);
            let id = state.sources[0].source_id.clone();
            let failure = JobFailure::permanent(code, "needs a password");
            extraction(&mut state, vec![(id.clone(), JobOutcome::Failed(failure))], Timestamp(5));
            assert_eq!(state.dropped_content_ids, vec![id.clone()]);
            assert_eq!(state.sources[0].failure.as_ref().map(|f| f.code.as_str()), Some(code));
            assert_eq!(state.warnings[0].code, WarningCode::SourceUnreadable);
            let record = state.content_fidelity.get(&id, Phase::Extraction).expect("a record");
            assert_eq!((record.level, record.reason), (FidelityLevel::Dropped, Some(reason)));
        }
    }

    #[test]
    fn a_documents_own_title_replaces_a_file_name_and_nothing_else() {
        for (given, own, expected) in [
            ("paper.pdf", Some("On Things"), "On Things"),
            ("", Some("On Things"), "On Things"),
            ("My own words", Some("On Things"), "My own words"),
            ("paper.pdf", None, "paper.pdf"),
            ("paper.pdf", Some("  "), "paper.pdf"),
            ("two words.pdf", Some("On Things"), "On Things"),
        ] {
            let mut state = blank(1);
            state.sources[0].title = given.to_owned();
            let id = state.sources[0].source_id.clone();
            extraction(&mut state, vec![(id, answer(1, 0, own))], Timestamp(0));
            assert_eq!(state.sources[0].title, expected);
        }
    }

    #[test]
    fn a_documents_too_long_title_is_cut_with_a_warning() {
        for (chars, is_cut) in [(500, false), (501, true), (809, true)] {
            let mut state = blank(1);
            state.sources[0].title = "terms.md".to_owned();
            let id = state.sources[0].source_id.clone();
            let own = "é".repeat(chars);
            extraction(&mut state, vec![(id, answer(1, 0, Some(&own)))], Timestamp(0));
            let title = &state.sources[0].title;
            assert_eq!((title.chars().count(), title.ends_with('…')), (500, is_cut), "{chars}");
            let warned: Vec<_> = state.warnings.iter().map(|warning| warning.code).collect();
            assert_eq!(warned, if is_cut { vec![WarningCode::SourceDegraded] } else { vec![] });
        }
    }
}
