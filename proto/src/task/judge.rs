//! Judging whether passages support statements, repairing those that fail, and judging whether statements answer a question.

use serde::{Deserialize, Serialize};

use super::ShownEvidence;
use crate::claim::Verdict;

/// Most characters read of the quote of a [`Judgement`]. Chosen, not measured.
pub const JUDGED_QUOTE_CHARS: usize = 1_000;
/// Most characters of the reason of a [`Judgement`]. Chosen, not measured.
pub const JUDGED_REASON_CHARS: usize = 300;
/// Most characters read of a replacement. Chosen: a long paragraph.
pub const REPLACEMENT_CHARS: usize = 2_000;

/// The task to judge whether the statements of a report answer a question. Answered by a [`Judgement`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeTask {
    /// The question, or a part of one, that the statements may answer.
    pub question: String,
    /// The statements of the report; untrusted. Never empty.
    pub passages: Vec<JudgePassage>,
}

/// The task to judge whether the statements of a report answer each part of a question. Answered by [`PartVerdicts`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgePartsTask {
    /// The parts of the question; untrusted, because a model planned them. At least two.
    pub parts: Vec<String>,
    /// The statements of the report; untrusted. Never empty.
    pub passages: Vec<JudgePassage>,
}

/// The task to judge statements by the passages they cite. Answered by [`Verdicts`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgeStatementsTask {
    /// The statements; untrusted, because a model wrote them from documents. Never empty.
    pub statements: Vec<JudgedStatement>,
    /// The passages that they cite, and those around them; untrusted. Never empty.
    pub evidence: ShownEvidence,
}

/// A statement to judge or to repair.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedStatement {
    /// Number in the task, from 1.
    pub id: u32,
    /// Its text in one line, without its citations.
    pub text: String,
    /// What it stands under: the head of its column and the label of its row, or the label of its item; empty for running text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under: Vec<String>,
    /// Numbers of the passages that it cites; empty if it cites none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<u32>,
    /// Words of it that the passages do not show: figures, names, negations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Why it failed; empty in a task to judge.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// A statement of a report, for the question whether it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgePassage {
    /// Number in the task, from 1.
    pub id: u32,
    /// Title of the source of its first citation.
    pub title: String,
    /// The statement.
    pub text: String,
}

/// The result of a [`JudgeTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// `supported`, `partly`, `not_supported` or `disputed`; absent from the built-in model, which does not judge.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// The words of a passage that the verdict is based on, as written by the model; not checked.
    #[serde(default)]
    pub quote: String,
    /// The reason, in a sentence; may be empty.
    #[serde(default)]
    pub reason: String,
}

impl Judgement {
    /// The verdicts a model may give on an answer; whether a statement is verbatim is computed instead.
    pub const VERDICTS: [Verdict; 4] = [Verdict::Supported, Verdict::Partly, Verdict::NotSupported, Verdict::Disputed];
}

/// The result of a [`JudgePartsTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartVerdicts {
    /// At most one for each part; empty from the built-in model, which does not judge.
    #[serde(default)]
    pub verdicts: Vec<PartVerdict>,
}

/// A model's verdict on one part of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartVerdict {
    /// Number of the part, from 1.
    pub part: u32,
    /// One of [`Judgement::VERDICTS`].
    pub verdict: Verdict,
    /// The words of a statement that decide it, as written by the model; not checked.
    #[serde(default)]
    pub quote: String,
    /// The reason, in a sentence; may be empty.
    #[serde(default)]
    pub reason: String,
}

/// The result of a [`JudgeStatementsTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdicts {
    /// At most one for each statement; empty from the built-in model, which does not judge.
    #[serde(default)]
    pub verdicts: Vec<StatementVerdict>,
}

/// A model's verdict on one statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementVerdict {
    /// Number of the statement.
    pub statement: u32,
    /// One of [`StatementVerdict::VERDICTS`].
    pub verdict: Verdict,
    /// The words of a passage that decide it, as written by the model; not checked.
    #[serde(default)]
    pub quote: String,
    /// The reason, in a sentence; may be empty.
    #[serde(default)]
    pub reason: String,
}

impl StatementVerdict {
    /// The verdicts a model may give on a statement.
    pub const VERDICTS: [Verdict; 5] =
        [Verdict::Supported, Verdict::Partly, Verdict::NotSupported, Verdict::Disputed, Verdict::NoClaim];
}

/// The task to write new sentences in place of statements that failed. Answered by [`Replacements`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RepairTask {
    /// The question of the report.
    pub query: String,
    /// The statements that failed, each with its reason; untrusted. Never empty.
    pub statements: Vec<JudgedStatement>,
    /// The passages that the new sentences may cite; untrusted.
    pub evidence: ShownEvidence,
}

/// The result of a [`RepairTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacements {
    /// At most one for each statement; empty from the built-in model, which does not repair.
    #[serde(default)]
    pub replacements: Vec<Replacement>,
}

/// New sentences in place of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// Number of the statement.
    pub statement: u32,
    /// The new text, with the numbers of its passages in brackets; empty to give the statement up.
    pub text: String,
}
