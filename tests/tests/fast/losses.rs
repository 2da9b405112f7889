//! Content that was lost, left out or never recorded: the result says so, and stands on what is there. The real handlers on the
//! memory broker with the built-in model.

use std::sync::Arc;

use bytes::Bytes;
use precis_proto::Phase;
use precis_proto::envelope::{Envelope, Header, message_type};
use precis_proto::fidelity::FidelityLevel;
use precis_proto::ids::sha256_hex;
use precis_proto::job::{Summarization, SummarizationAnswer, SummarizationJob};
use precis_proto::response::{ReportData, Response, Status};
use precis_proto::warning::WarningCode;
use precis_report::ledger;
use precis_report::verify::{ArchiveReader, verify_value};
use precis_runtime::archive::Archive;
use precis_runtime::broker::{Outgoing, Route, names};
use precis_runtime::config::Settings;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_tests::program::CliWorkspace;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use precis_tests::world::{REPLIES, World};
use precis_text::tokens;
use precis_workers::assembly::pipeline;
use precis_workers::documents::parse::Parser;
use precis_workers::options::extract_limits;
use serde_json::{Value, json};

const QUERY: &str = "Who pays the harbour tax?";
const TEXT: &str = "The harbour tax is paid by the captain of each ship. The mules are fed by the town.";

fn settings(json: Value) -> Settings {
    serde_json::from_value(json).expect("settings")
}

/// The response to a question about `sources` under `settings`.
async fn answer(settings: &Settings, sources: Vec<Value>) -> (World, Response) {
    let world = World::new().await;
    let _worker = real_worker(&world, settings, real_registry(settings)).await;
    let body = json!({ "schema_version": 2, "session_id": "s", "query": QUERY, "sources": sources });
    world.submit_body("s", &body).await;
    let response = result_of(&world, "s").await;
    (world, response)
}

fn data(response: Response) -> ReportData {
    response.data.unwrap_or_else(|| panic!("{:?}", response.error))
}

fn codes(data: &ReportData) -> Vec<WarningCode> {
    data.warning_details.iter().map(|warning| warning.code).collect()
}

/// A session that waits for its digest, as an older build or a damaged one has written it, and the report it comes to.
async fn taken_up(change: impl FnOnce(&mut Value)) -> ReportData {
    let world = World::new().await;
    let settings = Settings::default();
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let content = world.content.put(Bytes::from_static(TEXT.as_bytes())).await.expect("room in memory");
    let text = json!({ "content": content, "chars": TEXT.chars().count(), "tokens": tokens::count(TEXT), "pages": 0 });
    let source = |id: &str| json!({ "source_id": id, "title": id, "origin": { "content": content } });
    let (mut read, mut unread) = (source("a"), source("b"));
    read["text"] = text;
    unread["failure"] = json!({ "code": "unreadable", "message": "no pages" });
    let mut state = json!({
        "schema_version": 0, "session_id": "old", "revision": 3, "phase": "digest", "epoch": 1, "query": QUERY,
        "reply_to": REPLIES, "sources": [read, unread],
    });
    change(&mut state);
    let header = Header {
        message_type: message_type::STATE.to_owned(),
        message_id: "old".to_owned(),
        correlation_id: "old".to_owned(),
        ..Header::default()
    };
    let envelope = Envelope::encode(header, &state).expect("small");
    let message = Outgoing { route: Route::queue(names::session_queue(Phase::Digest)), envelope };
    world.caller().publish(message).await.expect("published");
    data(result_of(&world, "old").await)
}

#[tokio::test]
async fn a_session_older_than_the_ledger_ends_in_a_report() {
    let data = taken_up(|_| ()).await;
    assert!(data.report.contains("captain") && !data.citations.is_empty(), "{}", data.report);
    assert!(!codes(&data).contains(&WarningCode::StateMigrationRecovered), "{:?}", data.warning_details);
    ledger::check(&data.ledger).expect("balances");
    let record = &data.content_fidelity.0[&data.sources[0].source_id].phases[&Phase::Digest];
    assert_eq!((record.level, record.tokens_before), (FidelityLevel::Raw, tokens::count(TEXT)));
}

#[tokio::test]
async fn a_session_with_an_unreadable_ledger_continues_and_says_so() {
    let broken = |state: &mut Value| {
        state["schema_version"] = json!(2);
        state["content_fidelity"] = json!("broken");
    };
    let data = taken_up(broken).await;
    assert!(!data.citations.is_empty(), "{}", data.report);
    assert!(codes(&data).contains(&WarningCode::StateMigrationRecovered), "{:?}", data.warning_details);
    ledger::check(&data.ledger).expect("balances");
}

