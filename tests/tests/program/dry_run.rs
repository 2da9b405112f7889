//! `--dry-run` as a user meets it: it says what a run may cost, asks no model for an answer, and leaves nothing behind.

use precis_tests::http_client::HttpClient;
use precis_tests::program::{CliWorkspace, Ended};
use precis_tests::provider::Scripted;
use serde_json::{Value, json};

use crate::embedded::{free_address, killed, started};

const TEXT: &str = "# Delays\n\nThe buyer pays for each delay in full.\n";

/// A folder whose every role is filled by a model of `server`, at `prices`.
fn workspace(server: &Scripted, more: &str) -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("docs/a.md", TEXT);
    workspace.write("docs/b.txt", "The seller pays for nothing.");
    workspace.write("docs/c.pdf", "%PDF-1.7\nbroken");
    let roles = ["summarization", "compression", "synthesis", "supervision", "research", "evaluation"];
    let roles = roles.map(|role| format!("roles.{role}.providers = [\"fake:m\"]\n")).concat();
    let provider = format!("[providers.fake]\nbase_url = \"{}\"\n", server.base_url());
    workspace
        .configure(format!("{roles}{more}\n{provider}[model_context_overrides.\"fake:m\"]\ncontext_window = 32_000\n"));
    workspace
}

fn asked(workspace: &CliWorkspace, more: &[&str]) -> (Ended, Value) {
    let ended = workspace.run(&[&["run", "Who pays for delays?", "docs", "--dry-run", "--json"], more].concat());
    let json = serde_json::from_str(&ended.stdout).unwrap_or_default();
    (ended, json)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_states_maximum_and_likely_cost_without_calls() {
    let server = Scripted::start([]).await;
    let workspace = workspace(&server, "");
    let before = workspace.names(".");
    let (ended, found) = asked(&workspace, &[]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert_eq!(found["without_price"], serde_json::json!(["fake:m"]));
    assert!(found["most_usd"].is_null() && found["likely_usd"].is_null(), "{found}");
    let (most, likely) =
        (found["most_tokens"].as_u64().expect("a number"), found["likely_tokens"].as_u64().expect("a number"));
    assert!(most > likely && likely > 0, "{found}");
    let phases: Vec<&str> =
        found["phases"].as_array().expect("rows").iter().filter_map(|row| row["phase"].as_str()).collect();
    assert_eq!(phases, ["synthesis", "evaluation", "evaluation"], "the writer reads such short texts whole");
    let table = workspace.run(&["run", "Who pays for delays?", "docs", "--dry-run"]);
    for said in ["synthesis", "most tokens", "fake:m", "[prices]", "every repeat", "max_spend_usd"] {
        assert!(table.code == 0 && table.stdout.contains(said), "{said}: {} {}", table.stdout, table.stderr);
    }
    assert_eq!(server.calls(), 0, "no answer was asked for");
    assert_eq!(workspace.names("."), before, "nothing was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn prices_give_dollars_and_a_search_has_a_most_below_any_ceiling() {
    let server = Scripted::start([]).await;
    let workspace = workspace(&server, "prices.\"fake:m\" = { input = 1.0, output = 2.0 }\nmax_spend_usd = 0.5");
    let (_, found) = asked(&workspace, &["--set", "max_spend_usd=1000"]);
    let (most, likely) = (found["most_usd"].as_f64().expect("dollars"), found["likely_usd"].as_f64().expect("dollars"));
    assert!(most > likely && likely > 0.0 && most < 1_000.0, "{found}");
    let search = ["research", "Who pays for delays?", "--corpus", "docs", "--dry-run", "--json"];
    let ended = workspace.run(&search);
    let found: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stderr));
    assert_eq!((found["most_usd"].as_f64(), found["likely_usd"].is_null()), (Some(0.5), true), "{found}");
    let rows = found["phases"].as_array().expect("rows");
    let gathering = rows.iter().find(|row| row["phase"] == "gathering").expect("a row");
    assert!(gathering["most"]["calls"].as_u64() > Some(0) && gathering["likely"].is_null(), "{gathering}");
    let ended = workspace.run(&[&search[..], &["--set", "max_spend_usd=1e9"]].concat());
    let found: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stderr));
    assert!(found["most_usd"].as_f64().is_some_and(|most| most > 0.5 && most < 1e9), "{found}");
    assert_eq!(server.calls(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_refuses_a_dry_run_refuses_too() {
    let server = Scripted::start([]).await;
    let workspace = workspace(&server, "");
    for (args, code) in [
        (&["run", "Who pays?", "missing", "--dry-run"][..], 3),
        (&["run", "Who pays?", "docs/c.pdf", "--dry-run"], 3),
        (&["research", "Who pays?", "--dry-run"], 2),
        (&["run", "Who pays?", "--dry-run"], 2),
    ] {
        let (dry, wet) = (workspace.run(args), workspace.run(&args[..args.len() - 1]));
        assert_eq!((dry.code, wet.code), (code, code), "{args:?}: {} {}", dry.stderr, wet.stderr);
        assert!(dry.stderr.starts_with("error: ") && dry.stdout.is_empty(), "{args:?}: {}", dry.stderr);
    }
    assert_eq!(server.calls(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_over_http_matches_the_command_without_model_calls() {
    let server = Scripted::start([]).await;
    let workspace = workspace(&server, "prices.\"fake:m\" = { input = 1.0, output = 2.0 }");
    let (_, said) = asked(&workspace, &[]);
    let client = HttpClient { address: free_address(), token: None };
    let process = started(&workspace, &client);
    let post = |path: &str, sources: Value| {
        let body = json!({ "schema_version": 2, "query": "Who pays for delays?", "sources": sources }).to_string();
        client.call("POST", path, &body, &[("content-type", "application/json")])
    };
    let sources = json!([
        { "source_id": "a", "title": "a.md", "content": TEXT, "content_type": "text/markdown" },
        { "source_id": "b", "title": "b.txt", "content_base64": "VGhlIHNlbGxlciBwYXlzIGZvciBub3RoaW5nLg==" },
        { "source_id": "c", "title": "c.pdf", "content_base64": "JVBERi0xLjcKYnJva2Vu", "content_type": "application/pdf" },
    ]);
    let found = post("/v1/sessions?dry_run", sources);
    assert_eq!((found.status, found.json()), (200, said));
    assert_eq!(found.json()["unreadable_sources"], 1, "the broken one");
    let page = post("/v1/sessions?dry_run=true", json!([{ "source_id": "a", "url": "https://example.org/a" }])).json();
    assert_eq!(page["unread_sources"], 1, "a page is not fetched");
    let sessions = client.call("GET", "/v1/sessions", "", &[]).json();
    killed(process);
    assert_eq!((&sessions["data"], server.calls()), (&json!([]), 0), "nothing was accepted, nothing was called");
}
