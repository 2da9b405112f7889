//! Words as they stand at a proposed break of a sentence: with their stops, brackets and capitals.

use precis_language::abbreviation::{goes_before_number, goes_before_ordinal, is_inner};
use precis_language::heading;
use precis_language::opener::opens_sentence;

/// Whether `word`, written with its stop, requires another word behind it.
pub(super) fn is_open_abbreviation(word: &str) -> bool {
    let stem = word.trim_start_matches(['(', '[']).trim_end_matches('.');
    let is_label = stem.starts_with(char::is_uppercase) && goes_before_number(&stem.to_lowercase());
    is_label || is_inner(stem) || stem == "pp" || stem == "p"
}

/// Whether `word` precedes an ordinal.
pub(super) fn goes_before_ordinals(word: &str) -> bool {
    goes_before_ordinal(&word.to_lowercase())
}

/// Whether `word` opens a sentence: it is capitalized and one of the words that do.
pub(super) fn is_starter(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && opens_sentence(&word.to_lowercase())
}

/// Whether `word` becomes a heading if a number follows it.
pub(super) fn is_label(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && heading::is_label(&word.to_lowercase())
}

/// Whether `word`, without its stop, names a numbered part.
pub(super) fn is_title(word: &str) -> bool {
    heading::names_part(&word.to_lowercase())
}

/// Characters that open a list item; the last two are private-use code points that symbol fonts show as the first.
const BULLETS: &str = "•‣◦▪▫■□●○⁃➢➤✓✔\u{f0b7}\u{f0a7}";

/// Whether `c` opens a list item.
pub(super) fn is_bullet(c: char) -> bool {
    BULLETS.contains(c)
}
