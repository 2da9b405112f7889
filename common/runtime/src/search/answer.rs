//! What comes back from a search.

use precis_proto::ids::sha256_hex;
use serde::{Deserialize, Serialize};

use super::failure::ProviderFailure;

/// Whether a search was paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchPayment {
    /// This session paid for it, now or before a crash: [`SearchAnswer::key`] tells whether it is counted already.
    Paid,
    /// Another session paid for it.
    Memo,
}

impl SearchPayment {
    /// The stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Memo => "memo",
        }
    }
}

/// The results of one search. No results is an answer too.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// Name of the provider that answered.
    pub provider: String,
    /// Best first, as the provider ranks them; at most as many as were asked for.
    pub hits: Vec<WebHit>,
    /// Who paid.
    pub served: SearchPayment,
    /// Identity of the request, for a ledger: what has one key was paid for once.
    pub key: String,
    /// Providers named before the one that answered, each with why it did not.
    pub failed_over: Vec<ProviderFailure>,
    /// US dollars that it cost this session; 0 where another one paid.
    pub usd: f64,
    /// Results that the provider gave and that are not among the hits.
    pub dropped: DroppedResults,
    /// Whether the query was cut, as it was longer than the provider takes.
    pub query_cut: bool,
}

/// One result. Its texts are the provider's, without markup: a snippet was seen, not read, and is never quoted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebHit {
    /// The address as the provider gave it: http or https, without credentials. It may lead anywhere: fetching is guarded elsewhere.
    pub url: String,
    /// The [identity](super::identity) of the page.
    pub identity: String,
    /// Its title; the address where it has none.
    pub title: String,
    /// A passage or an abstract, at most 1,000 characters; may be empty.
    pub snippet: String,
    /// Place among the hits, from 1.
    pub rank: u32,
    /// Day it was published or last changed, as far as the provider says: `2019`, `2019-03` or `2019-03-01`.
    pub published: Option<String>,
    /// A whole text that came with it, such as the abstract of a paper, at most 20,000 characters.
    #[serde(default)]
    pub text: Option<String>,
}

/// Results that were left out, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DroppedResults {
    /// No address, or one that is not of the web: `javascript:`, `file:`, unreadable or too long.
    pub not_web: u32,
    /// An address with a user or a password in it.
    pub credentials: u32,
    /// A page of the provider's own instance.
    pub own_instance: u32,
    /// Outside the domains that are allowed, or within one that is not.
    pub other_domain: u32,
    /// Older than asked for.
    pub too_old: u32,
    /// A page that is among the hits already.
    pub repeated: u32,
    /// More than were asked for.
    pub beyond: u32,
}

impl DroppedResults {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u32 {
        let Self { not_web, credentials, own_instance, other_domain, too_old, repeated, beyond } = *self;
        [not_web, credentials, own_instance, other_domain, too_old, repeated, beyond]
            .into_iter()
            .fold(0, u32::saturating_add)
    }
}

/// The key of a request made of `parts`, none of which can run into the next.
pub(super) fn key_of(parts: &[&str]) -> String {
    format!("search:{}", sha256_hex(parts.join("\u{1f}").as_bytes()))
}
