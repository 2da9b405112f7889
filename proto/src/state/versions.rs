//! Reads and writes the state in its versions. An upgrade adds defaults; a downgrade removes fields.

use serde::Deserialize;
use serde_json::Value;

use super::page_list::Pages;
use super::session_state::SessionState;
use crate::warning::{Warning, WarningCode};

/// Version that this build writes by default.
pub const STATE_SCHEMA_VERSION: u32 = 5;
/// The version that added pages.
pub const PAGED_VERSION: u32 = 3;
/// The version that added research.
pub const RESEARCH_VERSION: u32 = 4;
/// The version that added visits.
pub const VISITS_VERSION: u32 = 5;
/// Oldest version this build can write.
pub const OLDEST_WRITABLE_VERSION: u32 = 1;
/// Fields that version 1 added.
const SINCE_1: [&str; 3] = ["content_fidelity", "dropped_content_ids", "content_archive_hashes"];
/// Fields that version 2 added.
const SINCE_2: [&str; 2] = ["raw_notes", "token_usage"];
/// The field that version 3 added. It is not recoverable: its pages contain most of the session.
const SINCE_3: &str = "pages";

/// Why a state cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// A newer version wrote the state: it has to be parked for a newer worker.
    #[error("state version {found} is newer than {STATE_SCHEMA_VERSION}")]
    Newer {
        /// Version of the state.
        found: u64,
    },
    /// The value is not a state of any version.
    #[error("not a session state: {0}")]
    Unreadable(String),
}

/// Reads a complete state of any known version and upgrades it to the current one.
///
/// # Errors
/// As [`open`]; [`StateError::Unreadable`] for a state with pages.
pub fn read(value: Value) -> Result<SessionState, StateError> {
    let state = open(value)?;
    if state.pages.is_empty() {
        Ok(state)
    } else {
        Err(StateError::Unreadable("parts of it are stored as pages".to_owned()))
    }
}

/// Reads a state of any known version and upgrades it to the current one. Fields stored as pages are blank in the result.
///
/// Fields of a later version that cannot be read are replaced by their defaults, with `STATE_MIGRATION_RECOVERED`.
///
/// # Errors
/// [`StateError::Newer`] for a newer version, [`StateError::Unreadable`] if even fields of version 0 are missing or invalid.
pub fn open(mut value: Value) -> Result<SessionState, StateError> {
    let found = value.get("schema_version").and_then(Value::as_u64).unwrap_or(0);
    // Before parsing: fields of a newer version may not parse, and the state must be parked, not reported as unreadable.
    if found > u64::from(STATE_SCHEMA_VERSION) {
        return Err(StateError::Newer { found });
    }
    // Before parsing, which fails without the required fields.
    blank_what_is_on_pages(&mut value);
    let mut state = match serde_json::from_value::<SessionState>(value.clone()) {
        Ok(state) => state,
        Err(error) => recover(value, &error)?,
    };
    state.schema_version = STATE_SCHEMA_VERSION;
    Ok(state)
}

/// Inserts a blank value for each field stored as pages. An unreadable `pages` field is reported later, when the state is parsed.
fn blank_what_is_on_pages(value: &mut Value) {
    let pages = value.get("pages").and_then(|pages| Pages::deserialize(pages).ok());
    let (Some(pages), Some(fields)) = (pages, value.as_object_mut()) else { return };
    for field in pages.0.keys() {
        fields.insert(field.as_str().to_owned(), field.blank());
    }
}

/// Reads the state without the one later field that cannot be read, or without all later fields.
fn recover(mut value: Value, error: &serde_json::Error) -> Result<SessionState, StateError> {
    let unreadable = || StateError::Unreadable(error.to_string());
    let later = || SINCE_1.iter().chain(&SINCE_2).copied();
    value.as_object_mut().ok_or_else(unreadable)?.entry("schema_version").or_insert(Value::from(0));
    // The smallest loss is tried first: unreadable warnings, then one field, then all later fields.
    let unknown = forget_unreadable_warnings(&mut value);
    if unknown > 0
        && let Ok(mut state) = serde_json::from_value::<SessionState>(value.clone())
    {
        let message = format!("{unknown} warnings written by another version were left out");
        state.warn(Warning::new(WarningCode::StateMigrationRecovered, state.phase, message));
        return Ok(state);
    }
    let one = later().find_map(|name| Some((name.to_owned(), without(&value, [name])?)));
    let found = one.or_else(|| Some((later().collect::<Vec<_>>().join(", "), without(&value, later())?)));
    let (names, mut state) = found.ok_or_else(unreadable)?;
    let message = format!("fields of the state could not be read and were replaced by defaults: {names}");
    state.warn(Warning::new(WarningCode::StateMigrationRecovered, state.phase, message));
    Ok(state)
}

/// Removes the warnings that this version cannot read, which a newer one may have written; returns how many.
fn forget_unreadable_warnings(value: &mut Value) -> usize {
    let Some(warnings) = value.get_mut("warnings").and_then(Value::as_array_mut) else { return 0 };
    let all = warnings.len();
    warnings.retain(|warning| Warning::deserialize(warning).is_ok());
    all - warnings.len()
}

fn without<'n>(value: &Value, names: impl IntoIterator<Item = &'n str>) -> Option<SessionState> {
    let mut value = value.clone();
    let fields = value.as_object_mut()?;
    for name in names {
        fields.remove(name);
    }
    serde_json::from_value(value).ok()
}

