//! Judging: whether quotes carry a statement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::claim::Verdict;

/// Most characters of the quote of a [`Judgement`] that are read. Chosen, not measured.
pub const JUDGED_QUOTE_CHARS: usize = 1_000;
/// Most characters of the reason of a [`Judgement`]. Chosen, not measured.
pub const JUDGED_REASON_CHARS: usize = 300;

/// Judge one statement by its quotes alone. Answered by a [`Judgement`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeTask {
    /// The statement, without its citations; untrusted: a model wrote it of documents.
    pub statement: String,
    /// Its quotes, each with what stands around it; untrusted. Never empty.
    pub passages: Vec<JudgePassage>,
}

/// A quote with what stands around it in its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgePassage {
    /// Number in the task, from 1.
    pub id: u32,
    /// Title of its source.
    pub title: String,
    /// The characters of the archived text: the quote and its context.
    pub text: String,
}

/// What a [`JudgeTask`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// `supported`, `partly`, `not_supported` or `disputed`; absent where nobody judged, as the built-in model does not.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// The words of a passage that it rests on, as the model wrote them; not checked.
    #[serde(default)]
    pub quote: String,
    /// Why, in a sentence; may be empty.
    #[serde(default)]
    pub reason: String,
}

impl Judgement {
    /// The verdicts that a model may give; whether a statement stands word for word is no matter of judgement.
    pub const VERDICTS: [Verdict; 4] = [Verdict::Supported, Verdict::Partly, Verdict::NotSupported, Verdict::Disputed];
}
