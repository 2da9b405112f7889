//! A provider as resolved from configuration and environment, and why it cannot be.

use std::fmt;
use std::time::Duration;

use secrecy::SecretString;

use super::kind::SearchKind;
use crate::config::{DEFAULT_TIMEOUT_SECONDS, SearchProviderSettings, Settings};
use crate::model::key_from;

/// A search provider with everything it takes to ask it. `Debug` shows its name and its kind: an address may hold a password.
#[derive(Clone)]
pub struct SearchProviderConfig {
    /// What calls name it by.
    pub name: String,
    /// What it speaks.
    pub kind: SearchKind,
    /// Address that the paths of requests are added to.
    pub base_url: String,
    /// Its key.
    pub api_key: Option<SecretString>,
    /// The environment variable of its key, to be named where the key is refused.
    pub key_variable: Option<String>,
    /// Where whoever runs this can be reached, for providers that ask.
    pub contact: Option<String>,
    /// The engine of a Google search.
    pub cx: Option<String>,
    /// Requests a minute, in the whole fleet; without it what is known of the kind.
    pub requests_per_minute: Option<u64>,
    /// US dollars of a call, at least 0.
    pub usd_per_call: f64,
    /// Longest wait for a whole answer.
    pub timeout: Duration,
}

/// Why search providers cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchSetupError {
    /// Nobody knows a provider of this name.
    #[error("no search provider is called `{name}`: expected one of {}, or a table [search.providers.{name}]", known.join(", "))]
    UnknownProvider {
        /// As it was asked for.
        name: String,
        /// Names there are.
        known: Vec<String>,
    },
    /// Its key is not in the environment.
    #[error("search provider `{name}` needs its key in the environment variable {variable}, which is not set")]
    MissingKey {
        /// The provider.
        name: String,
        /// The variable.
        variable: String,
    },
    /// It wants to know whom to write to.
    #[error(
        "search provider `{name}` needs a contact for its User-Agent, as {kind} demands: set `contact` in [search.providers.{name}] to an \
         address or a page where you can be reached"
    )]
    MissingContact {
        /// The provider.
        name: String,
        /// What it speaks.
        kind: SearchKind,
    },
    /// Google's engine is not named.
    #[error("search provider `{name}` needs the id of its engine: set `cx` in [search.providers.{name}]")]
    MissingEngine {
        /// The provider.
        name: String,
    },
    /// There are many of its kind.
    #[error("search provider `{name}` needs an address: set `base_url` in [search.providers.{name}] to your instance")]
    MissingAddress {
        /// The provider.
        name: String,
    },
    /// A value makes no sense.
    #[error("search.providers.{name}.{key}: {reason}")]
    Invalid {
        /// The provider.
        name: String,
        /// The key at fault.
        key: &'static str,
        /// What is wrong with its value.
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

    /// The provider called `name` in `settings`, its key as `read` finds it in the environment.
    ///
    /// # Errors
    /// [`SearchSetupError`] says what is missing, and where it is to be set.
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

    /// What its kind demands, and is not a matter of addresses.
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
