//! Which pages may be fetched, and the limits of fetching.

use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fetch::{FetchError, FetchLimits, FetchPolicy, FetchProxy, Fetcher, RuleError};
use crate::secret_url::SecretUrl;

/// Fetching pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FetchSettings {
    /// Hosts that may be fetched from; empty means all public hosts. `example.org` is that host only, `.example.org` also its
    /// subdomains. An internal host name is allowed here; its addresses are still checked.
    #[serde(rename = "fetch_allow_hosts")]
    pub allow_hosts: Vec<String>,
    /// Hosts that are never fetched from.
    #[serde(rename = "fetch_deny_hosts")]
    pub deny_hosts: Vec<String>,
    /// Networks such as `10.1.0.0/16` that may be connected to although they are not public.
    #[serde(rename = "fetch_allow_networks")]
    pub allow_networks: Vec<String>,
    /// Networks that are never connected to.
    #[serde(rename = "fetch_deny_networks")]
    pub deny_networks: Vec<String>,
    /// Whether `fetch_allow_networks` also permits cloud metadata services, which hand out credentials.
    #[serde(rename = "fetch_allow_metadata")]
    pub allow_metadata: bool,
    /// HTTP proxy for every page, such as `http://proxy:3128`, with user and password if it requires them. The proxy resolves names
    /// and connects, so its rules decide which addresses are reached; literal addresses, and those this machine resolves a name to, are
    /// still checked here. Proxy variables of the environment are ignored.
    #[serde(rename = "fetch_proxy")]
    pub proxy: Option<SecretUrl>,
    /// Ports that may be connected to.
    #[serde(rename = "fetch_ports")]
    #[schemars(inner(range(min = 1, max = 65_535)))]
    pub ports: Vec<u16>,
    /// Most redirects followed; each target is checked like the first address.
    #[serde(rename = "fetch_max_redirects")]
    #[schemars(range(max = 20))]
    pub max_redirects: u32,
    /// Seconds one page may take, including redirects and the `Retry-After` it asks for. Waiting for other requests to the same host
    /// is not counted.
    #[serde(rename = "fetch_timeout")]
    #[schemars(range(min = 0.1, max = 3_600.0))]
    pub timeout_seconds: f64,
    /// Seconds to establish a connection.
    #[serde(rename = "fetch_connect_timeout")]
    #[schemars(range(min = 0.1, max = 600.0))]
    pub connect_seconds: f64,
    /// Seconds to receive the response headers, counted from the DNS lookup.
    #[serde(rename = "fetch_header_timeout")]
    #[schemars(range(min = 0.1, max = 600.0))]
    pub header_seconds: f64,
    /// Seconds without data until a transfer is aborted.
    #[serde(rename = "fetch_idle_timeout")]
    #[schemars(range(min = 0.1, max = 600.0))]
    pub idle_seconds: f64,
    /// Longest `Retry-After`, in seconds, that is waited for. A host that asks for more gets no request for that long.
    #[serde(rename = "fetch_max_retry_after")]
    #[schemars(range(min = 0.0, max = 600.0))]
    pub retry_after_seconds: f64,
    /// Most concurrent requests to one host: over the whole fleet if its workers share Redis, else per process.
    #[serde(rename = "fetch_host_concurrency")]
    #[schemars(range(min = 1, max = 64))]
    pub host_concurrency: u64,
    /// Seconds between the starts of two requests to one host: over the whole fleet if its workers share Redis, else per process.
    #[serde(rename = "fetch_host_interval")]
    #[schemars(range(min = 0.0, max = 60.0))]
    pub host_interval_seconds: f64,
}

impl Default for FetchSettings {
    fn default() -> Self {
        let (limits, policy) = (FetchLimits::default(), FetchPolicy::default());
        Self {
            allow_hosts: Vec::new(),
            deny_hosts: Vec::new(),
            allow_networks: Vec::new(),
            deny_networks: Vec::new(),
            allow_metadata: false,
            proxy: None,
            ports: policy.ports,
            max_redirects: limits.max_redirects,
            timeout_seconds: 30.0,
            connect_seconds: limits.connect.as_secs_f64(),
            header_seconds: limits.headers.as_secs_f64(),
            idle_seconds: limits.idle.as_secs_f64(),
            retry_after_seconds: limits.retry_after.as_secs_f64(),
            host_concurrency: limits.per_host as u64,
            host_interval_seconds: limits.host_interval.as_secs_f64(),
        }
    }
}

impl FetchSettings {
    /// Builds the fetch policy of these settings.
    ///
    /// # Errors
    /// The first invalid rule. Settings from [`load`](super::load()) contain none.
    pub fn policy(&self) -> Result<FetchPolicy, RuleError> {
        Ok(FetchPolicy {
            ports: self.ports.clone(),
            allow_hosts: rules(&self.allow_hosts)?,
            deny_hosts: rules(&self.deny_hosts)?,
            allow_networks: rules(&self.allow_networks)?,
            deny_networks: rules(&self.deny_networks)?,
            allow_metadata: self.allow_metadata,
        })
    }

    /// Returns the proxy, if one is configured.
    #[must_use]
    pub fn proxy(&self) -> Option<FetchProxy> {
        self.proxy.clone().map(FetchProxy::at)
    }

