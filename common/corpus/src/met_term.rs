//! The words of a corpus that meet a term, kept with an opened index once they were looked up.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use precis_evidence::ranking::TermMeetings;

/// A word that meets a term, in one or several ways.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct MetWord {
    pub(crate) word: u32,
    /// 1 if it is the term itself, else 0.
    pub(crate) whole: f64,
    /// Similarity as kin, at most 1; 0 if it is not.
    pub(crate) kin: f64,
    /// 1 if it is a form of the term, else 0.
    pub(crate) form: f64,
}

/// The words that meet a term, and the chunks they occur in.
#[derive(Debug)]
pub(crate) struct MetTerm {
    pub(crate) met: TermMeetings,
    counts: OnceLock<TermCounts>,
}

/// Numbers of chunks that are not removed.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct TermCounts {
    pub(crate) whole: usize,
    pub(crate) kin: usize,
    pub(crate) forms: usize,
    /// With a form, or below a heading with one.
    pub(crate) below: usize,
    /// Documents with a form in the title.
    pub(crate) titles: usize,
}

impl MetTerm {
    pub(crate) fn new(met: TermMeetings) -> Self {
        Self { met, counts: OnceLock::new() }
    }

    /// The words in ascending order, each once.
    pub(crate) fn words(&self) -> Vec<MetWord> {
        let mut words: BTreeMap<u32, MetWord> = BTreeMap::new();
        let mut met = |word: u32, meet: &dyn Fn(&mut MetWord)| meet(words.entry(word).or_default());
        self.met.whole.iter().for_each(|word| met(*word, &|word| word.whole = 1.0));
        self.met.kin.iter().for_each(|(word, share)| met(*word, &|word| word.kin = *share));
        self.met.forms.iter().for_each(|word| met(*word, &|word| word.form = 1.0));
        words.into_iter().map(|(word, met)| MetWord { word, ..met }).collect()
    }

    /// Returns the numbers of chunks; `count` finds them out the first time.
    ///
    /// # Errors
    /// That of `count`.
    pub(crate) fn counts<E>(&self, count: impl FnOnce() -> Result<TermCounts, E>) -> Result<TermCounts, E> {
        match self.counts.get() {
            Some(counts) => Ok(*counts),
            None => {
                let counts = count()?;
                Ok(*self.counts.get_or_init(|| counts))
            }
        }
    }
}
