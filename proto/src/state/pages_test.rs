//! Tests of paging and reading back, field by field and at each limit.

use serde_json::{Value, json};

use super::pages::*;
use super::{PageList, PagedField, Pages, STATE_SCHEMA_VERSION, SessionState, open, read, write};

/// Returns a state with `n` items in each field that may be stored as pages, or a single one if the field has only one.
fn state(n: usize) -> SessionState {
    let hash = format!("sha256:{}", "0".repeat(64));
    let many = |item: &dyn Fn(usize) -> Value| (0..n).map(item).collect::<Vec<_>>();
    let keyed = |item: &dyn Fn(usize) -> Value| {
        Value::Object((0..n).map(|i| (format!("s{i:04}"), item(i))).collect::<serde_json::Map<_, _>>())
    };
    let record = |t: usize| json!({ "level": "raw", "warnings": [], "timestamp": "2026-01-01T00:00:00Z", "tokens_before": t, "tokens_after": t });
    let value = json!({
        "schema_version": 3, "session_id": "s", "life": "l", "revision": 2, "phase": "digest", "query": "why?", "draft": "because",
        "answer": { "status": "answered" },
        "sources": many(&|i| json!({ "source_id": format!("s{i:04}"), "title": "T", "origin": { "url": "https://a.example" } })),
        "findings": many(&|i| json!({ "finding_id": i, "topic": "t", "statement": "s", "quotes": [], "tokens": 3, "score": 0.5 })),
        "warnings": many(&|i| json!({ "code": "CONTENT_DROPPED", "message": format!("m{i}") })),
        "calls": [],
        "gathered": keyed(&|i| json!({ "value": i })),
        "content_fidelity": keyed(&|i| json!({ "phases": { "extraction": record(i), "digest": record(i) } })),
        "dropped_content_ids": many(&|i| json!(format!("s{i:04}"))),
        "content_archive_hashes": keyed(&|_| json!(hash)),
        "raw_notes": many(&|_| json!(hash)),
        "token_usage": many(&|i| json!({ "call_key": format!("k{i}"), "layer": "L1", "estimated": 1, "budget": 1, "kept": 1, "dropped": 0 })),
    });
    read(value).expect("reads")
}

/// Splits a state into pages of at most `page_bytes` and reassembles it.
fn there_and_back(whole: &SessionState, page_bytes: usize) -> (Value, SessionState, usize) {
    let (mut head, large) = whole.split(0);
    let mut kept = Vec::new();
    for field in large {
        let pages: Vec<Page> = field.pages(whole, page_bytes).collect();
        let refs = pages.iter().map(|page| crate::source::ContentRef::from_bytes(&page.json)).collect();
        let list = PageList {
            items: pages.iter().map(|p| p.items).sum(),
            bytes: pages.iter().map(|p| p.json.len() as u64).sum(),
            depth: 0,
            pages: refs,
        };
        head.pages.0.insert(field, list);
        kept.push((field, pages));
    }
    let message = write(&head, STATE_SCHEMA_VERSION);
    let mut back = open(message.clone()).expect("opens");
    let count = kept.iter().map(|(_, pages)| pages.len()).sum();
    for (field, pages) in kept {
        for page in pages {
            assert_eq!(field.add_page(&mut back, &page.json), Ok(page.items), "{field:?}");
        }
    }
    back.pages = Pages::default();
    (message, back, count)
}

#[test]
fn a_state_that_was_taken_apart_is_the_same_put_together() {
    for n in [0, 1, 2, 40] {
        for page_bytes in [1, 100, 1_000, 100_000] {
            let whole = state(n);
            let (message, back, _) = there_and_back(&whole, page_bytes);
            assert_eq!(back, whole, "{n} items, pages of {page_bytes}");
            assert!(message["sources"].as_array().is_none_or(Vec::is_empty), "{message}");
            assert!(read(message).is_err() || n == 0, "a message with pages was read as a whole one");
        }
    }
}

