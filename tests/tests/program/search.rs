//! `precis search`: every provider through one command, paid once, and honest about what failed.

use precis_runtime::search::SearchKind;
use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::search::{KEY, Page, Reply, ScriptedSearch};
use serde_json::Value;

fn world() -> Vec<Page> {
    let dated = |page: Page| Page { published: Some("2024-02-29".to_owned()), ..page };
    vec![
        dated(Page::new("https://example.org/dams", "Dams", "A dam of concrete holds the river.")),
        dated(Page::new("https://example.org/weirs", "Weirs", "A weir lets the river pass.")),
        dated(Page::new("https://example.org/whales", "Whales", "Whales sing in the sea.")),
    ]
}

/// A workspace whose providers are all played by one server.
async fn set_up(script: impl IntoIterator<Item = Reply>) -> (CliWorkspace, ScriptedSearch) {
    let server = ScriptedSearch::start(world(), script).await;
    let workspace = CliWorkspace::new();
    workspace.configure(server.tables());
    (workspace, server)
}

async fn run(workspace: &CliWorkspace, args: &[&str]) -> Ended {
    let mut command = workspace.command(args);
    let (name, value) = ScriptedSearch::environment();
    command.env(name, value);
    tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic")
}

async fn search(workspace: &CliWorkspace, provider: &str, query: &str, more: &[&str]) -> Ended {
    run(workspace, &[&["search", "--provider", provider, query], more].concat()).await
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("no JSON: {} {}", ended.stdout, ended.stderr))
}

#[tokio::test]
async fn every_provider_finds_prints_and_is_paid_once() {
    let (workspace, server) = set_up([]).await;
    for (calls, kind) in (1..).zip(SearchKind::ALL) {
        let found = search(&workspace, kind.as_str(), "river dam", &["--json", "--limit", "2"]).await;
        assert_eq!(found.code, 0, "{kind}: {}", found.stderr);
        let found = json(&found);
        let keys: Vec<&String> = found.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["provider", "served", "hits", "failed_over", "dropped", "usd"], "{kind}");
        assert_eq!((&found["provider"], &found["served"]), (&kind.as_str().into(), &"paid".into()));
        let hit = &found["hits"][0];
        assert_eq!(hit["title"], "Dams", "{kind}: {found}");
        if kind != SearchKind::Wikipedia {
            assert_eq!(hit["url"], "https://example.org/dams", "{kind}");
        }
        assert_eq!(hit["snippet"], "A dam of concrete holds the river.", "{kind}");
        let again = json(&search(&workspace, kind.as_str(), "River  dam", &["--json", "--limit", "2"]).await);
        assert_eq!((&again["served"], &again["hits"]), (&"memo".into(), &found["hits"]), "{kind}");
        assert_eq!(server.calls(), calls, "{kind} was asked once");
        assert!(found["hits"].as_array().is_some_and(|hits| hits.len() == 2), "{kind}");
    }
}

#[tokio::test]
async fn results_are_printed_for_people_and_nothing_found_is_no_failure() {
    let (workspace, _server) = set_up([Reply::Fitting, Reply::Nothing]).await;
    let found = search(&workspace, "brave", "dam", &[]).await;
    let text = "1. Dams  (2024-02-29)\n   https://example.org/dams\n   A dam of concrete holds the river.\n\n";
    assert_eq!((found.code, found.stdout.as_str()), (0, text), "{}", found.stderr);
    let nothing = search(&workspace, "brave", "unicorns", &[]).await;
    assert_eq!((nothing.code, nothing.stdout.contains("nothing found")), (0, true), "{}", nothing.stdout);
}

#[tokio::test]
async fn each_wrong_answer_has_its_own_failure_and_leaks_nothing() {
    for (reply, code) in [
        (Reply::status(401), "unauthorized"),
        (Reply::status(402), "quota_exhausted"),
        (Reply::status(403), "unauthorized"),
        (Reply::wait(600.0), "rate_limited"),
        (Reply::status(432), "quota_exhausted"),
        (Reply::status(433), "quota_exhausted"),
        (Reply::status(500), "server_error"),
        (Reply::Repeat(400), "refused"),
        (Reply::ErrorPage, "bad_answer"),
        (Reply::HalfJson, "bad_answer"),
        (Reply::WrongTypes, "bad_answer"),
        (Reply::Huge(5_000_000), "answer_too_large"),
        (Reply::Redirect("http://127.0.0.1:1/".to_owned()), "refused"),
        (Reply::Cut, "connection_cut"),
    ] {
        let (workspace, _server) = set_up([reply.clone(), reply]).await;
        let failed = search(&workspace, "tavily", "merger of Acme", &["--json"]).await;
        assert_eq!((failed.code, &json(&failed)["error"]["code"]), (1, &"search_failed".into()), "{code}");
        assert!(failed.stderr.contains(&format!("`tavily` failed ({code})")), "{code}: {}", failed.stderr);
        let told = failed.stdout + &failed.stderr;
        assert!(!told.contains(KEY) && !told.contains("Acme"), "{told}");
    }
    let (workspace, _server) = set_up([Reply::Stall, Reply::Stall]).await;
    let stalled = search(&workspace, "tavily", "x", &["--set", "search.providers.tavily.timeout=1"]).await;
    assert!(stalled.code == 1 && stalled.stderr.contains("failed (timeout)"), "{}", stalled.stderr);
}

