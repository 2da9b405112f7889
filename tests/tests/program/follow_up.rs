//! A question on a finished session: what was before reaches the model in its layers, within what the model takes, and what may be
//! spent is not exceeded. The real handlers on the memory broker, a scripted provider behind them.

use precis_proto::Phase;
use precis_proto::prior::SpeakerRole;
use precis_proto::response::{ReportData, Response};
use precis_proto::warning::WarningCode;
use precis_runtime::config::Settings;
use precis_runtime::model::Vendor;
use precis_tests::program::CliWorkspace;
use precis_tests::provider::Scripted;
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::{Value, json};

/// Synthesis asks the scripted provider, which has a window of so many tokens; the rest is built in.
fn settings(base_url: &str, window: u64) -> Settings {
    let settings = json!({
        "runtime_overhead": 0,
        // These tests look at what the report is written from, which is the last prompt.
        "judge": "off",
        "providers": { "fake": { "kind": "openai", "base_url": base_url } },
        "roles": { "synthesis": { "providers": ["fake:small"] } },
        "model_context_overrides": { "fake:small": { "context_window": window, "max_output_tokens": 512, "output_reserved": 512 } },
    });
    serde_json::from_value(settings).expect("settings")
}

fn turns(n: usize, words: usize) -> Value {
    let turn = |n: usize| {
        let answer = format!("Answer {n}: {}", "the ice melts in summer. ".repeat(words / 5));
        [
            json!({ "role": "user", "content": format!("Question {n}?") }),
            json!({ "role": "assistant", "content": answer }),
        ]
    };
    (0..n).flat_map(turn).collect()
}

/// Asks about a glacier with these options.
async fn ask(window: u64, options: Value) -> (Response, Scripted) {
    ask_under(window, options, |settings| settings).await
}

/// The same, the settings changed before.
async fn ask_under(window: u64, options: Value, change: impl Fn(Settings) -> Settings) -> (Response, Scripted) {
    let provider = Scripted::with_window(Vendor::OpenAi, window).await;
    let settings = change(settings(provider.base_url(), window));
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let text = "The glacier loses ice where the summer is warm. The snow of winter covers the ice again. ".repeat(20);
    let body = json!({
        "schema_version": 2, "session_id": "s", "query": "And where does it lose ice?", "options": options,
        "sources": [{ "source_id": "a", "title": "Glacier", "content": text }],
    });
    world.submit_body("s", &body).await;
    (result_of(&world, "s").await, provider)
}

fn report(response: Response) -> ReportData {
    response.data.unwrap_or_else(|| panic!("{:?}", response.error))
}

fn codes(data: &ReportData) -> Vec<WarningCode> {
    data.warning_details.iter().map(|w| w.code).collect()
}

fn layers(data: &ReportData) -> Vec<&str> {
    let mut layers: Vec<&str> = data.token_usage.iter().map(|u| u.layer.as_str()).collect();
    layers.dedup();
    layers
}

#[tokio::test]
async fn earlier_context_reaches_the_model_in_layers_and_the_result() {
    let options = json!({
        "project_context": "We insure mountain huts.",
        "prior_context": [{ "title": "Earlier source", "text": "The tongue retreats by twenty metres." }],
        "history": turns(2, 20),
    });
    let (response, provider) = ask(16_000, options).await;
    let data = report(response);
    let seen = provider.seen();
    let messages = seen.last().expect("it was asked").body["messages"].clone();
    let (system, user) =
        (messages[0]["content"].as_str().expect("text"), messages[1]["content"].as_str().expect("text"));
    assert!(system.contains("We insure mountain huts.") && !user.contains("mountain huts"));
    let places =
        ["The tongue retreats", "said user\nQuestion 0?", "said assistant\nAnswer 1", "And where does it lose ice?"];
    let places = places.map(|text| user.find(text).unwrap_or_else(|| panic!("{text} is not in {user}")));
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(layers(&data), ["L1", "L2", "L3", "L4", "L5"]);
    assert!(data.token_usage.iter().all(|u| u.dropped == 0), "{:?}", data.token_usage);
    assert_eq!(data.history.len(), 4);
    assert_eq!(data.history[0].role, SpeakerRole::User);
}

