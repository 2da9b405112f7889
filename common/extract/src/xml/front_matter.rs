//! The front matter of an article in JATS: what the journal and the article say about themselves before the text. [`FrontMatter`] collects
//! its elements as a tree, from which [`front_fields`](super::front_fields) makes header fields. The title, the abstracts and the notes of the
//! authors are not collected, because they are text.

use super::super::package::XmlElement;
use super::super::runs::{Marks, RunText, Words};
use super::vocabulary::marks;

/// The elements that hold the front matter, inside `front`.
const HOLDERS: [&str; 2] = ["journal-meta", "article-meta"];
/// The elements in them that are text.
const TEXTS: [&str; 4] = ["title-group", "abstract", "trans-abstract", "author-notes"];
/// Elements inside a phrase: others stand beside each other without a space between them, such as an institution and its country.
const INSIDE: [&str; 12] = [
    "italic",
    "bold",
    "sup",
    "sub",
    "sc",
    "underline",
    "monospace",
    "ext-link",
    "uri",
    "email",
    "named-content",
    "styled-content",
];
/// Elements whose text leads elsewhere or is meant for programs.
const UNSAID: [&str; 8] =
    ["xref", "label", "contrib-id", "institution-id", "object-id", "related-article", "counts", "fn"];

/// An element of the front matter.
#[derive(Debug, Default)]
pub(super) struct FrontElement {
    pub(super) name: String,
    /// What it says of its kind: `received`, `doi`, `editor`.
    pub(super) kind: Option<String>,
    parts: Vec<FrontPart>,
}

#[derive(Debug)]
enum FrontPart {
    Text(String),
    Element(FrontElement),
}

/// The front matter read so far.
#[derive(Default)]
pub(super) struct FrontMatter {
    /// The elements around the place, the outermost first; empty outside of the front matter and in its texts.
    open: Vec<FrontElement>,
    /// Number of open elements that are text, or in one.
    texts: usize,
    holders: Vec<FrontElement>,
}

impl FrontMatter {
    /// Takes the beginning of an element; `false` if it is not of the front matter. `is_in_front` tells whether `front` is open.
    pub(super) fn begin(&mut self, element: &XmlElement<'_>, is_in_front: bool) -> bool {
        let name = element.name.as_str();
        let is_text = self.texts > 0 || (!self.open.is_empty() && TEXTS.contains(&name));
        if is_text || (self.open.is_empty() && !(is_in_front && HOLDERS.contains(&name))) {
            self.texts += usize::from(is_text);
            return false;
        }
        let kind =
            ["date-type", "pub-id-type", "contrib-type", "pub-type"].iter().find_map(|kind| element.attribute(kind));
        self.open.push(FrontElement { name: element.name.clone(), kind, parts: Vec::new() });
        true
    }

    /// Takes `text`; `false` if it is not of the front matter.
    pub(super) fn text(&mut self, text: &str) -> bool {
        let within = self.open.last_mut().filter(|_| self.texts == 0);
        within.map(|element| element.parts.push(FrontPart::Text(text.to_owned()))).is_some()
    }

    /// Takes the end of an element; `false` if it is not of the front matter.
    pub(super) fn end(&mut self) -> bool {
        if self.texts > 0 {
            self.texts -= 1;
            return false;
        }
        let Some(ended) = self.open.pop() else { return false };
        match self.open.last_mut() {
            Some(around) => around.parts.push(FrontPart::Element(ended)),
            None => self.holders.push(ended),
        }
        true
    }

    /// All that was read; elements still open are ended, because markup may break off.
    pub(super) fn finish(mut self) -> Vec<FrontElement> {
        self.texts = 0;
        while self.end() {}
        self.holders
    }
}

impl FrontElement {
    /// The elements directly in it.
    pub(super) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.parts.iter().filter_map(|part| match part {
            FrontPart::Element(element) => Some(element),
            FrontPart::Text(_) => None,
        })
    }

    /// The first element called `name` directly in it.
    pub(super) fn first(&self, name: &str) -> Option<&Self> {
        self.elements().find(|element| element.name == name)
    }

    /// What it says, and what was left out of that.
    pub(super) fn words(&self) -> Words {
        let mut text = RunText::default();
        self.add_to(&mut text, Marks::default(), &mut false);
        text.words()
    }

    /// Elements nest only as deep as the reader goes.
    fn add_to(&self, text: &mut RunText, around: Marks, has_gap: &mut bool) {
        for part in &self.parts {
            match part {
                FrontPart::Text(more) => {
                    if std::mem::take(has_gap) && !text.is_blank() && more.starts_with(char::is_alphanumeric) {
                        text.plain(", ");
                    }
                    text.push(more, around);
                }
                FrontPart::Element(element) if UNSAID.contains(&element.name.as_str()) => {}
                FrontPart::Element(element) => {
                    let is_inside = INSIDE.contains(&element.name.as_str());
                    *has_gap |= !is_inside;
                    element.add_to(text, marks(&element.name).within(around), has_gap);
                    *has_gap |= !is_inside;
                }
            }
        }
    }
}
