//! The text of a PDF, page by page, in reading order.
//!
//! The way from bytes to leaves: `document` opens the file and reads its pages within limits, `page` runs hayro's interpreter on one of
//! them, `device` receives its glyphs (`drawn_glyph`), `char_mapping`, `collection` and `fields` determine their text, and `layout` turns
//! positions into text (`overprint` and `accents` clean the glyphs, `words` joins them, `rows` and `columns` find lines and reading order,
//! `bidi` reorders right-to-left lines). `hyphen` repairs words hyphenated at line ends; `cut_sentences` marks sentences cut by the end of
//! a page. Fetching the bytes and canonicalizing the text are done elsewhere.
//!
//! The limits here do not fully bound time and memory for hostile files, because streams are decoded whole; so the caller runs this in a
//! child process with limits.

mod accents;
mod annotations;
mod backgrounds;
mod bands;
mod bidi;
mod block_kinds;
mod char_mapping;
mod collection;
mod columns;
mod covers;
mod cut_sentences;
mod device;
mod document;
mod drawn_glyph;
mod drop_caps;
mod field_values;
mod fields;
#[cfg(test)]
pub(super) mod fixture;
mod flow;
#[cfg(test)]
mod form_laws;
mod furniture;
mod glyph;
mod grid;
mod gutter;
mod gutters;
mod hyphen;
#[cfg(test)]
mod laws;
mod layout;
mod leaves;
mod line;
#[cfg(test)]
mod look_laws;
mod outcome;
mod overprint;
mod page;
mod page_block;
mod paragraphs;
mod picture;
mod positions;
mod properties;
mod recognized;
mod rows;
mod ruled;
#[cfg(test)]
mod ruled_laws;
mod rulings;
mod shape;
mod strikes;
mod stripes;
#[cfg(test)]
mod structure;
mod table;
#[cfg(test)]
mod tests;
mod text_string;
mod words;

pub use document::{extract, extract_recognized};
pub use outcome::{PdfError, PdfLimits, PdfText, PdfWarning};
pub use picture::page_picture;
pub use properties::{PdfDate, PdfProperties};
pub use recognized::RecognizedPage;