/// A report on three sources with an archive at `place`.
async fn archived_at(place: std::path::PathBuf) -> ReportData {
    let (world, settings) = (World::new().await, Settings::default());
    let archive = tokio::task::spawn_blocking(|| Archive::open_or_closed(place)).await.expect("opens");
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let registry = pipeline::registry(&settings, parser, Some(Arc::new(archive)));
    let _worker = real_worker(&world, &settings, registry).await;
    let source = |id: &str| json!({ "source_id": id, "title": id, "content": format!("{TEXT} This is copy {id}.") });
    let sources = ["a", "b", "c"].map(source);
    let body = json!({ "schema_version": 2, "session_id": "s", "query": QUERY, "sources": sources });
    world.submit_body("s", &body).await;
    data(result_of(&world, "s").await)
}

#[tokio::test]
async fn an_archive_that_takes_nothing_costs_one_warning_and_no_report() {
    let dir = tempfile::TempDir::new().expect("a directory");
    std::fs::write(dir.path().join("file"), "no directory").expect("written");
    std::fs::create_dir(dir.path().join("dir")).expect("created");
    // Where the folder of the second source would be.
    std::fs::write(dir.path().join("dir/b"), "no directory").expect("written");
    for (place, archived) in [("file", &[][..]), ("dir", &["a"])] {
        let data = archived_at(dir.path().join(place)).await;
        assert!(!data.citations.is_empty(), "{}", data.report);
        let told = codes(&data).into_iter().filter(|code| *code == WarningCode::ArchiveWriteFailed).count();
        assert_eq!(told, 1, "{place}: {:?}", data.warning_details);
        let kept: Vec<&str> = data.content_archive_hashes.keys().map(precis_proto::SourceId::as_str).collect();
        assert_eq!(kept, archived, "{place}");
    }
}

#[test]
fn a_run_without_an_archive_keeps_no_text() {
    let workspace = CliWorkspace::new();
    workspace.write("tax.txt", TEXT);
    let args = ["run", "--query", QUERY, "--docs", "tax.txt", "--set", "content_archive_enabled=false", "--json"];
    let ended = workspace.run(&args);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let response: Response = serde_json::from_str(&ended.stdout).expect("a response");
    assert!(!response.data.as_ref().is_some_and(|data| data.citations.is_empty()), "{}", ended.stdout);
    assert!(data(response).content_archive_hashes.is_empty());
    assert!(workspace.names("precis-out/archive").is_empty(), "{:?}", workspace.names("precis-out/archive"));
}

