//! Updates the index of a folder: changed files are inspected, new documents are parsed in child processes, everything else is kept.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use precis_corpus::{CorpusError, ExtractedText, FileStamp, IndexPlace, Update, UpdateSummary, limits};
use precis_proto::ids::sha256_hex;
use precis_runtime::config::Settings;
use precis_runtime::files::{FileLimits, Links, read_regular};
use precis_runtime::runner::JobError;
use tokio_util::sync::CancellationToken;

use super::vectors::make_vectors;
pub(in crate::commands) use super::vectors::vector_model;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;
use crate::commands::vectors_alone;
use crate::documents::parse::{Parse, Parser, ending};
use crate::input::{FileInspection, FolderContents, FolderFile, list_folder, see};
use crate::jobs::EXTRACTION;
use crate::meaning::ModelOfMeaning;

/// Documents in progress per processor: while one is parsed, the next is read.
const AHEAD: usize = 2;
/// Code of a document for which no parser may be started. This is not a property of the document, so it is tried again.
const SANDBOX_MISSING: &str = "sandbox_missing";

/// Longest wait for another process that indexes the same folder: its first run may take long.
const BUSY_PATIENCE: Duration = Duration::from_secs(120);
/// Interval between two attempts to take the lock.
const BUSY_STEP: Duration = Duration::from_millis(20);

/// The result of indexing a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexingResult {
    /// Counts of the update.
    pub summary: UpdateSummary,
    /// Number of documents parsed by this run.
    pub extracted: usize,
    /// Why the index was rebuilt from scratch; `None` if it was not.
    pub rebuilt: Option<String>,
    /// Why vectors are missing that were wanted; `None` if none is.
    pub lacking: Option<String>,
}

/// Returns the place of the index of `folder` under `cache`, after checking the folder.
///
/// # Errors
/// [`Exit::Refused`] if there is no such folder.
pub(crate) fn place_of(cache: &Path, folder: &Path) -> Result<IndexPlace, CommandFailure> {
    let refused = |code, message| CommandFailure::new(Exit::Refused, code, message);
    let shown = printable(&folder.display().to_string());
    match std::fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => {
            let failure = refused("not_a_folder", format!("`{shown}` is a file; a corpus must be a folder"));
            return Err(failure.with_remedy("pass the folder that contains the file"));
        }
        Err(error) => {
            let failure = refused("no_such_folder", format!("`{shown}`: {}", lower_message(&error.to_string())));
            return Err(failure.with_remedy("check the path"));
        }
    }
    IndexPlace::new(cache, folder)
        .map_err(|e| CommandFailure::new(Exit::Failed, "no_such_folder", format!("`{shown}`: {e}")))
}

