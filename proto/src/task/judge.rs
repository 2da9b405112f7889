//! Judging whether quotes support a statement, and whether statements answer a question.

use serde::{Deserialize, Serialize};

use crate::claim::Verdict;

/// Most characters read of the quote of a [`Judgement`]. Chosen, not measured.
pub const JUDGED_QUOTE_CHARS: usize = 1_000;
/// Most characters of the reason of a [`Judgement`]. Chosen, not measured.
pub const JUDGED_REASON_CHARS: usize = 300;

/// The task to judge one statement by its quotes alone, or whether the statements of a report answer a question. Answered by a
/// [`Judgement`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeTask {
    /// The statement, without its citations; untrusted, because a model wrote it from documents. Empty if a question is judged.
    pub statement: String,
    /// The question, or a part of one, that the passages may answer; empty if a statement is judged.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub question: String,
    /// The quotes of the statement with their contexts, or the statements of the report; untrusted. Never empty.
    pub passages: Vec<JudgePassage>,
}

/// A quote with its context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgePassage {
    /// Number in the task, from 1.
    pub id: u32,
    /// Title of its source.
    pub title: String,
    /// Verbatim piece of the archived text: the quote and its context. For a question a statement of the report.
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
    /// The verdicts a model may give; whether a statement is verbatim is computed instead.
    pub const VERDICTS: [Verdict; 4] = [Verdict::Supported, Verdict::Partly, Verdict::NotSupported, Verdict::Disputed];
}
