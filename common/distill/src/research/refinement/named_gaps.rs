//! Gaps that a model names beside the computed ones: what it is shown, and which of them a lane looks for.
//!
//! A model adds and takes nothing away: what was computed comes first. It is shown the report, so that a lane that may not see the
//! report looks for nothing that it names.

use precis_proto::research::{Gap, GapKind};
use precis_proto::response::ReportData;
use precis_proto::task::{GapDraft, GapsTask};

use super::gaps::{GAPS_EACH, ThinSpot};
use super::queries::QUERIES_EACH;
use super::sight::Sight;
use crate::research::course::ResearchCourse;

/// Gaps that a model may add to those of an iteration. Chosen, not measured.
pub const MODEL_GAPS: usize = 3;
/// Characters of a report that it is shown for that, the first ones. Chosen, not measured.
const REPORT_CHARS: usize = 20_000;
/// Queries that were asked and are shown to it. Chosen, not measured.
const ASKED_SHOWN: usize = 40;

/// What a model is asked about `report`, of which `known` gaps were computed; `course` is that of a lane that may see it.
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

/// Those of `drafts` that a lane looks for behind the `computed` ones: at most [`MODEL_GAPS`], at most [`GAPS_EACH`] with the others,
/// the gravest first; none where it may not see the report that they are made of.
pub(super) fn named(course: &ResearchCourse, sight: Sight<'_>, drafts: &[GapDraft], computed: usize) -> Vec<ThinSpot> {
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
