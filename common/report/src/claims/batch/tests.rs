//! Tests of calls that judge several statements.

use precis_proto::finding::{Finding, Quote};
use precis_proto::source::Source;
use precis_proto::task::StatementVerdict;
use precis_proto::{BlockKind, CharRange, Locator, SourceId};
use precis_text::{CanonicalText, Leaf};

use super::*;

const PARAGRAPHS: [&str; 4] = [
    "The glacier of Brem lost a third of its ice in ten years.",
    "The survey was made by 14 people on foot.",
    "The winter after it was mild and had little snow.",
    "The harbour below was closed to large ships.",
];

pub(in super::super) struct World {
    pub(in super::super) findings: Vec<Finding>,
    pub(in super::super) sources: Vec<Source>,
    texts: SourceTexts,
}

impl World {
    /// One document, of which each paragraph is a passage.
    pub(in super::super) fn new() -> Self {
        let text = CanonicalText::from_leaves(&PARAGRAPHS.map(|text| Leaf::new(BlockKind::Paragraph, text)));
        let source: Source = serde_json::from_value(serde_json::json!({
            "source_id": "a", "title": "Survey", "origin": { "content": text.hash() },
            "text": { "content": text.hash(), "chars": text.chars(), "tokens": 1, "pages": 0 },
        }))
        .expect("a source");
        let source_id = SourceId::new("a").expect("an id");
        let paragraphs = text.leaf_blocks().into_iter().map(|block| block.range()).zip(1..);
        let finding = |(range, finding_id): (CharRange, u32)| {
            let locator = Locator { page: None, range };
            let text = text.slice(range).trim().to_owned();
            let quote = Quote::new(source_id.clone(), locator, text, Vec::new());
            let (topic, statement) = (String::new(), String::new());
            Finding { finding_id, topic, statement, quotes: vec![quote], score: 0.5, tokens: 9, similarity: None }
        };
        let findings = paragraphs.map(finding).collect();
        Self { findings, sources: vec![source], texts: SourceTexts::from([(source_id.clone(), text.clone())]) }
    }

    pub(in super::super) fn pieces(&self) -> CitablePieces<'_> {
        CitablePieces { findings: &self.findings, sources: &self.sources, texts: &self.texts }
    }
}

pub(in super::super) fn open(claim: usize, id: u32) -> OpenStatement {
    let text = format!("Statement {claim} of the report.");
    OpenStatement { claim, text, ids: vec![id], cites: true, doubts: vec!["5".to_owned()], under: Vec::new() }
}

/// A judge that knows the controls, with one verdict on all else.
fn judge(batch: &JudgeBatch, verdict: Verdict) -> Verdicts {
    let one = |statement: &JudgedStatement| StatementVerdict {
        statement: statement.id,
        verdict: match batch.controls.iter().find(|(id, _)| *id == statement.id) {
            Some((_, control)) if control.stands => Verdict::Supported,
            Some(_) => Verdict::NotSupported,
            None => verdict,
        },
        quote: "The survey was made by 14 people".to_owned(),
        reason: String::new(),
    };
    Verdicts { verdicts: batch.task.statements.iter().map(one).collect() }
}

#[test]
fn statements_go_in_calls_of_at_most_twelve_each_with_its_controls() {
    let world = World::new();
    for (count, calls) in [(1, 1), (STATEMENTS_EACH - 1, 1), (STATEMENTS_EACH, 1), (STATEMENTS_EACH + 1, 2), (40, 4)] {
        let open: Vec<OpenStatement> = (0..count).map(|n| open(n, 1 + n as u32 % 4)).collect();
        let found = batches(&open, &world.pieces(), u64::MAX);
        assert_eq!(found.len(), calls, "{count}");
        assert!(found.len() <= most_calls(count), "{count}");
        for batch in &found {
            // Where no passage of a call has a figure, one control is all there is.
            let controls = batch.task.statements.len() - batch.statements();
            let has_figure = batch.task.evidence.passages.iter().any(|one| one.text.contains("14"));
            assert_eq!(controls, if has_figure { 2 } else { 1 });
            let ids: Vec<u32> = batch.task.statements.iter().map(|one| one.id).collect();
            assert_eq!(ids, (1..=ids.len() as u32).collect::<Vec<_>>());
        }
        let mut claims: Vec<usize> = found.iter().flat_map(|batch| batch.claims.iter().map(|(_, n)| *n)).collect();
        claims.sort_unstable();
        assert_eq!(claims, (0..count).collect::<Vec<_>>());
    }
    assert!(batches(&[open(0, 9)], &world.pieces(), u64::MAX).is_empty(), "it has no passage");
}

