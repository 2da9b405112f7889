//! The words of a whole collection, with a search for those that meet a term: as a form of it, as kin, or by a character.
//!
//! The meetings are the same as within one text, see `meeting`. There every distinct word is compared; a collection may have a million,
//! so each word carries a bit pattern of its letter runs, and only words whose bits allow a meeting are read.

use precis_language::inflection;
use precis_text::terms::stem;

use super::meeting::{KIN_SHARE, dice, grams, is_form, is_han, runs};

/// Leading letters that two forms of a word must share.
const FORM_LETTERS: usize = 3;

/// Distinct words in ascending order. The number of a word is its index in that order.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// All words, concatenated.
    letters: String,
    /// For each word, its end in `letters`.
    ends: Vec<u32>,
    marks: Vec<Marks>,
    /// Numbers of the words with a Han character among their first two.
    han: Vec<u32>,
}

/// Bit patterns that exclude most words without reading them.
#[derive(Debug, Clone, Copy)]
struct Marks {
    /// One bit for each run of three letters, with a mark at the start of the word.
    runs: u64,
    /// The same for the runs of its stem, without the start mark.
    inner: u64,
    /// Number of distinct runs, at most 255.
    grams: u8,
}

impl Marks {
    fn from_word(word: &str) -> Self {
        let grams = u8::try_from(grams(word).len()).unwrap_or(u8::MAX);
        Self { runs: runs(word).fold(0, |bits, run| bits | bit(run)), inner: inner(stem(word)), grams }
    }
}

/// One of 64 bits, chosen by a hash of the run.
fn bit(run: [char; 3]) -> u64 {
    let mixed = run.iter().fold(0_u32, |mixed, letter| mixed.wrapping_mul(33) ^ u32::from(*letter));
    1 << (mixed.wrapping_mul(0x9e37_79b1) >> 26)
}

fn inner(word: &str) -> u64 {
    runs(word).skip(1).fold(0, |bits, run| bits | bit(run))
}

/// The words of a vocabulary that meet a term. Each list is in ascending order of the words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TermMeetings {
    /// The term itself, if the vocabulary contains it.
    pub whole: Option<u32>,
    /// The term, its other forms and parts of one compound.
    pub forms: Vec<u32>,
    /// The term and the words that share many of its runs of three letters, each with the similarity (0.5 to 1).
    pub kin: Vec<(u32, f64)>,
}

impl Vocabulary {
    /// Builds a vocabulary of `words`, which must be ascending and distinct.
    #[must_use]
    pub fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut vocabulary = Self::default();
        for word in words {
            let number = vocabulary.ends.len() as u32;
            if word.chars().take(2).any(is_han) {
                vocabulary.han.push(number);
            }
            vocabulary.letters.push_str(word);
            vocabulary.ends.push(u32::try_from(vocabulary.letters.len()).unwrap_or(u32::MAX));
            vocabulary.marks.push(Marks::from_word(word));
        }
        vocabulary
    }

    /// Number of words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The word with the given number; empty if there is none.
    #[must_use]
    pub fn word(&self, number: u32) -> &str {
        let number = number as usize;
        let Some(&end) = self.ends.get(number) else { return "" };
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.letters[start as usize..end as usize]
    }

    /// The number of `word`, if the vocabulary contains it.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<u32> {
        let at = self.first_from(word);
        (at < self.len() && self.word(at as u32) == word).then_some(at as u32)
    }

    /// The index of the first word that is not before `word`.
    fn first_from(&self, word: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.word(middle as u32) < word { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Finds the words that meet `term`.
    #[must_use]
    pub fn meetings(&self, term: &str) -> TermMeetings {
        let asked = QueryTerm::new(term);
        let (first, behind) = self.beginning(term);
        let inflected = self.form_numbers(term);
        let mut meetings = TermMeetings { whole: self.find(term), ..TermMeetings::default() };
        for (number, marks) in self.marks.iter().enumerate() {
            let is_inflected = inflected.binary_search(&(number as u32)).is_ok();
            let near = (first..behind).contains(&number) || is_inflected;
            let (parts, kin) = (asked.may_be_part(marks), asked.may_be_kin(marks));
            if !(near || parts || kin) {
                continue;
            }
            let number = number as u32;
            let word = self.word(number);
            if word == term {
                meetings.forms.push(number);
                meetings.kin.push((number, 1.0));
                continue;
            }
            if (near || parts) && is_form(term, asked.root, word, stem(word)) {
                meetings.forms.push(number);
            }
            if kin {
                let share = dice(&grams(word), &asked.grams);
                meetings.kin.extend((share >= KIN_SHARE).then_some((number, share)));
            }
        }
        meetings
    }

    /// Numbers of the forms of `term` that need not begin as it does, ascending.
    fn form_numbers(&self, term: &str) -> Vec<u32> {
        inflection::forms(term).iter().filter_map(|form| self.find(form)).collect()
    }

    /// The range of words that share the first [`FORM_LETTERS`] letters with `term`, as its forms by letters must.
    fn beginning(&self, term: &str) -> (usize, usize) {
        let bytes = term.char_indices().nth(FORM_LETTERS).map_or(term.len(), |(at, _)| at);
        let prefix = &term[..bytes];
        let first = self.first_from(prefix);
        let behind = (first..self.len()).find(|at| !self.word(*at as u32).starts_with(prefix));
        (first, behind.unwrap_or(self.len()))
    }

    /// Numbers of the character pairs that contain `character`, a Han character.
    pub fn holding(&self, character: char) -> impl Iterator<Item = u32> {
        self.han.iter().copied().filter(move |number| self.word(*number).chars().take(2).any(|c| c == character))
    }
}

/// A term, prepared for comparison.
struct QueryTerm<'t> {
    root: &'t str,
    grams: Vec<[char; 3]>,
    marks: Marks,
    /// Number of runs that share a bit with another run of the term.
    doubled: u32,
}

