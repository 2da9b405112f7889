//! A fleet as operators and other services use it: real processes on a private RabbitMQ and a private Redis.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use precis_tests::program::{self, CliWorkspace, Ended, ended};
use precis_tests::servers::rabbit::RabbitServer;
use precis_tests::servers::redis::RedisServer;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Longest wait for any one thing; a loaded machine needs seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Servers, a workspace with documents, and the settings that join them.
pub(crate) struct Fleet {
    pub(crate) rabbit: RabbitServer,
    pub(crate) redis: RedisServer,
    pub(crate) workspace: CliWorkspace,
}

impl Fleet {
    /// `None` where a server is not installed, which is said.
    pub(crate) async fn start() -> Option<Self> {
        let (rabbit, redis) = (RabbitServer::start().await?, RedisServer::start().await?);
        let workspace = CliWorkspace::new();
        workspace.write(
            "tea.md",
            "# Tea\n\nTea was carried along the old road by mules. The harbour tax on tea was paid by the captain.\n",
        );
        workspace.write(
            "tax.txt",
            "The harbour tax was raised in spring. Captains who paid the tax late lost their berth in the harbour.",
        );
        Some(Self { rabbit, redis, workspace })
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.within(program::path(), args)
    }

    /// Another program, such as one that starts ours, with the same settings.
    pub(crate) fn within(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = self.workspace.within(program, args);
        command.env("PRECIS_AMQP_URL", self.rabbit.address().expose());
        command.env("PRECIS_REDIS_URL", self.redis.address());
        command.env("PRECIS_CONTENT_URL", format!("file://{}", self.workspace.at("content").display()));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        ended(self.command(args))
    }

    pub(crate) fn fine(&self, args: &[&str]) -> String {
        let ended = self.run(args);
        assert_eq!(ended.code, 0, "{args:?}: {}{}", ended.stdout, ended.stderr);
        ended.stdout
    }

