//! The vectors of an update: made for texts that have none, and put into the table that is published with it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use precis_evidence::meaning::Meaning;

use crate::CorpusError;
use crate::made_vectors::MadeVectors;
use crate::passages::passages;
use crate::table::{FileTable, IndexedFile};
use crate::texts::TextStore;
use crate::vector_table::{VectorFile, VectorTable};

/// Prefix of the names of vector files; the table of files names the published one.
pub(crate) const VECTORS: &str = "vectors-";

/// Longest time between two calls of `progress`.
const TICK: Duration = Duration::from_millis(100);

/// Makes the rows of `texts`, on `threads` threads, and keeps them in `made`. `progress` is called with the numbers of texts done and to
/// do, after each text and at least every [`TICK`], and may end the work: then one passage a thread is still compared.
pub(crate) fn make(
    (store, texts): (&TextStore, &[&str]),
    (meaning, made): (&dyn Meaning, &MadeVectors),
    threads: usize,
    mut progress: impl FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<(), CorpusError> {
    let (next, is_ended) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || -> Result<bool, CorpusError> {
        let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) else { return Ok(false) };
        let rows = rows(&store.get(text)?.canonical()?, meaning, &is_ended);
        rows.map_or(Ok(()), |rows| made.put(text, &rows))?;
        Ok(true)
    };
    std::thread::scope(|scope| {
        let (sender, done) = mpsc::channel();
        for _ in 0..threads.clamp(1, texts.len().max(1)) {
            let (sender, work, is_ended) = (sender.clone(), &work, &is_ended);
            scope.spawn(move || {
                while !is_ended.load(Ordering::Relaxed) {
                    let worked = work();
                    if matches!(worked, Ok(false)) || sender.send(worked).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let total = texts.len() as u64;
        let mut first_failure = Ok(());
        if progress(0, total).is_break() {
            is_ended.store(true, Ordering::Relaxed);
        }
        let mut n = 0;
        loop {
            match done.recv_timeout(TICK) {
                Ok(worked) => {
                    n += 1;
                    first_failure = first_failure.and(worked.map(drop));
                }
                // A text of a book takes minutes: whoever waits is asked meanwhile.
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if first_failure.is_err() || progress(n, total).is_break() {
                is_ended.store(true, Ordering::Relaxed);
            }
        }
        first_failure
    })
}

/// The rows of the vectors that are published in `dir` with `table`, by the name of their text; those of another model than `model` are
/// none, and without one those of any are.
pub(crate) fn published_rows(dir: &Path, table: &FileTable, model: Option<&str>) -> BTreeMap<String, Vec<u8>> {
    let is_wanted = |file: &&VectorFile| model.is_none_or(|model| model == file.model);
    let Some(file) = table.header.vectors.as_ref().filter(is_wanted) else { return BTreeMap::new() };
    // Vectors that cannot be read are made again.
    let Ok(vectors) = VectorTable::read(&dir.join(&file.file), &file.sha256) else { return BTreeMap::new() };
    let of = |(document, (_, read)): (u32, (&str, &IndexedFile))| Some((read.text.clone(), vectors.rows(document)?.0));
    table.documents().into_iter().filter_map(of).collect()
}

/// The vectors of one model: published ones, and those made since.
pub(crate) struct WantedVectors {
    pub(crate) model: String,
    pub(crate) made: MadeVectors,
    pub(crate) known: BTreeMap<String, Vec<u8>>,
}

impl WantedVectors {
    /// Those of the documents of `table`, with their model; `None` if there are none.
    pub(crate) fn of(self, table: &FileTable) -> Option<(String, VectorTable)> {
        let mut vectors = VectorTable::default();
        for (document, (_, read)) in table.documents() {
            let passages = usize::try_from(read.chunks).unwrap_or(usize::MAX);
            let known = self.known.get(&read.text).cloned();
            if let Some(rows) = known.or_else(|| self.made.get(&read.text)) {
                // Rows that do not fit their text come from other rules for passages, and are left out.
                vectors.add(document, &rows, passages);
            }
        }
        (vectors.documents() > 0).then_some((self.model, vectors))
    }
}

/// Writes the vectors under a name that is not taken in `dir`.
pub(crate) fn write(dir: &Path, (model, vectors): (String, VectorTable)) -> Result<VectorFile, CorpusError> {
    let names = (0_u64..).map(|n| format!("{VECTORS}{n}"));
    let file = { names }.find(|name| !dir.join(name).exists()).unwrap_or_default();
    let sha256 = vectors.write(&dir.join(&file))?;
    Ok(VectorFile { file, sha256, model, documents: vectors.documents() })
}

/// The rows of a text; `None` if the work was ended, or a passage has no vector.
fn rows(text: &precis_text::CanonicalText, meaning: &dyn Meaning, is_ended: &AtomicBool) -> Option<Vec<u8>> {
    let passages: Vec<&str> = passages(text).into_iter().map(|passage| text.slice(passage)).collect();
    let mut rows = Vec::new();
    for some in passages.chunks(meaning.at_once().max(1)) {
        if is_ended.load(Ordering::Relaxed) {
            return None;
        }
        for vector in meaning.passages(some) {
            rows.extend(vector?.to_bytes());
        }
    }
    Some(rows)
}
