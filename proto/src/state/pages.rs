//! Pages: moves fields that grow with the work out of the state message into content-addressed pieces.
//!
//! A page is a JSON array of items of one field. Lists are cut into pages from their start, and fidelity records are ordered by pass and
//! phase, so that appending changes only the last page: the others keep their hashes and are not written again. Storing pages is left to
//! the caller.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::page_list::PagedField;
use super::session_state::SessionState;
use crate::envelope::json_fault;
use crate::fidelity::FidelityRecord;
use crate::source::ContentRef;
use crate::warning::{Warning, WarningCode};
use crate::{JobId, Phase, SourceId};

/// Largest page, in bytes, unless a single item is larger (chosen, not measured: some 500 sources).
pub const PAGE_BYTES: usize = 256 * 1024;
/// Largest state that travels whole, in bytes (chosen, not measured: some 20 sources at their end).
pub const INLINE_STATE_BYTES: usize = 32 * 1024;
/// Largest state message that refers to pages, in bytes, before compression.
pub const MAX_PAGED_STATE_BYTES: usize = 64 * 1024;
/// In a state with pages, a field stays in the message if it takes at most this fraction (one 32nd) of the message limit.
pub const INLINE_FIELD_SHARE: usize = 32;
/// Most page references per field in the message; more references are stored as pages themselves.
pub const MAX_PAGE_REFS: usize = 8;
/// References per page of references: about 220 KB.
pub const REFS_PER_PAGE: usize = 3_000;

/// A page to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Number of items.
    pub items: u64,
    /// A JSON array.
    pub json: Vec<u8>,
}

/// Why pages do not match the state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageFault {
    /// A page cannot be parsed.
    #[error("unreadable: {0}")]
    Unreadable(String),
    /// The number of items is wrong.
    #[error("{found} items instead of {expected}")]
    Items {
        /// Number of items on the pages.
        found: u64,
        /// Number of items according to the state.
        expected: u64,
    },
}

impl PagedField {
    /// Returns the value that replaces a field in the message while it is stored as pages.
    pub(super) fn blank(self) -> Value {
        match self {
            Self::Query => Value::String(String::new()),
            Self::Draft | Self::Answer => Value::Null,
            Self::Gathered | Self::ContentFidelity | Self::ContentArchiveHashes => {
                Value::Object(serde_json::Map::new())
            }
            _ => Value::Array(Vec::new()),
        }
    }

