//! A quote prepared for comparison: its words and sentences, and the words around it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use precis_proto::finding::Quote;
use precis_proto::{CharRange, Locator};
use precis_text::CanonicalText;
use precis_text::sentences::sentences_with_ranges;
use precis_text::statement::of_quote;

use super::derived::Figures;
use super::wording::{Word, words};

/// Characters on each side of a quote from which a statement may take names, numbers and dates. Chosen, not measured.
pub const CONTEXT_CHARS: usize = 400;

/// A quote prepared for comparison.
#[derive(Debug)]
pub(super) struct QuoteEvidence<'a> {
    pub(super) quote: &'a Quote,
    /// The statement that the quote makes, with what it needs beside itself.
    pub(super) text: Cow<'a, str>,
    pub(super) words: Vec<Word>,
    /// Its sentences: characters of the quote, and indexes of their words.
    pub(super) sentences: Vec<(CharRange, Range<usize>)>,
    /// Words of the title and around the quote in its text.
    pub(super) near: Vec<Word>,
    /// Figures of the quote and around it.
    pub(super) figures: Figures,
}

impl<'a> QuoteEvidence<'a> {
    /// Prepares `quote`, whose words are `own`. Without `text` its surroundings are unknown and only the title is near it.
    pub(super) fn new(quote: &'a Quote, own: Vec<Word>, text: Option<&CanonicalText>, title: &str) -> Self {
        let said = statement_of(quote);
        let mut sentences = Vec::new();
        // A quote that needs more than itself says one thing with it.
        let whole = quote.context.is_empty().then_some(&quote.text);
        let (mut from, mut byte, mut char) = (0, 0, 0);
        for (range, sentence) in whole.into_iter().flat_map(|text| sentences_with_ranges(text)) {
            let end_of = |chars: usize, byte: usize, char: usize| {
                quote.text[byte..].char_indices().nth(chars - char).map_or(quote.text.len(), |(at, _)| byte + at)
            };
            byte = end_of(range.start, byte, char) + sentence.len();
            char = range.end;
            let past = own.iter().position(|word| word.range.start >= byte).unwrap_or(own.len()).max(from);
            sentences.push((range, from..past));
            from = past;
        }
        match sentences.last_mut() {
            Some((_, last)) => last.end = own.len(),
            None => sentences.push((CharRange::new(0, quote.text.chars().count()), 0..own.len())),
        }
        let mut near = words(title);
        let mut figures = Figures::of_words(&quote.text, &own);
        if let Some((text, range)) = text.and_then(|text| Some((text, text.resolve(&quote.locator)?))) {
            let whole = in_context(text, range);
            for around in [CharRange::new(whole.start, range.start), CharRange::new(range.end, whole.end)] {
                let around = text.slice(around);
                let own = words(around);
                figures.extend(&Figures::of_words(around, &own));
                near.extend(own);
            }
        }
        Self { quote, text: said, words: own, sentences, near, figures }
    }

    /// A sentence as a quote of its own.
    pub(super) fn sentence(&self, n: usize) -> Quote {
        if !self.quote.context.is_empty() {
            return self.quote.clone();
        }
        let range = self.sentences[n].0;
        let start = self.quote.locator.range.start;
        Quote {
            source_id: self.quote.source_id.clone(),
            locator: Locator {
                page: self.quote.locator.page,
                range: CharRange::new(start + range.start, start + range.end),
            },
            text: self.quote.text.chars().skip(range.start).take(range.len()).collect(),
            headings: self.quote.headings.clone(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: self.quote.place,
            recognized: self.quote.recognized.clone(),
        }
    }
}

/// The statement that a quote makes.
pub(super) fn statement_of(quote: &Quote) -> Cow<'_, str> {
    if quote.context.is_empty() { Cow::Borrowed(&quote.text) } else { Cow::Owned(of_quote(quote)) }
}

