//! BM25 over the fields of a chunk: exact words, word forms, similar words (kin), characters, and the names above the chunk.
//!
//! Each field has its own score and weight, so that text that only resembles a term finds a chunk that no term finds, but rarely
//! outranks one that does. A field was kept if it helped on one half of 1,651 questions over papers and paragraphs and hurt on neither,
//! see `docs/reading.md`. Sums run in the order of the query's words, so equal inputs give bit-identical scores.

use precis_text::CanonicalText;
use precis_text::chunk::Chunk;
use precis_text::terms::{count_literal, literals, query_words};

use super::context::contexts;
use super::index::Index;
use super::meeting::{self, WordMeetings};
use super::order::sort;
use crate::meaning::WordScores;

/// Saturation of repeated terms; the customary value.
const K1: f64 = 1.2;
/// Weight of the chunk's length; the customary value.
const B: f64 = 0.75;

const FORMS_WEIGHT: f64 = 0.6;
const KIN_WEIGHT: f64 = 0.7;
const CHARACTERS_WEIGHT: f64 = 0.3;
/// Weight of a question's function words: `die` asks for deaths in English and is an article in German.
const FUNCTION_WORDS_WEIGHT: f64 = 0.2;
/// Weight of the names above a chunk: headings, and the header row of its table.
const CONTEXT_WEIGHT: f64 = 0.3;
/// Weight of a term where the text uses it first, because there it is introduced.
const FIRST_WEIGHT: f64 = 0.1;
/// Share of the better neighbour's score that is added to a chunk.
const NEIGHBOUR_WEIGHT: f64 = 0.2;

/// The chunks found by a term of the query, by a similar word or by a literal, best first, the best one with score 1.
///
/// Function words, names above and neighbours only raise the score of chunks already found.
pub(super) fn best_first(words: &WordScores) -> Vec<(usize, f64)> {
    // Never 0, because the scores are divided by it.
    let best = words.scores.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let found = words.scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
    let mut order: Vec<(usize, f64)> = found.map(|(chunk, score)| (chunk, score / best)).collect();
    sort(&mut order);
    order
}

/// The score of every chunk, 0 for those that nothing finds, and the most that the words of `query` could have got.
pub(super) fn word_scores(text: &CanonicalText, chunks: &[Chunk], query: &str) -> WordScores {
    let asked = query_words(query);
    let index = Index::new(text, chunks);
    let whole = meeting::whole(&index, &asked);
    let forms = meeting::forms(&index, &asked);
    let mut scores = vec![0.0; chunks.len()];
    let mut most = 0.0;
    let mut count = |weight: f64, field: &WordScores| {
        add(&mut scores, weight, &field.scores);
        most += weight * field.most;
    };
    count(1.0, &field(&index, &whole, asked.len()));
    count(FORMS_WEIGHT, &field(&index, &forms, asked.len()));
    count(KIN_WEIGHT, &field(&index, &meeting::kin(&index, &asked), asked.len()));
    let han = meeting::han(&asked);
    if !han.is_empty() {
        count(CHARACTERS_WEIGHT, &field(&index, &meeting::characters(&index, &han), han.len()));
    }
    count(1.0, &literal_scores(text, chunks, &literals(query)));
    // Decided before the fields below are added: they may raise the score of a chunk, but must not find one.
    let is_found: Vec<bool> = scores.iter().map(|score| *score > 0.0).collect();

    let words = meeting::function_words(query, &asked);
    add(&mut scores, FUNCTION_WORDS_WEIGHT, &field(&index, &meeting::whole(&index, &words), words.len()).scores);
    add(&mut scores, FIRST_WEIGHT, &firsts(&index, &whole, asked.len()));
    add(&mut scores, CONTEXT_WEIGHT, &above(&index, &forms, &contexts(text, chunks), &asked));
    let mut scores = beside_each_other(&scores, &is_found);
    scores.iter_mut().zip(is_found).filter(|(_, is_found)| !is_found).for_each(|(score, _)| *score = 0.0);
    WordScores { scores, most }
}

fn add(scores: &mut [f64], weight: f64, more: &[f64]) {
    scores.iter_mut().zip(more).for_each(|(score, more)| *score += weight * more);
}

