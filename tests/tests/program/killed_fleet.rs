//! A fleet in one process, killed again and again: every accepted session ends once, and what a kill interrupted goes on at the next start.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use precis_proto::SessionId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::Status;
use precis_runtime::broker::names;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{RESULTS, status_of};
use precis_tests::finished;
use precis_tests::provider::Scripted;
use precis_workers::fleet;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const SESSIONS: usize = 100;
const KILLS: usize = 20;
/// Longest time that the sessions left over by the last kill may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// A process with a fleet in it.
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a fleet in `dir`; also returns the first line of it.
    fn start(dir: &Path, settings: &str) -> (Self, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_local-fleet"))
            .arg(dir)
            .env("SETTINGS", settings)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut process = Self { child, input, output: BufReader::new(output) };
        let said = process.hear();
        (process, said)
    }

    fn ready(dir: &Path) -> Self {
        Self::ready_with(dir, "{}")
    }

    fn ready_with(dir: &Path, settings: &str) -> Self {
        let (process, said) = Self::start(dir, settings);
        assert_eq!(said, "ready");
        process
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("it listens");
    }

    /// The next line; empty once it has ended.
    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("readable");
        line.trim_end().to_owned()
    }

    fn ask(&mut self, line: &str) -> String {
        self.say(line);
        self.hear()
    }

    /// Kills it with SIGKILL.
    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    /// Ends it in order.
    fn close(mut self) {
        drop(self.input);
        let mut line = String::new();
        self.output.read_line(&mut line).expect("readable");
        assert_eq!(line.trim_end(), "closed");
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn content(dir: &Path) -> ContentStore {
    let url = format!("file://{}", dir.join("content").display());
    ContentStore::open(&url).expect("an address")
}

/// The bytes of the result of a session.
async fn result(content: &ContentStore, id: &str) -> Option<bytes::Bytes> {
    content.get_named(RESULTS, id).await.expect("the store is there")
}

#[tokio::test]
async fn a_fleet_killed_twenty_times_ends_a_hundred_sessions_once_each() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut random = StdRng::seed_from_u64(11);
    let mut fleet = Process::ready(dir.path());
    let ids: Vec<String> = (0..SESSIONS).map(|n| format!("session-{n}")).collect();
    let content = content(dir.path());
    let mut interrupted = 0;
    for (n, id) in ids.iter().enumerate() {
        assert_eq!(fleet.ask(&format!("submit {id}")), format!("accepted {id}"));
        if n % (SESSIONS / KILLS) == SESSIONS / KILLS - 1 {
            std::thread::sleep(Duration::from_millis(random.random_range(20..200)));
            fleet.kill();
            for id in &ids[..=n] {
                interrupted += usize::from(result(&content, id).await.is_none());
            }
            fleet = Process::ready(dir.path());
        }
    }
    assert!(interrupted >= KILLS / 2, "the kills came too late: only {interrupted} sessions were interrupted");
    let since = Instant::now();
    let (mut results, mut completed) = (Vec::new(), 0);
    for id in &ids {
        loop {
            if let Some(bytes) = result(&content, id).await {
                results.push(bytes);
                break;
            }
            assert!(since.elapsed() < PATIENCE, "{id} has no result after {PATIENCE:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
        let session = SessionId::new(id.as_str()).expect("an id");
        let response = fleet::result(&content, &session).await.expect("readable").expect("there");
        let code = response.error.as_ref().map(|error| &error.code);
        match status_of(&response) {
            Status::Completed => completed += 1,
            // Held at every kill, one after the other, on a machine that is too busy to get on in between: it says so.
            Status::Failed => assert_eq!(code, Some(&FailureCode::DeadLetter(DeadReason::DeliveryLimit)), "{id}"),
            status => panic!("{id}: {status:?}"),
        }
    }
    assert!(completed >= SESSIONS * 9 / 10, "only {completed} sessions completed");
    for bytes in results.iter().step_by(SESSIONS / 5) {
        finished::check_result(bytes, &content).await.expect("a report that is proved");
    }
    // Not the dead letters: on a busy machine one job may be held at ten kills in a row, and then it is taken for what kills the process.
    for queue in [names::LAST, names::UNDERTAKER] {
        assert_eq!(fleet.ask(&format!("depth {queue}")), "0", "{queue}");
    }
    // A second process is refused, and the first one goes on.
    let (second, said) = Process::start(dir.path(), "{}");
    assert!(said.starts_with("refused ") && said.contains("in use by another process"), "{said}");
    drop(second);
    fleet.close();
    let mut fleet = Process::ready(dir.path());
    std::thread::sleep(Duration::from_millis(500));
    for (id, before) in ids.iter().zip(results) {
        assert_eq!(result(&content, id).await, Some(before), "{id} has another result after a restart");
    }
    for phase in precis_proto::Phase::ALL {
        assert_eq!(fleet.ask(&format!("depth {}", names::session_queue(phase))), "0", "{phase}");
    }
    fleet.kill();
}

/// Model calls under way at once.
const AT_ONCE: usize = 2;
/// Documents of the session, each with a call of its own.
const DOCUMENTS: usize = 24;
/// Calls that were made before each kill.
const KILLED_AFTER: [usize; 3] = [6, 12, 18];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_session_repeats_only_the_calls_that_were_under_way() {
    let provider = Scripted::slow(Duration::from_millis(200)).await;
    let settings = serde_json::json!({
        "digest_policy": "always", "digest_max_sources": DOCUMENTS, "digest_max_concurrent": AT_ONCE,
        "providers": { "scripted": { "base_url": provider.base_url(), "max_concurrent": AT_ONCE } },
        "roles": { "summarization": { "providers": ["scripted:m"] } },
    })
    .to_string();
    let dir = tempfile::tempdir().expect("a directory");
    let content = content(dir.path());
    let mut fleet = Process::ready_with(dir.path(), &settings);
    let asked = format!("submit paid {DOCUMENTS}");
    assert_eq!(fleet.ask(&asked), "accepted paid");
    for calls in KILLED_AFTER {
        let since = Instant::now();
        while provider.calls() < calls {
            assert!(since.elapsed() < PATIENCE, "{} calls", provider.calls());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        fleet.kill();
        assert!(result(&content, "paid").await.is_none(), "nothing was interrupted");
        fleet = Process::ready_with(dir.path(), &settings);
    }
    let since = Instant::now();
    while result(&content, "paid").await.is_none() {
        assert!(since.elapsed() < PATIENCE, "no result");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    fleet.close();
    let calls: Vec<String> = provider.seen().iter().map(|seen| seen.body.to_string()).collect();
    let different: std::collections::BTreeSet<&String> = calls.iter().collect();
    let repeated = calls.len() - different.len();
    assert!(different.len() >= DOCUMENTS, "{} different calls", different.len());
    assert!(repeated <= KILLED_AFTER.len() * AT_ONCE, "{repeated} of {} calls were made again", calls.len());
}
