//! A piece of evidence as it is sent.

use std::borrow::Cow;

use precis_proto::finding::Unit;

/// A piece of evidence with the line above it.
#[derive(Debug, Clone)]
pub(in crate::prompt) struct Piece<'a> {
    /// Number in its task; 0 for the text of a summary task.
    pub(in crate::prompt) id: u32,
    /// Cutting order: higher scores are kept longer.
    pub(in crate::prompt) score: f64,
    /// The mark line.
    pub(in crate::prompt) head: String,
    /// The untrusted text.
    pub(in crate::prompt) body: Cow<'a, str>,
    /// Its sentences, if known.
    pub(in crate::prompt) units: &'a [Unit],
    /// Whether it is a model's note on a source rather than evidence.
    pub(in crate::prompt) is_note: bool,
    /// Whether calls of other kinds on the same passages show it with the same bytes.
    pub(in crate::prompt) is_shared: bool,
}

impl Piece<'_> {
    /// Bytes that [`Piece::show`] adds.
    pub(in crate::prompt) fn shown_bytes(&self) -> usize {
        self.head.len() + self.body.len() + 2
    }

    /// Appends head and body to `text` as they are sent, each with a line end.
    pub(in crate::prompt) fn show(&self, text: &mut String) {
        for part in [self.head.as_str(), "\n", &self.body, "\n"] {
            text.push_str(part);
        }
    }
}
