//! Tests of which answers of a model count.

use precis_proto::{BlockKind, SourceId};
use precis_text::Leaf;

use super::*;

const LEAVES: [&str; 3] =
    ["The survey of Brem was made on foot.", "The glacier of Brem lost a third of its ice.", "The winter was mild."];

fn opinion_on(leaves: &[Leaf], shown: std::ops::Range<usize>, verdict: Verdict, quote: &str) -> Option<Opinion> {
    let text = CanonicalText::from_leaves(leaves);
    let source_id = SourceId::new("s1").expect("an id");
    let place = ShownPlace { id: 4, source_id: source_id.clone(), range: CharRange::new(shown.start, shown.end) };
    let answer = StatementVerdict { statement: 1, verdict, quote: quote.to_owned(), reason: "ä".repeat(999) };
    opinion(&answer, &[place], &SourceTexts::from([(source_id, text)]))
}

fn paragraphs() -> Vec<Leaf> {
    LEAVES.iter().map(|text| Leaf::new(BlockKind::Paragraph, *text)).collect()
}

#[test]
fn only_words_that_were_shown_within_one_block_count() {
    for (quote, counts) in [
        ("The glacier of Brem lost a third", true),
        ("The  glacier\tof Brem lost a third", true),
        ("“The glacier of Brem lost a third”", true),
        ("The survey of Brem was made on foot.", true),
        ("The glacier of Brem gained a third of its ice", false),
        ("the glacier of brem lost a third of its ice", false),
        ("made on foot. The glacier of Brem", false),
        ("The winter was mild.", false),
        ("of its", false),
        ("", false),
    ] {
        // The last paragraph is not shown.
        let found = opinion_on(&paragraphs(), 0..81, Verdict::NotSupported, quote);
        assert_eq!(found.is_some(), counts, "{quote:?}");
        let Some(rests_on) = found.and_then(|one| one.rests_on) else { continue };
        let text = CanonicalText::from_leaves(&paragraphs());
        assert_eq!(text.slice(text.resolve(&rests_on.locator).expect("a place")), rests_on.text);
    }
}

#[test]
fn a_row_is_quoted_with_or_without_its_bars() {
    let rows = [Leaf::row(1, true, &["name", "cost"]), Leaf::row(1, false, &["New account", "25,000"])];
    for quote in ["| New account | 25,000 |", "New account 25,000"] {
        let found = opinion_on(&rows, 0..28, Verdict::Supported, quote).and_then(|one| one.rests_on);
        assert_eq!(found.map(|quote| quote.text).as_deref(), Some("New account 25,000"), "{quote}");
    }
}

#[test]
fn a_no_claim_verdict_needs_no_words_and_others_are_ignored() {
    assert_eq!(opinion_on(&paragraphs(), 0..81, Verdict::NoClaim, "").map(|one| one.rests_on), Some(None));
    for verdict in [Verdict::Verbatim, Verdict::NotJudged] {
        assert_eq!(opinion_on(&paragraphs(), 0..81, verdict, LEAVES[0]), None, "{verdict:?}");
    }
}

#[test]
fn a_reason_ends_at_its_limit() {
    let found = opinion_on(&paragraphs(), 0..81, Verdict::Partly, LEAVES[0]).expect("an opinion");
    assert_eq!(found.reason.chars().count(), JUDGED_REASON_CHARS);
}
