//! A question over seven documents, a model that plans, supervises and researches as a script says, and what came of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use precis_proto::source::ContentRef;
use precis_runtime::archive::Archive;
use precis_runtime::config::Settings;
use precis_tests::provider::{Reply, Scripted, Seen};
use precis_tests::world::World;
use precis_tests::world::real::{real_worker, result_of};
use precis_workers::assembly::pipeline;
use precis_workers::documents::parse::Parser;
use precis_workers::lanes::Lanes;
use precis_workers::options::extract_limits;
use serde_json::{Value, json};

use crate::rounds::{corpus, proved};

pub(super) const QUESTION: &str = "Where was the director of Blue Moon born, and who owned the ferry of Leeds?";
pub(super) const BIRTH: &str = "Look for the birthplace of Ann Bell, who directed the film Blue Moon.";
pub(super) const FERRY: &str = "Look for the owner of the ferry of Leeds before 1932.";
pub(super) const DOCUMENTS: [(&str, &str); 7] = [
    ("film.txt", "Blue Moon is a drama film of 1950 that was directed by Ann Bell and starred Tom Fox."),
    (
        "cinema.txt",
        "Blue Moon is a drama film of 1950 that was directed by Ann Bell and was shown in London for weeks.",
    ),
    ("bell.txt", "Ann Bell (1901 to 1980) was born in Leeds and worked in the theatre."),
    ("fox.txt", "Tom Fox was a singer who toured widely."),
    ("ferry.txt", "The ferry of Leeds crossed the river until 1932. It was owned by Carl Hope."),
    ("boats.txt", "The ferry of Leeds carried 40 carts a day, and the boats of Carl Hope were built of oak."),
    ("moon.txt", "The moon of the earth has no air."),
];

/// A supervisor and a researcher who know their work.
#[derive(Clone, Default)]
pub(super) struct Script {
    /// Answers to the first turns that hold no call.
    pub(super) unreadable_turns: usize,
    /// Answers to the first thoughts that are none.
    pub(super) unreadable_thoughts: usize,
    /// Whether it wants more directives than a round may have.
    pub(super) is_greedy: bool,
    /// How often a researcher repeats a thought.
    pub(super) long_thoughts: usize,
    /// What it waits before each turn of the first topic.
    pub(super) slow: Duration,
    /// Documents beside [`DOCUMENTS`].
    pub(super) more: Vec<(&'static str, String)>,
}

impl Script {
    fn mind(self) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
        let (turns, thoughts) = (AtomicUsize::new(0), AtomicUsize::new(0));
        move |seen| {
            let text = seen.text();
            let answer = match shape(seen) {
                "plan" => plan(),
                "thought" if thoughts.fetch_add(1, Ordering::Relaxed) < self.unreadable_thoughts => {
                    return Reply::Text("The gaps are plain to see.".to_owned());
                }
                "thought" => thought(&text),
                "delegation" => self.delegation(&text),
                "turn" if turns.fetch_add(1, Ordering::Relaxed) < self.unreadable_turns => {
                    return Reply::Text("I would search for the ferry.".to_owned());
                }
                "turn" => self.turn(&text),
                "report" => return Reply::Text(report(&text)),
                "ratings" => {
                    json!({ "ratings": [{ "dimension": "depth", "quote": "Carl Hope", "reason": "", "score": 4 }] })
                }
                _ => return Reply::Fitting,
            };
            Reply::Text(answer.to_string())
        }
    }

    fn delegation(&self, text: &str) -> Value {
        if !text.contains("This is round 1 of") && !text.contains("This is the first round.") {
            return json!({ "directives": [], "is_complete": true, "reason": "both parts are covered" });
        }
        let directive = |topic: &str, of: &str, side: &str, priority: u8| json!({ "sub_questions": [of], "topic": topic, "perspective": side, "evidence_needed": "a name", "priority": priority });
        let mut directives = vec![directive(FERRY, "q3", "a historian", 2), directive(BIRTH, "q2", "a historian", 1)];
        if self.is_greedy {
            let more =
                (1..=6).map(|n| directive(&format!("Look for boat number {n}."), "q3", &format!("sailor {n}"), 3));
            directives.extend(more);
        }
        json!({ "directives": directives, "is_complete": false, "reason": "two parts are open" })
    }

