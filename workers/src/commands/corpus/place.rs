//! The directory that holds the indexes, and the index of a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use precis_corpus::{Corpus, IndexPlace};
use precis_runtime::config::{LoadedSettings, Settings};

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::corpus::indexing::{corpus_failure, place_of};
use crate::commands::settings::load_settings;
use crate::commands::{log_where_asked, run_cache};
use crate::meaning::{LoadedModel, ModelOfMeaning, ServedModel};

/// Returns the settings, and the cache directory of the user that holds the indexes.
pub(in crate::commands) fn cache(config: &ConfigArgs) -> Result<(Settings, PathBuf), CommandFailure> {
    let loaded = load_settings(config, Vec::new())?;
    log_where_asked(&loaded);
    let dir = cache_dir(&loaded)?;
    Ok((loaded.settings, dir))
}

/// Returns the cache directory of the user that holds the indexes.
pub(in crate::commands) fn cache_dir(loaded: &LoadedSettings) -> Result<PathBuf, CommandFailure> {
    let remedy = "set cache_dir to a directory of your own: --set cache_dir=DIR";
    let refused = |why: &str| {
        let message = format!("no directory to store the index in: {why}");
        CommandFailure::new(Exit::Refused, "no_cache", message).with_remedy(remedy)
    };
    let dir = loaded.settings.cache.dir.clone().ok_or_else(|| refused("there is no home directory"))?;
    match run_cache::check(loaded).map_err(|failure| failure.with_remedy(remedy))? {
        Some(distrust) => Err(refused(&distrust)),
        None => Ok(dir),
    }
}

/// Opens the current index of a folder.
pub(super) fn open(config: &ConfigArgs, dir: &Path) -> Result<(Settings, IndexPlace, Corpus), CommandFailure> {
    let (settings, cache) = cache(config)?;
    let place = place_of(&cache, dir)?;
    let corpus = Corpus::open(&place).map_err(|e| corpus_failure(&e, &place))?;
    Ok((settings, place, corpus))
}

/// Returns the configured model of meaning if `corpus` has vectors of it.
pub(in crate::commands) fn search_model(
    settings: &Settings,
    corpus: &Corpus,
) -> Result<Option<ModelOfMeaning>, CommandFailure> {
    let keys = &settings.meaning.meaning;
    let unusable = |why: String| {
        CommandFailure::new(Exit::Refused, "no_meaning_model", why)
            .with_remedy("add the model with `precis model add`, or search by words alone with --set meaning.model=off")
    };
    let is_of = |key: &str| corpus.compared_by().is_some_and(|(model, _)| model == key);
    if let Some(served) = ServedModel::from_settings(settings) {
        let model = ModelOfMeaning::Served(Arc::new(served));
        return Ok(Some(model).filter(|model| is_of(model.key())));
    }
    let found = LoadedModel::find_configured(keys).map_err(|error| unusable(error.to_string()))?;
    if found.is_none_or(|kept| !is_of(&kept.hash)) {
        return Ok(None);
    }
    let loaded = LoadedModel::from_keys(keys).map_err(|error| unusable(error.to_string()))?;
    Ok(loaded.map(ModelOfMeaning::Loaded))
}