    /// Returns the encoded items of this field of `state`, in the order of their pages.
    fn items(self, state: &SessionState) -> Box<dyn Iterator<Item = Vec<u8>> + Send + '_> {
        match self {
            Self::Query => one(Some(&state.query)),
            Self::Sources => each(&state.sources),
            Self::Findings => each(&state.findings),
            Self::Draft => one(state.draft.as_ref()),
            Self::Answer => one(state.answer.as_ref()),
            Self::Warnings => each(&state.warnings),
            Self::Calls => each(&state.calls),
            Self::Gathered => Box::new(state.gathered.iter().map(|item| encode(&item))),
            Self::ContentFidelity => Box::new(records(state).into_iter().map(|item| encode(&item))),
            Self::DroppedContentIds => each(&state.dropped_content_ids),
            Self::ContentArchiveHashes => Box::new(state.content_archive_hashes.iter().map(|item| encode(&item))),
            Self::RawNotes => each(&state.raw_notes),
            Self::TokenUsage => each(&state.token_usage),
        }
    }

    /// Cuts this field of `state` into pages, none larger than `page_bytes` unless it has a single item. Pages are created lazily.
    pub fn pages(self, state: &SessionState, page_bytes: usize) -> impl Iterator<Item = Page> + Send + '_ {
        let mut items = self.items(state).peekable();
        std::iter::from_fn(move || {
            let mut json = items.next()?;
            json.insert(0, b'[');
            let mut count = 1;
            while let Some(item) = items.next_if(|item| json.len() + item.len() + 2 <= page_bytes) {
                json.push(b',');
                json.extend_from_slice(&item);
                count += 1;
            }
            json.push(b']');
            Some(Page { items: count, json })
        })
    }

    /// Returns whether the items of this field of `state` take at most `limit` bytes; stops counting there.
    #[must_use]
    pub fn is_within(self, state: &SessionState, limit: usize) -> bool {
        let mut left = limit;
        self.items(state).all(|item| left.checked_sub(item.len()).map(|rest| left = rest).is_some())
    }

    /// Removes this field from `state`.
    pub fn take_from(self, state: &mut SessionState) {
        match self {
            Self::Query => state.query.clear(),
            Self::Sources => state.sources = Vec::new(),
            Self::Findings => state.findings = Vec::new(),
            Self::Draft => state.draft = None,
            Self::Answer => state.answer = None,
            Self::Warnings => state.warnings = Vec::new(),
            Self::Calls => state.calls = Vec::new(),
            Self::Gathered => state.gathered.clear(),
            Self::ContentFidelity => state.content_fidelity.0.clear(),
            Self::DroppedContentIds => state.dropped_content_ids = Vec::new(),
            Self::ContentArchiveHashes => state.content_archive_hashes.clear(),
            Self::RawNotes => state.raw_notes = Vec::new(),
            Self::TokenUsage => state.token_usage = Vec::new(),
        }
    }

    /// Adds the items of a page to this field of `state`; returns their number.
    ///
    /// A warning that this version cannot read is left out, with `STATE_MIGRATION_RECOVERED`, as in a message.
    ///
    /// # Errors
    /// [`PageFault::Unreadable`], with the position of the fault but never the text.
    pub fn add_page(self, state: &mut SessionState, json: &[u8]) -> Result<u64, PageFault> {
        match self {
            Self::Query => add(json, |mut items: Vec<String>| state.query = items.pop().unwrap_or_default()),
            Self::Sources => add(json, |items| state.sources.extend::<Vec<_>>(items)),
            Self::Findings => add(json, |items| state.findings.extend::<Vec<_>>(items)),
            Self::Draft => add(json, |mut items: Vec<String>| state.draft = items.pop()),
            Self::Answer => add(json, |mut items: Vec<_>| state.answer = items.pop()),
            Self::Warnings => add_warnings(json, state),
            Self::Calls => add(json, |items| state.calls.extend::<Vec<_>>(items)),
            Self::Gathered => add(json, |items: Vec<(JobId, Value)>| state.gathered.extend(items)),
            Self::ContentFidelity => add(json, |items: Vec<(Phase, SourceId, FidelityRecord)>| {
                let (current, fidelity) = (state.visit, &mut state.content_fidelity);
                items.into_iter().for_each(|(phase, item, record)| fidelity.put_back(&item, phase, record, current));
            }),
            Self::DroppedContentIds => add(json, |items| state.dropped_content_ids.extend::<Vec<_>>(items)),
            Self::ContentArchiveHashes => {
                add(json, |items: Vec<(SourceId, ContentRef)>| state.content_archive_hashes.extend(items))
            }
            Self::RawNotes => add(json, |items| state.raw_notes.extend::<Vec<_>>(items)),
            Self::TokenUsage => add(json, |items| state.token_usage.extend::<Vec<_>>(items)),
        }
    }
}

impl SessionState {
    /// Returns whether the encoded state takes at most `limit` bytes; stops counting there.
    #[must_use]
    pub fn is_within(&self, limit: usize) -> bool {
        serde_json::to_writer(LimitedWriter(limit), self).is_ok()
    }

    /// Returns a copy without the fields larger than `limit` bytes, and the names of these fields. Fields already stored as pages stay
    /// there.
    #[must_use]
    pub fn split(&self, limit: usize) -> (Self, Vec<PagedField>) {
        // A field on pages is empty here: splitting it again would replace its pages by none.
        let is_paged = |field: &PagedField| self.pages.0.contains_key(field);
        let large: Vec<PagedField> =
            PagedField::ALL.into_iter().filter(|field| !is_paged(field) && !field.is_within(self, limit)).collect();
        (self.without(&large), large)
    }

