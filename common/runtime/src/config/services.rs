//! Where the services are that a fleet shares. `precis run` needs none of them.

use std::path::PathBuf;

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
    /// Content store for texts over 64 KiB and finished reports: `file:///var/lib/precis`, shared by all workers, or
    /// `s3://bucket/prefix` with the usual `AWS_…` variables.
    pub content_url: Option<SecretUrl>,
    /// Authorities trusted for `amqps://` beside the system's, as PEM.
    pub amqp_ca_file: Option<PathBuf>,
    /// Client certificate for `amqps://`, as PEM.
    pub amqp_cert_file: Option<PathBuf>,
    /// Its key, as PEM.
    pub amqp_key_file: Option<PathBuf>,
    /// Authorities trusted for `rediss://` instead of the system's, as PEM.
    pub redis_ca_file: Option<PathBuf>,
    /// Client certificate for `rediss://`, as PEM.
    pub redis_cert_file: Option<PathBuf>,
    /// Its key, as PEM.
    pub redis_key_file: Option<PathBuf>,
    /// What every key in Redis begins with, so that fleets can share one.
    pub redis_prefix: String,
    /// Where metrics and health are served: `127.0.0.1:9464`. Without it nothing listens.
    pub metrics_address: Option<String>,
    /// What is logged to standard error: `error`, `warn`, `info`, `debug`, `trace`, or directives such as
    /// `warn,precis_runtime=debug`. A worker logs `info` unless it is set.
    pub log: String,
    /// How a log line looks.
    pub log_format: LogFormat,
}

/// How a log line looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object each.
    Json,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self {
            amqp_url: None,
            redis_url: None,
            content_url: None,
            amqp_ca_file: None,
            amqp_cert_file: None,
            amqp_key_file: None,
            redis_ca_file: None,
            redis_cert_file: None,
            redis_key_file: None,
            redis_prefix: "precis:".to_owned(),
            metrics_address: None,
            log: "warn".to_owned(),
            log_format: LogFormat::Text,
        }
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
        for (pair, cert, key) in [
            ("amqp_cert_file", &self.amqp_cert_file, &self.amqp_key_file),
            ("redis_cert_file", &self.redis_cert_file, &self.redis_key_file),
        ] {
            if cert.is_some() != key.is_some() {
                faults.push((pair.to_owned(), "a certificate and its key, or neither".to_owned()));
            }
        }
        if self.log.parse::<tracing_subscriber::EnvFilter>().is_err() || self.log.trim().is_empty() {
            faults.push((
                "log".to_owned(),
                "a level (error, warn, info, debug, trace) or a list of directives".to_owned(),
            ));
        }
        faults
    }
}
