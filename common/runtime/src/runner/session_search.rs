//! Finds sessions, newest first, page by page: by what the index tells, and by what is kept of each session.

use futures_util::stream::{self, StreamExt, TryStreamExt};
use precis_proto::response::Status;
use precis_proto::{Phase, Timestamp};

use super::session_standing::{SessionStanding, session_standing};
use crate::content::{ContentError, ContentStore};
use crate::records::{
    AcceptedSession, DayMarker, IndexFilter, ListingPlace, list_sessions, read_accepted, tenant_mark,
};
use crate::store::Store;

/// Most sessions whose records are read for one page: a page whose sessions are rarer ends there, and says how far it came (chosen, not
/// measured).
pub const READ_FOR_PAGE: usize = 1_000;
/// Sessions whose records are read at once.
const AT_ONCE: usize = 16;

/// What a session must be to be found; needs its records, a few requests to the stores for each session looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Its status.
    pub status: Option<Status>,
    /// The phase it is in; those that run alone have one.
    pub phase: Option<Phase>,
    /// A part of its question, in upper or lower case.
    pub query: Option<String>,
}

/// A session that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundSession {
    /// What was asked.
    pub record: AcceptedSession,
    /// Where it stands.
    pub standing: SessionStanding,
}

impl FoundSession {
    /// The place right after this session.
    #[must_use]
    pub fn place(&self) -> ListingPlace {
        let AcceptedSession { accepted_at, tenant, session_id, .. } = &self.record;
        let tenant = tenant_mark(tenant.as_deref());
        ListingPlace::after(&DayMarker { at: *accepted_at, tenant, session: session_id.clone() })
    }
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPage {
    /// The sessions, newest first.
    pub sessions: Vec<FoundSession>,
    /// Where the next page begins; `None` after the oldest session.
    pub next: Option<ListingPlace>,
    /// When the oldest session that was looked at was accepted; `None` if none was.
    pub looked_to: Option<Timestamp>,
}

impl SessionFilter {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn admits_question(&self, query: &str) -> bool {
        self.query.as_ref().is_none_or(|part| query.to_lowercase().contains(&part.to_lowercase()))
    }

