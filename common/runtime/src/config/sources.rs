//! Where settings are read from: file name, user directories, environment, flags.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Name of the file looked for in the working directory and in the user's configuration directory.
pub(super) const FILE_NAME: &str = "precis.toml";

/// Everything settings are read from.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file named by a flag. Without it: the file `PRECIS_CONFIG` names, else `precis/precis.toml` in the user's configuration
    /// directory. `./precis.toml` is used only if it is named or the user trusts the folder.
    pub file: Option<PathBuf>,
    /// The process's environment.
    pub environment: BTreeMap<String, String>,
    /// Flag name, dotted key and value as text; later ones win.
    pub flags: Vec<(String, String, String)>,
}

/// Returns a user directory: the value of `variable` if it is an absolute path, as the XDG base directory specification requires, else
/// `fallback` under the home directory; `None` without a home directory.
pub(super) fn user_dir(environment: &BTreeMap<String, String>, variable: &str, fallback: &str) -> Option<PathBuf> {
    let named = environment.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| home(environment).map(|home| home.join(fallback)))
}

pub(super) fn home(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    environment.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}
