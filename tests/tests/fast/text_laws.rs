//! Laws of canonical text, chunks and evidence, on random Unicode.

use precis_evidence::ranking::{Ranker, rank};
use precis_proto::{BlockKind, CharRange};
use precis_text::chunk::{chunks, snippet};
use precis_text::terms::{query_terms, terms};
use precis_text::tokens::Tokenizer;
use precis_text::{CanonicalText, Leaf, is_space, normalize};
use proptest::collection::vec;
use proptest::prelude::*;

/// One character of a kind that has broken such code before: Latin, CJK, right-to-left, combining, emoji, controls.
fn character() -> impl Strategy<Value = char> {
    prop_oneof![
        6 => proptest::char::range('a', 'z'),
        2 => proptest::char::range('A', 'Z'),
        3 => prop::sample::select(vec![' ', ' ', ' ', '\n', '\t', '\u{a0}', '\u{2003}', '\u{3000}', '\u{1c}', '\u{85}']),
        2 => prop::sample::select(vec!['.', '!', '?', ',', ';', ':', '。', '！', '、', '：', '-', '(', '_']),
        2 => proptest::char::range('\u{3040}', '\u{30ff}'),
        2 => proptest::char::range('\u{4e00}', '\u{9fff}'),
        1 => proptest::char::range('\u{ac00}', '\u{d7a3}'),
        1 => proptest::char::range('\u{590}', '\u{6ff}'),
        1 => proptest::char::range('\u{300}', '\u{36f}'),
        1 => proptest::char::range('\u{1100}', '\u{11ff}'),
        1 => proptest::char::range('\u{1f300}', '\u{1faff}'),
        1 => any::<char>(),
    ]
}

/// Words, a stretch without any boundary, or a literal page separator.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => vec(character(), 0..200).prop_map(String::from_iter),
        2 => vec(character(), 400..900).prop_map(String::from_iter),
        1 => (1..900_usize, character()).prop_map(|(n, c)| c.to_string().repeat(n)),
        1 => (1..9_u32).prop_map(|page| format!("\n\n---PAGE {page}---\n\n")),
    ]
}

fn raw_text() -> impl Strategy<Value = String> {
    vec(piece(), 0..8).prop_map(|pieces| pieces.concat())
}

/// A canonical text, with or without pages.
fn canonical() -> impl Strategy<Value = CanonicalText> {
    prop_oneof![
        raw_text().prop_map(|raw| CanonicalText::from_plain(&raw)),
        vec(raw_text(), 0..5).prop_map(|pages| CanonicalText::from_pages(&pages)),
    ]
}

