//! Writes the report of a session into a directory, with its texts from the content store, which stores them under the same hashes.

use std::path::Path;

use precis_proto::Timestamp;
use precis_proto::response::{ReportData, Response, SourceRow};
use precis_proto::source::{ContentRef, Origin, Quality, Source, SourceText};
use precis_runtime::archive::Archive;
use precis_runtime::content::{ContentError, ContentStore};

use crate::cli::exit::{CommandFailure, Exit};
use crate::documents::texts;
use crate::report::archive::ArchivedTexts;
use crate::report::directory::Output;
use crate::report::files;

/// Writes a report as `precis run` does, with texts that were archived at `at`; returns what was left out, one sentence each: texts that are
/// no longer there.
///
/// # Errors
/// As [`Output::open`], and if a file or the archive cannot be written.
pub async fn write_report(
    (out, force): (&Path, bool),
    response: &Response,
    data: &ReportData,
    content: &ContentStore,
    at: Timestamp,
) -> Result<Vec<String>, CommandFailure> {
    // Before anything is downloaded, because the directory may be refused.
    let output = Output::open(out, force)?;
    let dir = output.archive_dir();
    let failed = |reason: String| CommandFailure::new(Exit::Failed, "archive_failed", reason);
    let archive = Archive::open(dir.clone()).map_err(|e| failed(format!("write to {}: {e}", dir.display())))?;
    let mut left_out = Vec::new();
    for row in &data.sources {
        let Some(name) = row.source_text_hash.as_ref().and_then(|hash| hash.parse::<ContentRef>().ok()) else {
            continue;
        };
        let read = async {
            let bytes = content.get(&name).await?;
            let (source, text) = archived_source(row, name, &bytes);
            Ok::<_, ContentError>((texts::blocks(content, &text).await?, source, text, bytes))
        };
        match read.await {
            Ok((blocks, source, text, bytes)) => {
                archive.put(&source, &text, &bytes, blocks, at).await.map_err(|e| failed(e.to_string()))?;
            }
            Err(error) => left_out.push(format!("the text of {} is not archived: {error}", row.source_id)),
        }
    }
    let texts = ArchivedTexts::of_report(&dir, data).unwrap_or_default();
    for (name, text) in files::files(response, data, &texts, &texts.links(data)) {
        output.write(name, text.as_bytes())?;
    }
    output.publish().map(|()| left_out)
}

/// Returns the source and text that the archive stores a text under.
fn archived_source(row: &SourceRow, content: ContentRef, bytes: &[u8]) -> (Source, SourceText) {
    let text = SourceText {
        content: content.clone(),
        chars: row.chars,
        tokens: row.tokens,
        pages: pages(bytes),
        blocks: row.blocks.clone(),
    };
    let source = Source {
        source_id: row.source_id.clone(),
        title: row.title.clone(),
        url: row.url.clone(),
        origin: Origin::Content(content),
        content_type: row.content_type.clone(),
        quality: Quality::default(),
        published_at: None,
        protected: false,
        relevance: None,
        text: Some(text.clone()),
        reduction: None,
        failure: None,
        snippet: None,
        path: row.path.clone(),
        found_by: row.found_by.clone(),
        vectors_by: None,
    };
    (source, text)
}

/// Counts the pages of a canonical text; 0 if it has no page marks. Two line breaks occur only in a page mark.
fn pages(bytes: &[u8]) -> u32 {
    let marks = String::from_utf8_lossy(bytes).matches("\n\n---PAGE ").count();
    if marks == 0 { 0 } else { u32::try_from(marks + 1).unwrap_or(u32::MAX) }
}
