//! A publication is stopped before each single change to the directory, as a kill would; what is there must be one report, whole.

use std::collections::BTreeMap;

use precis_proto::response::{Generated, Response};
use precis_proto::source::ContentRef;
use precis_proto::{SourceId, Timestamp};
use precis_report::response::VERSION;
use precis_runtime::archive::encode_id;
use serde_json::{Value, json};

use super::*;
use crate::commands::verify::mismatches;
use crate::report::archive::ArchivedTexts;
use crate::report::files;
use crate::report::names::{CHANGES_JSON, CHANGES_MD, REPORT_JSON};
use crate::report::sample::{citation, id, report, source};

/// A report to publish.
struct Edition {
    query: &'static str,
    /// Id, text and kind of block of each source; the first is cited.
    sources: &'static [(&'static str, &'static str, &'static str)],
    has_changes: bool,
}

const OLD: Edition = Edition {
    query: "why then?",
    sources: &[("a", "One text.", "paragraph"), ("b/c", "Another text.", "paragraph")],
    has_changes: false,
};
const REFRESHED: Edition = Edition { has_changes: true, ..OLD };
/// Shares a text with the old one, with another structure, and has the other text under another id.
const NEW: Edition = Edition {
    query: "why now?",
    sources: &[("a", "One text.", "heading"), ("d", "Another text.", "paragraph"), ("e", "A third text.", "paragraph")],
    has_changes: false,
};

impl Edition {
    fn response(&self) -> Response {
        let rows = self.sources.iter().map(|(name, text, _)| source(&id(name), Some(text))).collect();
        let mut data = report(rows).data.expect("a report");
        let (name, text, _) = self.sources[0];
        data.query = self.query.to_owned();
        (data.report, data.citations) = ("Because [1].".to_owned(), vec![citation(1, &id(name), text)]);
        data.session.token_management_enabled = false;
        data.generated = Some(Generated { at: Timestamp(1), version: VERSION.to_owned(), models: Vec::new() });
        Response::report(data)
    }

    /// Writes the report as a command does before it publishes.
    fn stage(&self, dir: &Path) -> std::path::PathBuf {
        let staged = tempfile::Builder::new().prefix(".precis-").tempdir_in(dir).expect("a directory").keep();
        private_dir(&staged.join(ARCHIVE)).expect("made");
        for (name, text, kind) in self.sources {
            let content = ContentRef::from_bytes(text.as_bytes());
            let folder = staged.join(ARCHIVE).join(encode_id(&SourceId::new(*name).expect("an id")));
            private_dir(&folder).expect("made");
            let sidecar = json!({
                "source_id": name, "title": name, "url": null, "content_type": null, "chars": text.len(), "pages": 0,
                "archived_at": Timestamp(1), "blocks": [{ "kind": kind, "start": 0, "end": text.len() }],
            });
            fs::write(folder.join(format!("{}.txt", content.hex())), text).expect("written");
            fs::write(folder.join(format!("{}.json", content.hex())), sidecar.to_string()).expect("written");
        }
        let response = self.response();
        let data = response.data.as_ref().expect("a report");
        let archive = ArchivedTexts::of_report(&staged.join(ARCHIVE), data).expect("listed");
        for (name, text) in files::files(&response, data, &archive, &archive.links(data)) {
            fs::write(staged.join(name), text).expect("written");
        }
        if self.has_changes {
            let changes = json!({ "query": self.query, "now": Timestamp(1) });
            fs::write(staged.join(CHANGES_JSON), changes.to_string()).expect("written");
            fs::write(staged.join(CHANGES_MD), "changes").expect("written");
        }
        staged
    }

    /// The files of a directory that has this report and nothing else.
    fn alone(&self) -> BTreeMap<String, Vec<u8>> {
        let dir = tempfile::tempdir().expect("a directory");
        publish(&self.stage(dir.path()), dir.path(), &mut || Ok(())).expect("published");
        assert_eq!(mismatches(dir.path(), None), Ok(Vec::new()), "{}", self.query);
        contents(dir.path())
    }
}

/// Every file below `dir` by its name, hidden staging directories left out.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![(dir.to_owned(), String::new())];
    while let Some((dir, prefix)) = dirs.pop() {
        for entry in fs::read_dir(&dir).expect("listed").flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().expect("a type").is_dir() {
                if !name.starts_with(".precis-") {
                    dirs.push((entry.path(), format!("{name}/")));
                }
            } else {
                found.insert(name, fs::read(entry.path()).expect("read"));
            }
        }
    }
    found
}

/// Publishes `new` over `old` and is killed before the change `at`; whether it was killed at all.
fn publish_and_kill(
    old: Option<&Edition>,
    new: &Edition,
    at: usize,
    own: &[(&str, &str)],
) -> (tempfile::TempDir, bool) {
    let dir = tempfile::tempdir().expect("a directory");
    if let Some(old) = old {
        publish(&old.stage(dir.path()), dir.path(), &mut || Ok(())).expect("published");
    }
    for (name, text) in own {
        fs::create_dir_all(dir.path().join(name).parent().expect("a parent")).expect("made");
        fs::write(dir.path().join(name), text).expect("written");
    }
    let mut changes = 0;
    let mut before = || {
        changes += 1;
        if changes > at { Err(io::Error::other("killed")) } else { Ok(()) }
    };
    let result = publish(&new.stage(dir.path()), dir.path(), &mut before);
    (dir, result.is_err())
}

