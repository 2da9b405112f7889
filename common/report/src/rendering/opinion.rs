//! A model's opinion of the whole report, for its reader: as one line, and as a table with the grounds of each score. Used by both
//! the Markdown and the HTML report, which place it below everything that is counted.

use precis_language::labels::{Label, LabelLanguage};
use precis_proto::judgement::{DimensionJudgement, JudgementStanding, JudgingOutcome, OrderOutcome, ReportJudgement};
use precis_proto::response::ReportData;

/// Shown in place of scores.
const MISSING: &str = "missing";

/// The scores of one dimension.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OpinionRow {
    /// Its name.
    pub(super) name: String,
    /// Its scores and their status: `4 and 5`, `2 and 5, disputed`, `missing`.
    pub(super) scores: String,
    /// The grounds of each score: words of the report, and the reason.
    pub(super) grounds: Vec<(String, String)>,
}

/// A model's opinion of a report.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OpinionView {
    /// Which model judged, and that the opinion is not counted.
    pub(super) head: String,
    /// The eight dimensions.
    pub(super) rows: Vec<OpinionRow>,
    /// The outcome of each order of asking, and what the judge was not shown.
    pub(super) remarks: Vec<String>,
}

impl OpinionView {
    /// The opinion in `data`; `None` if no model was to judge.
    pub(super) fn new(data: &ReportData, labels: LabelLanguage) -> Option<Self> {
        let judgement = data.evaluation.as_ref()?.judgement.as_ref()?;
        let by = if judgement.judged_by.is_empty() { "–".to_owned() } else { judgement.judged_by.join(", ") };
        Some(Self {
            head: labels.fill(Label::Opinion, &[&by]),
            rows: judgement.dimensions.iter().map(row).collect(),
            remarks: remarks(judgement),
        })
    }

    /// The opinion in one line: the scores and the dimensions without one, or the remarks if there are no scores at all.
    pub(super) fn line(&self) -> String {
        let (missing, given): (Vec<&OpinionRow>, Vec<&OpinionRow>) =
            self.rows.iter().partition(|row| row.scores == MISSING);
        if given.is_empty() {
            return format!("{}: {}", self.head, self.remarks.join("; "));
        }
        let scores = given.iter().map(|row| format!("{} {}", row.name, row.scores));
        let names: Vec<&str> = missing.iter().map(|row| row.name.as_str()).collect();
        let missing = (!names.is_empty()).then(|| format!("{MISSING}: {}", names.join(", ")));
        format!("{}: {}", self.head, scores.chain(missing).collect::<Vec<_>>().join("; "))
    }
}

fn row(one: &DimensionJudgement) -> OpinionRow {
    let scores: Vec<String> = one.ratings.iter().map(|rating| rating.score.to_string()).collect();
    let scores = scores.join(" and ");
    let grounds = one.ratings.iter().map(|rating| (rating.quote.clone(), rating.reason.clone()));
    OpinionRow {
        name: words(one.dimension.as_str()),
        scores: match one.standing {
            JudgementStanding::Given => scores,
            JudgementStanding::OneOrder => format!("{scores}, in one order only"),
            JudgementStanding::Disputed => format!("{scores}, disputed"),
            JudgementStanding::Missing => MISSING.to_owned(),
        },
        grounds: grounds.collect(),
    }
}

fn remarks(judgement: &ReportJudgement) -> Vec<String> {
    let left_out = judgement.left_out.map(|left| {
        format!(
            "not shown to the judge: {} characters of the report, {} sources, {} characters of notes",
            left.report_chars, left.sources, left.notes_chars
        )
    });
    judgement.orders.iter().map(order_line).chain(left_out).collect()
}

fn order_line(one: &OrderOutcome) -> String {
    let order = words(one.order.as_str());
    match one.outcome {
        JudgingOutcome::Answered => format!("{order}: {} scores count, {} do not", one.counted, one.refused),
        JudgingOutcome::SameForAll => format!("{order}: the same score for everything, so none is counted"),
        JudgingOutcome::Unanswered => format!("{order}: no readable answer"),
        JudgingOutcome::NotAsked => format!("{order}: not asked: its share of tokens, money or time was used up"),
    }
}

fn words(word: &str) -> String {
    word.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn an_opinion_is_one_line_with_missing_and_disputed_parts() {
        let (mut data, _) = sample::report();
        assert_eq!(OpinionView::new(&data, LabelLanguage::English), None);
        data.evaluation = Some(sample::sample_judgement());
        let view = OpinionView::new(&data, LabelLanguage::English).expect("an opinion");
        assert_eq!(
            view.line(),
            "Opinion of the model judge:m on the report, not counted (1 to 5, in two orders): depth 4 and 5; \
             source quality 2 and 5, disputed; rigor 3, in one order only; missing: completeness, groundedness, \
             structure, practical value, balance"
        );
        let none = OpinionView { rows: view.rows.into_iter().filter(|row| row.scores == MISSING).collect(), ..view };
        assert!(none.line().ends_with("in two orders): report first: 3 scores count, 1 do not; evidence first: 2 scores count, 0 do not; not shown to the judge: 7 characters of the report, 0 sources, 0 characters of notes"), "{}", none.line());
        let view = OpinionView::new(&data, LabelLanguage::English).expect("an opinion");
        assert_eq!(view.rows[0].grounds[0], ("lost a tenth".to_owned(), "it has figures".to_owned()));
        assert_eq!(
            view.remarks,
            [
                "report first: 3 scores count, 1 do not",
                "evidence first: 2 scores count, 0 do not",
                "not shown to the judge: 7 characters of the report, 0 sources, 0 characters of notes",
            ]
        );
    }

    #[test]
    fn an_order_that_gave_nothing_says_why() {
        use precis_proto::judgement::JudgingOrder::EvidenceFirst;
        for (outcome, want) in [
            (JudgingOutcome::SameForAll, "the same score for everything"),
            (JudgingOutcome::Unanswered, "no readable answer"),
            (JudgingOutcome::NotAsked, "not asked"),
        ] {
            let told = order_line(&OrderOutcome { order: EvidenceFirst, outcome, counted: 0, refused: 0 });
            assert!(told.starts_with("evidence first: ") && told.contains(want), "{told}");
        }
    }
}
