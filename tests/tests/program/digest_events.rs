//! The audit trail of digests: what became of each source, with the fields that are promised and no others, in a log at the level
//! that workers have by default.

use std::collections::BTreeMap;

use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::provider::{Reply, Scripted};
use serde_json::{Map, Value};

const STARTED: [&str; 5] = ["content_size", "policy", "query_hash", "session_id", "source_id"];
const COMPLETED: [&str; 7] =
    ["cache_hit", "compression_ratio", "digest_chars", "duration_ms", "original_chars", "session_id", "source_id"];
const ERROR: [&str; 4] = ["error_message", "error_type", "session_id", "source_id"];
const SKIPPED: [&str; 3] = ["reason", "session_id", "source_id"];
const SKIPPED_IN_DETAIL: [&str; 4] = ["detail", "reason", "session_id", "source_id"];
const TRIGGERED: [&str; 2] = ["window_failures", "window_size"];

/// The events of a run by name, each with its fields.
type Events = BTreeMap<String, Vec<Map<String, Value>>>;

fn events(ended: &Ended) -> Events {
    let mut events = Events::new();
    for line in ended.stderr.lines() {
        let Ok(Value::Object(mut fields)) = serde_json::from_str(line) else { continue };
        let Some(Value::String(name)) = fields.remove("message") else { continue };
        if name.starts_with("digest.") {
            fields.retain(|field, _| !["timestamp", "level"].contains(&field.as_str()));
            events.entry(name).or_default().push(fields);
        }
    }
    events
}

/// The events of one name, which all have exactly `fields`.
fn of<'e>(events: &'e Events, name: &str, fields: &[&str]) -> &'e [Map<String, Value>] {
    let found = events.get(name).unwrap_or_else(|| panic!("no {name} in {events:#?}"));
    for event in found {
        let mut named: Vec<&str> = event.keys().map(String::as_str).collect();
        named.sort_unstable();
        assert_eq!(named, fields, "{name}");
    }
    found
}

fn configure(workspace: &CliWorkspace, settings: &str) {
    workspace.configure(format!("log = 'info'\nlog_format = 'json'\n{settings}"));
}

async fn run(workspace: &CliWorkspace, out: &str) -> Events {
    let query = "What did the river Alba do after the storm?";
    let command = workspace.command(&["run", "--query", query, "--docs", "docs", "--out", out]);
    let ended = tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic");
    assert!(workspace.names(out).contains(&"report.json".to_owned()), "{}", ended.stderr);
    events(&ended)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_source_tells_of_its_digest_or_why_it_has_none() {
    let workspace = CliWorkspace::new();
    workspace.write("docs/river.txt", "The river Alba rose by three metres after the storm of 1953. ".repeat(200));
    workspace.write("docs/hills.txt", "The hills beside it were dry, and nobody went there in that year. ".repeat(200));
    workspace.write("docs/short.txt", "The river Alba is short.");
    configure(&workspace, "digest_max_sources = 1\n");
    for (out, cache_hit) in [("first", false), ("second", true)] {
        let events = run(&workspace, out).await;
        let [started] = of(&events, "digest.started", &STARTED) else { panic!("{events:#?}") };
        let [completed] = of(&events, "digest.completed", &COMPLETED) else { panic!("{events:#?}") };
        assert_eq!((&started["policy"], &completed["cache_hit"]), (&"auto".into(), &cache_hit.into()));
        assert_eq!(started["content_size"], completed["original_chars"]);
        assert!(started["content_size"].as_u64() > completed["digest_chars"].as_u64());
        let hash = started["query_hash"].as_str().expect("a text");
        assert!(hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
        let skipped = of(&events, "digest.skipped", &SKIPPED_IN_DETAIL);
        let mut details: Vec<&str> = skipped.iter().filter_map(|event| event["detail"].as_str()).collect();
        details.sort_unstable();
        assert_eq!(details, ["over_max_sources", "too_short"]);
        assert!(skipped.iter().all(|event| event["reason"] == "not_eligible"), "{skipped:?}");
    }
    configure(&workspace, "digest_policy = 'off'\n");
    let events = run(&workspace, "off").await;
    assert_eq!(of(&events, "digest.skipped", &SKIPPED).len(), 3);
    assert!(events["digest.skipped"].iter().all(|event| event["reason"] == "policy_off"), "{events:?}");
    assert_eq!(events.len(), 1, "{events:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_digests_give_reasons_until_the_breaker_opens() {
    const SOURCES: usize = 24;
    let provider = Scripted::start(vec![Reply::Hang; SOURCES]).await;
    let workspace = CliWorkspace::new();
    // Long enough that a summary is worth a call beside what speaks to the question.
    let aside = "The hills beside it were dry, and nobody went there at all. ".repeat(120);
    for n in 0..SOURCES {
        let flood = format!("In the year {n} the river Alba rose by {n} metres after a storm.");
        workspace.write(&format!("docs/{n}.txt"), format!("{flood} {aside}"));
    }
    let base_url = provider.base_url();
    configure(
        &workspace,
        &format!(
            "digest_policy = 'always'\ndigest_max_sources = {SOURCES}\ndigest_timeout = 4.0\n\
             digest_max_concurrent = 8\n[providers.scripted]\nbase_url = '{base_url}'\n\
             [roles.summarization]\nproviders = ['scripted:m']\n"
        ),
    );
    let events = run(&workspace, "out").await;
    let errors = of(&events, "digest.error", &ERROR);
    assert!(errors.iter().all(|event| event["error_type"] == "timed_out"), "{errors:?}");
    let [triggered] = of(&events, "digest.circuit_breaker_triggered", &TRIGGERED) else { panic!("{events:#?}") };
    assert_eq!((&triggered["window_failures"], &triggered["window_size"]), (&5.into(), &5.into()));
    let skipped = of(&events, "digest.skipped", &SKIPPED);
    assert!(skipped.iter().all(|event| event["reason"] == "breaker_open"), "{skipped:?}");
    assert!(errors.len() >= 5 && errors.len() + skipped.len() <= SOURCES, "{events:#?}");
}
