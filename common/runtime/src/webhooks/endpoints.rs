//! Whom an event goes to: endpoints by name, and the addresses that requests may name. Pure.

use std::collections::BTreeMap;

use precis_proto::webhook::{MAX_ENDPOINT_BYTES, MAX_WEBHOOK_URL_BYTES, WebhookTarget};
use url::{Host, Url};

use super::secret::SigningSecret;
use crate::fetch::{FetchPolicy, HostRule, UrlVerdict, verdict};
use crate::secret_url::SecretUrl;

/// An endpoint of the configuration.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Its address; `None` if it only signs for addresses of requests.
    pub url: Option<SecretUrl>,
    /// The secrets that sign: one, or two while one takes the place of the other.
    pub secrets: Vec<SigningSecret>,
    /// The tenant whose requests may name it; `None` for all of them.
    pub tenant: Option<String>,
    /// Whether its secrets sign what goes to an address that a request of its tenant names.
    pub signs_urls: bool,
}

/// The endpoints of a fleet.
#[derive(Debug, Clone, Default)]
pub struct Endpoints {
    by_name: BTreeMap<String, Endpoint>,
    /// Hosts that an address of a request may be on; with none, a request may name no address.
    allow_hosts: Vec<HostRule>,
    policy: FetchPolicy,
}

/// Where an event goes, and what signs it.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// The address.
    pub url: SecretUrl,
    /// The secrets.
    pub secrets: Vec<SigningSecret>,
}

/// Why an event goes nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRefusal {
    /// The reason; does not repeat the address, which may hold a secret.
    pub message: String,
    /// The field that is at fault: `endpoint` or `url`.
    pub field: &'static str,
}

/// Why endpoints cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("webhooks.{name}.{key}: {reason}")]
pub struct EndpointFault {
    /// The name of the endpoint.
    pub name: String,
    /// The key of its table.
    pub key: &'static str,
    /// What is wrong.
    pub reason: String,
}

impl WebhookRefusal {
    /// That of a fleet without endpoints.
    #[must_use]
    pub fn of_no_endpoints(target: &WebhookTarget) -> Self {
        let field = match target {
            WebhookTarget::Endpoint(_) => "endpoint",
            WebhookTarget::Url(_) => "url",
        };
        Self { message: "this fleet has no webhook endpoints (`[webhooks.NAME]`)".to_owned(), field }
    }
}

impl Endpoints {
    /// The endpoints `by_name`. `allow_hosts` are the hosts of addresses that requests may name; `policy` says what may be connected to.
    #[must_use]
    pub fn new(by_name: BTreeMap<String, Endpoint>, allow_hosts: Vec<HostRule>, policy: FetchPolicy) -> Self {
        let policy = reaching(policy, &by_name, &allow_hosts);
        Self { by_name, allow_hosts, policy }
    }

    /// Whether nothing can be told to anybody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// What a client for these endpoints may connect to.
    #[must_use]
    pub fn policy(&self) -> &FetchPolicy {
        &self.policy
    }

    /// Returns where an event for `target` of a session of `tenant` goes.
    ///
    /// # Errors
    /// [`WebhookRefusal`]; the same for an endpoint that is not there and one of another tenant.
    pub fn receiver(&self, target: &WebhookTarget, tenant: Option<&str>) -> Result<Receiver, WebhookRefusal> {
        match target {
            WebhookTarget::Endpoint(name) => self.receiver_named(name, tenant),
            WebhookTarget::Url(url) => self.receiver_at(url, tenant),
        }
    }

    fn receiver_named(&self, name: &str, tenant: Option<&str>) -> Result<Receiver, WebhookRefusal> {
        let refused = |message: String| WebhookRefusal { message, field: "endpoint" };
        if name.len() > MAX_ENDPOINT_BYTES {
            return Err(refused(format!("the name of an endpoint must have at most {MAX_ENDPOINT_BYTES} bytes")));
        }
        let known = self.by_name.get(name).filter(|endpoint| may_use(endpoint, tenant));
        let Some((url, secrets)) = known.and_then(|known| Some((known.url.clone()?, known.secrets.clone()))) else {
            return Err(refused("there is no webhook endpoint of this name for this tenant".to_owned()));
        };
        Ok(Receiver { url, secrets })
    }

    fn receiver_at(&self, text: &str, tenant: Option<&str>) -> Result<Receiver, WebhookRefusal> {
        let refused = |message: &str| WebhookRefusal { message: message.to_owned(), field: "url" };
        if text.len() > MAX_WEBHOOK_URL_BYTES {
            return Err(refused(&format!("the address must have at most {MAX_WEBHOOK_URL_BYTES} bytes")));
        }
        // Its words name what of the address is wrong, never the address.
        if let UrlVerdict::Deny { reason } = verdict(text, &self.policy) {
            return Err(refused(&format!("the address may not be reached: {}", reason.code)));
        }
        let url = Url::parse(text.trim_matches(' ')).map_err(|_| refused("the address is none"))?;
        let is_listed = match url.host() {
            Some(Host::Domain(name)) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                self.allow_hosts.iter().any(|rule| rule.covers(name))
            }
            // Names only: what an address of numbers leads to is nobody's to vouch for.
            _ => false,
        };
        if !is_listed {
            return Err(refused("the host is not in webhook_allow_hosts"));
        }
        let own = self.by_name.values().filter(|endpoint| endpoint.signs_urls && may_use(endpoint, tenant));
        // The tenant's own secrets before those of all tenants.
        let Some(signing) = own.max_by_key(|endpoint| endpoint.tenant.is_some()) else {
            return Err(refused("no webhook endpoint signs for addresses of this tenant (`signs_urls`)"));
        };
        Ok(Receiver { url: SecretUrl::from(url), secrets: signing.secrets.clone() })
    }
}

