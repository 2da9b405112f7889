//! What is paid for is used, nothing is lost without a record: many made-up sessions on the real handlers, with a provider that marks
//! each of its answers and counts each request for itself.

use std::collections::BTreeSet;

use precis_proto::fidelity::FidelityLevel;
use precis_proto::response::ReportData;
use precis_proto::state::WriterReads;
use precis_proto::warning::WarningCode;
use precis_proto::{Phase, SourceId};
use precis_runtime::config::Settings;
use precis_tests::provider::{Marked, MarkedCall};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::{Value, json};

/// Sessions of a normal run; `PRECIS_SESSIONS` asks for more.
const SESSIONS: u64 = 100;

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n.max(1)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// A text of so many sentences, most of which speak of ice.
    fn text(&mut self, source: u64, sentences: u64) -> String {
        let things = ["granite", "harbour", "reservoir", "glacier", "forest", "orchard"];
        let sentence = |n: u64, d: &mut Self| {
            let (thing, other) = (d.of(&things), d.of(&things));
            format!(
                "Record {source}-{n} says that the {thing} lost {} percent of its ice while the {other} stayed.",
                d.below(99)
            )
        };
        (0..sentences).map(|n| sentence(n, self)).collect::<Vec<_>>().join(" ")
    }
}

fn settings(base_url: &str, window: u64) -> Settings {
    let role = json!({ "providers": ["fake:m"] });
    let output = (window / 8).clamp(200, 2_000);
    let limits = json!({
        "context_window": window, "max_output_tokens": output, "output_reserved": output,
        "budgeting_mode": "combined", "tokenizer": "o200k",
    });
    let settings = json!({
        "runtime_overhead": 0,
        // One window, so that texts have to be shortened.
        "compression_calls": 1,
        // This law is about prose; a verdict that does not count is read by nobody, and counted as such.
        "judge": "off",
        "providers": { "fake": { "kind": "openai", "base_url": base_url } },
        "roles": { "summarization": role, "compression": role, "synthesis": role },
        "model_context_overrides": { "fake:m": limits },
    });
    serde_json::from_value(settings).expect("settings")
}

fn source(n: u64, text: String) -> Value {
    json!({ "source_id": format!("s{n}"), "title": format!("Source {n}"), "content": text })
}

/// A report on `body`, and the calls that were made for it.
async fn report(server: &Marked, settings: &Settings, body: Value) -> (Result<ReportData, Value>, Vec<MarkedCall>) {
    let world = World::new().await;
    let _worker = real_worker(&world, settings, real_registry(settings)).await;
    world.submit_body("s", &body).await;
    let response = result_of(&world, "s").await;
    let error = json!(response.error);
    (response.data.ok_or(error), server.calls())
}

/// Marks of answers that no later call holds, nor the report, nor a record that tells why.
fn unread(calls: &[MarkedCall], data: &ReportData) -> Vec<String> {
    let report = serde_json::to_string(data).expect("JSON");
    let is_read = |n: usize, call: &MarkedCall| {
        calls[n + 1..].iter().any(|later| later.text.contains(&call.mark)) || report.contains(&call.mark)
    };
    // A report of few tokens does not hold the findings of many sources; the warning counts them, the records of their sources say so.
    let told = |call: &MarkedCall| {
        let is_counted = data.warning_details.iter().any(|w| w.message.contains("findings left out of the report"));
        // A report of which no statement is supported by its quotes is replaced, and a warning says so.
        let is_replaced = data.warning_details.iter().any(|w| w.code == WarningCode::StatementsCorrected);
        let is_left_out = is_counted || report.contains("pieces of evidence left out of a model call");
        (call.schema == "findings" && is_left_out) || (call.schema.is_empty() && is_replaced)
    };
    let unread = calls.iter().enumerate().filter(|(n, call)| !is_read(*n, call) && !told(call));
    unread.map(|(_, call)| format!("{} of `{}`", call.mark, call.schema)).collect()
}

