//! The guarded client for page URLs: connects only to permitted addresses.
//!
//! Pure functions of the URL and of each address decide what may be fetched; the client connects only to addresses that passed, and
//! checks every redirect again. It does not interpret the content of a page.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`policy`] | decides whether a URL may be fetched |
//! | [`names`] | hosts that are internal by name |
//! | [`address`] | addresses that are not public, including embedded ones |
//! | [`rules`] | hosts, suffixes and networks an operator allows or denies |
//! | [`resolver`] | the only DNS lookup, which checks every address |
//! | `hosts_file` | names in the machine's own list |
//! | [`proxy`] | fetching through an egress proxy, and the checks still made here |
//! | [`client`] | requests, redirects, one wait for a busy server |
//! | `limits` | limits on size, time and rate |
//! | `hosts` | limits per host of this process |
//! | `fleet_hosts` | limits per host of a fleet |
//! | [`extract_service`] | the text of a page from an external service, and which URLs may be sent to it |
//! | [`version`] | conditional requests |
//! | [`body`] | bounded, decoded bytes |
//! | [`error`] | errors, and whether they are transient |

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

pub use client::{FetchedPage, Fetcher, PostAnswer, RefetchResult};
pub use error::FetchError;
pub use extract_service::{ExtractService, ExtractServiceConfig};
pub use limits::FetchLimits;
pub use policy::{Denial, FetchPolicy, MAX_URL_BYTES, UrlVerdict, check_addr, verdict};
pub use proxy::FetchProxy;
pub use rules::{HostRule, Network, RuleError};
pub use version::PageVersion;
