//! The mark of an item: a bullet, number or letter, as a block of its own kind or as the first signs of a paragraph.

use precis_proto::{Block, BlockKind};
use precis_text::sentences::marker_of;

/// How the items of one list are marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enumerator {
    /// An item of this depth.
    Depth(u8),
    /// `•`, `-`
    Bullet,
    /// `1.`, `§ 4`
    Number,
    /// `2.1`
    DeepNumber,
    /// `(1)`, `1)`
    BracketedNumber,
    /// `(a)`, `b)`
    BracketedLetter,
    /// `A.`, `iv.`
    Letter,
    /// `第3条`
    Other,
}

/// How the block is marked as an item; `None` if it is none.
pub(super) fn of(block: &Block, said: &str) -> Option<Enumerator> {
    match block.kind {
        BlockKind::ListItem => Some(Enumerator::Depth(block.level.unwrap_or(1))),
        BlockKind::Paragraph => marker_of(said).map(of_mark),
        BlockKind::Heading
        | BlockKind::TableRow
        | BlockKind::Code
        | BlockKind::Caption
        | BlockKind::Quotation
        | BlockKind::FormField
        | BlockKind::Field
        | BlockKind::Footnote
        | BlockKind::Furniture
        | BlockKind::Reference => None,
    }
}

/// The kind of a mark; `(i)` counts as a letter.
fn of_mark(mark: &str) -> Enumerator {
    let inner = mark.trim_matches(|c: char| !c.is_alphanumeric());
    let is_bracketed = mark.contains([')', '）', ']']);
    let is_number = inner.chars().all(|c| c.is_ascii_digit());
    let is_latin = inner.chars().all(|c| c.is_ascii_alphabetic());
    match (is_bracketed, inner.is_empty()) {
        (_, true) => Enumerator::Bullet,
        (true, _) if is_number => Enumerator::BracketedNumber,
        (true, _) => Enumerator::BracketedLetter,
        (false, _) if is_number => Enumerator::Number,
        (false, _) if is_latin => Enumerator::Letter,
        (false, _) if inner.contains('.') => Enumerator::DeepNumber,
        (false, _) => Enumerator::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_one_list_are_of_one_kind() {
        use Enumerator::*;
        for (text, want) in [
            ("(a) fire", Some(BracketedLetter)),
            ("b) fire", Some(BracketedLetter)),
            ("(12) fire", Some(BracketedNumber)),
            ("3. Fire", Some(Number)),
            ("2.1 Fire", Some(DeepNumber)),
            ("iv. Fire", Some(Letter)),
            ("• fire", Some(Bullet)),
            ("- fire", Some(Bullet)),
            ("第3条 火", Some(Other)),
            ("Fire burns.", None),
        ] {
            let block = Block::new(BlockKind::Paragraph, precis_proto::CharRange::new(0, 1));
            assert_eq!(of(&block, text), want, "{text}");
        }
    }
}
