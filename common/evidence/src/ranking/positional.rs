//! Orders chunks if the query gives nothing to rank by: the first chunk, then landmarks, then the rest.
//!
//! Canonical text has no lines, so a landmark is recognized by its words: a capitalized heading word where a sentence may begin. For
//! words that open a document the first occurrence counts, for words that close it the last one: the others are in tables of contents
//! and running text.

use precis_proto::CharRange;
use precis_text::CanonicalText;
use precis_text::chunk::Chunk;

/// Headings at the beginning of a document; chosen by hand, for the languages with known function words.
const OPENING: [&str; 13] = [
    "Abstract",
    "Introduction",
    "Overview",
    "Background",
    "Zusammenfassung",
    "Einleitung",
    "Résumé",
    "Resumen",
    "Introducción",
    "Introduzione",
    "Resumo",
    "Introdução",
    "Inleiding",
];
/// Headings at the end of a document.
const CLOSING: [&str; 12] = [
    "Conclusion",
    "Conclusions",
    "Summary",
    "Discussion",
    "Fazit",
    "Schlussfolgerung",
    "Conclusiones",
    "Conclusioni",
    "Conclusão",
    "Conclusões",
    "Conclusie",
    "结论",
];
/// Characters of a chunk read to find a numbered heading.
const HEADING_START_CHARS: usize = 24;

/// All chunks, best first, with `1 / rank` as the score.
pub(super) fn order(text: &CanonicalText, chunks: &[Chunk]) -> Vec<(usize, f64)> {
    let landmarks = landmarks(text, chunks);
    let mut order: Vec<usize> = (0..chunks.len()).collect();
    order.sort_by_key(|&chunk| {
        let class = match chunk {
            0 => 0,
            _ if landmarks[chunk] => 1,
            _ if starts_with_numbered_heading(text, &chunks[chunk]) => 2,
            _ => 3,
        };
        (class, chunk)
    });
    order.into_iter().zip(1_u32..).map(|(chunk, rank)| (chunk, 1.0 / f64::from(rank))).collect()
}

/// For each chunk, whether it holds the first occurrence of an opening heading or the last one of a closing heading.
fn landmarks(text: &CanonicalText, chunks: &[Chunk]) -> Vec<bool> {
    let mut opening: [Option<usize>; OPENING.len()] = [None; OPENING.len()];
    let mut closing: [Option<usize>; CLOSING.len()] = [None; CLOSING.len()];
    for (at, chunk) in chunks.iter().enumerate() {
        for word in heading_words(text.slice(chunk.range)) {
            if let Some(k) = OPENING.iter().position(|&heading| is_heading(word, heading)) {
                opening[k].get_or_insert(at);
            }
            if let Some(k) = CLOSING.iter().position(|&heading| is_heading(word, heading)) {
                closing[k] = Some(at);
            }
        }
    }
    let mut out = vec![false; chunks.len()];
    opening.into_iter().chain(closing).flatten().for_each(|at| out[at] = true);
    out
}

/// Words at positions where a heading may begin: at the start of the chunk, or after the end of a sentence or a number.
fn heading_words(chunk: &str) -> impl Iterator<Item = &str> {
    let mut open = true;
    chunk.split(' ').filter(move |word| {
        let here = open;
        open = word.ends_with(['.', '!', '?', ':', '。']) || word.ends_with(|c: char| c.is_ascii_digit());
        here
    })
}

/// Whether `word` is `heading` as written or in capitals, ignoring a colon, full stop or dash after it.
fn is_heading(word: &str, heading: &str) -> bool {
    let word = word.trim_end_matches([':', '.', '-', '—', '–']);
    word == heading || (word.len() >= heading.len() && word == heading.to_uppercase())
}

/// Whether the chunk begins like `3 Results` or `2.1 Data sources`.
fn starts_with_numbered_heading(text: &CanonicalText, chunk: &Chunk) -> bool {
    let start =
        text.slice(CharRange::new(chunk.range.start, chunk.range.end.min(chunk.range.start + HEADING_START_CHARS)));
    let Some((number, title)) = start.split_once(' ') else { return false };
    let numbered = number.starts_with(|c: char| c.is_ascii_digit() && c != '0')
        && number.len() <= 6
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    numbered && title.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use precis_text::chunk::chunks;

    use super::*;

    fn positions(pages: &[&str]) -> Vec<usize> {
        let text = CanonicalText::from_pages(&pages.iter().map(|&page| page.to_owned()).collect::<Vec<_>>());
        order(&text, &chunks(&text, 400)).into_iter().map(|(chunk, _)| chunk).collect()
    }

    #[test]
    fn the_opening_comes_first_then_landmarks_then_headings_then_the_rest() {
        let pages = [
            "Title page",
            "running text",
            "2.1 Data we used",
            "ABSTRACT We show",
            "It ends. 5 Conclusion: all is well",
        ];
        assert_eq!(positions(&pages), [0, 3, 4, 2, 1]);
    }

    #[test]
    fn a_table_of_contents_is_not_the_conclusion() {
        let pages = ["Title", "Contents 1 Introduction 2 Conclusion 9", "text", "9 Conclusion We conclude."];
        assert_eq!(positions(&pages), [0, 1, 3, 2]);
    }

    #[test]
    fn a_heading_word_inside_a_sentence_is_no_landmark() {
        assert_eq!(positions(&["a", "b", "the Conclusion of this"]), [0, 1, 2]);
        assert_eq!(positions(&["a", "2024 was warm", "0 Zero"]), [0, 1, 2]);
    }
}
