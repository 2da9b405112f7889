//! Whether a word compares, or asks for a comparison.

use precis_language::comparing;
use precis_language::comparing::{is_among, tells_apart};

/// Whether `word`, in lower case, compares: "differs".
pub fn compares(word: &str) -> bool {
    comparing::asks_to_compare(word) || tells_apart(word)
}

/// Whether `word`, in lower case, only asks for a comparison, without content of its own.
pub(crate) fn asks_to_compare(word: &str) -> bool {
    compares(word) || is_among(word)
}
