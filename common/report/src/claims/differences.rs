//! Turns the words that an alignment leaves unmatched into checks.
//!
//! Between two matched pairs is a gap: unmatched words of the statement and of the quotes. A number in the place of another number is a
//! replacement, even if it occurs elsewhere. A number that was only moved or added must occur in the rest of the quotes or around them.

use precis_proto::claim::{Check, CheckKind};

use super::align::PositionPairs;
use super::derived::Figures;
use super::identity::Identity;
use super::wording::Word;

/// Most words on either side of a gap for it to be a replacement.
const TIGHT: usize = 4;
/// Most content words after a negation, within its clause, that it negates.
const RULED: usize = 4;
/// Share of capitalized words from which a capital no longer marks a name (German capitalizes all nouns).
const CAPITALS: f64 = 0.33;

/// A sentence of a statement and the quotes it is compared with, as aligned words.
#[derive(Debug)]
pub(super) struct Sides<'a> {
    pub(super) said_text: &'a str,
    pub(super) said: &'a [Word],
    /// All words of all quotes.
    pub(super) given: &'a [&'a Word],
    /// For each word of `given`, the text of its quote.
    pub(super) given_text: &'a [&'a str],
    /// For each word of `given`, the index of its sentence over all quotes.
    pub(super) sentence: &'a [usize],
    /// Words around the quotes, and of their titles.
    pub(super) near: &'a [&'a Word],
    pub(super) pairs: &'a PositionPairs,
    /// What is known besides the quotes, and their figures.
    pub(super) known: Known<'a>,
}

/// What a statement may say although its quotes do not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// Words by which the documents are known.
    pub(super) identity: &'a Identity,
    /// Figures of the quotes and around them, from which others follow.
    pub(super) figures: &'a Figures,
}

/// The differences between a sentence and its quotes.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) checks: Vec<Check>,
    /// Whether the sentence claims more than its quotes.
    pub(super) is_wider: bool,
}

/// Unmatched words between two matched pairs, by index: those of the statement (`said`) and of the quotes (`left`).
struct WordGap {
    said: Vec<usize>,
    left: Vec<usize>,
}

impl WordGap {
    fn is_tight(&self) -> bool {
        self.said.len() <= TIGHT && self.left.len() <= TIGHT
    }
}

struct SideComparison<'s, 'a> {
    sides: &'s Sides<'a>,
    /// For each word of either side, whether it is matched.
    said_matched: Vec<bool>,
    given_matched: Vec<bool>,
    /// Unmatched words of the quotes already used for a word of the statement.
    spent: Vec<bool>,
    capitals_tell: bool,
    found: Differences,
}

/// Compares the unmatched words of both sides.
pub(super) fn differ(sides: &Sides<'_>) -> Differences {
    let mut reader = SideComparison {
        sides,
        said_matched: vec![false; sides.said.len()],
        given_matched: vec![false; sides.given.len()],
        spent: vec![false; sides.given.len()],
        capitals_tell: capitals_tell(sides.given),
        found: Differences::default(),
    };
    for (i, j) in sides.pairs {
        reader.said_matched[*i] = true;
        reader.given_matched[*j] = true;
    }
    reader.stray_negations();
    for (n, gap) in gaps(sides).into_iter().enumerate() {
        reader.negations(&gap);
        reader.widening(&gap);
        let marker = (n == 0 && reader.is_marker(&gap)).then_some(0);
        let mut named: Vec<usize> = Vec::new();
        for &at in &gap.said {
            let word = &sides.said[at];
            if marker == Some(at) {
                continue;
            }
            if word.is_number() {
                reader.number(at, &gap);
            } else if word.is_date {
                reader.replaced_or_missing(at, &gap, CheckKind::Date, &|w| (w.is_date && !w.is_number()) || w.is_name);
            } else if word.unit.is_some() && is_counted(sides.said, at) {
                reader.replaced_or_missing(at, &gap, CheckKind::Unit, &|w| w.unit.is_some());
            } else if word.is_name {
                named.push(at);
            }
        }
        reader.names(&named, &gap);
    }
    reader.found
}

/// Whether a capital inside a sentence marks a name in these quotes.
fn capitals_tell(given: &[&Word]) -> bool {
    let content = given.iter().filter(|word| word.is_content && !word.is_number()).count();
    let names = given.iter().filter(|word| word.is_name && word.is_content).count();
    (names as f64) < CAPITALS * content as f64
}

