//! Gaps that a model names besides the computed ones: the task it is given, and which of its gaps a lane searches for.
//!
//! A model only adds gaps; the computed ones come first. Its gaps derive from the report, so a lane that may not see the report ignores
//! them.

use precis_proto::research::{Gap, GapKind};
use precis_proto::response::ReportData;
use precis_proto::task::{GapDraft, GapsTask};

use super::gaps::{GAPS_EACH, ThinSpot};
use super::queries::QUERIES_EACH;
use super::sight::Sight;
use crate::course::ResearchCourse;

/// Most gaps that a model may add in an iteration. Chosen, not measured.
pub const MODEL_GAPS: usize = 3;
/// Leading characters of the report that the model is shown. Chosen, not measured.
const REPORT_CHARS: usize = 20_000;
/// Most earlier queries that the model is shown. Chosen, not measured.
const ASKED_SHOWN: usize = 40;

/// The task for a model to name further gaps of `report` besides the `known` ones. `course` must be of a lane that may see the report.
#[must_use]
pub fn gaps_task(course: &ResearchCourse, report: &ReportData, known: &[Gap], today: String) -> GapsTask {
    let end = report.report.char_indices().nth(REPORT_CHARS).map_or(report.report.len(), |(end, _)| end);
    GapsTask {
        question: report.query.clone(),
        today,
        plan: course.plan_rows(),
        known: known.iter().map(|gap| gap.text.clone()).collect(),
        asked: course.queries.iter().take(ASKED_SHOWN).cloned().collect(),
        report: report.report[..end].to_owned(),
        max_gaps: MODEL_GAPS,
        max_queries: QUERIES_EACH,
    }
}

/// The gaps of `drafts` that a lane searches for after `computed` other ones: most severe first, at most [`MODEL_GAPS`], and at most
/// [`GAPS_EACH`] in total; none if the lane may not see the report.
pub(super) fn searchable_gaps(
    course: &ResearchCourse,
    sight: Sight<'_>,
    drafts: &[GapDraft],
    computed: usize,
) -> Vec<ThinSpot> {
    if sight.report().is_none() {
        return Vec::new();
    }
    let spot = |draft: &GapDraft| {
        let at = course.plan.sub_questions.iter().position(|of| of.id == draft.sub_question)?;
        Some(ThinSpot {
            kind: GapKind::Model,
            severity: draft.severity,
            sub_question: at,
            text: draft.text.clone(),
            values: draft.queries.iter().take(QUERIES_EACH).cloned().collect(),
        })
    };
    let mut spots: Vec<ThinSpot> = drafts.iter().filter_map(spot).collect();
    spots.sort_by_key(|spot| spot.severity);
    spots.truncate(MODEL_GAPS.min(GAPS_EACH.saturating_sub(computed)));
    spots
}
