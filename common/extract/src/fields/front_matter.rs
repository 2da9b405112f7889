//! Front matter as header fields. What cannot be read as YAML or TOML stays as it was typed: nothing of it is lost.

use precis_proto::{BlockKind, FieldPlace};
use precis_text::{Leaf, normalize, visible};

use super::field::{MAX_FIELDS, leaf};
use super::{toml_text, yaml};

/// The notation of a front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrontMatter {
    Yaml,
    Toml,
}

/// The leaves of the front matter `source`.
pub(crate) fn front_matter(source: &str, notation: FrontMatter) -> Vec<Leaf> {
    let read = match notation {
        FrontMatter::Yaml => yaml::entries(source),
        FrontMatter::Toml => toml_text::entries(source),
    };
    match read {
        Some(entries) if entries.len() <= MAX_FIELDS => {
            entries.iter().filter_map(|(name, value)| leaf(name, value, FieldPlace::FrontMatter)).collect()
        }
        Some(_) | None => {
            let text = normalize(&visible(source));
            (!text.is_empty()).then(|| Leaf::new(BlockKind::Code, text)).into_iter().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, notation: FrontMatter) -> Vec<(BlockKind, String)> {
        front_matter(source, notation).into_iter().map(|leaf| (leaf.kind, leaf.text)).collect()
    }

    #[test]
    fn entries_are_fields_and_other_lines_stay_as_typed() {
        let field = |text: &str| (BlockKind::Field, text.to_owned());
        for (source, notation, want) in [
            ("title: A\nstatus: Final", FrontMatter::Yaml, vec![field("title: A"), field("status: Final")]),
            ("title = 'A'", FrontMatter::Toml, vec![field("title: A")]),
            ("title: [A\nb: c", FrontMatter::Yaml, vec![(BlockKind::Code, "title: [A b: c".to_owned())]),
            ("title = ", FrontMatter::Toml, vec![(BlockKind::Code, "title =".to_owned())]),
            ("", FrontMatter::Yaml, vec![]),
        ] {
            assert_eq!(texts(source, notation), want, "{source}");
        }
    }

    #[test]
    fn fields_are_distinguished_up_to_a_number() {
        for (given, leaves) in [(MAX_FIELDS - 1, MAX_FIELDS - 1), (MAX_FIELDS, MAX_FIELDS), (MAX_FIELDS + 1, 1)] {
            let source: String = (0..given).map(|n| format!("n{n}: v\n")).collect();
            assert_eq!(texts(&source, FrontMatter::Yaml).len(), leaves, "{given}");
        }
    }
}
