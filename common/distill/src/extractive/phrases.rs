//! Phrases that statements share and that could head a section: noun-like runs of words, verbatim.
//!
//! No grammar: a run of content words that stands between function words or punctuation (RAKE: Rose et al. 2010) is mostly
//! a noun phrase; one that several statements share is mostly what they are about. Scripts without spaces take runs of
//! Han and Katakana for words, since grammar there is written in Hiragana or in single characters.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{self, Capitals, Class, Word, is_katakana, is_unspaced};

/// Most words of a phrase.
const WORDS: usize = 4;
/// Most characters of a phrase, so that a heading stays one line.
const CHARS: usize = 60;
/// Characters of a phrase in Han or Katakana.
const UNSPACED_CHARS: std::ops::RangeInclusive<usize> = 2..=8;
/// Share of its sightings in which a phrase must look like a noun.
const NOUN_LIKE: f64 = 0.5;

/// Weight of a single word that is no name: last resort, since it may be no noun at all.
pub(super) const LONE_WORD: f64 = 0.45;

/// A phrase some statements share.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Phrase {
    /// As most of them write it; on a tie the first in alphabetical order.
    pub(super) text: String,
    /// Which statements, by position, ascending.
    pub(super) members: BTreeSet<usize>,
    /// How good a heading it makes, above 0.
    pub(super) weight: f64,
}

/// Phrases of `statements`, heaviest first; ties in alphabetical order.
pub(super) fn phrases(statements: &[&str]) -> Vec<Phrase> {
    let mut seen: BTreeMap<String, Sightings> = BTreeMap::new();
    let capitals = Capitals::of(statements);
    for (member, statement) in statements.iter().enumerate() {
        let words = words::of(statement, capitals);
        for segment in words.chunk_by(|a, b| matches!(&statement[a.end()..b.at], " " | "'" | "’")) {
            spaced(member, statement, segment, &mut seen);
        }
        unspaced(member, statement, &mut seen);
    }
    let mut phrases = maximal(seen.values().filter_map(Sightings::phrase).collect());
    phrases.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.text.cmp(&b.text)));
    phrases
}

/// Leaves out what is only a part of a longer phrase of the same statements.
fn maximal(phrases: Vec<Phrase>) -> Vec<Phrase> {
    let mut fellows: BTreeMap<&BTreeSet<usize>, Vec<String>> = BTreeMap::new();
    for phrase in &phrases {
        fellows.entry(&phrase.members).or_default().push(phrase.text.to_lowercase());
    }
    let is_part = |phrase: &Phrase| {
        let text = phrase.text.to_lowercase();
        fellows[&phrase.members].iter().any(|other| other.len() > text.len() && other.contains(&text))
    };
    let parts: Vec<bool> = phrases.iter().map(is_part).collect();
    phrases.into_iter().zip(parts).filter(|(_, part)| !part).map(|(phrase, _)| phrase).collect()
}

/// How a phrase was met, in all its spellings.
#[derive(Default)]
struct Sightings {
    members: BTreeSet<usize>,
    forms: BTreeMap<String, u32>,
    count: u32,
    /// Sightings with a border before, and behind.
    begun: u32,
    ended: u32,
    /// The words met right behind.
    followers: BTreeSet<String>,
    /// Sightings as a name: each word with a capital that the start of a sentence does not explain.
    named: u32,
    words: usize,
}

impl Sightings {
    /// How much what follows varies: a phrase ends where its continuations differ. 0 for a single word, which may be a verb.
    fn variety(&self) -> f64 {
        let followers = self.followers.len();
        if followers < 2 || self.words < 2 { 0.0 } else { followers as f64 / f64::from(self.count) }
    }

    fn add(&mut self, member: usize, text: &str, words: usize) {
        self.members.insert(member);
        *self.forms.entry(text.to_owned()).or_default() += 1;
        self.count += 1;
        self.words = words;
    }

    fn phrase(&self) -> Option<Phrase> {
        let text = self.forms.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))).map(|(form, _)| form.clone())?;
        let share = |part: u32| f64::from(part) / f64::from(self.count.max(1));
        let noun = share(self.begun).min(share(self.ended).max(self.variety())).max(0.9 * share(self.named));
        let is_acronym = text.chars().count() <= 4 && !text.chars().any(char::is_lowercase);
        let size = match (self.words, share(self.named) >= NOUN_LIKE) {
            (1, false) => LONE_WORD,
            (1, true) => {
                if is_acronym {
                    LONE_WORD
                } else {
                    0.75
                }
            }
            (2, _) => 1.0,
            (3, _) => 1.1,
            _ => 0.95,
        };
        (noun >= NOUN_LIKE).then(|| Phrase { text, members: self.members.clone(), weight: noun * size })
    }
}

