//! Blocks: the structure of a canonical text, as ranges stored apart from the text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::CharRange;
use crate::closed_words;

/// Most blocks and cells of one text; any further text becomes part of the last one. A book of 500 pages has about 8,000, a code of law of
/// two million characters about 30,000; chosen, not measured.
pub const MAX_BLOCKS: usize = 200_000;

/// Longest target of a link that is kept, in characters; a longer one is that of a program.
pub const MAX_LINK_TARGET_CHARS: usize = 500;
/// Most links of one text that are kept, from the first on; chosen, not measured.
pub const MAX_LINKS: usize = 10_000;

closed_words! {
    /// The kind of a block.
    #[derive(Default, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum BlockKind: serde {
        /// A heading; `level` is its depth.
        Heading => "heading",
        /// Running text, and text of unknown kind.
        #[default]
        Paragraph => "paragraph",
        /// One item of a list; `level` is its depth from 1. A further paragraph of the same item is another list item without marker.
        ListItem => "list_item",
        /// One row of a table; `cells` are its parts.
        TableRow => "table_row",
        /// Program text, or other text whose line breaks matter.
        Code => "code",
        /// Caption of a figure or table.
        Caption => "caption",
        /// A quotation set as a block.
        Quotation => "quotation",
        /// A field of a form with its value.
        FormField => "form_field",
        /// What the document says about itself: `name: value`, at the top of its text; `place` tells where the document has it.
        Field => "field",
        /// A footnote or endnote.
        Footnote => "footnote",
        /// Running headers and footers, page numbers, menus.
        Furniture => "furniture",
        /// An entry of a list of references.
        Reference => "reference",
    }
}

/// Where a document has a header field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldPlace {
    /// At the top of its text: front matter, docinfo, the header of a message.
    FrontMatter,
    /// In the head of a page, which is not shown.
    Metadata,
    /// In the properties of the file, which programs fill in.
    Properties,
}

/// What recognized a text in a picture: the words are those that a program read, and nobody wrote them into the document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Recognition {
    /// Name and version of the program: `tesseract 5.3.0`.
    pub engine: String,
    /// The languages it was told to expect, in its own words; absent if it was told none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub languages: Option<String>,
    /// SHA-256 of the picture it was given, an image file (PGM) of the page, in hexadecimal digits.
    pub picture: String,
}

/// A line of a code block. The text has one space between two lines; its words stand in the lines of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeLine {
    /// Its first character. A line without words has that of the next line with words.
    pub start: usize,
    /// Number of columns that it is indented; a tab reaches the next multiple of eight.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub indent: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(indent: &u32) -> bool {
    *indent == 0
}

/// A link of a document: what it shows and where it leads. A target is never fetched; it tells which other document of a folder is meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockLink {
    /// Its text, as in the text of the block.
    pub text: String,
    /// Its target as written, at most [`MAX_LINK_TARGET_CHARS`] characters, not empty.
    pub target: String,
}

/// A leaf block: characters `start..end` of the whole canonical text, without surrounding white space.
///
/// The blocks of a text are in order, do not overlap, and cover every character that is neither white space nor part of a
/// page separator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Kind of the block.
    pub kind: BlockKind,
    /// First character.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
    /// Level of a heading, from 1; depth of a list item, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Number or bullet of a list item as the document shows it. It is part of the text only if the text of the document contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    /// Number of the table a row belongs to, from 1 in the order of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<u32>,
    /// Whether a row names the columns.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_header: bool,
    /// Cells of a row, in order, each a range of the whole text; an empty cell is an empty range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CharRange>,
    /// Whether its first sentence began in an earlier block, for example on the previous page: such a partial sentence is never quoted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begun_before: bool,
    /// Whether its last sentence continues in a later block.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// Where the document has a header field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<FieldPlace>,
    /// Whether the document strikes words of it out; the text does not contain them.
    #[serde(default, rename = "struck", skip_serializing_if = "std::ops::Not::not")]
    pub is_struck: bool,
    /// Whether a reader sees it only after opening it: a control of a page shows it, or the page without its scripts.
    #[serde(default, rename = "collapsed", skip_serializing_if = "std::ops::Not::not")]
    pub is_collapsed: bool,
    /// Marks of the notes to which it leads, in order, as shown in the document; the text does not contain them. A note has its mark as its
    /// `marker`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Its links to other documents, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<BlockLink>,
    /// The lines of code that has several, in order; empty for other blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<CodeLine>,
    /// What recognized it in a picture; absent for text that the document has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognized: Option<Box<Recognition>>,
}

impl Block {
    /// Creates a block of `kind` over `range`, without attributes.
    #[must_use]
    pub fn new(kind: BlockKind, range: CharRange) -> Self {
        Self { kind, start: range.start, end: range.end, ..Self::default() }
    }

    /// Returns the place of a field that its readers do not see on a page: metadata and properties. `None` for all text, to which front
    /// matter belongs.
    #[must_use]
    pub fn unseen_place(&self) -> Option<FieldPlace> {
        self.place.filter(|place| match place {
            FieldPlace::FrontMatter => false,
            FieldPlace::Metadata | FieldPlace::Properties => true,
        })
    }

    /// Returns the range of the block.
    #[must_use]
    pub fn range(&self) -> CharRange {
        CharRange::new(self.start, self.end)
    }
}
