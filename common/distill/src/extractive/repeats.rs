//! Whether two statements say the same, strictly enough that the citation of one may be used for the other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::terms::terms;
use crate::word_list::{WordList, words};

/// Share of words (with repeats) two statements must have in common.
const COMMON: f64 = 0.85;

/// Negations, lower case, of several languages; chosen by hand.
static NEGATIONS: WordList = LazyLock::new(|| {
    words(
        "not no never none nor without cannot neither nicht kein keine keinen keiner nie niemals ohne ne pas jamais \
        sans aucun aucune nunca sin non mai senza não sem niet geen nooit zonder",
    )
});

/// A statement's words, prepared for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wording {
    counts: BTreeMap<String, u32>,
    total: u32,
    /// Capitalized words that do not open a sentence: usually names.
    names: BTreeSet<String>,
}

impl Wording {
    /// The words of `statement`: letters and digits, lower case; in scripts without case each character is a word.
    pub(crate) fn from_statement(statement: &str) -> Self {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let lower = statement.to_lowercase();
        for run in lower.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|w| !w.is_empty()) {
            if run.is_ascii() || run.chars().any(|c| c.is_lowercase()) {
                *counts.entry(run.to_owned()).or_default() += 1;
            } else {
                run.chars().for_each(|c| *counts.entry(c.to_string()).or_default() += 1);
            }
        }
        let total = counts.values().sum();
        Self { counts, total, names: names(statement) }
    }

    /// Whether both have the same numbers, dates, names and negations. Statements that differ in one of these say different things, however
    /// similar their other words.
    pub(crate) fn states_alike(&self, other: &Self) -> bool {
        self.names == other.names && self.turns_like(other) && other.turns_like(self)
    }

    /// Whether both say the same: nearly all words are shared, and every number, name and negation.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        let shared: u32 = self.counts.iter().map(|(word, n)| (*n).min(other.count(word))).sum();
        let joined = self.total + other.total - shared;
        joined > 0 && f64::from(shared) >= COMMON * f64::from(joined) && self.states_alike(other)
    }

    fn count(&self, word: &str) -> u32 {
        self.counts.get(word).copied().unwrap_or(0)
    }

    fn turns_like(&self, other: &Self) -> bool {
        self.counts.iter().filter(|(word, _)| turns(word)).all(|(word, n)| other.count(word) == *n)
    }
}

fn names(statement: &str) -> BTreeSet<String> {
    let mut opens = true;
    let mut names = BTreeSet::new();
    for word in statement.split_whitespace() {
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !opens && plain.chars().next().is_some_and(char::is_uppercase) && !opens_another(plain) {
            names.insert(plain.to_lowercase());
        }
        opens = word.ends_with(['.', '!', '?', ':']);
    }
    names
}

/// Whether a capitalized word is a function word such as `The`: a heading without a full stop precedes it. `US` is a name.
fn opens_another(plain: &str) -> bool {
    let mut inner = plain.chars().skip(1).peekable();
    (inner.peek().is_none() || inner.any(char::is_lowercase)) && terms(plain).is_empty()
}

fn turns(word: &str) -> bool {
    word.chars().any(char::is_numeric)
        || NEGATIONS.contains(word)
        || word.ends_with("n't")
        || word.ends_with("n’t")
        || matches!(word, "不" | "没" | "未" | "无")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_the_same_is_a_repeat() {
        for (a, b, same) in [
            ("The drug lowers the pressure in adults.", "The drug lowers the pressure in adults", true),
            ("The drug lowers the pressure in adults.", "The drug lowers pressure in the adults.", true),
            (
                "Demography The census of 2013 enumerated a resident population of 4,242,048 in the whole of the country.",
                "The census of 2013 enumerated a resident population of 4,242,048 in the whole of the country.",
                true,
            ),
            (
                "In that year the census of the US enumerated a resident population of 4,242,048 in the whole of the country.",
                "In that year the census of the UK enumerated a resident population of 4,242,048 in the whole of the country.",
                false,
            ),
            ("The drug is safe for adults and children.", "The drug is not safe for adults and children.", false),
            ("It fell by 12 percent in the whole of 2019.", "It fell by 12 percent in the whole of 2020.", false),
            (
                "The great glacier of the north lost nine percent of its ice in the warm summer of Norway.",
                "The great glacier of the north lost nine percent of its ice in the warm summer of Sweden.",
                false,
            ),
            ("The drug lowers the pressure.", "The drug raises the temperature.", false),
            ("次の文です。", "次の文です", true),
            ("", "", false),
        ] {
            assert_eq!(Wording::from_statement(a).repeats(&Wording::from_statement(b)), same, "{a} / {b}");
        }
    }
}