/// Whether the unit at `at` is next to a number or another unit.
fn is_counted(words: &[Word], at: usize) -> bool {
    let number = |at: Option<usize>| at.and_then(|at| words.get(at)).is_some_and(|w| w.is_number() || w.unit.is_some());
    number(at.checked_sub(1)) || number(Some(at + 1))
}

fn gaps(sides: &Sides<'_>) -> Vec<WordGap> {
    let (pairs, last) = (sides.pairs, sides.given.len());
    if pairs.is_empty() {
        return vec![WordGap { said: (0..sides.said.len()).collect(), left: Vec::new() }];
    }
    // The rest of the sentence that word `at` is in.
    let behind =
        |at: usize| (at + 1..last).take_while(|j| sides.sentence[*j] == sides.sentence[at]).collect::<Vec<_>>();
    let ahead = |at: usize| {
        let mut words: Vec<usize> = (0..at).rev().take_while(|j| sides.sentence[*j] == sides.sentence[at]).collect();
        words.reverse();
        words
    };
    let mut found = Vec::with_capacity(pairs.len() + 1);
    found.push(WordGap { said: (0..pairs[0].0).collect(), left: ahead(pairs[0].1) });
    for pair in pairs.windows(2) {
        let ((i, j), (to_i, to_j)) = (pair[0], pair[1]);
        let same = sides.sentence[j] == sides.sentence[to_j];
        let left = if same { (j + 1..to_j).collect() } else { [behind(j), ahead(to_j)].concat() };
        found.push(WordGap { said: (i + 1..to_i).collect(), left });
    }
    let (i, j) = pairs[pairs.len() - 1];
    found.push(WordGap { said: (i + 1..sides.said.len()).collect(), left: behind(j) });
    found
}