#[tokio::test]
async fn a_long_conversation_is_cut_to_its_latest_turns_and_reported() {
    let (response, provider) = ask(3_000, json!({ "history": turns(200, 100) })).await;
    let data = report(response);
    let seen = provider.seen();
    assert!(seen.iter().all(|request| request.tokens <= 3_000));
    let user = seen.last().expect("it was asked").user().to_owned();
    assert!(user.contains("Question 199?") && !user.contains("Question 0?"));
    assert!(codes(&data).contains(&WarningCode::ContentDropped), "{:?}", data.warning_details);
    let history = data.token_usage.iter().find(|u| u.layer == "L4").expect("a row");
    assert!(history.kept > 0 && history.dropped > 0);
}

#[tokio::test]
async fn a_session_without_budget_uses_the_built_in_model() {
    let (response, provider) = ask(16_000, json!({ "max_spend_tokens": 0 })).await;
    let data = report(response);
    assert_eq!((provider.calls(), codes(&data)), (0, vec![WarningCode::SpendCeilingReached]));
    assert!(!data.citations.is_empty());
}

#[tokio::test]
async fn text_the_built_in_model_does_not_read_is_reported() {
    let options = json!({ "max_spend_tokens": 0, "history": turns(3, 40), "project_context": "We insure huts." });
    let (response, provider) = ask(16_000, options).await;
    let data = report(response);
    assert_eq!(provider.calls(), 0);
    assert!(codes(&data).contains(&WarningCode::ContentDropped), "{:?}", data.warning_details);
    for layer in ["L1", "L4"] {
        let rows: Vec<_> = data.token_usage.iter().filter(|u| u.layer == layer).collect();
        assert!(!rows.is_empty() && rows.iter().all(|u| u.kept == 0 && u.dropped > 0), "{layer}: {rows:?}");
    }
}

#[tokio::test]
async fn a_ceiling_in_dollars_holds_also_where_a_model_has_no_price() {
    let options = || json!({ "max_spend_usd": 5.0 });
    let (response, provider) = ask(16_000, options()).await;
    let data = report(response);
    assert_eq!((provider.calls(), codes(&data)), (0, vec![WarningCode::SpendCeilingReached]));
    assert!(data.warning_details[0].message.contains("no price for `fake:small`"), "{:?}", data.warning_details);

    let priced = |mut settings: Settings| {
        settings.models.prices =
            serde_json::from_value(json!({ "fake:small": { "input": 0.0, "output": 0.0 } })).expect("prices");
        settings
    };
    let (response, provider) = ask_under(16_000, options(), priced).await;
    assert!(provider.calls() == 1 && !codes(&report(response)).contains(&WarningCode::SpendCeilingReached));
}

