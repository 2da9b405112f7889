//! Marks headings and lines in a model's text that a reader would take for Precis' own.
//!
//! A report ends with parts that no model wrote: quotes, sources, warnings, how to verify. If a model writes such a heading itself,
//! the remark "written by the model" is appended to it.

use icu_normalizer::ComposingNormalizerBorrowed;
use precis_language::labels::{LANGUAGES, Label, LabelLanguage};

/// Labels of the parts that Precis writes, and of the line that separates them from the model's text.
const OURS: [Label; 11] = [
    Label::Quotes,
    Label::Sources,
    Label::Warnings,
    Label::Verify,
    Label::Auditors,
    Label::Seal,
    Label::Answered,
    Label::AnsweredYes,
    Label::AnsweredNo,
    Label::NotInDocuments,
    Label::Boundary,
];
/// Other headings under which readers would look for those parts.
const ALIKE: [&str; 6] =
    ["How to verify", "Verification", "Citations", "So prüfen Sie", "Comment vérifier", "Cómo verificar"];

/// The remark to append to `text`, a heading or a paragraph, if it imitates one of Precis' own; otherwise `None`.
pub(super) fn remark(text: &str) -> Option<&'static str> {
    let text = simplify(text);
    if text.is_empty() {
        return None;
    }
    let forges = |labels: &LabelLanguage| {
        OURS.iter().any(|label| {
            let ours = labels.say(*label);
            match *label {
                // The label has a placeholder that the report fills, so only the text before it is compared.
                Label::Boundary => text.starts_with(&simplify(ours.split('{').next().unwrap_or(ours))),
                _ => text == simplify(ours),
            }
        })
    };
    let labels = LANGUAGES.iter().find(|labels| forges(labels));
    let labels =
        labels.or_else(|| ALIKE.iter().any(|alike| text == simplify(alike)).then_some(&LabelLanguage::English))?;
    Some(labels.say(Label::OfTheModel))
}

/// Letters alone, in lower case, so that leading numbers and punctuation do not make a heading look different.
fn simplify(text: &str) -> String {
    let plain = ComposingNormalizerBorrowed::new_nfkc().normalize(text);
    plain.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_headings_are_known_in_every_language_however_they_are_set() {
        for (text, forges) in [
            ("Sources", true),
            ("  SOURCES: ", true),
            ("4. Sources", true),
            ("Ｓｏｕｒｃｅｓ", true),
            ("S\u{200b}ources", true),
            ("Quellen", true),
            ("Zitate", true),
            ("来源", true),
            ("検証", true),
            ("How to verify", true),
            ("Verify", true),
            ("Seal of report.json", true),
            ("Sources of income", false),
            ("What the sources say", false),
            ("Report", false),
            ("", false),
            ("1.", false),
        ] {
            assert_eq!(remark(text).is_some(), forges, "{text}");
        }
        for labels in LANGUAGES {
            assert!(remark(&labels.fill(Label::Boundary, &["x:y"])).is_some(), "{labels:?}");
        }
    }

    #[test]
    fn the_remark_is_in_the_language_of_what_is_forged() {
        assert_eq!(remark("Quellen"), Some(LabelLanguage::German.say(Label::OfTheModel)));
        assert_eq!(remark("Fuentes"), Some(LabelLanguage::Spanish.say(Label::OfTheModel)));
    }
}
