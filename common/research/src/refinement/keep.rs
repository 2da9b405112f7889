//! Chooses which of two reports is kept: the later one only if it is no worse, and has more sources or is better in something.

use precis_proto::answer::AnswerStatus;
use precis_proto::research::{KeptReason, KeptReport};
use precis_proto::response::ReportData;

/// The measures by which two reports are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportMeasure {
    /// Number of citations.
    pub citations: usize,
    /// Share of the statements that are supported, 0 to 1.
    pub supported_share: f64,
    /// Number of sub-questions with an answer.
    pub answered: usize,
    /// Answer status as a rank: 0 not in the documents, 1 partly, 2 answered.
    pub status: u8,
}

impl ReportMeasure {
    /// Measures a report. A report without an evaluation consists of quotes, so it is fully supported if it cites anything.
    #[must_use]
    pub fn from_report(data: &ReportData) -> Self {
        let quoted = if data.citations.is_empty() { 0.0 } else { 1.0 };
        let research = data.research.as_ref();
        let open = research.map_or(0, |research| research.unanswered.len());
        Self {
            citations: data.citations.len(),
            supported_share: data.evaluation.as_ref().map_or(quoted, |counted| counted.supported_share),
            answered: research.map_or(0, |research| research.plan.len().saturating_sub(open)),
            status: data.answer.as_ref().map_or(1, |answer| match answer.status {
                AnswerStatus::NotInDocuments => 0,
                AnswerStatus::Partly => 1,
                AnswerStatus::Answered => 2,
            }),
        }
    }
}

/// The report kept after an iteration that added `sources` readable sources, and the reason; `later` is `None` if the iteration failed.
#[must_use]
pub fn keep(earlier: &ReportMeasure, later: Option<&ReportMeasure>, sources: usize) -> (KeptReport, KeptReason) {
    use KeptReason as Why;
    use KeptReport::{Earlier, Later};
    let Some(later) = later else {
        return if sources == 0 { (Earlier, Why::NoSource) } else { (Earlier, Why::Failed) };
    };
    let answers = |measure: &ReportMeasure| (measure.status, measure.answered);
    let is_first = earlier.citations == 0;
    match () {
        () if later.citations == 0 => (Earlier, Why::NothingCited),
        // If the earlier report cites nothing, its share means nothing.
        () if !is_first && later.supported_share < earlier.supported_share => (Earlier, Why::LessSupported),
        () if later.status < earlier.status || later.answered < earlier.answered => (Earlier, Why::LessAnswered),
        () if answers(later) > answers(earlier) => (Later, Why::MoreAnswered),
        () if later.supported_share > earlier.supported_share => (Later, Why::BetterSupported),
        // What it lacked did not stand in the documents already read either.
        () if sources == 0 => (Earlier, Why::NoSource),
        () => (Later, Why::MoreSources),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(citations: usize, supported_share: f64, answered: usize, status: u8) -> ReportMeasure {
        ReportMeasure { citations, supported_share, answered, status }
    }

    #[test]
    fn a_later_report_is_kept_only_where_it_is_no_worse() {
        use KeptReason as Why;
        use KeptReport::{Earlier, Later};
        let before = measure(4, 0.75, 2, 1);
        for (later, sources, kept, reason) in [
            (None, 0, Earlier, Why::NoSource),
            (None, 1, Earlier, Why::Failed),
            (Some(measure(4, 0.75, 2, 1)), 0, Earlier, Why::NoSource),
            (Some(measure(0, 0.75, 2, 1)), 0, Earlier, Why::NothingCited),
            (Some(measure(9, 0.75, 3, 2)), 0, Later, Why::MoreAnswered),
            (Some(measure(9, 1.0, 2, 1)), 0, Later, Why::BetterSupported),
            (Some(measure(0, 1.0, 3, 2)), 1, Earlier, Why::NothingCited),
            (Some(measure(9, 0.74, 3, 2)), 1, Earlier, Why::LessSupported),
            (Some(measure(9, 1.0, 1, 1)), 1, Earlier, Why::LessAnswered),
            (Some(measure(9, 1.0, 3, 0)), 1, Earlier, Why::LessAnswered),
            (Some(measure(9, 0.75, 2, 2)), 1, Later, Why::MoreAnswered),
            (Some(measure(9, 0.75, 3, 1)), 1, Later, Why::MoreAnswered),
            (Some(measure(9, 0.76, 2, 1)), 1, Later, Why::BetterSupported),
            (Some(measure(4, 0.75, 2, 1)), 1, Later, Why::MoreSources),
        ] {
            assert_eq!(keep(&before, later.as_ref(), sources), (kept, reason), "{later:?} {sources}");
        }
        let nothing = measure(0, 0.0, 0, 0);
        assert_eq!(keep(&nothing, Some(&measure(1, 0.5, 0, 0)), 1), (Later, Why::BetterSupported));
    }

    #[test]
    fn the_share_of_what_is_kept_never_falls() {
        let shares = [0.0, 0.25, 0.5, 1.0];
        let counts = [0, 1, 3];
        for (before, after) in shares.iter().flat_map(|a| shares.iter().map(move |b| (*a, *b))) {
            for (cited, answered, status) in
                counts.iter().flat_map(|c| counts.iter().map(move |a| (*c, *a, (*a % 3) as u8)))
            {
                for sources in 0..2 {
                    // A report that cites nothing has no share.
                    let earlier = measure(2, before, 1, 1);
                    let later = measure(cited, if cited == 0 { 0.0 } else { after }, answered, status);
                    let (kept, _) = keep(&earlier, Some(&later), sources);
                    let share = if kept == KeptReport::Later { later.supported_share } else { earlier.supported_share };
                    assert!(share >= before, "{earlier:?} {later:?} {sources}");
                }
            }
        }
    }
}
