//! Chunks join to the text, stay on their page and under the maximum; evidence is what stands at its place.

#![no_main]

use precis_evidence::ranking::{Ranker, rank};
use precis_text::CanonicalText;
use precis_text::chunk::{chunks, snippet};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u16, &str, &str)| {
    let (size, query, text) = input;
    let size = usize::from(size % 401) + 100;
    let pages: Vec<String> = text.split('\u{c}').map(str::to_owned).collect();
    let text = if pages.len() > 1 { CanonicalText::from_pages(&pages) } else { CanonicalText::from_plain(text) };
    let max = 500.min(size.min(400) + 100);
    let mut joined = String::new();
    for chunk in chunks(&text, size) {
        assert!(chunk.range.len() <= max && !chunk.range.is_empty());
        assert_eq!(chunk.page, text.page_of(chunk.range.start));
        assert!(chunk.range.contains(&snippet(&text, &chunk)) || snippet(&text, &chunk).is_empty());
        joined.push_str(text.slice(chunk.range));
    }
    let whole: String = match text.pages() {
        [] => text.as_str().to_owned(),
        pages => pages.iter().map(|page| text.slice(page.range)).collect(),
    };
    assert_eq!(joined, whole);
    for ranker in [Ranker::Overlap, Ranker::Bm25] {
        let found = rank(&text, query, ranker, size, 5);
        assert_eq!(found, rank(&text, query, ranker, size, 5));
        for chunk in found {
            assert!((0.0..=1.0).contains(&chunk.score));
            assert_eq!(text.resolve(&text.locator(chunk.range)), Some(chunk.range));
        }
    }
});
