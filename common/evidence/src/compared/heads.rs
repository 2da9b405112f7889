//! The headings of a comparison.

use precis_language::detect;
use precis_language::labels::{Label, LabelLanguage};
use precis_proto::compare::ComparedBy;

/// The headings of the two columns of a comparison, in the language of `query`.
#[must_use]
pub fn compared_heads(query: &str, by: ComparedBy) -> [&'static str; 2] {
    let labels = LabelLanguage::from_tag(detect(query).tag);
    let first = match by {
        ComparedBy::Element => Label::Compared,
        ComparedBy::Source => Label::Source,
    };
    [labels.say(first), labels.say(Label::Quotes)]
}