impl<'a> SideComparison<'_, 'a> {
    fn said_word(&self, at: usize) -> &'a str {
        &self.sides.said_text[self.sides.said[at].range.clone()]
    }

    fn given_word(&self, at: usize) -> &'a str {
        &self.sides.given_text[at][self.sides.given[at].range.clone()]
    }

    fn check(&mut self, kind: CheckKind, said: &str, found: Option<String>, holds: bool) {
        self.found.checks.push(Check { kind, said: said.to_owned(), found, holds });
    }

    /// Whether `word` was moved, that is, resembles an unmatched word of the quotes. That word is then used up.
    fn take_moved(&mut self, word: &Word) -> bool {
        let is_it = |j: &usize| {
            !self.given_matched[*j] && !self.spent[*j] && {
                let other = self.sides.given[*j];
                word.resembles(other)
            }
        };
        let found = (0..self.sides.given.len()).find(is_it);
        if let Some(j) = found {
            self.spent[j] = true;
        }
        found.is_some()
    }

    fn is_near(&self, word: &Word) -> bool {
        self.sides.near.iter().any(|near| word.resembles(near))
    }

    /// Whether the word at `at` of the statement names a document, or is a figure that follows from those of the quotes.
    fn is_known(&self, at: usize) -> bool {
        let Sides { said, known, .. } = self.sides;
        let word = &said[at];
        let is_spelled = !word.key.contains(|c: char| c.is_numeric());
        // A figure of the quotes themselves may stand in the place of another one.
        let follows = || !known.figures.have(word) && known.figures.give(word, said.get(at + 1), is_spelled);
        known.identity.holds(word) || word.is_number() && follows()
    }

    fn number(&mut self, at: usize, gap: &WordGap) {
        let kind = if self.is_of_date(at) { CheckKind::Date } else { CheckKind::Number };
        self.replaced_or_missing(at, gap, kind, &|w| w.is_number());
    }

    /// Whether the statement starts with a list number such as `3. ` and its quote has no number there.
    fn is_marker(&self, gap: &WordGap) -> bool {
        let Some(first) = self.sides.said.first().filter(|word| word.is_number() && !word.is_date) else {
            return false;
        };
        let before = self.sides.said_text[..first.range.start].trim();
        let behind = &self.sides.said_text[first.range.end..];
        let is_numbered = before.is_empty() && (behind.starts_with(". ") || behind.starts_with(") "));
        is_numbered && gap.left.iter().all(|j| !self.sides.given[*j].is_number())
    }

    /// Unpairs negations that were aligned with a sentence other than the one their neighbours are aligned with.
    fn stray_negations(&mut self) {
        let sides = self.sides;
        let of: std::collections::HashMap<usize, usize> = sides.pairs.iter().copied().collect();
        for (i, j) in sides.pairs.iter().filter(|(i, _)| sides.said[*i].negates) {
            let behind = (*i + 1..sides.said.len()).filter(|i| sides.said[*i].is_content).find_map(|i| of.get(&i));
            let ahead = (0..*i).rev().filter(|i| sides.said[*i].is_content).find_map(|i| of.get(&i));
            let is_far = |other: &usize| sides.sentence[*other] != sides.sentence[*j];
            if [behind, ahead].into_iter().flatten().all(is_far) && (behind.is_some() || ahead.is_some()) {
                self.said_matched[*i] = false;
                self.given_matched[*j] = false;
                if self.rules_said(*i) {
                    self.check(CheckKind::Negation, self.said_word(*i), None, false);
                }
            }
        }
    }

    /// Whether a number of the statement is part of a date.
    fn is_of_date(&self, at: usize) -> bool {
        let said = self.sides.said;
        let is_month = |at: Option<usize>| at.and_then(|at| said.get(at)).is_some_and(|w| w.is_date && !w.is_number());
        said[at].is_date || is_month(at.checked_sub(1)) || is_month(Some(at + 1))
    }

    /// Checks an unmatched word: another word of its kind in its place refutes it; else it must occur elsewhere in or around the quotes.
    fn replaced_or_missing(&mut self, at: usize, gap: &WordGap, kind: CheckKind, is_kind: &dyn Fn(&Word) -> bool) {
        let word = &self.sides.said[at];
        if self.is_known(at) {
            return self.check(kind, self.said_word(at), None, true);
        }
        let other = gap.left.iter().copied().find(|j| is_kind(self.sides.given[*j]) && !self.spent[*j]);
        if let Some(j) = other.filter(|_| gap.is_tight()) {
            self.spent[j] = true;
            let (said, found) = (self.said_word(at), self.given_word(j).to_owned());
            return self.check(kind, said, Some(found), false);
        }
        let holds = self.take_moved(word) || self.is_near(word);
        let found = other.filter(|_| !holds).map(|j| self.given_word(j).to_owned());
        self.check(kind, self.said_word(at), found, holds);
    }

    /// Checks the unmatched names of a gap.
    fn names(&mut self, named: &[usize], gap: &WordGap) {
        let said = self.sides.said;
        let is_other = |word: &Word| word.is_name || word.is_date || word.is_number();
        let others: Vec<usize> = gap.left.iter().copied().filter(|j| is_other(self.sides.given[*j])).collect();
        for &at in named {
            let word = &said[at];
            if self.sides.known.identity.holds(word) {
                self.check(CheckKind::Name, self.said_word(at), None, true);
                continue;
            }
            // A name in the place of another name is wrong even if it occurs elsewhere: giver and taker may be swapped.
            let replaces = gap.is_tight() && !others.is_empty() && !self.is_acronym(at, gap);
            if !replaces && (self.take_moved(word) || self.is_near(word) || self.is_acronym(at, gap)) {
                self.check(CheckKind::Name, self.said_word(at), None, true);
                continue;
            }
            let stands_for_words = gap.is_tight() && gap.left.iter().any(|j| self.sides.given[*j].is_content);
            let sure = self.capitals_tell || has_digit(word) || stands_for_words;
            if sure || replaces {
                let found: Vec<&str> = others.iter().map(|j| self.given_word(*j)).collect();
                let found = (!found.is_empty()).then(|| found.join(" "));
                self.check(CheckKind::Name, self.said_word(at), found, false);
            }
        }
    }

    /// Whether the name at `at` is an acronym of words in the quotes, or one of the words that an acronym in the quotes stands for.
    fn is_acronym(&self, at: usize, gap: &WordGap) -> bool {
        let key = &self.sides.said[at].key;
        let initials = |words: &mut dyn Iterator<Item = &Word>| -> String {
            words.filter(|w| w.is_content || w.is_name).filter_map(|w| w.key.chars().next()).collect()
        };
        let is_short = (2..=6).contains(&key.chars().count());
        if is_short {
            let all = initials(&mut self.sides.given.iter().chain(self.sides.near).copied());
            if all.contains(key.as_str()) {
                return true;
            }
        }
        let own = initials(&mut gap.said.iter().map(|i| &self.sides.said[*i]));
        let is_word_of = |w: &&Word| w.is_name && w.key.len() > 1 && own.contains(w.key.as_str());
        self.sides.given.iter().chain(self.sides.near).any(is_word_of)
    }

    /// Checks negations that are on one side only while the words they negate are on both.
    fn negations(&mut self, gap: &WordGap) {
        let own: Vec<usize> = gap.said.iter().copied().filter(|i| self.sides.said[*i].negates).collect();
        let theirs: Vec<usize> = gap.left.iter().copied().filter(|j| self.sides.given[*j].negates).collect();
        for &at in own.iter().skip(theirs.len()) {
            if self.rules_said(at) {
                self.check(CheckKind::Negation, self.said_word(at), None, false);
            }
        }
        for &at in theirs.iter().skip(own.len()) {
            if self.rules_given(at) {
                let found = self.given_word(at).to_owned();
                self.check(CheckKind::Negation, "", Some(found), false);
            }
        }
    }

    /// Whether a word negated by the negation at `at` of the statement is matched.
    fn rules_said(&self, at: usize) -> bool {
        let said = self.sides.said;
        if said.get(at + 1).is_some_and(Word::turns_negation) {
            return self.said_matched[at + 1];
        }
        let goes_on =
            |i: &usize| !ends_clause(between(self.sides.said_text, said[i - 1].range.end, said[*i].range.start));
        let ruled = (at + 1..said.len()).take_while(goes_on).filter(|i| said[*i].is_content).take(RULED);
        let ruled: Vec<usize> = ruled.collect();
        if ruled.is_empty() {
            return (0..at).rev().find(|i| said[*i].is_content).is_some_and(|i| self.said_matched[i]);
        }
        let is_denied_before = said[at].denies_its_clause()
            && at.checked_sub(1).is_some_and(|i| goes_on(&at) && said[i].is_content && self.said_matched[i]);
        is_denied_before || ruled.iter().any(|i| self.said_matched[*i])
    }

    /// As [`Self::rules_said`], for a negation of the quotes.
    fn rules_given(&self, at: usize) -> bool {
        let Sides { given, given_text, sentence, .. } = self.sides;
        if given.get(at + 1).is_some_and(|word| word.turns_negation()) {
            return self.given_matched[at + 1];
        }
        let goes_on = |j: &usize| {
            let (before, own) = (&given[j - 1].range, &given[*j].range);
            sentence[*j] == sentence[at] && !ends_clause(between(given_text[*j], before.end, own.start))
        };
        let ruled = (at + 1..given.len()).take_while(goes_on).filter(|j| given[*j].is_content).take(RULED);
        let ruled: Vec<usize> = ruled.collect();
        if ruled.is_empty() {
            let before = (0..at).rev().take_while(|j| sentence[*j] == sentence[at]).find(|j| given[*j].is_content);
            return before.is_some_and(|j| self.given_matched[j]);
        }
        let is_denied_before = given[at].denies_its_clause()
            && at.checked_sub(1).is_some_and(|j| {
                sentence[j] == sentence[at] && goes_on(&at) && given[j].is_content && self.given_matched[j]
            });
        is_denied_before || ruled.iter().any(|j| self.given_matched[*j])
    }

    /// Checks for words that make the sentence claim more than its quotes: a universal word added, or a limiting word left out.
    fn widening(&mut self, gap: &WordGap) {
        let Sides { said, given, .. } = self.sides;
        let next_matched = |i: usize| self.said_matched.get(i + 1).copied().unwrap_or(false);
        let adds = gap.said.iter().copied().find(|i| said[*i].universal && next_matched(*i));
        let has = gap.left.iter().any(|j| given[*j].universal);
        if let Some(at) = adds.filter(|_| !has) {
            self.found.is_wider = true;
            return self.check(CheckKind::Subject, self.said_word(at), None, false);
        }
        let behind = |j: usize| self.given_matched.get(j + 1).copied().unwrap_or(false);
        let dropped = gap.left.iter().copied().find(|j| given[*j].hedges && behind(*j));
        if let Some(at) = dropped.filter(|_| gap.said.iter().all(|i| !said[*i].hedges && !said[*i].is_content)) {
            self.found.is_wider = true;
            let found = self.given_word(at).to_owned();
            self.check(CheckKind::Subject, "", Some(found), false);
        }
    }
}

/// The text between two words; empty between the two parts of `can't`.
fn between(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

/// Whether the text between two words ends a clause.
fn ends_clause(gap: &str) -> bool {
    const ENDS: [char; 21] = [
        ',', ';', ':', '.', '?', '!', '(', ')', '–', '—', '、', '，', '。', '；', '：', '？', '！', '،', '؛', '؟', '।',
    ];
    gap.contains(ENDS)
}

fn has_digit(word: &Word) -> bool {
    word.key.chars().any(|c| c.is_ascii_digit())
}
