//! Searching: who is asked, what it cost, and what is never paid twice.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `searches` | [`Searches::search`]: a search along the providers that were named |
//! | `policy`, `state` | how patient searches are; what they share |
//! | `call`, `query` | what is asked; which words may leave |
//! | `answer`, `failure` | what comes back: results, or why not |
//! | [`AnswerReader`] | an answer read without asking anybody |
//! | `kind`, `config` | the providers there are, and one of them as configured |
//! | `searcher` | one provider at work: its permits and its pauses |
//! | `dispatch` | one request, owned here rather than by who asked |
//! | `client` | one request over HTTP, with its key and a bound on its answer |
//! | `adapter` | the seam of the wire; behind it one file per provider: a request out of a search, results out of an answer |
//! | `provider_request`, `result_page` | what an adapter makes and what it reads |
//! | `result_filter` | which results are pages of the web that were asked for |
//! | `canonical` | [`identity`]: one form for the addresses of one page |
//! | `plain_text` | texts without their markup |
//! | `refusal`, `rates` | what providers say when they refuse, and how often one may ask |
//!
//! Memo, single flight, breakers, limits and ceilings are those of model calls ([`model`](crate::model)). Requests go to the addresses
//! of the configuration, which is the operator's, so they may lie on this machine; the pages that a search finds are fetched by the
//! guarded client and by nobody here. Nothing a failure, a warning or a log line says holds a key or a query.

mod adapter;
mod answer;
mod answer_reader;
mod arxiv;
mod brave;
mod call;
mod canonical;
mod client;
pub(crate) mod config;
mod crossref;
mod dispatch;
mod exa;
mod failure;
mod google;
mod kind;
mod openalex;
mod perplexity;
mod plain_text;
mod policy;
mod provider_request;
mod query;
mod rates;
mod refusal;
mod result_filter;
mod result_page;
mod retraction;
mod searcher;
mod searches;
mod searxng;
mod semantic_scholar;
mod state;
mod tavily;
mod wikipedia;

#[cfg(test)]
mod tests;

pub use answer::{DroppedResults, SearchAnswer, SearchPayment, WebHit};
pub use answer_reader::AnswerReader;
pub use call::{DEFAULT_RESULTS, MAX_RESULTS, SearchCall};
pub use canonical::identity;
pub use config::{SearchProviderConfig, SearchSetupError};
pub use failure::{ProviderFailure, SearchCode, SearchFailure};
pub use kind::SearchKind;
pub use policy::SearchPolicy;
pub use query::PublicQuery;
pub use searches::Searches;
