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
//! | `hosts_file` | names that the machine's own list knows |
//! | [`proxy`] | pages by way of an egress proxy: what it takes over, and what is still judged here |
//! | [`client`] | requests, redirects, one wait for a busy server |
//! | `limits` | how much, how long, how often |
//! | `hosts` | how often a host is asked by this process |
//! | `fleet_hosts` | how often it is asked by all processes of a fleet |
//! | [`extract_service`] | the text of a page from somebody else, and which addresses may be told to them |
//! | [`version`] | asking for a page only if it has changed |
//! | [`body`] | bytes under limits, decoded |
//! | [`error`] | what can go wrong, and whether later is better |

pub mod address;
pub mod body;
pub mod client;
pub mod error;
pub mod extract_service;
mod fleet_hosts;
mod hosts;
mod hosts_file;
mod limits;
pub mod names;
pub mod policy;
pub mod proxy;
pub mod resolver;
pub mod rules;
pub mod version;

pub use client::{FetchedPage, Fetcher, RefetchResult};
pub use error::FetchError;
pub use extract_service::{ExtractService, ExtractServiceConfig};
pub use limits::FetchLimits;
pub use policy::{Denial, FetchPolicy, MAX_URL_BYTES, UrlVerdict, check_addr, verdict};
pub use proxy::FetchProxy;
pub use rules::{HostRule, Network, RuleError};
pub use version::PageVersion;
