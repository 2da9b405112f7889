//! Sessions newest first, page by page, from the index alone.

use precis_proto::{SessionId, Timestamp};

use super::days::{DAYS, DayMarker, before, day, marker, name, tenant_mark};
use crate::content::{ContentError, ContentStore};

/// Most markers looked at for one page: a page of a tenant that has few sessions ends there, and says from where to go on.
pub const LOOKED_AT: usize = 10_000;
/// Markers asked for at once: as many as a bucket lists in one request.
const AT_ONCE: usize = 1_000;

/// Where a listing goes on: after a marker of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingPlace {
    day: String,
    after: String,
}

/// A text is not a place in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cursor is not one that a listing returned")]
pub struct PlaceError;

impl ListingPlace {
    /// Reads what [`ListingPlace::to_text`] wrote.
    ///
    /// # Errors
    /// [`PlaceError`] for any other text.
    pub fn from_text(text: &str) -> Result<Self, PlaceError> {
        let (date, after) = text.split_once('.').ok_or(PlaceError)?;
        let is_date = date.len() == 10 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if !is_date || marker(after).is_none() {
            return Err(PlaceError);
        }
        Ok(Self { day: format!("{DAYS}{date}"), after: after.to_owned() })
    }

    /// This place as text, for a caller that comes back with it.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{}.{}", self.day.strip_prefix(DAYS).unwrap_or_default(), self.after)
    }

    /// The place right after `marker`.
    #[must_use]
    pub fn after(marker: &DayMarker) -> Self {
        Self { day: day(marker.at), after: name(marker.at, &marker.tenant, &marker.session) }
    }
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingPage {
    /// The sessions, newest first.
    pub sessions: Vec<DayMarker>,
    /// Where the next page begins; `None` after the oldest session.
    pub next: Option<ListingPlace>,
}

/// Which sessions of the index are listed: what its names tell without a further read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexFilter<'a> {
    /// Those of one tenant (`Some(None)`: the default one), or of all (`None`).
    pub tenant: Option<Option<&'a str>>,
    /// Those accepted at this time or later.
    pub since: Option<Timestamp>,
    /// Those accepted before this time.
    pub until: Option<Timestamp>,
}

/// Returns up to `limit` (1 or more) sessions from `place` on, newest first. Looks at [`LOOKED_AT`] markers at most; a page may therefore have
/// fewer sessions than there are, and then has a `next`. Asks the store once for the days and once for each 1,000 markers.
///
/// # Errors
/// [`ContentError::Unavailable`].
pub async fn list_sessions(
    content: &ContentStore,
    filter: &IndexFilter<'_>,
    place: Option<&ListingPlace>,
    limit: usize,
) -> Result<ListingPage, ContentError> {
    let wanted = filter.tenant.map(tenant_mark);
    let start = start(filter, place);
    let mut days = content.kinds(DAYS).await?;
    days.retain(|day| start.as_ref().is_none_or(|start| *day <= start.day));
    days.retain(|one| filter.since.is_none_or(|since| *one >= day(since)));
    let (mut sessions, mut looked, mut last) = (Vec::new(), 0, start.clone());
    for day in days {
        let mut after = start.as_ref().filter(|start| start.day == day).map(|start| start.after.clone());
        loop {
            let names = content.ordered_ids(&day, after.as_deref(), AT_ONCE).await?;
            let is_last = names.len() < AT_ONCE;
            for name in names {
                let found = marker(&name);
                if found.as_ref().is_some_and(|found| filter.since.is_some_and(|since| found.at < since)) {
                    return Ok(ListingPage { sessions, next: None });
                }
                // One more than asked for shows that there is a next page.
                let found = found.filter(|found| wanted.as_ref().is_none_or(|mark| found.tenant == *mark));
                if looked >= LOOKED_AT || (found.is_some() && sessions.len() >= limit) {
                    return Ok(ListingPage { sessions, next: last });
                }
                sessions.extend(found);
                looked += 1;
                last = Some(ListingPlace { day: day.clone(), after: name.clone() });
                after = Some(name);
            }
            if is_last {
                break;
            }
        }
    }
    Ok(ListingPage { sessions, next: None })
}

/// Where a listing begins: at `place`, or after all that is too new, whichever is later in the list.
fn start(filter: &IndexFilter<'_>, place: Option<&ListingPlace>) -> Option<ListingPlace> {
    let until = filter.until.map(|until| ListingPlace { day: day(until), after: before(until) });
    match (until, place.cloned()) {
        // Days count up and names count down.
        (Some(a), Some(b)) if b.day < a.day || (b.day == a.day && b.after > a.after) => Some(b),
        (Some(a), _) => Some(a),
        (None, place) => place,
    }
}

