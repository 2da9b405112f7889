//! What is read, what it must keep, and good inputs for each. A law that is broken is a panic.

use std::collections::BTreeMap;

use bytes::Bytes;
use precis_context::prompt;
use precis_proto::control::Control;
use precis_proto::envelope::{Envelope, Header, MAX_CONTROL_BYTES, MAX_EVENT_BYTES};
use precis_proto::event::Event;
use precis_proto::fault::body_fault;
use precis_proto::finding::{Finding, Quote};
use precis_proto::request::{MAX_SOURCES, MAX_TITLE_CHARS, ResearchRequest, max_unfolded_bytes};
use precis_proto::response::{Response, Status};
use precis_proto::source::SourceText;
use precis_proto::state::{OLDEST_WRITABLE_VERSION, STATE_SCHEMA_VERSION, SessionState, read, write};
use precis_proto::task::{CompressTask, SummarizeTask, SynthesizeTask, Task, TaskFinding, TaskPassage};
use precis_proto::{CharRange, Locator, Phase, SourceId, Timestamp};
use precis_report::draft::citations::cite;
use precis_report::ledger::{ItemTokens, row};
use precis_report::rendering::{html, markdown};
use precis_report::response::{SessionEnding, assemble};
use precis_report::verify::{ArchiveReader, hex_of, verify_value};
use precis_text::CanonicalText;
use precis_workers::cli::terminal::{json_safe, printable};
use serde_json::{Value, json};

use super::search;

/// One kind of input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its word on the command line.
    pub name: &'static str,
    /// Reads an input; panics where a law is broken.
    pub try_one: fn(&[u8]),
    /// Good inputs.
    pub corpus: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: [Target; 7] = [
    Target { name: "request", try_one: request, corpus: requests },
    Target { name: "state", try_one: state, corpus: states },
    Target { name: "event", try_one: event, corpus: events },
    Target { name: "dead-letter", try_one: dead_letter, corpus: dead_letters },
    Target { name: "answer", try_one: answer, corpus: answers },
    Target { name: "search-answer", try_one: search::answer, corpus: search::answers },
    Target { name: "package", try_one: package, corpus: packages },
];

/// A request is read within its limits, or its fault has a pointer to a place.
fn request(bytes: &[u8]) {
    let encodings = [None, Some("zstd".to_owned()), Some("gzip".to_owned())];
    for content_encoding in encodings {
        let header = Header { content_encoding, ..Header::default() };
        let envelope = Envelope { header, body: Bytes::copy_from_slice(bytes) };
        let Ok(plain) = envelope.plain_body_within(max_unfolded_bytes(bytes.len())) else { continue };
        match serde_json::from_slice::<ResearchRequest>(&plain) {
            Ok(request) => {
                assert!(request.sources.len() <= MAX_SOURCES + 1);
                assert!(request.sources.iter().all(|s| s.title.chars().count() <= 4 * MAX_TITLE_CHARS + 1));
                let again = serde_json::to_vec(&request).expect("plain data");
                assert_eq!(serde_json::from_slice::<ResearchRequest>(&again).expect("is one"), request);
            }
            Err(_) => {
                let fault = body_fault::<ResearchRequest>(&plain);
                assert!(fault.is_none_or(|fault| fault.pointer.is_empty() || fault.pointer.starts_with('/')));
            }
        }
    }
}

fn requests() -> Vec<Vec<u8>> {
    let source = json!({
        "source_id": "a", "title": "A", "url": "https://example.org/a", "content_type": "text/plain", "quality": "high",
        "published_at": "2026-01-01T00:00:00Z", "protected": true,
    });
    let reference = json!({ "source_id": "b", "content_ref": format!("sha256:{}", "0".repeat(64)), "content_proof": "0".repeat(64) });
    let options = json!({
        "report_tokens": 800, "deadline_seconds": 600, "max_spend_usd": 1.5, "history": [{ "role": "user", "content": "x" }],
        "prior_context": [{ "title": "t", "text": "x" }], "project_context": "p",
    });
    let bodies = [
        json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [source, reference], "options": options }),
        json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [{ "source_id": "a", "content_base64": "eA==" }] }),
    ];
    bodies.iter().map(|body| body.to_string().into_bytes()).collect()
}

