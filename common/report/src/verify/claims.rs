//! Checks the statements of a report against its text, its counts and what is listed of their citations.

use std::collections::BTreeSet;

use precis_language::words::lower_words;
use precis_proto::claim::{Claim, Done, Evaluation, JudgeCounts, JudgedBy, Verdict};
use precis_proto::response::ReportData;
use precis_text::locate::slice;

use super::archive::{ArchivedTexts, hex_of};
use super::mismatch::Mismatch;
use super::rendering::is_rendered_by;
use super::statements::{cited_together, is_built_in};
use crate::draft::reading::blocks;

/// Most characters of a statement shown; chosen, not measured.
const SHOWN_CHARS: usize = 80;

/// Recomputes the counts of `evaluation`, looks for removed or corrected statements that are still in the text, and proves the
/// sentences that verdicts rest on.
pub(super) fn check(data: &ReportData, texts: &ArchivedTexts<'_>, mismatches: &mut Vec<Mismatch>) {
    let judge = judge_counts(data);
    // A model's opinion of the whole report is not a count of statements; module `judgement` checks it.
    let judgement = data.evaluation.as_ref().and_then(|found| found.judgement.clone());
    let answers = data.evaluation.as_ref().map(|found| found.answers.clone()).unwrap_or_default();
    let counted = (!data.claims.is_empty()).then(|| Evaluation {
        judge,
        judgement,
        answers,
        ..Evaluation::from_claims(&data.claims)
    });
    if data.evaluation != counted {
        let (stated, counted) = (data.evaluation.clone().unwrap_or_default(), counted.unwrap_or_default());
        mismatches.push(Mismatch::Evaluation { what: differs(&stated, &counted) });
    }
    if data.claims.is_empty() {
        return;
    }
    let report_texts: Vec<String> =
        blocks(&data.report).iter().filter(|block| !block.is_heading).map(|block| flat(&block.text)).collect();
    let is_there = |text: &str| !text.is_empty() && report_texts.iter().any(|block| holds(block, text));
    let known = |hash: &str| texts.get(hex_of(hash)).flatten();
    mismatches.extend(unlisted_marks(data));
    for opinion in data.evaluation.iter().flat_map(|found| &found.answers) {
        if !is_there(&flat(&opinion.quote)) {
            let what =
                format!("the opinion on \"{}\" rests on words that do not occur in the report", opinion.question);
            mismatches.push(Mismatch::Evaluation { what });
        }
    }
    for claim in &data.claims {
        let text = flat(&claim.text);
        let shown: String = claim.text.chars().take(SHOWN_CHARS).collect();
        let gone = matches!(claim.done, Done::Corrected | Done::Removed) && !stays(claim, &text, data);
        if gone && is_there(&text) {
            mismatches.push(Mismatch::Standing { done: claim.done, text: shown.clone() });
        }
        if claim.done == Done::Kept && !claim.verdict.is_supported() && claim.verdict != Verdict::NoClaim {
            mismatches.push(Mismatch::Unmarked { verdict: claim.verdict, text: shown.clone() });
        }
        if let Some(quote) = &claim.rests_on {
            let row = data.sources.iter().find(|row| row.source_id == quote.source_id);
            let archived = row.and_then(|row| known(row.source_text_hash.as_deref()?));
            if archived.is_some_and(|archived| slice(&archived, &quote.locator) != Some(quote.text.as_str())) {
                mismatches.push(Mismatch::RestsOn { locator: quote.locator, text: shown });
            }
        }
    }
}

/// Marks of a model's report that no statement lists, and statements that do not say what each of several quotes supports; only in reports
/// of this version, because earlier ones have no such list.
fn unlisted_marks(data: &ReportData) -> Vec<Mismatch> {
    let quoted = |claim: &Claim| -> BTreeSet<u32> { claim.quotes.iter().copied().collect() };
    if !is_rendered_by(data) || is_built_in(data) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for claim in data.claims.iter().filter(|claim| claim.quotes.len() > 1) {
        let listed: BTreeSet<u32> = claim.by_quote.iter().map(|one| one.n).collect();
        let missing = quoted(claim).difference(&listed).next().copied();
        let wrong = claim.by_quote.iter().find(|one| {
            let quote = data.citations.iter().find(|citation| citation.n == one.n);
            one.verdict == Verdict::Verbatim
                && !quote.is_some_and(|quote| holds(&flat(&quote.text), &flat(&claim.text)))
        });
        if let Some(n) = missing.or(wrong.map(|one| one.n)) {
            found.push(Mismatch::Unlisted { n, text: claim.text.chars().take(SHOWN_CHARS).collect() });
        }
    }
    for (text, cites) in cited_together(data).into_iter().filter(|(_, cites)| cites.len() > 1) {
        let cites: BTreeSet<u32> = cites.into_iter().collect();
        if !data.claims.iter().any(|claim| cites.is_subset(&quoted(claim))) {
            let n = cites.last().copied().unwrap_or_default();
            found.push(Mismatch::Unlisted { n, text: text.chars().take(SHOWN_CHARS).collect() });
        }
    }
    found
}

