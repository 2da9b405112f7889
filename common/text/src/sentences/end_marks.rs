//! Marks that end a sentence, and closing marks behind them.

use icu_properties::CodePointMapData;
use icu_properties::props::SentenceBreak;

/// Closing marks that may follow an end mark.
const CLOSERS: &[char] = &[
    '"', '\'', '”', '’', '“', '‘', '»', '«', '›', '‹', ')', ']', '}', '」', '』', '）', '】', '〉', '》', '］', '｣',
    '〕', '＂',
];
/// Whether `c` is a closing mark, such as a quotation mark or a bracket.
pub(super) fn is_closer(c: char) -> bool {
    CLOSERS.contains(&c)
}

/// Whether `c` ends sentences, as a terminator according to UAX #29.
pub(super) fn is_end_mark(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '.' | '!' | '?');
    }
    matches!(CodePointMapData::<SentenceBreak>::new().get(c), SentenceBreak::ATerm | SentenceBreak::STerm)
}
