//! [`Annotation`]: a comment being read.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::super::super::runs::RunText;
use super::super::markup::Markup;

/// A comment, with who made it.
#[derive(Debug, Default)]
pub(in super::super) struct Annotation {
    author: String,
    text: RunText,
    part: Part,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    /// Between the parts.
    #[default]
    Around,
    Author,
    Words,
}

impl Annotation {
    /// Takes what follows the beginning of the comment; returns whether it ends.
    pub(in super::super) fn take(&mut self, event: &Markup<'_>) -> bool {
        match event {
            Markup::Open(element) => match element.name.as_str() {
                "creator" => self.part = Part::Author,
                "p" | "h" => self.part = Part::Words,
                "s" | "tab" | "line-break" => self.text.space(' '),
                _ => {}
            },
            Markup::Text(text) => match self.part {
                Part::Around => {}
                Part::Author => self.author.push_str(text),
                Part::Words => self.text.plain(text),
            },
            Markup::Close(name) => match name.as_str() {
                "annotation" => return true,
                "creator" => self.part = Part::Around,
                "p" | "h" => {
                    self.part = Part::Around;
                    self.text.space('\n');
                }
                _ => {}
            },
        }
        false
    }

    /// The comment as a note, whose mark is made from the name of who made it; `None` if it has no words.
    pub(in super::super) fn note(self, mark: impl FnOnce(Option<String>) -> Option<String>) -> Option<Leaf> {
        let author = Some(self.author.trim().to_owned()).filter(|author| !author.is_empty());
        let text = self.text.words().text;
        (!text.is_empty()).then(|| Leaf { marker: mark(author), ..Leaf::new(BlockKind::Footnote, text) })
    }
}