/// Runs of up to [`WORDS`] words of a segment, which holds no punctuation.
fn spaced(member: usize, statement: &str, segment: &[Word<'_>], seen: &mut BTreeMap<String, Sightings>) {
    for first in 0..segment.len() {
        for last in first..segment.len().min(first + WORDS) {
            let run = &segment[first..=last];
            let text = &statement[run[0].at..segment[last].end()];
            if text.chars().count() > CHARS {
                break;
            }
            if !is_candidate(run) {
                continue;
            }
            let left = first == 0 || segment[first - 1].borders_left();
            let next = segment.get(last + 1);
            let right = next.is_none_or(Word::borders_right) && !is_verb(&segment[last], next);
            let is_opener = run[0].at == 0 && run.len() == 1;
            let sighting = seen.entry(text.to_lowercase()).or_default();
            sighting.add(member, text, run.len());
            sighting.begun += u32::from(left && !is_opener);
            sighting.ended += u32::from(right);
            sighting.followers.extend(segment.get(last + 1).map(|w| w.text.to_lowercase()));
            sighting.named += u32::from(is_name(segment, first, last));
        }
    }
}

/// Whether a run is a name, and the whole of it: no further capital before or behind.
fn is_name(segment: &[Word<'_>], first: usize, last: usize) -> bool {
    let before = first > 0 && segment[first - 1].text.starts_with(char::is_uppercase);
    let behind = segment.get(last + 1).is_some_and(|w| w.is_name);
    !before && !behind && segment[first..=last].iter().all(|w| w.is_name || w.class == Class::Joint)
}

/// Whether `word` looks like a verb: an ending of one, and an article behind it, as in `tourism plays a part`.
fn is_verb(word: &Word<'_>, next: Option<&Word<'_>>) -> bool {
    let is_article = next.is_some_and(|w| matches!(w.text, "a" | "an" | "the" | "its" | "their" | "his" | "her"));
    is_article && ["s", "ed", "ing"].iter().any(|ending| word.text.ends_with(ending))
}

/// Opens with a noun or an adjective, closes with a noun, holds at most joints between.
fn is_candidate(run: &[Word<'_>]) -> bool {
    let opens = run.first().is_some_and(|w| matches!(w.class, Class::Noun | Class::Adjective));
    let closes = run.last().is_some_and(|w| w.class == Class::Noun);
    let lone =
        run.len() > 1 || run.iter().all(|w| w.is_name || (w.text.chars().count() > 4 && !w.text.ends_with("ing")));
    let inside = run.iter().all(|w| matches!(w.class, Class::Noun | Class::Adjective | Class::Joint));
    opens && closes && lone && inside && run.windows(2).all(|pair| !is_object(pair))
}

/// Whether the second word is an article that nothing joins to the first: behind it stands the object of a verb, as in
/// `estimates the average`; `board of the city` is a phrase.
fn is_object(pair: &[Word<'_>]) -> bool {
    let is_article = |w: &Word<'_>| matches!(w.text, "the" | "la");
    pair.last().is_some_and(is_article) && pair.first().is_some_and(|w| w.class != Class::Joint)
}

/// Runs of Han and Katakana, and the beginnings and ends of longer Han runs.
fn unspaced(member: usize, statement: &str, seen: &mut BTreeMap<String, Sightings>) {
    for run in statement.split(|c: char| !is_unspaced(c)).filter(|run| !run.is_empty()) {
        let chars: Vec<char> = run.chars().collect();
        let is_han = !chars.iter().any(|c| is_katakana(*c));
        for size in UNSPACED_CHARS {
            for (first, part) in chars.windows(size).enumerate() {
                let is_whole = size == chars.len();
                let is_edge = first == 0 || first + size == chars.len();
                if is_whole || (is_han && is_edge) {
                    let text: String = part.iter().collect();
                    let sighting = seen.entry(text.clone()).or_default();
                    sighting.add(member, &text, (size / 2).clamp(1, 3));
                    sighting.begun += 1;
                    sighting.ended += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(statements: &[&str]) -> Vec<String> {
        let found = phrases(statements).into_iter().filter(|p| p.members.len() > 1);
        found.map(|p| p.text).collect()
    }

    #[test]
    fn shared_noun_phrases_are_found_as_written() {
        let found = shared(&[
            "The proof of work is a chain of hashes in New Zealand.",
            "A proof of work costs energy, and the network of New Zealand pays for it.",
        ]);
        assert_eq!(found, vec!["proof of work", "New Zealand"]);
    }

    #[test]
    fn verbs_and_small_words_head_nothing() {
        let found = shared(&["We use the method and it shows growth.", "They use a method that shows decline."]);
        assert_eq!(found, vec!["method"]);
    }

    #[test]
    fn a_verb_and_its_object_are_no_phrase() {
        let found = shared(&["The FAA estimates the cost of the rule.", "Boeing estimates the cost of the rule."]);
        assert_eq!(found, vec!["cost of the rule"]);
        let found = shared(&["Rural tourism plays a part in it.", "In law rural tourism plays a role."]);
        assert_eq!(found, vec!["Rural tourism"]);
    }

    #[test]
    fn german_phrases_end_with_a_noun() {
        let found = shared(&[
            "Das wird in den sozialen Netzwerken diskutiert und ist nicht neu.",
            "Was in den sozialen Netzwerken diskutiert wird, ist nicht die Meinung der Partei.",
        ]);
        assert_eq!(found, vec!["sozialen Netzwerken"]);
    }

    #[test]
    fn japanese_phrases_are_runs_of_kanji_and_katakana() {
        let found = shared(&["機械学習は便利です。", "この機械学習のモデルは速い。"]);
        assert_eq!(found[0], "機械学習");
    }
}