    /// Builds the fetch limits of these settings, for pages of at most `max_bytes`.
    #[must_use]
    pub fn limits(&self, max_bytes: u64) -> FetchLimits {
        FetchLimits {
            max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX),
            max_redirects: self.max_redirects,
            total: Duration::from_secs_f64(self.timeout_seconds),
            connect: Duration::from_secs_f64(self.connect_seconds),
            headers: Duration::from_secs_f64(self.header_seconds),
            idle: Duration::from_secs_f64(self.idle_seconds),
            retry_after: Duration::from_secs_f64(self.retry_after_seconds),
            per_host: usize::try_from(self.host_concurrency).unwrap_or(usize::MAX),
            host_interval: Duration::from_secs_f64(self.host_interval_seconds),
            ..FetchLimits::default()
        }
    }

    /// Creates the client that these settings describe, for pages of at most `max_bytes`.
    ///
    /// # Errors
    /// `client_unavailable` as [`Fetcher::new`]; `fetch_refused` if a rule is invalid, so that nothing is fetched.
    pub fn client(&self, max_bytes: u64) -> Result<Fetcher, FetchError> {
        Fetcher::by_way_of(self.proxy(), self.policy()?, self.limits(max_bytes))
    }

    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        for (key, hosts) in [("fetch_allow_hosts", &self.allow_hosts), ("fetch_deny_hosts", &self.deny_hosts)] {
            if rules::<crate::fetch::HostRule>(hosts).is_err() {
                faults.push((key.to_owned(), "host names, such as example.org or .example.org".to_owned()));
            }
        }
        for (key, networks) in
            [("fetch_allow_networks", &self.allow_networks), ("fetch_deny_networks", &self.deny_networks)]
        {
            if rules::<crate::fetch::Network>(networks).is_err() {
                faults.push((key.to_owned(), "networks, such as 10.1.0.0/16 or fd00::/8".to_owned()));
            }
        }
        if self.proxy.as_ref().is_some_and(|proxy| proxy.scheme() != "http" || !proxy.has_host()) {
            faults
                .push(("fetch_proxy".to_owned(), "the address of an HTTP proxy, such as http://proxy:3128".to_owned()));
        }
        if self.ports.is_empty() {
            faults.push(("fetch_ports".to_owned(), "at least one port".to_owned()));
        }
        faults
    }
}

fn rules<R: FromStr<Err = RuleError>>(texts: &[String]) -> Result<Vec<R>, RuleError> {
    texts.iter().map(|text| text.parse()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::{UrlVerdict, verdict};

    #[test]
    fn without_settings_policy_and_limits_are_the_defaults() {
        let settings = FetchSettings::default();
        assert_eq!(settings.policy(), Ok(FetchPolicy::default()));
        let (limits, built_in) = (settings.limits(7), FetchLimits::default());
        assert_eq!((limits.max_bytes, limits.total), (7, Duration::from_secs(30)));
        assert_eq!(limits.max_redirects, built_in.max_redirects);
        assert_eq!((limits.connect, limits.idle), (built_in.connect, built_in.idle));
        assert_eq!((limits.headers, settings.proxy()), (built_in.headers, None));
        assert_eq!((limits.per_host, limits.host_interval), (built_in.per_host, built_in.host_interval));
    }

    #[test]
    fn lists_and_ports_decide_what_is_fetched() {
        let settings = FetchSettings {
            allow_hosts: vec![".example.org".to_owned(), "wiki.corp".to_owned()],
            deny_hosts: vec!["bad.example.org".to_owned()],
            allow_networks: vec!["10.1.0.0/16".to_owned()],
            deny_networks: vec!["10.1.2.0/24".to_owned()],
            ports: vec![443, 8_000],
            ..FetchSettings::default()
        };
        let policy = settings.policy().expect("rules");
        for (url, allowed) in [
            ("https://a.example.org/", true),
            ("https://wiki.corp:8000/", true),
            ("https://wiki.corp:8080/", false),
            ("http://a.example.org/", false),
            ("https://bad.example.org/", false),
            ("https://other.org/", false),
            ("https://10.1.1.1/", true),
            ("https://10.1.2.1/", false),
            ("https://10.2.1.1/", false),
        ] {
            assert_eq!(verdict(url, &policy) == UrlVerdict::Allow, allowed, "{url}");
        }
    }

    #[test]
    fn an_invalid_rule_is_a_fault_of_its_key() {
        let settings = FetchSettings {
            allow_hosts: vec!["https://example.org".to_owned()],
            deny_networks: vec!["10.0.0.0/33".to_owned()],
            ports: Vec::new(),
            ..FetchSettings::default()
        };
        assert!(settings.policy().is_err());
        let faults: Vec<String> = settings.faults().into_iter().map(|(key, _)| key).collect();
        assert_eq!(faults, ["fetch_allow_hosts", "fetch_deny_networks", "fetch_ports"]);
    }

    #[test]
    fn a_proxy_is_an_address_of_http_and_hides_its_password() {
        let proxy = |text: &str| FetchSettings {
            proxy: serde_json::from_value(text.into()).expect("an address"),
            ..FetchSettings::default()
        };
        for (text, is_one) in [
            ("http://proxy:3128", true),
            ("http://u:p@10.0.0.1:3128/", true),
            ("https://proxy", false),
            ("socks5://proxy", false),
            ("proxy:3128", false),
            ("file:///etc/passwd", false),
        ] {
            let faults: Vec<String> = proxy(text).faults().into_iter().map(|(key, _)| key).collect();
            assert_eq!(faults.is_empty(), is_one, "{text}: {faults:?}");
        }
        let shown = proxy("http://me:secret@proxy:3128").proxy().expect("one").display_address();
        assert_eq!(shown, "http://me:***@proxy:3128/");
    }
}
