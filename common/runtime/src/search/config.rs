//! The configuration of a search provider, resolved from settings and environment, and the errors of resolving it.

use std::fmt;
use std::time::Duration;

use secrecy::SecretString;

use super::kind::SearchKind;
use crate::config::{DEFAULT_TIMEOUT_SECONDS, SearchProviderSettings, Settings};
use crate::model::key_from;

/// A search provider with everything needed to call it. `Debug` shows only its name and kind, since a URL may contain a password.
#[derive(Clone)]
pub struct SearchProviderConfig {
    /// Its name in search calls.
    pub name: String,
    /// Its API.
    pub kind: SearchKind,
    /// Base URL of its requests.
    pub base_url: String,
    /// Its API key.
    pub api_key: Option<SecretString>,
    /// The environment variable of its key; named in the remedy if the key is refused.
    pub key_variable: Option<String>,
    /// The operator's contact, for providers that require one.
    pub contact: Option<String>,
    /// The id of a Google search engine.
    pub cx: Option<String>,
    /// Requests per minute over the whole fleet; `None` for the known limit of the kind.
    pub requests_per_minute: Option<u64>,
    /// US dollars per call, at least 0.
    pub usd_per_call: f64,
    /// Longest wait for a complete answer.
    pub timeout: Duration,
}

/// An error of setting up search providers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchSetupError {
    /// No provider has this name.
    #[error("no search provider is called `{name}`: expected one of {}, or a table [search.providers.{name}]", known.join(", "))]
    UnknownProvider {
        /// The requested name.
        name: String,
        /// The known names.
        known: Vec<String>,
    },
    /// The variable of its key is not set.
    #[error("search provider `{name}` needs its key in the environment variable {variable}, which is not set")]
    MissingKey {
        /// The provider.
        name: String,
        /// The variable.
        variable: String,
    },
    /// The provider requires a contact.
    #[error(
        "search provider `{name}` needs a contact, which {kind} requires in the User-Agent: set `contact` in [search.providers.{name}] to \
         a mail address or a web page where you can be reached"
    )]
    MissingContact {
        /// The provider.
        name: String,
        /// Its API.
        kind: SearchKind,
    },
    /// The id of the Google search engine is missing.
    #[error("search provider `{name}` needs the id of its engine: set `cx` in [search.providers.{name}]")]
    MissingEngine {
        /// The provider.
        name: String,
    },
    /// The kind has no default address.
    #[error(
        "search provider `{name}` needs an address: set `base_url` in [search.providers.{name}] to that of your instance"
    )]
    MissingAddress {
        /// The provider.
        name: String,
    },
    /// A value is invalid.
    #[error("search.providers.{name}.{key}: {reason}")]
    Invalid {
        /// The provider.
        name: String,
        /// The key at fault.
        key: &'static str,
        /// Why its value is invalid.
        reason: String,
    },
}

