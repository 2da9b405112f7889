//! The guarded client for page URLs: no URL reaches an address it should not.
//!
//! What may be fetched is decided by pure functions of the URL and of each address; the client dials only addresses that
//! passed, and asks again at every redirect. What a page says is not known here.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`policy`] | may this URL be fetched? |
//! | [`names`] | hosts that are internal by their name |
//! | [`address`] | addresses that are not public, also inside others |
//! | [`rules`] | what an operator allows and denies: hosts, suffixes, networks |
//! | [`resolver`] | the one look-up, with every address checked |
//! | [`client`] | requests, redirects, one wait for a busy server |
//! | `hosts` | how often a host is asked |
//! | [`elsewhere`] | the text of a page from somebody else, and which addresses may be told to them |
//! | [`version`] | asking for a page only if it has changed |
//! | [`body`] | bytes under limits, decoded |
//! | [`error`] | what can go wrong, and whether later is better |

pub mod address;
pub mod body;
pub mod client;
pub mod elsewhere;
pub mod error;
mod hosts;
pub mod names;
pub mod policy;
pub mod resolver;
pub mod rules;
pub mod version;

pub use client::{FetchLimits, Fetched, Fetcher, Refetched};
pub use elsewhere::{Elsewhere, ElsewhereConfig};
pub use error::FetchError;
pub use policy::{Denial, FetchPolicy, MAX_URL_BYTES, Verdict, check_addr, verdict};
pub use rules::{HostRule, Network, RuleError};
pub use version::PageVersion;
