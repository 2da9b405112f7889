//! Decides which scores of a judge count, and combines those of both orders.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::Locator;
use precis_proto::judgement::{
    Dimension, DimensionJudgement, JudgingLeftOut, JudgingOrder, JudgingOutcome, OrderOutcome, OrderRating,
    ReportJudgement,
};
use precis_proto::task::{JUDGED_REASON_CHARS, Rating, Ratings};
use precis_text::locate::slice;

use crate::claims::{points_somewhere, verbatim};

/// Number of scores from which an answer with one score for all of them does not count: the model has then not judged at all.
pub const SAME_SCORES_LEAST: usize = 5;

/// The answer for one order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderAnswer {
    /// These scores, by this model.
    Answered(String, Ratings),
    /// No readable answer.
    Unanswered,
    /// The model was not asked.
    NotAsked,
}

/// Combines the answers of each order into a judgement of `report`. A score counts only with a verbatim quote of the report, and only if
/// the answer has no other score for its dimension. An answer with the same score everywhere does not count.
#[must_use]
pub fn judgement(
    answers: &[(JudgingOrder, OrderAnswer)],
    report: &str,
    left_out: Option<JudgingLeftOut>,
) -> ReportJudgement {
    let mut judged_by = BTreeSet::new();
    let mut by_dimension: BTreeMap<Dimension, Vec<OrderRating>> = BTreeMap::new();
    let mut orders = Vec::new();
    for (order, answer) in answers {
        let (outcome, counted, refused) = match answer {
            OrderAnswer::Answered(model, ratings) => {
                judged_by.insert(model.clone());
                let (counted, refused) = counted_scores(ratings, *order, report);
                let scores: BTreeSet<u8> = counted.values().map(|rating| rating.score).collect();
                match scores.len() == 1 && counted.len() >= SAME_SCORES_LEAST {
                    true => (JudgingOutcome::SameForAll, BTreeMap::new(), refused + counted.len()),
                    false => (JudgingOutcome::Answered, counted, refused),
                }
            }
            OrderAnswer::Unanswered => (JudgingOutcome::Unanswered, BTreeMap::new(), 0),
            OrderAnswer::NotAsked => (JudgingOutcome::NotAsked, BTreeMap::new(), 0),
        };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        orders.push(OrderOutcome { order: *order, outcome, counted: number(counted.len()), refused: number(refused) });
        for (dimension, rating) in counted {
            by_dimension.entry(dimension).or_default().push(rating);
        }
    }
    let of =
        |dimension| DimensionJudgement::from_ratings(dimension, by_dimension.remove(&dimension).unwrap_or_default());
    let dimensions = Dimension::ALL.map(of).into();
    ReportJudgement { judged_by: judged_by.into_iter().collect(), orders, dimensions, left_out }
}

/// The scores of an answer that count, and the number of dimensions without one.
fn counted_scores(ratings: &Ratings, order: JudgingOrder, report: &str) -> (BTreeMap<Dimension, OrderRating>, usize) {
    let mut said: BTreeMap<Dimension, Vec<&Rating>> = BTreeMap::new();
    for rating in &ratings.ratings {
        said.entry(rating.dimension).or_default().push(rating);
    }
    let all = said.len();
    let counted: BTreeMap<Dimension, OrderRating> = said
        .into_iter()
        .filter(|(_, ratings)| ratings.iter().all(|rating| rating.score == ratings[0].score))
        .filter_map(|(dimension, ratings)| {
            Some((dimension, ratings.iter().find_map(|rating| provable_score(rating, order, report))?))
        })
        .collect();
    let refused = all - counted.len();
    (counted, refused)
}

/// A score from 1 to 5 with its quote as written in the report; `None` if the quote is not there or is not specific.
fn provable_score(rating: &Rating, order: JudgingOrder, report: &str) -> Option<OrderRating> {
    if !(1..=5).contains(&rating.score) || !points_somewhere(&rating.quote) {
        return None;
    }
    let place = Locator { page: None, range: verbatim(report, &rating.quote)? };
    let quote = slice(report, &place)?.to_owned();
    let reason = rating.reason.chars().take(JUDGED_REASON_CHARS).collect();
    Some(OrderRating { order, score: rating.score, quote, reason })
}

#[cfg(test)]
mod tests {
    use precis_proto::judgement::JudgementStanding::{Disputed, Given, Missing, OneOrder};

    use super::*;

    const REPORT: &str =
        "# Ice\n\nThe glacier of Brem lost a third of its ice. [1]\n\nIts tongue ends at\n2,100 m. [2]";
    const QUOTE: &str = "lost a third of its ice";

    fn rating(dimension: Dimension, score: u8, quote: &str) -> Rating {
        Rating { dimension, score, quote: quote.to_owned(), reason: "so".to_owned() }
    }