#[tokio::test]
async fn a_large_background_makes_sources_shorter_and_no_call_drops_evidence() {
    // The background takes some 3,500 of the tokens that the analysis may carry, the sources some 9,000 together.
    let background = "We insure mountain huts above the glacier and ask for its melt. ".repeat(250);
    let options = json!({ "project_context": background });
    let window = 9_000;
    let provider = Scripted::with_window(Vendor::OpenAi, window).await;
    let mut settings = settings(provider.base_url(), window);
    settings.models.roles = serde_json::from_value(json!({
        "compression": { "providers": ["fake:small"] }, "synthesis": { "providers": ["fake:small"] },
    }))
    .expect("roles");
    settings.digest.policy = serde_json::from_value(json!("off")).expect("a policy");
    settings.tokens.compression_calls = 1;
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let source = |n: usize| {
        let text = format!("Of glacier {n}: it loses ice where the summer is warm, and gains some in winter {n}. ")
            .repeat(110);
        json!({ "source_id": format!("s{n}"), "title": format!("Glacier {n}"), "content": text })
    };
    let sources: Vec<Value> = (0..4).map(source).collect();
    let body = json!({
        "schema_version": 2, "session_id": "s", "query": "Where does it lose ice?", "options": options, "sources": sources,
    });
    world.submit_body("s", &body).await;
    let data = report(result_of(&world, "s").await);
    let evidence: Vec<_> = data.token_usage.iter().filter(|u| u.layer == "L3").collect();
    assert!(!evidence.is_empty() && evidence.iter().all(|u| u.dropped == 0), "{evidence:?}");
    let mut records = data.content_fidelity.0.values().filter_map(|item| item.phases.get(&Phase::Summarization));
    let reduced = records.any(|record| record.tokens_after < record.tokens_before);
    assert!(reduced, "{:?}", data.content_fidelity);
}

/// The report on "And which year was the worst?" by the built-in model, after this conversation.
async fn worst_year(history: Value) -> ReportData {
    let settings = Settings::default();
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let source = |id: &str, text: &str| json!({ "source_id": id, "title": id, "content": text });
    let sources = [
        source("ice", "The glacier lost most of its ice in 1947. It gained a little in 1965, and kept that."),
        source("mules", "Mules are fed by the town. The harbour tax was paid by captains until 1902."),
    ];
    let body = json!({
        "schema_version": 2, "session_id": "s", "query": "And which year was the worst?",
        "options": { "history": history }, "sources": sources,
    });
    world.submit_body("s", &body).await;
    report(result_of(&world, "s").await)
}

#[tokio::test]
async fn a_question_that_names_nothing_is_searched_with_what_was_asked_before() {
    let asked = json!([
        { "role": "user", "content": "How much ice did the glacier lose?" },
        { "role": "assistant", "content": "It lost most of it." },
    ]);
    let unmatched = |data: &ReportData| {
        let about =
            |w: &&precis_proto::warning::Warning| w.code == WarningCode::NoMatchingEvidence && w.item_id.is_none();
        data.warning_details.iter().filter(about).count()
    };
    let alone = worst_year(json!([])).await;
    assert_eq!(unmatched(&alone), 1, "the question alone finds something: {:?}", alone.warning_details);
    let following = worst_year(asked).await;
    assert_eq!(unmatched(&following), 0, "{:?}", following.warning_details);
    let cited: Vec<&str> = following.citations.iter().map(|c| c.source_id.as_str()).collect();
    assert!(!cited.is_empty() && cited.iter().all(|id| *id == "ice"), "{cited:?}");
    assert!(following.report.contains("1947"), "{}", following.report);
}

