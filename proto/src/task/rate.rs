//! Rating: what a report as a whole is worth in eight dimensions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judgement::{Dimension, JudgingOrder};

/// Ratings of an answer that are read, the first ones: each dimension twice. Chosen, not measured.
pub const RATINGS_READ: usize = 16;

/// Rate a report by what it stands on. Answered by [`Ratings`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RateTask {
    /// The question.
    pub question: String,
    /// The report; untrusted: a model wrote it of documents.
    pub report: String,
    /// What it stands on; untrusted.
    pub sources: Vec<RatedSource>,
    /// Raw notes of researchers, oldest first; untrusted. Empty where there are none.
    pub notes: Vec<String>,
    /// In which order all of this is shown.
    pub order: JudgingOrder,
}

/// A source of a report as its judge sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RatedSource {
    /// Number in the task, from 1.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// Its address or path, its date, and quotes of it, a line each.
    pub text: String,
}

/// What a [`RateTask`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ratings {
    /// In the order in which they were written; a dimension may be missing or stand there twice. Empty where nobody judged, as the
    /// built-in model does not.
    pub ratings: Vec<Rating>,
}

/// A score for one dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// Which one.
    pub dimension: Dimension,
    /// 1 to 5.
    pub score: u8,
    /// Words of the report that it rests on, as the model wrote them; not checked, may be empty.
    #[serde(default)]
    pub quote: String,
    /// Why, in a sentence; may be empty.
    #[serde(default)]
    pub reason: String,
}
