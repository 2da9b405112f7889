//! Calls whose session is not submitted yet, on disk: a handle that a client was given stays one, however this process ends. The next one
//! prepares and submits the session under the same id.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use precis_proto::SessionId;
use precis_runtime::clock::unix_time;
use precis_runtime::files::{self, FileLimits, Links, read_regular};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::failure::ToolFailure;
use super::lines::MAX_LINE_BYTES;

/// Folder of the calls in the data folder.
const DIR: &str = "calls";
/// Largest file of a call, in bytes: its arguments came in one line.
const MAX_BYTES: u64 = 2 * MAX_LINE_BYTES as u64;

/// A call that opens a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptCall {
    /// The session it opens.
    pub(super) session: SessionId,
    /// The tenant that is charged; `None` for the default one. A server of another tenant leaves the call to one of this tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tenant: Option<String>,
    /// The tool.
    pub(super) tool: String,
    /// Its arguments.
    pub(super) arguments: Map<String, Value>,
    /// Why the session could not be submitted; it will not be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<ToolFailure>,
}

impl KeptCall {
    /// Writes the call, in place of what was kept of it before. Blocks.
    ///
    /// # Errors
    /// [`ToolFailure`] if the disk fails.
    pub(super) fn keep(&self, data: &Path) -> Result<(), ToolFailure> {
        let write = || -> std::io::Result<()> {
            let dir = data.join(DIR);
            files::private_dir(&dir).map_err(std::io::Error::other)?;
            let mut file = tempfile::NamedTempFile::new_in(&dir)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.as_file().sync_all()?;
            file.persist(place(data, &self.session))?;
            // The name survives a power failure only with its folder.
            std::fs::File::open(&dir)?.sync_all()
        };
        write().map_err(|error| ToolFailure::new("folder_failed", format!("write to the data folder: {error}")))
    }

    /// Removes what is kept of the call of `session`, which is submitted.
    pub(super) fn forget(data: &Path, session: &SessionId) {
        // A call that stays is submitted again under the same id, which changes nothing.
        let _ = std::fs::remove_file(place(data, session));
    }

    /// Returns all calls that are kept. A file that is no call is left out.
    pub(super) fn all(data: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(data.join(DIR)).into_iter().flatten().flatten();
        entries.filter_map(|entry| read(&entry.path())).collect()
    }

    /// Removes the calls that failed longer ago than `kept`. Blocks.
    pub(super) fn remove_failed(data: &Path, kept: Duration) {
        for entry in std::fs::read_dir(data.join(DIR)).into_iter().flatten().flatten() {
            let modified = entry.metadata().and_then(|metadata| metadata.modified()).ok();
            let since_epoch = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
            let is_old = unix_time().saturating_sub(since_epoch) > kept;
            if is_old && read(&entry.path()).is_some_and(|call| call.failure.is_some()) {
                // One that stays is removed by the next start.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Returns what is kept of the call of `session`.
    pub(super) fn of(data: &Path, session: &SessionId) -> Option<Self> {
        read(&place(data, session)).filter(|call| call.session == *session)
    }
}

fn read(path: &Path) -> Option<KeptCall> {
    let bytes = read_regular(path, Links::OnTheWay, FileLimits::bytes(MAX_BYTES)).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The file of a session. Ids may hold any characters, so the name is a hash.
fn place(data: &Path, session: &SessionId) -> PathBuf {
    data.join(DIR).join(precis_proto::ids::sha256_hex(session.as_str().as_bytes())).with_extension("json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_kept_until_forgotten_with_any_failure() {
        let dir = tempfile::tempdir().expect("a directory");
        let data = dir.path().join("data");
        files::private_dir(&data).expect("made");
        let id = |text: &str| SessionId::new(text).expect("an id");
        let arguments = serde_json::json!({ "question": "why?" }).as_object().expect("an object").clone();
        let tenant = Some("a".to_owned());
        let call = KeptCall { session: id("a/../b"), tenant, tool: "ask".to_owned(), arguments, failure: None };
        assert_eq!(KeptCall::of(&data, &call.session), None);
        call.keep(&data).expect("kept");
        assert_eq!(KeptCall::all(&data), std::slice::from_ref(&call));
        let failed = KeptCall { failure: Some(ToolFailure::new("not_found", "gone")), ..call };
        failed.keep(&data).expect("kept");
        std::fs::write(data.join(DIR).join("x.json"), "{").expect("written");
        assert_eq!(KeptCall::all(&data), std::slice::from_ref(&failed));
        assert_eq!(KeptCall::of(&data, &failed.session), Some(failed.clone()));
        assert_eq!(KeptCall::of(&data, &id("other")), None);
        KeptCall::forget(&data, &failed.session);
        assert_eq!(KeptCall::all(&data), []);
    }
    #[test]
    fn a_call_that_failed_is_kept_for_a_time() {
        let dir = tempfile::tempdir().expect("a directory");
        let failure = Some(ToolFailure::new("not_found", "gone"));
        let call = |id: &str, failure| KeptCall {
            session: SessionId::new(id).expect("an id"),
            tenant: None,
            tool: "ask".to_owned(),
            arguments: Map::new(),
            failure,
        };
        let hour = Duration::from_secs(3_600);
        for (id, failure, age) in
            [("young", failure.clone(), hour / 2), ("old", failure, 2 * hour), ("waits", None, 2 * hour)]
        {
            call(id, failure).keep(dir.path()).expect("kept");
            let file = std::fs::File::options().append(true).open(place(dir.path(), &call(id, None).session));
            file.and_then(|file| file.set_modified(UNIX_EPOCH + unix_time() - age)).expect("dated");
        }
        KeptCall::remove_failed(dir.path(), hour);
        let mut left: Vec<String> =
            KeptCall::all(dir.path()).into_iter().map(|call| call.session.to_string()).collect();
        left.sort();
        assert_eq!(left, ["waits", "young"]);
    }
}
