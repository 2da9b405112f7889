//! Scripts without end marks: Thai and Lao separate sentences, and also clauses, by a space.
//!
//! A space alone does not prove the end of a sentence, so a stretch of up to [`WHOLE_CHARS`] stays whole. A longer one is cut at spaces if
//! both pieces are long and the word behind does not continue the text before it. A negation in these languages is written onto its
//! verb or directly before it, without a space, so no cut can separate the two. Khmer and Burmese have end marks (`។`, `။`) and need
//! none of this.

use std::ops::Range;

use precis_language::opener::goes_on_unmarked;

/// Most characters of a stretch that stays whole: as much as can be shown as one quote. Chosen, not measured.
const WHOLE_CHARS: usize = 300;
/// Least characters of a piece. Chosen: about two clauses of Thai prose.
const PIECE_CHARS: usize = 100;

/// Adds `range` of `text` to `found`, cut if its script has no end marks and it is too long.
pub(super) fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let piece = &text[range.clone()];
    let mut start = range.start;
    if piece.len() > WHOLE_CHARS && !piece.is_ascii() && is_unmarked(piece) {
        for cut in cuts(piece) {
            found.push(start..range.start + cut);
            start = range.start + cut + 1;
        }
    }
    found.push(start..range.end);
}

/// Whether `piece` is too long to stay whole and most of its letters belong to a script without end marks.
fn is_unmarked(piece: &str) -> bool {
    let own = piece.chars().filter(|&c| is_own(c)).count();
    let all = piece.chars().count();
    all > WHOLE_CHARS && own * 2 > all
}

/// Whether `c` is a Thai or Lao letter or sign.
fn is_own(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}')
}

/// Byte positions of the spaces at which to cut `piece`.
fn cuts(piece: &str) -> Vec<usize> {
    let total = piece.chars().count();
    let mut found = Vec::new();
    let (mut last, mut before) = (0, ' ');
    for (place, (at, c)) in piece.char_indices().enumerate() {
        let behind = &piece[at + c.len_utf8()..];
        let is_long = place - last >= PIECE_CHARS && total - place > PIECE_CHARS;
        let is_between = c == ' ' && is_own(before) && behind.starts_with(is_own);
        if is_long && is_between && !goes_on_unmarked(behind) {
            found.push(at);
            last = place + 1;
        }
        before = c;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thai words of ten letters each, separated by spaces, up to `chars` characters.
    fn thai(chars: usize) -> String {
        "กขคงจฉชซฌญ ".repeat(chars / 11 + 1).chars().take(chars).collect()
    }

    fn pieces(text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        push(text, 0..text.len(), &mut found);
        found.into_iter().map(|range| text[range].chars().count()).collect()
    }

    #[test]
    fn a_stretch_stays_whole_up_to_its_limit() {
        assert_eq!(pieces(&thai(WHOLE_CHARS - 1)), [WHOLE_CHARS - 1]);
        assert_eq!(pieces(&thai(WHOLE_CHARS)), [WHOLE_CHARS]);
        assert_eq!(pieces(&thai(WHOLE_CHARS + 1)), [109, 191]);
    }

    #[test]
    fn both_pieces_are_long() {
        let text = format!("{} {}", "ก".repeat(PIECE_CHARS - 1), "ข".repeat(300));
        assert_eq!(pieces(&text), [400]);
        let text = format!("{} {}", "ก".repeat(PIECE_CHARS), "ข".repeat(300));
        assert_eq!(pieces(&text), [100, 300]);
        let text = format!("{} {}", "ก".repeat(300), "ข".repeat(PIECE_CHARS - 1));
        assert_eq!(pieces(&text), [400]);
        let text = format!("{} {}", "ก".repeat(300), "ข".repeat(PIECE_CHARS));
        assert_eq!(pieces(&text), [300, 100]);
    }

    #[test]
    fn exceptions_stay_with_their_rule_and_numbers_with_their_words() {
        for behind in ["ยกเว้น", "ไม่", "เท่านั้น", "12", "Covid"] {
            let text = format!("{} {behind}{}", "ก".repeat(200), "ข".repeat(200));
            assert_eq!(pieces(&text).len(), 1, "{behind}");
        }
    }

    #[test]
    fn other_scripts_are_left_alone() {
        let text = "слово ".repeat(100);
        assert_eq!(pieces(text.trim()).len(), 1);
    }
}
