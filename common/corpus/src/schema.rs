//! The tantivy schema of a chunk. Words are tokenized here; nothing is stored, because the texts are kept next to the index.

use precis_text::terms::{for_each_dotted_number, for_each_word};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{PreTokenizedString, Token};

use crate::limits::MAX_WORD_BYTES;

/// One tantivy document is one chunk.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub(crate) schema: Schema,
    /// All words of the chunk, including function words, with their counts.
    pub(crate) words: Field,
    /// Words of the headings and columns above it.
    pub(crate) names: Field,
    /// Words of the title of its document, and of its path in the folder.
    pub(crate) title: Field,
    /// Number of its document.
    pub(crate) document: Field,
    /// Position in the whole text, without surrounding white space.
    pub(crate) start: Field,
    pub(crate) end: Field,
    /// Number of its terms, including repeats.
    pub(crate) length: Field,
}

pub(crate) const DOCUMENT: &str = "document";
pub(crate) const START: &str = "start";
pub(crate) const END: &str = "end";
pub(crate) const LENGTH: &str = "length";

impl Fields {
    pub(crate) fn new() -> Self {
        let mut schema = Schema::builder();
        let numbers: NumericOptions = FAST.into();
        let words = schema.add_text_field("words", text(IndexRecordOption::WithFreqs));
        let names = schema.add_text_field("names", text(IndexRecordOption::Basic));
        let title = schema.add_text_field("title", text(IndexRecordOption::Basic));
        let document = schema.add_u64_field(DOCUMENT, INDEXED | FAST);
        let start = schema.add_u64_field(START, numbers.clone());
        let end = schema.add_u64_field(END, numbers.clone());
        let length = schema.add_u64_field(LENGTH, numbers);
        Self { schema: schema.build(), words, names, title, document, start, end, length }
    }
}

/// Options for text passed as words: a tokenizer has to be named, but `raw` is never used. Field norms are off, because lengths are
/// stored in terms.
fn text(record: IndexRecordOption) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer("raw").set_index_option(record).set_fieldnorms(false);
    TextOptions::default().set_indexing_options(indexing)
}

/// Tokenizes `text` for a field.
pub(crate) fn words(text: &str) -> PreTokenizedString {
    let mut tokens = Vec::new();
    for_each_indexed_word(text, |word| {
        if word.len() <= MAX_WORD_BYTES {
            tokens.push(Token { position: tokens.len(), text: word.to_owned(), ..Token::default() });
        }
    });
    PreTokenizedString { text: String::new(), tokens }
}

/// Calls `found` with the words of `text`, then with its numbers joined by points.
pub(crate) fn for_each_indexed_word(text: &str, mut found: impl FnMut(&str)) {
    for_each_word(text, &mut found);
    for_each_dotted_number(text, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_at_the_limit_is_indexed_and_longer_ones_not() {
        for (length, count) in [(MAX_WORD_BYTES - 1, 1), (MAX_WORD_BYTES, 1), (MAX_WORD_BYTES + 1, 0)] {
            assert_eq!(words(&"x".repeat(length)).tokens.len(), count, "{length}");
        }
    }
}
