//! Models that are hard to work with. What one says depends on its prompt alone, so that a call that is made again gets the same answer.

use std::time::Duration;

use precis_tests::provider::{Reply, Seen};
use serde_json::{Value, json};

/// What is the matter with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Plans 30 parts, sends 50 directives, searches for ten things at once and never ends.
    Greedy,
    /// Finds everything complete before anything was done.
    Lazy,
    /// Calls tools that do not exist, reads what was not found, repeats itself, works on parts that nobody planned.
    Confused,
    /// Answers every other call, and what it answers may be cut off or no JSON.
    Failing,
}

impl Mood {
    pub(crate) const ALL: [Self; 4] = [Self::Greedy, Self::Lazy, Self::Confused, Self::Failing];
}

/// The answers of a model in `mood`, each after `delay`.
pub(crate) fn answered_by(mood: Mood, delay: Duration) -> impl Fn(&Seen) -> Reply + Send + Sync + 'static {
    move |seen| {
        std::thread::sleep(delay);
        let n = number_of(&seen.text());
        if mood == Mood::Failing {
            match n % 6 {
                0 => return Reply::status(500),
                1 => return Reply::Text("I would rather not.".to_owned()),
                2 => return Reply::CutOff("{\"calls\": [{\"tool\": \"sea".to_owned()),
                _ => {}
            }
        }
        let said = match mood {
            Mood::Greedy | Mood::Failing => greedy(seen, n),
            Mood::Lazy => lazy(seen),
            Mood::Confused => confused(seen, n),
        };
        said.map_or(Reply::Fitting, |said| Reply::Body(body(&said.to_string(), seen)))
    }
}

/// A number that the text of a prompt decides.
fn number_of(text: &str) -> usize {
    text.bytes().fold(7, |sum, byte| (sum * 31 + usize::from(byte)) % 1_000_003)
}

/// Which answer is wanted: that of a researcher's turn is `turn`.
fn wanted(seen: &Seen) -> &str {
    if seen.body["tools"].is_array() { "turn" } else { seen.schema_name() }
}

fn plan(parts: usize) -> Value {
    let part = |n: usize| json!({ "text": format!("What of year {n}"), "answered_when": "a page says so", "priority": 1, "after": [] });
    json!({
        "restated": "All of it", "kind": "fact", "constraints": [], "assumptions": [],
        "sub_questions": (0..parts).map(part).collect::<Vec<_>>(),
    })
}

fn delegation(count: usize, topic: impl Fn(usize) -> String, part: impl Fn(usize) -> String) -> Value {
    let one = |at: usize| {
        json!({
            "sub_questions": [part(at)], "topic": topic(at), "perspective": format!("side {at}"), "evidence_needed": "all",
            "priority": 1,
        })
    };
    json!({ "is_complete": false, "directives": (0..count).map(one).collect::<Vec<_>>(), "reason": "all is open" })
}

fn greedy(seen: &Seen, n: usize) -> Option<Value> {
    Some(match wanted(seen) {
        "turn" => {
            let queries: Vec<String> =
                (0..10).map(|at| format!("reservoir {} of year {}", at + n % 7, n + at)).collect();
            json!({ "calls": [{ "tool": "think", "text": "More." }, { "tool": "search", "queries": queries }] })
        }
        "plan" => plan(30),
        "thought" => json!({ "text": "Nothing is enough.", "is_enough": false }),
        "delegation" => delegation(50, |at| format!("Look for year {} again", n + at), |at| format!("q{}", at % 5 + 1)),
        _ => return None,
    })
}

fn lazy(seen: &Seen) -> Option<Value> {
    Some(match wanted(seen) {
        "turn" => json!({ "calls": [{ "tool": "complete", "summary": "Nothing to add." }] }),
        "plan" => plan(1),
        "thought" => json!({ "text": "It is all there.", "is_enough": true }),
        "delegation" => json!({ "is_complete": true, "directives": [], "reason": "it is all there" }),
        _ => return None,
    })
}

fn confused(seen: &Seen, n: usize) -> Option<Value> {
    Some(match wanted(seen) {
        "turn" => json!({ "calls": [match n % 5 {
            0 => json!({ "tool": "browse", "url": "http://93.184.216.1/secret" }),
            1 => json!({ "tool": "read", "addresses": ["999", "http://93.184.216.9/none"] }),
            2 => json!({ "tool": "search", "queries": ["reservoir"] }),
            3 => json!({ "tool": "search", "queries": 7 }),
            _ => json!({ "tool": "think", "text": "Where was I?" }),
        }] }),
        "plan" => plan(2),
        "thought" => json!({ "text": "Perhaps [77] says it.", "is_enough": n.is_multiple_of(7) }),
        "delegation" => delegation(1 + n % 3, |_| "reservoir".to_owned(), |at| format!("q{}", 40 + at)),
        _ => return None,
    })
}

/// The body of an answer, with what it cost: the tokens of the request, and a token for every four characters of `text`, as many at most
/// as the request allows.
fn body(text: &str, seen: &Seen) -> String {
    let message = json!({ "role": "assistant", "content": text });
    let said = (text.len().div_ceil(4) as u64).min(seen.longest_answer());
    let usage = json!({ "prompt_tokens": seen.tokens - seen.longest_answer(), "completion_tokens": said });
    let choices = json!([{ "index": 0, "finish_reason": "stop", "message": message }]);
    json!({ "id": "x", "object": "chat.completion", "choices": choices, "usage": usage }).to_string()
}
