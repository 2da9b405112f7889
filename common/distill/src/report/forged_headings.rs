//! Headings and lines in a model's text that a reader would take for Precis' own.
//!
//! A report ends with parts that no model wrote: quotes, sources, warnings, how to verify. A model that writes such a heading itself
//! gets it back with the remark whose it is.

use icu_normalizer::ComposingNormalizerBorrowed;

use super::labels::{Label, LabelLanguage, TONGUES};

/// Labels of the parts that are not the model's, and of the line between.
const OURS: [Label; 9] = [
    Label::Quotes,
    Label::Sources,
    Label::Warnings,
    Label::Verify,
    Label::Auditors,
    Label::Seal,
    Label::Answered,
    Label::NotInDocuments,
    Label::Boundary,
];
/// Other names under which readers would look for the same.
const ALIKE: [&str; 6] =
    ["How to verify", "Verification", "Citations", "So prüfen Sie", "Comment vérifier", "Cómo verificar"];

/// The remark for `text`, a heading or a paragraph, where it passes for one of ours; `None` where it does not.
pub(super) fn remark(text: &str) -> Option<&'static str> {
    let text = simplified(text);
    if text.is_empty() {
        return None;
    }
    let forges = |tongue: &LabelLanguage| {
        OURS.iter().any(|label| {
            let ours = tongue.say(*label);
            match *label {
                // A place in it is filled in the report: what stands before that is enough.
                Label::Boundary => text.starts_with(&simplified(ours.split('{').next().unwrap_or(ours))),
                _ => text == simplified(ours),
            }
        })
    };
    let tongue = TONGUES.iter().find(|tongue| forges(tongue));
    let tongue =
        tongue.or_else(|| ALIKE.iter().any(|alike| text == simplified(alike)).then_some(&LabelLanguage::English))?;
    Some(tongue.say(Label::OfTheModel))
}

/// Letters alone, in lower case: numbers in front and punctuation behind do not make another heading.
fn simplified(text: &str) -> String {
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
        for tongue in TONGUES {
            assert!(remark(&tongue.fill(Label::Boundary, &["x:y"])).is_some(), "{tongue:?}");
        }
    }

    #[test]
    fn the_remark_is_in_the_language_of_what_is_forged() {
        assert_eq!(remark("Quellen"), Some(LabelLanguage::German.say(Label::OfTheModel)));
        assert_eq!(remark("Fuentes"), Some(LabelLanguage::Spanish.say(Label::OfTheModel)));
    }
}
