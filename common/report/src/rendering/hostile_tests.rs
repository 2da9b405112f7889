//! Laws of both renderings, whatever a model or a document writes into any text of a report: nothing is a live link but the addresses of
//! sources, and no character is there that a reader cannot see.

use std::collections::BTreeMap;

use precis_proto::response::ReportData;
use precis_text::shown_text;
use pulldown_cmark::{Event, Parser, Tag};
use serde_json::{Value, json};

use super::context::QuoteContext;
use super::{html, markdown};
use crate::draft::citations::cite;
use crate::draft::inline::options;
use crate::draft::inline_writer::literal;
use crate::sample;

/// The only address that may be a link in the sample.
const SOURCE: &str = "https://ice.example/report?a=1&b=2";

/// Pieces of hostile texts.
const PIECES: [&str; 26] = [
    "https://evil.example/x",
    "www.evil.example",
    "a@evil.example",
    "mailto:",
    "ftp://",
    "w",
    "h",
    "@",
    "[1]",
    "[",
    "](",
    ")",
    "|",
    "`",
    "<",
    ">",
    "*",
    "_",
    "~~",
    "\\",
    "!",
    " ",
    "\n",
    "\u{200b}",
    "\u{202e}",
    "\u{e0041}",
];

/// A text of each kind for fields that are rendered one by one.
const TEXT: &str = "https://evil.example/a www.evil.example|b [c](https://evil.example/d) <https://evil.example> a@evil.example/[1] \
    `https://evil.example/[2]` w\u{200b}ww.evil.example ht\u{e0041}tps://evil.example ![i](//evil.example) <a href=\"//evil.example\">e</a> \
    @b@evil.example x\u{ad}\u{200d}\u{2066}y";

/// Everything that a renderer of GitHub Flavored Markdown could make a link, without regard to what precedes it.
fn live_links(page: &str) -> Vec<String> {
    let (mut found, mut run) = (Vec::new(), String::new());
    let mut is_code = false;
    for event in Parser::new_ext(page, options()) {
        match event {
            Event::Text(text) if !is_code => {
                run.push_str(&text);
                continue;
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.push(dest_url.to_string());
                // The text of an autolink is its address.
                is_code = true;
            }
            Event::End(pulldown_cmark::TagEnd::Link) => is_code = false,
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => is_code = false,
            Event::Start(Tag::HtmlBlock) | Event::Html(_) | Event::InlineHtml(_) => found.push(format!("{event:?}")),
            _ => {}
        }
        found.extend(bare_links(&std::mem::take(&mut run)));
    }
    found.extend(bare_links(&run));
    found
}

fn bare_links(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mail = lower.match_indices('@').any(|(at, _)| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
        let host = lower[at + 1..].split(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c))).next();
        lower[..at].ends_with(is_name) && host.is_some_and(|host| host.contains('.'))
    });
    let web = ["http://", "https://", "ftp://", "www.", "mailto:a", "xmpp:a"].iter().any(|sign| lower.contains(sign));
    (web || mail).then(|| text.to_owned()).into_iter().collect()
}

/// The sample with every section that a report may have.
fn full() -> Value {
    let (data, _) = sample::report();
    let mut data =
        serde_json::to_value(ReportData { evaluation: Some(sample::sample_judgement()), ..data }).expect("a report");
    let check = json!({ "kind": "number", "said": "t", "found": "t", "holds": false });
    let claim = |done: &str| {
        json!({ "text": "t", "verdict": "not_supported", "quotes": [1], "by_quote": [], "checks": [check], "judged_by": "model",
            "reason": "t", "done": done, "now": "t" })
    };
    data["claims"] = json!(["removed", "corrected", "marked"].map(claim));
    data["answer"] = json!({ "status": "partly", "line": "t", "parts": [{ "text": "t", "is_answered": false }, { "text": "t", "is_answered": true }] });
    let values = json!([{ "value": "t", "citations": [1] }, { "value": "t", "citations": [3] }]);
    data["disagreements"] = json!([{ "unit": "t", "kind": "number", "values": values }, { "unit": "", "kind": "wording", "values": values }]);
    data["comparison"] = json!({ "by": "element", "rows": [{ "name": "t", "citations": [1] }] });
    data["timeline"] = json!({ "rows": [{ "date": "t", "text": "t", "citations": [1] }] });
    data["sources"][0]["note"] =
        json!({ "summary": "t", "key_points": [{ "text": "t", "locators": ["page:1:char:0-60"] }] });
    data["sources"][0]["path"] = json!("t");
    data["citations"][0]["headings"] = json!(["t"]);
    let query = json!({ "n": 1, "text": "t", "provider": "t", "hits": 1, "new": 1, "related": 0, "duplicate": 0, "served": "paid" });
    let directive = json!({ "id": "r1.d1", "sub_questions": ["q1"], "topic": "t", "stopped": "complete", "queries": [query],
        "inventory": { "sources": 0, "domains": 0, "lines": [], "data_points": 0 } });
    data["research"] = json!({
        "brief": { "question": "t", "restated": "t", "type": "fact", "complexity": "simple", "language": "en", "assumptions": ["t"],
            "written_by": "t" },
        "plan": [{ "id": "q1", "text": "t", "answered_when": "t", "priority": 1, "origin": "plan" }],
        "rounds": [{ "n": 1, "decision": "stop", "reason": "t", "directives": [directive], "coverage": [] }],
        "coverage": [], "disagreements": [], "stop": "covered", "unanswered": [{ "sub_question": "q1", "looked_for": "t", "tried": ["t"], "suggest": "t" }],
        "hits": { "found": 5, "read": 5, "duplicate": 0, "below_cut": 0, "over_budget": 0, "refused": 0, "failed": 0 },
        "budget": { "rounds": [1, 3], "searches": [1, 4], "sources": [2, 10] },
        "unknown_words": ["t"],
    });
    data
}

