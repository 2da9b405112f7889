//! A draft with its statements settled, and with what the judges say of it.

use std::sync::Arc;

use precis_proto::claim::JudgeCounts;
use precis_proto::judgement::ReportJudgement;
use precis_proto::research::GatheringResult;
use precis_proto::state::SessionState;
use precis_proto::warning::WarningCode;
use precis_report::answered::{ReportSaid, statements};
use precis_report::claims::{Opinions, SettledDraft};
use precis_runtime::config::JudgePolicy;
use precis_runtime::runner::{PhaseContext, PhaseError};

use super::claims::DraftToSettle;
use super::judgement::Judging;
use super::rating;
use super::synthesis::task_findings;

/// What a judged draft is.
pub(super) struct JudgedReport {
    pub(super) settled: SettledDraft,
    /// Which answers its statements give.
    pub(super) said: ReportSaid,
    pub(super) judge: Option<JudgeCounts>,
    pub(super) judgement: Option<ReportJudgement>,
}

/// What the judges are asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgingRules {
    /// Which statements are judged.
    pub(super) policy: JudgePolicy,
    /// Whether the report as a whole is graded.
    pub(super) rates: bool,
}

impl JudgedReport {
    /// Settles the draft by the checks alone.
    pub(super) async fn without_judging(session: &SessionState, draft: &Arc<DraftToSettle>) -> Self {
        let settled = draft.settle(Opinions::default()).await;
        Self { said: report_said(&settled, session), settled, judge: None, judgement: None }
    }

    /// Has the draft judged, and settles it with the opinions.
    ///
    /// # Errors
    /// An interrupt to pass on; the answers received so far are stored.
    pub(super) async fn judge(
        mut self,
        draft: &Arc<DraftToSettle>,
        mut judging: Judging<'_>,
        rules: JudgingRules,
        (session, gathered): (&SessionState, Option<&GatheringResult>),
        ctx: &PhaseContext,
    ) -> Result<Self, PhaseError> {
        if draft.edits {
            self.settled = judging.judge(draft, self.settled, rules.policy).await?;
            (self.judge, self.said) = (judging.counts(&self.settled), report_said(&self.settled, session));
        }
        // Where the other roles found nobody, nobody judges either.
        if draft.edits || !session.warnings.iter().any(|warning| warning.code == WarningCode::ProviderFallback) {
            judging.hear_answers(gathered, &mut self.said).await?;
        }
        if rules.rates && !self.settled.claims.is_empty() {
            self.judgement = Some(rating::rate(session, &self.settled, &judging, ctx).await?);
        }
        Ok(self)
    }
}

fn report_said(settled: &SettledDraft, session: &SessionState) -> ReportSaid {
    ReportSaid::new(task_findings(session, None), statements(settled, &session.sources))
}