#[test]
fn every_growing_field_is_paged_and_the_message_stays_small() {
    let (head, large) = state(2_000).split(0);
    // The sample has no calls.
    assert_eq!(large.len(), PagedField::ALL.len() - 1);
    assert!(head.is_within(1_000));
}

#[test]
fn a_page_is_full_at_its_limit_and_not_before() {
    let whole = state(2);
    let both: Vec<Page> = PagedField::Sources.pages(&whole, usize::MAX).collect();
    let bytes = both[0].json.len();
    for (limit, pages) in [(bytes - 1, 2), (bytes, 1), (bytes + 1, 1)] {
        assert_eq!(PagedField::Sources.pages(&whole, limit).count(), pages, "{limit}");
    }
}

#[test]
fn what_is_added_leaves_the_pages_before_it_as_they_are() {
    let mut whole = state(40);
    for field in [PagedField::Warnings, PagedField::TokenUsage, PagedField::ContentFidelity] {
        let before: Vec<Page> = field.pages(&whole, 300).collect();
        match field {
            PagedField::Warnings => whole.warnings.extend(state(50).warnings.into_iter().skip(40)),
            PagedField::TokenUsage => whole.token_usage.extend(state(50).token_usage.into_iter().skip(40)),
            _ => {
                for item in whole.content_fidelity.0.values_mut() {
                    let record = item.phases.values().next().expect("a record").clone();
                    item.phases.insert(crate::Phase::Compression, record);
                }
            }
        }
        let after: Vec<Page> = field.pages(&whole, 300).collect();
        let full = before.len() - 1;
        assert!(full > 3 && after.len() > before.len(), "{field:?}");
        assert_eq!(before[..full], after[..full], "{field:?}");
    }
}

#[test]
fn a_state_is_within_its_own_size_and_not_within_less() {
    let whole = state(3);
    let bytes = serde_json::to_vec(&whole).expect("plain data").len();
    for (limit, is_within) in [(bytes - 1, false), (bytes, true), (bytes + 1, true)] {
        assert_eq!(whole.is_within(limit), is_within, "{limit}");
    }
    let field = serde_json::to_vec(&whole.raw_notes[0]).expect("plain data").len() * 3;
    for (limit, is_within) in [(field - 1, false), (field, true), (field + 1, true)] {
        assert_eq!(PagedField::RawNotes.is_within(&whole, limit), is_within, "{limit}");
        assert_eq!(whole.split(limit).1.contains(&PagedField::RawNotes), !is_within, "{limit}");
    }
}

#[test]
fn a_broken_page_is_named_by_position_and_foreign_warnings_dropped() {
    let mut back = state(0);
    let fault = PagedField::Sources.add_page(&mut back, b"[{\"secret\": 1}]").expect_err("no source");
    assert!(!fault.to_string().contains("secret"), "{fault}");
    let page = json!([{ "code": "NOT_INVENTED_YET", "message": "m" }, { "code": "CONTENT_DROPPED", "message": "m" }]);
    assert_eq!(PagedField::Warnings.add_page(&mut back, page.to_string().as_bytes()), Ok(2));
    let codes: Vec<&str> = back.warnings.iter().map(|w| w.code.as_str()).collect();
    assert_eq!(codes, ["CONTENT_DROPPED", "STATE_MIGRATION_RECOVERED"]);
}

#[test]
fn references_come_back_from_their_pages() {
    for n in [0, 1, REFS_PER_PAGE, REFS_PER_PAGE + 1] {
        let refs: Vec<_> = (0..n).map(|i| crate::source::ContentRef::from_bytes(&i.to_le_bytes())).collect();
        let pages: Vec<Vec<u8>> = pages_of_refs(&refs).collect();
        assert_eq!(pages.len(), n.div_ceil(REFS_PER_PAGE));
        let back: Vec<_> = pages.iter().flat_map(|page| refs_of_page(page).expect("references")).collect();
        assert_eq!(back, refs);
    }
}