    /// Returns a copy without `fields`. These are never cloned, because they may be large.
    fn without(&self, fields: &[PagedField]) -> Self {
        fn keep_unpaged<T: Clone + Default>(fields: &[PagedField], field: PagedField, value: &T) -> T {
            if fields.contains(&field) { T::default() } else { value.clone() }
        }
        Self {
            schema_version: self.schema_version,
            session_id: self.session_id.clone(),
            revision: self.revision,
            life: self.life.clone(),
            phase: self.phase,
            epoch: self.epoch,
            query: keep_unpaged(fields, PagedField::Query, &self.query),
            options: self.options.clone(),
            reply_to: self.reply_to.clone(),
            request_hash: self.request_hash.clone(),
            prior: self.prior.clone(),
            account: self.account.clone(),
            created_at: self.created_at,
            deadline: self.deadline,
            stop_requested: self.stop_requested,
            sources: keep_unpaged(fields, PagedField::Sources, &self.sources),
            findings: keep_unpaged(fields, PagedField::Findings, &self.findings),
            draft: keep_unpaged(fields, PagedField::Draft, &self.draft),
            answer: keep_unpaged(fields, PagedField::Answer, &self.answer),
            writer_reads: self.writer_reads,
            meaning: self.meaning.clone(),
            phases: self.phases.clone(),
            warnings: keep_unpaged(fields, PagedField::Warnings, &self.warnings),
            ledger: self.ledger.clone(),
            calls: keep_unpaged(fields, PagedField::Calls, &self.calls),
            gathered: keep_unpaged(fields, PagedField::Gathered, &self.gathered),
            content_fidelity: keep_unpaged(fields, PagedField::ContentFidelity, &self.content_fidelity),
            dropped_content_ids: keep_unpaged(fields, PagedField::DroppedContentIds, &self.dropped_content_ids),
            content_archive_hashes: keep_unpaged(
                fields,
                PagedField::ContentArchiveHashes,
                &self.content_archive_hashes,
            ),
            raw_notes: keep_unpaged(fields, PagedField::RawNotes, &self.raw_notes),
            token_usage: keep_unpaged(fields, PagedField::TokenUsage, &self.token_usage),
            pages: self.pages.clone(),
            research: self.research.clone(),
            visit: self.visit,
        }
    }
}

/// Returns pages of references, for a field with more pages than a message may reference.
pub fn pages_of_refs(refs: &[ContentRef]) -> impl Iterator<Item = Vec<u8>> + '_ {
    refs.chunks(REFS_PER_PAGE).map(|refs| encode(&refs))
}

/// Parses a page of references.
///
/// # Errors
/// [`PageFault::Unreadable`] if it is not an array of references.
pub fn refs_of_page(json: &[u8]) -> Result<Vec<ContentRef>, PageFault> {
    serde_json::from_slice(json).map_err(unreadable)
}

/// Returns the records ordered by pass, phase and source, so that a phase only appends to the end.
fn records(state: &SessionState) -> Vec<(Phase, &SourceId, &FidelityRecord)> {
    let records = state.content_fidelity.records();
    let mut records: Vec<_> = records.map(|(id, phase, record)| (phase, id, record)).collect();
    // Stable: the records come in the order of the sources and keep it within a phase.
    records.sort_by_key(|(phase, _, record)| (record.visit, *phase));
    records
}

fn each<T: Serialize + Sync>(items: &[T]) -> Box<dyn Iterator<Item = Vec<u8>> + Send + '_> {
    Box::new(items.iter().map(encode))
}

fn one<T: Serialize + Sync>(item: Option<&T>) -> Box<dyn Iterator<Item = Vec<u8>> + Send + '_> {
    Box::new(item.into_iter().map(encode))
}

fn encode<T: Serialize>(item: &T) -> Vec<u8> {
    serde_json::to_vec(item).expect("a state has string keys and finite numbers")
}

fn add<T: DeserializeOwned>(json: &[u8], take: impl FnOnce(Vec<T>)) -> Result<u64, PageFault> {
    let items: Vec<T> = serde_json::from_slice(json).map_err(unreadable)?;
    let count = items.len() as u64;
    take(items);
    Ok(count)
}

fn add_warnings(json: &[u8], state: &mut SessionState) -> Result<u64, PageFault> {
    let items: Vec<Value> = serde_json::from_slice(json).map_err(unreadable)?;
    let count = items.len();
    let known: Vec<Warning> = items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect();
    let unknown = count - known.len();
    state.warnings.extend(known);
    if unknown > 0 {
        let message = format!("{unknown} warnings written by another version were left out");
        state.warn(Warning::new(WarningCode::StateMigrationRecovered, state.phase, message));
    }
    // Includes those left out: the number must match the one in the state.
    Ok(count as u64)
}

fn unreadable(error: serde_json::Error) -> PageFault {
    PageFault::Unreadable(json_fault(&error))
}

/// A writer that discards everything and fails after this many bytes.
struct LimitedWriter(usize);

impl std::io::Write for LimitedWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
