//! The supported search providers and their known properties.

use precis_proto::closed_words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::query::QueryLimit;

closed_words! {
    /// The API of a search provider. Each name is also that of a provider that needs no table.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum SearchKind: serde {
        /// Tavily: the web.
        Tavily => "tavily",
        /// Brave: the web.
        Brave => "brave",
        /// Exa: the web, by meaning.
        Exa => "exa",
        /// A self-hosted SearXNG instance: the web, through its configured engines.
        Searxng => "searxng",
        /// Semantic Scholar: papers.
        SemanticScholar => "semantic_scholar",
        /// OpenAlex: papers.
        Openalex => "openalex",
        /// Crossref: papers, without their texts.
        Crossref => "crossref",
        /// arXiv: preprints.
        Arxiv => "arxiv",
        /// Wikipedia.
        Wikipedia => "wikipedia",
        /// Perplexity: the web.
        Perplexity => "perplexity",
        /// Google's Programmable Search Engine: closed to new customers, and without the whole web from 2027 on.
        Google => "google",
    }
}

/// Where the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyPlace {
    /// In this header, after this prefix.
    Header(&'static str, &'static str),
    /// In this URL parameter.
    Parameter(&'static str),
    /// Not sent.
    None,
}

/// The default rate limit of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestRate {
    /// Requests per minute; `None` for no limit.
    pub(super) per_minute: Option<u64>,
    /// Whether requests must be evenly spaced over the minute, and configuration cannot raise the rate.
    pub(super) is_strict: bool,
}

impl SearchKind {
    /// Returns the vendor's base URL; `None` for a self-hosted instance.
    #[must_use]
    pub fn home(self) -> Option<&'static str> {
        match self {
            Self::Tavily => Some("https://api.tavily.com"),
            Self::Brave => Some("https://api.search.brave.com/res/v1"),
            Self::Exa => Some("https://api.exa.ai"),
            Self::Searxng => None,
            Self::SemanticScholar => Some("https://api.semanticscholar.org/graph/v1"),
            Self::Openalex => Some("https://api.openalex.org"),
            Self::Crossref => Some("https://api.crossref.org"),
            Self::Arxiv => Some("https://export.arxiv.org/api"),
            Self::Wikipedia => Some("https://en.wikipedia.org"),
            Self::Perplexity => Some("https://api.perplexity.ai"),
            Self::Google => Some("https://www.googleapis.com/customsearch/v1"),
        }
    }

    /// Returns the variable that usually holds its API key; empty if it uses none.
    #[must_use]
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::Tavily => "TAVILY_API_KEY",
            Self::Brave => "BRAVE_API_KEY",
            Self::Exa => "EXA_API_KEY",
            Self::SemanticScholar => "SEMANTIC_SCHOLAR_API_KEY",
            Self::Openalex => "OPENALEX_API_KEY",
            Self::Perplexity => "PERPLEXITY_API_KEY",
            Self::Google => "GOOGLE_API_KEY",
            Self::Searxng | Self::Crossref | Self::Arxiv | Self::Wikipedia => "",
        }
    }

    /// Whether it requires a key.
    #[must_use]
    pub fn needs_key(self) -> bool {
        matches!(self, Self::Tavily | Self::Brave | Self::Exa | Self::Perplexity | Self::Google)
    }

    /// Whether it searches papers.
    #[must_use]
    pub fn is_academic(self) -> bool {
        matches!(self, Self::SemanticScholar | Self::Openalex | Self::Crossref | Self::Arxiv)
    }

    /// Returns the list price of one search in US dollars (2026), the default price; 0 if it is free.
    #[must_use]
    pub fn list_price_usd(self) -> f64 {
        match self {
            Self::Tavily => 0.008,
            // Includes the highlights of ten pages.
            Self::Exa => 0.017,
            Self::Brave | Self::Perplexity | Self::Google => 0.005,
            Self::Openalex => 0.001,
            Self::Searxng | Self::SemanticScholar | Self::Crossref | Self::Arxiv | Self::Wikipedia => 0.0,
        }
    }

    pub(super) fn key_place(self) -> KeyPlace {
        match self {
            Self::Tavily | Self::Perplexity => KeyPlace::Header("authorization", "Bearer "),
            Self::Brave => KeyPlace::Header("x-subscription-token", ""),
            Self::Exa | Self::SemanticScholar => KeyPlace::Header("x-api-key", ""),
            Self::Openalex => KeyPlace::Parameter("api_key"),
            Self::Google => KeyPlace::Parameter("key"),
            Self::Searxng | Self::Crossref | Self::Arxiv | Self::Wikipedia => KeyPlace::None,
        }
    }

    /// Returns the documented rate limit; limits in response headers apply in addition.
    pub(super) fn pace(self) -> RequestRate {
        let loose = |per_minute| RequestRate { per_minute: Some(per_minute), is_strict: false };
        match self {
            // arXiv allows one request in three seconds, from all machines together.
            Self::Arxiv => RequestRate { per_minute: Some(20), is_strict: true },
            Self::Searxng => RequestRate { per_minute: None, is_strict: false },
            Self::Brave | Self::SemanticScholar | Self::Crossref | Self::Wikipedia | Self::Perplexity => loose(60),
            Self::Tavily | Self::Google => loose(100),
            Self::Exa | Self::Openalex => loose(600),
        }
    }

    /// Returns the most concurrent requests of this process.
    pub(super) fn at_once(self) -> usize {
        match self {
            // arXiv allows one connection, Wikipedia three.
            Self::Arxiv => 1,
            Self::Wikipedia => 3,
            _ => 4,
        }
    }

    /// Returns the most results of one request.
    pub(super) fn most_results(self) -> usize {
        match self {
            Self::Google => 10,
            _ => super::call::MAX_RESULTS,
        }
    }

    pub(super) fn query_limit(self) -> QueryLimit {
        match self {
            Self::Brave => QueryLimit { chars: 400, words: 50 },
            Self::Tavily => QueryLimit { chars: 400, words: usize::MAX },
            Self::Wikipedia => QueryLimit { chars: 300, words: usize::MAX },
            Self::Google => QueryLimit { chars: 1_000, words: 32 },
            _ => QueryLimit { chars: 1_000, words: usize::MAX },
        }
    }

    /// Whether results on its own host are pages of the engine to be dropped; not if that host is what is searched.
    pub(super) fn may_list_itself(self) -> bool {
        !matches!(self, Self::Wikipedia | Self::Arxiv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_found_by_its_configuration_word() {
        for kind in SearchKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.as_str());
        }
        assert!("bing".parse::<SearchKind>().is_err());
    }

    #[test]
    fn every_kind_that_needs_a_key_has_a_variable_for_it() {
        for kind in SearchKind::ALL {
            assert_eq!(kind.key_variable().is_empty(), kind.key_place() == KeyPlace::None, "{kind}");
            assert!(!kind.needs_key() || !kind.key_variable().is_empty(), "{kind}");
            assert!(!kind.needs_key() || kind.list_price_usd() > 0.0, "{kind} is not free");
        }
    }
}
