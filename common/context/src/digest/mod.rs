//! The payload `digest/v1`: which sources get one, and how it is built, keyed and checked.
//!
//! [`DigestEvidence`] is the text of a digest, ranked once; [`build()`] joins a model's summary with the best of it, and [`reduction_from_digest`] makes
//! the payload the reduction of its source; [`validate`] and [`verify`] check a stored payload before it is
//! trusted; [`cache_key`] names it in the cache; [`eligible`] and [`rank_sources`] choose the sources to digest; [`further_passages`]
//! are those besides it. Writing the summary and storing the payload are done elsewhere.

mod build;
mod carried;
mod check;
mod evidence;
mod further;
mod key;
mod select;

pub use build::{DigestInput, build, clip};
pub use carried::{DigestRoom, reduction_from_digest};
pub use check::{DigestFault, validate, verify, verify_archived};
pub use evidence::{DigestEvidence, SnippetLimits};
pub use further::{BUILT_IN_SHARE_TOKENS, further_passages};
pub use key::{DIGEST_IMPL, cache_key, config_hash8, content_hash16, query_hash8};
pub use select::{DigestCandidate, SkipReason, eligible, rank_sources};