#[tokio::test]
async fn the_next_provider_is_asked_and_reported() {
    let (workspace, server) = set_up([Reply::status(401)]).await;
    let found = run(&workspace, &["search", "--provider", "tavily", "--provider", "exa", "dam", "--json"]).await;
    let shown = json(&found);
    assert_eq!((&shown["provider"], &shown["failed_over"][0]["code"]), (&"exa".into(), &"unauthorized".into()));
    assert!(found.stderr.contains("`exa` answered"), "{}", found.stderr);
    let kinds: Vec<SearchKind> = server.seen().iter().map(|seen| seen.kind).collect();
    assert_eq!(kinds, [SearchKind::Tavily, SearchKind::Exa]);
}

#[tokio::test]
async fn ten_thousand_results_and_odd_addresses_are_cut_down_and_counted() {
    let odd =
        ["", "javascript:alert(1)", "https://a:b@example.org/", "https://example.org/x", "http://www.example.org/x/#y"];
    let (workspace, _server) = set_up([Reply::Many(10_000), Reply::Addresses(odd.map(str::to_owned).into())]).await;
    let many = json(&search(&workspace, "perplexity", "x", &["--json"]).await);
    assert_eq!((many["hits"].as_array().map(Vec::len), &many["dropped"]["beyond"]), (Some(10), &9_990.into()));
    let odd = json(&search(&workspace, "perplexity", "y", &["--json"]).await);
    let dropped = &odd["dropped"];
    assert_eq!((&dropped["not_web"], &dropped["credentials"], &dropped["repeated"]), (&2.into(), &1.into(), &1.into()));
    assert_eq!(odd["hits"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_missing_setup_is_a_usage_fault_with_remedy() {
    let workspace = CliWorkspace::new();
    for (args, code, told) in [
        (&["--provider", "tavly", "x"][..], 2, "--provider tavily"),
        (&["--provider", "bing", "x"], 2, "no search provider is called `bing`"),
        (&["--provider", "tavily", "x"], 2, "TAVILY_API_KEY"),
        (&["--provider", "wikipedia", "x"], 2, "search.providers.wikipedia.contact"),
        (&["--provider", "searxng", "x"], 2, "search.providers.searxng.base_url"),
        (
            &["--provider", "google", "--set", "search.providers.google.api_key_env=", "x"],
            2,
            "search.providers.google.cx",
        ),
        (&["x"], 2, "--provider"),
        (&["--provider", "arxiv"], 2, "QUERY"),
        (&["--provider", "arxiv", " "], 3, "the question is empty"),
        (&["--provider", "arxiv", "x", "--limit", "0"], 2, "--limit"),
        (&["--provider", "arxiv", "x", "--limit", "21"], 2, "--limit"),
        (&["--provider", "arxiv", "x", "--set", "search.providers.mine.kind=bing"], 2, "expected one of tavily"),
    ] {
        let refused = run(&workspace, &[&["search"], args].concat()).await;
        assert_eq!((refused.code, refused.stderr.contains(told)), (code, true), "{args:?}: {}", refused.stderr);
    }
}

#[tokio::test]
async fn an_instance_without_json_says_what_to_set() {
    let (workspace, _server) = set_up([Reply::status(403)]).await;
    let refused = search(&workspace, "searxng", "x", &[]).await;
    assert!(refused.code == 1 && refused.stderr.contains("`formats: [html, json]`"), "{}", refused.stderr);
}

#[tokio::test]
async fn a_folder_may_not_name_providers_and_settings_show_no_secret() {
    let (workspace, _server) = set_up([]).await;
    workspace.write("precis.toml", "[search.providers.brave]\nbase_url = 'http://127.0.0.1:1'\n");
    assert_eq!(run(&workspace, &["trust", "."]).await.code, 0);
    let refused = search(&workspace, "brave", "x", &[]).await;
    assert!(refused.code == 2 && refused.stderr.contains("search.providers.brave.base_url"), "{}", refused.stderr);
    let workspace = CliWorkspace::new();
    workspace.configure(
        "[search.providers.house]\nkind = 'searxng'\nbase_url = 'http://me:hunter2@127.0.0.1:1/?token=abc'\n",
    );
    let shown = run(&workspace, &["config", "show"]).await;
    assert!(shown.stdout.contains("search.providers.house.kind = \"searxng\""), "{}", shown.stdout);
    assert!(!shown.stdout.contains("hunter2") && !shown.stdout.contains("abc"), "{}", shown.stdout);
    let failed = search(&workspace, "house", "x", &[]).await;
    let told = failed.stdout + &failed.stderr;
    assert!(failed.code == 1 && !told.contains("hunter2") && !told.contains("abc"), "{told}");
}

#[tokio::test]
async fn doctor_looks_at_each_provider_and_asks_none() {
    let (workspace, server) = set_up([]).await;
    let checked = run(&workspace, &["doctor", "--json"]).await;
    let checks = json(&checked);
    let lines: Vec<&str> = checks["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .filter(|check| check["what"] == "search" && check["finding"] == "ok")
        .filter_map(|check| check["detail"].as_str())
        .collect();
    assert_eq!((lines.len(), server.calls()), (SearchKind::ALL.len(), 0), "{}", checked.stdout);
    assert!(lines.iter().any(|line| line.starts_with("tavily: key in SEARCH_KEY")), "{lines:?}");
    assert!(!checked.stdout.contains(KEY), "{}", checked.stdout);
    let mut command = workspace.command(&["doctor"]);
    command.env_remove("SEARCH_KEY");
    let without = tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic");
    assert!(without.stdout.contains("FAULT    search") && without.stdout.contains("SEARCH_KEY"), "{}", without.stdout);
}
