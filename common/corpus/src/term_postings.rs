//! The postings of a term in one segment: of its words in the text, in headings and in titles.

use std::ops::Range;

use tantivy::schema::Field;

use crate::CorpusError;
use crate::bm25::saturation;
use crate::met_term::MetWord;
use crate::open_index::{OpenIndex, OpenSegment};
use crate::term_words::ScoredTerm;
use crate::window_postings::WindowPostings;

/// The postings of a term in one segment.
pub(crate) struct TermPostings {
    pub(crate) words: Vec<(MetWord, WindowPostings)>,
    pub(crate) headings: Vec<WindowPostings>,
    pub(crate) titles: Vec<WindowPostings>,
}

impl TermPostings {
    pub(crate) fn open(index: &OpenIndex, segment: &OpenSegment, term: &ScoredTerm) -> Result<Self, CorpusError> {
        let open = |field: Field, words: &mut dyn Iterator<Item = &MetWord>| {
            let inverted = segment.reader.inverted_index(field)?;
            let mut opened = Vec::new();
            for met in words {
                let postings = WindowPostings::open(&inverted, &index.term(field, met.word))?;
                opened.extend(postings.map(|postings| (*met, postings)));
            }
            Ok::<_, CorpusError>(opened)
        };
        let mut forms = term.words.iter().filter(|met| met.form > 0.0);
        let headings = open(index.fields.names, &mut forms.clone())?;
        let titles = open(index.fields.title, &mut forms)?;
        let alone = |opened: Vec<(MetWord, WindowPostings)>| opened.into_iter().map(|(_, postings)| postings).collect();
        let words = open(index.fields.words, &mut term.words.iter())?;
        Ok(Self { words, headings: alone(headings), titles: alone(titles) })
    }

    /// Adds to `bounds` the most that `term` can count for each chunk of a window, of which `norm` returns the norm of its length.
    pub(crate) fn bound(
        &mut self,
        term: &ScoredTerm,
        window: &Range<u32>,
        norm: impl Fn(u32) -> f64,
        bounds: &mut [f64],
    ) {
        for (met, postings) in &mut self.words {
            let most = term.most(met);
            for posting in postings.within(window) {
                let once = saturation(f64::from(posting.times), norm(posting.chunk));
                bounds[(posting.chunk - window.start) as usize] += most * once;
            }
        }
        for (lift, postings) in [(term.heading, &mut self.headings), (term.title, &mut self.titles)] {
            for postings in postings {
                for posting in postings.within(window) {
                    bounds[(posting.chunk - window.start) as usize] += lift;
                }
            }
        }
    }
}
