//! Rows of words, and how they are looked up.
//!
//! A row gives the words of one language for a value. Words are in lower case and stand between white space; `_` joins those of a phrase. A
//! mark before a word says where it counts:
//!
//! | mark | the word counts |
//! | --- | --- |
//! | none | in every text, unless a row of the text's language says otherwise |
//! | `!` | only in a text of the row's language, because elsewhere it is an ordinary word (`once`, `sin`, `mars`) |
//! | `~` | not in a text of the row's language, where it is an ordinary word, nor as a part of a longer run (`南非` in Chinese) |

use std::collections::HashMap;
use std::ops::Range;

use icu_normalizer::ComposingNormalizerBorrowed;

use super::script::{Script, is_mark};
use super::tag::Language;
use super::words::{Unspaced, WrittenWord, split};

/// A row of a table: the words of a language for a value.
pub(super) type Row<V> = (Language, V, &'static str);

/// Where a word counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Everywhere,
    OwnText,
    Nowhere,
}

#[derive(Debug, Clone, Copy)]
struct Entry<V> {
    language: Language,
    value: V,
    reach: Reach,
}

/// The rows of one fact, by word.
#[derive(Debug)]
pub(super) struct Table<V> {
    entries: HashMap<Box<str>, Vec<Entry<V>>>,
    /// Most words of a phrase.
    most_words: usize,
    /// Most characters of an entry.
    most_chars: usize,
}

/// A word of a table in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundWord<V> {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// What the table says of it.
    pub value: V,
}

impl<V: Copy> Table<V> {
    pub(super) fn new(rows: impl IntoIterator<Item = Row<V>>) -> Self {
        let mut table = Self { entries: HashMap::new(), most_words: 1, most_chars: 1 };
        for (language, value, words) in rows {
            words.split_whitespace().for_each(|word| table.insert(language, value, word));
        }
        table
    }

    fn insert(&mut self, language: Language, value: V, word: &str) {
        let (reach, bare) = match (word.strip_prefix('!'), word.strip_prefix('~')) {
            (Some(bare), _) => (Reach::OwnText, bare),
            (_, Some(bare)) => (Reach::Nowhere, bare),
            _ => (Reach::Everywhere, word),
        };
        let word = key(&bare.replace('_', " "));
        self.most_words = self.most_words.max(word.split(' ').count());
        self.most_chars = self.most_chars.max(word.chars().count());
        self.entries.entry(word.into()).or_default().push(Entry { language, value, reach });
    }

    /// The value of `word`, in lower case, in a text of `language`; `None` for a language that is not known.
    pub(super) fn get(&self, word: &str, language: Option<Language>) -> Option<V> {
        self.get_known(word, language)?
    }

    /// As [`Table::get`], with `Some(None)` for a word that the table knows to be an ordinary one.
    fn get_known(&self, word: &str, language: Option<Language>) -> Option<Option<V>> {
        let entries = self.spellings(word)?;
        if let Some(own) = entries.iter().find(|entry| Some(entry.language) == language) {
            return Some((own.reach != Reach::Nowhere).then_some(own.value));
        }
        let everywhere = entries.iter().find(|entry| entry.reach == Reach::Everywhere);
        Some(everywhere.map(|entry| entry.value))
    }

    fn spellings(&self, word: &str) -> Option<&Vec<Entry<V>>> {
        if word.is_ascii() {
            return self.entries.get(word);
        }
        let word = key(word);
        if word.contains(' ') {
            return self.entries.get(word.as_str());
        }
        self.entries.get(word.as_str()).or_else(|| without_particles(&word).find_map(|bare| self.entries.get(bare)))
    }