/// The judge counts that follow from the claims. The number of answers not counted cannot be derived and is taken as stated.
fn judge_counts(data: &ReportData) -> Option<JudgeCounts> {
    let by_model = data.claims.iter().filter(|claim| claim.judged_by == JudgedBy::Model).count();
    let counted = u32::try_from(by_model).unwrap_or(u32::MAX);
    let stated = data.evaluation.as_ref().and_then(|evaluation| evaluation.judge);
    let refused = stated.map_or(0, |judge| judge.refused);
    (stated.is_some() || counted > 0).then(|| JudgeCounts { asked: counted.saturating_add(refused), counted, refused })
}

/// Whether the words of a claim may remain although it was changed: only its citation or another of its sentences changed, or another
/// claim with the same words held.
fn stays(claim: &Claim, text: &str, data: &ReportData) -> bool {
    claim.now.as_deref().is_some_and(|now| holds(&flat(now), text))
        || data.claims.iter().any(|other| {
            let is_kept = !matches!(other.done, Done::Removed);
            let now = other.now.as_deref().unwrap_or(&other.text);
            is_kept && !std::ptr::eq(other, claim) && holds(&flat(now), text)
        })
}

fn holds(text: &str, part: &str) -> bool {
    format!(" {text} ").contains(&format!(" {part} "))
}

/// The words alone, in lower case, separated by single spaces.
fn flat(text: &str) -> String {
    lower_words(text).join(" ")
}

