//! Header fields: what a document says about itself as name and value, at the top of its text, where readers and searches find it.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `front_matter` | the block between lines of `---` or `+++` at the top of a text, as fields |
//! | `yaml`, `toml_text` | that block in YAML or TOML, as names and values |

mod front_matter;
mod toml_text;
mod yaml;

pub(super) use front_matter::{FrontMatter, front_matter};

use precis_proto::{BlockKind, FieldPlace};
use precis_text::{Leaf, normalize, visible};

/// Most fields of a document; chosen: front matter of real sites has up to forty.
pub(super) const MAX_FIELDS: usize = 200;

/// A leaf with the field `name` and its `value`; `None` if one of them has no words.
pub(super) fn leaf(name: &str, value: &str, place: FieldPlace) -> Option<Leaf> {
    let (name, value) = (normalize(&visible(name)), normalize(&visible(value)));
    let has_both = !name.is_empty() && !value.is_empty();
    has_both.then(|| Leaf { place: Some(place), ..Leaf::new(BlockKind::Field, format!("{name}: {value}")) })
}

/// Makes header fields of the fields of a form with which a text begins; headings and rules may stand before them.
pub(super) fn at_the_top(leaves: &mut [Leaf]) {
    let head = leaves.iter_mut().skip_while(|leaf| matches!(leaf.kind, BlockKind::Heading | BlockKind::Furniture));
    for leaf in head.take_while(|leaf| leaf.kind == BlockKind::FormField) {
        (leaf.kind, leaf.place) = (BlockKind::Field, Some(FieldPlace::FrontMatter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_a_name_and_a_value() {
        for (name, value, want) in [
            ("status", "Final", Some("status: Final")),
            (" due  by ", "1\n2", Some("due by: 1 2")),
            ("status", " ", None),
            ("", "Final", None),
        ] {
            let found = leaf(name, value, FieldPlace::FrontMatter).map(|leaf| leaf.text);
            assert_eq!(found.as_deref(), want, "{name}: {value}");
        }
    }

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
}