fn may_use(endpoint: &Endpoint, tenant: Option<&str>) -> bool {
    endpoint.tenant.is_none() || endpoint.tenant.as_deref() == tenant
}

/// The policy of pages, but for the hosts and ports of these endpoints: whom an operator names here need not be a place to read pages from.
fn reaching(policy: FetchPolicy, by_name: &BTreeMap<String, Endpoint>, allow_hosts: &[HostRule]) -> FetchPolicy {
    let urls = by_name.values().filter_map(|endpoint| Url::parse(endpoint.url.as_ref()?.expose()).ok());
    let (mut hosts, mut ports) = (allow_hosts.to_vec(), policy.ports.clone());
    for url in urls {
        hosts.extend(url.host_str().and_then(|host| host.parse().ok()));
        let port = url.port_or_known_default().unwrap_or_default();
        if !ports.is_empty() && !ports.contains(&port) {
            ports.push(port);
        }
    }
    FetchPolicy { allow_hosts: hosts, ports, ..policy }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(byte: u8) -> SigningSecret {
        use base64::Engine;
        let bytes = base64::engine::general_purpose::STANDARD.encode([byte; 24]);
        SigningSecret::parse(&format!("whsec_{bytes}")).expect("a secret")
    }

    fn endpoint(url: Option<&str>, tenant: Option<&str>, signs_urls: bool, byte: u8) -> Endpoint {
        let url = url.map(SecretUrl::from_constant);
        Endpoint { url, secrets: vec![secret(byte)], tenant: tenant.map(str::to_owned), signs_urls }
    }

    fn endpoints() -> Endpoints {
        let by_name = [
            ("all", endpoint(Some("https://hooks.example.org/all"), None, true, 1)),
            ("legal", endpoint(Some("https://legal.corp:9443/in"), Some("legal"), false, 2)),
            ("signs", endpoint(None, Some("legal"), true, 3)),
        ];
        let by_name = by_name.map(|(name, endpoint)| (name.to_owned(), endpoint)).into();
        Endpoints::new(by_name, vec![".callers.example".parse().expect("a rule")], FetchPolicy::default())
    }

    /// The address and a signature of the receiver, or the words of the refusal.
    fn found(target: &WebhookTarget, tenant: Option<&str>) -> Result<(String, String), String> {
        let receiver = endpoints().receiver(target, tenant).map_err(|refusal| refusal.message)?;
        Ok((receiver.url.expose().to_owned(), receiver.secrets[0].signature("a", 1, b"")))
    }

    #[test]
    fn an_endpoint_serves_its_tenant_and_foreign_ones_look_missing() {
        let named = |name: &str, tenant| found(&WebhookTarget::Endpoint(name.to_owned()), tenant);
        for tenant in [None, Some("legal"), Some("other")] {
            assert_eq!(named("all", tenant).expect("for all").0, "https://hooks.example.org/all");
        }
        assert_eq!(named("legal", Some("legal")).expect("its own").0, "https://legal.corp:9443/in");
        let none = named("nobody", Some("other")).expect_err("none");
        assert_eq!(named("legal", Some("other")).expect_err("foreign"), none);
        assert_eq!(named("legal", None).expect_err("foreign"), none);
        assert_eq!(named("signs", Some("legal")).expect_err("has no address"), none);
    }

    #[test]
    fn an_address_needs_an_allowed_host_and_is_signed_by_its_tenant() {
        let url = |url: &str, tenant| found(&WebhookTarget::Url(url.to_owned()), tenant);
        let at = "https://a.callers.example/x?token=SECRET";
        assert_eq!(url(at, Some("legal")).expect("allowed"), (at.to_owned(), secret(3).signature("a", 1, b"")));
        assert_eq!(url(at, Some("other")).expect("allowed"), (at.to_owned(), secret(1).signature("a", 1, b"")));
        for refused in [
            "https://callers.example.evil.net/?SECRET",
            "https://hooks.example.org/SECRET",
            "https://SECRET@a.callers.example/",
            "https://127.0.0.1/SECRET",
            "ftp://a.callers.example/SECRET",
            "https://a.callers.example:22/SECRET",
            "SECRET",
            "",
        ] {
            let words = url(refused, Some("legal")).expect_err(refused);
            assert!(!words.contains("SECRET"), "{words}");
        }
        let no_hosts = Endpoints { allow_hosts: Vec::new(), ..endpoints() };
        assert!(no_hosts.receiver(&WebhookTarget::Url(at.to_owned()), None).is_err());
    }

    #[test]
    fn targets_have_their_limits() {
        for (bytes, is_too_long) in [(199, false), (200, false), (201, true)] {
            let words = found(&WebhookTarget::Endpoint("x".repeat(bytes)), None).expect_err("none");
            assert_eq!(words.contains("at most 200"), is_too_long, "{bytes}");
        }
        let address = |bytes: usize| format!("https://a.callers.example/{}", "x".repeat(bytes - 26));
        for (bytes, is_fine) in [(2_047, true), (2_048, true), (2_049, false)] {
            assert_eq!(found(&WebhookTarget::Url(address(bytes)), None).is_ok(), is_fine, "{bytes}");
        }
    }

    #[test]
    fn hosts_and_ports_of_endpoints_may_be_reached_besides_those_of_pages() {
        let policy = endpoints().policy;
        for (url, is_allowed) in [
            ("https://legal.corp:9443/in", true),
            ("https://b.callers.example/", true),
            ("https://elsewhere.example/", false),
            ("https://legal.corp:22/", false),
        ] {
            assert_eq!(verdict(url, &policy) == UrlVerdict::Allow, is_allowed, "{url}");
        }
    }
}
