//! The external service that extracts the text of pages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::provider::is_variable;
use crate::secret_url::SecretUrl;

/// When Tavily's extract service is called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TavilyExtract {
    /// Never.
    #[default]
    Off,
    /// For a page that could not be fetched or read here.
    Fallback,
    /// For every page, before it is fetched here.
    First,
}

/// Reading pages through an external service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExtractServiceSettings {
    /// When Tavily's extract service is called for the text of a page: `off` never, `fallback` if the page could not be read directly,
    /// `first` before the page is fetched. Only publicly reachable addresses are sent to it, and never the address of a PDF.
    pub tavily_extract: TavilyExtract,
    /// Base URL of Tavily's extract service.
    pub tavily_base_url: SecretUrl,
    /// Environment variable that holds the API key of Tavily's extract service.
    pub tavily_api_key_env: String,
}

impl Default for ExtractServiceSettings {
    fn default() -> Self {
        Self {
            tavily_extract: TavilyExtract::Off,
            tavily_base_url: SecretUrl::from_constant("https://api.tavily.com"),
            tavily_api_key_env: "TAVILY_API_KEY".to_owned(),
        }
    }
}

impl ExtractServiceSettings {
    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        if !matches!(self.tavily_base_url.scheme(), "http" | "https") {
            faults.push(("tavily_base_url".to_owned(), "an address that starts with http:// or https://".to_owned()));
        }
        if self.tavily_api_key_env.is_empty() || !is_variable(&self.tavily_api_key_env) {
            let expected = "the name of an environment variable, never the key itself";
            faults.push(("tavily_api_key_env".to_owned(), expected.to_owned()));
        }
        faults
    }
}
