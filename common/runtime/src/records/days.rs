//! The index of sessions by day: an empty named content per session. Its name has the time, counted backwards, so that the ascending order
//! of names is the newest first; the tenant as a short hash, so that those of one tenant are told apart without reading; and the session.

use bytes::Bytes;
use jiff::tz::TimeZone;
use precis_proto::ids::sha256_hex;
use precis_proto::{SessionId, Timestamp};

use crate::content::{ContentError, ContentStore};

/// Prefix of the kinds of the index; one kind per day by UTC.
pub(super) const DAYS: &str = "day-";
/// Milliseconds that times are subtracted from; as many digits as a time has until the year 2286.
const LAST_MS: i64 = 9_999_999_999_999;
/// Digits of a time.
const TIME_CHARS: usize = 13;
/// Characters of a tenant's hash: two tenants with the same one are told apart by their records.
pub const TENANT_CHARS: usize = 12;

/// A session in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayMarker {
    /// When it was accepted.
    pub at: Timestamp,
    /// The mark of its tenant.
    pub tenant: String,
    /// The session.
    pub session: SessionId,
}

/// Returns the mark of a tenant; `None` is the default one.
#[must_use]
pub fn tenant_mark(tenant: Option<&str>) -> String {
    // A byte before the name: the default tenant and one with an empty name differ.
    let named = tenant.map_or_else(String::new, |name| format!("/{name}"));
    sha256_hex(named.as_bytes())[..TENANT_CHARS].to_owned()
}

/// Marks `session` of `tenant` on the day of `at`. An id with other characters than `[A-Za-z0-9_-]` is encoded.
pub(super) async fn mark(
    content: &ContentStore,
    at: Timestamp,
    tenant: Option<&str>,
    session: &SessionId,
) -> Result<(), ContentError> {
    let name = name(at, &tenant_mark(tenant), session);
    content.put_named_if_absent(&day(at), &name, Bytes::new()).await.map(drop)
}

/// Removes the marker that [`mark`] made of the same.
pub(super) async fn unmark(
    content: &ContentStore,
    at: Timestamp,
    tenant: Option<&str>,
    session: &SessionId,
) -> Result<(), ContentError> {
    content.remove_named(&day(at), &name(at, &tenant_mark(tenant), session)).await.map(drop)
}

/// The kind of the markers of the day of `at`, by UTC.
pub(super) fn day(at: Timestamp) -> String {
    let time = jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    format!("{DAYS}{}", time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d"))
}

/// The name of a marker.
pub(super) fn name(at: Timestamp, tenant: &str, session: &SessionId) -> String {
    let backwards = LAST_MS - at.0.clamp(0, LAST_MS);
    format!("{backwards:013}-{tenant}-{session}")
}

/// A text that all names of markers before `at` come after, and all others of its day before.
pub(super) fn before(at: Timestamp) -> String {
    let backwards = LAST_MS - at.0.clamp(1, LAST_MS) + 1;
    format!("{backwards:013}")
}

/// Reads the name of a marker; `None` for any other name.
pub(super) fn marker(name: &str) -> Option<DayMarker> {
    let (time, rest) = name.split_at_checked(TIME_CHARS)?;
    let (tenant, session) = rest.strip_prefix('-')?.split_at_checked(TENANT_CHARS)?;
    let is_plain = time.bytes().all(|b| b.is_ascii_digit());
    let at = Timestamp(LAST_MS - time.parse::<i64>().ok().filter(|_| is_plain)?);
    Some(DayMarker { at, tenant: tenant.to_owned(), session: SessionId::new(session.strip_prefix('-')?).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_session_has_a_smaller_name_that_states_its_mark() {
        let session = SessionId::new("s-1").expect("an id");
        let tenant = tenant_mark(Some("legal"));
        let of = |ms: i64| name(Timestamp(ms), &tenant, &session);
        for (earlier, later) in [(0, 1), (1, 2), (1_764_000_000_000, 1_764_000_000_001), (1, LAST_MS)] {
            assert!(of(later) < of(earlier), "{earlier} {later}");
        }
        let marked = DayMarker { at: Timestamp(1_764_000_000_123), tenant: tenant.clone(), session: session.clone() };
        assert_eq!(marker(&of(1_764_000_000_123)), Some(marked));
        for wrong in [
            "",
            "s",
            "0000000000001",
            "0000000000001-abc-s",
            "+000000000001-0123456789ab-s",
            "0000000000001-0123456789ab-",
        ] {
            assert_eq!(marker(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_day_ends_at_midnight_by_utc() {
        let midnight = 1_764_288_000_000;
        for (ms, expected) in [(midnight - 1, "day-2025-11-27"), (midnight, "day-2025-11-28"), (0, "day-1970-01-01")] {
            assert_eq!(day(Timestamp(ms)), expected);
        }
    }

    #[test]
    fn no_tenant_differs_from_any_tenant() {
        assert_ne!(tenant_mark(None), tenant_mark(Some("")));
        assert_ne!(tenant_mark(None), tenant_mark(Some("legal")));
        assert_eq!(tenant_mark(Some("legal")).len(), TENANT_CHARS);
    }
}
