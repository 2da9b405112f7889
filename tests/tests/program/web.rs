//! `precis research` over search providers: what the user's own documents say changes no search, what fails is told, and a page that was
//! not read is not quoted.

use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::search::{Page, Reply, ScriptedSearch};
use serde_json::Value;

const QUESTION: &str = "How much water does the reservoir of Talbruck hold?";
/// Pages that are found and, as nobody answers at their addresses, never read.
const SNIPPET: &str = "The reservoir of Talbruck holds 77 million cubic metres of water.";

fn world() -> Vec<Page> {
    let mut pages = vec![Page::new("http://127.0.0.1:9/talbruck", "Reservoir of Talbruck", SNIPPET)];
    for n in 0..6 {
        let text = format!("The valley has a reservoir number {n}, built by Ada Lind, whose water serves the town.");
        pages.push(Page::new(&format!("http://127.0.0.1:9/page-{n}"), &format!("Reservoir {n}"), &text));
    }
    pages
}

/// A workspace with private notes, whose providers are all played by one server.
async fn set_up(notes: &[(&str, &str)], script: impl IntoIterator<Item = Reply>) -> (CliWorkspace, ScriptedSearch) {
    let server = ScriptedSearch::start(world(), script).await;
    let workspace = CliWorkspace::new();
    workspace.configure(server.tables());
    for (name, text) in notes {
        workspace.write(&format!("notes/{name}"), text);
    }
    (workspace, server)
}

async fn research(workspace: &CliWorkspace, more: &[&str]) -> Ended {
    let mut command = workspace.command(&[&["research", QUESTION, "--quiet"], more].concat());
    let (name, value) = ScriptedSearch::environment();
    command.env(name, value);
    tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic")
}

fn data(workspace: &CliWorkspace) -> Value {
    let report = std::fs::read(workspace.at("precis-out/report.json")).expect("a report");
    serde_json::from_slice::<Value>(&report).expect("JSON")["data"].clone()
}

#[tokio::test]
async fn another_private_document_changes_no_search_of_the_web() {
    let secret =
        "Project Quorvix plans the reservoir of Talbruck with Ottilie Brandau. Quorvix holds 41 million cubic metres.";
    let other = "The reservoir of Talbruck belongs to Zephyrine Holt, as the contract Marrowgate says.";
    let lanes = ["--corpus", "notes", "--web", "tavily", "--academic", "crossref", "--depth", "deep"];
    let mut asked = Vec::new();
    for notes in [&[("a.md", secret)][..], &[("a.md", other), ("b.md", secret)], &[("a.md", "Nothing of the kind.")]] {
        let (workspace, server) = set_up(notes, []).await;
        let ended = research(&workspace, &lanes).await;
        assert!(matches!(ended.code, 0 | 1 | 5), "{} {}", ended.code, ended.stderr);
        let mut queries = server.queries();
        queries.sort();
        for word in ["Quorvix", "Brandau", "Zephyrine", "Marrowgate"] {
            assert!(!queries.iter().any(|query| query.contains(word)), "{word}: {queries:?}");
        }
        asked.push(queries);
    }
    assert!(asked[0].len() >= 2, "the web was searched, and a name that it gave was followed: {asked:?}");
    assert!(asked.iter().all(|queries| queries == &asked[0]), "{asked:#?}");
}

#[tokio::test]
async fn found_but_unread_results_are_reported_and_never_quoted() {
    let (workspace, _server) = set_up(&[], []).await;
    let ended = research(&workspace, &["--web", "tavily"]).await;
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    let data = data(&workspace);
    assert!(!data["report"].to_string().contains("77 million"), "{}", data["report"]);
    assert_eq!(data["citations"], Value::Array(Vec::new()));
    let hits = data["research"]["hits"].as_object().expect("counts");
    assert!(hits["failed"].as_u64() > Some(0) && hits["read"].as_u64() == Some(0), "{hits:?}");
    let sum: u64 = hits.iter().filter(|(name, _)| *name != "found").filter_map(|(_, n)| n.as_u64()).sum();
    assert_eq!(hits["found"].as_u64(), Some(sum), "{hits:?}");
    let proved = workspace.run(&["verify", "precis-out/report.json"]);
    assert_eq!(proved.code, 0, "{} {}", proved.stdout, proved.stderr);
}

