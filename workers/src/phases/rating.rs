//! Puts the whole report to role `evaluation`, in two orders. [`precis_report::rating`] weighs the answers; they are reported separately from all counts.

use std::sync::Arc;

use precis_context::prompt::RATINGS_TOKENS;
use precis_proto::judgement::{JudgingOrder, ReportJudgement};
use precis_proto::state::SessionState;
use precis_proto::task::{Ratings, Task};
use precis_report::claims::{JudgingUse, SettledDraft, may_ask};
use precis_report::rating::{OrderAnswer, judgement, material};
use precis_report::response::source_rows;
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::judgement::Judging;
use super::synthesis::raw_notes;
use crate::documents::texts::compute;

/// Asks role `evaluation` to grade the report `settled`, as far as `judging` has left it a share.
///
/// # Errors
/// An interrupt to pass on; the answers received so far are stored.
pub(super) async fn rate(
    session: &SessionState,
    settled: &SettledDraft,
    judging: &Judging<'_>,
    ctx: &PhaseContext,
) -> Result<ReportJudgement, PhaseError> {
    let notes = raw_notes(session, ctx).await?;
    let (question, cited, rows) = (session.query.clone(), settled.cited.clone(), source_rows(&session.sources));
    let shown = Arc::new(compute(move || material(&question, &cited, &rows, &notes)).await);
    let mut answers: Vec<(JudgingOrder, OrderAnswer)> = Vec::new();
    for order in JudgingOrder::ALL {
        // Grades are no part of the bound on calls to judge statements.
        let used = JudgingUse { asked: 0, ..judging.judging_use() };
        let answer = if ctx.is_stopped() || !may_ask(&used, shown.tokens.saturating_add(RATINGS_TOKENS)) {
            OrderAnswer::NotAsked
        } else {
            let called = ctx.model(&Task::Rate(shown.task(order))).await?;
            match serde_json::from_value::<Ratings>(called.value) {
                Ok(ratings) if called.provider != LOCAL_MODEL => OrderAnswer::Answered(called.provider, ratings),
                _ => OrderAnswer::Unanswered,
            }
        };
        answers.push((order, answer));
    }
    let (report, left_out) = (settled.cited.markdown.clone(), shown.left_out);
    Ok(compute(move || judgement(&answers, &report, left_out)).await)
}
