//! XML that is no other format: the text of its elements, never its tags. DocBook, JATS, TEI and feeds get their headings, lists, tables
//! and notes; in any other document an element with nothing but a short text is a field, those that HTML has too are what they are there, and all
//! other text is a paragraph.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `vocabulary` | what the elements of the standards are |
//! | `front_matter`, `front_fields` | what an article in JATS says before its text, as header fields |
//! | `inline_names` | which elements stand inside sentences, measured |
//! | `field_names` | what a field is called where its own name does not tell it from others |
//! | `reader` | the leaves of a document |

mod field_names;
mod front_fields;
mod front_matter;
mod inline_names;
mod reader;
#[cfg(test)]
mod tests;
mod vocabulary;

pub(super) use reader::read;

/// Whether `text` begins as a document of XML does.
pub(super) fn is_xml(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let declared = start.strip_prefix("<?xml").filter(|rest| rest.starts_with(char::is_whitespace));
    // A text may speak of such a line.
    declared
        .and_then(|rest| rest.split_once("?>"))
        .is_some_and(|(declaration, body)| declaration.contains("version") && body.trim_start().starts_with('<'))
}
