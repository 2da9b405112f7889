//! A model that plans, supervises and does research on a [`Story`]: it looks for the birthplace first and for the ferry in the second
//! round; for the ferry where there is one round only. What it says depends on the request alone, so that a call that is made again gets the same answer.

use serde_json::{Value, json};

use super::stories::Story;
use crate::provider::{Reply, Seen};

/// What it answers to `seen`.
#[must_use]
pub fn answer(seen: &Seen) -> Reply {
    answered(seen, plan, delegation, turn)
}

/// The same of one that sends five directives in one round, each of one search.
#[must_use]
pub fn answer_widely(seen: &Seen) -> Reply {
    answered(seen, wide_plan, wide_delegation, short_turn)
}

fn answered(
    seen: &Seen,
    plan: fn(&Story) -> Value,
    delegation: fn(&Story, &str) -> Value,
    turn: fn(&Story, &str) -> Value,
) -> Reply {
    let text = seen.text();
    let Some(story) = Story::asked_in(&text) else { return Reply::Fitting };
    let said = match seen.schema_name() {
        "" if seen.body["tools"].is_array() => turn(&story, &text),
        "plan" => plan(&story),
        "thought" => json!({ "text": format!("{} is not closed yet.", story.question()), "is_enough": false }),
        "delegation" => delegation(&story, &text),
        _ => return Reply::Fitting,
    };
    Reply::Text(said.to_string())
}

fn plan(story: &Story) -> Value {
    let parts = [
        (format!("Who was the director of {}", story.film), &[][..]),
        (format!("Where was the director of {} born", story.film), &[1]),
        (format!("Who owned the ferry of {}", story.town), &[]),
    ];
    planned(story, &parts)
}

fn wide_plan(story: &Story) -> Value {
    planned(story, &sides(story).map(|side| (side, &[][..])))
}

fn planned(story: &Story, parts: &[(String, &[u32])]) -> Value {
    let one = |(text, after): &(String, &[u32])| json!({ "text": text, "answered_when": "a page says so", "priority": 1, "after": after });
    json!({
        "restated": story.question(), "kind": "multi_hop", "constraints": [], "assumptions": [],
        "sub_questions": parts.iter().map(one).collect::<Vec<_>>(),
    })
}

/// Five things to ask.
fn sides(story: &Story) -> [String; 5] {
    [
        format!("Who was the director of {}", story.film),
        format!("Where was {} born", story.director),
        format!("Who owned the ferry of {}", story.town),
        format!("When did the ferry of {} end", story.town),
        format!("What were the boats of {} built of", story.owner),
    ]
}

fn birth(story: &Story) -> String {
    format!("Look for the birthplace of {}, who directed {}.", story.director, story.film)
}

fn ferry(story: &Story) -> String {
    format!("Look for the owner of the ferry of {} before 1932.", story.town)
}

fn directive(of: &str, topic: String) -> Value {
    json!({ "sub_questions": [of], "topic": topic, "perspective": "a historian", "evidence_needed": "a name", "priority": 1 })
}

fn wide_delegation(story: &Story, text: &str) -> Value {
    let is_first = is_first_round(text);
    let all = sides(story).into_iter().enumerate().map(|(n, side)| directive(&format!("q{}", n + 1), side));
    let directives: Vec<Value> = if is_first { all.collect() } else { Vec::new() };
    json!({ "is_complete": !is_first, "directives": directives, "reason": "five parts" })
}

fn is_first_round(text: &str) -> bool {
    text.contains("This is round 1 of") || text.contains("This is the first round.")
}

fn delegation(story: &Story, text: &str) -> Value {
    // Whoever looks the directives over is shown them.
    let is_only_round =
        text.contains("This is round 1 of 1.") || (is_first_round(text) && text.contains(&ferry(story)));
    let (directives, reason) = if is_only_round {
        (vec![directive("q3", ferry(story))], "the ferry is at hand")
    } else if is_first_round(text) {
        (vec![directive("q2", birth(story))], "the director comes first")
    } else if text.contains("This is round 2 of") {
        (vec![directive("q3", ferry(story))], "the ferry is left")
    } else {
        (Vec::new(), "all parts are covered")
    };
    json!({ "is_complete": directives.is_empty(), "directives": directives, "reason": reason })
}

/// Searches once, then ends.
fn short_turn(story: &Story, text: &str) -> Value {
    let found = text.lines().any(|line| line.starts_with('[') && line.contains("] "));
    let side = sides(story).into_iter().find(|side| text.contains(side.as_str())).unwrap_or_else(|| story.question());
    let call = match found {
        true => json!({ "tool": "complete", "summary": "It stands there [1]." }),
        false => json!({ "tool": "search", "queries": [side] }),
    };
    json!({ "calls": [call] })
}

/// Searches, then reads what is best, then ends.
fn turn(story: &Story, text: &str) -> Value {
    let (query, page) = match text.contains(&ferry(story)) {
        true => (format!("ferry {} {}", story.town, story.owner), format!("Ferry of {}", story.town)),
        false => (format!("{} theatre", story.director), story.director.clone()),
    };
    let thought = |text: &str| json!({ "tool": "think", "text": text });
    let thoughts = text.lines().filter(|line| line.starts_with('#') && line.ends_with(" think")).count();
    let calls = match thoughts {
        0 => vec![thought("Somebody is named."), json!({ "tool": "search", "queries": [query] })],
        1 => vec![
            thought("One is worth reading."),
            json!({ "tool": "read", "addresses": [number(text, &page).unwrap_or("1")] }),
        ],
        _ => {
            let summary = format!("It stands there [{}].", number(text, &page).unwrap_or("1"));
            vec![json!({ "tool": "complete", "summary": summary })]
        }
    };
    json!({ "calls": calls })
}

/// The number before a page of this title, in a line of results.
fn number<'a>(text: &'a str, title: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with('[') && line.contains(&format!("] {title}")))?;
    line[1..].split(']').next()
}
