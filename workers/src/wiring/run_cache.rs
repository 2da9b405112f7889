//! Whether answers are kept between runs: where there is a directory for them, and nobody else decides what lies in it.

use precis_runtime::config::{LoadedSettings, Provenance};
use precis_runtime::files::{self, Unsafe};

use crate::cli::exit::{CommandFailure, Exit};

/// What a user is told who has no home directory.
const NO_HOME: &str = "there is no home directory, so nothing is kept between runs; set cache_dir to a directory of your own, or \
                       pass --no-cache to say that this is fine";

/// Whether the cache of `loaded` may be used; where not, the warning that says why. Makes the directory.
///
/// # Errors
/// [`Exit::Refused`] where a directory that somebody chose belongs to another user or can be written by others. The usual one is only
/// left alone then.
pub fn check(loaded: &LoadedSettings) -> Result<Option<String>, CommandFailure> {
    let Some(dir) = &loaded.settings.cache.dir else { return Ok(Some(NO_HOME.to_owned())) };
    let error = match files::private_dir(dir) {
        // A directory that cannot be written to costs repeated work, which the run itself says.
        Ok(()) | Err(Unsafe::Io { .. }) => return Ok(None),
        Err(error) => error,
    };
    if loaded.origin("cache_dir") == Provenance::Default {
        return Ok(Some(format!("nothing is kept between runs: {error}")));
    }
    let failure =
        CommandFailure::new(Exit::Refused, "unsafe_cache", format!("the cache directory cannot be trusted: {error}"));
    Err(failure.with_remedy("make it yours alone (chmod 700), name another with cache_dir, or pass --no-cache"))
}
