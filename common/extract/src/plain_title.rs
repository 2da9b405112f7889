//! The title of a plain text: from the fields at its head, or from an underlined heading at its start.

use precis_language::heading::names_title;
use precis_proto::BlockKind;
use precis_text::{Leaf, normalize};

/// Longest name of a document number that is put before the title, as in `RFC: 2119`.
const MAX_NAME_CHARS: usize = 10;
/// Most digits of that number.
const MAX_DIGITS: usize = 8;
/// Longest title, in characters; anything longer is text behind a colon. Chosen, not measured.
const MAX_TITLE_CHARS: usize = 300;

/// The title of a text with these `leaves`; `None` if no field and no heading gives one.
pub(super) fn title(leaves: &[Leaf]) -> Option<String> {
    let fields: Vec<(&str, String)> = leaves
        .iter()
        .take_while(|leaf| matches!(leaf.kind, BlockKind::FormField | BlockKind::Field))
        .filter_map(field)
        .collect();
    let found = if fields.is_empty() { underlined_title(leaves)? } else { of_fields(&fields)? };
    (!found.is_empty() && found.chars().count() <= MAX_TITLE_CHARS).then_some(found)
}

/// The value of the title field, preceded by the number of the document if its first field is one.
fn of_fields(fields: &[(&str, String)]) -> Option<String> {
    let is_title = |name: &str| names_title(&name.to_lowercase());
    let (_, title) = fields.iter().find(|(name, value)| is_title(name) && !value.is_empty())?;
    let is_number = |value: &str| (1..=MAX_DIGITS).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit());
    match fields.first() {
        Some((name, value)) if name.chars().count() <= MAX_NAME_CHARS && is_number(value) => {
            Some(format!("{name} {value}: {title}"))
        }
        _ => Some(title.clone()),
    }
}

/// The name and value of a field.
fn field(leaf: &Leaf) -> Option<(&str, String)> {
    let (name, value) = leaf.text.split_once(':')?;
    Some((name.trim(), normalize(value)))
}

/// The heading at the start of a text, if it is underlined; an isolated line alone may be a date.
fn underlined_title(leaves: &[Leaf]) -> Option<String> {
    let mut leaves = leaves.iter().skip_while(|leaf| leaf.kind == BlockKind::Furniture);
    let heading = leaves.next().filter(|leaf| leaf.kind == BlockKind::Heading)?;
    leaves.next().filter(|leaf| leaf.kind == BlockKind::Furniture)?;
    Some(normalize(&heading.text))
}

#[cfg(test)]
mod tests {
    use super::super::plain::leaves;
    use super::*;

    #[test]
    fn the_title_comes_from_the_head_or_the_first_underlined_line() {
        let long = format!("Title: {}\nAuthor: Ann", "x".repeat(MAX_TITLE_CHARS + 1));
        for (text, want) in [
            (
                "PEP: 572\nTitle: Assignment\n   Expressions\nAuthor: Ann\n\nText.",
                Some("PEP 572: Assignment Expressions"),
            ),
            ("Title: Salt\nNumber: 9\n\nText.", Some("Salt")),
            ("Betreff: Ölpreise\nVon: Ann\n\nText.", Some("Ölpreise")),
            ("Author: Ann\nDate: 2020\n\nText.", None),
            ("Reference-Number: 7\nTitle: Salt\n\nText.", Some("Salt")),
            ("Salt and iron\n=============\n\nText.", Some("Salt and iron")),
            ("====\nSalt\n====\n\nText.", Some("Salt")),
            ("Salt\n\nText that goes on.", None),
            ("Text that goes on and on.\n\nTitle: Salt\nDate: 2020", None),
            (&long, None),
            ("", None),
        ] {
            assert_eq!(title(&leaves(text)).as_deref(), want, "{text}");
        }
    }
}