    fn admits(&self, standing: &SessionStanding) -> bool {
        let phase = standing.view.as_ref().map(|view| view.phase);
        self.status.is_none_or(|status| status == standing.status) && (self.phase.is_none() || self.phase == phase)
    }
}

/// Returns up to `limit` (1 or more) sessions from `place` on, newest first. Reads the records of [`READ_FOR_PAGE`] sessions at most; a page
/// may have fewer sessions than there are, and then has a `next`. `now` dates the end of a session whose worker did not come to record it.
///
/// # Errors
/// [`ContentError`].
pub async fn find_sessions(
    (content, store): (&ContentStore, &Store),
    index: &IndexFilter<'_>,
    filter: &SessionFilter,
    place: Option<&ListingPlace>,
    limit: usize,
    now: Timestamp,
) -> Result<FoundPage, ContentError> {
    let mut found = FoundPage { sessions: Vec::new(), next: place.cloned(), looked_to: None };
    let mut left = READ_FOR_PAGE;
    loop {
        let page = list_sessions(content, index, found.next.as_ref(), limit.min(left)).await?;
        left -= page.sessions.len().min(left);
        let mut rows = Vec::with_capacity(page.sessions.len());
        for marker in &page.sessions {
            rows.push(row((content, store), marker, index, filter, now));
        }
        let rows: Vec<Option<FoundSession>> = stream::iter(rows).buffered(AT_ONCE).try_collect().await?;
        for (marker, row) in page.sessions.iter().zip(rows) {
            if found.sessions.len() >= limit {
                return Ok(found);
            }
            found.looked_to = Some(marker.at);
            found.next = Some(ListingPlace::after(marker));
            found.sessions.extend(row);
        }
        let is_enough = found.sessions.len() >= limit || filter.is_empty() || left == 0 || page.sessions.is_empty();
        found.next = page.next;
        if is_enough || found.next.is_none() {
            return Ok(found);
        }
    }
}

/// The session that `marker` marks, if there is one still, and `filter` admits it.
async fn row(
    (content, store): (&ContentStore, &Store),
    marker: &DayMarker,
    index: &IndexFilter<'_>,
    filter: &SessionFilter,
    now: Timestamp,
) -> Result<Option<FoundSession>, ContentError> {
    let record = read_accepted(content, marker.session.as_str()).await?;
    // A hash of the tenant is in the index: another tenant may have the same one.
    let is_own = |record: &AcceptedSession| index.tenant.is_none_or(|tenant| record.tenant.as_deref() == tenant);
    let Some(record) = record.filter(|record| is_own(record) && filter.admits_question(&record.query)) else {
        return Ok(None);
    };
    let standing = session_standing(content, store, &record.session_id, now).await?;
    Ok(Some(FoundSession { record, standing }).filter(|found| filter.admits(&found.standing)))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use precis_proto::failure_code::FailureCode;
    use precis_proto::response::{ErrorInfo, Response};
    use serde_json::json;

    use super::*;
    use crate::records::{AskedBy, keep_accepted};
    use crate::runner::outbox::RESULTS;
    use crate::store::MemoryStore;

    async fn accepted(content: &ContentStore, at: i64, tenant: &str) {
        let query = if at % 2 == 0 { "Who pays the Tax?" } else { "Why?" };
        let request = json!({ "schema_version": 2, "session_id": format!("s{at}"), "query": query, "sources": [] });
        let request = serde_json::from_value(request).expect("a request");
        let asked_by = AskedBy::Amqp { user: None };
        let record =
            AcceptedSession::of(&request, String::new(), Some(tenant.to_owned()), asked_by, Timestamp(at * 1_000));
        keep_accepted(content, &record).await.expect("kept");
    }

    async fn pages(content: &ContentStore, tenant: &str, filter: &SessionFilter, limit: usize) -> Vec<Vec<String>> {
        let store = Store::Memory(MemoryStore::new());
        let index = IndexFilter { tenant: Some(Some(tenant)), ..IndexFilter::default() };
        let (mut pages, mut place) = (Vec::new(), None);
        loop {
            let page = find_sessions((content, &store), &index, filter, place.as_ref(), limit, Timestamp(0)).await;
            let page = page.expect("found");
            pages.push(page.sessions.iter().map(|found| found.record.session_id.to_string()).collect());
            place = page.next;
            if place.is_none() {
                return pages;
            }
        }
    }

    #[tokio::test]
    async fn sessions_are_found_by_what_is_kept_of_them_on_full_pages() {
        let content = ContentStore::in_memory();
        for at in 0..9 {
            accepted(&content, at, "a").await;
            accepted(&content, 100 + at, "b").await;
        }
        for id in ["s2", "s3"] {
            let error = ErrorInfo::new(Status::Failed, FailureCode::OverBudget, "words");
            let kept = Bytes::from(serde_json::to_vec(&Response::failure(error)).expect("plain data"));
            content.put_named_if_absent(RESULTS, id, kept).await.expect("kept");
        }
        let asked = SessionFilter { query: Some("the tax".to_owned()), ..SessionFilter::default() };
        assert_eq!(pages(&content, "a", &asked, 2).await, [vec!["s8", "s6"], vec!["s4", "s2"], vec!["s0"]]);
        let failed = SessionFilter { status: Some(Status::Failed), ..SessionFilter::default() };
        assert_eq!(pages(&content, "a", &failed, 5).await, [["s3", "s2"]]);
        assert_eq!(pages(&content, "a", &SessionFilter { query: asked.query, ..failed }, 5).await, [["s2"]]);
        let digest = SessionFilter { phase: Some(Phase::Digest), ..SessionFilter::default() };
        assert_eq!(pages(&content, "a", &digest, 5).await.concat(), [""; 0]);
        assert_eq!(pages(&content, "c", &SessionFilter::default(), 5).await.concat(), [""; 0]);
    }

    #[tokio::test]
    async fn a_page_of_rare_sessions_says_how_far_it_came() {
        for (count, is_whole) in [(READ_FOR_PAGE - 1, true), (READ_FOR_PAGE, true), (READ_FOR_PAGE + 1, false)] {
            let content = ContentStore::in_memory();
            for at in 0..count {
                accepted(&content, i64::try_from(at).expect("few") * 2 + 1, "a").await;
            }
            let (store, index) = (Store::Memory(MemoryStore::new()), IndexFilter::default());
            let rare = SessionFilter { query: Some("tax".to_owned()), ..SessionFilter::default() };
            let page = find_sessions((&content, &store), &index, &rare, None, 20, Timestamp(0)).await.expect("found");
            assert_eq!((page.sessions.len(), page.next.is_none()), (0, is_whole), "{count}");
            assert_eq!(page.looked_to, Some(Timestamp(if is_whole { 1_000 } else { 3_000 })), "{count}");
        }
    }
}
