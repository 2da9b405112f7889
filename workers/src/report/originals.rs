//! Compares files with the documents a report was made from.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::cli::exit::CommandFailure;
use crate::input::collect;
use crate::input::identity::slug;
use crate::input::source::InputOrigin;

/// Largest document that is compared, in bytes: the upper bound of `max_document_bytes`.
const MAX_BYTES: u64 = 1 << 30;

/// The result of comparing the sources of a report with files.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Originals {
    /// Number of sources with a file of the same bytes.
    pub unchanged: usize,
    /// Ids of sources with a file of the same name but different bytes.
    pub changed: Vec<String>,
    /// Number of file sources without a matching file.
    pub absent: usize,
}

/// Compares the sources of `report` with the documents at `docs`.
///
/// # Errors
/// As [`collect`], for example if there is no document at `docs`.
pub fn compare(report: &Value, docs: &[PathBuf]) -> Result<Originals, CommandFailure> {
    let collected = collect(docs, &[], MAX_BYTES, None, &CancellationToken::new())?;
    let files = collected.sources.iter().filter_map(|source| match &source.origin {
        InputOrigin::File { content, .. } => Some((stem(source.source_id.as_str()).to_owned(), content.to_string())),
        InputOrigin::Url(_) => None,
    });
    let (names, hashes): (BTreeSet<String>, BTreeSet<String>) = files.unzip();
    let mut found = Originals::default();
    for row in report["data"]["sources"].as_array().into_iter().flatten() {
        let (Some(id), Some(hash)) = (row["source_id"].as_str(), row["original_sha256"].as_str()) else { continue };
        if hashes.contains(hash) {
            found.unchanged += 1;
        } else if names.contains(&name_of(id, row)) {
            found.changed.push(id.to_owned());
        } else {
            found.absent += 1;
        }
    }
    Ok(found)
}

/// Returns the name by which a source is compared with files of the same name: that of its file if a search found it, because its id says
/// nothing of it, otherwise that in its id.
fn name_of(id: &str, row: &Value) -> String {
    let is_found = row["found_by"].as_array().is_some_and(|queries| !queries.is_empty());
    match row["path"].as_str().filter(|_| is_found) {
        Some(path) => slug(path.rsplit('/').next().unwrap_or(path)),
        None => stem(id).to_owned(),
    }
}

/// Returns the part of a source id that depends on the file name only; the rest is a hash of path and content.
fn stem(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_file_is_recognized_as_read_replaced_or_missing() {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in [("same.txt", "as it was"), ("other.txt", "as it is now")] {
            std::fs::write(dir.path().join(name), text).expect("written");
        }
        let row = |id: &str, text: &str| {
            let hash = precis_proto::source::ContentRef::from_bytes(text.as_bytes()).to_string();
            json!({ "source_id": id, "original_sha256": hash })
        };
        let rows = [
            row("same-00000000", "as it was"),
            row("other-00000000", "as it was before"),
            row("gone-00000000", "elsewhere"),
            json!({ "source_id": "page-00000000" }),
        ];
        let found = |path: &str, text: &str| {
            let mut row = row("found-00000000", text);
            row["path"] = path.into();
            row["found_by"] = json!(["query"]);
            row
        };
        let rows = rows.into_iter().chain([found("in/other.txt", "before"), found("in/found.txt", "elsewhere")]);
        let rows: Vec<Value> = rows.collect();
        let found = compare(&json!({ "data": { "sources": rows } }), &[dir.path().to_owned()]).expect("compared");
        let changed = ["other-00000000", "found-00000000"].map(str::to_owned).to_vec();
        assert_eq!(found, Originals { unchanged: 1, changed, absent: 2 });
    }
}
