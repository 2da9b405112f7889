//! The settings of a command: its flags over the environment, the files and the defaults.

use std::collections::BTreeMap;

use precis_runtime::config::{self, LoadedSettings, Sources};

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};

/// A flag that is a setting: its name as typed, the dotted key, the value as text.
pub(crate) type Flag = (String, String, String);

/// Loads the settings of this process: `args`, then `flags`, over environment, file and defaults.
///
/// # Errors
/// [`Exit::Usage`] lists everything that is wrong with them.
pub(crate) fn load_settings(args: &ConfigArgs, flags: Vec<Flag>) -> Result<LoadedSettings, CommandFailure> {
    let usage = |message: String| CommandFailure::new(Exit::Usage, "invalid_configuration", message);
    let mut all = Vec::new();
    for set in &args.set {
        let (key, value) =
            set.split_once('=').ok_or_else(|| usage(format!("--set {set}: expected KEY=VALUE, such as html=full")))?;
        all.push((format!("--set {}", key.trim()), key.trim().to_owned(), value.to_owned()));
    }
    all.extend(flags);
    let sources = Sources { file: args.config.clone(), environment: environment(), flags: all };
    config::load(&sources).map_err(|error| usage(error.to_string()))
}

/// The environment of this process; a variable that is not Unicode is none of ours.
pub(super) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect()
}
