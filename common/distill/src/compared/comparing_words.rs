//! Words that ask for a comparison, in English, German, French and Spanish.

use std::sync::LazyLock;

use crate::word_list::{WordList, words};

/// Words that ask for a comparison of what follows.
pub(super) static COMPARE: WordList = LazyLock::new(|| {
    words(
        "compare contrast vergleiche vergleichen vergleich comparer comparez compara comparar comparison comparaison comparación",
    )
});
/// Words that ask for a comparison if two things are named before or after them.
pub(super) static DIFFER: WordList = LazyLock::new(|| {
    words(
        "difference differences differ differs compared unterschied unterschiede unterscheiden unterscheidet verglichen différence \
        différences diffèrent diffère diferencia diferencias diferencian difieren versus vs",
    )
});
/// Prepositions before the compared things that are no stop words.
static AMONG: WordList = LazyLock::new(|| words("between among zwischen entre"));

/// Whether `word`, in lower case, compares: "differs".
pub(crate) fn compares(word: &str) -> bool {
    COMPARE.contains(word) || DIFFER.contains(word)
}

/// Whether `word`, in lower case, only asks for a comparison, without content of its own.
pub(crate) fn asks_to_compare(word: &str) -> bool {
    compares(word) || AMONG.contains(word)
}
