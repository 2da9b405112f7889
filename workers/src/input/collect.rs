//! Turns the given paths and addresses into sources: one per distinct document, and a reason for everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use precis_proto::SourceId;
use precis_proto::request::MAX_SOURCES;
use precis_proto::source::ContentRef;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::identity::Names;
use super::input_paths::expand_paths;
use super::reading::{FirstLook, look};
use super::walk::{reason, walk};
use super::walked_file::WalkedFile;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;
use crate::input::source::{DocumentAttributes, InputOrigin, InputSource};

/// Most reasons listed in a failure message.
const REASONS: usize = 5;
/// Most non-documents in folders listed one by one; further ones, such as in a folder of pictures, are only counted.
const MOST_LISTED: usize = 500;

/// A document that was found but cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableDocument {
    /// Id of the document in the report.
    pub source_id: SourceId,
    /// File name.
    pub title: String,
    /// Path relative to the given path.
    pub path: String,
    /// Stable code: `unreadable`, `too_large`, `unsupported`.
    pub code: &'static str,
    /// The reason, for users.
    pub message: String,
    /// Whether the file itself was given, not only its folder.
    pub named: bool,
}

/// A document with the same bytes as another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// Id of the document in the report.
    pub source_id: SourceId,
    /// File name.
    pub title: String,
    /// Path relative to the given path.
    pub path: String,
    /// The document that is read instead.
    pub of: SourceId,
}

/// The documents of a run, sorted by whether they are read.
#[derive(Debug, Default)]
pub struct CollectedInputs {
    /// Documents to read, in the given order; ids are unique across all three lists.
    pub sources: Vec<InputSource>,
    /// Documents that were found but cannot be used.
    pub unread: Vec<UnusableDocument>,
    /// Documents left out because another one has the same bytes.
    pub duplicates: Vec<Duplicate>,
    /// Number of entries of folders that are neither read nor listed: not regular files, or non-documents beyond `MOST_LISTED`.
    pub skipped: u64,
    /// Paths of the documents to read, relative to the given paths.
    pub paths: BTreeMap<SourceId, String>,
    /// Sources given by name rather than through a folder: a report without them is incomplete.
    pub named: BTreeSet<SourceId>,
    /// Keeps the document from standard input on disk until it has been read.
    pub spool: Option<TempDir>,
}

/// Collects `docs` and `urls` (already checked, see [`check_url`](super::check_url)). Nothing under `except` is collected. Reads
/// every document once; blocks.
///
/// # Errors
/// [`Exit::Refused`] if there is no document to read, or more than [`MAX_SOURCES`]; [`Exit::Interrupted`] when cancelled.
pub fn collect(
    docs: &[PathBuf],
    urls: &[String],
    max_bytes: u64,
    except: Option<&Path>,
    cancel: &CancellationToken,
) -> Result<CollectedInputs, CommandFailure> {
    let given = expand_paths(docs, max_bytes)?;
    let walked = walk(&given.paths, except);
    let mut collector = InputCollector::default();
    collector.out.spool = given.spool;
    collector.out.skipped = walked.skipped;
    for obstacle in walked.obstacles {
        collector.unread(&obstacle.place, "unreadable", obstacle.reason, obstacle.named);
    }
    for found in walked.found {
        if cancel.is_cancelled() {
            return Err(CommandFailure::new(Exit::Interrupted, "cancelled", "interrupted"));
        }
        collector.file(found, max_bytes);
        collector.check_size()?;
    }
    for url in urls {
        collector.url(url);
    }
    collector.check_size()?;
    if collector.out.sources.is_empty() { Err(nothing(&collector.out, docs)) } else { Ok(collector.out) }
}

#[derive(Debug, Default)]
struct InputCollector {
    out: CollectedInputs,
    names: Names,
    by_content: BTreeMap<ContentRef, SourceId>,
    urls: BTreeSet<String>,
    /// Number of non-documents listed so far.
    listed: usize,
}

