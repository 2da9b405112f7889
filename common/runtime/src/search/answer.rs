//! The result of a search.

use precis_proto::closed_words;
use precis_proto::ids::sha256_hex;
use serde::{Deserialize, Serialize};

use super::failure::ProviderFailure;

closed_words! {
    /// Which session paid for a search.
    #[derive(Serialize, Deserialize)]
    pub enum SearchPayment: serde {
        /// This session, now or before a crash; use [`SearchAnswer::key`] to count it only once.
        Paid => "paid",
        /// Another session.
        Memo => "memo",
    }
}

/// The results of one search; may be empty.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// Name of the provider that answered.
    pub provider: String,
    /// Best first, as the provider ranks them; at most as many as requested.
    pub hits: Vec<WebHit>,
    /// Which session paid.
    pub served: SearchPayment,
    /// Identity of the request for the ledger: searches with the same key were paid for once.
    pub key: String,
    /// Failures of the providers that were tried before the one that answered.
    pub failed_over: Vec<ProviderFailure>,
    /// Cost to this session in US dollars; 0 if another session paid.
    pub usd: f64,
    /// Counts of the provider's results that are not among the hits.
    pub dropped: DroppedResults,
    /// Whether the query was cut to the provider's limit.
    pub query_cut: bool,
}

/// One result. Its texts come from the provider, with markup removed. A snippet is not the page's text and is never quoted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebHit {
    /// The URL as the provider gave it: http or https, without credentials. It may point anywhere; the fetch client checks it.
    pub url: String,
    /// The [identity](super::identity) of the page.
    pub identity: String,
    /// Its title; the URL if it has none.
    pub title: String,
    /// A passage or an abstract, at most 1,000 characters; may be empty.
    pub snippet: String,
    /// Position among the hits, from 1.
    pub rank: u32,
    /// Date of publication or last change, as precise as the provider reports it: `2019`, `2019-03` or `2019-03-01`.
    pub published: Option<String>,
    /// A complete text included in the result, such as the abstract of a paper, at most 20,000 characters.
    #[serde(default)]
    pub text: Option<String>,
}

/// Numbers of results that were left out, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DroppedResults {
    /// No URL, or not a web URL: `javascript:`, `file:`, invalid or too long.
    pub not_web: u32,
    /// A URL with a user name or a password.
    pub credentials: u32,
    /// A page of the search engine itself.
    pub own_instance: u32,
    /// Outside the allowed domains, or within a denied one.
    pub other_domain: u32,
    /// Older than requested.
    pub too_old: u32,
    /// A page that is already among the hits.
    pub repeated: u32,
    /// Beyond the requested number.
    pub beyond: u32,
}

impl DroppedResults {
    /// Returns the sum of all reasons.
    #[must_use]
    pub fn total(&self) -> u32 {
        let Self { not_web, credentials, own_instance, other_domain, too_old, repeated, beyond } = *self;
        [not_web, credentials, own_instance, other_domain, too_old, repeated, beyond]
            .into_iter()
            .fold(0, u32::saturating_add)
    }
}

/// Returns the store key of a request described by `parts`; a separator keeps different parts from giving the same key.
pub(super) fn key_of(parts: &[&str]) -> String {
    format!("search:{}", sha256_hex(parts.join("\u{1f}").as_bytes()))
}
