//! Statements put to a model in calls of several that share passages.

use std::collections::BTreeSet;

use precis_proto::claim::Verdict;
use precis_proto::ids::sha256_hex;
use precis_proto::task::{JudgeStatementsTask, JudgedStatement, ShownEvidence, StatementVerdict, Verdicts};
use precis_text::tokens;

use super::controls::{Control, controls};
use super::open_statements::{CitablePieces, OpenStatement, ShownPlace};
use super::opinion::{Opinion, opinion};
use super::settled::SourceTexts;

/// Most statements of one call, besides controls. Chosen, not measured.
pub const STATEMENTS_EACH: usize = 12;
/// Most statements of a report that are judged, the first ones; bounds cost. Chosen, not measured.
pub const MOST_STATEMENTS: usize = 400;
/// Statements for each call that a report may cost, besides two.
const STATEMENTS_PER_CALL: usize = 8;
const FURTHER_CALLS: usize = 2;

/// Most calls to judge a report with `statements` statements that are not verbatim, whatever is judged in them.
#[must_use]
pub fn most_calls(statements: usize) -> usize {
    if statements == 0 { 0 } else { statements / STATEMENTS_PER_CALL + FURTHER_CALLS }
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeBatch {
    /// The task it is given.
    pub task: JudgeStatementsTask,
    /// Tokens of statements and passages.
    pub tokens: u64,
    /// The claims by the numbers of their statements.
    claims: Vec<(u32, usize)>,
    /// The controls by the numbers of theirs.
    controls: Vec<(u32, Control)>,
    /// What it is shown.
    places: Vec<ShownPlace>,
}

/// What a call said of a statement of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardVerdict {
    /// Index of the claim.
    pub claim: usize,
    /// What counts of it.
    pub opinion: Opinion,
    /// As it was said.
    pub said: StatementVerdict,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchOutcome {
    /// The verdicts that count.
    Judged(Vec<HeardVerdict>),
    /// It gave a wrong verdict on a control: none of its verdicts counts.
    FailedControls,
}

/// The calls to judge `open`: statements of neighbouring passages together, each call with at most `room` tokens of them.
#[must_use]
pub fn batches(open: &[OpenStatement], pieces: &CitablePieces<'_>, room: u64) -> Vec<JudgeBatch> {
    let mut order: Vec<&OpenStatement> = open.iter().take(MOST_STATEMENTS).collect();
    order.sort_by_key(|one| (one.ids.iter().map(|id| pieces.position(*id)).min(), one.claim));
    let mut batches = Vec::new();
    let mut rest = &order[..];
    while !rest.is_empty() {
        let mut held = rest.len().min(STATEMENTS_EACH);
        let batch = loop {
            let batch = JudgeBatch::new(&rest[..held], pieces);
            if held == 1 || batch.tokens <= room {
                break batch;
            }
            held = (held * 3 / 4).max(1);
        };
        rest = &rest[held..];
        // Without any text there is nothing to judge by.
        batches.extend((!batch.task.evidence.is_empty()).then_some(batch));
    }
    batches
}

impl JudgeBatch {
    fn new(statements: &[&OpenStatement], pieces: &CitablePieces<'_>) -> Self {
        let ids: BTreeSet<u32> = statements.iter().flat_map(|one| one.ids.iter().copied()).collect();
        let (evidence, places) = pieces.show(&ids);
        let texts: Vec<&str> = statements.iter().map(|one| one.text.as_str()).collect();
        let seed = sha256_hex(texts.join("\n").as_bytes());
        let controls = controls(&places, pieces.texts, &seed);
        let mut batch = Self {
            task: JudgeStatementsTask { statements: Vec::new(), evidence },
            tokens: 0,
            claims: Vec::new(),
            controls: Vec::new(),
            places,
        };
        for one in statements {
            batch.claims.push((batch.next_id(), one.claim));
            batch.push(one);
        }
        for control in controls {
            batch.plant(control, &seed);
        }
        batch.tokens = count_tokens(&batch.task.evidence) + texts.iter().map(|text| tokens::count(text)).sum::<u64>();
        batch
    }

    fn next_id(&self) -> u32 {
        u32::try_from(self.task.statements.len() + 1).unwrap_or(u32::MAX)
    }

    fn push(&mut self, one: &OpenStatement) {
        self.task.statements.push(JudgedStatement {
            id: self.next_id(),
            text: one.text.clone(),
            under: one.under.clone(),
            cites: if one.cites { one.ids.clone() } else { Vec::new() },
            doubts: one.doubts.clone(),
            reason: String::new(),
        });
    }

    /// Puts a control among the statements, at a place that follows from `seed`, and numbers all anew. It looks like a statement: it cites
    /// the passage that it is from.
    fn plant(&mut self, control: Control, seed: &str) {
        let drawn = sha256_hex(format!("{seed}{}", control.text).as_bytes());
        let at = u32::from_str_radix(&drawn[..8], 16).map_or(0, |n| n as usize % (self.task.statements.len() + 1));
        let (text, cites) = (control.text.clone(), vec![control.id]);
        let statement = JudgedStatement { text, cites, ..JudgedStatement::default() };
        self.task.statements.insert(at, statement);
        let behind = |id: u32| if id as usize > at { id + 1 } else { id };
        self.claims.iter_mut().for_each(|(id, _)| *id = behind(*id));
        self.controls.iter_mut().for_each(|(id, _)| *id = behind(*id));
        self.controls.push((u32::try_from(at + 1).unwrap_or(u32::MAX), control));
        (1_u32..).zip(&mut self.task.statements).for_each(|(id, one)| one.id = id);
    }

    /// Number of statements of the report in it.
    #[must_use]
    pub fn statements(&self) -> usize {
        self.claims.len()
    }

    /// What `answer` says of the claims: an opinion counts if its words stand in what was shown, and only if the controls are right.
    #[must_use]
    pub fn outcome(&self, answer: &Verdicts, texts: &SourceTexts) -> BatchOutcome {
        let verdict_on = |id: u32| answer.verdicts.iter().find(|one| one.statement == id);
        let passes = |(id, control): &(u32, Control)| {
            control.is_passed_by(verdict_on(*id).map_or(Verdict::NotJudged, |one| one.verdict))
        };
        if !self.controls.iter().all(passes) {
            return BatchOutcome::FailedControls;
        }
        // Who was not seen to tell a false statement is not believed where words doubt one.
        let tells_false = self.controls.iter().any(|(_, control)| !control.stands());
        let is_doubted = |id: u32| self.task.statements.iter().any(|one| one.id == id && !one.doubts.is_empty());
        let opinions = self.claims.iter().filter_map(|(id, claim)| {
            let said = verdict_on(*id)?;
            let opinion = opinion(said, &self.places, texts)?;
            let is_believed = opinion.verdict != Verdict::Supported || tells_false || !is_doubted(*id);
            is_believed.then(|| HeardVerdict { claim: *claim, opinion, said: said.clone() })
        });
        BatchOutcome::Judged(opinions.collect())
    }
}

/// Tokens of what is shown.
pub(super) fn count_tokens(evidence: &ShownEvidence) -> u64 {
    let documents =
        evidence.documents.iter().map(|one| tokens::count(&one.title) + tokens::count(&one.fields.join("\n")));
    documents.chain(evidence.passages.iter().map(|one| tokens::count(&one.text))).sum()
}

#[cfg(test)]
pub(super) mod tests;
