//! What recognized a text in a picture: a quote of it says so.

use precis_proto::Recognition;

use crate::text::CanonicalText;

/// Returns what recognized the block at the character `at`; `None` for text that the document has.
#[must_use]
pub fn recognition_at(text: &CanonicalText, at: usize) -> Option<Box<Recognition>> {
    let blocks = text.blocks();
    let block = blocks.get(blocks.partition_point(|block| block.end <= at))?;
    if block.start <= at { block.recognized.clone() } else { None }
}

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;

    use super::*;
    use crate::text::Leaf;

    #[test]
    fn a_character_knows_what_recognized_its_block() {
        let recognition = Recognition { engine: "reader 1".to_owned(), languages: None, picture: "ab".repeat(32) };
        let recognized = Some(Box::new(recognition));
        let text = CanonicalText::from_leaf_pages(&[
            vec![Leaf::new(BlockKind::Paragraph, "Typed.")],
            vec![Leaf { recognized: recognized.clone(), ..Leaf::new(BlockKind::Paragraph, "Read.") }],
        ]);
        let second = text.pages()[1].range.start;
        assert_eq!(recognition_at(&text, 0), None);
        assert_eq!(recognition_at(&text, second), recognized);
        assert_eq!((recognition_at(&text, second - 1), recognition_at(&text, text.chars())), (None, None));
    }
}
