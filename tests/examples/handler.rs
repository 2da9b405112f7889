//! A job handler of one's own on the broker in memory: documents are read as the number of their words.
//!
//! `cargo run -p precis-tests --example handler`. A handler answers one job and knows nothing of queues; the runner acks, retries and
//! publishes. The phases here are the toy ones of the tests, whose report lists each source with its length.

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use std::error::Error;
use std::time::Duration;

use precis_proto::extraction::ExtractionAnswer;
use precis_proto::job::{Extraction, ExtractionJob};
use precis_proto::response::Response;
use precis_proto::source::{Origin, SourceText};
use precis_runtime::failpoints::Fault;
use precis_runtime::runner::{JobContext, JobError, JobHandler, WorkerParts};
use precis_tests::world::{Fate, WorkerSlot, World, registry};

/// Counts the words of a document.
struct CountWords;

impl JobHandler for CountWords {
    type Kind = Extraction;

    async fn run(&self, job: ExtractionJob, ctx: &JobContext<Extraction>) -> Result<ExtractionAnswer, JobError> {
        // What can never work is permanent; what another try may mend is transient, and the runner makes that try.
        let Origin::Content(content) = job.origin else { return Err(JobError::permanent("no_url", "only documents")) };
        let bytes = ctx.services().content.get(&content).await;
        let bytes = bytes.map_err(|error| JobError::transient("content", error.to_string()))?;
        let words = String::from_utf8_lossy(&bytes).split_whitespace().count();
        Ok(ExtractionAnswer {
            content_type: "text/plain".to_owned(),
            title: None,
            text: SourceText { content, chars: words as u64, tokens: 1, pages: 0, blocks: None },
            remarks: Vec::new(),
            tokens_cut: 0,
        })
    }
}

/// Starts a worker with the handler, submits a session of two documents, and prints its report.
#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let world = World::new().await;
    let with_ours = |parts: WorkerParts| WorkerParts { registry: registry().job(CountWords), ..parts };
    let _worker = WorkerSlot::start_furnished(&world, "example", with_ours, |_| Fate::Fault(Fault::None));
    world.submit("words", 2).await;
    world.wait_for(1, Duration::from_secs(30)).await.map_err(|ended| format!("{ended} of 1 sessions ended"))?;
    let results = world.results();
    let result = results.values().next().and_then(|bodies| bodies.first()).ok_or("no result")?;
    let response: Response = serde_json::from_slice(result)?;
    let report = response.data.ok_or("the session failed")?.report;
    println!("{report}");
    // The texts are "text 0" and "text 1".
    if report == "words-s0=2,words-s1=2 | nested 2" { Ok(()) } else { Err("other numbers of words".into()) }
}
