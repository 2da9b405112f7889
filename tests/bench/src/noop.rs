//! Handlers that do nothing: three phases, of which the first scatters; what a session then costs is the runner.

use std::collections::BTreeMap;

use precis_proto::Phase;
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::failure_code::FailureCode;
use precis_proto::fidelity::ContentFidelity;
use precis_proto::job::{Extraction, ExtractionJob, JobOutcome};
use precis_proto::response::{ErrorInfo, ReportData, Response, SessionInfo, Status};
use precis_proto::source::{Origin, SourceText};
use precis_proto::state::SessionState;
use precis_runtime::runner::{
    JobContext, JobError, JobHandler, PhaseContext, PhaseError, PhaseHandler, Registry, Step,
};

/// Three phases; the first scatters `jobs` jobs about the session's only source.
#[must_use]
pub fn registry(jobs: usize) -> Registry {
    Registry::default().phase(Scatter { jobs }).phase(Pass).phase(End).job(Answer)
}

struct Scatter {
    jobs: usize,
}

impl PhaseHandler for Scatter {
    const PHASE: Phase = Phase::Extraction;

    async fn run(&self, session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let Some(source) = session.sources.first() else {
            return Err(broken(&session, "no_source", "a bench session has one source"));
        };
        let job = |n: usize| {
            let body = ExtractionJob {
                source_id: source.source_id.clone(),
                origin: source.origin.clone(),
                content_type: None,
                title: String::new(),
            };
            (n.to_string(), body)
        };
        let outcomes = ctx.scatter::<Extraction>((0..self.jobs).map(job).collect()).await?;
        if outcomes.iter().any(|outcome| matches!(outcome, JobOutcome::Failed(_))) {
            return Err(broken(&session, "no_answer", "a job that does nothing failed"));
        }
        Ok(Step::Next(Box::new(session), Phase::Compression))
    }
}

/// Permanent, so that the bench hears of it at once and not after all retries.
fn broken(session: &SessionState, code: &str, message: &str) -> PhaseError {
    PhaseError::Permanent(Box::new(ErrorInfo {
        session_id: Some(session.session_id.clone()),
        ..ErrorInfo::new(Status::Failed, FailureCode::from_word(code), message)
    }))
}

struct Pass;

impl PhaseHandler for Pass {
    const PHASE: Phase = Phase::Compression;

    async fn run(&self, session: SessionState, _: &PhaseContext) -> Result<Step, PhaseError> {
        Ok(Step::Next(Box::new(session), Phase::Evaluation))
    }
}

struct End;

impl PhaseHandler for End {
    const PHASE: Phase = Phase::Evaluation;

    async fn run(&self, session: SessionState, _: &PhaseContext) -> Result<Step, PhaseError> {
        let response = Response::report(empty_report(&session));
        Ok(Step::Finish(Box::new(session), Box::new(response)))
    }
}

struct Answer;

impl JobHandler for Answer {
    type Kind = Extraction;

    async fn run(&self, job: ExtractionJob, _: &JobContext<Extraction>) -> Result<ExtractionAnswer, JobError> {
        let Origin::Content(content) = job.origin else {
            return Err(JobError::permanent("no_content", "a bench source has its content"));
        };
        Ok(ExtractionAnswer {
            content_type: "text/plain".to_owned(),
            title: None,
            text: SourceText { content, chars: 0, tokens: 0, pages: 0, blocks: None },
            remarks: Vec::new(),
            tokens_cut: 0,
        })
    }
}

fn empty_report(session: &SessionState) -> ReportData {
    ReportData {
        query: session.query.clone(),
        answer: None,
        writer_reads: None,
        meaning: None,
        meaning_server: None,
        report: String::new(),
        citations: Vec::new(),
        computed: Vec::new(),
        code: Vec::new(),
        comparison: None,
        timeline: None,
        disagreements: Vec::new(),
        claims: Vec::new(),
        evaluation: None,
        sources: Vec::new(),
        content_fidelity_schema_version: "v1".to_owned(),
        content_fidelity: ContentFidelity::default(),
        dropped_content_ids: Vec::new(),
        content_archive_hashes: BTreeMap::new(),
        warning_details: Vec::new(),
        ledger: Vec::new(),
        spend: Vec::new(),
        token_usage: Vec::new(),
        history: Vec::new(),
        research: None,
        privacy: None,
        session: SessionInfo {
            id: session.session_id.clone(),
            status: Status::Completed,
            stop_reason: None,
            incomplete: false,
            phases: Vec::new(),
            token_management_enabled: true,
        },
        generated: None,
    }
}
