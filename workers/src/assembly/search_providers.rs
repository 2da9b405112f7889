//! Sets up search providers from settings and environment.

use std::time::Duration;

use precis_runtime::config::Settings;
use precis_runtime::search::{SearchPolicy, SearchProviderConfig, SearchSetupError, Searches};
use precis_runtime::store::Store;

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::suggestion;
use crate::options::tenants;

/// Sets up the providers of `names` from settings and environment. Does not connect.
///
/// # Errors
/// [`Exit::Usage`] names the provider, what is missing and where to set it.
pub fn searches(settings: &Settings, names: &[String], store: Store) -> Result<Searches, CommandFailure> {
    let config = |name: &String| provider(settings, name);
    let configs = names.iter().map(config).collect::<Result<Vec<_>, CommandFailure>>()?;
    let policy = SearchPolicy {
        cache_ttl: Duration::from_secs_f64(settings.search.cache_ttl_seconds),
        tenants: tenants(settings),
        ..SearchPolicy::default()
    };
    Searches::new(&configs, store, policy).map_err(|error| failure(&error))
}

/// Sets up the providers of a worker: those its configuration names. Skips and logs one that cannot be set up; requests that name it are
/// refused.
///
/// # Errors
/// [`Exit::Usage`] if the remaining providers cannot be set up together.
pub fn of_worker(settings: &Settings, store: Store) -> Result<Searches, CommandFailure> {
    let mut usable = Vec::new();
    for name in settings.search.search.providers.keys() {
        match provider(settings, name) {
            Ok(_) => usable.push(name.clone()),
            Err(failure) => tracing::warn!(
                name,
                reason = failure.message,
                "a search provider cannot be set up; requests that name it are refused"
            ),
        }
    }
    searches(settings, &usable, store)
}

/// Returns the provider called `name`, with its key from the environment of this process.
///
/// # Errors
/// As [`searches`].
pub fn provider(settings: &Settings, name: &str) -> Result<SearchProviderConfig, CommandFailure> {
    let read = |variable: &str| std::env::var(variable).ok();
    settings.search.search.resolve(name, read).map_err(|error| failure(&error))
}

fn failure(error: &SearchSetupError) -> CommandFailure {
    let (code, remedy) = match error {
        SearchSetupError::UnknownProvider { name, known } => {
            let near = suggestion::nearest(name, known.iter().map(String::as_str));
            ("unknown_search_provider", near.map(|near| format!("--provider {near}")))
        }
        SearchSetupError::MissingKey { variable, .. } => ("missing_key", Some(format!("export {variable}=…"))),
        SearchSetupError::MissingContact { name, .. } => {
            ("missing_contact", Some(format!("--set search.providers.{name}.contact=you@example.org")))
        }
        SearchSetupError::MissingEngine { name } => {
            ("missing_engine", Some(format!("--set search.providers.{name}.cx=ID")))
        }
        SearchSetupError::MissingAddress { name } => {
            ("missing_address", Some(format!("--set search.providers.{name}.base_url=http://localhost:8888")))
        }
        SearchSetupError::Invalid { .. } => ("invalid_configuration", None),
    };
    let failure = CommandFailure::new(Exit::Usage, code, error.to_string());
    match remedy {
        Some(remedy) => failure.with_remedy(remedy),
        None => failure,
    }
}

#[cfg(test)]
mod tests {
    use precis_runtime::store::MemoryStore;

    use super::*;

    #[test]
    fn what_is_missing_is_a_fault_of_usage_with_its_remedy() {
        for (name, code, remedy) in [
            ("tavly", "unknown_search_provider", Some("--provider tavily")),
            ("bing", "unknown_search_provider", None),
            ("wikipedia", "missing_contact", Some("--set search.providers.wikipedia.contact=you@example.org")),
            ("searxng", "missing_address", Some("--set search.providers.searxng.base_url=http://localhost:8888")),
        ] {
            let store = Store::Memory(MemoryStore::new());
            let failure = searches(&Settings::default(), &[name.to_owned()], store).expect_err("something is missing");
            assert_eq!((failure.exit, failure.code, failure.remedy.as_deref()), (Exit::Usage, code, remedy));
        }
    }
}
