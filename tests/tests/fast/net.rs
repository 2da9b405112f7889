//! What a report is made of where something is missing: findings; passages of the texts where none could be made; a stated failure where
//! not even these can be had. Never a model's memory.

use precis_proto::job::{Compression as Kind, CompressionAnswer, CompressionJob};
use precis_proto::response::{Response, Status};
use precis_proto::warning::WarningCode;
use precis_runtime::config::Settings;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use precis_workers::jobs::CompressionJobHandler;
use precis_workers::options::DigestOptions;
use serde_json::{Value, json};

const QUERY: &str = "How much ice did the glacier of Brem lose?";
const SOURCE: &str = "The survey was made on foot. The glacier of Brem lost a third of its ice in the last decade. \
                      The winter was mild.";
const MARK: &str = "# Degraded report, quoted passages only: ";

/// How the making of findings goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Each job that asks a model fails.
    Fails,
    /// Each job that asks a model comes back with nothing.
    Empty,
    /// Every job fails.
    FailsAll,
    /// Every job comes back with nothing.
    EmptyAll,
}

struct Faulty {
    fault: Fault,
    real: CompressionJobHandler,
}

impl JobHandler for Faulty {
    type Kind = Kind;

    async fn run(&self, job: CompressionJob, ctx: &JobContext<Kind>) -> Result<CompressionAnswer, JobError> {
        match self.fault {
            Fault::Fails if !job.quote_only => Err(JobError::permanent("timeout", "nobody answered")),
            Fault::FailsAll => Err(JobError::permanent("timeout", "nobody answered")),
            Fault::Empty if !job.quote_only => Ok(nothing()),
            Fault::EmptyAll => Ok(nothing()),
            Fault::None | Fault::Fails | Fault::Empty => self.real.run(job, ctx).await,
        }
    }
}

fn nothing() -> CompressionAnswer {
    let (findings, unmatched, read) = (Vec::new(), Vec::new(), Vec::new());
    CompressionAnswer { findings, unmatched, provider: "a:b".to_owned(), read, meaning: None }
}

async fn response(fault: Fault, source: &str) -> Response {
    response_with(json!({}), fault, source).await
}

async fn response_with(settings: Value, fault: Fault, source: &str) -> Response {
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let real =
        CompressionJobHandler { settings: DigestOptions::from_settings(&settings), has_model: false, meaning: None };
    let registry = real_registry(&settings).job(Faulty { fault, real });
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, registry).await;
    let source = json!({ "source_id": "s1", "title": "Survey", "content": source });
    let body = json!({ "schema_version": 2, "session_id": "s", "query": QUERY, "sources": [source] });
    world.submit_body("s", &body).await;
    result_of(&world, "s").await
}

#[tokio::test]
async fn without_findings_the_report_uses_passages_and_says_so_first() {
    let other = "Bread is baked in ovens. It is sold in the morning.";
    for (fault, source, quoted) in [
        (Fault::Fails, SOURCE, Some("lost a third of its ice")),
        (Fault::Empty, SOURCE, Some("lost a third of its ice")),
        (Fault::Fails, other, None),
    ] {
        let data = response(fault, source).await.data.expect("a report");
        assert!(data.report.starts_with(MARK), "{fault:?}: {}", data.report);
        assert!(data.session.incomplete);
        assert!(data.warning_details.iter().any(|warning| warning.code == WarningCode::ReportDegraded));
        let is_quoted = |part: &str| data.citations.iter().any(|citation| citation.text.contains(part));
        assert!(quoted.is_none_or(is_quoted), "{:?}", data.citations);
        for citation in &data.citations {
            assert!(source.contains(&citation.text), "{}", citation.text);
            let body = data.report.replace("\\", "");
            assert!(body.contains(&citation.text), "each statement is a passage: {body}");
        }
    }
}

#[tokio::test]
async fn a_report_of_findings_bears_no_such_mark() {
    let data = response(Fault::None, SOURCE).await.data.expect("a report");
    assert!(!data.report.contains("Degraded") && !data.session.incomplete, "{}", data.report);
    assert!(data.warning_details.iter().all(|warning| warning.code != WarningCode::ReportDegraded));
}

#[tokio::test]
async fn without_even_passages_the_session_ends_with_a_stated_failure() {
    let error = response(Fault::FailsAll, SOURCE).await.error.expect("a failure");
    assert_eq!((error.code.as_str(), error.status), ("compression_failed", Status::Failed));
}

#[tokio::test]
async fn a_model_is_not_asked_for_a_report_of_nothing() {
    let memory = "As far as I remember, the glacier lost half of its ice.";
    let writer = Scripted::start([Reply::Text(memory.to_owned())]).await;
    let settings = json!({
        "providers": { "writer": { "kind": "openai", "base_url": writer.base_url() } },
        "roles": { "synthesis": { "providers": ["writer:m"] } },
    });
    let data = response_with(settings, Fault::EmptyAll, SOURCE).await.data.expect("a report");
    assert!(!data.report.contains("remember") && data.report.contains("No passage"), "{}", data.report);
    assert!(writer.seen().is_empty() && data.citations.is_empty());
}
