//! Searching: which providers are called, at what cost, and how an answer is never paid for twice.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `searches` | [`Searches::search`]: tries the named providers in order |
//! | `policy`, `state` | retries, waits and retention; state shared by all searches |
//! | `call`, `query` | a search request; the type of queries that may be sent |
//! | `answer`, `failure` | results; failure codes |
//! | [`AnswerReader`] | reads a response without sending a request |
//! | `kind`, `config` | the supported providers; the configuration of one |
//! | `searcher` | one provider at run time: its permits and pauses |
//! | `paid_search` | what a search may use and has used, and what is stored of its answer; its steps are those of every paid request (`crate::paid`) |
//! | `client` | one request over HTTP, with its key and a bounded response |
//! | `adapter` | builds requests and reads results; one file per provider |
//! | `provider_request`, `result_page` | the request an adapter builds and the results it reads |
//! | `result_filter` | drops results that are not requested web pages |
//! | `canonical` | [`identity`]: one normal form for all URLs of a page |
//! | `plain_text` | removes markup from texts |
//! | `refusal`, `rates` | reads refusals; reads rate limits from headers |
//!
//! Memo, single flight, limits and ceilings are those of every paid request. Requests go to the configured
//! addresses, which the operator chose, so they may be on this machine; found pages are fetched only by the guarded client, never here. No
//! failure, warning or log line contains a key or a query.

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
mod exa;
mod failure;
mod google;
mod kind;
mod openalex;
mod paid_search;
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
pub(crate) use config::DEFAULT_TIMEOUT_SECONDS;
pub use config::{SearchProviderConfig, SearchSetupError};
pub use failure::{ProviderFailure, SearchCode, SearchFailure};
pub use kind::SearchKind;
pub use policy::SearchPolicy;
pub use query::PublicQuery;
pub use searches::Searches;
