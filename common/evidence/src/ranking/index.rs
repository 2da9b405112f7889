//! A text as numbered words: each distinct word once, and for each chunk the numbers of its words.
//!
//! Comparisons with the question are made once per distinct word, not once per occurrence.

use foldhash::{HashMap, HashMapExt};
use precis_text::CanonicalText;
use precis_text::chunk::Chunk;
use precis_text::terms::{for_each_word, is_term};

/// The words of a text by chunk.
#[derive(Debug)]
pub(super) struct Index {
    /// Distinct words, in order of first occurrence.
    words: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    /// For each word, whether it is a term, that is, not a function word.
    is_term: Vec<bool>,
    /// The word numbers of all chunks, concatenated.
    occurrences: Vec<u32>,
    /// For each chunk, the end of its range in `occurrences`.
    ends: Vec<usize>,
    /// For each chunk, its length: the number of its terms, repeats included.
    lengths: Vec<u32>,
    /// Mean length, at least 1.
    mean: f64,
}

impl Index {
    /// Indexes `chunks` of `text` in one pass.
    pub(super) fn new(text: &CanonicalText, chunks: &[Chunk]) -> Self {
        let mut index = Self {
            words: Vec::new(),
            numbers: HashMap::new(),
            is_term: Vec::new(),
            occurrences: Vec::new(),
            ends: Vec::with_capacity(chunks.len()),
            lengths: Vec::with_capacity(chunks.len()),
            mean: 1.0,
        };
        for chunk in chunks {
            let mut length = 0;
            for_each_word(text.slice(chunk.range), |word| {
                let number = index.number(word);
                length += u32::from(index.is_term[number as usize]);
                index.occurrences.push(number);
            });
            index.ends.push(index.occurrences.len());
            index.lengths.push(length);
        }
        let all: u64 = index.lengths.iter().copied().map(u64::from).sum();
        // At least 1: a text may consist of function words alone.
        index.mean = (all as f64 / chunks.len().max(1) as f64).max(1.0);
        index
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.words.push(word.into());
        self.is_term.push(is_term(word));
        self.numbers.insert(word.into(), number);
        number
    }

    /// Number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.ends.len()
    }

    /// The distinct words, by number.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(AsRef::as_ref)
    }

    /// The number of `word`, if the text contains it.
    pub(super) fn find(&self, word: &str) -> Option<usize> {
        self.numbers.get(word).map(|number| *number as usize)
    }

    /// Word numbers of a chunk, in order.
    pub(super) fn of(&self, chunk: usize) -> impl Iterator<Item = usize> {
        let start = chunk.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.occurrences[start..self.ends[chunk]].iter().map(|number| *number as usize)
    }

    /// The number of terms of a chunk, divided by the mean of the text's chunks.
    pub(super) fn relative_length(&self, chunk: usize) -> f64 {
        f64::from(self.lengths[chunk]) / self.mean
    }
}

#[cfg(test)]
mod tests {
    use precis_text::chunk::chunks;

    use super::*;

    #[test]
    fn each_word_has_one_number_and_each_chunk_its_words() {
        let text = CanonicalText::from_pages(&["The dam and the river".to_owned(), "a dam".to_owned()]);
        let index = Index::new(&text, &chunks(&text, 400));
        assert_eq!(index.chunks(), 2);
        assert_eq!(index.words().collect::<Vec<_>>(), ["the", "dam", "and", "river", "a"]);
        assert_eq!(index.of(0).collect::<Vec<_>>(), [0, 1, 2, 0, 3]);
        assert_eq!(index.of(1).collect::<Vec<_>>(), [4, 1]);
        assert_eq!((index.find("river"), index.find("sea")), (Some(3), None));
        assert!((index.relative_length(0) - 2.0 / 1.5).abs() < 1e-9);
    }
}