impl<'t> QueryTerm<'t> {
    fn new(term: &'t str) -> Self {
        let (grams, marks) = (grams(term), Marks::from_word(term));
        Self { root: stem(term), doubled: (grams.len() as u32).saturating_sub(marks.runs.count_ones()), grams, marks }
    }

    /// Whether the bits allow all runs of one stem to be runs of the other, as is the case if it is a part of it.
    fn may_be_part(&self, word: &Marks) -> bool {
        let holds = |whole: u64, part: u64| part != 0 && part & !whole == 0;
        holds(word.runs, self.marks.inner) || holds(self.marks.runs, word.inner)
    }

    /// Whether the bits allow enough shared runs for kin: shared bits plus doubled runs are an upper bound of the shared runs.
    fn may_be_kin(&self, word: &Marks) -> bool {
        let shared = (word.runs & self.marks.runs).count_ones() + self.doubled;
        let needed = KIN_SHARE * (f64::from(word.grams) + self.grams.len() as f64);
        word.grams > 0 && 2.0 * f64::from(shared) >= needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "abhängig bäumefällungen case cases cell cells chemist chemistry chemists chess elektrogeräte fall \
        fällung gerät geräten gesundheit gesundheitlich integration internet investigate investigators method methods risk \
        risks schiffe schifffahrt state stone topologie topologien unabhängig vaccination vaccine water waterworks ὁδός 害虫 \
        治害 аэропорт аэропорта data datas aaaaaaa aaaaaaab banana bananas pay pays paid use using went gezahlt zahlt aufnahme";

    fn words() -> Vec<&'static str> {
        let mut words: Vec<&str> = WORDS.split_whitespace().collect();
        words.sort_unstable();
        words
    }

    #[test]
    fn a_vocabulary_finds_every_meeting_that_asking_each_word_finds() {
        let words = words();
        let vocabulary = Vocabulary::new(words.iter().copied());
        for term in
            words.iter().chain(&["risky", "chem", "geräte", "x", "bananas2", "aaaa", "paying", "goes", "aufgenommen"])
        {
            let found = vocabulary.meetings(term);
            let numbered = || (0_u32..).zip(&words);
            let forms = numbered().filter(|(_, word)| is_form(term, stem(term), word, stem(word)));
            assert_eq!(found.forms, forms.map(|(number, _)| number).collect::<Vec<_>>(), "forms of {term}");
            let share = |word: &str| if word == *term { 1.0 } else { dice(&grams(word), &grams(term)) };
            let kin = numbered().map(|(number, word)| (number, share(word))).filter(|(_, share)| *share >= KIN_SHARE);
            assert_eq!(found.kin, kin.collect::<Vec<_>>(), "kin of {term}");
            assert_eq!(found.whole, words.iter().position(|word| word == term).map(|at| at as u32), "{term}");
        }
    }

    #[test]
    fn words_have_numbers_and_han_characters_their_pairs() {
        let words = words();
        let vocabulary = Vocabulary::new(words.iter().copied());
        assert_eq!((vocabulary.len(), vocabulary.is_empty()), (words.len(), false));
        for (number, word) in (0..).zip(&words) {
            assert_eq!((vocabulary.word(number), vocabulary.find(word)), (*word, Some(number)));
        }
        assert_eq!((vocabulary.find("zebra"), vocabulary.word(9_999)), (None, ""));
        let holding: Vec<&str> = vocabulary.holding('害').map(|number| vocabulary.word(number)).collect();
        assert_eq!(
            holding,
            ["害虫", "治害"]
                .into_iter()
                .filter(|w| words.contains(w))
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect::<Vec<_>>()
        );
        assert!(Vocabulary::default().meetings("x").forms.is_empty());
    }
}