    fn turn(&self, text: &str) -> Value {
        let is_ferry = text.contains(FERRY);
        if is_ferry {
            std::thread::sleep(self.slow);
        }
        let think = |said: &str| json!({ "tool": "think", "text": format!("{said}{}", " Weighed.".repeat(self.long_thoughts)) });
        let thoughts = labels(text).iter().filter(|label| label.ends_with(" think")).count();
        let calls = match (thoughts, is_ferry) {
            (0, true) => vec![
                think(NOTED),
                json!({ "tool": "search", "queries": ["who owned the ferry of Leeds", "boats of Carl Hope"] }),
            ],
            (0, false) => vec![
                think("She is named."),
                json!({ "tool": "search", "queries": ["Where was the director of Blue Moon born", "Ann Bell theatre"] }),
            ],
            (1, _) => vec![think("One is worth reading."), json!({ "tool": "read", "addresses": [number_of(text)] })],
            (_, true) => {
                vec![json!({ "tool": "complete", "summary": format!("Carl Hope owned it [{}].", number_of(text)) })]
            }
            (_, false) => {
                vec![json!({ "tool": "complete", "summary": format!("She was born in Leeds [{}].", number_of(text)) })]
            }
        };
        json!({ "calls": calls })
    }
}

/// Something that a researcher thought and no document says.
pub(super) const NOTED: &str = "The owner is named; the boats of Carl Hope were painted green in 1899.";

/// A report that says what a text says, and what nothing but a note says.
pub(super) fn report(text: &str) -> String {
    let numbered = |label: &str| label.split(':').next().filter(|n| n.parse::<u32>().is_ok()).map(str::to_owned);
    let of_ferry = |(label, text): (String, String)| numbered(&label).filter(|_| text.contains("owned by Carl Hope"));
    let n = pieces(text).into_iter().find_map(of_ferry).unwrap_or_else(|| "1".to_owned());
    format!(
        "The ferry of Leeds was owned by Carl Hope. [{n}]\n\nThe boats of Carl Hope were painted green in 1899. [{n}]"
    )
}

/// What a request asks for.
pub(super) fn shape(seen: &Seen) -> &str {
    match seen.schema_name() {
        "" if seen.body["tools"].is_array() => "turn",
        "" => "report",
        name => name,
    }
}

pub(super) fn plan() -> Value {
    let one = |text: &str, after: &[u32]| json!({ "text": text, "answered_when": "a text says so", "priority": 1, "after": after });
    json!({
        "restated": QUESTION, "kind": "multi_hop", "constraints": [], "assumptions": [],
        "sub_questions": [one("Who was the director of Blue Moon", &[]), one("Where was the director of Blue Moon born", &[1]),
            one("who owned the ferry of Leeds", &[])],
    })
}

pub(super) fn thought(text: &str) -> Value {
    let round = (1..=2).find(|round| text.contains(&format!("This is round {round} of"))).unwrap_or(9);
    json!({ "text": format!("My thought of round {round}: two parts are open."), "is_enough": false })
}

