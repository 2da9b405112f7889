//! The limits of fetching.

use std::time::Duration;

/// Limits on size, time and rate of fetching. Chosen, not measured.
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
    /// Longest time for a page, including redirects and the wait it asks for; waiting in our own queue for its host is not counted.
    pub total: Duration,
    /// Longest time to establish a connection.
    pub connect: Duration,
    /// Longest time to receive all response headers, counted from the DNS lookup.
    pub headers: Duration,
    /// Longest time without data.
    pub idle: Duration,
    /// Longest `Retry-After` that is waited for, once. If it is longer, the host gets no request for that time.
    pub retry_after: Duration,
    /// Most concurrent requests to one host.
    pub per_host: usize,
    /// Shortest time between the starts of two requests to one host.
    pub host_interval: Duration,
    /// The User-Agent.
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
