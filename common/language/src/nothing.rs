//! Words that deny a thing, a person or a place and with it the whole clause: who pays nothing does not pay.
//!
//! Languages that deny such a clause by another word too (`no paga nada`) are rows all the same; the other word is in [`super::negation`].

use std::sync::LazyLock;

use super::table::{Row, Table};
use super::tag::Language::{self, *};

const ROWS: [Row<()>; 15] = [
    (En, (), "nothing nobody none nowhere"),
    (De, (), "nichts niemand niemanden nirgends"),
    (Fr, (), "rien"),
    (Es, (), "nada nadie"),
    (It, (), "niente nulla nessuno"),
    (Pt, (), "nada ninguém"),
    (Nl, (), "niets niemand nergens"),
    (Pl, (), "nic nikt nikogo nigdzie"),
    (Cs, (), "nic nikdo nikoho"),
    (Sv, (), "ingenting"),
    (Da, (), "ingenting"),
    (Ru, (), "ничто ничего никто никого нигде"),
    (Uk, (), "ніщо нічого ніхто нікого ніде"),
    (Tr, (), "hiçbiri"),
    (El, (), "τίποτα κανείς κανένας"),
];

static WORDS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(ROWS));

/// Whether the negation `word`, in lower case, denies the clause that it is in, and not only what follows it.
pub fn denies_its_clause(word: &str, language: Option<Language>) -> bool {
    WORDS.get(word, language).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::negation::is_negation;

    #[test]
    fn negative_pronouns_deny_their_clause_and_other_negations_what_follows() {
        for (language, (), words) in ROWS {
            for word in words.split_whitespace() {
                assert!(is_negation(word, Some(language)) && denies_its_clause(word, Some(language)), "{word}");
            }
        }
        assert!(!["not", "no", "nicht", "kein"].into_iter().any(|word| denies_its_clause(word, None)));
    }
}