#[tokio::test]
async fn each_model_output_is_read_later_or_appears_in_the_report() {
    let mut dice = Dice(7);
    for (window, policy) in [(16_000, "auto"), (16_000, "off"), (5_000, "auto"), (200_000, "always")] {
        let server = Marked::start().await;
        let mut settings = settings(server.base_url(), window);
        settings.digest.policy = serde_json::from_value(json!(policy)).expect("a policy");
        let sources: Vec<Value> = (0..4).map(|n| source(n, dice.text(n, 300))).collect();
        let body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
        let (data, calls) = report(&server, &settings, body).await;
        let data = data.expect("a report");
        let summaries = calls.iter().filter(|call| call.schema == "summary").count();
        assert!(summaries >= 4, "{window} {policy}: {summaries} summaries");
        assert_eq!(unread(&calls, &data), [""; 0], "{window} {policy}");
        let compressing: Vec<&MarkedCall> = calls.iter().filter(|call| call.schema == "findings").collect();
        assert!(compressing.iter().any(|call| !notes(&call.text).is_empty()), "{window} {policy}");
        let writing: Vec<&MarkedCall> = calls.iter().filter(|call| call.schema.is_empty()).collect();
        assert!(writing.iter().any(|call| !notes(&call.text).is_empty()), "{window} {policy}: the report");
        let shorter = data.warning_details.iter().filter(|w| w.message.contains("sources were shortened"));
        assert_eq!(shorter.count(), 1, "{window} {policy}: {:?}", data.warning_details);
        assert!(data.sources.iter().any(|row| row.note.is_some()), "{window} {policy}");
        let cited = data.citations.iter().any(|citation| citation.text.contains("ZZ"));
        assert!(!cited, "a model's words are never cited");
    }
}

/// What stands below each line that marks a model's words on a source in `text`: its lines up to the next mark.
fn notes(text: &str) -> Vec<Vec<&str>> {
    let mut notes: Vec<Vec<&str>> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        if line.starts_with('#') {
            is_open = line.contains(" summary, not citable");
            notes.extend(is_open.then(Vec::new));
        } else if let Some(note) = notes.last_mut().filter(|_| is_open) {
            note.push(line);
        }
    }
    notes
}

#[tokio::test]
async fn a_report_is_written_from_summaries_it_may_not_cite() {
    let (server, mut dice) = (Marked::start().await, Dice(5));
    let mut settings = settings(server.base_url(), 16_000);
    settings.digest.policy = serde_json::from_value(json!("always")).expect("a policy");
    let sources: Vec<Value> = (0..3).map(|n| source(n, dice.text(n, 300))).collect();
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
    let (data, calls) = report(&server, &settings, body).await;
    let data = data.expect("a report");
    let summaries: Vec<&MarkedCall> = calls.iter().filter(|call| call.schema == "summary").collect();
    let writing: Vec<&MarkedCall> = calls.iter().filter(|call| call.schema.is_empty()).collect();
    let [writing] = writing[..] else { panic!("{} calls for a report", writing.len()) };
    let notes = notes(&writing.text);
    assert!(!notes.is_empty(), "{}", writing.text);
    for note in &notes {
        let of = |line: &&str| summaries.iter().position(|call| line.contains(&call.mark));
        let [summary, points @ ..] = &note[..] else { panic!("an empty note") };
        assert!(of(summary).is_some(), "no model's summary: {note:?}");
        let points: Vec<&&str> = points.iter().filter(|line| line.starts_with("- ") && of(line).is_some()).collect();
        assert!(!points.is_empty(), "no model's points: {note:?}");
    }
    assert!(writing.text.contains("State nothing that stands in a summary alone"), "{}", writing.text);
    assert!(data.citations.iter().all(|citation| !citation.text.contains("ZZ")), "{:?}", data.citations);
}

/// Eight sources of one length: the first speaks of what is asked, the others of something else.
fn mostly_beside_the_point() -> Vec<Value> {
    let text = |n: u64| {
        let said = if n == 0 { "the glacier lost a tenth of its ice" } else { "the orchard kept all of its trees" };
        (0..200).map(|line| format!("Record {n}-{line} says that {said}.")).collect::<Vec<_>>().join(" ")
    };
    (0..8).map(|n| source(n, text(n))).collect()
}