/// `range` of `text` with [`CONTEXT_CHARS`] on each side, within its page.
pub(super) fn in_context(text: &CanonicalText, range: CharRange) -> CharRange {
    let run = text.runs().into_iter().map(|(_, run)| run).find(|run| run.contains(&range));
    let run = run.unwrap_or(range);
    CharRange::new(range.start.saturating_sub(CONTEXT_CHARS).max(run.start), (range.end + CONTEXT_CHARS).min(run.end))
}

/// Word weights: a word in few quotes weighs more than one in all of them.
#[derive(Debug, Default)]
pub(super) struct QuoteWeights {
    quotes: f64,
    held: HashMap<String, u32>,
}

impl QuoteWeights {
    /// Computes the weights from quotes given as words.
    pub(super) fn from_quotes<'w>(quotes: impl Iterator<Item = &'w Vec<Word>>) -> Self {
        let mut weights = Self::default();
        for quote in quotes {
            weights.quotes += 1.0;
            let mut keys: Vec<&str> =
                quote.iter().filter(|word| word.is_content).map(|word| word.key.as_str()).collect();
            keys.sort_unstable();
            keys.dedup();
            for key in keys {
                match weights.held.get_mut(key) {
                    Some(count) => *count += 1,
                    None => drop(weights.held.insert(key.to_owned(), 1)),
                }
            }
        }
        weights
    }

    /// The weight of a word: 0.69 if every quote has it, more if fewer do.
    pub(super) fn weight(&self, word: &Word) -> f64 {
        let held = self.held.get(&word.key).copied().unwrap_or(1).max(1);
        (1.0 + self.quotes.max(1.0) / f64::from(held)).ln()
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::SourceId;

    use super::*;

    fn quote(text: &str, start: usize) -> Quote {
        let range = CharRange::new(start, start + text.chars().count());
        Quote {
            source_id: SourceId::new("s").expect("an id"),
            locator: Locator { page: None, range },
            text: text.to_owned(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        }
    }

    #[test]
    fn a_sentence_of_a_quote_is_a_quote_of_its_text() {
        let text = CanonicalText::from_plain("Before it. Ä first. Then a second one. Behind.");
        let quote = quote("Ä first. Then a second one.", 11);
        let read = QuoteEvidence::new(&quote, words(&quote.text), Some(&text), "Title");
        assert_eq!(read.sentences.len(), 2);
        assert_eq!(read.sentences[1].1, 2..6);
        for n in 0..2 {
            let sentence = read.sentence(n);
            assert_eq!(text.slice(text.resolve(&sentence.locator).expect("a place")), sentence.text);
        }
        let near: Vec<&str> = read.near.iter().map(|word| word.key.as_str()).collect();
        assert_eq!(near, ["title", "before", "it", "behind"]);
    }

    #[test]
    fn the_surroundings_of_a_quote_end_at_limit_and_page() {
        for (chars, held) in [(CONTEXT_CHARS - 1, true), (CONTEXT_CHARS, true), (CONTEXT_CHARS + 1, false)] {
            let text = CanonicalText::from_plain(&format!("The quote.{}x", "-".repeat(chars - 1)));
            let quote = quote("The quote.", 0);
            let read = QuoteEvidence::new(&quote, words(&quote.text), Some(&text), "");
            assert_eq!(read.near.iter().any(|word| word.key == "x"), held, "{chars}");
        }
        let pages = CanonicalText::from_pages(&["Ada came.".to_owned(), "The quote.".to_owned()]);
        let quote = Quote { locator: "page:2:char:0-10".parse().expect("a locator"), ..quote("The quote.", 0) };
        assert!(QuoteEvidence::new(&quote, words(&quote.text), Some(&pages), "").near.is_empty());
    }

    #[test]
    fn a_word_of_few_quotes_weighs_more() {
        let quotes = ["ice melts", "ice grows", "ice"].map(words);
        let weights = QuoteWeights::from_quotes(quotes.iter());
        let of = |text: &str| weights.weight(&words(text)[0]);
        assert!(of("ice") < of("melts") && (of("melts") - of("unknown")).abs() < 1e-9);
    }
}
