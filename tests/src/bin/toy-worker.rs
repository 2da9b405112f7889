//! A worker whose handlers end the whole process on a marked document: what no test can ask of the product. Toy phases on the real
//! runner, RabbitMQ and Redis; started by the tests of the fleet, with `SETTINGS` as JSON in its environment.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::Phase;
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::job::{Extraction, ExtractionJob, JobOutcome};
use precis_proto::source::{Origin, SourceText};
use precis_proto::state::SessionState;
use precis_runtime::config::Settings;
use precis_runtime::runner::{
    JobContext, JobError, JobHandler, PhaseContext, PhaseError, PhaseHandler, Queues, RunnerSettings, Step,
};
use precis_runtime::telemetry::{self, Health};
use precis_tests::world;
use precis_workers::assembly::pipeline;
use precis_workers::fleet::{self, BrokerSource, SupervisedResources};
use precis_workers::lanes::Lanes;
use tokio_util::sync::CancellationToken;

/// Beginning of a document that no worker survives.
const MARK: &[u8] = b"KILLS";

#[tokio::main]
async fn main() {
    let settings = std::env::var("SETTINGS").expect("SETTINGS names the servers");
    let settings: Settings = serde_json::from_str(&settings).expect("settings");
    telemetry::install("info", settings.services.log_format);
    let content = fleet::content(&settings).expect("a content store");
    let store = fleet::store(&settings, &content).expect("an address of Redis");
    let parts = SupervisedResources {
        worker_id: format!("toy-{}", std::process::id()),
        content,
        models: pipeline::models(&settings, store.clone()).expect("no providers"),
        lanes: Arc::new(Lanes::default()),
        store,
        registry: world::registry().phase(Read).job(Document),
        queues: Queues::All,
        runner: RunnerSettings {
            session_prefetch: settings.worker.sessions,
            job_prefetch: settings.worker.concurrency,
            ..RunnerSettings::default()
        },
        grace: Duration::from_secs(5),
        health: Health::default(),
    };
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        precis_workers::cli::signals::stop_signal().await;
        stopping.cancel();
    });
    fleet::supervise(&BrokerSource::Server(Box::new(settings)), &parts, stop).await;
}

/// Reads every document; those that cannot be read are left out.
struct Read;

impl PhaseHandler for Read {
    const PHASE: Phase = Phase::Extraction;

    async fn run(&self, mut session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let jobs = session.sources.iter().map(|source| {
            let body = ExtractionJob {
                source_id: source.source_id.clone(),
                origin: source.origin.clone(),
                content_type: None,
                title: String::new(),
            };
            (source.source_id.to_string(), body)
        });
        let outcomes = ctx.scatter::<Extraction>(jobs.collect()).await?;
        for (source, outcome) in session.sources.iter_mut().zip(outcomes) {
            if let JobOutcome::Done(answer) = outcome {
                source.text = Some(answer.text);
            }
        }
        session.sources.retain(|source| source.text.is_some());
        Ok(Step::Next(Box::new(session), Phase::Compression))
    }
}

/// Reads a document, or dies of it.
struct Document;

impl JobHandler for Document {
    type Kind = Extraction;

    async fn run(&self, body: ExtractionJob, ctx: &JobContext<Extraction>) -> Result<ExtractionAnswer, JobError> {
        let Origin::Content(content) = body.origin else { return Err(JobError::permanent("no_url", "toy")) };
        let bytes = ctx.services().content.get(&content).await;
        let bytes = bytes.map_err(|e| JobError::transient("content", e.to_string()))?;
        // Long enough that others are under way beside it.
        tokio::time::sleep(Duration::from_millis(30)).await;
        if bytes.starts_with(MARK) {
            std::process::abort();
        }
        Ok(ExtractionAnswer {
            content_type: "text/plain".to_owned(),
            title: None,
            text: SourceText { content, chars: bytes.len() as u64, tokens: 1, pages: 0, blocks: None },
            remarks: Vec::new(),
            tokens_cut: 0,
        })
    }
}
