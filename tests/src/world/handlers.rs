//! Toy handlers: each phase scatters jobs, one kind scatters further; the report is a function of session and sources alone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use precis_proto::Phase;
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::fidelity::ContentFidelity;
use precis_proto::job::{Compression, CompressionAnswer, CompressionJob, Extraction, ExtractionJob, JobOutcome};
use precis_proto::response::{ReportData, Response, SessionInfo, Status};
use precis_proto::source::SourceText;
use precis_proto::state::SessionState;
use precis_runtime::runner::{
    JobContext, JobError, JobHandler, PhaseContext, PhaseError, PhaseHandler, Registry, Step,
};

/// Times a job handler ran to its end, over all worlds of the process.
pub static HANDLER_RUNS: AtomicU64 = AtomicU64::new(0);

/// The toy handlers.
#[must_use]
pub fn registry() -> Registry {
    Registry::default().phase(First).phase(Second).phase(Last).job(Read).job(Nested)
}

/// The report of a session.
#[must_use]
pub fn expected(session: &str, sources: usize) -> String {
    let texts: Vec<String> = (0..sources).map(|n| format!("{session}-s{n}={}", format!("text {n}").len())).collect();
    format!("{} | nested {}", texts.join(","), sources)
}

fn read_job(source: &precis_proto::source::Source) -> (String, ExtractionJob) {
    let body = ExtractionJob {
        source_id: source.source_id.clone(),
        origin: source.origin.clone(),
        content_type: None,
        title: String::new(),
    };
    (source.source_id.to_string(), body)
}

struct First;

impl PhaseHandler for First {
    const PHASE: Phase = Phase::Extraction;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let jobs = session.sources.iter().map(read_job).collect();
        let outcomes = ctx.scatter::<Extraction>(jobs).await?;
        for (source, outcome) in session.sources.iter_mut().zip(outcomes) {
            match outcome {
                JobOutcome::Done(answer) => source.text = Some(answer.text),
                JobOutcome::Failed(_) if ctx.is_stopped() => {}
                JobOutcome::Failed(failure) => return Err(PhaseError::transient("read", failure.code)),
            }
        }
        Ok(Step::Next(Box::new(session), Phase::Compression))
    }
}

struct Second;

impl PhaseHandler for Second {
    const PHASE: Phase = Phase::Compression;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let jobs = session.sources.iter().map(|source| {
            let body = CompressionJob {
                openings: false,
                quote_only: false,
                texts: 0,
                topic: source.source_id.to_string(),
                query: String::new(),
                sources: Vec::new(),
                budget_tokens: 1,
                max_findings: 1,
                known: Default::default(),
            };
            (source.source_id.to_string(), body)
        });
        let outcomes = ctx.scatter::<Compression>(jobs.collect()).await?;
        if let Some(JobOutcome::Failed(failure)) = outcomes.iter().find(|o| matches!(o, JobOutcome::Failed(_))) {
            return Err(PhaseError::transient("nested", failure.code.clone()));
        }
        session.draft = Some(format!("nested {}", outcomes.len()));
        Ok(Step::Next(Box::new(session), Phase::Evaluation))
    }
}

struct Last;

impl PhaseHandler for Last {
    const PHASE: Phase = Phase::Evaluation;

    async fn run(&self, session: SessionState, _ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let texts = session.sources.iter();
        let texts: Vec<String> =
            texts.map(|s| format!("{}={}", s.source_id, s.text.as_ref().map_or(0, |t| t.chars))).collect();
        let report = format!("{} | {}", texts.join(","), session.draft.clone().unwrap_or_default());
        let response = Response::report(data(&session, report));
        Ok(Step::Finish(Box::new(session), Box::new(response)))
    }
}

fn data(session: &SessionState, report: String) -> ReportData {
    ReportData {
        query: session.query.clone(),
        answer: None,
        writer_reads: None,
        meaning: None,
        meaning_server: None,
        report,
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
        content_archive_hashes: std::collections::BTreeMap::new(),
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
            incomplete: session.stop_requested,
            phases: Vec::new(),
            token_management_enabled: true,
        },
        generated: None,
    }
}

struct Read;

impl JobHandler for Read {
    type Kind = Extraction;

    async fn run(&self, body: ExtractionJob, ctx: &JobContext<Extraction>) -> Result<ExtractionAnswer, JobError> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let precis_proto::source::Origin::Content(content) = body.origin else {
            return Err(JobError::permanent("no_url", "toy"));
        };
        let bytes =
            ctx.services().content.get(&content).await.map_err(|e| JobError::transient("content", e.to_string()))?;
        HANDLER_RUNS.fetch_add(1, Ordering::Relaxed);
        Ok(ExtractionAnswer {
            content_type: "text/plain".to_owned(),
            title: None,
            text: SourceText { content, chars: bytes.len() as u64, tokens: 1, pages: 0, blocks: None },
            remarks: Vec::new(),
            tokens_cut: 0,
        })
    }
}

struct Nested;

impl JobHandler for Nested {
    type Kind = Compression;

    async fn run(&self, body: CompressionJob, ctx: &JobContext<Compression>) -> Result<CompressionAnswer, JobError> {
        let content = ctx.services().content.put(bytes::Bytes::from(body.topic.clone())).await;
        let content = content.map_err(|e| JobError::transient("content", e.to_string()))?;
        let job = ExtractionJob {
            source_id: precis_proto::SourceId::new(body.topic.clone()).expect("an id"),
            origin: precis_proto::source::Origin::Content(content),
            content_type: None,
            title: String::new(),
        };
        match ctx.scatter::<Extraction>(vec![(body.topic, job)]).await?.pop() {
            Some(JobOutcome::Done(_)) => {
                HANDLER_RUNS.fetch_add(1, Ordering::Relaxed);
                Ok(CompressionAnswer {
                    findings: Vec::new(),
                    unmatched: Vec::new(),
                    provider: "toy".to_owned(),
                    read: Vec::new(),
                    meaning: None,
                })
            }
            Some(JobOutcome::Failed(failure)) => Err(JobError::transient(failure.code, failure.message)),
            None => Err(JobError::transient("none", "no outcome")),
        }
    }
}
