//! The words of a statement as headings see them: which can carry a phrase, which only join, which only border it.
//!
//! No grammar, so classes come from short lists, endings and capitals; what a class gets wrong costs a worse heading,
//! never a wrong statement.

use std::sync::LazyLock;

use crate::terms;
use crate::word_list::{WordList, words};

/// Small words that may stand inside a phrase, lower case.
static JOINTS: WordList = LazyLock::new(|| words("of for de des du der di del della von van la the"));

/// Words that head no section, lower case: common verbs, adverbs, numbers, and nouns too general. Chosen by hand.
static WEAK: WordList = LazyLock::new(|| {
    words(
        "use used uses using make makes made take takes taken give gives given show shows shown find found \
         include includes including included provide provides provided become became based called known need \
         needs want like well even much many several various different new old first second third last next one \
         two three four five same main major important possible good better best large small high low likely able \
         however therefore thus also still often usually since while because although without within across along \
         among around toward towards upon per via let get gets got set sets see seen say says said way ways thing \
         things lot kind case cases example fact time times year years day days people today must might shall \
         allow allows require requires required contain contains consist consists describe describes described \
         follow follows following exist exists works every each certain whole total common specific particular \
         current recent full gibt gilt heißt macht kommt geht steht liegt zeigt sei seien immer mehr neue neuen \
         ersten erste zwei drei jahre jahren tag beispiel fall peut fait sont deux très bien même tout tous puede \
         años sobre million billion thousand hundred percent cent half early late later former latter due similar \
         related overall likewise instead rather quite almost already again ever never always sometimes mostly \
         mainly simply actually really should ought cannot does done doing go goes going come comes coming put \
         puts keep keeps look looks help helps try seem seems seemed appear appears remain remains remained lead \
         leads led begin began begins cause causes caused between through during before after against under above \
         below behind beyond until once whose those these there here itself themselves himself herself others \
         another something anything everything nothing someone everyone becomes being having available necessary \
         sufficient general single double multiple additional further means mean meant call calls think thought \
         believe know knows change changed increase increased increases decrease sowie jedoch dabei dadurch damit \
         somit daher wurde wurden werden worden können müssen sollen lassen insbesondere welche welcher welches \
         jeder jede jedes alle allen aller beide beiden plus moins entre chaque plusieurs autre autres être avoir \
         doit peuvent lors ainsi otros otras cada desde hasta pueden deben debe except quiet produce produces \
         identify identifies detect detects create creates build builds ensure ensures reduce reduces improve \
         improves determine determines apply applies perform performs avoid obtain choose select define defines \
         compute calculate offer offers mais donc puis aside hat war hatte waren keinen keine discuss discusses present presents propose proposes \
         suggest suggests indicate indicates run ran ask add few far big bad top yet ago end saw went why how now \
         too nor six ten ihr tut gar bei dann came operates operate operated accommodates lists employs conduct conducts \
         represents represent represented estimates targets runs savoir connaître faire conduire son leur comme \
         advising attach enter governance underwent took rose fell grew regarding plays play",
    )
});

/// What French and Italian write with an apostrophe before a word, lower case.
static ELISIONS: WordList = LazyLock::new(|| words("d l qu n s j c m t dell nell all un sull dall"));

/// Small words of German, and of no other language that is written with Latin letters.
static GERMAN: WordList = LazyLock::new(|| {
    words(
        "der das den dem ein eine einen einem einer und ist nicht auf für von zu wird werden sind auch wie sich im zum zur",
    )
});

/// Words before which no noun stands, lower case: they announce a verb.
static BEFORE_VERBS: WordList = LazyLock::new(|| {
    words(
        "to will can may must should would could not we they it he she i you who which that has have had zu wird kann \
        nicht sich wir ils il elle ne se",
    )
});

/// English endings of adjectives and adverbs; a phrase does not end with one, unless it is a name.
const ADJECTIVE_ENDINGS: &[&str] = &["ous", "ive", "ical", "ic", "al", "able", "ible", "ful", "less", "ly", "ed"];

/// German endings of an adjective before its noun; without one a small word is a verb or stands for itself.
const GERMAN_ATTRIBUTES: &[&str] = &["en", "er", "es", "em", "e"];

/// What a word can do in a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Borders phrases.
    Function,
    /// Borders phrases, and may stand inside one.
    Joint,
    /// Carries meaning, but heads nothing.
    Weak,
    /// May open a phrase or stand inside, not close one.
    Adjective,
    /// May stand anywhere.
    Noun,
}

/// Which words a text writes with a capital.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capitals {
    /// Names, and the first word of a sentence.
    Names,
    /// Every noun, as German does.
    Nouns,
}

