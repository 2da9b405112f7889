//! Who is told over HTTP that a session has ended.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::provider::is_variable;
use crate::fetch::HostRule;
use crate::secret_url::SecretUrl;

/// Webhooks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WebhookSettings {
    /// Endpoints that may be told that a session has ended (<https://www.standardwebhooks.com>), by the name that requests use. The workers
    /// that take requests, those that send, and the HTTP door need the same tables.
    pub webhooks: BTreeMap<String, WebhookEndpointSettings>,
    /// Hosts that a request may have told by an address of its own; with none, a request can only name an endpoint. `example.org` is that host
    /// only, `.example.org` also its subdomains.
    #[serde(rename = "webhook_allow_hosts")]
    pub allow_hosts: Vec<String>,
}

/// An endpoint for webhooks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WebhookEndpointSettings {
    /// Its address. It is checked like the address of a page when it is connected to: one that is not public needs `fetch_allow_networks`.
    pub url: Option<SecretUrl>,
    /// Environment variable that holds the secret that signs: `whsec_` and 24 to 64 bytes in Base64.
    pub secret_env: String,
    /// Environment variable that holds the secret before it, which signs as well until all receivers know the new one.
    pub previous_secret_env: Option<String>,
    /// The tenant whose requests may name it. If not set, those of all tenants.
    pub tenant: Option<String>,
    /// Whether its secrets also sign what goes to an address that a request of its tenant names (`webhook_allow_hosts`). One endpoint of a
    /// tenant may; if none does, one without a tenant; if there is none either, such requests are refused.
    pub signs_urls: bool,
}

impl WebhookSettings {
    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        let mut signing = BTreeSet::new();
        for (name, endpoint) in &self.webhooks {
            let mut fault =
                |key: &str, expected: &str| faults.push((format!("webhooks.{name}.{key}"), expected.to_owned()));
            if name.is_empty() || name.len() > precis_proto::webhook::MAX_ENDPOINT_BYTES {
                fault("url", "a table whose name has 1 to 200 bytes");
            }
            let is_web =
                endpoint.url.as_ref().is_none_or(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
            if !is_web || (endpoint.url.is_none() && !endpoint.signs_urls) {
                fault("url", "an address that begins with http:// or https://");
            }
            let variables = [
                ("secret_env", Some(&endpoint.secret_env)),
                ("previous_secret_env", endpoint.previous_secret_env.as_ref()),
            ];
            for (key, variable) in variables {
                if variable.is_some_and(|variable| variable.is_empty() || !is_variable(variable)) {
                    fault(key, "the name of an environment variable, never the secret itself");
                }
            }
            if endpoint.tenant.as_ref().is_some_and(|tenant| precis_proto::TenantId::new(tenant.as_str()).is_err()) {
                fault("tenant", "a name of 1 to 200 bytes");
            }
            if endpoint.signs_urls && !signing.insert(&endpoint.tenant) {
                fault("signs_urls", "true for one endpoint of a tenant");
            }
        }
        if self.allow_hosts.iter().any(|host| host.parse::<HostRule>().is_err()) {
            faults
                .push(("webhook_allow_hosts".to_owned(), "host names, such as example.org or .example.org".to_owned()));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: Option<&str>, secret_env: &str, signs_urls: bool) -> WebhookEndpointSettings {
        let url = url.map(SecretUrl::from_constant);
        WebhookEndpointSettings {
            url,
            secret_env: secret_env.to_owned(),
            signs_urls,
            ..WebhookEndpointSettings::default()
        }
    }

    fn faults(endpoints: &[WebhookEndpointSettings]) -> Vec<String> {
        let named = endpoints.iter().enumerate().map(|(n, endpoint)| (format!("e{n}"), endpoint.clone()));
        let settings = WebhookSettings { webhooks: named.collect(), ..WebhookSettings::default() };
        settings.faults().into_iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn an_endpoint_has_an_address_and_names_a_variable() {
        assert!(WebhookSettings::default().faults().is_empty());
        let fine = endpoint(Some("https://example.org/hook"), "HOOK_SECRET", true);
        assert!(faults(std::slice::from_ref(&fine)).is_empty());
        assert!(faults(&[endpoint(None, "HOOK_SECRET", true)]).is_empty());
        assert_eq!(faults(&[endpoint(None, "HOOK_SECRET", false)]), ["webhooks.e0.url"]);
        assert_eq!(faults(&[endpoint(Some("ftp://example.org/"), "HOOK_SECRET", false)]), ["webhooks.e0.url"]);
        for secret in ["", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAEC/+=="] {
            assert_eq!(
                faults(&[endpoint(Some("https://example.org/"), secret, false)]),
                ["webhooks.e0.secret_env"],
                "{secret}"
            );
        }
        let before = WebhookEndpointSettings { previous_secret_env: Some("a b".to_owned()), ..fine.clone() };
        assert_eq!(faults(&[before]), ["webhooks.e0.previous_secret_env"]);
        assert_eq!(faults(&[fine.clone(), fine.clone()]), ["webhooks.e1.signs_urls"]);
        let of_tenant = WebhookEndpointSettings { tenant: Some("legal".to_owned()), ..fine.clone() };
        assert!(faults(&[fine, of_tenant]).is_empty());
        let hosts =
            WebhookSettings { allow_hosts: vec!["https://example.org".to_owned()], ..WebhookSettings::default() };
        assert_eq!(hosts.faults()[0].0, "webhook_allow_hosts");
    }
}
