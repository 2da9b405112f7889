//! Where corpora lie, and the one of a folder as it was published.

use std::path::{Path, PathBuf};

use precis_corpus::{Corpus, IndexPlace};
use precis_runtime::config::Settings;

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::log_where_asked;
use crate::commands::settings::load_settings;
use crate::documents::corpus::{failed, place_of};
use crate::wiring::run_cache;

/// The settings, and the directory of the user that corpora lie in.
pub(in crate::commands) fn cache(config: &ConfigArgs) -> Result<(Settings, PathBuf), CommandFailure> {
    let loaded = load_settings(config, Vec::new())?;
    log_where_asked(&loaded);
    let remedy = "set cache_dir to a directory of your own: --set cache_dir=DIR";
    let refused = |why: &str| {
        let message = format!("there is no place for an index: {why}");
        CommandFailure::new(Exit::Refused, "no_cache", message).with_remedy(remedy)
    };
    let dir = loaded.settings.cache.dir.clone().ok_or_else(|| refused("there is no home directory"))?;
    match run_cache::check(&loaded).map_err(|failure| failure.with_remedy(remedy))? {
        Some(distrust) => Err(refused(&distrust)),
        None => Ok((loaded.settings, dir)),
    }
}

/// The published index of a folder.
pub(super) fn open(config: &ConfigArgs, dir: &Path) -> Result<(IndexPlace, Corpus), CommandFailure> {
    let (_, cache) = cache(config)?;
    let place = place_of(&cache, dir)?;
    let corpus = Corpus::open(&place).map_err(|e| failed(&e, &place))?;
    Ok((place, corpus))
}
