//! Sessions newest first, page by page, from the index alone.

use precis_proto::SessionId;

use super::days::{DAYS, DayMarker, marker, tenant_mark};
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
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingPage {
    /// The sessions, newest first.
    pub sessions: Vec<DayMarker>,
    /// Where the next page begins; `None` after the oldest session.
    pub next: Option<ListingPlace>,
}

/// Which sessions of the index are listed.
enum Wanted {
    All,
    OfTenant(String),
}

impl Wanted {
    fn admits(&self, found: &DayMarker) -> bool {
        match self {
            Self::All => true,
            Self::OfTenant(mark) => found.tenant == *mark,
        }
    }
}

/// Returns up to `limit` (1 or more) sessions from `place` on, newest first: of one tenant (`Some(None)`: the default one), or of all (`None`).
/// Looks at [`LOOKED_AT`] markers at most; a page may therefore have fewer sessions than there are, and then has a `next`.
///
/// # Errors
/// [`ContentError::Unavailable`].
pub async fn list_sessions(
    content: &ContentStore,
    tenant: Option<Option<&str>>,
    place: Option<&ListingPlace>,
    limit: usize,
) -> Result<ListingPage, ContentError> {
    let wanted = tenant.map_or(Wanted::All, |tenant| Wanted::OfTenant(tenant_mark(tenant)));
    let mut days = content.kinds(DAYS).await?;
    days.retain(|day| place.is_none_or(|place| *day <= place.day));
    let (mut sessions, mut looked, mut last) = (Vec::new(), 0, place.cloned());
    for day in days {
        let mut after = place.filter(|place| place.day == day).map(|place| place.after.clone());
        loop {
            let names = content.ordered_ids(&day, after.as_deref(), AT_ONCE).await?;
            let is_last = names.len() < AT_ONCE;
            for name in names {
                // One more than asked for shows that there is a next page.
                let found = marker(&name).filter(|found| wanted.admits(found));
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
    use precis_proto::Timestamp;

    use super::super::days::{day, name};
    use super::*;

    const DAY_MS: i64 = 86_400_000;

    async fn marked(content: &ContentStore, ms: i64, tenant: Option<&str>, id: &str) {
        let session = SessionId::new(id).expect("an id");
        let name = name(Timestamp(ms), &tenant_mark(tenant), &session);
        content.put_named_if_absent(&day(Timestamp(ms)), &name, Bytes::new()).await.expect("kept");
    }

    async fn all(content: &ContentStore, tenant: Option<Option<&str>>, limit: usize) -> Vec<Vec<String>> {
        let (mut pages, mut place) = (Vec::new(), None);
        loop {
            let page = list_sessions(content, tenant, place.as_ref(), limit).await.expect("listed");
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
        assert_eq!(all(&content, None, 9).await, [["five", "four", "three", "two", "one"]]);
        assert_eq!(all(&content, None, 2).await, [vec!["five", "four"], vec!["three", "two"], vec!["one"]]);
        assert_eq!(all(&content, Some(Some("a")), 2).await, [vec!["five", "three"], vec!["one"]]);
        assert_eq!(all(&content, Some(None), 1).await, [["two"]]);
        assert_eq!(all(&content, Some(Some("nobody")), 1).await, [[""; 0]]);
        assert_eq!(all(&ContentStore::in_memory(), None, 1).await, [[""; 0]]);
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