/// The pieces between the marks: what each is called, and what it says.
pub(super) fn pieces(text: &str) -> Vec<(String, String)> {
    let label = |line: &str| {
        let (nonce, rest) = line.strip_prefix('#')?.split_once(' ')?;
        (nonce.len() == 8 && nonce.bytes().all(|b| b.is_ascii_hexdigit())).then(|| rest.to_owned())
    };
    let mut pieces: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (label(line), pieces.last_mut()) {
            (Some(label), _) => pieces.push((label, String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    pieces.retain(|(label, _)| label != "end");
    pieces
}

pub(super) fn labels(text: &str) -> Vec<String> {
    pieces(text).into_iter().map(|(label, _)| label).collect()
}

/// The number of the document that the directive is about.
pub(super) fn number_of(text: &str) -> String {
    let wanted = if text.contains(FERRY) { "ferry.txt" } else { "bell.txt" };
    number_in(text, wanted).unwrap_or_else(|| "0".to_owned())
}

/// The number in front of a document, in a line of results or of an inventory.
pub(super) fn number_in(text: &str, document: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with('[') && line.contains(&format!("] {document} |")))?;
    Some(line[1..].split(']').next()?.to_owned())
}

/// A finished session, what its model was asked, and where its texts lie.
pub(super) struct Study {
    pub(super) data: Value,
    pub(super) seen: Vec<Seen>,
    pub(super) world: World,
    pub(super) archive: tempfile::TempDir,
}

impl Study {
    /// Of [`QUESTION`], where a model answers for supervision and research as `script` says.
    pub(super) async fn of(script: Script) -> Self {
        Self::with(script, 32_000, &["supervision", "research"]).await
    }

    /// The same with a window of so many tokens, for these roles.
    pub(super) async fn with(script: Script, window: u64, roles: &[&str]) -> Self {
        let world = World::new().await;
        let more = script.more.clone();
        let server = Scripted::answering(script.mind()).await;
        // Whoever writes the report has a window of its own.
        let model = |name: &str| if name == "synthesis" { "fake:writer" } else { "fake:m" };
        let roles: BTreeMap<&str, Value> =
            roles.iter().map(|name| (*name, json!({ "providers": [model(name)] }))).collect();
        let windows = if roles.contains_key("synthesis") { [32_000, window] } else { [window, 32_000] };
        let limits = windows.map(|window: u64| json!({ "context_window": window, "max_output_tokens": 1_000 }));
        let settings = json!({
            "providers": { "fake": { "kind": "openai", "base_url": server.base_url() } },
            "roles": roles,
            "model_context_overrides": { "fake:m": limits[0], "fake:writer": limits[1] },
        });
        let settings: Settings = serde_json::from_value(settings).expect("settings");
        let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
        let archive = tempfile::tempdir().expect("a directory");
        let kept = Arc::new(Archive::open(archive.path().to_owned()).expect("opens"));
        let registry = pipeline::searching_registry(&settings, parser, Some(kept), Arc::new(Lanes::default()));
        let _worker = real_worker(&world, &settings, registry).await;
        let more = more.iter().map(|(path, text)| (*path, text.as_str()));
        let manifest = corpus(&world, &DOCUMENTS.into_iter().chain(more).collect::<Vec<_>>()).await;
        let research = json!({
            "corpus": proved(&world, &manifest).await, "depth": "deep", "max_rounds": 2, "max_sources": 4, "max_refinements": 0,
        });
        let body = json!({
            "schema_version": 3, "session_id": "one", "query": QUESTION, "sources": [], "options": { "research": research },
        });
        world.submit_body("one", &body).await;
        let response = result_of(&world, "one").await;
        let data = response.data.unwrap_or_else(|| panic!("{:?}", response.error));
        Self { data: serde_json::to_value(data).expect("JSON"), seen: server.seen(), world, archive }
    }

    pub(super) fn rounds(&self) -> &Vec<Value> {
        self.data["research"]["rounds"].as_array().expect("rounds")
    }

    /// The directives of all rounds.
    pub(super) fn directives(&self) -> Vec<&Value> {
        self.rounds().iter().flat_map(|round| round["directives"].as_array().expect("directives")).collect()
    }

    /// The directive on `topic`.
    pub(super) fn directive(&self, topic: &str) -> &Value {
        let all = self.directives();
        all.into_iter().find(|one| one["topic"] == topic).expect("it was sent")
    }

    /// All messages of the requests for an answer of this shape, in order.
    pub(super) fn asked(&self, wanted: &str) -> Vec<String> {
        self.seen.iter().filter(|seen| shape(seen) == wanted).map(Seen::text).collect()
    }

    /// What a directive noted.
    pub(super) async fn notes(&self, directive: &Value) -> String {
        let reference: ContentRef = directive["raw_notes"].as_str().expect("notes").parse().expect("a hash");
        let bytes = self.world.content.get(&reference).await.expect("kept");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
