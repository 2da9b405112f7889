//! Loads the settings of a command: flags override the environment, which overrides files and defaults.

use std::collections::BTreeMap;

use precis_runtime::config::{self, LoadedSettings, Sources};

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};

/// A flag that sets a configuration key: its name as typed, the dotted key, the value as text.
pub(crate) type Flag = (String, String, String);

/// Loads the settings of this process: `args` and `flags` override environment, files and defaults.
///
/// # Errors
/// [`Exit::Usage`] with a list of all invalid settings.
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

/// Returns the environment of this process, without variables that are not Unicode.
pub(super) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect()
}