    fn answer(scores: &[(Dimension, u8, &str)]) -> OrderAnswer {
        let ratings = scores.iter().map(|(dimension, score, quote)| rating(*dimension, *score, quote)).collect();
        OrderAnswer::Answered("a:m".to_owned(), Ratings { ratings })
    }

    fn all(score: impl Fn(usize) -> u8) -> OrderAnswer {
        answer(&Dimension::ALL.iter().enumerate().map(|(n, d)| (*d, score(n), QUOTE)).collect::<Vec<_>>())
    }

    fn of(first: OrderAnswer, second: OrderAnswer) -> ReportJudgement {
        let [one, other] = JudgingOrder::ALL;
        let found = judgement(&[(one, first), (other, second)], REPORT, None);
        assert!(found.is_whole(), "{found:?}");
        found
    }

    #[test]
    fn two_orders_give_a_score_an_uncertain_one_or_none() {
        let found = of(
            answer(&[
                (Dimension::Depth, 4, QUOTE),
                (Dimension::Rigor, 5, "ends at 2,100 m"),
                (Dimension::Balance, 2, QUOTE),
            ]),
            answer(&[(Dimension::Depth, 5, QUOTE), (Dimension::Rigor, 2, QUOTE)]),
        );
        let standing =
            |dimension| found.dimensions.iter().find(|one| one.dimension == dimension).map(|one| one.standing);
        assert_eq!(standing(Dimension::Depth), Some(Given));
        assert_eq!(standing(Dimension::Rigor), Some(Disputed));
        assert_eq!(standing(Dimension::Balance), Some(OneOrder));
        assert_eq!(standing(Dimension::Structure), Some(Missing));
        assert_eq!((found.count(Missing), found.judged_by.as_slice()), (5, &["a:m".to_owned()][..]));
        // A quote over two lines of the report is returned as written there.
        assert_eq!(found.dimensions[2].ratings[0].quote, "ends at\n2,100 m");
    }

    #[test]
    fn what_counts_not_is_counted_and_missing() {
        let cases: [(&str, OrderAnswer, JudgingOutcome, u32, u32); 7] = [
            ("no quote", answer(&[(Dimension::Depth, 4, "")]), JudgingOutcome::Answered, 0, 1),
            ("not there", answer(&[(Dimension::Depth, 4, "gained a third")]), JudgingOutcome::Answered, 0, 1),
            ("one common word", answer(&[(Dimension::Depth, 4, "its")]), JudgingOutcome::Answered, 0, 1),
            (
                "two scores at once",
                answer(&[(Dimension::Depth, 4, QUOTE), (Dimension::Depth, 1, QUOTE)]),
                JudgingOutcome::Answered,
                0,
                1,
            ),
            ("0 of 5", answer(&[(Dimension::Depth, 0, QUOTE)]), JudgingOutcome::Answered, 0, 1),
            ("6 of 5", answer(&[(Dimension::Depth, 6, QUOTE)]), JudgingOutcome::Answered, 0, 1),
            ("5 of 5 to all", all(|_| 5), JudgingOutcome::SameForAll, 0, 8),
        ];
        for (what, first, outcome, counted, refused) in cases {
            let found = of(first, OrderAnswer::Unanswered);
            let order = JudgingOrder::ReportFirst;
            assert_eq!(found.orders[0], OrderOutcome { order, outcome, counted, refused }, "{what}");
            assert_eq!(found.count(Missing), 8, "{what}");
            assert!(found.dimensions.iter().all(|one| one.normalized.is_none()), "{what}");
        }
        let found = of(OrderAnswer::Unanswered, OrderAnswer::NotAsked);
        let outcomes: Vec<_> = found.orders.iter().map(|one| one.outcome).collect();
        assert_eq!(outcomes, [JudgingOutcome::Unanswered, JudgingOutcome::NotAsked]);
        assert!(found.judged_by.is_empty() && found.count(Missing) == 8);
    }

    #[test]
    fn equal_scores_count_below_the_dimension_limit_only() {
        for (number, counts) in
            [(SAME_SCORES_LEAST - 1, true), (SAME_SCORES_LEAST, false), (SAME_SCORES_LEAST + 1, false)]
        {
            let scores: Vec<_> = Dimension::ALL[..number].iter().map(|dimension| (*dimension, 5, QUOTE)).collect();
            let found = of(answer(&scores), OrderAnswer::Unanswered);
            assert_eq!(found.count(OneOrder), if counts { number } else { 0 }, "{number}");
        }
        assert_eq!(of(all(|n| 3 + (n % 2) as u8), all(|n| 3 + (n % 2) as u8)).count(Given), 8);
    }
}
