//! The user's own key, which marks the reports that this user's commands wrote.
//!
//! A seal shows that a report is as it was written, not who wrote it. A mark is made with a key that only this user can read, so the labels
//! in a marked report are the user's own.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use ring::hmac;

use super::sources::user_dir;
use crate::files::{self, FileLimits, Links};

/// Name of the key file in the user's data directory.
const NAME: &str = "report-key";
/// Length of the key, in bytes.
const KEY_BYTES: usize = 32;
/// Prefix of every mark.
const PREFIX: &str = "hmac-sha256:";

/// Permissions that nobody but the owner may have on the key.
const OTHERS: u32 = 0o077;

/// Returns the directory of what belongs to this user alone, which `environment` locates and which need not exist yet.
///
/// # Errors
/// There is no home directory.
pub fn user_data_dir(environment: &BTreeMap<String, String>) -> io::Result<PathBuf> {
    let dir = user_dir(environment, "XDG_DATA_HOME", ".local/share");
    let missing = || io::Error::new(ErrorKind::NotFound, "there is no home directory; set HOME or XDG_DATA_HOME");
    dir.map(|dir| dir.join("precis")).ok_or_else(missing)
}

/// The key with which this user's reports are marked. `Debug` does not print it.
pub struct UserKey(hmac::Key);

impl UserKey {
    /// Opens the key in `dir`, the user's [data directory](user_data_dir); makes it if it is missing.
    ///
    /// # Errors
    /// The key cannot be read or made, has another length, or other users may read it or write to its directory.
    pub fn open(dir: &Path) -> io::Result<Self> {
        files::private_dir(dir).map_err(io::Error::other)?;
        let path = dir.join(NAME);
        let told = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        if fs::symlink_metadata(&path).is_err() {
            make(dir, &path).map_err(told)?;
        }
        files::owner_only(&path).map_err(io::Error::other)?;
        let bytes = files::read_regular(&path, Links::Refused, FileLimits::bytes(KEY_BYTES as u64));
        let bytes = bytes.map_err(|error| told(error.into()))?;
        if bytes.len() != KEY_BYTES {
            return Err(told(io::Error::other(format!("expected {KEY_BYTES} bytes, got {}; remove it", bytes.len()))));
        }
        let mode = fs::symlink_metadata(&path).map_err(told)?.mode() & 0o777;
        if mode & OTHERS != 0 {
            return Err(told(io::Error::other(format!("others may use it (mode {mode:o}); remove it"))));
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    /// Returns the mark of a report with this seal.
    #[must_use]
    pub fn mark(&self, seal: &str) -> String {
        format!("{PREFIX}{}", hex(hmac::sign(&self.0, seal.as_bytes()).as_ref()))
    }

    /// Returns whether `mark` is this user's, for a report with this seal.
    #[must_use]
    pub fn has_marked(&self, seal: &str, mark: &str) -> bool {
        let tag = mark.strip_prefix(PREFIX).and_then(bytes);
        tag.is_some_and(|tag| hmac::verify(&self.0, seal.as_bytes(), &tag).is_ok())
    }
}

impl std::fmt::Debug for UserKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UserKey")
    }
}

/// Makes the key in one step: of commands that start together, all use the key of the first.
fn make(dir: &Path, path: &Path) -> io::Result<()> {
    let new = dir.join(format!(".{NAME}-{}", std::process::id()));
    // It may be left from a process of the same id that died.
    let _ = fs::remove_file(&new);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(&rand::random::<[u8; KEY_BYTES]>())?;
    file.sync_all()?;
    let linked = fs::hard_link(&new, path);
    fs::remove_file(&new)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let is_hex = hex.len().is_multiple_of(2) && hex.bytes().all(|digit| digit.is_ascii_hexdigit());
    let pairs = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok());
    if is_hex { pairs.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn key(dir: &tempfile::TempDir) -> UserKey {
        UserKey::open(dir.path()).expect("opened")
    }

    #[test]
    fn a_mark_is_the_users_alone_and_of_one_seal() {
        let (ours, theirs) = (tempfile::tempdir().expect("a home"), tempfile::tempdir().expect("a home"));
        let mark = key(&ours).mark("sha256:00");
        assert!(key(&ours).has_marked("sha256:00", &mark), "the key is made once");
        assert!(!key(&ours).has_marked("sha256:01", &mark));
        assert!(!key(&theirs).has_marked("sha256:00", &mark));
        for odd in ["", "hmac-sha256:", "hmac-sha256:0", "hmac-sha256:é", "sha256:00"] {
            assert!(!key(&ours).has_marked("sha256:00", odd), "{odd}");
        }
    }

    #[test]
    fn the_key_is_for_its_owner_and_is_printed_nowhere() {
        let dir = tempfile::tempdir().expect("a home");
        assert_eq!(format!("{:?}", key(&dir)), "UserKey");
        let path = dir.path().join(NAME);
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("changed");
        assert!(UserKey::open(dir.path()).is_err());
    }

    #[test]
    fn a_key_has_exactly_its_length() {
        let dir = tempfile::tempdir().expect("a home");
        key(&dir);
        for (length, is_opened) in [(KEY_BYTES - 1, false), (KEY_BYTES, true), (KEY_BYTES + 1, false)] {
            fs::write(dir.path().join(NAME), vec![7; length]).expect("written");
            assert_eq!(UserKey::open(dir.path()).is_ok(), is_opened, "{length}");
        }
    }

    #[test]
    fn the_directory_follows_the_environment() {
        let of = |pairs: &[(&str, &str)]| {
            let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            user_data_dir(&pairs.iter().map(pair).collect()).ok()
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("HOME", "/home/a")]), Some("/home/a/.local/share/precis".into()));
        assert_eq!(of(&[("HOME", "/home/a"), ("XDG_DATA_HOME", "/data")]), Some("/data/precis".into()));
    }
}
