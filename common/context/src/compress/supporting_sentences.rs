//! Finds the sentences of a passage that support a statement; they are cited, the rest of the passage remains context.

use std::collections::BTreeSet;

use precis_proto::CharRange;
use precis_proto::finding::{Passage, Unit};
use precis_text::terms;
use precis_text::terms::likeness;

/// Most sentences of a quote, the same as for the built-in model.
const MOST_UNITS: usize = 3;
/// Weight of a number of the statement relative to a word: a quote without the number proves little.
const NUMBER_WORTH: f64 = 2.0;
/// Least gain of a further sentence, in words of the statement.
const LEAST_GAIN: f64 = 0.9;

/// The characters of `passage` that support `statement`: one to three sentences of one block that hold most of its words; if several do,
/// the fewest and first. If none holds any, for example because the statement is in another language, all sentences of the longest block;
/// `None` if the passage has no units to quote.
pub(super) fn standing(statement: &str, passage: &Passage) -> Option<CharRange> {
    let chars: Vec<char> = passage.text.chars().collect();
    let units: Vec<&Unit> =
        passage.units.iter().filter(|unit| unit.start < unit.end && unit.end <= chars.len()).collect();
    let wanted: BTreeSet<String> = terms::terms(statement).into_iter().collect();
    let held: Vec<Vec<bool>> = units.iter().map(|unit| which_occur(&wanted, &chars[unit.start..unit.end])).collect();
    let weights: Vec<f64> = wanted.iter().map(|term| worth(term)).collect();
    let mut best: Option<(f64, CharRange)> = None;
    for first in 0..units.len() {
        let mut met = vec![false; wanted.len()];
        for last in first..units.len().min(first + MOST_UNITS) {
            if units[last].block != units[first].block {
                break;
            }
            met.iter_mut().zip(&held[last]).for_each(|(met, held)| *met |= held);
            let gain: f64 = met.iter().zip(&weights).filter(|(met, _)| **met).map(|(_, weight)| weight).sum();
            let value = gain - LEAST_GAIN * (last - first) as f64;
            if gain > 0.0 && best.is_none_or(|(most, _)| value > most) {
                best = Some((value, CharRange::new(units[first].start, units[last].end)));
            }
        }
    }
    best.map(|(_, range)| range).or_else(|| longest(&units))
}

/// For each wanted term, whether it occurs in the sentence.
fn which_occur(wanted: &BTreeSet<String>, sentence: &[char]) -> Vec<bool> {
    let own = terms::terms(&sentence.iter().collect::<String>());
    wanted.iter().map(|term| own.iter().any(|word| likeness(term, word) > 0.0)).collect()
}

fn worth(term: &str) -> f64 {
    if term.contains(char::is_numeric) { NUMBER_WORTH } else { 1.0 }
}

/// The range of the block with the most characters; the first if several are equally long.
fn longest(units: &[&Unit]) -> Option<CharRange> {
    let runs = units.chunk_by(|a, b| a.block == b.block);
    let ranges = runs.filter_map(|run| Some(CharRange::new(run.first()?.start, run.last()?.end)));
    ranges.reduce(|best, next| if next.len() > best.len() { next } else { best })
}

#[cfg(test)]
mod tests {
    use precis_proto::{BlockKind, Locator, SourceId};

    use super::*;

    /// A passage whose blocks are separated by `|` and whose sentences by `/`; both stand for a space.
    fn passage(marked: &str) -> Passage {
        let (mut units, mut at) = (Vec::new(), 0);
        for (block, text) in (0_u32..).zip(marked.split('|')) {
            for sentence in text.split('/') {
                let len = sentence.chars().count();
                units.push(Unit {
                    start: at,
                    end: at + len,
                    block,
                    kind: BlockKind::Paragraph,
                    head_end: None,
                    depth: None,
                    needs: Vec::new(),
                    list: Vec::new(),
                    more_items: 0,
                    place: None,
                    recognized: None,
                });
                at += len + 1;
            }
        }
        let text = marked.replace(['|', '/'], " ");
        let range = CharRange::new(0, text.chars().count());
        let source_id = SourceId::new("s").expect("an id");
        Passage {
            source_id,
            range,
            locator: Locator { page: None, range },
            text,
            score: 0.5,
            units,
            headings: Vec::new(),
            columns: String::new(),
            context: Vec::new(),
        }
    }

    fn stands(statement: &str, marked: &str) -> String {
        let passage = passage(marked);
        let range = standing(statement, &passage).expect("it has sentences");
        passage.text.chars().skip(range.start).take(range.len()).collect()
    }

    const CONTRACT: &str = "Terms of delivery|The buyer pays within 30 days./The cap on penalties is 5 % of the price./It never rises.|Other law applies.";

    #[test]
    fn a_quote_is_the_sentence_that_holds_the_words_of_the_statement() {
        for (statement, quote) in [
            ("Penalties are capped at 5 % of the price.", "The cap on penalties is 5 % of the price."),
            ("Payment by the buyer is due within 30 days.", "The buyer pays within 30 days."),
            (
                "The buyer pays in 30 days and penalties have a cap of 5 %.",
                "The buyer pays within 30 days. The cap on penalties is 5 % of the price.",
            ),
            ("Which law applies is told elsewhere.", "Other law applies."),
        ] {
            assert_eq!(stands(statement, CONTRACT), quote, "{statement}");
        }
    }

    #[test]
    fn a_quote_never_holds_two_blocks_or_more_than_three_sentences() {
        let all = "Terms of delivery, buyer pays 30 days, cap penalties 5 % price, never rises, other law applies";
        let quote = stands(all, CONTRACT);
        assert!(!quote.contains("Terms") && !quote.contains("law"), "{quote}");
        let many = "One alpha./Two beta./Three gamma./Four delta./Five epsilon.";
        assert_eq!(stands("alpha beta gamma delta epsilon", many), "One alpha. Two beta. Three gamma.");
    }

    #[test]
    fn where_no_word_is_shared_the_longest_block_with_sentences_is_cited() {
        let block = "The buyer pays within 30 days. The cap on penalties is 5 % of the price. It never rises.";
        assert_eq!(stands("Die Strafe ist begrenzt.", CONTRACT), block);
        let mut bare = passage("Some words./More words.");
        bare.units.clear();
        assert_eq!(standing("More words", &bare), None);
    }
}
