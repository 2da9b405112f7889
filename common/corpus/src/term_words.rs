//! In how many chunks the words that meet a term occur, and what they count.

use tantivy::InvertedIndexReader;
use tantivy::schema::{Field, IndexRecordOption};

use crate::CorpusError;
use crate::bm25::{SATURATION, rarity};
use crate::chunk_set::ChunkSet;
use crate::met_term::{MetTerm, MetWord, TermCounts};
use crate::open_index::{NOBODY, OpenIndex, OpenSegment};

/// Weights of the fields, as within one document; see `precis_evidence::ranking`.
const FORMS_WEIGHT: f64 = 0.6;
const KIN_WEIGHT: f64 = 0.7;
const CHARACTERS_WEIGHT: f64 = 0.3;
const NAMES_WEIGHT: f64 = 0.3;
/// Weight of a term in the title or path of its document. The same as for headings; the test questions have documents without titles.
const TITLE_WEIGHT: f64 = 0.3;
/// A character inside a text occurs in two pairs of characters.
const CHARACTER_WORTH: f64 = 0.5;

/// A term of a question as it is scored: its words, and the weight of each field times its rarity.
#[derive(Debug, Clone, Default)]
pub(crate) struct ScoredTerm {
    /// Ascending.
    pub(crate) words: Vec<MetWord>,
    pub(crate) whole: f64,
    pub(crate) kin: f64,
    pub(crate) forms: f64,
    /// Added below headings and titles with a form.
    pub(crate) heading: f64,
    pub(crate) title: f64,
}

impl ScoredTerm {
    /// Returns the term with its weights, and the rarity of the term itself.
    pub(crate) fn of_term(index: &OpenIndex, met: &MetTerm) -> Result<(Self, f64), CorpusError> {
        let words = met.words();
        let counts = met.counts(|| count(index, &words))?;
        let rarity = |count| rarity(index.chunks, count);
        let term = Self {
            words,
            whole: 1.0 * rarity(counts.whole),
            kin: KIN_WEIGHT * rarity(counts.kin),
            forms: FORMS_WEIGHT * rarity(counts.forms),
            heading: NAMES_WEIGHT * rarity(counts.below),
            title: TITLE_WEIGHT * crate::bm25::rarity(index.firsts.len(), counts.titles),
        };
        Ok((term, rarity(counts.whole)))
    }

    /// The character pairs with `character`, a Han character.
    pub(crate) fn of_character(index: &OpenIndex, character: char) -> Result<Self, CorpusError> {
        let pairs = index.vocabulary.holding(character);
        let words = pairs.map(|word| MetWord { word, kin: CHARACTER_WORTH, ..MetWord::default() }).collect::<Vec<_>>();
        let counts = count(index, &words)?;
        Ok(Self { words, kin: CHARACTERS_WEIGHT * rarity(index.chunks, counts.kin), ..Self::default() })
    }

    /// Returns a score that no chunk exceeds.
    pub(crate) fn bound(&self) -> f64 {
        self.most_by_words() + self.heading + self.title
    }

    /// Returns a score that no chunk exceeds by its own words.
    pub(crate) fn most_by_words(&self) -> f64 {
        SATURATION * (self.whole + self.kin + self.forms)
    }

    /// Returns the factor of what one word counts, if similar words count fully. As scores saturate, words together count at most the sum.
    pub(crate) fn most(&self, word: &MetWord) -> f64 {
        let kin = if word.kin > 0.0 { self.kin } else { 0.0 };
        word.whole * self.whole + kin + word.form * self.forms
    }
}

/// Counts the chunks with `words`.
fn count(index: &OpenIndex, words: &[MetWord]) -> Result<TermCounts, CorpusError> {
    let mut counts = TermCounts::default();
    for segment in &index.segments {
        add(&mut counts, index, segment, words)?;
    }
    Ok(counts)
}

/// Adds the chunks of a segment.
fn add(
    counts: &mut TermCounts,
    index: &OpenIndex,
    segment: &OpenSegment,
    words: &[MetWord],
) -> Result<(), CorpusError> {
    let held = |set: &ChunkSet| match segment.is_whole {
        true => set.len(),
        false => set.iter().filter(|chunk| index.owners[(segment.base + chunk) as usize] != NOBODY).count(),
    };
    let empty = ChunkSet::new(segment.reader.max_doc());
    let (mut whole, mut kin, mut forms, mut titled) = (empty.clone(), empty.clone(), empty.clone(), empty);
    let inverted = segment.reader.inverted_index(index.fields.words)?;
    for met in words {
        let mut sets = Vec::with_capacity(3);
        sets.extend((met.whole > 0.0).then_some(&mut whole));
        sets.extend((met.kin > 0.0).then_some(&mut kin));
        sets.extend((met.form > 0.0).then_some(&mut forms));
        each_block(index, &inverted, index.fields.words, met.word, |chunks| {
            sets.iter_mut().for_each(|set| chunks.iter().for_each(|chunk| set.insert(*chunk)));
        })?;
    }
    counts.whole += held(&whole);
    counts.kin += held(&kin);
    counts.forms += held(&forms);
    let (names, titles) =
        (segment.reader.inverted_index(index.fields.names)?, segment.reader.inverted_index(index.fields.title)?);
    for met in words.iter().filter(|met| met.form > 0.0) {
        each_block(index, &names, index.fields.names, met.word, |chunks| {
            chunks.iter().for_each(|chunk| forms.insert(*chunk));
        })?;
        each_block(index, &titles, index.fields.title, met.word, |chunks| {
            chunks.iter().for_each(|chunk| titled.insert(*chunk));
        })?;
    }
    counts.below += held(&forms);
    // A title stands at every chunk of its document, so the first one tells.
    let is_first = |chunk: &u32| {
        let chunk = segment.base + chunk;
        index.firsts.get(index.owners[chunk as usize] as usize) == Some(&chunk)
    };
    counts.titles += titled.iter().filter(is_first).count();
    Ok(())
}

/// Calls `see` with the chunks of a segment that hold `word`, block by block.
fn each_block(
    index: &OpenIndex,
    inverted: &InvertedIndexReader,
    field: Field,
    word: u32,
    mut see: impl FnMut(&[u32]),
) -> Result<(), CorpusError> {
    let blocks = inverted.read_block_postings(&index.term(field, word), IndexRecordOption::Basic);
    let Some(mut blocks) = blocks.map_err(CorpusError::unusable)? else { return Ok(()) };
    while !blocks.docs().is_empty() {
        see(blocks.docs());
        blocks.advance();
    }
    Ok(())
}