/// A state of any version is the same after writing and reading, and readable in the version before.
fn state(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice(bytes) else { return };
    let Ok(state) = read(value) else { return };
    assert_eq!(read(write(&state, STATE_SCHEMA_VERSION)).expect("is current"), state);
    read(write(&state, OLDEST_WRITABLE_VERSION)).expect("is readable");
}

fn states() -> Vec<Vec<u8>> {
    let fixtures = [
        include_str!("../../../proto/fixtures/state-v0.json"),
        include_str!("../../../proto/fixtures/state-v1.json"),
        include_str!("../../../proto/fixtures/state-v2.json"),
        include_str!("../../../proto/fixtures/state-v2-account.json"),
    ];
    fixtures.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Events and control messages are read within their sizes, and are the same after writing and reading.
fn event(bytes: &[u8]) {
    let envelope = Envelope { header: Header::default(), body: Bytes::copy_from_slice(bytes) };
    if let Ok(event) = envelope.decode_within::<Event>(MAX_EVENT_BYTES) {
        assert!(bytes.len() <= MAX_EVENT_BYTES);
        let again = serde_json::to_vec(&event).expect("plain data");
        assert_eq!(serde_json::from_slice::<Event>(&again).expect("is one"), event);
    }
    if let Ok(control) = envelope.decode_within::<Control>(MAX_CONTROL_BYTES) {
        assert!(bytes.len() <= MAX_CONTROL_BYTES);
        let again = serde_json::to_vec(&control).expect("plain data");
        assert_eq!(serde_json::from_slice::<Control>(&again).expect("is one"), control);
    }
}

fn events() -> Vec<Vec<u8>> {
    let bodies = [
        json!({ "schema_version": 1, "session_id": "s", "at": "2026-01-01T00:00:00Z", "event": "session_accepted", "sources": 3 }),
        json!({ "schema_version": 1, "session_id": "s", "at": "2026-01-01T00:00:00Z", "event": "phase_finished", "phase": "digest" }),
        json!({ "control": "cancel", "session_id": "s" }),
        json!({ "control": "stop", "session_id": "s" }),
    ];
    bodies.iter().map(|body| body.to_string().into_bytes()).collect()
}

/// A dead letter is shown without steering the terminal, and its JSON says the same as it did.
fn dead_letter(bytes: &[u8]) {
    let steers =
        |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
    let text = String::from_utf8_lossy(bytes);
    assert!(!printable(&text).contains(steers));
    if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
        for json in [value.to_string(), format!("{value:#}")] {
            let safe = json_safe(&json);
            assert!(!safe.contains(steers));
            assert_eq!(serde_json::from_str::<Value>(&safe).expect("JSON"), value);
        }
    }
}

fn dead_letters() -> Vec<Vec<u8>> {
    let letter = json!({ "session_id": "s\u{9b}", "error": "\u{1b}[2J\u{202e}x", "n": [1, 2.5, null] });
    [letter.to_string().into_bytes(), b"no JSON \x1b[0m \xff".to_vec()].into_iter().chain(requests()).collect()
}

/// An answer of a model is refused or belongs to its task; as a report it renders, with no more citations than there are quotes.
fn answer(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for task in tasks() {
        let Ok(value) = prompt::read(&task, &text) else { continue };
        assert!(value.is_object(), "{value}");
    }
    let (mut session, _) = session();
    let cited = cite(&text, &session.findings, &session.sources);
    assert!(cited.citations.len() <= session.findings.len());
    session.draft = Some(text.into_owned());
    let data = assemble(&session, cited, ending());
    assert!(!markdown::render(&data, &data.warning_details).is_empty());
    let page = html::render(&data, &data.warning_details, &BTreeMap::new(), &BTreeMap::new());
    assert!(!page.to_lowercase().contains("<script"), "a script in the page");
}

