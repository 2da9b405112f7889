//! Decides whether answers are kept between runs: only if there is a cache directory that no other user can write to.

use precis_runtime::config::{LoadedSettings, Provenance};
use precis_runtime::files::{self, Unsafe};

use crate::cli::exit::{CommandFailure, Exit};

/// The warning if there is no home directory.
const NO_HOME: &str = "there is no home directory, so nothing is kept between runs; set cache_dir to a directory of your own, or \
                       pass --no-cache to silence this warning";

/// Creates the cache directory of `loaded`; returns a warning with the reason if it must not be used.
///
/// # Errors
/// [`Exit::Refused`] if a configured directory belongs to another user or can be written by others. For the default directory this is only
/// a warning.
pub(super) fn check(loaded: &LoadedSettings) -> Result<Option<String>, CommandFailure> {
    let Some(dir) = &loaded.settings.cache.dir else { return Ok(Some(NO_HOME.to_owned())) };
    let error = match files::private_dir(dir) {
        // Not an error here: an unwritable directory only costs repeated work, and the run reports it.
        Ok(()) | Err(Unsafe::Io { .. }) => return Ok(None),
        Err(error) => error,
    };
    if loaded.origin("cache_dir") == Provenance::Default {
        return Ok(Some(format!("nothing is kept between runs: {error}")));
    }
    let failure =
        CommandFailure::new(Exit::Refused, "unsafe_cache", format!("the cache directory cannot be trusted: {error}"));
    Err(failure
        .with_remedy("restrict it to your user (chmod 700), set cache_dir to another directory, or pass --no-cache"))
}