#[tokio::test]
async fn irrelevant_sources_are_read_in_passages_where_a_model_is_paid() {
    let beside = |data: &ReportData| -> Vec<String> {
        let is_beside =
            |warnings: &[String]| warnings.iter().any(|note| note.contains("far more relevant to the question"));
        let items = data.content_fidelity.0.iter();
        let found = items.filter(|(_, item)| item.phases.values().any(|record| is_beside(&record.warnings)));
        found.map(|(id, _)| id.to_string()).collect()
    };
    let body = |protected: bool| {
        let mut sources = mostly_beside_the_point();
        sources[7]["protected"] = protected.into();
        json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources })
    };
    let with = |change: fn(&mut Settings), protected: bool| async move {
        let server = Marked::start().await;
        let mut settings = settings(server.base_url(), 200_000);
        // What the writer reads whole is not cut.
        settings.report.writer_evidence_tokens = 0;
        change(&mut settings);
        let (data, calls) = report(&server, &settings, body(protected)).await;
        (data.expect("a report"), calls)
    };
    let (data, calls) = with(|_| (), false).await;
    assert_eq!(beside(&data), ["s5", "s6", "s7"], "of equal ones the first five are guarded");
    for id in ["s5", "s6", "s7"] {
        let record = &data.content_fidelity.0[&SourceId::new(id).expect("an id")].phases[&Phase::Summarization];
        assert_eq!((record.level, record.reason), (FidelityLevel::Truncated, None));
        assert!((1..=320).contains(&record.tokens_after), "{record:?}");
    }
    assert!(calls.iter().all(|call| call.schema != "summary" && call.schema != "summaries"), "nobody is asked");
    assert!(calls.iter().any(|call| call.text.contains("Record 0-199 ")), "what speaks of it is whole");
    assert_eq!(beside(&with(|_| (), true).await.0), ["s4", "s5", "s6"], "a protected one is among the five");
    let built_in = |settings: &mut Settings| settings.models.roles.clear();
    assert_eq!(beside(&with(built_in, false).await.0), [""; 0], "the built-in model reads for nothing");
    let unmanaged = |settings: &mut Settings| settings.tokens.enabled = false;
    assert_eq!(beside(&with(unmanaged, false).await.0), [""; 0]);
}

/// Tokens that are carried of each source into compression, in their order, where the window has `window` tokens.
async fn carried(window: u64, policy: &str, sources: Vec<Value>) -> Vec<(FidelityLevel, u64)> {
    let server = Marked::start().await;
    let mut settings = settings(server.base_url(), window);
    settings.digest.policy = serde_json::from_value(json!(policy)).expect("a policy");
    let count = sources.len();
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
    let data = report(&server, &settings, body).await.0.expect("a report");
    let last = |n: usize| {
        let id = SourceId::new(format!("s{n}")).expect("an id");
        let record = &data.content_fidelity.0[&id].phases[&Phase::Summarization];
        (record.level, record.tokens_after)
    };
    (0..count).map(last).collect()
}

/// Sources of the same length and the same words, each with one of `fields`.
fn alike(fields: &[Value], sentences: u64) -> Vec<Value> {
    let with = |(n, fields): (u64, &Value)| {
        let mut one = source(n, Dice(11).text(n, sentences));
        one.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        one
    };
    (0..).zip(fields).map(with).collect()
}

#[tokio::test]
async fn a_better_source_and_a_newer_one_are_carried_longer() {
    let (old, new) =
        (json!({ "published_at": "2001-01-31T00:00:00Z" }), json!({ "published_at": "2023-10-31T00:00:00Z" }));
    // Of equally important sources the first one goes before.
    for (less, more) in [(json!({ "quality": "low" }), json!({ "quality": "high" })), (old, new)] {
        let found = carried(5_000, "off", alike(&[less.clone(), more.clone()], 200)).await;
        assert!(found[1].1 > found[0].1, "{more} is carried at {:?}, {less} at {:?}", found[1], found[0]);
        let same = carried(5_000, "off", alike(&[more.clone(), more.clone()], 200)).await;
        assert!(same[0].1 > same[1].1, "without a difference the order decides: {same:?}");
    }
}

/// A digest ends with a passage, so that its share may stay empty by as much as the next one would take.
const PASSAGE_TOKENS: u64 = 150;