/// `n` sentences on the question and on nothing else, no two alike.
fn long_text(source: usize, n: usize) -> String {
    let sentence = |n| format!("In year {n} of book {source} the harbour tax was paid by captain {n}.");
    (0..n).map(sentence).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn protected_sources_that_overflow_the_budget_are_shortened_and_not_dropped() {
    let within = |threshold| settings(json!({ "auto_compact_threshold": threshold, "digest_policy": "off" }));
    let source = |n| json!({ "source_id": format!("s{n}"), "content": long_text(n, 60), "protected": n < 4 });
    // A quarter of a threshold is the answer's: the prompts have 1,001 and 400 tokens.
    let roomy = data(answer(&within(1_334), (0..6).map(source).collect()).await.1);
    let told = codes(&roomy);
    assert!(
        told.contains(&WarningCode::TokenBudgetFloored) && !told.contains(&WarningCode::ProtectedOverflow),
        "{told:?}"
    );
    let short = roomy.ledger.iter().find(|row| row.phase == Phase::Summarization).expect("a row");
    assert_eq!(short.tokens_dropped, 0, "a headline of each fits");
    let data = data(answer(&within(533), (0..6).map(source).collect()).await.1);
    let codes = codes(&data);
    assert!(codes.contains(&WarningCode::ProtectedOverflow), "{:?}", data.warning_details);
    assert!(codes.contains(&WarningCode::ContentDropped), "{:?}", data.warning_details);
    let row = data.ledger.iter().find(|row| row.phase == Phase::Summarization).expect("a row");
    assert!(row.tokens_kept <= 320, "{row:?}");
    for (n, source) in data.sources.iter().enumerate() {
        let record = &data.content_fidelity.0[&source.source_id].phases[&Phase::Summarization];
        assert!(n >= 4 || record.tokens_after > 0, "{n}: {record:?}");
    }
}

#[tokio::test]
async fn a_window_without_room_for_a_source_ends_with_a_remedy() {
    let settings = settings(json!({
        "runtime_overhead": 0, "digest_policy": "off", "compression_calls": 1,
        "providers": { "fake": { "kind": "openai", "base_url": "http://127.0.0.1:9/v1" } },
        "roles": { "compression": { "providers": ["fake:small"] } },
        "model_context_overrides": {
            "fake:small": { "context_window": 1_000, "max_output_tokens": 970, "output_reserved": 970 }
        },
    }));
    let (_, response) = answer(&settings, vec![json!({ "source_id": "a", "content": long_text(0, 60) })]).await;
    let error = response.error.expect("nothing fits");
    assert_eq!(error.code, "over_budget");
    assert!(error.remedy.is_some_and(|remedy| remedy.contains("context_window")));
}

/// Fails each summary, and takes every text there is with it.
struct Losing;

impl JobHandler for Losing {
    type Kind = Summarization;

    async fn run(&self, _: SummarizationJob, ctx: &JobContext<Summarization>) -> Result<SummarizationAnswer, JobError> {
        let removed = ctx.services().content.remove_older_than(0).await;
        assert!(removed.is_ok_and(|removed| removed > 0), "there was a text");
        Err(JobError::permanent("timeout", "nobody answered"))
    }
}

#[tokio::test]
async fn a_session_with_nothing_left_after_summaries_fails_as_stated() {
    let settings = settings(json!({ "auto_compact_threshold": 1_334, "digest_policy": "off" }));
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings).job(Losing)).await;
    let source = json!({ "source_id": "a", "title": "Book", "content": long_text(0, 200) });
    let body = json!({ "schema_version": 2, "session_id": "s", "query": QUERY, "sources": [source] });
    world.submit_body("s", &body).await;
    let response = result_of(&world, "s").await;
    assert!(!response.success && response.data.is_none(), "{:?}", response.data);
    let error = response.error.expect("nothing is left");
    assert_eq!((error.code.as_str(), error.status), ("summarization_failed", Status::Failed));
    assert_eq!(error.message, "summarize a: timeout: nobody answered");
    assert!(error.remedy.is_some_and(|remedy| remedy.contains("local:extractive")));
    let rows: Vec<(&str, &str)> =
        error.sources.iter().map(|row| (row.source_id.as_str(), row.title.as_str())).collect();
    assert_eq!(rows, [("a", "Book")], "what happened to each source");
}

#[tokio::test]
async fn shortened_sources_are_counted_and_their_code_is_in_meta() {
    for (policy, threshold, level) in
        [("auto", None, FidelityLevel::Digest), ("off", Some(4_000), FidelityLevel::Condensed)]
    {
        let settings = settings(json!({ "digest_policy": policy, "auto_compact_threshold": threshold }));
        let mut sources: Vec<Value> = (0..2)
            .map(|n| json!({ "source_id": format!("long{n}"), "title": format!("Book {n}"), "content": long_text(n, 200) }))
            .collect();
        sources.push(json!({ "source_id": "short", "title": "Note", "content": TEXT, "protected": true }));
        let (_, response) = answer(&settings, sources).await;
        let of_meta = response.meta.warnings.clone();
        let data = data(response);
        let told: Vec<&str> = data
            .warning_details
            .iter()
            .filter(|w| w.code == WarningCode::ContentTruncated && w.phase.is_none())
            .map(|w| w.message.as_str())
            .collect();
        let (mut shorter, mut before, mut after) = (0, 0, 0);
        for row in &data.sources {
            let phases = &data.content_fidelity.0[&row.source_id].phases;
            let last = &phases[&Phase::Summarization];
            assert_eq!(last.level == FidelityLevel::Raw, row.source_id.as_str() == "short", "{policy}: {last:?}");
            if last.level != FidelityLevel::Raw {
                assert!(last.level >= level, "{policy}: {last:?}");
                (shorter, before, after) = (shorter + 1, before + row.tokens, after + last.tokens_after);
            }
        }
        let [told] = told[..] else { panic!("{policy}: {told:?} of {:?}", data.warning_details) };
        let count = format!("{shorter} of 3 sources were shortened (");
        let sum = format!("): {before} tokens became {after}");
        assert!(shorter == 2 && told.starts_with(&count) && told.ends_with(&sum), "{policy}: {told}, not {sum}");
        assert!(of_meta.contains(&WarningCode::ContentTruncated), "{policy}: {of_meta:?}");
    }
}