    /// The words of the table in `text`, which is in `language`, in order, without overlap; of two that begin at one place the longer.
    pub(super) fn find_in(&self, text: &str, language: Option<Language>) -> Vec<FoundWord<V>> {
        let words: Vec<WrittenWord<'_>> = split(text, Unspaced::Runs, &[]).into_iter().map(without_digits).collect();
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let word = &words[at];
            if word.is_unspaced() {
                self.find_in_run(word, language, &mut found);
                at += 1;
                continue;
            }
            let (value, past) = self.phrase(text, &words, at, language).unwrap_or((None, at + 1));
            let range = word.range.start..words[past - 1].range.end;
            found.extend(value.map(|value| FoundWord { range, value }));
            at = past;
        }
        found
    }

    /// The longest phrase that begins with the word at `at`, and the index of the word behind it.
    fn phrase(
        &self,
        text: &str,
        words: &[WrittenWord<'_>],
        at: usize,
        language: Option<Language>,
    ) -> Option<(Option<V>, usize)> {
        let most = self.most_words.min(words.len() - at);
        (1..=most).rev().find_map(|count| {
            let run = &words[at..at + count];
            let is_near = |pair: &[WrittenWord<'_>]| {
                let gap = &text[pair[0].range.end..pair[1].range.start];
                gap.chars().all(|c| c.is_whitespace() || matches!(c, '\'' | '’' | '-'))
            };
            if !run.windows(2).all(is_near) {
                return None;
            }
            let phrase = run.iter().map(WrittenWord::lower).collect::<Vec<_>>().join(" ");
            self.get_known(&phrase, language).map(|value| (value, at + count))
        })
    }

    /// Adds the words in a run of a script without spaces.
    fn find_in_run(&self, run: &WrittenWord<'_>, language: Option<Language>, found: &mut Vec<FoundWord<V>>) {
        let chars: Vec<(usize, char)> = run.text.char_indices().collect();
        let byte = |at: usize| chars.get(at).map_or(run.text.len(), |(byte, _)| *byte);
        let mut at = 0;
        while at < chars.len() {
            let most = self.most_chars.min(chars.len() - at);
            let longest = (1..=most).rev().find_map(|count| {
                // A word ends before no mark of its last letter.
                let is_whole = !chars.get(at + count).is_some_and(|(_, c)| is_mark(*c));
                let piece = &run.text[byte(at)..byte(at + count)];
                self.get_known(piece, language).filter(|_| is_whole).map(|value| (value, count))
            });
            let (value, count) = longest.unwrap_or((None, 1));
            let range = run.range.start + byte(at)..run.range.start + byte(at + count);
            found.extend(value.map(|value| FoundWord { range, value }));
            at += count;
        }
    }

    /// Every word with its languages and values.
    #[cfg(test)]
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, Vec<(Language, V, bool)>)> {
        let plain = |entry: &Entry<V>| (entry.language, entry.value, entry.reach == Reach::Everywhere);
        self.entries.iter().map(move |(word, entries)| (&**word, entries.iter().map(plain).collect()))
    }

    /// Whether `language` has a row.
    #[cfg(test)]
    pub(super) fn has_row(&self, language: Language) -> bool {
        self.entries.values().flatten().any(|entry| entry.language == language && entry.reach != Reach::Nowhere)
    }
}

/// `word` without the digits it begins with, unless it is all digits: `5km` has the unit in it.
fn without_digits(word: WrittenWord<'_>) -> WrittenWord<'_> {
    let rest = word.text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.is_empty() {
        return word;
    }
    WrittenWord { range: word.range.end - rest.len()..word.range.end, text: rest }
}

/// A word as it is compared: composed, with one apostrophe.
fn key(word: &str) -> String {
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(word);
    composed
        .chars()
        .filter(|c| !matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}'))
        .map(|c| if matches!(c, '’' | 'ʼ') { '\'' } else { c })
        .collect()
}

/// `word` without what its language writes onto it: Arabic particles and the article before it, Korean particles behind it.
fn without_particles(word: &str) -> impl Iterator<Item = &str> {
    let script = word.chars().next().map_or(Script::Other, Script::of);
    let before: &[&str] =
        if script == Script::Arabic { &["و", "ف", "ال", "وال", "بال", "لل", "ب", "ل"] } else { &[] };
    let without_article = before.iter().filter_map(move |particle| word.strip_prefix(particle));
    let ends =
        if script == Script::Hangul { word.char_indices().skip(2).map(|(at, _)| at).collect() } else { Vec::new() };
    // The longest beginning first; one syllable alone begins too many words.
    without_article.chain(ends.into_iter().rev().map(|at| &word[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<u8> {
        Table::new([
            (Language::En, 1, "not may_not"),
            (Language::Es, 11, "once !sin"),
            (Language::En, 0, "~once"),
            (Language::Zh, 2, "非 ~南非 不是"),
            (Language::Ko, 3, "모든 안"),
            (Language::Ar, 4, "كل"),
            (Language::Uk, 5, "п'ять"),
        ])
    }

    #[test]
    fn a_marked_word_counts_only_where_it_means_that() {
        for (word, language, want) in [
            ("once", None, Some(11)),
            ("once", Some(Language::Es), Some(11)),
            ("once", Some(Language::En), None),
            ("sin", None, None),
            ("sin", Some(Language::En), None),
            ("sin", Some(Language::Es), Some(11)),
            ("not", Some(Language::De), Some(1)),
            ("nothing", None, None),
        ] {
            assert_eq!(table().get(word, language), want, "{word} {language:?}");
        }
    }

    #[test]
    fn words_are_found_in_texts_of_every_script() {
        for (text, want) in [
            ("It may not, and not.", &[("may not", 1), ("not", 1)][..]),
            ("南非不是非洲", &[("不是", 2), ("非", 2)]),
            ("모든것을 안다 안", &[("모든것을", 3), ("안", 3)]),
            ("وكل", &[("وكل", 4)]),
            ("п’ять", &[("п’ять", 5)]),
        ] {
            let found = table().find_in(text, None);
            let found: Vec<(&str, u8)> = found.into_iter().map(|word| (&text[word.range], word.value)).collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