#[test]
fn a_verdict_belongs_to_its_statement_wherever_controls_are() {
    let world = World::new();
    for count in 1..=STATEMENTS_EACH {
        let open: Vec<OpenStatement> = (0..count).map(|n| open(n, 2)).collect();
        let batch = batches(&open, &world.pieces(), u64::MAX).remove(0);
        for (id, claim) in &batch.claims {
            let statement = batch.task.statements.iter().find(|one| one.id == *id).expect("a statement");
            assert_eq!(statement.text, format!("Statement {claim} of the report."));
            assert_eq!(statement.doubts, ["5"]);
        }
        let BatchOutcome::Judged(found) = batch.outcome(&judge(&batch, Verdict::Partly), &world.texts) else {
            panic!("the controls are right");
        };
        assert_eq!(found.len(), count);
    }
}

#[test]
fn a_judge_with_one_verdict_for_everything_judges_nothing() {
    let world = World::new();
    let batch = batches(&[open(0, 2), open(1, 3)], &world.pieces(), u64::MAX).remove(0);
    for verdict in StatementVerdict::VERDICTS {
        let mut answer = judge(&batch, verdict);
        answer.verdicts.iter_mut().for_each(|one| one.verdict = verdict);
        assert_eq!(batch.outcome(&answer, &world.texts), BatchOutcome::FailedControls, "{verdict:?}");
    }
    let mut silent = judge(&batch, Verdict::Supported);
    silent.verdicts.retain(|one| batch.claims.iter().any(|(id, _)| *id == one.statement));
    assert_eq!(batch.outcome(&silent, &world.texts), BatchOutcome::FailedControls, "it left the controls out");
}

#[test]
fn a_doubted_statement_needs_a_judge_tested_with_a_control() {
    let world = World::new();
    let supported = |id: u32, quote: &str, doubts: Vec<String>| {
        let one = OpenStatement { doubts, ..open(0, id) };
        let batch = batches(&[one], &world.pieces(), u64::MAX).remove(0);
        let mut answer = judge(&batch, Verdict::Supported);
        answer.verdicts.iter_mut().for_each(|one| one.quote = quote.to_owned());
        match batch.outcome(&answer, &world.texts) {
            BatchOutcome::Judged(found) => found.len(),
            BatchOutcome::FailedControls => panic!("the controls are right"),
        }
    };
    let doubts = || vec!["Ulm".to_owned()];
    let quote = "The harbour below was closed to large ships.";
    assert_eq!(supported(4, quote, doubts()), 0, "no passage has a figure to change");
    assert_eq!(supported(4, quote, Vec::new()), 1);
    assert_eq!(supported(2, "The survey was made by 14 people", doubts()), 1);
}

#[test]
fn the_passages_around_a_cited_one_are_shown_under_their_own_numbers() {
    let world = World::new();
    let shown = |id| {
        let batch = batches(&[open(0, id)], &world.pieces(), u64::MAX).remove(0);
        batch.task.evidence.passages.iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!((shown(1), shown(2), shown(4)), (vec![1, 2], vec![1, 2, 3], vec![3, 4]));
}

#[test]
fn a_call_that_is_too_long_is_parted() {
    let world = World::new();
    let open: Vec<OpenStatement> = (0..8).map(|n| open(n, 1)).collect();
    let whole = batches(&open, &world.pieces(), u64::MAX)[0].tokens;
    assert_eq!(batches(&open, &world.pieces(), whole).len(), 1);
    assert!(batches(&open, &world.pieces(), whole - 1).len() > 1);
    assert_eq!(batches(&open, &world.pieces(), 0).len(), 8);
}

#[test]
fn calls_are_bounded_by_the_statements() {
    assert_eq!([0, 1, 7, 8, 9, 16, 40].map(most_calls), [0, 2, 2, 3, 3, 4, 7]);
}

#[test]
fn no_more_statements_are_judged_than_the_limit() {
    let world = World::new();
    for (count, want) in [
        (MOST_STATEMENTS - 1, MOST_STATEMENTS - 1),
        (MOST_STATEMENTS, MOST_STATEMENTS),
        (MOST_STATEMENTS + 1, MOST_STATEMENTS),
    ] {
        let open: Vec<OpenStatement> = (0..count).map(|n| open(n, 1)).collect();
        let all = batches(&open, &world.pieces(), u64::MAX).iter().map(JudgeBatch::statements).sum::<usize>();
        assert_eq!(all, want);
    }
}