#[test]
fn a_follow_up_reads_the_archive_again_and_carries_the_conversation() {
    let workspace = CliWorkspace::new();
    workspace.write("docs/ice.txt", "The glacier loses ice where the summer is warm. Snow covers it in winter.\n");
    let first = workspace.run(&["run", "--query", "Where does the glacier lose ice?", "--docs", "docs"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let second = workspace.run(&["ask", "precis-out", "What covers the glacier in winter?", "--out", "second"]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    let third =
        workspace.run(&["ask", "second/report.json", "And where is the summer warm?", "--out", "third", "--json"]);
    assert_eq!(third.code, 0, "{}", third.stderr);
    let third: Value = serde_json::from_str(&third.stdout).expect("JSON");
    let said: Vec<&str> =
        third["data"]["history"].as_array().expect("a history").iter().filter_map(|s| s["content"].as_str()).collect();
    assert_eq!(
        (said.len(), said[0], said[2]),
        (4, "Where does the glacier lose ice?", "What covers the glacier in winter?")
    );
    assert!(!said[1].contains("[1]"), "marks of another report");
    let hash = |path: &str| {
        let report: Value =
            serde_json::from_slice(&std::fs::read(workspace.at(path)).expect("a report")).expect("JSON");
        report["data"]["sources"][0]["source_text_hash"].clone()
    };
    assert_eq!(hash("precis-out/report.json"), hash("third/report.json"), "a canonical text stays what it is");
    assert_eq!(workspace.run(&["verify", "third"]).code, 0);
    let unknown = workspace.run(&["ask", "nowhere", "Why?"]);
    assert!(unknown.code == 3 && unknown.stderr.contains("content_url"), "{}", unknown.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn project_background_accompanies_a_first_question_and_verbose_lists_it() {
    let provider = Scripted::with_window(Vendor::OpenAi, 16_000).await;
    let workspace = CliWorkspace::new();
    workspace.write("ice.txt", "The glacier loses ice where the summer is warm. Snow covers it in winter. ".repeat(20));
    workspace.write("brief.md", "We insure mountain huts.\n");
    let server = format!("[providers.fake]\nbase_url = '{}'\n", provider.base_url());
    workspace.configure(format!("judge = 'off'\n{server}[roles.synthesis]\nproviders = ['fake:small']\n"));
    let query = ["--query", "Where does the glacier lose ice?", "--docs", "ice.txt"];
    let mut command = workspace.command(&[&["run", "-v", "--project", "brief.md"], &query[..]].concat());
    command.env("OPENAI_API_KEY", "none");
    let ended = tokio::task::spawn_blocking(move || precis_tests::program::ended(command)).await.expect("no panic");
    let seen = provider.seen();
    let asked = seen.last().unwrap_or_else(|| panic!("nobody was asked: {}", ended.stderr));
    assert!(asked.body["messages"][0]["content"].as_str().expect("text").contains("We insure mountain huts."));
    for told in ["L1 rules", "L3 evidence", "left out", "fake:small"] {
        assert!(ended.stderr.contains(told), "{told}: {}", ended.stderr);
    }
    let unread = workspace.run(&[&["run", "--project", "nowhere.md"], &query[..]].concat());
    assert!(unread.code == 3 && unread.stderr.contains("nowhere.md"), "{} {}", unread.code, unread.stderr);
}

#[test]
fn the_text_of_a_source_is_returned_unless_it_changed() {
    let workspace = CliWorkspace::new();
    workspace.write("docs/ice.txt", "The glacier loses ice where the summer is warm.\n");
    assert_eq!(workspace.run(&["run", "--query", "Where does it lose ice?", "--docs", "docs"]).code, 0);
    let report: Value =
        serde_json::from_slice(&std::fs::read(workspace.at("precis-out/report.json")).expect("a report"))
            .expect("JSON");
    let row = &report["data"]["sources"][0];
    let (id, hash) = (row["source_id"].as_str().expect("an id"), row["source_text_hash"].as_str().expect("a hash"));
    let got = workspace.run(&["archive", "get", id]);
    assert_eq!((got.code, got.stdout.as_str()), (0, "The glacier loses ice where the summer is warm.\n"));
    assert_eq!(workspace.run(&["archive", "get", "another"]).code, 3);
    let by_name = workspace.run(&["archive", "get", "ice.txt"]);
    assert_eq!((by_name.code, &by_name.stdout), (0, &got.stdout), "{}", by_name.stderr);
    let file = workspace.at(&format!("precis-out/archive/{id}/{}.txt", hash.trim_start_matches("sha256:")));
    std::fs::write(&file, "changed").expect("ours");
    let got = workspace.run(&["archive", "get", id]);
    assert!(got.code == 1 && got.stdout.is_empty() && got.stderr.contains("does not match its hash"), "{}", got.stderr);
    let kept = workspace.run(&["archive", "clean", "--older-than", "1", "--yes"]);
    assert!(kept.stdout.starts_with("0 texts"), "{}{}", kept.stdout, kept.stderr);
    let asked = workspace.run(&["archive", "clean", "--older-than", "0"]);
    assert!(asked.code == 2 && asked.stderr.contains("--yes") && file.exists(), "{}", asked.stderr);
    let cleaned = workspace.run(&["archive", "clean", "--older-than", "0", "--yes"]);
    assert!(cleaned.stdout.starts_with("1 texts") && !file.exists(), "{}{}", cleaned.stdout, cleaned.stderr);
}

/// The structure of the only text in the archive of a report.
fn structure(workspace: &CliWorkspace, dir: &str) -> Value {
    let mut files = Vec::new();
    let mut dirs = vec![workspace.at(dir).join("archive")];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() { dirs.push(path) } else { files.push(path) }
        }
    }
    let records: Vec<_> = files.iter().filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    assert_eq!(records.len(), 1, "{files:?}");
    let record: Value = serde_json::from_slice(&std::fs::read(records[0]).expect("read")).expect("JSON");
    record["blocks"].clone()
}

#[test]
fn a_document_from_an_archive_keeps_its_structure() {
    let workspace = CliWorkspace::new();
    let page = "<html><body><article><h1>The dam of Talbruck</h1><p>The dam holds 77 million litres of water in spring.</p>\
        <h2>The keeper of the dam counts fish</h2><p>The keeper of the dam lives in the tower and counts the fish.</p>\
        </article></body></html>";
    workspace.write("dam.html", page);
    let first = workspace.run(&[
        "run",
        "--quiet",
        "--query",
        "How much does the dam hold?",
        "--docs",
        "dam.html",
        "--out",
        "first",
    ]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let read = structure(&workspace, "first");
    assert!(read.as_array().is_some_and(|blocks| blocks.len() == 4), "{read}");
    for (out, more) in [("kept", &[][..]), ("anew", &["--no-cache"])] {
        let ask = ["ask", "first", "What does the keeper of the dam count?", "--quiet", "--out", out];
        let asked = workspace.run(&[&ask[..], more].concat());
        assert_eq!(asked.code, 0, "{}", asked.stderr);
        assert_eq!(structure(&workspace, out), read, "{out}");
        let report = std::fs::read(workspace.at(out).join("report.json")).expect("a report");
        let report: Value = serde_json::from_slice(&report).expect("JSON");
        let quotes = report["data"]["citations"].as_array().cloned().unwrap_or_default();
        assert!(!quotes.is_empty());
        assert!(quotes.iter().all(|quote| !quote["text"].as_str().unwrap_or_default().contains('\n')), "{quotes:?}");
        let verified = workspace.run(&["verify", &format!("{out}/report.json")]);
        assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    }
}

#[tokio::test]
async fn a_structure_named_by_hash_by_a_fleet_caller_is_ignored() {
    let world = World::new().await;
    let settings = Settings::default();
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let (heading, text) = ("The keeper of the dam counts fish", "The keeper of the dam lives in the tower.");
    let end = heading.len();
    let blocks = json!([
        { "kind": "heading", "start": 0, "end": end },
        { "kind": "paragraph", "start": end + 1, "end": end + 1 + text.len() },
    ]);
    let page = world.content.put(blocks.to_string().into()).await.expect("put");
    let source = json!({
        "source_id": "a", "content": format!("{heading}\n{text}"),
        "content_type": format!("text/x-precis-canonical; structure={}", page.hex()),
    });
    let body =
        json!({ "schema_version": 2, "session_id": "s", "query": "Where does the keeper live?", "sources": [source] });
    world.submit_body("s", &body).await;
    let data = report(result_of(&world, "s").await);
    // Without it, the two lines are one sentence.
    let is_joined = |text: &str| text.starts_with(heading) && text.ends_with("in the tower.");
    assert!(!data.citations.is_empty() && data.citations.iter().all(|c| is_joined(&c.text)), "{:?}", data.citations);
}
