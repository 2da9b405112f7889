//! From what was given to what is read: one source per distinct document, and a reason for everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use precis_proto::SourceId;
use precis_proto::request::MAX_SOURCES;
use precis_proto::source::ContentRef;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::identity::Names;
use super::input_paths::given;
use super::reading::{FirstLook, look};
use super::walk::{reason, walk};
use super::walked_file::WalkedFile;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;
use crate::input::source::{DocumentAttributes, InputOrigin, InputSource};

/// How many reasons a refusal lists.
const REASONS: usize = 5;
/// How many members of folders that are no documents are listed one by one; a folder of pictures is told as a number.
const MOST_LISTED: usize = 500;

/// A document that was found and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableDocument {
    /// Its id in the report.
    pub source_id: SourceId,
    /// Its file name.
    pub title: String,
    /// Its file, relative to what was given.
    pub path: String,
    /// Stable code: `unreadable`, `too_large`, `unsupported`.
    pub code: &'static str,
    /// For people.
    pub message: String,
    /// Whether it was given itself, not with its folder.
    pub named: bool,
}

/// A document with the same bytes as another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// Its id in the report.
    pub source_id: SourceId,
    /// Its file name.
    pub title: String,
    /// Its file, relative to what was given.
    pub path: String,
    /// The one that is read in its place.
    pub of: SourceId,
}

/// What a run is given, sorted out.
#[derive(Debug, Default)]
pub struct CollectedInputs {
    /// To be read, in the order given; ids are unique over all three lists.
    pub sources: Vec<InputSource>,
    /// Found, but not to be read.
    pub unread: Vec<UnusableDocument>,
    /// Left out because their bytes are carried already.
    pub duplicates: Vec<Duplicate>,
    /// Members of folders that are neither read nor listed: no files, or beyond `MOST_LISTED` that are no documents.
    pub skipped: u64,
    /// Files of what is read, relative to what was given.
    pub paths: BTreeMap<SourceId, String>,
    /// Sources that were given themselves: a report without them is incomplete.
    pub named: BTreeSet<SourceId>,
    /// Holds the document of standard input until it was read.
    pub spool: Option<TempDir>,
}

/// Collects `docs` and `urls` (already checked, see [`check_url`](super::check_url)). Nothing under `except` is collected. Reads
/// every document once; blocks.
///
/// # Errors
/// [`Exit::Refused`] where nothing is left to read, or too much; [`Exit::Interrupted`] when cancelled.
pub fn collect(
    docs: &[PathBuf],
    urls: &[String],
    max_bytes: u64,
    except: Option<&Path>,
    cancel: &CancellationToken,
) -> Result<CollectedInputs, CommandFailure> {
    let given = given(docs, max_bytes)?;
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
    /// Members of folders that are listed as no documents.
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
            // Whoever named the copy wants this text in the report; it is the other one that carries it.
            if found.named {
                self.out.named.insert(first.clone());
            }
            self.out.duplicates.push(Duplicate { source_id, title, path: shown(&found.place), of: first.clone() });
            return;
        }
        self.by_content.insert(content.clone(), source_id.clone());
        if found.named {
            self.out.named.insert(source_id.clone());
        }
        self.out.paths.insert(source_id.clone(), shown(&found.place));
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
        // The dots of a host are no endings.
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
        self.out.unread.push(UnusableDocument { source_id, title, path: shown(place), code, message, named });
    }

    fn check_size(&self) -> Result<(), CommandFailure> {
        if self.out.sources.len() <= MAX_SOURCES {
            return Ok(());
        }
        let message = format!("there are more than {MAX_SOURCES} documents");
        Err(CommandFailure::new(Exit::Refused, "too_many_sources", message)
            .with_remedy("point --docs at a smaller folder"))
    }
}

fn too_large(bytes: u64, max_bytes: u64) -> String {
    format!(
        "{bytes} bytes are more than max_document_bytes = {max_bytes}; allow more with --set max_document_bytes={bytes}"
    )
}

fn title(place: &str) -> String {
    shown(place.rsplit('/').next().unwrap_or(place))
}

/// A path as people may see it, on one line.
fn shown(place: &str) -> String {
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
        (true, 0) => {
            message.push_str(&format!(": {} holds none, names that begin with a dot left aside", folders(docs)))
        }
        (_, 0) => {}
        (_, n) => message.push_str(&format!("\n  {n} more that are no documents")),
    }
    CommandFailure::new(Exit::Refused, "no_readable_source", message)
}

/// The folders that were given, as they were given.
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
    fn what_cannot_be_read_and_what_is_no_document_is_listed_with_a_reason() {
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
            "there is no document to read: `{}` holds none, names that begin with a dot left aside",
            empty.path().display()
        );
        assert_eq!((refusal.exit, refusal.message), (Exit::Refused, message));
        let images = folder(&[("i.png", b"\x89PNG\r\n\x1a\n\0\0"), ("big.txt", &[b'a'; 101])]);
        let refusal = gather(&[images.path().to_owned()], 100).expect_err("nothing");
        assert_eq!(
            refusal.message,
            "there is no document to read\n  big.txt: 101 bytes are more than \
             max_document_bytes = 100; allow more with --set max_document_bytes=101\n  \
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
