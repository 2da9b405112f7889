//! Fields of a form with which a text begins, as header fields.

use precis_proto::{BlockKind, FieldPlace};
use precis_text::Leaf;
use precis_text::sentences::is_question;

/// Makes header fields of the fields of a form with which a text begins; headings and rules may stand before them. A document does not ask
/// itself: where one of the fields is a question, as in `Q: When? A: At nine.`, all stay what they are.
pub(crate) fn at_the_top(leaves: &mut [Leaf]) {
    let is_before = |leaf: &&mut Leaf| matches!(leaf.kind, BlockKind::Heading | BlockKind::Furniture);
    let head = leaves.iter_mut().skip_while(is_before).take_while(|leaf| leaf.kind == BlockKind::FormField);
    let head: Vec<&mut Leaf> = head.collect();
    if head.iter().any(|leaf| is_question(&leaf.text)) {
        return;
    }
    for leaf in head {
        (leaf.kind, leaf.place) = (BlockKind::Field, Some(FieldPlace::FrontMatter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_fields_with_which_a_text_begins_are_header_fields() {
        let kinds = [
            BlockKind::Heading,
            BlockKind::FormField,
            BlockKind::FormField,
            BlockKind::Paragraph,
            BlockKind::FormField,
        ];
        let mut leaves: Vec<Leaf> = kinds.iter().map(|kind| Leaf::new(*kind, "a: b")).collect();
        at_the_top(&mut leaves);
        let found: Vec<bool> = leaves.iter().map(|leaf| leaf.kind == BlockKind::Field).collect();
        assert_eq!(found, [false, true, true, false, false]);
    }

    #[test]
    fn questions_with_their_answers_are_no_header() {
        let mut leaves = ["Q: When is it open?", "A: At nine.", "Q: Who pays?", "A: Ida Lund."]
            .map(|text| Leaf::new(BlockKind::FormField, text));
        at_the_top(&mut leaves);
        assert!(leaves.iter().all(|leaf| leaf.kind == BlockKind::FormField));
    }
}
