//! Gaps of a report: sub-questions without support, statements that their quotes do not support, values on which quotes differ.

use precis_proto::answer::AnswerStatus;
use precis_proto::claim::{Claim, Done, Verdict};
use precis_proto::compare::Disagreement;
use precis_proto::research::{Answered, GapKind, Research, Severity, SubQuestion};
use precis_proto::response::ReportData;
use precis_text::terms::query_terms;

use super::sight::Sight;
use crate::course::ResearchCourse;

/// Most gaps of a lane in one iteration; the number of directives of a round.
pub const GAPS_EACH: usize = 5;

/// A gap, with the material for its queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThinSpot {
    /// Its kind.
    pub kind: GapKind,
    /// Its severity.
    pub severity: Severity,
    /// Index of its sub-question in the plan.
    pub sub_question: usize,
    /// The gap in words.
    pub text: String,
    /// For a disagreement, the differing values; for a gap that a model named, its queries.
    pub values: Vec<String>,
}

/// The gaps of a lane, most severe first, at most [`GAPS_EACH`]; equally severe ones by kind (sub-questions first), then in their own
/// order.
#[must_use]
pub fn gaps(course: &ResearchCourse, sight: Sight<'_>) -> Vec<ThinSpot> {
    let plan = &course.plan.sub_questions;
    let mut found: Vec<ThinSpot> =
        plan.iter().enumerate().filter_map(|(at, one)| open(course, sight, at, one)).collect();
    if let Some(report) = sight.report() {
        found.extend(report.claims.iter().filter_map(|claim| statement(plan, claim)));
        found.extend(report.disagreements.iter().map(|differing| disagreement(plan, differing)));
    }
    found.sort_by_key(|spot| (spot.severity, spot.kind));
    found.truncate(GAPS_EACH);
    found
}

/// A sub-question without support.
fn open(course: &ResearchCourse, sight: Sight<'_>, at: usize, of: &SubQuestion) -> Option<ThinSpot> {
    let own = course.known.get(at).map_or(Answered::No, |known| known.coverage.answered);
    let answered = match sight.report() {
        Some(report) => answer_in_report(report, sight, of),
        // The lane cannot see what the others found, so it leaves partly covered parts to them.
        None if own == Answered::No => Answered::No,
        None => Answered::Yes,
    };
    let severity = match (answered, of.priority) {
        (Answered::Yes, _) => return None,
        (Answered::No, 0 | 1) => Severity::Critical,
        (Answered::No, _) | (Answered::Partly, 0 | 1) => Severity::Moderate,
        (Answered::Partly, _) => Severity::Minor,
    };
    Some(ThinSpot { kind: GapKind::SubQuestion, severity, sub_question: at, text: of.text.clone(), values: Vec::new() })
}

/// How well a report answers a sub-question, all lanes together.
fn answer_in_report(report: &ReportData, sight: Sight<'_>, of: &SubQuestion) -> Answered {
    if let Some(opinion) = judged(report, of) {
        return opinion;
    }
    let Some(research) = sight.research() else { return Answered::No };
    if research.unanswered.iter().any(|open| open.sub_question == of.id) {
        return Answered::No;
    }
    let covered =
        research.coverage.iter().find(|row| row.sub_question == of.id).map_or(Answered::No, |row| row.answered);
    let said = |status: AnswerStatus| report.answer.as_ref().is_some_and(|answer| answer.status == status);
    if said(AnswerStatus::NotInDocuments) || is_unsaid(report, research, of) {
        return Answered::No;
    }
    let is_whole = said(AnswerStatus::Answered);
    // The passages cover only a part, but the report answers: it was written from the whole documents.
    if covered == Answered::Partly && is_whole { Answered::Yes } else { covered }
}

/// What a model that judged the report says of a sub-question; `None` if it said nothing of it. It read what stands there, which words
/// that occur in passages do not tell.
fn judged(report: &ReportData, of: &SubQuestion) -> Option<Answered> {
    let answers = report.evaluation.iter().flat_map(|evaluation| &evaluation.answers);
    let opinion = answers.into_iter().find(|one| one.question == of.text)?;
    match opinion.verdict {
        Verdict::Verbatim | Verdict::Supported | Verdict::Disputed => Some(Answered::Yes),
        Verdict::Partly => Some(Answered::Partly),
        Verdict::NotSupported => Some(Answered::No),
        Verdict::NoClaim | Verdict::NotJudged => None,
    }
}

/// Whether the report itself says that it has nothing on a part of the question that is this sub-question, or in it.
fn is_unsaid(report: &ReportData, research: &Research, of: &SubQuestion) -> bool {
    let unsaid = report.answer.iter().flat_map(|answer| &answer.parts).filter(|part| !part.is_answered);
    let ids: Vec<&str> = unsaid
        .filter_map(|part| research.plan.get(nearest(&research.plan, &part.text)))
        .map(|one| one.id.as_str())
        .collect();
    ids.contains(&of.id.as_str())
}

/// The gap of a statement that its quotes do not support and that was not corrected.
fn statement(plan: &[SubQuestion], claim: &Claim) -> Option<ThinSpot> {
    let severity = match (claim.verdict, claim.done) {
        (_, Done::Corrected) => return None,
        (Verdict::NotSupported, _) => Severity::Moderate,
        (Verdict::Partly, _) => Severity::Minor,
        // A disputed statement is listed as a disagreement instead.
        (Verdict::Verbatim | Verdict::Supported | Verdict::Disputed | Verdict::NoClaim | Verdict::NotJudged, _) => {
            return None;
        }
    };
    let text = claim.text.clone();
    Some(ThinSpot { kind: GapKind::Statement, severity, sub_question: nearest(plan, &text), text, values: Vec::new() })
}

fn disagreement(plan: &[SubQuestion], differing: &Disagreement) -> ThinSpot {
    let values: Vec<String> = differing.values.iter().map(|value| value.value.clone()).collect();
    let text = format!("{}: {}", differing.unit, values.join(" or "));
    let sub_question = nearest(plan, &differing.unit);
    ThinSpot { kind: GapKind::Disagreement, severity: Severity::Moderate, sub_question, text, values }
}

/// Index of the sub-question that shares most terms with a text; the first of equal ones.
fn nearest(plan: &[SubQuestion], text: &str) -> usize {
    let own = query_terms(text);
    let shared = |of: &SubQuestion| query_terms(&of.text).iter().filter(|term| own.contains(term)).count();
    let best = plan.iter().enumerate().max_by_key(|(at, of)| (shared(of), std::cmp::Reverse(*at)));
    best.map_or(0, |(at, _)| at)
}
