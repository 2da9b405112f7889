//! Addresses of the services that a fleet shares. `precis run` needs none of them.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::secret_url::SecretUrl;
use crate::telemetry::LogFormat;

/// Addresses of services, and logging.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ServiceSettings {
    /// RabbitMQ: `amqp://` or `amqps://`.
    pub amqp_url: Option<SecretUrl>,
    /// Redis: `redis://` or `rediss://`. Without it each worker has its own cache.
    pub redis_url: Option<SecretUrl>,
    /// Content store for texts over 64 KiB and finished reports: `file:///var/lib/precis`, shared by all workers, or
    /// `s3://bucket/prefix` with the usual `AWS_…` variables.
    pub content_url: Option<SecretUrl>,
    /// Certificate authorities trusted for `amqps://` in addition to the system's, as PEM.
    pub amqp_ca_file: Option<PathBuf>,
    /// Client certificate for `amqps://`, as PEM.
    pub amqp_cert_file: Option<PathBuf>,
    /// Private key of `amqp_cert_file`, as PEM.
    pub amqp_key_file: Option<PathBuf>,
    /// Certificate authorities trusted for `rediss://` instead of the system's, as PEM.
    pub redis_ca_file: Option<PathBuf>,
    /// Client certificate for `rediss://`, as PEM.
    pub redis_cert_file: Option<PathBuf>,
    /// Private key of `redis_cert_file`, as PEM.
    pub redis_key_file: Option<PathBuf>,
    /// Prefix of every key in Redis, so that several fleets can share one server.
    pub redis_prefix: String,
    /// Address that serves metrics and health checks, such as `127.0.0.1:9464`. Without it neither is served.
    pub metrics_address: Option<String>,
    /// Log level of standard error: `error`, `warn`, `info`, `debug`, `trace`, or directives such as `warn,precis_runtime=debug`. A
    /// worker logs `info` unless this is set.
    pub log: String,
    /// Format of a log line: plain text, or one JSON object.
    pub log_format: LogFormat,
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
    /// Lists the keys whose value is invalid, each with the expected value.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let mut faults = Vec::new();
        let mut expect = |key: &str, url: &Option<SecretUrl>, schemes: &[&str], expected: &str| {
            if url.as_ref().is_some_and(|u| !schemes.is_empty() && !schemes.contains(&u.scheme())) {
                faults.push((key.to_owned(), expected.to_owned()));
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
