//! Messages of every version so far, in `proto/fixtures`: new ones are added, existing ones never edited.

use serde_json::Value;

use super::{STATE_SCHEMA_VERSION, SessionState, open, read, revisits, write};
use crate::Phase;
use crate::fidelity::FidelityLevel;
use crate::warning::WarningCode;

const GOLDEN: [(&str, &str, u64); 6] = [
    ("v0", include_str!("../../fixtures/state-v0.json"), 0),
    ("v1", include_str!("../../fixtures/state-v1.json"), 1),
    ("v2", include_str!("../../fixtures/state-v2.json"), 2),
    ("v2-account", include_str!("../../fixtures/state-v2-account.json"), 2),
    ("v3", include_str!("../../fixtures/state-v3.json"), 3),
    ("v5", include_str!("../../fixtures/state-v5.json"), 5),
];

fn golden() -> impl Iterator<Item = (&'static str, Value, SessionState)> {
    GOLDEN.into_iter().map(|(name, text, version)| {
        let value: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(value["schema_version"], version, "{name}");
        let state = read(value.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, value, state)
    })
}

/// Returns the first place where `part` has a value that `whole` lacks; `full` is the older word for `raw`.
fn first_loss(part: &Value, whole: &Value, place: &str) -> Option<String> {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => part.iter().find_map(|(key, value)| {
            let place = format!("{place}/{key}");
            first_loss(value, whole.get(key).unwrap_or(&Value::Null), &place)
        }),
        (Value::Array(part), Value::Array(whole)) if part.len() == whole.len() => {
            part.iter().zip(whole).find_map(|(part, whole)| first_loss(part, whole, place))
        }
        (Value::String(word), Value::String(now)) if word == "full" && now == "raw" => None,
        (Value::String(time), Value::String(now)) if time.ends_with('Z') && now.starts_with(&time[..19]) => None,
        _ => (part != whole).then(|| format!("{place}: {part} became {whole}")),
    }
}

#[test]
fn messages_of_every_version_are_read_whole_without_our_warnings() {
    for (name, mut value, state) in golden() {
        assert_eq!(state.schema_version, STATE_SCHEMA_VERSION, "{name}");
        assert!(state.warnings.iter().all(|w| w.code != WarningCode::StateMigrationRecovered), "{name}");
        let written = write(&state, STATE_SCHEMA_VERSION);
        value["schema_version"] = written["schema_version"].clone();
        assert_eq!(first_loss(&value, &written, ""), None, "{name}");
    }
}

#[test]
fn a_paged_message_opens_with_blanks_and_is_rewritten_unchanged() {
    let message: Value = serde_json::from_str(include_str!("../../fixtures/state-v3-pages.json")).expect("JSON");
    let state = open(message.clone()).expect("opens");
    assert!(state.sources.is_empty() && state.findings.is_empty() && state.token_usage.is_empty());
    let fields: Vec<&str> = state.pages.0.keys().map(|field| field.as_str()).collect();
    assert_eq!(fields, ["sources", "findings", "token_usage"]);
    assert_eq!(first_loss(&message, &write(&state, STATE_SCHEMA_VERSION), ""), None);
    assert!(read(message).is_err(), "a message with pages was taken for a whole state");
}

#[test]
fn an_upgraded_message_encodes_to_itself() {
    for (name, _, state) in golden() {
        assert_eq!(read(write(&state, STATE_SCHEMA_VERSION)).expect("reads"), state, "{name}");
    }
}

#[test]
fn a_downgraded_message_loses_only_what_the_older_version_lacks() {
    // A session in its second pass has no older version.
    for (name, _, state) in golden().filter(|(_, _, state)| !revisits(state)) {
        let read_back = read(write(&state, 1)).expect("reads");
        let expected = SessionState { raw_notes: Vec::new(), token_usage: Vec::new(), ..state };
        assert_eq!(read_back, expected, "{name}");
    }
}

#[test]
fn one_unreadable_field_costs_that_field_alone() {
    let (_, value, whole) = golden().last().expect("some");
    for field in ["content_fidelity", "dropped_content_ids", "content_archive_hashes", "raw_notes", "token_usage"] {
        let mut broken = value.clone();
        broken[field] = Value::from("broken");
        let state = read(broken).expect("recovers");
        let warning = state.warnings.last().expect("a warning");
        assert_eq!(warning.code, WarningCode::StateMigrationRecovered);
        assert!(warning.message.contains(field), "{}", warning.message);
        let (found, mut expected) = (write(&state, 2), write(&whole, 2));
        expected[field] = found[field].clone();
        expected["warnings"] = found["warnings"].clone();
        assert_eq!(found, expected, "{field}");
    }
}

#[test]
fn records_of_an_earlier_pass_are_kept_with_the_current_ones() {
    let (_, _, state) = golden().find(|(name, ..)| *name == "v5").expect("version 5");
    let id = &state.sources[0].source_id;
    assert_eq!((state.visit, state.content_fidelity.visit()), (1, 1));
    let visits: Vec<u32> =
        state.content_fidelity.records().filter(|(of, ..)| *of == id).map(|(.., r)| r.visit).collect();
    assert_eq!(visits, [0, 0, 1, 1]);
}

#[test]
fn an_older_word_means_what_it_meant() {
    let (_, _, state) = golden().nth(1).expect("version 1");
    let id = &state.sources[0].source_id;
    let record = state.content_fidelity.get(id, Phase::Extraction).expect("a record");
    assert_eq!(record.level, FidelityLevel::Raw);
}
