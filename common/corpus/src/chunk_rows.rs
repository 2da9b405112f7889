//! The chunks of a document as rows of the index.

use precis_evidence::ranking::contexts;
use precis_text::CanonicalText;
use precis_text::terms::{for_each_word, is_term};
use tantivy::TantivyDocument;
use tantivy::indexer::UserOperation;

use crate::passages::chunks_with_passages;
use crate::schema::{Fields, words};

/// Returns the chunks of a document as one batch, so that they are adjacent in the index.
pub(crate) fn batch(fields: &Fields, document: u32, title: &str, text: &CanonicalText) -> Vec<UserOperation> {
    let (chunks, ranges): (Vec<_>, Vec<_>) = chunks_with_passages(text).into_iter().unzip();
    let title = words(title);
    let mut operations = Vec::with_capacity(chunks.len());
    for (range, names) in ranges.into_iter().zip(contexts(text, &chunks)) {
        let slice = text.slice(range);
        let mut length = 0;
        for_each_word(slice, |word| length += u64::from(is_term(word)));
        let mut row = TantivyDocument::default();
        row.add_pre_tokenized_text(fields.words, words(slice));
        row.add_pre_tokenized_text(fields.names, words(&names.join(" ")));
        row.add_pre_tokenized_text(fields.title, title.clone());
        row.add_u64(fields.document, document.into());
        row.add_u64(fields.start, range.start as u64);
        row.add_u64(fields.end, range.end as u64);
        row.add_u64(fields.length, length);
        operations.push(UserOperation::Add(row));
    }
    operations
}
