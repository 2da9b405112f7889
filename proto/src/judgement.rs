//! How a model grades a report as a whole: scores in eight dimensions, separate from all counted numbers.

mod dimension;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;

pub use dimension::{Dimension, JudgingOrder};

/// Smallest difference of two scores at which a dimension is disputed.
pub const DISPUTED_FROM: u8 = 2;

/// The judgement of a report by a model. No counted number depends on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportJudgement {
    /// The models that judged, as `NAME:MODEL`, sorted; empty if none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged_by: Vec<String>,
    /// The outcome of judging in each order.
    pub orders: Vec<OrderOutcome>,
    /// The eight dimensions, in the order of [`Dimension::ALL`].
    pub dimensions: Vec<DimensionJudgement>,
    /// What the judge was not shown because of size limits; absent if nothing was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<JudgingLeftOut>,
}

/// The outcome of judging in one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OrderOutcome {
    /// The order.
    pub order: JudgingOrder,
    /// How judging ended.
    pub outcome: JudgingOutcome,
    /// Number of dimensions with a valid score.
    pub counted: u32,
    /// Number of dimensions with an invalid score: it quotes no words of the report, or was given twice.
    pub refused: u32,
}

/// How a judging call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgingOutcome {
    /// The model gave scores.
    Answered,
    /// The model gave the same score for every dimension: none of them counts.
    SameForAll,
    /// The model gave no readable answer.
    Unanswered,
    /// The model was not called: the budget or the time for judging was used up.
    NotAsked,
}

/// What a judge was not shown because of size limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgingLeftOut {
    /// Number of characters of the report.
    pub report_chars: u64,
    /// Number of sources.
    pub sources: u64,
    /// Number of characters of the notes.
    pub notes_chars: u64,
}

/// The judgement of one dimension.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DimensionJudgement {
    /// The dimension.
    pub dimension: Dimension,
    /// How reliable its scores are.
    pub standing: JudgementStanding,
    /// The scores, one for each order that gave one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<OrderRating>,
    /// The mean of the scores, scaled to 0 to 1; absent if there is none, or the scores are disputed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalized: Option<f64>,
    /// Variance of the scores over the two orders, in points²: a quarter of their squared difference; absent with fewer than two scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variance: Option<f64>,
}

closed_words! {
    /// How reliable the scores of a dimension are.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum JudgementStanding: serde {
        /// Both orders gave a score, and they differ by less than [`DISPUTED_FROM`].
        Given => "given",
        /// Only one order gave a score.
        OneOrder => "one_order",
        /// The scores differ by [`DISPUTED_FROM`] or more.
        Disputed => "disputed",
        /// There is no score.
        Missing => "missing",
    }
}

/// A score with the words of the report it is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OrderRating {
    /// The order in which it was given.
    pub order: JudgingOrder,
    /// The score, 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    pub score: u8,
    /// Verbatim words of the report.
    pub quote: String,
    /// Reason given by the model; at most 300 characters, may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl DimensionJudgement {
    /// Computes the judgement of a dimension from its `ratings`; scores are from 1 to 5.
    #[must_use]
    pub fn from_ratings(dimension: Dimension, ratings: Vec<OrderRating>) -> Self {
        let scores: Vec<f64> = ratings.iter().map(|rating| f64::from(rating.score)).collect();
        let difference = match ratings.as_slice() {
            [one, other] => Some(one.score.abs_diff(other.score)),
            _ => None,
        };
        let standing = match (ratings.len(), difference) {
            (0, _) => JudgementStanding::Missing,
            (_, Some(difference)) if difference >= DISPUTED_FROM => JudgementStanding::Disputed,
            (_, Some(_)) => JudgementStanding::Given,
            _ => JudgementStanding::OneOrder,
        };
        let is_number = matches!(standing, JudgementStanding::Given | JudgementStanding::OneOrder);
        let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
        Self {
            dimension,
            standing,
            normalized: is_number.then_some((mean - 1.0) / 4.0),
            variance: difference.map(|difference| f64::from(difference).powi(2) / 4.0),
            ratings,
        }
    }
}

impl ReportJudgement {
    /// Returns the number of dimensions with this standing.
    #[must_use]
    pub fn count(&self, standing: JudgementStanding) -> usize {
        self.dimensions.iter().filter(|one| one.standing == standing).count()
    }

    /// Returns whether all eight dimensions occur once and in order, and no judging order occurs twice.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.dimensions.iter().map(|one| one.dimension).eq(Dimension::ALL)
            && self.orders.iter().map(|one| one.order).collect::<BTreeSet<_>>().len() == self.orders.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rating(order: JudgingOrder, score: u8) -> OrderRating {
        OrderRating { order, score, quote: "It fell.".to_owned(), reason: String::new() }
    }

    #[test]
    fn scores_of_two_orders_are_one_number_only_where_they_agree() {
        use JudgementStanding::{Disputed, Given, Missing, OneOrder};
        for (scores, standing, normalized, variance) in [
            (&[][..], Missing, None, None),
            (&[1], OneOrder, Some(0.0), None),
            (&[5], OneOrder, Some(1.0), None),
            (&[3, 3], Given, Some(0.5), Some(0.0)),
            (&[4, 5], Given, Some(0.875), Some(0.25)),
            (&[5, 3], Disputed, None, Some(1.0)),
            (&[1, 5], Disputed, None, Some(4.0)),
        ] {
            let ratings = JudgingOrder::ALL.iter().zip(scores).map(|(order, score)| rating(*order, *score)).collect();
            let found = DimensionJudgement::from_ratings(Dimension::Depth, ratings);
            assert_eq!(
                (found.standing, found.normalized, found.variance),
                (standing, normalized, variance),
                "{scores:?}"
            );
        }
    }

    #[test]
    fn words_on_the_wire_are_those_of_the_enumerations() {
        for dimension in Dimension::ALL {
            assert_eq!(serde_json::to_value(dimension).expect("a word"), dimension.as_str());
        }
        for order in JudgingOrder::ALL {
            assert_eq!(serde_json::to_value(order).expect("a word"), order.as_str());
        }
        use JudgementStanding::{Disputed, Given, Missing, OneOrder};
        for standing in [Given, OneOrder, Disputed, Missing] {
            assert_eq!(serde_json::to_value(standing).expect("a word"), standing.as_str());
        }
    }
}
