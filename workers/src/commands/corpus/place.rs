//! The directory that holds the indexes, and the index of a folder.

use std::path::{Path, PathBuf};

use precis_corpus::{Corpus, IndexPlace};
use precis_runtime::config::Settings;

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::corpus::indexing::{failed, place_of};
use crate::commands::settings::load_settings;
use crate::commands::{log_where_asked, run_cache};

/// Returns the settings, and the cache directory of the user that holds the indexes.
pub(in crate::commands) fn cache(config: &ConfigArgs) -> Result<(Settings, PathBuf), CommandFailure> {
    let loaded = load_settings(config, Vec::new())?;
    log_where_asked(&loaded);
    let remedy = "set cache_dir to a directory of your own: --set cache_dir=DIR";
    let refused = |why: &str| {
        let message = format!("no directory to store the index in: {why}");
        CommandFailure::new(Exit::Refused, "no_cache", message).with_remedy(remedy)
    };
    let dir = loaded.settings.cache.dir.clone().ok_or_else(|| refused("there is no home directory"))?;
    match run_cache::check(&loaded).map_err(|failure| failure.with_remedy(remedy))? {
        Some(distrust) => Err(refused(&distrust)),
        None => Ok((loaded.settings, dir)),
    }
}

/// Opens the current index of a folder.
pub(super) fn open(config: &ConfigArgs, dir: &Path) -> Result<(IndexPlace, Corpus), CommandFailure> {
    let (_, cache) = cache(config)?;
    let place = place_of(&cache, dir)?;
    let corpus = Corpus::open(&place).map_err(|e| failed(&e, &place))?;
    Ok((place, corpus))
}
