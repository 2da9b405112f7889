//! The pages of a state: kept before the message that refers to them is published, read after it was claimed.
//!
//! All paging happens here, so handlers always see a complete state. Pages are named by their hashes: an unchanged page is not written
//! again, and a page left over from a crash is harmless. Retention removes pages together with the texts.

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use precis_proto::source::ContentRef;
use precis_proto::state::pages::{
    INLINE_FIELD_SHARE, INLINE_STATE_BYTES, MAX_PAGE_REFS, PAGE_BYTES, pages_of_refs, refs_of_page,
};
use precis_proto::state::{PageFault, PageList, PagedField, Pages, SessionState};

use crate::content::{ContentError, ContentStore};

/// Pages read or written at once.
const AT_ONCE: usize = 4;
/// Most levels of references; two are more than any session needs.
const MAX_DEPTH: u8 = 4;

/// The state size from which fields move to pages, and the size of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paging {
    /// Largest state that is sent whole, in bytes.
    pub inline_bytes: usize,
    /// Largest page, in bytes; a single item may exceed it.
    pub page_bytes: usize,
    /// Most references per field in a message.
    pub refs: usize,
}

impl Default for Paging {
    fn default() -> Self {
        Self { inline_bytes: INLINE_STATE_BYTES, page_bytes: PAGE_BYTES, refs: MAX_PAGE_REFS }
    }
}

/// Why a state could not be completed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PageError {
    /// The content store did not return a page.
    #[error("cannot read a page of the session's {}: {fault}", field.as_str())]
    Content { field: PagedField, fault: ContentError },
    /// The pages do not match what the state declares.
    #[error("invalid pages of the session's {}: {fault}", field.as_str())]
    Fault { field: PagedField, fault: PageFault },
}

impl PageError {
    /// The content store error, if another attempt may succeed.
    pub(super) fn retryable_fault(&self) -> Option<&ContentError> {
        match self {
            Self::Content { fault: fault @ (ContentError::Unavailable(_) | ContentError::Full(_)), .. } => Some(fault),
            Self::Content { .. } | Self::Fault { .. } => None,
        }
    }
}

/// Returns the message for `state`: the state itself if it is small; otherwise without its larger fields, which are put on pages.
///
/// # Errors
/// [`ContentError`] if a page could not be kept; the message must not be published then.
pub(super) async fn keep(
    content: &ContentStore,
    state: &SessionState,
    paging: Paging,
) -> Result<SessionState, ContentError> {
    if state.is_within(paging.inline_bytes) {
        return Ok(state.clone());
    }
    let (mut head, large) = state.split(paging.inline_bytes / INLINE_FIELD_SHARE);
    for field in large {
        let list = keep_field(content, state, field, paging).await?;
        head.pages.0.insert(field, list);
    }
    Ok(head)
}

async fn keep_field(
    content: &ContentStore,
    state: &SessionState,
    field: PagedField,
    paging: Paging,
) -> Result<PageList, ContentError> {
    let mut list = PageList::default();
    // Made lazily, as they are kept: all pages of a large session at once would double its memory.
    let mut kept = stream::iter(field.pages(state, paging.page_bytes))
        .map(|page| async move {
            let (items, bytes) = (page.items, page.json.len() as u64);
            content.put(Bytes::from(page.json)).await.map(|page| (items, bytes, page))
        })
        // In order, unlike `buffer_unordered`: reading appends the items of one page after another.
        .buffered(AT_ONCE);
    while let Some((items, bytes, page)) = kept.try_next().await? {
        list.items += items;
        list.bytes += bytes;
        list.pages.push(page);
    }
    drop(kept);
    while list.pages.len() > paging.refs.max(1) && list.depth < MAX_DEPTH {
        let pages = std::mem::take(&mut list.pages);
        for page in pages_of_refs(&pages) {
            list.pages.push(content.put(Bytes::from(page)).await?);
        }
        list.depth += 1;
    }
    Ok(list)
}

/// Completes a state: reads the fields its message only referred to.
///
/// # Errors
/// [`PageError`], which names the page.
pub(super) async fn load(content: &ContentStore, state: &mut SessionState) -> Result<(), PageError> {
    // Taken before the reads: after an error `state` is incomplete and no longer names its pages, so callers pass a copy.
    for (field, list) in std::mem::take(&mut state.pages).0 {
        load_field(content, state, field, list).await?;
    }
    Ok(())
}