impl InputCollector {
    fn file(&mut self, found: WalkedFile, max_bytes: u64) {
        match look(&found.path, max_bytes, found.named) {
            Ok(FirstLook::Document(content)) => self.document(found, content),
            Ok(FirstLook::Other(_)) if self.listed >= MOST_LISTED => self.out.skipped += 1,
            Ok(FirstLook::Other(reason)) => {
                self.listed += 1;
                self.unread(&found.place, "unsupported", reason, found.named);
            }
            Ok(FirstLook::TooLarge(bytes)) => {
                let message = too_large(bytes, max_bytes);
                self.unread(&found.place, "too_large", message, found.named);
            }
            Err(error) => self.unread(&found.place, "unreadable", reason(&error), found.named),
        }
    }

    fn document(&mut self, found: WalkedFile, content: ContentRef) {
        let title = title(&found.place);
        let source_id = self.names.name(&title, &found.place, content.hex());
        if let Some(first) = self.by_content.get(&content) {
            // A named copy makes its original a named source: the text was requested, and the original provides it.
            if found.named {
                self.out.named.insert(first.clone());
            }
            self.out.duplicates.push(Duplicate {
                source_id,
                title,
                path: printable_path(&found.place),
                of: first.clone(),
            });
            return;
        }
        self.by_content.insert(content.clone(), source_id.clone());
        if found.named {
            self.out.named.insert(source_id.clone());
        }
        self.out.paths.insert(source_id.clone(), printable_path(&found.place));
        let origin = InputOrigin::File { path: found.path, content };
        self.out.sources.push(InputSource {
            source_id,
            title,
            origin,
            url: None,
            content_type: None,
            known: DocumentAttributes::default(),
        });
    }

    fn url(&mut self, url: &str) {
        if !self.urls.insert(url.to_owned()) {
            return;
        }
        let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
        // Dots of a host name must not be taken for a file extension.
        let bare = bare.split(['?', '#']).next().unwrap_or_default().replace('.', "-");
        let source_id = self.names.name(&bare, url, "");
        self.out.named.insert(source_id.clone());
        let origin = InputOrigin::Url(url.to_owned());
        self.out.sources.push(InputSource {
            source_id,
            title: String::new(),
            origin,
            url: None,
            content_type: None,
            known: DocumentAttributes::default(),
        });
    }

    fn unread(&mut self, place: &str, code: &'static str, message: String, named: bool) {
        let title = title(place);
        let source_id = self.names.name(&title, place, "");
        self.out.unread.push(UnusableDocument { source_id, title, path: printable_path(place), code, message, named });
    }

    fn check_size(&self) -> Result<(), CommandFailure> {
        if self.out.sources.len() <= MAX_SOURCES {
            return Ok(());
        }
        let message = format!("more than {MAX_SOURCES} documents were found");
        Err(CommandFailure::new(Exit::Refused, "too_many_sources", message)
            .with_remedy("point --docs at a smaller folder"))
    }
}

fn too_large(bytes: u64, max_bytes: u64) -> String {
    format!(
        "{bytes} bytes are more than max_document_bytes = {max_bytes}; allow them with --set max_document_bytes={bytes}"
    )
}

fn title(place: &str) -> String {
    printable_path(place.rsplit('/').next().unwrap_or(place))
}

/// Returns a path in printable form, on one line.
fn printable_path(place: &str) -> String {
    printable(place).replace('\n', "\u{fffd}")
}

fn nothing(collected: &CollectedInputs, docs: &[PathBuf]) -> CommandFailure {
    let mut message = "there is no document to read".to_owned();
    for unread in collected.unread.iter().take(REASONS) {
        message.push_str(&format!("\n  {}: {}", unread.title, unread.message));
    }
    if collected.unread.len() > REASONS {
        message.push_str(&format!("\n  and {} more", collected.unread.len() - REASONS));
    }
    match (collected.unread.is_empty(), collected.skipped) {
        (true, 0) => message.push_str(&format!(": {} contains none (hidden files are ignored)", folders(docs))),
        (_, 0) => {}
        (_, n) => message.push_str(&format!("\n  {n} more files that are not documents")),
    }
    CommandFailure::new(Exit::Refused, "no_readable_source", message)
}

