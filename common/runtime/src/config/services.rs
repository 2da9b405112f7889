//! Where the services are that a fleet shares. `precis run` needs none of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::secret_url::SecretUrl;

/// Addresses of services, and what is logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServiceSettings {
    /// RabbitMQ: `amqp://` or `amqps://`.
    pub amqp_url: Option<SecretUrl>,
    /// Redis: `redis://` or `rediss://`. Without it each worker keeps its cache to itself.
    pub redis_url: Option<SecretUrl>,
    /// Content store for texts over 64 KiB, archives and finished reports, such as `file:///var/lib/precis`.
    pub content_url: Option<SecretUrl>,
    /// What is logged to standard error: `error`, `warn`, `info`, `debug`, `trace`, or directives such as `warn,precis=debug`.
    pub log: String,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self { amqp_url: None, redis_url: None, content_url: None, log: "warn".to_owned() }
    }
}

impl ServiceSettings {
    /// Keys whose value is wrong, each with what it should be.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        let mut expect = |key: &str, url: &Option<SecretUrl>, schemes: &[&str], what: &str| {
            if url.as_ref().is_some_and(|u| !schemes.is_empty() && !schemes.contains(&u.scheme())) {
                faults.push((key.to_owned(), what.to_owned()));
            }
        };
        expect("amqp_url", &self.amqp_url, &["amqp", "amqps"], "an address that starts with amqp:// or amqps://");
        expect("redis_url", &self.redis_url, &["redis", "rediss"], "an address that starts with redis:// or rediss://");
        if self.log.parse::<tracing_subscriber::EnvFilter>().is_err() || self.log.trim().is_empty() {
            faults.push((
                "log".to_owned(),
                "a level (error, warn, info, debug, trace) or a list of directives".to_owned(),
            ));
        }
        faults
    }
}