impl fmt::Debug for SearchProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchProviderConfig")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl SearchProviderConfig {
    /// A provider of `kind` at `base_url`, without key, contact and price.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: SearchKind, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            base_url: base_url.into(),
            api_key: None,
            key_variable: None,
            contact: None,
            cx: None,
            requests_per_minute: None,
            usd_per_call: 0.0,
            timeout: Duration::from_secs_f64(DEFAULT_TIMEOUT_SECONDS),
        }
    }

    /// Resolves the provider called `name` in `settings`, reading its key from the environment through `read`.
    ///
    /// # Errors
    /// [`SearchSetupError`] names what is missing and where to set it.
    pub fn from_settings(
        settings: &Settings,
        name: &str,
        read: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, SearchSetupError> {
        let providers = &settings.search.search;
        let Some(SearchProviderSettings { kind: Some(kind), .. }) = providers.provider(name) else {
            return Err(SearchSetupError::UnknownProvider { name: name.to_owned(), known: providers.names() });
        };
        let found = providers.provider(name).unwrap_or_default();
        let named = || name.to_owned();
        let key = match found.key_variable(kind) {
            Some((variable, is_needed)) => match key_from(name, variable, read) {
                Ok(key) => key,
                Err(_) if !is_needed => None,
                Err(_) => return Err(SearchSetupError::MissingKey { name: named(), variable: variable.to_owned() }),
            },
            None => None,
        };
        let base_url = found.base_url.as_ref().map(|url| url.expose().to_owned());
        let config = Self {
            api_key: key,
            key_variable: found.key_variable(kind).map(|(variable, _)| variable.to_owned()),
            contact: found.contact.clone().filter(|contact| !contact.trim().is_empty()),
            cx: found.cx.clone().filter(|cx| !cx.trim().is_empty()),
            requests_per_minute: found.requests_per_minute,
            usd_per_call: found.usd_per_call.unwrap_or(kind.list_price_usd()),
            timeout: Duration::from_secs_f64(found.timeout_seconds),
            ..Self::new(name, kind, base_url.ok_or_else(|| SearchSetupError::MissingAddress { name: named() })?)
        };
        config.check()?;
        Ok(config)
    }

    /// Checks that the contact or engine id that its kind requires is set.
    pub(super) fn check(&self) -> Result<(), SearchSetupError> {
        let name = || self.name.clone();
        if self.kind == SearchKind::Wikipedia && self.contact.is_none() {
            return Err(SearchSetupError::MissingContact { name: name(), kind: self.kind });
        }
        if self.kind == SearchKind::Google && self.cx.is_none() {
            return Err(SearchSetupError::MissingEngine { name: name() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(toml: &str, name: &str, variables: &[&str]) -> Result<SearchProviderConfig, String> {
        let settings: Settings = toml::from_str(toml).expect("settings");
        let read = |name: &str| variables.contains(&name).then(|| "hidden".to_owned());
        SearchProviderConfig::from_settings(&settings, name, read).map_err(|error| error.to_string())
    }

    #[test]
    fn a_known_kind_needs_its_key_at_most() {
        for kind in SearchKind::ALL {
            let with_key = of("", kind.as_str(), &[kind.key_variable()]);
            let without = of("", kind.as_str(), &[]);
            match kind {
                SearchKind::Searxng => assert!(without.expect_err("no address").contains("base_url")),
                SearchKind::Wikipedia => {
                    assert!(without.expect_err("no contact").contains("set `contact` in [search.providers.wikipedia]"))
                }
                SearchKind::Google => assert!(with_key.expect_err("no engine").contains("`cx`")),
                _ if kind.needs_key() => {
                    assert!(without.expect_err("no key").contains(kind.key_variable()), "{kind}");
                    assert!(with_key.expect("a provider").api_key.is_some());
                }
                _ => assert!(without.expect("a provider").api_key.is_none(), "{kind}"),
            }
        }
        assert!(of("", "semantic_scholar", &["SEMANTIC_SCHOLAR_API_KEY"]).expect("a provider").api_key.is_some());
    }

    #[test]
    fn a_table_says_what_differs() {
        let toml = "[search.providers.house]\nkind = 'tavily'\nbase_url = 'http://localhost:1'\napi_key_env = ''\nusd_per_call = 0.5\n\
                    [search.providers.crossref]\ncontact = ' '\n[search.providers.openalex]\napi_key_env = 'MY_KEY'";
        let house = of(toml, "house", &[]).expect("a provider");
        assert_eq!(
            (house.kind, house.base_url.as_str(), house.usd_per_call),
            (SearchKind::Tavily, "http://localhost:1/", 0.5)
        );
        assert!(house.api_key.is_none() && house.key_variable.is_none());
        assert_eq!(of(toml, "crossref", &[]).expect("a provider").contact, None);
        assert!(of(toml, "openalex", &["OPENALEX_API_KEY"]).expect_err("the key that was named").contains("MY_KEY"));
        let unknown = of(toml, "travily", &[]).expect_err("nobody");
        assert!(
            unknown.contains("no search provider is called `travily`") && unknown.contains("tavily, wikipedia"),
            "{unknown}"
        );
        assert!(!format!("{:?}", of("", "tavily", &["TAVILY_API_KEY"])).contains("hidden"));
    }
}
