//! Names that list what a tenant has, newest first: the time, counted backwards, then the id, so that the ascending order of names is that of
//! the list. Each is an empty named content; what it stands for has a record of its own.

use precis_proto::Timestamp;

use super::days::tenant_mark;

/// Milliseconds that times are subtracted from, as in the index of sessions.
const LAST_MS: i64 = 9_999_999_999_999;
/// Digits of a time.
const TIME_CHARS: usize = 13;

/// The kind of the names of a tenant. Two tenants with the same mark are told apart by the records.
pub(crate) fn list_kind(of: &str, tenant: Option<&str>) -> String {
    format!("{of}-of-{}", tenant_mark(tenant))
}

/// The name of what was made at `at` and has this id.
pub(crate) fn list_name(at: Timestamp, id: &str) -> String {
    let Timestamp(ms) = at;
    format!("{:0TIME_CHARS$}-{id}", LAST_MS.saturating_sub(ms).clamp(0, LAST_MS))
}

/// The id in a name; empty for any other text.
pub(crate) fn id_of(name: &str) -> &str {
    name.get(TIME_CHARS + 1..).unwrap_or_default()
}

/// Whether `text` may be a place in such a list.
#[must_use]
pub fn is_list_name(text: &str) -> bool {
    let Some((time, id)) = text.split_once('-') else { return false };
    let is_id = !id.is_empty() && id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    time.len() == TIME_CHARS && time.bytes().all(|byte| byte.is_ascii_digit()) && is_id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_time_has_a_smaller_name_with_its_id() {
        for (earlier, later) in [(0, 1), (1, 2), (1_764_000_000_000, 1_764_000_000_001), (-1, 1), (1, i64::MAX)] {
            let name = |ms| list_name(Timestamp(ms), "a1");
            assert!(name(later) < name(earlier) && is_list_name(&name(later)), "{earlier} {later}");
            assert_eq!(id_of(&name(later)), "a1");
        }
        assert_eq!((id_of(""), id_of("a1"), id_of("0000000000001-")), ("", "", ""));
    }

    #[test]
    fn a_place_has_a_time_and_an_id() {
        for wrong in ["", "1-a", "0000000000001-", "000000000000x-a", "0000000000001-../a", "0000000000001"] {
            assert!(!is_list_name(wrong), "{wrong}");
        }
    }
}