#[tokio::test]
async fn a_failing_provider_is_reported_with_or_without_a_substitute() {
    let note = [("a.md", "The reservoir of Talbruck holds 12 million cubic metres of water.")];
    let (workspace, server) =
        set_up(&note, [Reply::status(401), Reply::status(401), Reply::status(401), Reply::status(401)]).await;
    let ended = research(&workspace, &["--corpus", "notes", "--web", "tavily", "--web", "exa"]).await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let told = data(&workspace)["warning_details"].to_string();
    assert!(told.contains("SEARCH_PROVIDER_FAILED") && told.contains("`tavily`"), "{told}");
    assert!(server.calls() >= 2);

    let (workspace, _server) = set_up(&note, [Reply::status(401)]).await;
    let ended = research(&workspace, &["--corpus", "notes", "--web", "tavily", "--web", "exa"]).await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let told = data(&workspace)["warning_details"].to_string();
    assert!(told.contains("search provider `tavily` failed (unauthorized); `exa` answered"), "{told}");

    let (workspace, _server) = set_up(&note, std::iter::repeat_n(Reply::ErrorPage, 20)).await;
    let ended = research(&workspace, &["--corpus", "notes", "--web", "tavily"]).await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let data = data(&workspace);
    assert!(data["warning_details"].to_string().contains("no search provider answered"), "{}", data["warning_details"]);
    assert!(data["report"].to_string().contains("12 million"), "{}", data["report"]);
    let directives = data["research"]["rounds"][0]["directives"].as_array().expect("directives").clone();
    let web =
        directives.iter().find(|one| one["id"].as_str().is_some_and(|id| id.contains(".w"))).expect("a web directive");
    assert_eq!(web["stopped"], "failed", "an error page is no empty result: {web}");
}

#[tokio::test]
async fn searches_stay_within_the_allowed_count_and_domains() {
    let note = [("a.md", "The reservoir of Talbruck holds 12 million cubic metres of water.")];
    for most in ["1", "2", "3"] {
        let (workspace, server) = set_up(&note, []).await;
        let limits = ["--corpus", "notes", "--web", "tavily", "--max-searches", most, "--deny-domain", "127.0.0.1"];
        let ended = research(&workspace, &limits).await;
        // Searches of the folder are free, so it answers however few searches of the web are allowed.
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let data = data(&workspace);
        let [used, limit] = [0, 1].map(|at| data["research"]["budget"]["searches"][at].as_u64().expect("a count"));
        assert!(used <= limit && limit.to_string() == most, "{used} of {limit}");
        assert!(server.calls() as u64 <= limit);
        let spent = data["spend"].as_array().expect("rows").iter().filter(|row| row["provider"] == "tavily");
        let paid: u64 = spent.filter_map(|row| row["searches"].as_u64()).sum();
        assert_eq!(paid, server.calls() as u64, "{}", data["spend"]);
        let pages: Vec<&Value> =
            data["sources"].as_array().expect("rows").iter().filter(|row| row["path"].is_null()).collect();
        assert!(pages.is_empty(), "{pages:?}");
    }
}

#[tokio::test]
async fn public_files_are_searched_and_confidential_questions_are_not_sent() {
    let notes =
        [("a.md", "The reservoir of Talbruck was planned by Ottilie Brandau, whose firm is called Marrowgate.")];
    let question = "Who planned the reservoir of Talbruck, and where was the planner born?";
    for (flags, names, asks) in [
        (&[][..], false, true),
        (&["--public"], true, true),
        (&["--confidential-query"], false, false),
        (&["--public", "--confidential-query"], false, false),
    ] {
        let (workspace, server) = set_up(&notes, []).await;
        let lanes = ["research", question, "--quiet", "--corpus", "notes", "--web", "tavily", "--depth", "deep"];
        let mut command = workspace.command(&[&lanes, flags].concat());
        let (name, value) = ScriptedSearch::environment();
        command.env(name, value);
        let ended = tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic");
        assert!(matches!(ended.code, 0 | 1 | 5), "{} {}", ended.code, ended.stderr);
        let queries = server.queries();
        let is_named = queries.iter().any(|query| query.contains("Brandau") || query.contains("Marrowgate"));
        assert_eq!((is_named, !queries.is_empty()), (names, asks), "{flags:?} {queries:?}");
        let withheld = data(&workspace)["research"]["withheld"].as_u64();
        assert_eq!(withheld > Some(0), !asks, "{flags:?} {withheld:?}");
        let proved = workspace.run(&["verify", "precis-out/report.json"]);
        assert_eq!(proved.code, 0, "{} {}", proved.stdout, proved.stderr);
    }
}
