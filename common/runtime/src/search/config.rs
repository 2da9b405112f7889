//! A search provider with everything needed to call it, and the errors of setting it up.

use std::fmt;
use std::time::Duration;

use secrecy::SecretString;

use super::kind::SearchKind;

/// Default seconds without an answer until a search is given up. Chosen: engines answer in a second or two.
pub(crate) const DEFAULT_TIMEOUT_SECONDS: f64 = 20.0;

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

    /// Checks that the contact or engine id that its kind requires is set.
    pub(crate) fn check(&self) -> Result<(), SearchSetupError> {
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
