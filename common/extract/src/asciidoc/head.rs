//! What the head of a document says about it, and its attributes.

use precis_proto::FieldPlace;

use super::AsciiDocReader;
use crate::fields;

/// Attributes of the head that are fields; others are settings.
const FIELDS: [&str; 8] =
    ["author", "authors", "email", "revnumber", "revdate", "revremark", "description", "keywords"];
impl AsciiDocReader {
    /// The line of the author, or of the revision.
    pub(super) fn head_line(&mut self, text: &str) {
        let name = if text.starts_with(|c: char| c.is_ascii_digit() || c == 'v') { "revision" } else { "author" };
        let field = fields::leaf(name, text, FieldPlace::FrontMatter);
        field.into_iter().for_each(|field| self.leaves.push(field));
    }

    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        let value = self.attributes.replace(value);
        if FIELDS.contains(&name) && self.is_in_head {
            let field = fields::leaf(name, &value, FieldPlace::FrontMatter);
            field.into_iter().for_each(|field| self.leaves.push(field));
        }
        self.attributes.set(name, &value);
    }
}
