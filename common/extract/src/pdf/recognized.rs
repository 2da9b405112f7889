//! Pages whose text was recognized from their pictures by another program, which prints lines, with blank lines between paragraphs.

use precis_proto::{BlockKind, Recognition};
use precis_text::Leaf;

use super::hyphen::Joiner;

/// The text of a page as it was recognized. It is as untrusted as the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecognizedPage {
    /// The page, from 1.
    pub page: usize,
    /// Its lines; blank lines and form feeds stand between paragraphs.
    pub text: String,
    /// What recognized it, and in which picture.
    pub recognition: Recognition,
}

impl RecognizedPage {
    /// The paragraphs of the page, each marked as recognized.
    pub(super) fn leaves(&self) -> Vec<Leaf> {
        let lines: Vec<&str> = self.text.split(['\n', '\u{c}']).map(str::trim).collect();
        let joiner = Joiner::from_lines(lines.iter().copied().filter(|line| !line.is_empty()));
        let paragraphs = lines.split(|line| line.is_empty()).filter(|paragraph| !paragraph.is_empty());
        let leaf = |paragraph: &[&str]| Leaf {
            recognized: Some(Box::new(self.recognition.clone())),
            ..Leaf::new(BlockKind::Paragraph, joiner.join(paragraph.iter().copied()))
        };
        paragraphs.map(leaf).filter(|leaf| leaf.text.chars().any(char::is_alphanumeric)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_paragraphs_with_their_words_mended_and_marked() {
        let recognition = Recognition { engine: "reader 1".to_owned(), languages: None, picture: "ab".repeat(32) };
        let text = "The dam was inspec-\r\nted in 1931.\n\n  ~ |\n\n It holds.\u{c}".to_owned();
        let leaves = RecognizedPage { page: 3, text, recognition: recognition.clone() }.leaves();
        let texts: Vec<&str> = leaves.iter().map(|leaf| leaf.text.as_str()).collect();
        assert_eq!(texts, ["The dam was inspected in 1931.", "It holds."]);
        assert!(leaves.iter().all(|leaf| leaf.recognized.as_deref() == Some(&recognition)));
    }
}