async fn load_field(
    content: &ContentStore,
    state: &mut SessionState,
    field: PagedField,
    list: PageList,
) -> Result<(), PageError> {
    let fault = |fault| PageError::Fault { field, fault };
    let failed = |fault| PageError::Content { field, fault };
    // The depth comes from the message: without a limit it would decide how many rounds of reads follow.
    if list.depth > MAX_DEPTH {
        return Err(fault(PageFault::Unreadable(format!(
            "at most {MAX_DEPTH} levels of references, got {}",
            list.depth
        ))));
    }
    let mut pages = list.pages;
    for _ in 0..list.depth {
        let mut next_level = Vec::new();
        for page in &pages {
            let json = content.get(page).await.map_err(failed)?;
            next_level.extend(refs_of_page(&json).map_err(fault)?);
        }
        pages = next_level;
    }
    let mut read =
        stream::iter(pages).map(|page: ContentRef| async move { content.get(&page).await }).buffered(AT_ONCE);
    let mut found = 0;
    while let Some(json) = read.try_next().await.map_err(failed)? {
        found += field.add_page(state, &json).map_err(fault)?;
    }
    if found == list.items { Ok(()) } else { Err(fault(PageFault::Items { found, expected: list.items })) }
}

/// Removes a field from the pages of a message whose state has a new value for it.
pub(super) fn drop_field(pages: &mut Pages, field: PagedField) {
    pages.0.remove(&field);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SMALL: Paging = Paging { inline_bytes: 0, page_bytes: 200, refs: 2 };

    fn state(sources: usize) -> SessionState {
        let sources: Vec<_> = (0..sources)
            .map(|n| json!({ "source_id": format!("s{n}"), "title": "T", "origin": { "url": "https://a.example" } }))
            .collect();
        let value = json!({ "schema_version": 3, "session_id": "s", "revision": 1, "phase": "digest", "query": "q", "sources": sources });
        precis_proto::state::read(value).expect("a state")
    }

    async fn there_and_back(whole: &SessionState, paging: Paging) -> (SessionState, SessionState) {
        let content = ContentStore::in_memory();
        let head = keep(&content, whole, paging).await.expect("kept");
        let mut back = head.clone();
        load(&content, &mut back).await.expect("read");
        (head, back)
    }

    #[tokio::test]
    async fn a_state_comes_back_from_its_pages_at_any_depth() {
        for sources in [0, 1, 3, 50] {
            let whole = state(sources);
            let (head, back) = there_and_back(&whole, SMALL).await;
            assert_eq!(back, whole, "{sources}");
            assert!(head.sources.is_empty());
            assert_eq!(head.pages.0.get(&PagedField::Sources).map_or(0, |list| list.items), sources as u64);
            assert!(head.pages.0.values().all(|list| list.pages.len() <= 2), "{:?}", head.pages);
        }
        assert!(there_and_back(&state(50), SMALL).await.0.pages.0[&PagedField::Sources].depth > 0);
    }

    #[tokio::test]
    async fn a_state_travels_whole_up_to_the_limit() {
        let whole = state(5);
        let bytes = serde_json::to_vec(&whole).expect("plain data").len();
        for (limit, is_whole) in [(bytes - 1, false), (bytes, true), (bytes + 1, true)] {
            let (head, back) = there_and_back(&whole, Paging { inline_bytes: limit, ..SMALL }).await;
            assert_eq!(head.pages.is_empty(), is_whole, "{limit}");
            assert_eq!(back, whole);
        }
    }

    #[tokio::test]
    async fn the_message_of_the_largest_session_is_under_its_limit() {
        let mut whole = state(5_000);
        whole.query = "\u{1}".repeat(precis_proto::request::MAX_QUERY_CHARS);
        for (n, source) in whole.sources.iter_mut().enumerate() {
            source.title = format!("{n:0500}");
        }
        let (head, back) = there_and_back(&whole, Paging::default()).await;
        assert!(back == whole, "it did not come back");
        assert!(head.is_within(precis_proto::state::pages::MAX_PAGED_STATE_BYTES / 4));
    }

    #[tokio::test]
    async fn a_missing_page_is_named_and_an_unavailable_one_retried() {
        let whole = state(5);
        let content = ContentStore::in_memory();
        let head = keep(&content, &whole, SMALL).await.expect("kept");
        let error = load(&ContentStore::in_memory(), &mut head.clone()).await.expect_err("nothing is there");
        let PageError::Content { field, fault: ContentError::Missing(page) } = &error else { panic!("{error}") };
        assert!(head.pages.0[field].pages.contains(page));
        assert!(error.to_string().contains(&page.to_string()) && error.to_string().contains(field.as_str()), "{error}");
        assert!(error.retryable_fault().is_none());
        let away = PageError::Content { field: *field, fault: ContentError::Unavailable("x".into()) };
        assert!(away.retryable_fault().is_some());
    }

    #[tokio::test]
    async fn pages_with_too_few_items_are_a_fault() {
        let content = ContentStore::in_memory();
        let mut head = keep(&content, &state(5), SMALL).await.expect("kept");
        head.pages.0.get_mut(&PagedField::Sources).expect("sources").items += 1;
        let error = load(&content, &mut head).await.expect_err("one is missing");
        assert_eq!(error.to_string(), "invalid pages of the session's sources: 5 items instead of 6");
    }
}
