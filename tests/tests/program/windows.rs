//! Models that nobody has described, on servers that tell their windows: they are asked as they are, and nothing is sent over.

use precis_runtime::model::Vendor;
use precis_tests::program::{CliWorkspace, Ended};
use precis_tests::provider::Scripted;
use serde_json::{Value, json};

/// More than fits a small window.
fn document() -> String {
    (0..400).map(|n| format!("Glacier {n} lost {n} metres of ice in the summer of 1998, which was warm.\n\n")).collect()
}

fn workspace(server: &Scripted) -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("docs/ice.txt", document());
    workspace.configure(format!("[providers.small]\nbase_url = '{}'\n", server.base_url()));
    workspace
}

fn ask(workspace: &CliWorkspace, more: &[&str]) -> Ended {
    let args = ["run", "--query", "How much ice was lost?", "--docs", "docs", "--provider", "small:gemma"];
    workspace.run(&[&args[..], more].concat())
}

fn report(workspace: &CliWorkspace) -> Value {
    let text = std::fs::read_to_string(workspace.at("precis-out/report.json")).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

/// Whether there is a report to which nothing is missing but an answer: what the stand-in writes answers no question.
fn is_complete(workspace: &CliWorkspace, ended: &Ended) -> bool {
    matches!(ended.code, 0 | 5) && report(workspace)["data"]["session"]["incomplete"] == false
}

fn warns(workspace: &CliWorkspace, code: &str) -> bool {
    report(workspace)["meta"]["warnings"].as_array().expect("warnings").iter().any(|known| known == code)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_tells_its_window_is_asked_and_never_sent_more() {
    for (path, body) in [
        ("/v1/models", json!({ "data": [{ "id": "gemma", "max_model_len": 4096 }] })),
        ("/v1/models", json!({ "data": [{ "id": "any.gguf", "meta": { "n_ctx": 4096, "n_ctx_train": 32768 } }] })),
        ("/props", json!({ "default_generation_settings": { "n_ctx": 4096 } })),
        ("/api/show", json!({ "model_info": { "gemma3.context_length": 4096 } })),
    ] {
        let server = Scripted::with_window(Vendor::OpenAi, 4_096).await;
        server.tell(path, body);
        let workspace = workspace(&server);
        let ended = ask(&workspace, &[]);
        assert!(is_complete(&workspace, &ended), "{path}: {}{}", ended.stdout, ended.stderr);
        let seen = server.seen();
        assert!(seen.len() > 1, "{path}: {} calls", seen.len());
        assert!(seen.iter().all(|seen| seen.tokens <= 4_096), "{path}: {:?}", seen.iter().map(|s| s.tokens).max());
        let counted = workspace.run(&["tokens", "docs/ice.txt", "--provider", "small:gemma", "--json"]);
        let counted: Value = serde_json::from_str(&counted.stdout).expect("JSON");
        assert_eq!(
            (&counted["context_window"], &counted["limits_defaulted"]),
            (&json!(4_096), &json!(false)),
            "{path}"
        );
        assert!(
            !warns(&workspace, "LIMITS_DEFAULTED") && !warns(&workspace, "PROVIDER_FALLBACK"),
            "{path}: {}",
            ended.stdout
        );

        let asked = server.asked().len();
        assert!(is_complete(&workspace, &ask(&workspace, &[])));
        assert_eq!(server.asked().len(), asked, "{path}: the answer is remembered");
        assert!(is_complete(&workspace, &ask(&workspace, &["--no-cache"])));
        assert!(server.asked().len() > asked, "{path}: a run without the cache asks anew");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_described_a_model_is_believed() {
    let server = Scripted::with_window(Vendor::OpenAi, 8_192).await;
    server.tell("/v1/models", json!({ "data": [{ "id": "gemma", "max_model_len": 512 }] }));
    let workspace = workspace(&server);
    let described = "[model_context_overrides.'small:gemma']\ncontext_window = 8192";
    workspace.configure(format!("[providers.small]\nbase_url = '{}'\n{described}\n", server.base_url()));
    let ended = ask(&workspace, &[]);
    assert!(is_complete(&workspace, &ended) && server.asked().is_empty(), "{}", ended.stderr);
    assert!(server.calls() > 1 && server.seen().iter().all(|seen| seen.tokens <= 8_192));
    assert!(!warns(&workspace, "PROVIDER_FALLBACK"), "{}", ended.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_tell_costs_a_warning() {
    let server = Scripted::with_window(Vendor::OpenAi, 16_000).await;
    let workspace = workspace(&server);
    let ended = ask(&workspace, &[]);
    assert!(is_complete(&workspace, &ended), "{}", ended.stderr);
    assert_eq!(server.asked(), ["/v1/models", "/props", "/api/show"]);
    assert!(warns(&workspace, "LIMITS_DEFAULTED"), "{}", ended.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_too_small_for_any_prompt_is_reported_with_its_key() {
    let server = Scripted::with_window(Vendor::OpenAi, 300).await;
    server.tell("/v1/models", json!({ "data": [{ "id": "gemma", "max_model_len": 300 }] }));
    let workspace = workspace(&server);
    let ended = ask(&workspace, &[]);
    assert_eq!((ended.code, server.calls()), (5, 0), "{}", ended.stderr);
    for words in ["over_budget", "context_window 300 - output_reserved 75", "the prompt needs", "raise context_window"]
    {
        assert!(
            ended.stdout.contains(words) && ended.stderr.contains(words),
            "{words}: {}{}",
            ended.stdout,
            ended.stderr
        );
    }
}