    pub(crate) fn worker(&self) -> Worker {
        let mut command = self.command(&["worker", "--metrics", "127.0.0.1:0"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Worker(command.spawn().expect("a worker starts"))
    }
}

/// A worker process; killed with the value.
pub(crate) struct Worker(pub(crate) Child);

impl Worker {
    /// SIGTERM, and the exit code that follows.
    pub(crate) fn drained(mut self) -> i32 {
        let id = Pid::from_raw(self.0.id().cast_signed()).expect("a process id");
        kill_process(id, Signal::TERM).expect("our own child");
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().expect("our own child") {
                return status.code().unwrap_or(-1);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the worker did not drain within {PATIENCE:?}");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The Python block of `proto/README.md`, word for word.
fn python_client() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../proto/README.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let (_, rest) = text.split_once("```python\n").expect("a Python block");
    rest.split_once("```").expect("its end").0.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_is_set_up_asked_watched_and_drained_by_its_commands() {
    let Some(fleet) = Fleet::start().await else { return };
    let doctor = fleet.run(&["doctor"]);
    assert_eq!(doctor.code, 4, "topology and content store are missing: {}", doctor.stdout);
    assert!(doctor.stdout.contains("make a new one with `precis topology apply`"), "{}", doctor.stdout);
    let early = fleet.run(&["submit", "--query", "Who pays?", "--docs", "tea.md"]);
    assert!(early.code == 4 && early.stderr.contains("precis topology apply"), "{}", early.stderr);
    fleet.fine(&["topology", "apply"]);
    fleet.fine(&["topology", "check"]);
    let doctor = fleet.fine(&["doctor"]);
    assert!(doctor.contains("no worker consumes the queue `requests`"), "{doctor}");
    assert!(doctor.contains("Redis accepts writes"), "{doctor}");
    // Another fleet, by its content store, under the same prefix.
    let elsewhere = format!("file://{}", fleet.workspace.at("elsewhere").display());
    let of_other = |args: &[&str]| {
        let mut command = fleet.command(args);
        command.env("PRECIS_CONTENT_URL", &elsewhere);
        ended(command)
    };
    assert_eq!(of_other(&["topology", "apply"]).code, 0);
    let other = of_other(&["doctor"]);
    assert!(other.code == 1 && other.stdout.contains("set redis_prefix to another prefix"), "{}", other.stdout);
    assert_told_that_nobody_works(&fleet);

    let worker = fleet.worker();
    let asked = ["submit", "--query", "Who pays the harbour tax?", "--docs", "tea.md", "tax.txt", "--session", "tax"];
    let waited = fleet.fine(&[&asked[..], &["--wait", "--out", "report"]].concat());
    assert!(waited.starts_with("tax: completed"), "{waited}");
    assert_eq!(fleet.workspace.names("report"), ["archive", "report.html", "report.json", "report.md"]);
    fleet.fine(&["verify", "report"]);

    // The same request again is the same session; another one under its id is refused.
    let again = fleet.fine(&[&asked[..], &["--wait", "--json"]].concat());
    let report = std::fs::read_to_string(fleet.workspace.at("report/report.json")).expect("a report");
    assert_eq!(again, report);
    let other =
        ["submit", "--query", "Who carried the tea?", "--docs", "tea.md", "--session", "tax", "--wait", "--json"];
    let refused = fleet.run(&other);
    let answer: Value = serde_json::from_str(&refused.stdout).expect("JSON");
    assert_eq!((refused.code, &answer["error"]["code"]), (1, &json!("session_id_taken")), "{}", refused.stdout);
    assert_eq!(fleet.fine(&["result", "tax", "--json"]), report, "the refusal took nobody's result");

    assert!(fleet.fine(&["watch", "tax"]).starts_with("tax: completed"));
    let listed = fleet.fine(&["sessions", "--json"]);
    let listed: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).expect("a session")).collect();
    let tax = listed.iter().find(|row| row["session_id"] == "tax").expect("is listed");
    assert_eq!(tax["status"], "completed");
    assert_eq!(fleet.fine(&["cancel", "tax"]), "tax: had already ended, completed\n");
    assert_follows(&fleet);
    assert_researches(&fleet);
    assert_eq!(fleet.fine(&["dead", "ls"]), "no dead letters\n");
    assert_eq!(worker.drained(), 0);
    assert_eq!(fleet.run(&["result", "nobody"]).code, 1);
}

/// Without a worker a request waits, which is said; what nobody asked for is not waited for.
fn assert_told_that_nobody_works(fleet: &Fleet) {
    let asked = ["submit", "--query", "Who carried the tea?", "--docs", "tea.md", "--session", "early"];
    for unknown in ["watch", "cancel", "stop"] {
        let refused = fleet.run(&[unknown, "nobody"]);
        assert_eq!(refused.code, 3, "{unknown}: {}{}", refused.stdout, refused.stderr);
        assert!(refused.stderr.contains("this fleet has no session `nobody`"), "{unknown}: {}", refused.stderr);
    }
    let queued = fleet.run(&asked);
    assert_eq!((queued.code, queued.stdout.as_str()), (0, "early\n"), "{}", queued.stderr);
    assert!(queued.stderr.contains("queued, but no worker consumes the queue `requests`"), "{}", queued.stderr);
    assert_eq!(fleet.fine(&["cancel", "early"]), "early: asked to cancel\n", "it may be the request that waits");
}

/// A further question on the finished session reads its texts again and knows what was said.
fn assert_follows(fleet: &Fleet) {
    let answer = fleet.fine(&["ask", "tax", "Who lost their berth in the harbour?", "--out", "answer", "--json"]);
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let said: Vec<&str> =
        answer["data"]["history"].as_array().into_iter().flatten().filter_map(|m| m["content"].as_str()).collect();
    assert!(said.len() == 2 && said[0] == "Who pays the harbour tax?" && said[1].contains("harbour tax"), "{said:?}");
    let report = answer["data"]["report"].as_str().expect("a report");
    assert!(report.contains("lost their berth") && answer["data"]["session"]["id"] != "tax", "{report}");
    assert_eq!(answer["data"]["sources"].as_array().map(Vec::len), Some(2));
    fleet.fine(&["verify", "answer"]);
    let unknown = fleet.run(&["ask", "nobody", "Why?"]);
    assert!(unknown.code == 3 && unknown.stderr.contains("no result for a session"), "{}", unknown.stderr);
}

/// Research over a published folder shows its plan and its queries, which no event tells.
fn assert_researches(fleet: &Fleet) {
    fleet.workspace.write("notes/tax.txt", "The harbour tax is paid by the owner of each ship that carries tea.");
    fleet.fine(&["corpus", "add", "notes"]);
    let hash = fleet.fine(&["corpus", "publish", "notes"]);
    let question = "Who pays the harbour tax?";
    let asked = ["submit", "--query", question, "--corpus", hash.trim(), "--session", "found", "--wait"];
    let ended = fleet.run(&asked);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    for line in ["  q1   Who pays the harbour tax", &format!("  folders:  \"{question}\"")] {
        assert!(ended.stderr.lines().any(|said| said == line), "{line}: {}", ended.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_service_gets_its_report() {
    let Some(fleet) = Fleet::start().await else { return };
    fleet.workspace.write("client.py", python_client());
    let python = std::path::Path::new("python3");
    if ended(fleet.workspace.within(python, &["-c", "import pika"])).code != 0 {
        eprintln!("SKIPPED: there is no Python with pika: no foreign client was tried");
        return;
    }
    fleet.fine(&["topology", "apply"]);
    let _worker = fleet.worker();
    let url = fleet.rabbit.address().expose().to_owned();
    let client =
        ended(fleet.workspace.within(python, &["client.py", &url, "Who pays the harbour tax?", "tea.md", "tax.txt"]));
    assert_eq!(client.code, 0, "{}", client.stderr);
    assert!(client.stdout.contains("harbour tax") && client.stdout.contains("citations"), "{}", client.stdout);
    let refused = ended(fleet.workspace.within(python, &["client.py", &url, " ", "tea.md"]));
    assert!(refused.code == 1 && refused.stderr.contains("empty_query"), "{}", refused.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_session_is_cancelled_and_unreadable_messages_can_be_dropped() {
    let Some(fleet) = Fleet::start().await else { return };
    fleet.fine(&["topology", "apply"]);
    // Asked and cancelled before there is any worker: whoever takes it up reads of it in the store.
    fleet.fine(&["submit", "--query", "Who pays?", "--docs", "tax.txt", "--session", "late"]);
    assert_eq!(fleet.fine(&["cancel", "late"]), "late: asked to cancel\n");
    publish_junk(&fleet).await;
    let _worker = fleet.worker();
    let watched = fleet.run(&["watch", "late", "--json"]);
    let last = watched.stdout.lines().last().unwrap_or_default().to_owned();
    let end: Value = serde_json::from_str(&last).expect("JSON");
    assert_eq!((watched.code, &end["status"]), (1, &json!("cancelled")), "{}", watched.stdout);

    let begun = Instant::now();
    let letter = loop {
        let listed = fleet.fine(&["dead", "ls", "--json"]);
        if let Some(line) = listed.lines().next() {
            break serde_json::from_str::<Value>(line).expect("JSON");
        }
        assert!(begun.elapsed() < PATIENCE, "no dead letter");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!((&letter["reason"], &letter["queue"]), (&json!("undecodable"), &json!("precis.requests")));
    assert_eq!(fleet.run(&["dead", "drop"]).code, 2, "dropping everything wants --all");
    assert!(fleet.fine(&["dead", "drop", "--reason", "undecodable", "--dry-run"]).starts_with("would be dropped"));
    assert!(fleet.fine(&["dead", "drop", "--reason", "undecodable"]).starts_with("dropped"));
    assert_eq!(fleet.fine(&["dead", "ls"]), "no dead letters\n");
}

/// A request nobody can read and nobody can be told of.
async fn publish_junk(fleet: &Fleet) {
    use precis_proto::envelope::{Envelope, Header};
    use precis_runtime::broker::{Broker, Outgoing, RabbitConnection, RabbitSettings, Route, names};
    let settings = RabbitSettings::new(fleet.rabbit.address());
    let broker = Broker::Rabbit(RabbitConnection::connect(&settings).await.expect("reachable"));
    let envelope = Envelope::without_compression(Header::default(), b"not JSON"[..].into()).expect("short");
    broker.publish(Outgoing { route: Route::queue(names::REQUESTS), envelope }).await.expect("published");
    broker.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_with_an_alarm_is_named_and_nothing_waits_for_it() {
    let Some(fleet) = Fleet::start().await else { return };
    fleet.fine(&["topology", "apply"]);
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|held| held.local_addr());
    let address = free.expect("a free port").to_string();
    let mut command = fleet.command(&["worker", "--metrics", &address]);
    let _worker = Worker(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a worker starts"));
    let healthcheck = || {
        let mut command = fleet.command(&["healthcheck"]);
        command.env("PRECIS_METRICS_ADDRESS", &address);
        ended(command)
    };
    let until = |code: i32| {
        let begun = Instant::now();
        while healthcheck().code != code {
            assert!(begun.elapsed() < PATIENCE, "healthcheck still ends with another code than {code}");
            std::thread::sleep(Duration::from_millis(200));
        }
    };
    until(0);
    assert!(fleet.fine(&["doctor"]).contains("the broker accepts messages"));

    let set = fleet.rabbit.control(&["set_vm_memory_high_watermark", "0"]).await;
    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
    until(4);
    let doctor = fleet.run(&["doctor"]);
    assert!(doctor.code == 4 && doctor.stdout.contains("low on memory"), "{}", doctor.stdout);
    for wait in [&[][..], &["--wait"]] {
        let begun = Instant::now();
        let submit = ["submit", "--query", "Who pays?", "--docs", "tea.md", "--session", "alarm"];
        let submitted = fleet.run(&[&submit[..], wait].concat());
        assert!(submitted.code == 4 && submitted.stderr.contains("low on memory"), "{}", submitted.stderr);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }

    fleet.rabbit.control(&["set_vm_memory_high_watermark", "0.4"]).await;
    until(0);
    let again = fleet.run(&["submit", "--query", "Who pays?", "--docs", "tea.md", "--session", "alarm", "--wait"]);
    // 5: a report that leaves something open.
    assert!(matches!(again.code, 0 | 5), "{}{}", again.stdout, again.stderr);
}
