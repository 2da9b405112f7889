//! Tests of comparing two reports on one question.

use precis_proto::response::ReportData;
use serde_json::{Value, json};

use super::*;

/// A report whose statements are quotes of documents: (document, hash of its text, statement, verdict).
fn report(rows: &[(&str, &str, &str, &str)]) -> ReportData {
    let mut sources: Vec<Value> = Vec::new();
    for (document, hash, _, _) in rows {
        if sources.iter().all(|known| known["path"] != *document) {
            sources.push(json!({
                "source_id": document.replace('.', "-"), "title": document, "path": document, "url": null, "content_type": null,
                "chars": 9, "tokens": 3, "source_text_hash": format!("sha256:{}", hash.repeat(64)),
            }));
        }
    }
    let citation = |(n, (document, hash, text, _)): (usize, &(&str, &str, &str, &str))| {
        json!({
            "n": n + 1, "source_id": document.replace('.', "-"), "title": document, "url": null,
            "locator": format!("char:0-{}", text.chars().count()), "text": text,
            "source_text_hash": format!("sha256:{}", hash.repeat(64)),
        })
    };
    let claim = |(n, (_, _, text, verdict)): (usize, &(&str, &str, &str, &str))| json!({ "text": text, "verdict": verdict, "quotes": [n + 1], "judged_by": "checks", "done": "kept" });
    let data = json!({
        "query": "How much does it hold?", "report": "", "sources": sources,
        "citations": rows.iter().enumerate().map(citation).collect::<Vec<_>>(),
        "claims": rows.iter().enumerate().map(claim).collect::<Vec<_>>(),
        "content_fidelity_schema_version": "v1", "content_fidelity": {}, "dropped_content_ids": [],
        "content_archive_hashes": {}, "warning_details": [], "ledger": [], "spend": [], "token_usage": [],
        "session": { "id": "s", "status": "completed", "stop_reason": null, "incomplete": false, "phases": [] },
    });
    serde_json::from_value(data).expect("a report")
}

const DAM: &str = "The dam holds 40 million litres of water.";
const RAISED: &str = "The dam holds 50 million litres of water.";
const SPRING: &str = "In spring the river floods the fields below.";

#[test]
fn new_gone_changed_and_disputed_statements_are_reported_with_quotes() {
    let before = report(&[("a.txt", "a", DAM, "verbatim"), ("b.txt", "b", SPRING, "verbatim")]);
    for (now, statements, sources, unchanged) in [
        (before.clone(), vec![], vec![], (2, 2)),
        (
            report(&[("a.txt", "c", RAISED, "verbatim"), ("b.txt", "b", SPRING, "verbatim")]),
            vec![(Change::Changed, Some(DAM), Some(RAISED))],
            vec![(Change::Changed, "a.txt")],
            (1, 1),
        ),
        (
            report(&[("a.txt", "a", DAM, "verbatim"), ("c.txt", "c", "Ice melts.", "verbatim")]),
            vec![(Change::New, None, Some("Ice melts.")), (Change::Gone, Some(SPRING), None)],
            vec![(Change::Gone, "b.txt"), (Change::New, "c.txt")],
            (1, 1),
        ),
        (
            report(&[("a.txt", "a", DAM, "disputed"), ("b.txt", "b", SPRING, "verbatim")]),
            vec![(Change::Disputed, Some(DAM), Some(DAM))],
            vec![],
            (2, 1),
        ),
    ] {
        let changes = Changes::between(&before, &now);
        let text = |stated: &Option<Stated>| stated.as_ref().map(|stated| stated.text.clone());
        let found: Vec<_> = changes.statements.iter().map(|s| (s.change, text(&s.before), text(&s.now))).collect();
        let want: Vec<_> =
            statements.into_iter().map(|(c, b, n)| (c, b.map(str::to_owned), n.map(str::to_owned))).collect();
        assert_eq!(found, want);
        let found: Vec<_> = changes.sources.iter().map(|s| (s.change, s.document.as_str())).collect();
        assert_eq!(found, sources);
        assert_eq!((changes.sources_unchanged, changes.statements_unchanged), unchanged);
        assert_eq!(changes.is_empty(), changes.statements.is_empty() && changes.sources.is_empty());
    }
}

#[test]
fn earlier_disputes_are_not_news_and_a_removed_statement_is_gone() {
    let before = report(&[("a.txt", "a", DAM, "disputed")]);
    assert!(Changes::between(&before, &before).is_empty());
    let mut now = before.clone();
    now.claims[0].done = Done::Removed;
    assert_eq!(Changes::between(&before, &now).statements[0].change, Change::Gone);
}

#[test]
fn a_page_gives_old_and_new_text_and_place() {
    let before = report(&[("a.txt", "a", DAM, "verbatim"), ("b.txt", "b", SPRING, "verbatim")]);
    let now = report(&[("a.txt", "c", "The dam holds 50 million litres of *water*.", "verbatim")]);
    let changes = Changes::between(&before, &now);
    assert_eq!(
        line(&changes),
        "statements: 0 unchanged, 1 changed, 0 new, 1 gone, 0 disputed; documents: 0 unchanged, 1 changed, 0 new, 1 gone"
    );
    let page = markdown(&changes);
    let want = "\
## Changed

- **Now:** The dam holds 50 million litres of \\*water\\*.
  - in a.txt, changed since

  **Before:** The dam holds 40 million litres of water.
  - in a.txt, changed since

## Gone

- **Before:** In spring the river floods the fields below.
  - in b.txt, gone since

## Documents

- a.txt: changed
- b.txt: gone
";
    assert!(page.ends_with(want), "{page}");
    assert_eq!(
        line(&Changes::between(&before, &before)),
        "nothing has changed: the same documents, the same statements"
    );
}