fn page_count(text: &CanonicalText) -> u32 {
    u32::try_from(text.pages().len()).expect("few pages")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn canonicalising_twice_changes_nothing(raw in raw_text()) {
        let once = normalize(&raw);
        prop_assert_eq!(&normalize(&once), &once);
        prop_assert!(!once.chars().any(|c| is_space(c) && c != ' ') && !once.contains("  "));
        prop_assert_eq!(once.trim_matches(is_space), once.as_str());
    }

    #[test]
    fn tokens_are_counted_as_the_library_counts_them(raw in raw_text()) {
        prop_assert_eq!(Tokenizer::O200k.count(&raw), bpe_openai::o200k_base().count(raw.as_str()) as u64);
        prop_assert_eq!(Tokenizer::Cl100k.count(&raw), bpe_openai::cl100k_base().count(raw.as_str()) as u64);
    }

    #[test]
    fn canonical_pages_canonicalise_to_the_same_text(text in canonical()) {
        let pages: Vec<String> = text.pages().iter().map(|span| text.slice(span.range).to_owned()).collect();
        let again = if pages.is_empty() {
            CanonicalText::from_plain(text.as_str())
        } else {
            CanonicalText::from_pages(&pages)
        };
        prop_assert_eq!(again.hash(), text.hash());
        prop_assert_eq!(again, text);
    }

    #[test]
    fn an_archived_text_gives_back_its_pages(text in canonical()) {
        prop_assert_eq!(CanonicalText::parse_archived(text.as_str(), page_count(&text)), Ok(text));
    }

    #[test]
    fn slices_are_those_of_python(text in canonical(), start in 0..3_000_usize, length in 0..600_usize) {
        let want: String = text.as_str().chars().skip(start).take(length).collect();
        prop_assert_eq!(text.slice(CharRange::new(start, start + length)), want);
        prop_assert_eq!(text.chars(), text.as_str().chars().count());
    }

    #[test]
    fn blocks_cover_their_text_and_change_no_byte_of_it(pages in vec(vec(raw_text(), 0..4), 1..4)) {
        let leaf = |(n, raw): (usize, &String)| match n % 2 {
            0 => Leaf::new(BlockKind::Paragraph, raw.as_str()),
            _ => Leaf::row(1, false, &raw.split('x').collect::<Vec<_>>()),
        };
        let leaves: Vec<Vec<Leaf>> = pages.iter().map(|page| page.iter().enumerate().map(leaf).collect()).collect();
        let words = |page: &Vec<Leaf>| page.iter().map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join("\n");
        let (text, plain) = (
            CanonicalText::from_leaf_pages(&leaves),
            CanonicalText::from_pages(&leaves.iter().map(words).collect::<Vec<_>>()),
        );
        prop_assert_eq!(text.as_str(), plain.as_str());
        prop_assert_eq!(text.pages(), plain.pages());
        prop_assert!(plain.with_blocks(text.blocks().to_vec()).is_ok());
        for page in text.pages() {
            let mut at = page.range.start;
            for block in text.blocks().iter().filter(|block| page.range.contains(&block.range())) {
                prop_assert!(text.slice(CharRange::new(at, block.start)).trim_matches(is_space).is_empty());
                prop_assert_eq!(text.slice(block.range()), text.slice(block.range()).trim_matches(is_space));
                prop_assert!(block.cells.iter().all(|cell| block.range().contains(cell)));
                at = block.end;
            }
            prop_assert_eq!(at, page.range.end);
        }
    }

    #[test]
    fn chunks_join_to_their_pages_and_keep_their_size(text in canonical(), limit in 1..600_usize) {
        let max = (limit.min(400) + 100).min(500);
        let found = chunks(&text, limit);
        let mut runs: Vec<_> = text.pages().iter().map(|span| (Some(span.page), span.range)).collect();
        if runs.is_empty() {
            runs.push((None, CharRange::new(0, text.chars())));
        }
        for (page, run) in runs {
            let mut at = run.start;
            for chunk in found.iter().filter(|chunk| chunk.page == page) {
                prop_assert_eq!(chunk.range.start, at);
                prop_assert!(!chunk.range.is_empty() && chunk.range.len() <= max);
                at = chunk.range.end;
            }
            prop_assert_eq!(at, run.end);
        }
    }

    #[test]
    fn a_snippet_is_trimmed_and_its_locator_resolves_to_its_characters(text in canonical(), limit in 50..500_usize) {
        for chunk in chunks(&text, limit) {
            let range = snippet(&text, &chunk);
            prop_assert!(chunk.range.contains(&range) && !range.is_empty());
            prop_assert_eq!(text.slice(range), text.slice(chunk.range).trim_matches(is_space));
            let locator = text.locator(range);
            prop_assert_eq!(locator.page, chunk.page);
            prop_assert_eq!(text.resolve(&locator), Some(range));
            prop_assert_eq!(text.page_of(range.start), chunk.page);
            prop_assert_eq!(locator.to_string().parse(), Ok(locator));
        }
    }

    #[test]
    fn evidence_is_verbatim_ordered_and_scored_within_bounds(text in canonical(), query in raw_text(), bm25: bool) {
        let ranker = if bm25 { Ranker::Bm25 } else { Ranker::Overlap };
        let found = rank(&text, &query, ranker, 400, 10);
        prop_assert_eq!(&rank(&text, &query, ranker, 400, 10), &found);
        for chunk in &found {
            prop_assert_eq!(text.slice(chunk.range), &chunk.text);
            prop_assert_eq!(text.resolve(&chunk.locator), Some(chunk.range));
            prop_assert!((0.0..=1.0).contains(&chunk.score));
        }
        prop_assert!(found.windows(2).all(|pair| pair[0].score + 1e-9 >= pair[1].score));
    }

    #[test]
    fn every_term_of_a_text_is_a_term_of_the_same_query(raw in raw_text()) {
        let query = query_terms(&raw);
        for term in terms(&raw) {
            prop_assert!(!term.is_empty() && !term.chars().any(is_space));
            prop_assert!(query.contains(&term), "{}", term);
        }
    }

    #[test]
    fn truncating_stays_canonical_and_within_the_limit(text in canonical(), max in 0..2_000_usize) {
        let cut = text.truncate(max);
        prop_assert!(cut.chars() <= max);
        prop_assert!(text.as_str().starts_with(cut.as_str()));
        prop_assert_eq!(CanonicalText::parse_archived(cut.as_str(), page_count(&cut)), Ok(cut));
    }

    #[test]
    fn only_the_empty_text_has_no_tokens(raw in raw_text()) {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Estimate] {
            prop_assert_eq!(tokenizer.count(&raw) == 0, raw.is_empty());
        }
    }
}