/// What a program sees that reads `report.json` and the archive and knows of no pending report.
fn is_whole_for_a_script(dir: &Path) -> bool {
    let Ok(bytes) = fs::read(dir.join(REPORT_JSON)) else { return true };
    let report: Value = serde_json::from_slice(&bytes).expect("JSON");
    let rows = report["data"]["sources"].as_array().expect("rows");
    let there = contents(dir);
    rows.iter().all(|row| {
        let hex = row["source_text_hash"].as_str().expect("a hash").trim_start_matches("sha256:");
        there.keys().any(|name| name.starts_with(ARCHIVE) && name.ends_with(&format!("{hex}.txt")))
    })
}

#[test]
fn whenever_it_is_killed_the_old_or_new_report_is_whole() {
    let own = [("notes.txt", "mine"), ("archive/mine/notes.txt", "mine"), ("archive/a/notes.txt", "mine")];
    for (case, old, new) in [
        ("over an older one", Some(&OLD), &NEW),
        ("over one with changes", Some(&REFRESHED), &NEW),
        ("with changes over one without", Some(&NEW), &REFRESHED),
        ("over itself", Some(&OLD), &OLD),
        ("into an empty directory", None, &NEW),
    ] {
        let (first, second) = (old.map(Edition::alone).unwrap_or_default(), new.alone());
        for at in 0.. {
            let (dir, was_killed) = publish_and_kill(old, new, at, &own);
            let dir = dir.path();
            assert!(is_whole_for_a_script(dir), "{case}, change {at}");
            finish(dir).expect("finished");
            let mut found = contents(dir);
            for (name, text) in own {
                assert_eq!(found.remove(name).as_deref(), Some(text.as_bytes()), "{case}, change {at}: {name}");
            }
            assert!(found == first || found == second, "{case}, change {at}: {:?}", found.keys());
            assert!(was_killed || found == second, "{case}: nothing stopped it");
            if !found.is_empty() {
                assert_eq!(mismatches(dir, None), Ok(Vec::new()), "{case}, change {at}");
            }
            if !was_killed {
                assert!(at > 5, "{case}: only {at} changes");
                break;
            }
        }
    }
}

#[test]
fn verify_finishes_what_was_stopped_before_it_reads() {
    // The last changes but those that only remove: the page is new and report.json is old.
    let is_mixed = |dir: &Path| {
        let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap_or_default();
        read("report.md").contains("why now?") && read("report.json").contains("why then?")
    };
    let mut mixed =
        (0..).map(|at| publish_and_kill(Some(&OLD), &NEW, at, &[])).take_while(|(_, was_killed)| *was_killed);
    let (dir, _) = mixed.find(|(dir, _)| is_mixed(dir.path())).expect("one moment is between the two files");
    assert_eq!(mismatches(&dir.path().join(REPORT_JSON), None), Ok(Vec::new()));
    assert_eq!(contents(dir.path()), NEW.alone());
}

#[test]
fn the_next_publication_finishes_the_one_that_was_stopped() {
    for at in 0..12 {
        let (dir, _) = publish_and_kill(Some(&OLD), &NEW, at, &[]);
        publish(&REFRESHED.stage(dir.path()), dir.path(), &mut || Ok(())).expect("published");
        assert_eq!(contents(dir.path()), REFRESHED.alone(), "change {at}");
    }
}

#[test]
fn what_is_in_the_way_is_found_before_anything_is_changed() {
    let hex = ContentRef::from_bytes(b"A third text.").hex().to_owned();
    for (in_the_way, is_dir) in [(format!("archive/e/{hex}.txt"), true), ("archive/e".to_owned(), false)] {
        let dir = tempfile::tempdir().expect("a directory");
        publish(&OLD.stage(dir.path()), dir.path(), &mut || Ok(())).expect("published");
        let path = dir.path().join(&in_the_way);
        if is_dir { fs::create_dir_all(&path) } else { fs::write(&path, "mine") }.expect("made");
        let before = contents(dir.path());
        let staged = NEW.stage(dir.path());
        assert!(publish(&staged, dir.path(), &mut || Ok(())).is_err(), "{in_the_way}");
        assert!(staged.exists() && contents(dir.path()) == before, "{in_the_way}");
    }
}

#[cfg(unix)]
#[test]
fn a_foreign_pending_report_reaches_nothing_outside_its_directory() {
    let outside = tempfile::tempdir().expect("a directory");
    let name = format!("{}.txt", "0a".repeat(32));
    fs::write(outside.path().join(&name), "mine").expect("written");
    for removed in [json!(["../x"]), json!(["/etc/hosts"]), json!(["archive/../../x.txt"]), json!(["notes.txt"])] {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir(dir.path().join(PENDING)).expect("made");
        fs::write(dir.path().join(PENDING).join(REMOVED), removed.to_string()).expect("written");
        assert!(finish(dir.path()).is_err(), "{removed}");
    }
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir_all(dir.path().join(PENDING).join("archive/out")).expect("made");
    fs::create_dir(dir.path().join(ARCHIVE)).expect("made");
    std::os::unix::fs::symlink(outside.path(), dir.path().join("archive/out")).expect("linked");
    fs::write(dir.path().join(PENDING).join("archive/out").join(&name), "theirs").expect("written");
    fs::write(dir.path().join(PENDING).join(REMOVED), json!([format!("archive/out/{name}")]).to_string())
        .expect("written");
    assert!(finish(dir.path()).is_err());
    assert_eq!(fs::read(outside.path().join(&name)).expect("read"), b"mine");
}
