//! The payload `digest/v1`: who gets one, how it is built, keyed and checked.
//!
//! [`build()`] joins a summary that a model wrote with evidence chosen here; [`validate`] and [`verify`] are what a reader
//! of a stored payload asks before trusting it; [`key`] names it in the cache; [`select`] decides which sources are worth
//! one, [`further_passages`] what is read beyond it. Which model wrote the summary, and where the payload goes, are not known here.

mod build;
mod check;
mod further;
mod key;
mod select;

pub use build::{DigestInput, build, clip};
pub use check::{DigestFault, validate, verify, verify_archived};
pub use further::{BUILT_IN_SHARE_TOKENS, further_passages};
pub use key::{DIGEST_IMPL, cache_key, config_hash8, content_hash16, query_hash8};
pub use select::{DigestCandidate, SkipReason, eligible, rank_sources};