#[tokio::test]
async fn a_better_digested_source_is_no_shorter_than_a_worse_one() {
    let qualities = ["low", "high", "low", "medium"];
    let mut digests = 0;
    for window in [3_000, 4_000, 8_000, 12_000, 16_000, 24_000, 32_000, 48_000] {
        let sources = alike(&qualities.map(|quality| json!({ "quality": quality })), 300);
        let found = carried(window, "auto", sources).await;
        println!("{window}: {found:?}");
        digests += found.iter().filter(|(level, _)| *level == FidelityLevel::Digest).count();
        for (better, worse) in [(1, 3), (1, 0), (1, 2), (3, 0), (3, 2)] {
            let (better, worse) = (found[better].1 + PASSAGE_TOKENS, found[worse].1);
            assert!(better >= worse, "{window}: {found:?} of {qualities:?}");
        }
    }
    assert!(digests > 0, "no source was carried as its digest");
}

#[tokio::test]
async fn a_source_that_fits_is_sent_whole_and_not_summarized() {
    let mut dice = Dice(3);
    let texts: Vec<String> = (0..4).map(|n| dice.text(n, 300)).collect();
    let sources: Vec<Value> = texts.iter().zip(0..).map(|(text, n)| source(n, text.clone())).collect();
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
    for (room, reader, other) in [(32_000, "", "findings"), (0, "findings", "summary")] {
        let server = Marked::start().await;
        let mut settings = settings(server.base_url(), 200_000);
        settings.report.writer_evidence_tokens = room;
        let (data, calls) = report(&server, &settings, body.clone()).await;
        let data = data.expect("a report");
        assert!(calls.iter().all(|call| call.schema != "summary" && call.schema != other), "evidence alone fits");
        let read: String = calls.iter().filter(|call| call.schema == reader).map(|call| call.text.clone()).collect();
        for sentence in texts.iter().flat_map(|text| text.split(". ")) {
            assert!(read.contains(sentence.trim_end_matches('.')), "not sent: {sentence}");
        }
        for item in data.content_fidelity.0.values() {
            let before: Vec<FidelityLevel> =
                item.phases.range(..precis_proto::Phase::Compression).map(|(_, record)| record.level).collect();
            assert!(before.iter().all(|level| *level == FidelityLevel::Raw), "{before:?}");
        }
        assert!(data.warning_details.iter().all(|w| !w.message.contains("shorter than they were read")));
    }
}

#[tokio::test]
async fn texts_of_many_windows_are_read_once_and_completely() {
    let mut dice = Dice(5);
    let texts: Vec<String> = [1_500, 40, 300].into_iter().zip(0..).map(|(many, n)| dice.text(n, many)).collect();
    let sources: Vec<Value> = texts.iter().zip(0..).map(|(text, n)| source(n, text.clone())).collect();
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
    let sentences = |text: &str| -> Vec<String> { text.split(". ").map(str::to_owned).collect() };
    for (calls_allowed, is_all) in [(16, true), (2, false)] {
        let server = Marked::start().await;
        let mut settings = settings(server.base_url(), 16_000);
        settings.tokens.compression_calls = calls_allowed;
        let (data, calls) = report(&server, &settings, body.clone()).await;
        let data = data.expect("a report");
        let reading: Vec<&MarkedCall> = calls.iter().filter(|call| call.schema == "findings").collect();
        assert!((2..=calls_allowed as usize).contains(&reading.len()), "{} calls", reading.len());
        assert!(calls.iter().all(|call| call.tokens <= 16_000));
        assert_eq!(calls.iter().any(|call| call.schema.starts_with("summar")), !is_all, "{calls_allowed}");
        assert_eq!(precis_report::ledger::check(&data.ledger), Ok(()));
        if is_all {
            for sentence in texts.iter().flat_map(|text| sentences(text)) {
                let sentence = sentence.trim_end_matches('.');
                let times = reading.iter().filter(|call| call.text.contains(sentence)).count();
                assert_eq!(times, 1, "read {times} times: {sentence}");
            }
        }
    }
}

