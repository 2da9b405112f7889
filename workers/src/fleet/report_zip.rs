//! A report with its texts as one ZIP file: what `precis result --out` writes. The same report and texts are the same bytes.

use std::fs;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};

use precis_proto::Timestamp;
use precis_proto::response::Response;
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::files::{FileLimits, Links, read_regular};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::kept_report::write_report;
use crate::documents::texts::compute;

/// Mode of the files in it.
const MODE: u32 = 0o644;

/// Returns the report of `response` as a ZIP file; `None` if it has none, or if its files have more than `most` bytes together.
///
/// # Errors
/// [`ContentError`] if a text that is there cannot be read, or there is no room for the files. A text that is gone is left out.
pub(super) async fn report_zip(
    content: &ContentStore,
    response: &Response,
    most: u64,
) -> Result<Option<Vec<u8>>, ContentError> {
    let Some(data) = &response.data else { return Ok(None) };
    // Before anything is read: a character has a byte at least.
    if data.sources.iter().map(|row| row.chars).sum::<u64>() > most {
        return Ok(None);
    }
    let unwritten = |reason: String| ContentError::Unavailable(format!("cannot write the files of a report: {reason}"));
    let dir = tempfile::tempdir().map_err(|error| unwritten(error.to_string()))?;
    // The texts are as old as the report, whenever the file is made.
    let at = data.generated.as_ref().map_or(Timestamp(0), |generated| generated.at);
    let written = write_report((dir.path(), false), response, data, content, at).await;
    written.map_err(|failure| unwritten(failure.to_string()))?;
    compute(move || zip_files(dir.path(), most)).await.map_err(|error| unwritten(error.to_string()))
}

/// Returns the files below `dir`, in the order of their names; `None` if they have more than `most` bytes together.
fn zip_files(dir: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut names = Vec::new();
    list(dir, dir, &mut names)?;
    names.sort();
    let mut bytes = 0_u64;
    for name in &names {
        bytes = bytes.saturating_add(fs::metadata(dir.join(name))?.len());
    }
    if bytes > most {
        return Ok(None);
    }
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(MODE);
    for name in names {
        let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        writer.start_file(parts.join("/"), options).map_err(io::Error::other)?;
        let read = read_regular(&dir.join(&name), Links::Refused, FileLimits::bytes(most));
        writer.write_all(&read.map_err(io::Error::other)?)?;
    }
    Ok(Some(writer.finish().map_err(io::Error::other)?.into_inner()))
}

fn list(root: &Path, dir: &Path, names: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(root, &entry.path(), names)?;
        } else if let Ok(name) = entry.path().strip_prefix(root) {
            names.push(name.to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use precis_proto::source::ContentRef;

    use super::*;
    use crate::report::sample::{id, report, source};

    #[tokio::test]
    async fn a_report_is_the_same_bytes_with_its_files_and_texts() {
        let content = ContentStore::in_memory();
        let response = report(vec![source(&id("a"), Some("text"))]);
        let hash: ContentRef = content.put("text".into()).await.expect("kept");
        let first = report_zip(&content, &response, 1 << 20).await.expect("made").expect("a report");
        tokio::time::sleep(std::time::Duration::from_millis(2_100)).await;
        let second = report_zip(&content, &response, 1 << 20).await.expect("made").expect("a report");
        assert!(first == second, "whenever it is made");
        let mut files = zip::ZipArchive::new(Cursor::new(first)).expect("a ZIP file");
        let names: Vec<String> = files.file_names().map(|name| name.expect("a name").into_owned()).collect();
        for name in ["report.json", "report.md", "report.html"] {
            assert!(names.iter().any(|found| found == name), "{names:?}");
        }
        let text = names.iter().find(|name| name.ends_with(&format!("{}.txt", hash.hex()))).expect("its text").clone();
        let mut found = String::new();
        files.by_name(&text).expect("there").read_to_string(&mut found).expect("text");
        assert_eq!(found, "text");
    }

    #[test]
    fn files_have_so_many_bytes_together_and_no_more() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir(dir.path().join("b")).expect("made");
        fs::write(dir.path().join("a"), "12345").expect("written");
        fs::write(dir.path().join("b/c"), "12345").expect("written");
        for (most, is_made) in [(9, false), (10, true), (11, true)] {
            assert_eq!(zip_files(dir.path(), most).expect("read").is_some(), is_made, "{most}");
        }
    }
}
