//! Pieces of a page that no other markup applies to: typed text, formulas, notes. A mark stands in their place until the page is HTML, as
//! MediaWiki does it.

/// Begins and ends the mark of a piece, around its number. No page has this character: it is removed before anything is read.
pub(super) const MARK: char = '\u{7f}';

/// A piece.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// HTML that is part of a line.
    Inline(String),
    /// HTML that is a block.
    Block(String),
    /// The mark of a note: its name, and its text if it stands here.
    Note(Option<String>, Option<String>),
    /// The place of the notes so far.
    Notes,
}

/// All pieces of a page, by number.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: Vec<Piece>,
}

impl Pieces {
    /// Keeps a piece; returns its mark.
    pub(super) fn put(&mut self, piece: Piece) -> String {
        self.pieces.push(piece);
        format!("{MARK}{}{MARK}", self.pieces.len() - 1)
    }

    /// The text before the first mark of `text`, the piece, and the text behind it.
    pub(super) fn split<'t>(&self, text: &'t str) -> Option<(&'t str, &Piece, &'t str)> {
        let (before, rest) = text.split_once(MARK)?;
        let (number, behind) = rest.split_once(MARK)?;
        Some((before, self.pieces.get(number.parse::<usize>().ok()?)?, behind))
    }

    /// Whether a block is among the pieces of `line`.
    pub(super) fn has_block(&self, line: &str) -> bool {
        let numbers = line.split(MARK).skip(1).step_by(2).filter_map(|number| number.parse::<usize>().ok());
        numbers
            .filter_map(|number| self.pieces.get(number))
            .any(|piece| matches!(piece, Piece::Block(_) | Piece::Notes))
    }
}

/// `text` without the marks of pieces.
pub(super) fn without_marks(text: &str) -> String {
    text.split(MARK).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_leads_to_its_piece() {
        let mut pieces = Pieces::default();
        let line = format!("a{}b{}c", pieces.put(Piece::Inline("x".to_owned())), pieces.put(Piece::Notes));
        let (before, piece, behind) = pieces.split(&line).expect("a mark");
        assert_eq!((before, piece), ("a", &Piece::Inline("x".to_owned())));
        assert!(pieces.has_block(behind) && !pieces.has_block(before));
        assert_eq!(without_marks(&line), "abc");
    }
}
