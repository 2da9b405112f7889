//! The text of a PDF, page by page, in reading order.
//!
//! Owns the way from bytes to lines: `document` opens the file and walks its pages under limits, `page` runs hayro's interpreter on one of
//! them, `device` receives the glyphs it places (`drawn_glyph`), `char_mapping`, `collection` and `fields` settle what they say, and
//! `layout` turns places into text (`overprint` and `accents` clean the glyphs, `words` joins them, `rows` and `columns` find lines and
//! reading order, `bidi` turns lines from right to left). `hyphen` mends words cut at line ends; `cut_sentences` marks sentences that are
//! cut by the end of a page. `fallback` asks lopdf when the first engine finds no text. Refuses to know where the bytes came from and how
//! their text is canonicalised afterwards.
//!
//! Time and memory of hostile files are not bounded here alone: streams are decoded whole, so the caller runs this in a child process
//! with limits.

mod accents;
mod bidi;
mod block_kinds;
mod char_mapping;
mod collection;
mod columns;
mod cut_sentences;
mod device;
mod document;
mod drawn_glyph;
mod fallback;
mod fields;
#[cfg(test)]
pub(super) mod fixture;
mod flow;
mod furniture;
mod glyph;
mod gutter;
mod gutters;
mod hyphen;
#[cfg(test)]
mod laws;
mod layout;
mod leaves;
mod line;
mod outcome;
mod overprint;
mod page;
mod page_block;
mod paragraphs;
mod rows;
mod shape;
mod stripes;
#[cfg(test)]
mod structure;
mod table;
#[cfg(test)]
mod tests;
mod text_string;
mod words;

pub use document::extract;
pub use outcome::{PdfError, PdfLimits, PdfText, PdfWarning};