/// Okapi BM25 of each chunk over `asked` words, with each meeting weighted by its quality.
fn field(index: &Index, meetings: &WordMeetings, asked: usize) -> WordScores {
    let mut counts = vec![0.0; index.chunks() * asked];
    let mut frequency = vec![0_u32; asked];
    for (chunk, counts) in counts.chunks_mut(asked.max(1)).enumerate() {
        for (place, worth) in index.of(chunk).flat_map(|word| &meetings[word]) {
            counts[*place] += worth;
        }
        frequency.iter_mut().zip(counts).for_each(|(frequency, count)| *frequency += u32::from(*count > 0.0));
    }
    let rarity: Vec<f64> = frequency.iter().map(|frequency| rarity(index.chunks(), *frequency)).collect();
    let mut scores = vec![0.0; index.chunks()];
    for (chunk, (score, counts)) in scores.iter_mut().zip(counts.chunks(asked.max(1))).enumerate() {
        let length = 1.0 - B + B * index.relative_length(chunk);
        *score = counts.iter().zip(&rarity).map(|(count, rarity)| rarity * saturation(*count, length)).sum();
    }
    WordScores { scores, most: rarity.iter().sum::<f64>() * (K1 + 1.0) }
}

/// Inverse document frequency in the variant that never falls below 0.
fn rarity(chunks: usize, frequency: u32) -> f64 {
    let (all, frequency) = (chunks as f64, f64::from(frequency));
    ((all - frequency + 0.5) / (frequency + 0.5)).ln_1p()
}

fn saturation(count: f64, length: f64) -> f64 {
    count * (K1 + 1.0) / (count + K1 * length)
}

/// BM25 over `literals`, exactly as written; every chunk is treated as of mean length.
fn literal_scores(text: &CanonicalText, chunks: &[Chunk], literals: &[String]) -> WordScores {
    let (mut scores, mut most) = (vec![0.0; chunks.len()], 0.0);
    for literal in literals {
        let counts: Vec<u32> = chunks.iter().map(|chunk| count_literal(text.slice(chunk.range), literal)).collect();
        let frequency = counts.iter().filter(|count| **count > 0).count();
        let rarity = rarity(chunks.len(), u32::try_from(frequency).unwrap_or(u32::MAX));
        scores.iter_mut().zip(counts).for_each(|(score, count)| *score += rarity * saturation(f64::from(count), 1.0));
        most += rarity * (K1 + 1.0);
    }
    WordScores { scores, most }
}

/// For each chunk, the sum of the rarities of the terms that first occur in it.
fn firsts(index: &Index, whole: &WordMeetings, asked: usize) -> Vec<f64> {
    let mut first = vec![None; asked];
    let mut frequency = vec![0_u32; asked];
    for chunk in 0..index.chunks() {
        for (place, is_held) in words_met(index.of(chunk), whole, asked).into_iter().enumerate() {
            if is_held {
                first[place].get_or_insert(chunk);
                frequency[place] += 1;
            }
        }
    }
    let mut scores = vec![0.0; index.chunks()];
    for (first, frequency) in first.into_iter().zip(frequency) {
        if let Some(chunk) = first {
            scores[chunk] += rarity(index.chunks(), frequency);
        }
    }
    scores
}

/// For each chunk, the rarity of the terms that the names above it hold in some form; a term is rare if few chunks hold it or are under it.
fn above(index: &Index, forms: &WordMeetings, contexts: &[Vec<&str>], asked: &[String]) -> Vec<f64> {
    if contexts.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    // Chunks of one section share their names, so the result for the previous names is reused.
    let mut known: Option<(&Vec<&str>, Vec<bool>)> = None;
    let mut named = Vec::with_capacity(contexts.len());
    for names in contexts {
        let is_held = match &known {
            Some((of, is_held)) if *of == names => is_held.clone(),
            _ => meeting::words_named(names, asked),
        };
        known = Some((names, is_held.clone()));
        named.push(is_held);
    }
    let mut frequency = vec![0_u32; asked.len()];
    for (chunk, named) in named.iter().enumerate() {
        let own = words_met(index.of(chunk), forms, asked.len());
        let both = own.iter().zip(named).map(|(own, named)| *own || *named);
        frequency.iter_mut().zip(both).for_each(|(frequency, is_held)| *frequency += u32::from(is_held));
    }
    let rarity: Vec<f64> = frequency.into_iter().map(|frequency| rarity(index.chunks(), frequency)).collect();
    let sum =
        |named: &Vec<bool>| named.iter().zip(&rarity).filter(|(named, _)| **named).map(|(_, rarity)| rarity).sum();
    named.iter().map(sum).collect()
}

