//! The limits that fetching keeps.

use std::time::Duration;

/// How much, how long, how often. Chosen, not measured.
#[derive(Debug, Clone)]
pub struct FetchLimits {
    /// Most bytes of a page, decoded.
    pub max_bytes: usize,
    /// Most decoded bytes for each byte received.
    pub max_ratio: u64,
    /// Most bytes of all response headers.
    pub max_header_bytes: usize,
    /// Most redirects.
    pub max_redirects: u32,
    /// Longest time for a page with all its redirects and the wait it asks for; time in our own queue for its host is not counted.
    pub total: Duration,
    /// Longest time for one connection to be made.
    pub connect: Duration,
    /// Longest time until the headers of an answer are there, from the look-up of its host on, however they trickle in.
    pub headers: Duration,
    /// Longest silence of a server.
    pub idle: Duration,
    /// Longest `Retry-After` that is waited for, once. After a longer one the host is left alone for as long as it asked.
    pub retry_after: Duration,
    /// Most requests at once to one host.
    pub per_host: usize,
    /// Shortest time between the starts of two requests to one host.
    pub host_interval: Duration,
    /// How we introduce ourselves.
    pub user_agent: String,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            max_bytes: 10 << 20,
            max_ratio: 100,
            max_header_bytes: 64 << 10,
            max_redirects: 5,
            total: Duration::from_secs(60),
            connect: Duration::from_secs(10),
            headers: Duration::from_secs(10),
            idle: Duration::from_secs(20),
            retry_after: Duration::from_secs(10),
            per_host: 2,
            host_interval: Duration::from_millis(200),
            user_agent: concat!("precis/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}
