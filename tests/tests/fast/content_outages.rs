//! The content store of a fleet comes and goes while sessions run: whenever it does, a report is the one of a day on which it was there.
//!
//! `PRECIS_OUTAGE_SEEDS` says how many runs with outages of their own (4 unless set), `PRECIS_OUTAGE_SEED` names the first.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use precis_proto::SessionId;
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use precis_tests::fleet::same_report::{difference, essence};
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Texts of a session, and sentences of each: short enough for calls for several, and too long together for the window.
const TEXTS: usize = 14;
const SENTENCES: usize = 60;
/// Runs at once: more would be slower than their outages, which would all be over before a phase begins.
const AT_ONCE: usize = 4;
/// How long the volume comes and goes, unless the report is there before.
const UNSTEADY: Duration = Duration::from_secs(4);
/// Longest wait for a report: a session waits longer from one outage to the next.
const LIMIT: Duration = Duration::from_secs(240);
/// Longest time in milliseconds of an outage, and between two: texts are read and written in moments, and a session that met an outage in
/// each of them would not come to its end.
const OUTAGE_MS: u64 = 6;
const BETWEEN_MS: u64 = 40;
/// What a model takes for an answer: long enough that outages meet calls under way.
const LATENCY: Duration = Duration::from_millis(10);

fn number_of(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn settings(base_url: &str, digests: &str) -> Settings {
    let role = json!({ "providers": ["fake:m"] });
    let limits = json!({
        "context_window": 16_000, "max_output_tokens": 2_000, "output_reserved": 2_000, "budgeting_mode": "combined",
        "tokenizer": "o200k",
    });
    let settings = json!({
        "runtime_overhead": 0,
        "providers": { "fake": { "kind": "openai", "base_url": base_url } },
        "roles": { "summarization": role, "compression": role, "synthesis": role },
        "model_context_overrides": { "fake:m": limits },
    });
    let mut settings: Settings = serde_json::from_value(settings).expect("settings");
    settings.digest.policy = serde_json::from_value(json!(digests)).expect("a policy");
    settings
}

fn request() -> Value {
    let sentence = |source: usize, n: usize| {
        format!("Record {source}-{n} says that the glacier lost {} percent of its ice.", n % 90)
    };
    let text = |source: usize| (0..SENTENCES).map(|n| sentence(source, n)).collect::<Vec<_>>().join(" ");
    let source = |n: usize| json!({ "source_id": format!("s{n}"), "title": format!("Source {n}"), "content": text(n) });
    let sources: Vec<Value> = (0..TEXTS).map(source).collect();
    json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources })
}

/// The volume of the content store.
struct Volume {
    dir: PathBuf,
    aside: PathBuf,
}

impl Volume {
    fn of(home: &Path) -> Self {
        Self { dir: home.join("content"), aside: home.join("aside") }
    }

    fn unmount(&self) {
        std::fs::rename(&self.dir, &self.aside).and_then(|()| std::fs::create_dir(&self.dir)).expect("moves");
    }

    fn mount(&self) {
        assert_eq!(std::fs::read_dir(&self.dir).expect("the mount point").count(), 0, "something was created in it");
        std::fs::remove_dir(&self.dir).and_then(|()| std::fs::rename(&self.aside, &self.dir)).expect("moves");
    }

    /// Comes and goes, at moments drawn from `seed`, until the world `has_ended`; is there at the end.
    async fn outages(&self, seed: u64, has_ended: impl Fn() -> bool) {
        let mut rng = StdRng::seed_from_u64(seed);
        let pause = async |rng: &mut StdRng, most: u64| {
            tokio::time::sleep(Duration::from_millis(rng.random_range(1..most))).await;
        };
        let until = Instant::now() + UNSTEADY;
        while Instant::now() < until && !has_ended() {
            pause(&mut rng, BETWEEN_MS).await;
            self.unmount();
            pause(&mut rng, OUTAGE_MS).await;
            self.mount();
        }
    }
}

/// What the report of the session amounts to, with the outages of `seed`, or without any, and with this policy of `digests`: without them
/// texts are summarized.
async fn report(seed: Option<u64>, digests: &str) -> Value {
    let server = Scripted::slowly_answering(LATENCY, |_| Reply::Fitting).await;
    let settings = settings(server.base_url(), digests);
    let home = TempDir::new().expect("a directory");
    let volume = Volume::of(home.path());
    let mut world = World::new().await;
    world.content = ContentStore::create(&format!("file://{}", volume.dir.display())).await.expect("made");
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    world.submit_body("s", &request()).await;
    let id = SessionId::new("s").expect("an id");
    if let Some(seed) = seed {
        volume.outages(seed, || world.results().contains_key(&id)).await;
    }
    let waiting = async {
        while !world.results().contains_key(&id) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LIMIT, waiting).await.unwrap_or_else(|_| panic!("seed {seed:?}: no result in {LIMIT:?}"));
    essence(&world.results()[&id][0]).expect("JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whenever_the_content_store_is_away_the_report_is_the_same() {
    let (first, seeds) = (number_of("PRECIS_OUTAGE_SEED", 1), number_of("PRECIS_OUTAGE_SEEDS", 4));
    for digests in ["auto", "off"] {
        let expected = report(None, digests).await;
        assert_eq!(expected["success"], true, "{expected}");
        for begun in (first..first + seeds).step_by(AT_ONCE) {
            let some = begun..(begun + AT_ONCE as u64).min(first + seeds);
            let runs = some.clone().map(|seed| tokio::spawn(report(Some(seed), digests)));
            for (seed, run) in some.zip(futures_util::future::join_all(runs).await) {
                let replay = format!("PRECIS_OUTAGE_SEED={seed} PRECIS_OUTAGE_SEEDS=1, digests {digests}");
                let found = run.unwrap_or_else(|failed| panic!("{replay}: {failed}"));
                assert_eq!(difference(&expected, &found), None, "{replay}");
            }
        }
    }
}