/// For each of the `asked` words, whether one of `words` meets it.
fn words_met(words: impl Iterator<Item = usize>, meetings: &WordMeetings, asked: usize) -> Vec<bool> {
    let mut held = vec![false; asked];
    words.flat_map(|word| &meetings[word]).for_each(|(place, _)| held[*place] = true);
    held
}

/// Adds a share of the better neighbour's score: a chunk next to a good match is more likely to be the answer than an isolated one.
fn beside_each_other(scores: &[f64], is_found: &[bool]) -> Vec<f64> {
    let found = |chunk: usize| if is_found.get(chunk) == Some(&true) { scores[chunk] } else { 0.0 };
    let neighbour = |chunk: usize| chunk.checked_sub(1).map_or(0.0, found).max(found(chunk + 1));
    scores.iter().enumerate().map(|(chunk, score)| score + NEIGHBOUR_WEIGHT * neighbour(chunk)).collect()
}

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;
    use precis_text::Leaf;
    use precis_text::chunk::chunks;

    use super::*;

    fn best(text: &CanonicalText, query: &str) -> Vec<String> {
        let chunks = chunks(text, 400);
        let found = best_first(&word_scores(text, &chunks, query)).into_iter();
        found.map(|(chunk, _)| text.slice(chunks[chunk].range).trim().to_owned()).collect()
    }

    fn pages(pages: &[&str]) -> CanonicalText {
        CanonicalText::from_pages(&pages.iter().map(|&page| page.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_resembles_a_term_is_found_behind_what_is_one() {
        let pages = pages(&["the sea is wide", "investigators came", "to investigate is hard", "虫害用药", "防治害虫"]);
        assert_eq!(best(&pages, "who will investigate"), ["to investigate is hard", "investigators came"]);
        assert_eq!(best(&pages, "害虫"), ["防治害虫", "虫害用药"]);
    }

    #[test]
    fn function_words_decide_between_equals_and_find_nothing() {
        let pages = pages(&["nor does it", "people live here", "people die here", "what of it"]);
        assert_eq!(best(&pages, "of what do people die"), ["people die here", "people live here"]);
    }

    #[test]
    fn a_heading_lifts_its_section_and_finds_nothing_by_itself() {
        let heading = |text: &str| Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, text) };
        let body = |text: &str| Leaf::new(BlockKind::Paragraph, format!("{text} {}", "far and wide ".repeat(28)));
        let leaves = [
            heading("Rabbits"),
            body("It is said."),
            body("First, feed them twice a day."),
            body("Second, nothing."),
            heading("Tortoises"),
            body("It was said."),
            body("Third, feed them twice a day."),
        ];
        let text = CanonicalText::from_leaves(&leaves);
        let found = best(&text, "feed tortoises");
        let at = |start: &str| found.iter().position(|chunk| chunk.starts_with(start));
        assert!(at("Third") < at("First") && at("First").is_some(), "{found:?}");
        assert_eq!(at("Second"), None);
    }

    #[test]
    fn the_columns_of_a_table_lift_its_rows() {
        let filler = "far and wide ".repeat(28);
        let body = |text: &str| Leaf::new(BlockKind::Paragraph, format!("{text} {filler}"));
        let row = |town: &str| Leaf::row(1, false, &[town.to_owned(), "1,204".to_owned(), filler.clone()]);
        let header = |columns: [&str; 2]| Leaf::row(1, true, &columns);
        for (columns, is_first) in [(["Town", "Inhabitants"], true), (["Town", "Height"], false)] {
            let gap = || body("Nothing.");
            let prose = [body("Kiel is a town."), gap(), gap(), body("Kiel is by the sea."), gap(), gap()];
            let table = [header(columns), row("Plön"), row("Burg"), row("Kiel")];
            let text = CanonicalText::from_leaves(&[&prose[..], &table].concat());
            let found = best(&text, "inhabitants of Kiel");
            let at = |start: &str| found.iter().position(|chunk| chunk.starts_with(start)).expect("found");
            assert_eq!(at("Kiel 1,204") < at("Kiel is by"), is_first, "{columns:?} {found:?}");
        }
    }
}
