//! Rating a report as a whole in eight dimensions.

use serde::{Deserialize, Serialize};

use crate::judgement::{Dimension, JudgingOrder};

/// Most ratings read from an answer: each dimension twice. Chosen, not measured.
pub const RATINGS_READ: usize = 16;

/// The task to rate a report by its evidence. Answered by [`Ratings`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateTask {
    /// The question.
    pub question: String,
    /// The report; untrusted, because a model wrote it from documents.
    pub report: String,
    /// Its sources; untrusted.
    pub sources: Vec<RatedSource>,
    /// Raw notes of researchers, oldest first; untrusted. May be empty.
    pub notes: Vec<String>,
    /// The order in which all of this is shown.
    pub order: JudgingOrder,
}

/// A source of a report in a rating task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatedSource {
    /// Number in the task, from 1.
    pub id: u32,
    /// Title of the source.
    pub title: String,
    /// Address or path, date, and quotes of the source, one per line.
    pub text: String,
}

/// The result of a [`RateTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratings {
    /// The ratings in the order written; a dimension may be missing or occur twice. Empty from the built-in model, which does not rate.
    pub ratings: Vec<Rating>,
}

/// A score for one dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// The dimension.
    pub dimension: Dimension,
    /// The score, 1 to 5.
    pub score: u8,
    /// Words of the report that the score is based on, as written by the model; not checked, may be empty.
    #[serde(default)]
    pub quote: String,
    /// The reason, in a sentence; may be empty.
    #[serde(default)]
    pub reason: String,
}
