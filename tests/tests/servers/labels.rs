//! What the user said about disclosure, where a fleet answers: what was said here holds, and the fleet's word permits nothing.

use std::process::Stdio;

use precis_tests::program::{Ended, ended};
use precis_tests::search::{Page, ScriptedSearch};
use serde_json::{Value, json};

use super::operate::{Fleet, Worker};

const QUESTION: &str = "Who paid the harbour tax on tea?";
const TEXT: &str = "The harbour tax on tea was paid by the captain of the ship that carried it.";
/// A data directory of another user, seen from the working directory.
const ELSEWHERE: &str = "elsewhere";

/// A fleet whose worker searches, and the server it asks.
struct World {
    fleet: Fleet,
    server: ScriptedSearch,
    _worker: Worker,
}

impl World {
    async fn start() -> Option<Self> {
        let fleet = Fleet::start().await?;
        let page = Page::new("http://127.0.0.1:9/a", "Harbours", "Harbours of the coast.");
        let server = ScriptedSearch::start(vec![page], []).await;
        fleet.workspace.configure(server.tables());
        fleet.fine(&["topology", "apply"]);
        let (name, key) = ScriptedSearch::environment();
        let mut command = fleet.command(&["worker", "--metrics", "127.0.0.1:0"]);
        let worker = command.env(name, key).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Some(Self { fleet, server, _worker: Worker(worker.expect("a worker starts")) })
    }

    /// Runs the program, as another user where `is_stranger`.
    async fn run(&self, args: &[&str], is_stranger: bool) -> Ended {
        let mut command = self.fleet.command(args);
        let (name, key) = ScriptedSearch::environment();
        command.env(name, key);
        if is_stranger {
            command.env("XDG_DATA_HOME", self.fleet.workspace.at(ELSEWHERE));
        }
        let ended = tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic");
        assert!(matches!(ended.code, 0 | 1 | 5), "{args:?} {ended:?}");
        ended
    }

    /// Whether the question of a report is confidential; the report must carry a mark.
    fn is_confidential(&self, dir: &str) -> bool {
        let bytes = std::fs::read(self.fleet.workspace.at(dir).join("report.json")).expect("a report");
        let report: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert!(report["mark"].is_string(), "{dir}");
        report["data"]["privacy"]["confidential_query"].as_bool().expect("a label")
    }

    /// How many searches the next command made.
    async fn searches(&self, args: &[&str], is_stranger: bool) -> (usize, Ended) {
        let before = self.server.queries().len();
        let ended = self.run(args, is_stranger).await;
        (self.server.queries().len() - before, ended)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_session_keeps_the_label_of_its_submission() {
    let Some(world) = World::start().await else { return };
    for session in ["secret", "open"] {
        let search = json!({ "web": ["tavily"], "confidential_query": session == "secret" });
        let sources = json!([{ "source_id": "a", "title": "Tea", "content": TEXT }]);
        let request = json!({ "schema_version": 3, "session_id": session, "query": QUESTION, "sources": sources,
            "options": { "research": search } });
        world.fleet.workspace.write(&format!("{session}.json"), request.to_string());
    }
    let secret = ["submit", "--request", "secret.json", "--wait", "--out", "secret"];
    assert_eq!(world.searches(&secret, false).await.0, 0);
    assert!(world.is_confidential("secret"));
    world.run(&["submit", "--request", "open.json"], false).await;
    world.run(&["watch", "open"], false).await;
    assert!(!world.server.queries().is_empty(), "control: the fleet searches");
    for session in ["secret", "open"] {
        let out = format!("{session}-result");
        world.run(&["result", session, "--out", &out], false).await;
        assert_eq!(world.is_confidential(&out), session == "secret");
        for (at, from) in [(session, "fleet"), (out.as_str(), "here")] {
            let answer = format!("{session}-{from}");
            let ask = ["ask", at, "And when?", "--web", "tavily", "--out", &answer];
            let (searches, ended) = world.searches(&ask, false).await;
            assert_eq!(searches > 0, session == "open", "{at}: {ended:?}");
            assert_eq!(world.is_confidential(&answer), session == "secret", "{at}");
        }
    }
    // Without a search the fleet is told no label, and the answer has it all the same.
    world.run(&["ask", "secret", "And who else?", "--out", "plain"], false).await;
    assert!(world.is_confidential("plain"));
    let loosened = ["ask", "secret", "And why was it late?", "--web", "tavily", "--public-query", "--out", "loosened"];
    assert!(world.searches(&loosened, false).await.0 > 0);
    assert!(!world.is_confidential("loosened"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_submitted_by_another_user_is_confidential_here() {
    let Some(world) = World::start().await else { return };
    world.run(&["submit", "--query", QUESTION, "--docs", "tea.md", "--session", "theirs", "--wait"], true).await;
    let (searches, ended) =
        world.searches(&["ask", "theirs", "And?", "--web", "tavily", "--out", "asked"], false).await;
    assert!(searches == 0 && ended.stderr.contains("was not submitted from here"), "{ended:?}");
    world.run(&["result", "theirs", "--out", "result"], false).await;
    assert!(world.is_confidential("asked") && world.is_confidential("result"));
    let (searches, ended) = world.searches(&["ask", "theirs", "And?", "--web", "tavily", "--out", "own"], true).await;
    assert!(searches > 0, "control: its submitter may search: {ended:?}");
}