/// Writes a state in `version`, without the fields that this version lacks. A state that does not search is written in a version before
/// [`RESEARCH_VERSION`], and one in its first pass in a version before [`VISITS_VERSION`], so that older workers can continue it.
///
/// A state in a later pass is always written in [`VISITS_VERSION`]: an older worker would confuse its passes.
///
/// A state with pages must be written in the current version: earlier ones have no such field.
///
/// A `version` outside [`OLDEST_WRITABLE_VERSION`]..=[`STATE_SCHEMA_VERSION`] is clamped to this range.
#[must_use]
pub fn write(state: &SessionState, version: u32) -> Value {
    let (oldest, newest) = match (revisits(state), searches(state)) {
        (true, _) => (VISITS_VERSION, STATE_SCHEMA_VERSION),
        (false, true) => (OLDEST_WRITABLE_VERSION, VISITS_VERSION - 1),
        (false, false) => (OLDEST_WRITABLE_VERSION, RESEARCH_VERSION - 1),
    };
    let version = version.clamp(oldest, newest);
    let mut value = serde_json::to_value(state).expect("a state has string keys and finite numbers");
    if let Some(fields) = value.as_object_mut() {
        fields.insert("schema_version".to_owned(), Value::from(version));
        if version < 3 {
            fields.remove(SINCE_3);
        }
        if version < 2 {
            for name in SINCE_2 {
                fields.remove(name);
            }
        }
    }
    value
}

/// Returns whether a state needs a worker that supports research.
#[must_use]
pub fn searches(state: &SessionState) -> bool {
    state.research.is_some() || state.options.research.is_some()
}

/// Returns whether a state needs a worker that supports visits.
#[must_use]
pub fn revisits(state: &SessionState) -> bool {
    state.visit > 0 || state.research.as_ref().is_some_and(|research| research.refinement.is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bare() -> Value {
        json!({ "session_id": "s", "revision": 3, "phase": "digest", "query": "q", "sources": [] , "schema_version": 0 })
    }

    #[test]
    fn a_state_of_version_0_is_read_with_defaults() {
        let state = read(bare()).expect("reads");
        assert_eq!((state.schema_version, state.revision), (STATE_SCHEMA_VERSION, 3));
        assert!(state.content_fidelity.0.is_empty() && state.warnings.is_empty());
    }

    #[test]
    fn a_current_state_reads_back_what_it_wrote() {
        let state = read(bare()).expect("reads");
        assert_eq!(read(write(&state, STATE_SCHEMA_VERSION)).expect("reads"), state);
    }

    #[test]
    fn a_downgraded_state_lacks_what_the_older_version_does_not_know() {
        let value = write(&read(bare()).expect("reads"), 1);
        assert_eq!(value["schema_version"], 1);
        assert!(value.get("raw_notes").is_none() && value.get("content_fidelity").is_some());
    }

    #[test]
    fn a_version_from_the_future_is_named_and_not_guessed_at() {
        let mut value = bare();
        value["schema_version"] = json!(STATE_SCHEMA_VERSION + 1);
        assert!(matches!(read(value), Err(StateError::Newer { found: 6 })));
    }

    #[test]
    fn unreadable_later_fields_are_recovered_with_a_warning() {
        let mut value = bare();
        value["content_fidelity"] = json!("broken");
        let state = read(value).expect("recovers");
        assert_eq!(state.warnings[0].code, WarningCode::StateMigrationRecovered);
    }

    #[test]
    fn a_warning_of_another_build_costs_itself_and_nothing_else() {
        let mut value = write(&read(bare()).expect("reads"), STATE_SCHEMA_VERSION);
        let known = json!({ "code": "CONTENT_DROPPED", "message": "m", "item_id": "a" });
        value["warnings"] = json!([known, { "code": "NOT_INVENTED_YET", "message": "m" }]);
        for field in [None, Some("content_fidelity")] {
            if let Some(field) = field {
                value[field] = json!("broken");
            }
            let state = read(value.clone()).expect("recovers");
            let codes: Vec<WarningCode> = state.warnings.iter().map(|w| w.code).collect();
            assert_eq!(codes, [WarningCode::ContentDropped, WarningCode::StateMigrationRecovered], "{field:?}");
        }
    }

    #[test]
    fn a_version_that_cannot_be_written_is_moved_to_the_nearer_end() {
        let state = read(bare()).expect("reads");
        for (asked, written) in [(0, 1), (1, 1), (2, 2), (3, 3), (9, 3)] {
            assert_eq!(write(&state, asked)["schema_version"], written, "{asked}");
        }
        let mut searching = state;
        searching.options.research = Some(crate::research::ResearchOptions::default());
        for (asked, written) in [(3, 3), (4, 4), (9, 4)] {
            assert_eq!(write(&searching, asked)["schema_version"], written, "{asked}");
        }
        searching.visit = 1;
        for (asked, written) in [(1, 5), (4, 5), (5, 5), (9, 5)] {
            assert_eq!(write(&searching, asked)["schema_version"], written, "{asked}: two passes are not one");
        }
    }

    #[test]
    fn what_is_no_state_is_unreadable() {
        for value in [json!(null), json!([]), json!({}), json!({"session_id": "s"})] {
            assert!(matches!(read(value), Err(StateError::Unreadable(_))));
        }
    }
}