fn tasks() -> [Task; 3] {
    let finding = TaskFinding {
        id: 1,
        topic: "ice".to_owned(),
        statement: "It melts.".to_owned(),
        title: "A".to_owned(),
        source: 1,
        score: 0.5,
        headings: Vec::new(),
        path: String::new(),
        context: Vec::new(),
        similarity: None,
    };
    let passages: TaskPassage = serde_json::from_value(
        json!({ "id": 1, "title": "A", "source": 1, "text": "It melts.", "score": 0.5, "units": [], "headings": [] }),
    )
    .expect("a passage");
    [
        Task::Summarize(SummarizeTask {
            level: precis_proto::fidelity::FidelityLevel::KeyPoints,
            query: "q".to_owned(),
            title: "A".to_owned(),
            text: "It melts.".to_owned(),
            target_tokens: 100,
        }),
        Task::Compress(CompressTask {
            notes: Vec::new(),
            query: "q".to_owned(),
            topic: String::new(),
            passages: vec![passages],
            max_findings: 5,
            known: Default::default(),
        }),
        Task::Synthesize(SynthesizeTask {
            evidence: Default::default(),
            raw_notes: Vec::new(),
            status: None,
            notes: Vec::new(),
            query: "q".to_owned(),
            findings: vec![finding],
            target_tokens: 100,
            begun: String::new(),
        }),
    ]
}

fn answers() -> Vec<Vec<u8>> {
    let texts = [
        "# Ice\n\nIt melts “by one percent in a year” [1].\n\n- a [1]\n- b [2]\n\n| a |\n|---|\n| 1 [1] |\n\n## Sources\n\n1. x",
        "```json\n{\"summary\":\"It melts.\",\"key_points\":[\"melts\"]}\n```",
        "<think>no</think>{\"findings\":[{\"statement\":\"It melts.\",\"topic\":\"ice\",\"passages\":[1]}]}",
        "{\"markdown\":\"It melts [1].\"}",
        "> quoted\n\n```mermaid\ngraph\n```\n\n[a](https://e.org \"t\") ![i](x) <b>x</b> https://bare.example [99]",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// A report from elsewhere is proved or not; rendering it ends as well.
fn package(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let (_, text) = session();
    let stored = |hex: &str| (hex == hex_of(&text.hash().to_string())).then(|| text.as_str().as_bytes().to_vec());
    let verification = verify_value(&value, ArchiveReader { text: &stored, blocks: &|_| None });
    assert_eq!(verification.holds(), verification.first_of_each_kind().is_empty());
    if let Ok(response) = serde_json::from_value::<Response>(value)
        && let Some(data) = response.data
    {
        assert!(!markdown::render(&data, &data.warning_details).is_empty());
        let page = html::render(&data, &data.warning_details, &BTreeMap::new(), &BTreeMap::new());
        assert!(!page.to_lowercase().contains("<script"), "a script in the page");
    }
}

fn packages() -> Vec<Vec<u8>> {
    let (session, _) = session();
    let draft = "# Ice\n\nIt melts [1]. It is ice [2].";
    let cited = cite(draft, &session.findings, &session.sources);
    vec![serde_json::to_vec(&Response::report(assemble(&session, cited, ending()))).expect("plain data")]
}

fn ending() -> SessionEnding {
    SessionEnding { status: Status::Completed, stop_reason: None, incomplete: false, at: Timestamp(0) }
}

/// A session with one text and two findings in it.
fn session() -> (SessionState, CanonicalText) {
    let text = CanonicalText::from_plain("The glacier melts by one percent in a year. It is ice.");
    let source = json!({ "source_id": "a", "title": "A", "origin": { "url": "https://a.example" } });
    let body = json!({ "schema_version": 2, "session_id": "s", "revision": 1, "phase": "evaluation", "query": "What melts?", "sources": [source] });
    let mut state: SessionState = serde_json::from_value(body).expect("a session");
    let id = SourceId::new("a").expect("an id");
    let chars = text.chars() as u64;
    state.sources[0].text = Some(SourceText { content: text.hash(), chars, tokens: 9, pages: 0, blocks: None });
    state.ledger = vec![row(Phase::Extraction, &[ItemTokens::from_unchanged(9)])];
    for (number, (start, end)) in [(0_usize, 43_usize), (44, 54)].into_iter().enumerate() {
        let range = CharRange::new(start, end);
        let words: String = text.as_str().chars().skip(start).take(end - start).collect();
        let quote = Quote {
            source_id: id.clone(),
            locator: Locator { page: None, range },
            text: words,
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        state.findings.push(Finding {
            finding_id: number as u32 + 1,
            topic: "ice".to_owned(),
            statement: "It melts.".to_owned(),
            quotes: vec![quote],
            score: 0.5,
            tokens: 9,
            similarity: None,
        });
    }
    (state, text)
}