/// Returns the given folders as they were typed.
fn folders(docs: &[PathBuf]) -> String {
    let names: Vec<String> = docs.iter().map(|dir| format!("`{}`", printable(&dir.display().to_string()))).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a directory");
        for (name, bytes) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            fs::write(path, bytes).expect("written");
        }
        root
    }

    fn gather(docs: &[PathBuf], max_bytes: u64) -> Result<CollectedInputs, CommandFailure> {
        collect(docs, &[], max_bytes, None, &CancellationToken::new())
    }

    #[test]
    fn the_same_documents_get_the_same_ids_wherever_the_folder_lies() {
        let files: [(&str, &[u8]); 3] = [("a/x.txt", b"one"), ("b/x.txt", b"two"), ("c.md", b"# c")];
        let ids = |root: &tempfile::TempDir| -> Vec<SourceId> {
            let collected = gather(&[root.path().to_owned()], 100).expect("collected");
            collected.sources.into_iter().map(|s| s.source_id).collect()
        };
        let first = ids(&folder(&files));
        assert_eq!(first, ids(&folder(&files)));
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 3);
        assert!(first[0].as_str().starts_with("x-"), "{}", first[0]);
    }

    #[test]
    fn of_equal_bytes_the_first_is_read_and_the_others_are_listed() {
        let root = folder(&[("a.txt", b"same"), ("b.txt", b"same"), ("c.txt", b"other")]);
        let collected = gather(&[root.path().to_owned()], 100).expect("collected");
        assert_eq!(collected.sources.len(), 2);
        assert_eq!(collected.duplicates.len(), 1);
        assert_eq!(collected.duplicates[0].title, "b.txt");
        assert_eq!(collected.duplicates[0].of, collected.sources[0].source_id);
    }

    #[test]
    fn unreadable_files_and_non_documents_are_listed_with_a_reason() {
        let root = folder(&[("a.txt", b"text"), ("big.txt", &[b'a'; 101]), ("i.png", b"\x89PNG\r\n\x1a\n\0\0")]);
        let missing = root.path().join("missing.pdf");
        let collected = gather(&[root.path().to_owned(), missing], 100).expect("collected");
        let reasons: Vec<_> = collected.unread.iter().map(|u| (u.title.as_str(), u.code, u.named)).collect();
        let expected =
            [("missing.pdf", "unreadable", true), ("big.txt", "too_large", false), ("i.png", "unsupported", false)];
        assert_eq!(reasons, expected);
        assert_eq!(collected.skipped, 0);
    }

    #[test]
    fn of_very_many_pictures_some_are_listed_and_the_rest_is_counted() {
        for (pictures, listed, counted) in
            [(MOST_LISTED - 1, MOST_LISTED - 1, 0), (MOST_LISTED, MOST_LISTED, 0), (MOST_LISTED + 1, MOST_LISTED, 1)]
        {
            let root = folder(&[("a.txt", b"text")]);
            for n in 0..pictures {
                fs::write(root.path().join(format!("{n}.gif")), b"GIF89a\x01\0").expect("written");
            }
            let collected = gather(&[root.path().to_owned()], 100).expect("collected");
            assert_eq!((collected.unread.len(), collected.skipped), (listed, counted), "{pictures}");
        }
    }

    #[test]
    fn nothing_to_read_is_refused_with_the_reasons() {
        let empty = folder(&[]);
        let refusal = gather(&[empty.path().to_owned()], 100).expect_err("nothing");
        let message = format!(
            "there is no document to read: `{}` contains none (hidden files are ignored)",
            empty.path().display()
        );
        assert_eq!((refusal.exit, refusal.message), (Exit::Refused, message));
        let images = folder(&[("i.png", b"\x89PNG\r\n\x1a\n\0\0"), ("big.txt", &[b'a'; 101])]);
        let refusal = gather(&[images.path().to_owned()], 100).expect_err("nothing");
        assert_eq!(
            refusal.message,
            "there is no document to read\n  big.txt: 101 bytes are more than \
             max_document_bytes = 100; allow them with --set max_document_bytes=101\n  \
             i.png: a document that looks like png is not supported"
        );
    }

    #[test]
    fn an_address_given_twice_is_one_source() {
        let urls = ["https://example.org/a?q=1".to_owned(), "https://example.org/a?q=1".to_owned()];
        let collected = collect(&[], &urls, 100, None, &CancellationToken::new()).expect("collected");
        assert_eq!(collected.sources.len(), 1);
        assert!(collected.sources[0].source_id.as_str().starts_with("example-org-a-"));
    }
}