/// Indexes new documents in the folder of `place` and removes deleted ones; with a model of meaning, makes the vectors that are missing.
/// `progress` is called with what is done, and the numbers of documents done and to do. Texts parsed before a cancellation are kept for the next call.
///
/// # Errors
/// [`Exit::Refused`] if there is nothing to index; [`Exit::Failed`] if another process indexes the folder for longer than
/// [`BUSY_PATIENCE`], or the disk fails.
pub(crate) async fn bring_up_to_date(
    place: &IndexPlace,
    by: (&Settings, Option<&ModelOfMeaning>),
    cancel: &CancellationToken,
    progress: impl FnMut(&'static str, u64, u64),
) -> Result<IndexingResult, CommandFailure> {
    bring_up_to_date_with(place, by, cancel, |folder| folder, progress).await
}

/// As [`bring_up_to_date`], with the files that `admitted` makes of each listing of the folder.
///
/// # Errors
/// As [`bring_up_to_date`].
pub(in crate::commands) async fn bring_up_to_date_with(
    place: &IndexPlace,
    (settings, model): (&Settings, Option<&ModelOfMeaning>),
    cancel: &CancellationToken,
    admitted: impl Fn(FolderContents) -> FolderContents,
    mut progress: impl FnMut(&'static str, u64, u64),
) -> Result<IndexingResult, CommandFailure> {
    let mut folder = admitted(list(place).await?);
    let parser = Parser::for_run(settings);
    let extraction = format!("{EXTRACTION}:{}", parser.config_key().await);
    let begun = begin(place, &extraction, BUSY_PATIENCE, cancel).await;
    let (mut update, has_waited) = begun.map_err(|e| e.into_failure(place))?;
    if has_waited {
        // The other run may have indexed files that were written after the first listing, and this one would remove them.
        folder = admitted(list(place).await?);
    }
    let rebuilt = update.rebuilt().map(str::to_owned);
    let work = DocumentReader { parser, max_bytes: settings.extraction.max_bytes, ahead: AHEAD * cores() };
    let to_parse = work.sort_out(&mut update, folder, cancel).await.map_err(|e| e.into_failure(place))?;
    let extracted =
        work.parse(&mut update, to_parse, cancel, &mut |done, total| progress("reading", done, total)).await;
    let extracted = extracted.map_err(|e| e.into_failure(place))?;
    let mut lacking = None;
    if let Some(model) = model {
        let show = &mut |done, total| progress("comparing", done, total);
        let working = vectors_alone::begin(settings, model)?;
        let made = make_vectors(update, working.clone(), cancel, show).await;
        lacking = working.failure().map(|failure| vectors_alone::describe_failure(&working, &failure));
        update = made.map_err(|e| corpus_failure(&e, place))?;
        if cancel.is_cancelled() {
            return Err(IndexingError::Cancelled.into_failure(place));
        }
    }
    // Building the index is CPU-bound work, so it runs on a blocking thread.
    let published = tokio::task::spawn_blocking(move || update.publish()).await;
    let summary = published
        .map_err(|e| CommandFailure::new(Exit::Failed, "corpus_failed", format!("write the index: {e}")))?
        .map_err(|e| corpus_failure(&e, place))?;
    Ok(IndexingResult { summary, extracted, rebuilt, lacking })
}

/// Takes the write lock of the index, and says whether it was waited for. If two runs index the same folder at once, the later one waits
/// for at most `patience`.
async fn begin(
    place: &IndexPlace,
    extraction: &str,
    patience: Duration,
    cancel: &CancellationToken,
) -> Result<(Update, bool), IndexingError> {
    let begun = Instant::now();
    let mut has_waited = false;
    loop {
        match Update::begin(place, extraction) {
            Err(CorpusError::Busy) if begun.elapsed() < patience => has_waited = true,
            other => return other.map(|update| (update, has_waited)).map_err(IndexingError::Corpus),
        }
        tokio::select! {
            () = cancel.cancelled() => return Err(IndexingError::Cancelled),
            () = tokio::time::sleep(BUSY_STEP) => {}
        }
    }
}

/// Lists the folder, and refuses one without documents or with too many files.
pub(super) async fn list(place: &IndexPlace) -> Result<FolderContents, CommandFailure> {
    let (dir, except) = (place.folder().to_owned(), place.dir().parent().unwrap_or(place.dir()).to_owned());
    let listed = tokio::task::spawn_blocking(move || list_folder(&dir, &except, limits::MAX_FILES)).await;
    let folder =
        listed.map_err(|e| CommandFailure::new(Exit::Failed, "corpus_failed", format!("list the folder: {e}")))?;
    let shown = printable(&place.folder().display().to_string());
    if folder.is_cut {
        let message = format!("`{shown}` contains more than {} files", limits::MAX_FILES);
        return Err(CommandFailure::new(Exit::Refused, "too_many_files", message)
            .with_remedy("index its subfolders one by one"));
    }
    if let ([], [(_, reason), ..]) = (&folder.files[..], &folder.obstacles[..]) {
        let message = format!("`{shown}` contains no file that can be read: {reason}");
        return Err(CommandFailure::new(Exit::Refused, "no_readable_source", message));
    }
    if folder.files.is_empty() {
        let message = format!("there is no document to index: `{shown}` contains none (hidden files are ignored)");
        let failure = CommandFailure::new(Exit::Refused, "no_readable_source", message);
        return Err(match place.dir().exists() {
            true => failure.with_remedy(format!("the index was not changed; precis corpus remove {shown} removes it")),
            false => failure,
        });
    }
    Ok(folder)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Why indexing ended early.
enum IndexingError {
    Cancelled,
    Corpus(CorpusError),
}

impl From<CorpusError> for IndexingError {
    fn from(error: CorpusError) -> Self {
        Self::Corpus(error)
    }
}

impl IndexingError {
    fn into_failure(self, place: &IndexPlace) -> CommandFailure {
        match self {
            Self::Cancelled => {
                CommandFailure::new(Exit::Interrupted, "cancelled", "interrupted; the index was not changed")
                    .with_remedy("run the command again: documents already read are not read again")
            }
            Self::Corpus(error) => corpus_failure(&error, place),
        }
    }
}

/// A document to parse, with its copies: files with the same bytes and file extension, which are parsed once.
struct ToParse {
    file: FolderFile,
    sha256: String,
    copies: Vec<FileStamp>,
}

struct DocumentReader {
    parser: Parser,
    max_bytes: u64,
    ahead: usize,
}

impl DocumentReader {
    /// Keeps unchanged files, records those that are not documents, and returns the documents that no run has parsed yet.
    async fn sort_out(
        &self,
        update: &mut Update,
        folder: FolderContents,
        cancel: &CancellationToken,
    ) -> Result<Vec<ToParse>, IndexingError> {
        for (path, reason) in folder.obstacles {
            update.record_failure(&FileStamp { path, size: 0, mtime_ns: 0 }, None, "unreadable", &reason, false)?;
        }
        let changed: Vec<FolderFile> = folder.files.into_iter().filter(|file| !update.keep(&stamp(file))).collect();
        let max_bytes = self.max_bytes;
        let looks = changed.into_iter().map(|file| async move {
            let path = file.path.clone();
            let seen = tokio::task::spawn_blocking(move || see(&path, max_bytes)).await;
            (file, seen.unwrap_or_else(|e| FileInspection::Unreadable(e.to_string())))
        });
        // In the order of the paths: which of several copies is parsed must not depend on timing.
        let mut looks = stream::iter(looks).buffered(self.ahead);
        let mut to_parse: Vec<ToParse> = Vec::new();
        let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
        while let Some((file, seen)) = looks.next().await {
            if cancel.is_cancelled() {
                return Err(IndexingError::Cancelled);
            }
            let stamp = stamp(&file);
            let sha256 = match seen {
                FileInspection::Document(sha256) => sha256,
                FileInspection::Refused(code, message) => {
                    update.record_failure(&stamp, None, code, &message, true)?;
                    continue;
                }
                FileInspection::Unreadable(message) => {
                    update.record_failure(&stamp, None, "unreadable", &message, false)?;
                    continue;
                }
            };
            if update.reuse(&stamp, &sha256, ending(&file.place))? {
                continue;
            }
            let key = (sha256.clone(), ending(&file.place).to_owned());
            match known.get(&key) {
                Some(first) => to_parse[*first].copies.push(stamp),
                None => {
                    known.insert(key, to_parse.len());
                    to_parse.push(ToParse { file, sha256, copies: Vec::new() });
                }
            }
        }
        Ok(to_parse)
    }

    /// Parses several documents concurrently and adds the results in the order of their paths; returns how many could be read.
    async fn parse(
        &self,
        update: &mut Update,
        to_parse: Vec<ToParse>,
        cancel: &CancellationToken,
        progress: &mut impl FnMut(u64, u64),
    ) -> Result<usize, IndexingError> {
        let total = to_parse.len() as u64;
        let parsing = to_parse.into_iter().map(|document| async move {
            let read = self.read(&document).await;
            (document, read)
        });
        let mut parsing = stream::iter(parsing).buffered(self.ahead);
        let (mut done, mut extracted) = (0, 0);
        loop {
            progress(done, total);
            // Texts parsed so far are stored already; the documents in progress are dropped with the stream.
            let next = tokio::select! {
                () = cancel.cancelled() => return Err(IndexingError::Cancelled),
                next = parsing.next() => next,
            };
            let Some((ToParse { file, sha256, copies }, read)) = next else { return Ok(extracted) };
            done += 1;
            let (first, ending) = (stamp(&file), ending(&file.place));
            match read {
                Ok((read, found)) => {
                    update.read(&first, &read, ending, &found)?;
                    extracted += 1;
                    // If the first file has changed since it was inspected, its text is not that of the copies: the next run reads them.
                    for copy in copies.iter().filter(|_| read == sha256) {
                        update.reuse(copy, &read, ending)?;
                    }
                }
                Err(UnreadFile { code, message, is_final }) => {
                    for stamp in std::iter::once(&first).chain(&copies) {
                        update.record_failure(stamp, Some(&sha256), &code, &message, is_final)?;
                    }
                }
            }
        }
    }

    /// Reads and parses a document; returns the text with the hash of the bytes it was parsed from. The file may have changed since it
    /// was inspected, so the hash is computed again.
    async fn read(&self, document: &ToParse) -> Result<(String, ExtractedText), UnreadFile> {
        let (path, limits) = (document.file.path.clone(), FileLimits::bytes(self.max_bytes));
        let unreadable = |message: String| UnreadFile {
            code: "unreadable".to_owned(),
            message: lower_message(&message),
            is_final: false,
        };
        let bytes = tokio::task::spawn_blocking(move || read_regular(&path, Links::Refused, limits)).await;
        let bytes = bytes.map_err(|e| unreadable(e.to_string()))?.map_err(|e| unreadable(e.to_string()))?;
        let sha256 = sha256_hex(&bytes);
        let name = document.file.place.rsplit('/').next().unwrap_or_default().to_owned();
        let parsed = self.parser.parse(Bytes::from(bytes), Parse { content_type: None, name }).await?;
        Ok((sha256, parsed.into()))
    }
}

/// Why a file has no text.
struct UnreadFile {
    code: String,
    message: String,
    /// Whether the file is not tried again until it changes.
    is_final: bool,
}

impl From<JobError> for UnreadFile {
    fn from(error: JobError) -> Self {
        let text = error.to_string();
        let code = error.code().to_owned();
        let message = text.strip_prefix(&format!("{code}: ")).unwrap_or(&text).to_owned();
        let is_final = matches!(error, JobError::Permanent { .. }) && code != SANDBOX_MISSING;
        Self { code, message, is_final }
    }
}

fn lower_message(message: &str) -> String {
    message.split(" (os error").next().unwrap_or_default().to_lowercase()
}

fn stamp(file: &FolderFile) -> FileStamp {
    FileStamp { path: file.place.clone(), size: file.size, mtime_ns: file.mtime_ns }
}

/// Returns the failure, with a remedy, of a command on a corpus that cannot be used.
#[must_use]
pub(crate) fn corpus_failure(error: &CorpusError, place: &IndexPlace) -> CommandFailure {
    let shown = printable(&place.folder().display().to_string());
    let about = |exit, code| CommandFailure::new(exit, code, format!("{shown}: {error}"));
    let add = || format!("run `precis corpus add {shown}`");
    match error {
        CorpusError::Missing => about(Exit::Refused, "not_indexed").with_remedy(add()),
        CorpusError::Unusable(_) => {
            about(Exit::Failed, "corpus_unusable").with_remedy(format!("{} to rebuild it", add()))
        }
        CorpusError::Busy => about(Exit::Failed, "corpus_busy")
            .with_remedy("wait until it is finished; until then, searches use the last finished index"),
        CorpusError::TooMuch { .. } => CommandFailure::new(Exit::Refused, "too_much", error.to_string()),
        CorpusError::EmptyQuery => CommandFailure::new(Exit::Refused, "empty_query", error.to_string())
            .with_remedy("pass a question: --query \"Who pays for delays?\""),
        CorpusError::Io { .. } => about(Exit::Failed, "corpus_failed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_second_run_waits_for_the_first_and_not_for_ever() {
        let root = tempfile::tempdir().expect("a directory");
        let place = IndexPlace::new(&root.path().join("cache"), root.path()).expect("a place");
        let (cancel, short) = (CancellationToken::new(), Duration::from_millis(1));
        let first = Update::begin(&place, "x").expect("nobody else writes");
        let second = begin(&place, "x", short, &cancel).await;
        assert!(matches!(second, Err(IndexingError::Corpus(CorpusError::Busy))));
        let (second, ()) = tokio::join!(begin(&place, "x", BUSY_PATIENCE, &cancel), async move {
            tokio::time::sleep(5 * BUSY_STEP).await;
            drop(first);
        });
        let second = second.unwrap_or_else(|e| panic!("{}", e.into_failure(&place).message));
        cancel.cancel();
        assert!(matches!(begin(&place, "x", BUSY_PATIENCE, &cancel).await, Err(IndexingError::Cancelled)));
        drop(second);
    }
}
