//! What this user said about disclosure when they submitted a session, remembered on this machine. A fleet repeats it in its result, but
//! nothing proves that the fleet does so truthfully.

use std::fs::{self, DirEntry, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use precis_proto::SessionId;
use precis_proto::ids::sha256_hex;
use precis_proto::privacy::Privacy;
use precis_proto::response::{ReportData, Response};
use precis_proto::seal::seal;
use precis_runtime::clock::unix_time;
use precis_runtime::config::user_data_dir;
use precis_runtime::files::{self, FileLimits, Links, read_regular};

use super::mark;
use super::settings::environment;

/// Directory of the records in the user's data directory, one file per session and question.
const DIR: &str = "asked";
/// Largest record, in bytes.
const MAX_BYTES: u64 = 4_096;
/// How long a record is kept: as long as a fleet keeps results by default.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Remembers `privacy` for the question `query` of a session. What was said before about the same holds as well.
///
/// # Errors
/// There is no directory of this user's, or it cannot be written to.
pub(super) fn remember(session: &SessionId, query: &str, privacy: Privacy) -> io::Result<()> {
    remember_in(&dir()?, (session, query), privacy)
}

/// Returns what was said about the question of a session; `None` if it was not submitted from here, or too long ago.
pub(super) fn recall(session: &SessionId, query: &str) -> Option<Privacy> {
    recall_in(&dir().ok()?, (session, query))
}

/// Returns the label of a session of a fleet: what the fleet says restricts, and only what this user said permits.
pub(super) fn label(data: &ReportData, asked: Option<Privacy>) -> Privacy {
    let said = data.privacy.unwrap_or_default();
    asked.map_or(said.from_elsewhere(), |asked| asked.tighten_with(Privacy { public: asked.public, ..said }))
}

/// Returns the result of a fleet with the label of this user, and their mark. A result whose seal is not that of its data stays as it is.
pub(super) fn label_response(mut response: Response, session: &SessionId, quiet: bool) -> Response {
    let Some(data) = response.data.as_mut().filter(|data| response.seal.is_some() && response.seal == seal(data))
    else {
        return response;
    };
    data.privacy = Some(label(data, recall(session, &data.query)));
    response.seal = seal(data);
    mark::add(&mut response, quiet);
    response
}

fn dir() -> io::Result<PathBuf> {
    Ok(user_data_dir(&environment())?.join(DIR))
}

fn remember_in(dir: &Path, about: (&SessionId, &str), privacy: Privacy) -> io::Result<()> {
    files::private_dir(dir).map_err(io::Error::other)?;
    let privacy = recall_in(dir, about).map_or(privacy, |earlier| earlier.tighten_with(privacy));
    remove_old(dir)?;
    let name = name(about);
    let new = dir.join(format!(".{name}-{}", std::process::id()));
    // It may be left from a process of the same id that died.
    let _ = fs::remove_file(&new);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(&serde_json::to_vec(&privacy)?)?;
    fs::rename(&new, dir.join(name))
}

fn recall_in(dir: &Path, about: (&SessionId, &str)) -> Option<Privacy> {
    files::private_dir(dir).ok()?;
    let bytes = read_regular(&dir.join(name(about)), Links::Refused, FileLimits::bytes(MAX_BYTES)).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The question is part of the name: somebody else may hold the session id, with another question.
fn name((session, query): (&SessionId, &str)) -> String {
    sha256_hex(format!("{session}\n{query}").as_bytes())
}

fn remove_old(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)?.flatten().filter(is_old) {
        // Another command may have removed it.
        let _ = fs::remove_file(entry.path());
    }
    Ok(())
}

fn is_old(entry: &DirEntry) -> bool {
    let written = entry.metadata().and_then(|metadata| metadata.modified());
    let written = written.ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    written.is_some_and(|written| unix_time().saturating_sub(written) > KEPT)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    const OPEN: Privacy = Privacy { confidential_query: false, public: false, strict_privacy: false };
    const CONFIDENTIAL: Privacy = Privacy { confidential_query: true, ..OPEN };
    const PUBLIC: Privacy = Privacy { public: true, ..OPEN };

    fn session(id: &str) -> SessionId {
        SessionId::new(id).expect("an id")
    }

    #[test]
    fn what_was_asked_is_recalled_for_that_session_and_question_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        let (one, two) = (session("one"), session("two"));
        remember_in(dir.path(), (&one, "Who?"), OPEN).expect("written");
        assert_eq!(recall_in(dir.path(), (&one, "Who?")), Some(OPEN));
        assert_eq!(recall_in(dir.path(), (&one, "Why?")), None);
        assert_eq!(recall_in(dir.path(), (&two, "Who?")), None);
        remember_in(dir.path(), (&one, "Who?"), CONFIDENTIAL).expect("written");
        remember_in(dir.path(), (&one, "Who?"), OPEN).expect("written");
        assert_eq!(recall_in(dir.path(), (&one, "Who?")), Some(CONFIDENTIAL), "the tighter word holds");
    }

    #[test]
    fn a_record_is_kept_for_its_time_and_no_longer() {
        let dir = tempfile::tempdir().expect("a directory");
        for (age, is_kept) in [(KEPT - Duration::from_secs(60), true), (KEPT + Duration::from_secs(60), false)] {
            remember_in(dir.path(), (&session("old"), "Who?"), OPEN).expect("written");
            let record = File::options().write(true).open(dir.path().join(name((&session("old"), "Who?"))));
            record.expect("there").set_modified(SystemTime::UNIX_EPOCH + unix_time() - age).expect("set");
            remember_in(dir.path(), (&session("new"), "Who?"), OPEN).expect("written");
            assert_eq!(recall_in(dir.path(), (&session("old"), "Who?")).is_some(), is_kept, "{age:?}");
        }
    }

    #[test]
    fn a_fleet_restricts_what_was_asked_and_permits_nothing() {
        let data = |privacy| {
            let mut data = crate::report::sample::report(Vec::new()).data.expect("a report");
            data.privacy = privacy;
            data
        };
        for (said, asked, expected) in [
            (Some(OPEN), Some(OPEN), OPEN),
            (Some(OPEN), Some(CONFIDENTIAL), CONFIDENTIAL),
            (Some(OPEN), None, CONFIDENTIAL),
            (Some(PUBLIC), Some(OPEN), OPEN),
            (Some(PUBLIC), Some(PUBLIC), PUBLIC),
            (Some(PUBLIC), None, CONFIDENTIAL),
            (Some(CONFIDENTIAL), Some(OPEN), CONFIDENTIAL),
            (None, Some(PUBLIC), PUBLIC),
            (None, None, CONFIDENTIAL),
        ] {
            assert_eq!(label(&data(said), asked), expected, "{said:?} {asked:?}");
        }
    }
}