#[tokio::test]
async fn a_result_keeps_the_latest_hundred_messages_of_what_was_said() {
    let role = |n: usize| if n.is_multiple_of(2) { "user" } else { "assistant" };
    let message = |n| json!({ "role": role(n), "content": format!("said {n}") });
    for (given, kept) in [(100, 100), (101, 100), (250, 100)] {
        let history: Vec<Value> = (0..given).map(message).collect();
        let (world, settings) = (World::new().await, Settings::default());
        let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
        let source = json!({ "source_id": "a", "content": TEXT });
        let body = json!({
            "schema_version": 2, "session_id": "s", "query": QUERY, "sources": [source], "options": { "history": history },
        });
        world.submit_body("s", &body).await;
        let data = data(result_of(&world, "s").await);
        assert_eq!(json!(data.history), json!(history[given - kept..]), "{given}");
    }
}

#[tokio::test]
async fn result_fields_are_present_even_if_empty_or_unbudgeted() {
    let settings = settings(json!({ "token_management_enabled": false }));
    let (world, response) = answer(&settings, vec![json!({ "source_id": "a", "content": TEXT })]).await;
    assert!(response.success, "{:?}", response.error);
    let raw: Value =
        serde_json::from_slice(world.results().values().next().expect("one").first().expect("one")).expect("JSON");
    let data = &raw["data"];
    assert_eq!(data["content_fidelity_schema_version"], "v1");
    for (field, empty) in [
        ("content_fidelity", json!({})),
        ("dropped_content_ids", json!([])),
        ("ledger", json!([])),
        ("content_archive_hashes", json!({})),
        ("warning_details", json!([])),
    ] {
        assert_eq!(data[field], empty, "{field}");
    }
    assert!(raw["meta"].get("warnings").is_none(), "{raw}");
    assert_eq!(data["session"]["token_management_enabled"], false);
    let texts = |hex: &str| (hex == sha256_hex(TEXT.as_bytes())).then(|| TEXT.as_bytes().to_vec());
    let found = verify_value(&raw, ArchiveReader { text: &texts, blocks: &|_| None });
    assert!(found.holds() && !found.is_accounted, "{:?}", found.mismatches);
}

#[tokio::test]
async fn an_unfetched_pdf_is_ranked_on_its_snippet_and_never_quoted() {
    let known = json!({ "source_id": "read", "content": TEXT });
    let named = |id: &str, snippet: &str| json!({ "source_id": id, "url": "https://journal.example/1", "pdf_url": "https://journal.example/1.pdf", "snippet": snippet });
    let sources = vec![known, named("near", "Who pays the harbour tax? The captain."), named("far", "Snow in May.")];
    let (_, response) = answer(&settings(json!({ "digest_fetch_pdfs": false })), sources).await;
    let data = data(response);
    let row = |id: &str| data.sources.iter().find(|row| row.source_id.as_str() == id).expect("a row");
    for id in ["near", "far"] {
        let failure = row(id).failure.as_ref().expect("not read");
        assert_eq!(failure.message, "digest_fetch_pdfs is off", "the page about it is no second choice");
        assert_eq!(row(id).url.as_deref(), Some("https://journal.example/1"));
    }
    assert!(row("near").relevance > row("far").relevance, "{:?} {:?}", row("near").relevance, row("far").relevance);
    assert!(data.citations.iter().all(|citation| citation.source_id.as_str() == "read"));
}

#[test]
fn a_digest_is_its_sources_content_known_by_its_type() {
    let text = format!("{TEXT} {}", "The mules carry salt over the hill in the morning. ".repeat(200));
    for (policy, archive, content_type) in
        [("always", "true", json!("digest/v1")), ("off", "true", Value::Null), ("always", "false", Value::Null)]
    {
        let workspace = CliWorkspace::new();
        workspace.write("tax.txt", &text);
        let (policy, archive) = (format!("digest_policy={policy}"), format!("content_archive_enabled={archive}"));
        let args = ["run", "--query", QUERY, "--docs", "tax.txt", "--set", &policy, "--set", &archive, "--json"];
        let ended = workspace.run(&args);
        let response: Value = serde_json::from_str(&ended.stdout).expect("a response");
        let row = &response["data"]["sources"][0];
        let digest = &row["digest"];
        assert_eq!(digest["content_type"], content_type, "{policy} {archive}: {row}");
        assert_eq!(row["content_type"], "text/plain", "what was read stays what it was");
        if digest.is_object() {
            assert_eq!(digest["source_text_hash"], row["source_text_hash"]);
            assert!(
                digest["evidence_snippets"][0]["text"].as_str().is_some_and(|t| t.contains("harbour tax")),
                "{digest}"
            );
        }
    }
}
