//! A citation of several ranges: each is proved, and an item never stands without what turns it.

use precis_evidence::passage::context_of;
use precis_proto::ids::sha256_hex;
use precis_proto::response::Citation;
use precis_proto::{Block, BlockKind};
use precis_text::statement::of_citation;
use precis_text::{CanonicalText, Leaf};

use super::*;
use crate::sample;

/// A report of the built-in model that states the block with `quoted`, and its archive.
struct Forged {
    data: ReportData,
    text: CanonicalText,
    blocks: Vec<Block>,
}

fn quoting(leaves: &[Leaf], quoted: &str) -> Forged {
    let text = CanonicalText::from_leaves(leaves);
    let blocks = text.leaf_blocks();
    let range = blocks.iter().map(Block::range).find(|range| text.slice(*range) == quoted).expect("a block");
    let (mut data, _) = sample::report();
    data.spend.iter_mut().for_each(|row| row.provider = precis_context::prompt::limits::LOCAL_MODEL.to_owned());
    data.citations.truncate(1);
    let citation = &mut data.citations[0];
    *citation = Citation {
        locator: text.locator(range),
        text: quoted.to_owned(),
        source_text_hash: format!("sha256:{}", sha256_hex(text.as_str().as_bytes())),
        context: context_of(&text, range),
        headings: Vec::new(),
        ..citation.clone()
    };
    data.report = format!("# Title\n\n{} [1]\n", precis_context::markdown::escape(&of_citation(citation)));
    Forged { data, text, blocks }
}

impl Forged {
    /// The lines about the citation and its statement.
    fn lines(&self) -> Vec<String> {
        let mut report = Response::report(self.data.clone());
        report.seal = self.data.generated.as_ref().and_then(|_| seal(&self.data));
        let own = sha256_hex(self.text.as_str().as_bytes());
        let text = |hex: &str| (hex == own).then(|| self.text.as_str().as_bytes().to_vec());
        let found = verify(&report, ArchiveReader { text: &text, blocks: &|_| Some(self.blocks.clone()) });
        let said = found.mismatches.iter().filter(|one| {
            matches!(
                one.kind(),
                MismatchKind::Text
                    | MismatchKind::NoPlace
                    | MismatchKind::Statement
                    | MismatchKind::WithoutLeadIn
                    | MismatchKind::NotAtCell
                    | MismatchKind::AnswerOutside
                    | MismatchKind::StartsInside
                    | MismatchKind::CrossesBlock
            )
        });
        said.map(ToString::to_string).collect()
    }
}

fn item(text: &str) -> Leaf {
    Leaf { level: Some(1), marker: Some("-".to_owned()), ..Leaf::new(BlockKind::ListItem, text) }
}

fn insurance() -> Forged {
    let lead = Leaf::new(BlockKind::Paragraph, "We insure boats. The insurance does not cover:");
    quoting(&[lead, item("fire"), item("theft of cash")], "theft of cash")
}

#[test]
fn an_item_with_its_lead_in_is_one_statement_that_holds() {
    let forged = insurance();
    assert!(forged.data.report.contains("The insurance does not cover: theft of cash [1]"), "{}", forged.data.report);
    assert_eq!(forged.lines(), [""; 0]);
}

#[test]
fn a_lead_in_that_is_changed_moved_or_dropped_is_a_mismatch() {
    let without =
        "citation 1 char:52-65: the quote stands without \"The insurance does not cover:\", which turns its meaning";
    let said = "statement of [1]: its quote reads";
    type Forge = fn(&mut ReportData);
    let cases: [(Forge, &[&str]); 6] = [
        (
            |d| {
                d.citations[0].context[0].text = "The insurance does cover:".to_owned();
                d.report = d.report.replace("does not", "does");
            },
            &[
                "citation 1 char:17-46: archived text reads \"The insurance does not cover:\", but the report says \"The insurance does cover:\"",
            ],
        ),
        (
            |d| {
                d.citations[0].context[0].locator = "char:0-16".parse().expect("a locator");
                d.citations[0].context[0].text = "We insure boats.".to_owned();
                d.report = d.report.replace("The insurance does not cover:", "We insure boats.");
            },
            &[without],
        ),
        (
            |d| {
                d.citations[0].context.clear();
                d.report = d.report.replace("The insurance does not cover: ", "");
            },
            &[without],
        ),
        (|d| d.report = d.report.replace("The insurance does not cover: ", ""), &[said]),
        (|d| d.report = d.report.replace("cover: theft", "cover all but theft"), &[said]),
        (|d| d.citations[0].context.clear(), &[without, said]),
    ];
    for (n, (forge, want)) in cases.into_iter().enumerate() {
        let mut forged = insurance();
        forge(&mut forged.data);
        let lines = forged.lines();
        assert!(lines.len() == want.len() && lines.iter().zip(want).all(|(a, b)| a.starts_with(b)), "{n}: {lines:?}");
    }
}

#[test]
fn a_range_of_the_answer_lies_within_a_range_of_its_citation() {
    for (answer, holds) in [("char:52-57", true), ("char:21-34", true), ("char:0-5", false), ("char:40-57", false)] {
        let mut forged = insurance();
        forged.data.citations[0].answer = vec![answer.parse().expect("a locator")];
        assert_eq!(forged.lines().is_empty(), holds, "{answer} {:?}", forged.lines());
    }
}

#[test]
fn a_column_head_precedes_only_its_cells() {
    use precis_proto::quote_context::{ContextRange, ContextRole};
    let leaves = [Leaf::row(1, true, &["Berth", "Price"]), Leaf::row(1, false, &["North", "40 euros"])];
    let mut forged = quoting(&leaves, "North 40 euros");
    let head = |start: usize, text: &str, at| {
        let locator = format!("char:{start}-{}", start + text.len()).parse().expect("a locator");
        ContextRange { role: ContextRole::Column, locator, text: text.to_owned(), at: Some(at) }
    };
    for (second, want) in [(6, None), (9, Some("citation 1: the head of a column char:6-11"))] {
        let citation = &mut forged.data.citations[0];
        citation.context = vec![head(0, "Berth", 0), head(6, "Price", second)];
        forged.data.report = format!("# Title\n\n{} [1]\n", of_citation(&forged.data.citations[0]));
        let lines = forged.lines();
        assert_eq!(lines.len(), usize::from(want.is_some()), "{lines:?}");
        assert!(want.is_none_or(|want| lines[0].starts_with(want)), "{lines:?}");
    }
    forged.data.citations[0].context = vec![head(0, "Berth", 0), head(6, "Price", 6)];
    forged.data.report = "# Title\n\nBerth: North · Price: 40 euros [1]\n".to_owned();
    assert_eq!(forged.lines(), [""; 0]);
}
