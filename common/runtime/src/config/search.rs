//! Search providers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::provider::is_variable;
use crate::search::{DEFAULT_TIMEOUT_SECONDS, SearchKind};
use crate::secret_url::SecretUrl;

/// Searching.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchSettings {
    /// The tables below `search`.
    pub search: SearchTables,
    /// Seconds for which the answer of a search provider is reused by other sessions of the tenant; 0 disables it. A session always
    /// reuses its own answers.
    #[serde(rename = "search_cache_ttl")]
    #[schemars(range(min = 0.0, max = 2_592_000.0))]
    pub cache_ttl_seconds: f64,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self { search: SearchTables::default(), cache_ttl_seconds: 3_600.0 }
    }
}

/// The tables below `search`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchTables {
    /// Search providers by name. `tavily`, `brave`, `exa`, `semantic_scholar`, `openalex`, `crossref`, `arxiv` and `perplexity` need no
    /// entry; `wikipedia` needs `contact`, `searxng` `base_url`, `google` `cx`. A provider is used only if a command or a request names
    /// it.
    pub providers: BTreeMap<String, SearchProviderSettings>,
}

/// A search provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchProviderSettings {
    /// API of the provider. Default: the one with the name of the table.
    pub kind: Option<SearchKind>,
    /// Base URL. Default: the vendor's; `searxng` has no default.
    pub base_url: Option<SecretUrl>,
    /// Environment variable that holds the API key; empty if the provider needs none. Default: `TAVILY_API_KEY`, `BRAVE_API_KEY`,
    /// `EXA_API_KEY`, `SEMANTIC_SCHOLAR_API_KEY`, `OPENALEX_API_KEY`, `PERPLEXITY_API_KEY`, `GOOGLE_API_KEY`.
    pub api_key_env: Option<String>,
    /// Requests per minute over the whole fleet. Default: the known limit of the provider. `arxiv` never gets more than one request in
    /// three seconds.
    #[schemars(range(min = 1))]
    pub requests_per_minute: Option<u64>,
    /// US dollars per search, for ceilings and the ledger, if the provider does not report its price. Default: the list price.
    #[schemars(range(min = 0.0))]
    pub usd_per_call: Option<f64>,
    /// A mail address or web page where you can be reached, sent to the provider. `wikipedia` requires it; `crossref` and `openalex`
    /// serve requests that name one better.
    pub contact: Option<String>,
    /// `google` only: id of the search engine.
    pub cx: Option<String>,
    /// Seconds without an answer until a search is given up.
    #[serde(rename = "timeout")]
    #[schemars(range(min = 1.0, max = 600.0))]
    pub timeout_seconds: f64,
}

impl Default for SearchProviderSettings {
    fn default() -> Self {
        Self {
            kind: None,
            base_url: None,
            api_key_env: None,
            requests_per_minute: None,
            usd_per_call: None,
            contact: None,
            cx: None,
            timeout_seconds: DEFAULT_TIMEOUT_SECONDS,
        }
    }
}

impl SearchProviderSettings {
    /// Returns the variable that holds the API key, and whether it must be set: if the table names it, or the kind requires a key.
    /// `None` if the provider needs no key.
    #[must_use]
    pub fn key_variable(&self, kind: SearchKind) -> Option<(&str, bool)> {
        match self.api_key_env.as_deref() {
            Some("") => None,
            Some(named) => Some((named, true)),
            None => Some((kind.key_variable(), kind.needs_key())).filter(|(variable, _)| !variable.is_empty()),
        }
    }

