//! The texts of the files of a version: files with the same bytes and extension are read once, and what was parsed before is not parsed again.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use precis_corpus::FileStamp;
use precis_proto::source::ContentRef;
use precis_runtime::collections::CollectionFile;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::{IndexingError, JobError};

use super::known_texts::{self, ParsedFile};
use crate::documents::parse::{Parse, Parser, ending};
use crate::jobs::EXTRACTION;

/// Code of a file for which no parser may be started: not a property of the file.
const SANDBOX_MISSING: &str = "sandbox_missing";
/// Code of a file whose bytes are gone from the content store, or damaged.
const CONTENT_MISSING: &str = "content_missing";

/// Files that are one document: the same bytes under the same extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OneDocument {
    /// Its bytes.
    pub content: ContentRef,
    /// Its files, in the order of their names; never empty.
    pub files: Vec<FileStamp>,
}

impl OneDocument {
    /// The name of its first file.
    pub(super) fn name(&self) -> &str {
        &self.files[0].path
    }
}

/// Groups files into documents, in the order of the first name of each. Pure.
pub(super) fn documents(files: &[CollectionFile]) -> Vec<OneDocument> {
    let mut places: BTreeMap<(&ContentRef, &str), usize> = BTreeMap::new();
    let mut documents: Vec<OneDocument> = Vec::new();
    for file in files {
        let stamp = FileStamp { path: file.name.clone(), size: file.bytes, mtime_ns: 0 };
        let place = *places.entry((&file.content, ending(&file.name))).or_insert(documents.len());
        match documents.get_mut(place) {
            Some(known) => known.files.push(stamp),
            None => documents.push(OneDocument { content: file.content.clone(), files: vec![stamp] }),
        }
    }
    documents
}

/// Reads documents.
#[derive(Debug)]
pub(super) struct DocumentReader<'a> {
    /// The child processes.
    pub parser: &'a Parser,
    /// The store that has the bytes.
    pub content: &'a ContentStore,
    /// Identifies all settings that may change the text of the same bytes.
    pub extraction: String,
}

impl<'a> DocumentReader<'a> {
    pub(super) async fn new(parser: &'a Parser, content: &'a ContentStore) -> Self {
        let extraction = format!("{EXTRACTION}:{}", parser.config_key().await);
        Self { parser, content, extraction }
    }

    /// Reads `documents`, `ahead` at once, and returns them in their order.
    pub(super) fn read(
        &'a self,
        documents: Vec<OneDocument>,
        ahead: usize,
    ) -> BoxStream<'a, (OneDocument, Result<ParsedFile, IndexingError>)> {
        let reading: Vec<BoxFuture<'a, _>> = documents.into_iter().map(|document| self.one(document).boxed()).collect();
        stream::iter(reading).buffered(ahead.max(1)).boxed()
    }

    async fn one(&self, document: OneDocument) -> (OneDocument, Result<ParsedFile, IndexingError>) {
        let parsed = self.parse_document(&document).await;
        (document, parsed)
    }

    async fn parse_document(&self, document: &OneDocument) -> Result<ParsedFile, IndexingError> {
        let name = document.name();
        let key = (&document.content, ending(name));
        if let Some(known) = known_texts::known_file(self.content, key, &self.extraction).await? {
            return Ok(known);
        }
        let bytes = match self.content.get(&document.content).await {
            Ok(bytes) => bytes,
            Err(error) if error.is_outage() => return Err(error.into()),
            Err(error) => {
                // Not kept: the file may be put again.
                return Ok(ParsedFile::Unread { code: CONTENT_MISSING.to_owned(), message: error.to_string() });
            }
        };
        let parse = Parse { content_type: None, name: name.to_owned() };
        let parsed = match self.parser.parse(bytes, parse).await {
            Ok(parsed) => ParsedFile::Read(parsed.into()),
            Err(JobError::Permanent { code, message }) if code != SANDBOX_MISSING => {
                ParsedFile::Unread { code, message }
            }
            Err(error) => return Err(IndexingError::Failed(error.to_string())),
        };
        known_texts::keep(self.content, key, &self.extraction, &parsed).await?;
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_under_the_same_extension_are_one_document() {
        let file = |name: &str, text: &str| CollectionFile {
            name: name.to_owned(),
            content: ContentRef::from_bytes(text.as_bytes()),
            bytes: 1,
        };
        let files = [file("a.md", "x"), file("b.md", "y"), file("c.md", "x"), file("d.txt", "x")];
        let grouped = documents(&files);
        let names: Vec<Vec<&str>> =
            grouped.iter().map(|one| one.files.iter().map(|f| f.path.as_str()).collect()).collect();
        assert_eq!(names, [vec!["a.md", "c.md"], vec!["b.md"], vec!["d.txt"]]);
        assert_eq!(documents(&[]), []);
    }
}
