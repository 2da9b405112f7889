//! Where a document has the fields of its text: those that its readers do not see on a page are quoted as such.

use precis_proto::FieldPlace;

use crate::text::CanonicalText;

/// How much of a passage is of fields that readers of the document do not see on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnseenPart {
    /// Nothing: it begins with text.
    Nothing,
    /// Its beginning.
    Beginning(FieldPlace),
    /// All of it.
    Everything(FieldPlace),
}

impl UnseenPart {
    /// Of a passage whose first character is at the place `first`, and whose last is at `last`.
    #[must_use]
    pub fn between(first: Option<FieldPlace>, last: Option<FieldPlace>) -> Self {
        match (first, last) {
            (None, _) => Self::Nothing,
            (Some(place), None) => Self::Beginning(place),
            (Some(place), Some(_)) => Self::Everything(place),
        }
    }

    /// Says it in a few words; `None` for text.
    #[must_use]
    pub fn in_words(self) -> Option<&'static str> {
        let (place, is_all) = match self {
            Self::Nothing => return None,
            Self::Beginning(place) => (place, false),
            Self::Everything(place) => (place, true),
        };
        match (place, is_all) {
            (FieldPlace::Properties, true) => Some("from the file's properties"),
            (FieldPlace::Properties, false) => Some("begins with the file's properties"),
            (FieldPlace::Metadata, true) => Some("from the page's metadata"),
            (FieldPlace::Metadata, false) => Some("begins with the page's metadata"),
            (FieldPlace::FrontMatter, _) => None,
        }
    }
}

/// Where the document of `text` has the field at the character `at`, if its readers do not see it on a page; `None` for text.
#[must_use]
pub fn place_of_field(text: &CanonicalText, at: usize) -> Option<FieldPlace> {
    let blocks = text.blocks();
    let block = blocks.get(blocks.partition_point(|block| block.end <= at))?;
    if block.start <= at { block.unseen_place() } else { None }
}

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;

    use super::*;
    use crate::text::Leaf;

    #[test]
    fn a_passage_tells_how_much_of_it_readers_do_not_see() {
        let field = |place, text: &str| Leaf { place: Some(place), ..Leaf::new(BlockKind::Field, text) };
        let text = CanonicalText::from_leaves(&[
            field(FieldPlace::Properties, "author: Jo"),
            field(FieldPlace::FrontMatter, "status: Final"),
            Leaf::new(BlockKind::Paragraph, "Text."),
        ]);
        for (start, end, want) in [
            (0, 10, Some("from the file's properties")),
            (0, 30, Some("begins with the file's properties")),
            (11, 24, None),
            (25, 30, None),
        ] {
            let part = UnseenPart::between(place_of_field(&text, start), place_of_field(&text, end - 1));
            assert_eq!(part.in_words(), want, "{start}..{end}");
        }
        assert_eq!(place_of_field(&text, 10), None);
    }
}
