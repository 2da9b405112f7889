//! Which sessions a caller wants listed, from the query of the address. Pure.

use std::collections::BTreeMap;
use std::str::FromStr;

use precis_proto::response::Status;
use precis_proto::{Phase, Timestamp, UnknownWord};
use precis_runtime::records::moment;
use precis_runtime::runner::SessionFilter;

use crate::limits::MAX_QUERY_BYTES;
use crate::problem::Problem;

/// The parameters of a listing.
pub(super) const PARAMETERS: [&str; 8] = ["limit", "cursor", "tenant", "status", "phase", "since", "until", "query"];

/// Which sessions are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
    pub(super) filter: SessionFilter,
}

/// Reads the parameters of a listing at the time `now`.
///
/// # Errors
/// 400 for a value that is none.
pub(super) fn read(given: &BTreeMap<String, String>, now: Timestamp) -> Result<Wanted, Problem> {
    let time = |name: &str| {
        match given.get(name) {
        None => Ok(None),
        Some(text) => moment(text, now).map(Some).ok_or_else(|| {
            let detail = format!(
                "{name} must be a time, such as 2026-03-01T12:00:00Z, a day, such as 2026-03-01, or so long ago, such as 12h or 7d"
            );
            Problem::invalid("invalid_time", detail)
        }),
    }
    };
    let query = given.get("query").cloned();
    if query.as_ref().is_some_and(|part| part.is_empty() || part.len() > MAX_QUERY_BYTES) {
        let detail = format!("query must be a part of a question of 1 to {MAX_QUERY_BYTES} bytes");
        return Err(Problem::invalid("invalid_query", detail));
    }
    let status = word::<Status>(given, "status")?;
    let phase = word::<Phase>(given, "phase")?;
    Ok(Wanted { since: time("since")?, until: time("until")?, filter: SessionFilter { status, phase, query } })
}

fn word<T: FromStr<Err = UnknownWord>>(given: &BTreeMap<String, String>, name: &str) -> Result<Option<T>, Problem> {
    let parsed = given.get(name).map(|text| text.parse()).transpose();
    parsed.map_err(|unknown: UnknownWord| {
        let detail = format!("{name} must be one of {}", unknown.allowed.join(", "));
        Problem::invalid(&format!("invalid_{name}"), detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<Wanted, String> {
        let given = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        read(&given, Timestamp(86_400_000)).map_err(|problem| problem.code)
    }

    #[test]
    fn each_parameter_is_read_or_refused_by_its_name() {
        assert_eq!(of(&[]), Ok(Wanted::default()));
        let all = of(&[
            ("status", "running"),
            ("phase", "digest"),
            ("since", "1h"),
            ("until", "1970-01-02"),
            ("query", "tax"),
        ]);
        let filter =
            SessionFilter { status: Some(Status::Running), phase: Some(Phase::Digest), query: Some("tax".to_owned()) };
        assert_eq!(all, Ok(Wanted { since: Some(Timestamp(82_800_000)), until: Some(Timestamp(86_400_000)), filter }));
        for (name, value, code) in [
            ("status", "done", "invalid_status"),
            ("status", "", "invalid_status"),
            ("phase", "Digest", "invalid_phase"),
            ("since", "yesterday", "invalid_time"),
            ("until", "", "invalid_time"),
            ("query", "", "invalid_query"),
        ] {
            assert_eq!(of(&[(name, value)]), Err(code.to_owned()), "{name}={value}");
        }
        for (bytes, is_read) in [(MAX_QUERY_BYTES - 1, true), (MAX_QUERY_BYTES, true), (MAX_QUERY_BYTES + 1, false)] {
            assert_eq!(of(&[("query", &"x".repeat(bytes))]).is_ok(), is_read, "{bytes}");
        }
    }
}