/// Puts the addresses of all texts in `value` into `out`, as JSON pointers.
fn texts(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::String(_) => out.push(at.to_owned()),
        Value::Array(items) => items.iter().zip(0..).for_each(|(item, n)| texts(item, &format!("{at}/{n}"), out)),
        Value::Object(fields) => fields.iter().for_each(|(name, field)| texts(field, &format!("{at}/{name}"), out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The report with a hostile text in each place that takes any text; addresses of sources and the finished body are left alone.
fn hostile() -> (ReportData, usize) {
    let mut value = full();
    let (mut places, mut replaced) = (Vec::new(), 0);
    texts(&value, "", &mut places);
    for place in places {
        let is_kept =
            place.ends_with("/url") || place == "/report" || place.ends_with("/source_id") || place.contains("/ids/");
        let mut changed = value.clone();
        *changed.pointer_mut(&place).expect("there") = json!(TEXT);
        if !is_kept && serde_json::from_value::<ReportData>(changed.clone()).is_ok() {
            (value, replaced) = (changed, replaced + 1);
        }
    }
    (serde_json::from_value(value).expect("a report"), replaced)
}

fn contexts(data: &ReportData) -> BTreeMap<u32, QuoteContext> {
    let text = || TEXT.to_owned();
    let context =
        || QuoteContext { before: text(), quote: text(), after: text(), starts_inside: true, ends_inside: true };
    data.citations.iter().map(|citation| (citation.n, context())).collect()
}

fn assert_lawful_html(page: &str) {
    let tags = page.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or_default());
    for (tag, link) in tags.flat_map(|tag| [" href=\"", " src=\""].map(|name| (tag, tag.split(name).nth(1)))) {
        let to = link.map_or("#", |link| link.split('"').next().unwrap_or_default());
        assert!(to.starts_with('#') || to == SOURCE.replace('&', "&#38;"), "{tag}");
    }
    assert_no_hidden(page);
}

/// The lines with a character that is not shown are named.
fn assert_no_hidden(page: &str) {
    let hidden: Vec<&str> = page.lines().filter(|line| shown_text(line) != **line).collect();
    assert_eq!(hidden, [""; 0]);
}

#[test]
fn no_text_of_a_report_becomes_a_link() {
    let (data, replaced) = hostile();
    assert!(replaced > 40, "{replaced} places took the text");
    let page = markdown::render(&data, &data.warning_details);
    assert!(page.matches("evil").count() > 100, "the text is in the page: {page}");
    assert_eq!(live_links(&page), [SOURCE; 2], "only the address of the source, once for each quote: {page}");
    assert_no_hidden(&page);
    assert_lawful_html(&html::render(&data, &data.warning_details, &contexts(&data), &BTreeMap::new()));
}

#[test]
fn no_body_of_a_model_has_a_link_or_a_hidden_character() {
    for text in triples()
        .into_iter()
        .chain([TEXT.to_owned(), format!("# {TEXT}\n\n| {TEXT} |\n| - |\n| {TEXT} |\n\n- {TEXT}\n\n```\n{TEXT}\n```")])
    {
        let body = cite(&text, &[], &[]).markdown;
        assert_eq!(live_links(&body), [""; 0], "{text:?}: {body:?}");
        assert_eq!(shown_text(&body), body, "{text:?}");
    }
}

#[test]
fn no_line_of_foreign_text_has_a_link_or_a_hidden_character() {
    for text in triples() {
        let line = literal(&text);
        assert_eq!(live_links(&line), [""; 0], "{text:?}: {line:?}");
        assert_eq!(shown_text(&line), line, "{text:?}");
    }
}

/// Three pieces in every order, with a letter after each.
fn triples() -> Vec<String> {
    let pairs = PIECES.iter().flat_map(|a| PIECES.iter().map(move |b| format!("{a}{b}")));
    pairs.flat_map(|pair| PIECES.iter().map(move |c| format!("{pair}{c}evil.example"))).collect()
}
