//! The files that a report names in its directory, apart from `report.json` itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use precis_proto::SourceId;
use precis_proto::response::{ReportData, Response};
use precis_proto::source::ContentRef;
use precis_report::verify::hex_of;
use precis_runtime::archive::{NOTES, encode_id};
use precis_runtime::files::{FileLimits, Links, read_regular};
use serde_json::Value;

use super::names::{ARCHIVE, CHANGES_JSON, CHANGES_MD, MAX_REPORT_BYTES, REPORT_HTML, REPORT_JSON, REPORT_MD};

/// Returns the place of the text with hash `hex` of the source `id` in an archive, with `/` between folder and file.
#[must_use]
pub(crate) fn text_place(id: &SourceId, hex: &str) -> String {
    format!("{}/{hex}.txt", encode_id(id))
}

/// Returns the place in the archive of the text of each source of `data`, by hash. If sources share a text, it is the first place in
/// the order of bytes, so that it depends on `data` alone.
#[must_use]
pub(crate) fn text_places(data: &ReportData) -> BTreeMap<String, String> {
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for row in &data.sources {
        let Some(hex) = row.source_text_hash.as_deref().and_then(digits) else { continue };
        let place = text_place(&row.source_id, &hex);
        let known = places.entry(hex).or_insert_with(|| place.clone());
        if place < *known {
            *known = place;
        }
    }
    places
}

/// Returns the names of the files that belong to the report in `dir`, relative to it, with `/` between folders; empty if there is no
/// report of this program. Only names that it states are listed: a file that the user put next to them is not.
pub(super) fn of_report_in(dir: &Path) -> BTreeSet<String> {
    let Some(value) = read_json(&dir.join(REPORT_JSON)) else { return BTreeSet::new() };
    let Some(data) = Response::from_json(&value).ok().and_then(|report| report.data) else { return BTreeSet::new() };
    let mut names: BTreeSet<String> = [REPORT_MD, REPORT_HTML].map(str::to_owned).into();
    if read_json(&dir.join(CHANGES_JSON)).is_some_and(|changes| are_of(&changes, &value["data"])) {
        names.extend([CHANGES_JSON, CHANGES_MD].map(str::to_owned));
    }
    for text in archived_places(&data) {
        names
            .extend(["txt", "json"].map(|ending| format!("{ARCHIVE}/{}", text.replace(".txt", &format!(".{ending}")))));
    }
    names
}

/// Whether `changes` were written with the report `data`: they have its question and its time.
fn are_of(changes: &Value, data: &Value) -> bool {
    changes["query"] == data["query"] && !changes["now"].is_null() && changes["now"] == data["generated"]["at"]
}

/// The places in the archive of the texts and raw notes of `data`.
fn archived_places(data: &ReportData) -> Vec<String> {
    let rows = data.sources.iter().filter_map(|row| Some((&row.source_id, row.source_text_hash.as_deref()?)));
    let listed = data.content_archive_hashes.iter().map(|(id, hash)| (id, hash.as_str()));
    let mut places: Vec<String> =
        rows.chain(listed).filter_map(|(id, hash)| Some(text_place(id, &digits(hash)?))).collect();
    let rounds = data.research.iter().flat_map(|research| &research.rounds);
    let notes = rounds.flat_map(|round| &round.directives).filter_map(|directive| directive.raw_notes.as_ref());
    places.extend(notes.map(|notes| format!("{NOTES}/{}.txt", notes.hex())));
    places
}

/// The 64 digits of a hash with or without `sha256:`; `None` for anything else, which names no file.
fn digits(hash: &str) -> Option<String> {
    let checked: Result<ContentRef, _> = format!("sha256:{}", hex_of(hash)).parse();
    checked.ok().map(|hash| hash.hex().to_owned())
}

fn read_json(path: &Path) -> Option<Value> {
    // The folder is untrusted: the name may belong to a pipe or to a device without an end.
    let bytes = read_regular(path, Links::OnTheWay, FileLimits::bytes(MAX_REPORT_BYTES)).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::sample::{id, report, source};

    fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).expect("written");
        }
        dir
    }

    #[test]
    fn a_report_names_its_pages_texts_and_sidecars() {
        let response = report(vec![source(&id("a/b"), Some("text")), source(&id("c"), None)]);
        let json = serde_json::to_string(&response).expect("serialises");
        let hex = ContentRef::from_bytes(b"text").hex().to_owned();
        let names = of_report_in(written(&[("report.json", &json), ("changes.json", "{}")]).path());
        let text = format!("archive/a%2Fb/{hex}");
        let expected = [format!("{text}.json"), format!("{text}.txt"), "report.html".into(), "report.md".into()];
        assert_eq!(names.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_change_list_belongs_to_the_report_with_its_question_time() {
        let mut value = serde_json::to_value(report(Vec::new())).expect("serialises");
        value["data"]["generated"] = json!({ "at": "2026-01-01T00:00:00Z", "version": "v", "models": [] });
        let at = value["data"]["generated"]["at"].clone();
        for (changes, belongs) in [
            (json!({ "query": "why?", "now": at }), true),
            (json!({ "query": "who?", "now": at }), false),
            (json!({ "query": "why?", "now": "2025-01-01T00:00:00Z" }), false),
            (json!(["mine"]), false),
        ] {
            let dir = written(&[("report.json", &value.to_string()), ("changes.json", &changes.to_string())]);
            let names = of_report_in(dir.path());
            assert_eq!(names.contains(CHANGES_JSON) && names.contains(CHANGES_MD), belongs, "{changes}");
        }
    }

    #[test]
    fn a_file_that_is_no_report_names_nothing() {
        for text in ["", "[]", r#"{"success": true, "data": {}, "meta": {}}"#] {
            assert!(of_report_in(written(&[("report.json", text)]).path()).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_shared_texts_place_is_independent_of_source_order() {
        let place = |names: [&str; 2]| {
            let response = report(names.iter().map(|name| source(&id(name), Some("text"))).collect());
            text_places(&response.data.expect("a report")).into_values().next().expect("one")
        };
        assert_eq!(place(["b", "a"]), place(["a", "b"]));
        assert!(place(["b", "a"]).starts_with("a/"));
    }
}