#[tokio::test]
async fn many_sources_take_the_calls_allowed_and_each_has_a_record() {
    let mut dice = Dice(13);
    let sources: Vec<Value> = (0..1_000).map(|n| source(n, dice.text(n, 8))).collect();
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
    let server = Marked::start().await;
    let mut settings = settings(server.base_url(), 16_000);
    settings.tokens.compression_calls = 16;
    let (data, calls) = report(&server, &settings, body).await;
    let data = data.expect("a report");
    let reading = calls.iter().filter(|call| call.schema == "findings").count();
    assert!((8..=16).contains(&reading), "{reading} calls read the texts");
    assert!(calls.iter().all(|call| call.tokens <= 16_000));
    assert_eq!(precis_report::ledger::check(&data.ledger), Ok(()));
    assert_eq!((data.sources.len(), data.content_fidelity.0.len()), (1_000, 1_000));
    assert_eq!(unread(&calls, &data), [""; 0]);
}

#[tokio::test]
async fn texts_that_fit_the_writer_are_sent_whole_and_uncompressed() {
    let mut dice = Dice(9);
    let texts: Vec<String> = (0..3).map(|n| dice.text(n, 40)).collect();
    let all: u64 = texts.iter().map(|text| precis_text::tokens::count(text)).sum();
    let sources: Vec<Value> = texts.iter().zip(0..).map(|(text, n)| source(n, text.clone())).collect();
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
    for (room, policy, reads) in [
        (all - 1, "auto", WriterReads::Reduced),
        (all, "auto", WriterReads::Whole),
        (all + 1, "auto", WriterReads::Whole),
        (all + 1, "always", WriterReads::Reduced),
    ] {
        let server = Marked::start().await;
        let mut settings = settings(server.base_url(), 200_000);
        settings.report.writer_evidence_tokens = room;
        settings.digest.policy = serde_json::from_value(json!(policy)).expect("a policy");
        let (data, calls) = report(&server, &settings, body.clone()).await;
        let data = data.expect("a report");
        let findings = calls.iter().filter(|call| call.schema == "findings").count();
        assert_eq!(data.writer_reads, Some(reads), "{room} {policy}");
        assert_eq!(findings, usize::from(reads == WriterReads::Reduced), "{room} {policy}");
        assert_eq!(precis_report::ledger::check(&data.ledger), Ok(()));
        for item in data.content_fidelity.0.values() {
            // What compression dropped is shown to nobody.
            let Some(record) = item.phases.get(&Phase::Synthesis) else { continue };
            let notes = &record.warnings;
            assert!(notes.iter().any(|note| note.starts_with("the writer was shown ")), "{notes:?}");
        }
        for phase in [Phase::Digest, Phase::Summarization, Phase::Compression] {
            for item in data.content_fidelity.0.values() {
                let record = &item.phases[&phase];
                let is_told = record.warnings.iter().any(|note| note.contains("reads the whole text"));
                assert_eq!(is_told, reads == WriterReads::Whole, "{phase} {record:?}");
                let is_kept = record.level == FidelityLevel::Raw && record.tokens_after == record.tokens_before;
                assert!(is_kept || reads == WriterReads::Reduced, "{phase} {record:?}");
            }
        }
    }
}

#[tokio::test]
async fn openings_replace_evidence_only_where_no_source_is_relevant() {
    let lorem = "Lorem ipsum dolor sit amet. Nobody asked for this. It says nothing at all.";
    let mut sources: Vec<Value> = (0..8).map(|n| source(n, format!("{lorem} Page {n} ends."))).collect();
    let ask = async |sources: &[Value]| {
        let world = World::new().await;
        let settings = Settings::default();
        let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
        let body = json!({ "schema_version": 2, "session_id": "s", "query": "How fast does the glacier melt?", "sources": sources });
        world.submit_body("s", &body).await;
        result_of(&world, "s").await.data.expect("a report")
    };
    let told = |data: &ReportData| data.warning_details.iter().any(|w| w.message.contains("openings of the sources"));
    assert!(told(&ask(&sources).await), "nothing speaks to the question");
    // A batch of its own, beside one that has nothing to say.
    sources.push(source(8, "The glacier melts by nine metres a year, as the measurement says.".to_owned()));
    let data = ask(&sources).await;
    assert!(!told(&data), "{:?}", data.warning_details);
    assert!(
        !data.citations.is_empty() && data.citations.iter().all(|c| c.source_id.as_str() == "s8"),
        "{:?}",
        data.citations
    );
}