    /// Returns the first key whose value is invalid, and the expected value.
    fn fault(&self, kind: Option<SearchKind>) -> Option<(&'static str, String)> {
        let Some(kind) = kind else {
            let known = SearchKind::ALL.map(SearchKind::as_str).join(", ");
            return Some(("kind", format!("one of {known} (required, since the table has none of these names)")));
        };
        let is_web = |url: &SecretUrl| matches!(url.scheme(), "http" | "https");
        let is_named = |variable: &String| variable.is_empty() || is_variable(variable);
        let is_line = |text: &String| text.len() <= 200 && !text.chars().any(char::is_control);
        if self.base_url.as_ref().is_some_and(|url| !is_web(url)) {
            Some(("base_url", "an address that starts with http:// or https://".to_owned()))
        } else if self.base_url.is_none() && kind.home().is_none() {
            Some(("base_url", "the address of your instance, such as http://localhost:8888".to_owned()))
        } else if !self.api_key_env.as_ref().is_none_or(is_named) {
            Some(("api_key_env", "the name of an environment variable, never the key itself".to_owned()))
        } else if !self.contact.as_ref().is_none_or(is_line) {
            Some(("contact", "a mail address or a page, on one line of at most 200 bytes".to_owned()))
        } else {
            None
        }
    }
}

impl SearchTables {
    /// Returns the provider called `name` with its kind and base URL filled in, configured or built in; `None` for an unknown name.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<SearchProviderSettings> {
        let known = name.parse::<SearchKind>().ok();
        let entry = self.providers.get(name).cloned().or_else(|| known.map(|_| SearchProviderSettings::default()))?;
        let kind = entry.kind.or(known)?;
        let home = kind.home().map(SecretUrl::from_constant);
        Some(SearchProviderSettings { kind: Some(kind), base_url: entry.base_url.clone().or(home), ..entry })
    }

    /// Returns the names of all providers, configured or built in, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let known = SearchKind::ALL.map(|kind| kind.as_str().to_owned());
        let mut names: Vec<String> = self.providers.keys().cloned().chain(known).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl SearchSettings {
    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let fault = |(name, entry): (&String, &SearchProviderSettings)| {
            let (key, expected) = entry.fault(entry.kind.or(name.parse().ok()))?;
            Some((format!("search.providers.{name}.{key}"), expected))
        };
        self.search.providers.iter().filter_map(fault).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(toml: &str) -> SearchSettings {
        toml::from_str(toml).expect("settings")
    }

    #[test]
    fn a_provider_is_what_its_table_says_or_else_its_name() {
        let tables = settings(
            "[search.providers.house]\nkind = 'searxng'\nbase_url = 'http://localhost:1/x'\n\
             [search.providers.brave]\ntimeout = 5.0\n[search.providers.tavily]\nkind = 'exa'\n[search.providers.odd]\ntimeout = 5.0",
        )
        .search;
        let of = |name: &str| {
            let found = tables.provider(name)?;
            Some((found.kind?, found.base_url.map(|url| url.expose().to_owned()).unwrap_or_default()))
        };
        assert_eq!(of("house"), Some((SearchKind::Searxng, "http://localhost:1/x".to_owned())));
        assert_eq!(of("brave"), Some((SearchKind::Brave, "https://api.search.brave.com/res/v1".to_owned())));
        assert_eq!(of("tavily"), Some((SearchKind::Exa, "https://api.exa.ai/".to_owned())));
        assert_eq!(of("arxiv").map(|found| found.0), Some(SearchKind::Arxiv));
        assert_eq!((of("odd"), of("bing")), (None, None));
        assert_eq!(tables.names().len(), SearchKind::ALL.len() + 2);
    }

    #[test]
    fn what_is_wrong_with_a_table_names_its_key() {
        for (table, key) in [
            ("[search.providers.arxiv]", None),
            ("[search.providers.mine]", Some("kind")),
            ("[search.providers.mine]\nkind = 'searxng'", Some("base_url")),
            ("[search.providers.brave]\nbase_url = 'ftp://x'", Some("base_url")),
            ("[search.providers.brave]\napi_key_env = 'sk-live-x'", Some("api_key_env")),
            ("[search.providers.brave]\napi_key_env = ''", None),
            ("[search.providers.wikipedia]\ncontact = \"a\\nb\"", Some("contact")),
            ("[search.providers.wikipedia]\ncontact = 'me@example.org'", None),
        ] {
            let faults: Vec<String> = settings(table).faults().into_iter().map(|(key, _)| key).collect();
            let expected =
                key.map(|key| format!("{}.{key}", table.lines().next().unwrap_or_default().trim_matches(['[', ']'])));
            assert_eq!(faults, expected.into_iter().collect::<Vec<_>>(), "{table}");
        }
    }
}