impl ListingPage {
    /// The ids of the page.
    #[must_use]
    pub fn ids(&self) -> Vec<&SessionId> {
        self.sessions.iter().map(|marker| &marker.session).collect()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    const DAY_MS: i64 = 86_400_000;

    async fn marked(content: &ContentStore, ms: i64, tenant: Option<&str>, id: &str) {
        let session = SessionId::new(id).expect("an id");
        let name = name(Timestamp(ms), &tenant_mark(tenant), &session);
        content.put_named_if_absent(&day(Timestamp(ms)), &name, Bytes::new()).await.expect("kept");
    }

    async fn all(content: &ContentStore, filter: IndexFilter<'_>, limit: usize) -> Vec<Vec<String>> {
        let (mut pages, mut place) = (Vec::new(), None);
        loop {
            let page = list_sessions(content, &filter, place.as_ref(), limit).await.expect("listed");
            pages.push(page.ids().iter().map(ToString::to_string).collect());
            let Some(next) = page.next else { return pages };
            place = Some(ListingPlace::from_text(&next.to_text()).expect("a place"));
        }
    }

    #[tokio::test]
    async fn sessions_come_newest_first_over_days_and_pages() {
        let content = ContentStore::in_memory();
        for (ms, tenant, id) in [
            (1, Some("a"), "one"),
            (2, None, "two"),
            (DAY_MS, Some("a"), "three"),
            (9 * DAY_MS, Some("b"), "four"),
            (9 * DAY_MS + 1, Some("a"), "five"),
        ] {
            marked(&content, ms, tenant, id).await;
        }
        assert_eq!(all(&content, IndexFilter::default(), 9).await, [["five", "four", "three", "two", "one"]]);
        assert_eq!(
            all(&content, IndexFilter::default(), 2).await,
            [vec!["five", "four"], vec!["three", "two"], vec!["one"]]
        );
        let of = |tenant| IndexFilter { tenant: Some(tenant), ..IndexFilter::default() };
        assert_eq!(all(&content, of(Some("a")), 2).await, [vec!["five", "three"], vec!["one"]]);
        assert_eq!(all(&content, of(None), 1).await, [["two"]]);
        assert_eq!(all(&content, of(Some("nobody")), 1).await, [[""; 0]]);
        assert_eq!(all(&ContentStore::in_memory(), IndexFilter::default(), 1).await, [[""; 0]]);
    }

    #[tokio::test]
    async fn times_bound_a_listing_on_every_page() {
        let content = ContentStore::in_memory();
        let at = 3 * DAY_MS;
        for (ms, id) in [(1, "old"), (at - 1, "before"), (at, "at"), (at + 1, "after"), (5 * DAY_MS, "new")] {
            marked(&content, ms, None, id).await;
        }
        let between = |since: Option<i64>, until: Option<i64>| IndexFilter {
            tenant: None,
            since: since.map(Timestamp),
            until: until.map(Timestamp),
        };
        for (since, until, expected) in [
            (Some(at - 1), None, vec!["new", "after", "at", "before"]),
            (Some(at), None, vec!["new", "after", "at"]),
            (Some(at + 1), None, vec!["new", "after"]),
            (None, Some(at - 1), vec!["old"]),
            (None, Some(at), vec!["before", "old"]),
            (None, Some(at + 1), vec!["at", "before", "old"]),
            (Some(at), Some(at + 1), vec!["at"]),
            (Some(at), Some(at), vec![]),
            (Some(9 * DAY_MS), None, vec![]),
        ] {
            for limit in [1, 2, 9] {
                let listed = all(&content, between(since, until), limit).await.concat();
                assert_eq!(listed, expected, "{since:?} {until:?} {limit}");
            }
        }
    }

    #[test]
    fn a_place_after_a_marker_is_where_a_listing_goes_on() {
        let session = SessionId::new("s").expect("an id");
        let marker = DayMarker { at: Timestamp(DAY_MS), tenant: tenant_mark(None), session };
        assert_eq!(ListingPlace::from_text(&ListingPlace::after(&marker).to_text()), Ok(ListingPlace::after(&marker)));
        assert!(ListingPlace::after(&marker).to_text().starts_with("1970-01-02."));
    }

    #[test]
    fn a_tampered_place_is_refused() {
        let session = SessionId::new("s").expect("an id");
        let place = ListingPlace { day: day(Timestamp(0)), after: name(Timestamp(0), &tenant_mark(None), &session) };
        assert_eq!(ListingPlace::from_text(&place.to_text()), Ok(place.clone()));
        for wrong in
            ["", ".", "1970-01-01", "1970-01-01.", "../../../a.b", "1970-01-01.x", &format!("x{}", place.to_text())]
        {
            assert_eq!(ListingPlace::from_text(wrong), Err(PlaceError), "{wrong}");
        }
    }
}
