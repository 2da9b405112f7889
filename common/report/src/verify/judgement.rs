//! Checks the form of a model's judgement of the whole report. The scores are opinions and are not checked, but the words they rest on
//! must occur in the report, and the summaries must follow from the scores.

use std::collections::BTreeSet;

use precis_proto::judgement::{DimensionJudgement, JudgingOutcome, OrderOutcome, ReportJudgement};
use precis_proto::response::ReportData;

use super::mismatch::Mismatch;

/// Checks the judgement of `data`, if there is one.
pub(super) fn check(data: &ReportData, mismatches: &mut Vec<Mismatch>) {
    let Some(judgement) = data.evaluation.as_ref().and_then(|found| found.judgement.as_ref()) else { return };
    let mut fault = |what: String| mismatches.push(Mismatch::Evaluation { what: format!("judgement: {what}") });
    if !judgement.is_whole() {
        fault("it must have each of the eight dimensions once and each order once".to_owned());
    }
    for one in &judgement.dimensions {
        let name = one.dimension.as_str();
        if one != &DimensionJudgement::from_ratings(one.dimension, one.ratings.clone()) {
            fault(format!("{name} does not follow from its scores"));
        }
        let orders: BTreeSet<_> = one.ratings.iter().map(|rating| rating.order).collect();
        if orders.len() != one.ratings.len() {
            fault(format!("{name} has two scores of one order"));
        }
        for rating in &one.ratings {
            if !(1..=5).contains(&rating.score) {
                fault(format!("{name} has the score {}, expected 1 to 5", rating.score));
            }
            if rating.quote.trim().is_empty() || !data.report.contains(&rating.quote) {
                fault(format!("{name} rests on words that do not occur in the report"));
            }
        }
    }
    for order in &judgement.orders {
        let counted = count(judgement, order);
        if u64::from(order.counted) != counted {
            let name = order.order.as_str();
            fault(format!("{name} counts {} scores, but the dimensions have {counted}", order.counted));
        }
    }
    let has_answer = |one: &OrderOutcome| matches!(one.outcome, JudgingOutcome::Answered | JudgingOutcome::SameForAll);
    if judgement.judged_by.is_empty() == judgement.orders.iter().any(has_answer) {
        fault("judged_by and the answers of the orders disagree".to_owned());
    }
}

/// Number of scores that the dimensions hold for an order; must be 0 for an order without a counted answer.
fn count(judgement: &ReportJudgement, order: &OrderOutcome) -> u64 {
    let ratings = judgement.dimensions.iter().flat_map(|one| &one.ratings);
    ratings.filter(|rating| rating.order == order.order).count() as u64
}

#[cfg(test)]
mod tests {
    use precis_proto::judgement::JudgementStanding;

    use super::*;
    use crate::sample;

    fn lines(edit: impl Fn(&mut ReportJudgement)) -> Vec<String> {
        let (mut data, _) = sample::report();
        data.evaluation = Some(sample::sample_judgement());
        if let Some(judgement) = data.evaluation.as_mut().and_then(|found| found.judgement.as_mut()) {
            edit(judgement);
        }
        let mut found = Vec::new();
        check(&data, &mut found);
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_judgement_is_checked_in_form() {
        assert_eq!(lines(|_| {}), [""; 0]);
        let told = |what: &str| vec![format!("evaluation: judgement: {what}")];
        let not_it = || told("depth does not follow from its scores");
        assert_eq!(lines(|found| found.dimensions[0].normalized = Some(0.9)), not_it());
        assert_eq!(lines(|found| found.dimensions[0].variance = None), not_it());
        assert_eq!(
            lines(|found| found.dimensions[1].standing = JudgementStanding::Given),
            told("source_quality does not follow from its scores")
        );
        assert_eq!(
            lines(|found| found.dimensions[3].normalized = Some(0.5)),
            told("completeness does not follow from its scores"),
            "a missing score is no number"
        );
        assert_eq!(
            lines(|found| found.dimensions[0].ratings[0].quote = "gained a tenth".to_owned()),
            told("depth rests on words that do not occur in the report")
        );
        assert_eq!(
            lines(|found| found.dimensions[0].ratings[0].quote.clear()),
            told("depth rests on words that do not occur in the report")
        );
        assert_eq!(
            lines(|found| found.orders[0].counted = 4),
            told("report_first counts 4 scores, but the dimensions have 3")
        );
        assert_eq!(lines(|found| found.judged_by.clear()), told("judged_by and the answers of the orders disagree"));
        assert_eq!(
            lines(|found| found.dimensions.swap(0, 1)),
            told("it must have each of the eight dimensions once and each order once")
        );
    }
}
