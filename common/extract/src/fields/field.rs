//! One header field as a leaf.

use precis_proto::{BlockKind, FieldPlace};
use precis_text::{Leaf, normalize, visible};

/// Most fields of a document; chosen: front matter of real sites has up to forty.
pub(crate) const MAX_FIELDS: usize = 200;

/// A leaf with the field `name` and its `value`; `None` if one of them has no words.
pub(crate) fn leaf(name: &str, value: &str, place: FieldPlace) -> Option<Leaf> {
    let (name, value) = (normalize(&visible(name)), normalize(&visible(value)));
    let has_both = !name.is_empty() && !value.is_empty();
    has_both.then(|| Leaf { place: Some(place), ..Leaf::new(BlockKind::Field, format!("{name}: {value}")) })
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
}