/// Describes the first count that differs.
fn differs(stated: &Evaluation, counted: &Evaluation) -> String {
    let (a, b) = (&stated.verdicts, &counted.verdicts);
    let judge = |found: &Evaluation| found.judge.unwrap_or_default();
    let counts = [
        ("judge.counted", judge(stated).counted, judge(counted).counted),
        ("judge.asked", judge(stated).asked, judge(counted).asked),
        ("statements", stated.statements, counted.statements),
        ("verbatim", a.verbatim, b.verbatim),
        ("supported", a.supported, b.supported),
        ("partly", a.partly, b.partly),
        ("not_supported", a.not_supported, b.not_supported),
        ("disputed", a.disputed, b.disputed),
        ("no_claim", a.no_claim, b.no_claim),
        ("not_judged", a.not_judged, b.not_judged),
        ("corrected", stated.corrected, counted.corrected),
        ("removed", stated.removed, counted.removed),
        ("marked", stated.marked, counted.marked),
    ];
    let first = counts.iter().find(|(_, stated, counted)| stated != counted);
    first.map_or_else(
        || format!("supported_share is {}, but the claims give {}", stated.supported_share, counted.supported_share),
        |(name, stated, counted)| format!("{name} is {stated}, but the claims add up to {counted}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::verify::archive::texts;
    use crate::verify::verification::Verification;

    fn claim(text: &str, verdict: Verdict, done: Done) -> Claim {
        Claim {
            text: text.to_owned(),
            verdict,
            quotes: vec![1],
            by_quote: Vec::new(),
            checks: Vec::new(),
            rests_on: None,
            judged_by: JudgedBy::Checks,
            reason: None,
            done,
            now: None,
            now_verdict: None,
        }
    }

    fn lines(claims: Vec<Claim>, edit: impl Fn(&mut ReportData)) -> Vec<String> {
        let (mut data, _) = sample::report();
        data.report = "# Ice\n\nIce fell by 7 percent. [1]\n".to_owned();
        data.evaluation = Some(Evaluation::from_claims(&claims));
        data.claims = claims;
        edit(&mut data);
        let mut found = Vec::new();
        let texts = texts(&data, &|_| None, &mut Verification::default());
        check(&data, &texts, &mut found);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn counts_are_counted_again() {
        let one = || vec![claim("Ice fell by 7 percent.", Verdict::Verbatim, Done::Kept)];
        assert_eq!(lines(one(), |_| {}), [""; 0]);
        let told = |what: &str| [format!("evaluation: {what}")];
        let more = |d: &mut ReportData| d.evaluation.as_mut().expect("there").verdicts.verbatim = 2;
        assert_eq!(lines(one(), more), told("verbatim is 2, but the claims add up to 1"));
        assert_eq!(lines(one(), |d| d.evaluation = None), told("statements is 0, but the claims add up to 1"));
        let share = |d: &mut ReportData| d.evaluation.as_mut().expect("there").supported_share = 0.5;
        assert_eq!(lines(one(), share), told("supported_share is 0.5, but the claims give 1"));
    }

    #[test]
    fn what_a_model_judged_is_counted_again() {
        let mut judged = claim("Ice fell by 7 percent.", Verdict::Supported, Done::Kept);
        judged.judged_by = JudgedBy::Model;
        let counts = |asked, counted, refused| Some(JudgeCounts { asked, counted, refused });
        let told = |what: &str| vec![format!("evaluation: {what}")];
        for (judge, want) in [
            (counts(3, 1, 2), vec![]),
            (counts(3, 2, 1), told("judge.counted is 2, but the claims add up to 1")),
            (counts(4, 1, 2), told("judge.asked is 4, but the claims add up to 3")),
            (None, told("judge.counted is 0, but the claims add up to 1")),
        ] {
            let set = |d: &mut ReportData| d.evaluation.as_mut().expect("there").judge = judge;
            assert_eq!(lines(vec![judged.clone()], set), want, "{judge:?}");
        }
    }

    #[test]
    fn each_of_several_citations_is_listed_with_what_it_supports() {
        use precis_proto::claim::QuoteSupport;
        let both = |by_quote: &[(u32, Verdict)]| {
            let by_quote = by_quote.iter().map(|(n, verdict)| QuoteSupport { n: *n, verdict: *verdict }).collect();
            vec![Claim {
                quotes: vec![1, 2],
                by_quote,
                ..claim("Ice fell by 7 percent.", Verdict::Supported, Done::Kept)
            }]
        };
        let cites_both = |data: &mut ReportData| data.report = "# Ice\n\nIce fell by 7 percent. [1][2]\n".to_owned();
        let told = |n| {
            let statement = "the statement \"Ice fell by 7 percent.\" cites";
            vec![format!("{statement} [{n}], but the list of its quotes does not tell what that supports")]
        };
        let (part, none) = (Verdict::Partly, Verdict::NotSupported);
        assert_eq!(lines(both(&[(1, part), (2, none)]), cites_both), [""; 0]);
        assert_eq!(lines(both(&[(1, part)]), cites_both), told(2));
        assert_eq!(lines(both(&[(1, part), (2, Verdict::Verbatim)]), cites_both), told(2), "its words are not there");
        let one = vec![claim("Ice fell by 7 percent.", Verdict::Supported, Done::Kept)];
        assert_eq!(lines(one, cites_both), told(2), "a mark that was added is in no list");
    }

    #[test]
    fn what_was_taken_out_does_not_stand() {
        use Verdict::NotSupported;
        for (claims, want) in [
            (vec![claim("Ice fell by 5 percent.", NotSupported, Done::Removed)], vec![]),
            (
                vec![claim("Ice fell by 7 percent.", NotSupported, Done::Removed)],
                vec!["a statement that was removed is still in the report: \"Ice fell by 7 percent.\""],
            ),
            (
                vec![claim("ice fell by 7", NotSupported, Done::Corrected)],
                vec!["a statement that was corrected is still in the report: \"ice fell by 7\""],
            ),
            (
                vec![claim("Ice fell by 7 percent.", NotSupported, Done::Kept)],
                vec!["a statement that is not_supported has no mark: \"Ice fell by 7 percent.\""],
            ),
            (
                vec![
                    claim("Ice fell by 7 percent.", NotSupported, Done::Removed),
                    claim("Ice fell by 7 percent.", Verdict::Verbatim, Done::Kept),
                ],
                vec![],
            ),
        ] {
            assert_eq!(lines(claims, |_| {}), want);
        }
    }
}
