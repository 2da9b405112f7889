//! Where settings are read from: the files' name, the user's directories, the environment, flags.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Name of the file looked for in the working directory and in the user's configuration directory.
pub(super) const FILE_NAME: &str = "precis.toml";

/// Where settings are read from. Nothing else is looked at.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file as a flag names it. Without it: the one that `PRECIS_CONFIG` names, else `precis/precis.toml` in the user's
    /// configuration directory. `./precis.toml` counts where it is named, or the user trusts the folder.
    pub file: Option<PathBuf>,
    /// The process's environment.
    pub environment: BTreeMap<String, String>,
    /// Name of a flag, dotted key, value as text; later ones win.
    pub flags: Vec<(String, String, String)>,
}

/// A directory of the user's: `variable` where it holds an absolute path, as the XDG base directory specification wants it, else
/// `fallback` under the home directory.
pub(super) fn user_dir(environment: &BTreeMap<String, String>, variable: &str, fallback: &str) -> Option<PathBuf> {
    let named = environment.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| home(environment).map(|home| home.join(fallback)))
}

pub(super) fn home(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    environment.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}