/// What a made-up session breaks, in words.
fn faults(data: &ReportData, calls: &[MarkedCall], window: u64, protected: &BTreeSet<String>) -> Vec<String> {
    let mut faults: Vec<String> = calls
        .iter()
        .filter(|call| call.tokens > window)
        .map(|call| format!("a request of {} tokens in a window of {window}", call.tokens))
        .collect();
    faults.extend(unread(calls, data).into_iter().map(|mark| format!("nobody read {mark}")));
    if let Err(fault) = precis_report::ledger::check(&data.ledger) {
        faults.push(fault.to_string());
    }
    for row in &data.sources {
        let id = &row.source_id;
        let Some(item) = data.content_fidelity.0.get(id) else {
            faults.push(format!("{id} has no record"));
            continue;
        };
        let gone = item.phases.iter().find(|(_, record)| record.level == FidelityLevel::Dropped);
        if gone.is_some_and(|(_, record)| record.reason.is_none() && record.warnings.is_empty()) {
            faults.push(format!("{id} was dropped without a reason"));
        }
        if gone.is_some() && protected.contains(id.as_str()) {
            let told = data.warning_details.iter().any(|w| w.code.as_str() == "PROTECTED_OVERFLOW");
            faults.push(format!("protected {id} was dropped, told: {told}"));
        }
    }
    faults
}

#[tokio::test(flavor = "multi_thread")]
async fn random_sessions_record_every_loss_and_use_what_they_paid() {
    let sessions = std::env::var("PRECIS_SESSIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(SESSIONS);
    let (mut calls_made, mut reports, mut too_small) = (0, 0, 0);
    for session in 0..sessions {
        let mut dice = Dice(session * 7_919 + 1);
        let window = dice.of(&[2_000, 3_000, 4_000, 8_000, 16_000, 32_000, 64_000, 200_000]);
        let most = if session % 50 == 0 { 400 } else { 14 };
        let (mut protected, mut sources) = (BTreeSet::new(), Vec::new());
        for n in 0..1 + dice.below(most) {
            let sentences = dice.of(&[1, 4, 20, 60, 200]) / if most > 100 { 4 } else { 1 } + 1;
            let mut one = source(n, dice.text(n, sentences));
            one["quality"] = json!(dice.of(&["low", "medium", "high"]));
            // Few enough that a headline of each fits the smallest window.
            if protected.len() < 2 && dice.below(6) == 0 {
                one["protected"] = json!(true);
                protected.insert(format!("s{n}"));
            }
            sources.push(one);
        }
        let mut body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
        if dice.below(3) == 0 {
            let turn = |n: u64, d: &mut Dice| {
                let sentences = d.below(20);
                [
                    json!({ "role": "user", "content": format!("Question {n}?") }),
                    json!({ "role": "assistant", "content": d.text(n, sentences) }),
                ]
            };
            body["options"]["history"] = json!((0..dice.below(8)).flat_map(|n| turn(n, &mut dice)).collect::<Vec<_>>());
        }
        if dice.below(4) == 0 {
            let sentences = dice.below(40);
            body["options"]["project_context"] = json!(dice.text(99, sentences));
        }
        let server = Marked::start().await;
        let mut settings = settings(server.base_url(), window);
        settings.digest.policy = serde_json::from_value(json!(dice.of(&["auto", "off", "always"]))).expect("a policy");
        settings.tokens.compression_calls = dice.of(&[1, 2, 16]);
        let (data, calls) = report(&server, &settings, body).await;
        calls_made += calls.len();
        match data {
            Ok(data) => {
                reports += 1;
                let found = faults(&data, &calls, window, &protected);
                assert!(found.is_empty(), "session {session}, window {window}: {found:#?}");
            }
            Err(error) => {
                too_small += 1;
                assert_eq!(error["code"], "over_budget", "session {session}, window {window}: {error}");
                assert!(calls.is_empty(), "session {session}: it was paid for nothing");
            }
        }
    }
    println!("{sessions} sessions: {reports} reports, {too_small} refused, {calls_made} calls");
    assert!(reports * 10 >= sessions * 9, "{reports} of {sessions}");
}
