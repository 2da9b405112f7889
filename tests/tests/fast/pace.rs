//! A phase may go slower about its jobs than the session's window allows, and may give all of them a time together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use precis_proto::Phase;
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::job::{Extraction, ExtractionJob, JobOutcome};
use precis_proto::source::{ContentRef, SourceText};
use precis_proto::state::SessionState;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::{
    JobContext, JobError, JobHandler, Pace, PhaseContext, PhaseError, PhaseHandler, Registry, Step, Worker,
};
use precis_tests::world::{World, parts};
use tokio::sync::mpsc;

/// Time of each job.
const WORK: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(60);

/// Scatters a job for each source at a pace, tells how they ended, and gives up.
struct Paced {
    pace: Pace,
    ended: mpsc::UnboundedSender<Vec<&'static str>>,
}

impl PhaseHandler for Paced {
    const PHASE: Phase = Phase::Extraction;

    async fn run(&self, session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let jobs = session.sources.iter().map(|source| {
            let (source_id, origin) = (source.source_id.clone(), source.origin.clone());
            let job = ExtractionJob { source_id, origin, content_type: None, title: String::new() };
            (source.source_id.to_string(), job)
        });
        let outcomes = ctx.scatter_at::<Extraction>(self.pace, jobs.collect()).await?;
        let ended = outcomes.iter().map(|outcome| match outcome {
            JobOutcome::Done(_) => "done",
            JobOutcome::Failed(failure) if failure.code == "timed_out" => "timed out",
            JobOutcome::Failed(_) => "failed",
        });
        self.ended.send(ended.collect()).expect("the test listens");
        Err(PhaseError::transient("enough", "the test has what it wants"))
    }
}

/// Takes its time, and counts how many do so at once.
struct Slow {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl JobHandler for Slow {
    type Kind = Extraction;

    async fn run(&self, _: ExtractionJob, _: &JobContext<Extraction>) -> Result<ExtractionAnswer, JobError> {
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::time::sleep(WORK).await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        let text = SourceText { content: ContentRef::from_bytes(b""), chars: 0, tokens: 0, pages: 0, blocks: None };
        let content_type = "text/plain".to_owned();
        Ok(ExtractionAnswer { content_type, title: None, text, remarks: Vec::new(), tokens_cut: 0 })
    }
}

/// How the jobs of a session with `sources` ended at `pace`, and how many were under way at once.
async fn paced(sources: usize, pace: Pace) -> (Vec<&'static str>, usize) {
    let world = World::new().await;
    let (told, mut ended) = mpsc::unbounded_channel();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (_connection, mut parts) = parts(&world, "a".to_owned(), Failpoints::none());
    parts.registry = Registry::default().phase(Paced { pace, ended: told }).job(Slow { now, most: most.clone() });
    let worker = Worker::start(parts).await.expect("starts");
    world.submit("s", sources).await;
    let outcomes = tokio::time::timeout(LIMIT, ended.recv()).await.expect("ends").expect("the phase tells");
    worker.drain(Duration::from_secs(1)).await;
    (outcomes, most.load(Ordering::SeqCst))
}

#[tokio::test(start_paused = true)]
async fn a_phase_may_have_fewer_jobs_under_way_than_the_window_allows() {
    for (at_once, most) in [(None, 3), (Some(1), 1), (Some(2), 2), (Some(9), 3), (Some(0), 1)] {
        let pace = Pace { at_once, ..Pace::default() };
        assert_eq!(paced(6, pace).await, (vec!["done"; 6], most), "{at_once:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn from_the_first_answer_on_the_others_have_a_time_together() {
    let pace = |others_within| Pace { at_once: Some(1), others_within: Some(others_within) };
    for (within, done) in [(WORK * 2 - WORK / 10, 2), (WORK * 2 + WORK / 2, 3), (WORK * 60, 6)] {
        let (outcomes, _) = paced(6, pace(within)).await;
        let expected: Vec<_> = (0..6).map(|n| if n < done { "done" } else { "timed out" }).collect();
        assert_eq!(outcomes, expected, "{within:?}");
    }
    // Alone, a job has all the time there is.
    assert_eq!(paced(1, pace(Duration::ZERO)).await.0, ["done"]);
}