impl Capitals {
    /// Reads it off the small words of all `statements`: one in sixteen is an article or joint of German.
    pub(super) fn of(statements: &[&str]) -> Self {
        let (mut all, mut german) = (0_usize, 0_usize);
        for word in statements.iter().flat_map(|statement| statement.split_whitespace()) {
            all += 1;
            german += usize::from(GERMAN.contains(word));
        }
        if german * 16 > all { Self::Nouns } else { Self::Names }
    }
}

/// A word of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    /// Byte position of its start.
    pub(super) at: usize,
    /// As written.
    pub(super) text: &'a str,
    /// What it can do.
    pub(super) class: Class,
    /// Whether it starts with a capital that the start of the statement does not explain.
    pub(super) is_name: bool,
}

impl Word<'_> {
    /// Byte position behind it.
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// Whether a noun phrase may begin right behind it.
    pub(super) fn borders_left(&self) -> bool {
        match self.class {
            Class::Function | Class::Joint | Class::Weak => !BEFORE_VERBS.contains(self.text.to_lowercase().as_str()),
            Class::Adjective | Class::Noun => false,
        }
    }

    /// Whether a noun phrase may end right before it.
    pub(super) fn borders_right(&self) -> bool {
        matches!(self.class, Class::Function | Class::Joint | Class::Weak)
    }
}

/// The words of `statement`: letters and digits with hyphens and apostrophes inside. Han and Katakana are no words here.
pub(super) fn of(statement: &str, capitals: Capitals) -> Vec<Word<'_>> {
    let found = split(statement);
    let followed_by_name = |index: usize| found.get(index + 1).is_some_and(|(_, next)| is_capital(next));
    let classed = found.iter().enumerate().map(|(index, &(at, text))| {
        let is_name = index > 0 && is_capital(text);
        let in_name = is_capital(text) && (is_name || followed_by_name(index));
        Word { at, text, class: class(text, in_name, capitals), is_name }
    });
    classed.collect()
}

/// Byte positions and texts of the words; `l’` and `d’` before a word are words of their own.
fn split(statement: &str) -> Vec<(usize, &str)> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    let mut start = None;
    for (at, c) in statement.char_indices().chain([(statement.len(), ' ')]) {
        let elided = matches!(c, '\'' | '’')
            && start.is_some_and(|first| ELISIONS.contains(statement[first..at].to_lowercase().as_str()));
        let inside = (c.is_alphanumeric() && !is_unspaced(c)) || (start.is_some() && matches!(c, '-' | '\'' | '’'));
        match (inside && !elided, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                found.push((first, statement[first..at].trim_end_matches(['-', '\'', '’'])));
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn class(text: &str, in_name: bool, capitals: Capitals) -> Class {
    let lower = text.to_lowercase();
    if terms::terms(text).is_empty() {
        return if JOINTS.contains(lower.as_str()) { Class::Joint } else { Class::Function };
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let is_short = letters < 3 && !(letters == 2 && text.chars().all(|c| !c.is_lowercase()));
    let is_possessive = lower.ends_with("'s") || lower.ends_with("’s");
    if is_short || is_possessive || text.chars().any(char::is_numeric) || (WEAK.contains(lower.as_str()) && !in_name) {
        return Class::Weak;
    }
    let is_small = capitals == Capitals::Nouns && !is_capital(text);
    if is_small && !GERMAN_ATTRIBUTES.iter().any(|ending| lower.ends_with(ending)) {
        return Class::Weak;
    }
    let is_adjective = is_small || ADJECTIVE_ENDINGS.iter().any(|ending| lower.ends_with(ending));
    if is_adjective && !in_name { Class::Adjective } else { Class::Noun }
}

fn is_capital(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

/// Characters of scripts without spaces in which nouns are written: Han and Katakana.
pub(super) fn is_unspaced(c: char) -> bool {
    is_katakana(c)
        || matches!(c as u32, 0x3005 | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Katakana letters and their length mark.
pub(super) fn is_katakana(c: char) -> bool {
    matches!(c as u32, 0x30a1..=0x30fa | 0x30fc..=0x30ff | 0x31f0..=0x31ff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_classed_by_lists_endings_and_capitals() {
        let classes = |text| of(text, Capitals::of(&[text])).into_iter().map(|w| w.class).collect::<Vec<_>>();
        assert_eq!(
            classes("The chain of New Zealand shows electronic cash"),
            vec![
                Class::Joint,
                Class::Noun,
                Class::Joint,
                Class::Noun,
                Class::Noun,
                Class::Weak,
                Class::Adjective,
                Class::Noun
            ]
        );
        assert_eq!(
            classes("Ein topologischer Raum ist eine Menge mit gewissen Teilmengen")[1..3],
            [Class::Adjective, Class::Noun]
        );
        let german = "Es wird in den Netzwerken diskutiert und ist nicht neu";
        assert_eq!(classes(german)[4..6], [Class::Noun, Class::Weak]);
    }
}
