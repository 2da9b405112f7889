//! Marks that end a sentence, and marks that close behind one.

use icu_properties::CodePointMapData;
use icu_properties::props::SentenceBreak;

/// Marks that close behind an end mark.
const CLOSERS: &[char] = &[
    '"', '\'', '”', '’', '“', '‘', '»', '«', '›', '‹', ')', ']', '}', '」', '』', '）', '】', '〉', '》', '］', '｣',
    '〕', '＂',
];
/// Whether `c` closes what an end mark stands in.
pub(super) fn is_closer(c: char) -> bool {
    CLOSERS.contains(&c)
}

/// Whether `c` ends sentences: what UAX #29 calls a terminator.
pub(super) fn is_end_mark(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '.' | '!' | '?');
    }
    matches!(CodePointMapData::<SentenceBreak>::new().get(c), SentenceBreak::ATerm | SentenceBreak::STerm)
}
