//! `precis research` waits for several answers at once where none needs another: the searches of a directive, and the supervisors of web
//! and folder.

use std::time::{Duration, Instant};

use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::provider::{self, Scripted};
use precis_tests::search::{Page, Reply, ScriptedSearch};
use tokio::task::JoinHandle;

const QUESTION: &str = "Who planned the reservoir of Talbruck, and where was the planner born?";
const TEXT: &str = "The reservoir of Talbruck was planned by Ottilie Brandau.";

/// A workspace with notes, whose search providers are all played by one server.
async fn set_up(script: impl IntoIterator<Item = Reply>) -> (CliWorkspace, ScriptedSearch) {
    let page = Page::new("http://127.0.0.1:9/talbruck", "Reservoir of Talbruck", TEXT);
    let server = ScriptedSearch::start(vec![page], script).await;
    let workspace = CliWorkspace::new();
    workspace.write("notes/a.md", TEXT);
    (workspace, server)
}

fn research(workspace: &CliWorkspace, more: &[&str]) -> JoinHandle<Ended> {
    let mut command = workspace.command(&[&["research", QUESTION, "--quiet", "--web", "tavily"], more].concat());
    let (name, value) = ScriptedSearch::environment();
    command.env(name, value);
    tokio::task::spawn_blocking(move || ended(command))
}

/// Waits until `is_so`, at most ten seconds: a run that is not released never ends.
async fn wait_for(is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !is_so() && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn the_searches_of_a_directive_are_under_way_at_once() {
    let (workspace, server) = set_up([Reply::Held, Reply::Held]).await;
    workspace.configure(server.tables());
    let running = research(&workspace, &[]);
    // The whole question and its first part, of one directive: neither is answered yet.
    wait_for(|| server.calls() >= 2).await;
    let asked = server.queries();
    server.release();
    server.release();
    let ended = running.await.expect("no panic");
    assert!(matches!(ended.code, 0 | 1 | 5), "{} {}", ended.code, ended.stderr);
    assert!(asked.len() == 2 && asked[0] != asked[1], "{asked:?}");
}

#[tokio::test]
async fn the_supervisors_of_web_and_folder_think_at_once() {
    let (workspace, server) = set_up([]).await;
    let supervisor = Scripted::answering(|seen| match seen.schema_name() {
        "thought" => provider::Reply::Held,
        _ => provider::Reply::Fitting,
    })
    .await;
    let model = format!(
        "[providers.fake]\nkind = \"openai\"\nbase_url = \"{}\"\n\n[roles.supervision]\nproviders = [\"fake:m\"]\n",
        supervisor.base_url()
    );
    workspace.configure(format!("{}{model}", server.tables()));
    // Few searches, so that the lanes have unequal shares, and their supervisors unequal prompts: equal ones are one call.
    let running = research(&workspace, &["--corpus", "notes", "--max-searches", "5"]);
    let thoughts = || supervisor.seen().iter().filter(|seen| seen.schema_name() == "thought").count();
    wait_for(|| thoughts() >= 2).await;
    let at_once = thoughts();
    (0..100).for_each(|_| supervisor.release());
    let ended = running.await.expect("no panic");
    assert!(matches!(ended.code, 0 | 1 | 5), "{} {}", ended.code, ended.stderr);
    assert_eq!(at_once, 2, "both were asked before either had answered");
}
