//! The Redis address, the timeouts, and TLS.

use std::path::{Path, PathBuf};
use std::time::Duration;

use redis::io::tcp::TcpSettings;
use redis::{Client, ClientTlsConfig, IntoConnectionInfo, TlsCertificates};
use secrecy::{ExposeSecret, SecretString};

use super::link::LinkTimeouts;

/// Settings of the store on Redis.
#[derive(Debug, Clone)]
pub struct RedisSettings {
    /// `redis://` or `rediss://`, with user, password and database number as needed. Never printed.
    pub address: SecretString,
    /// Prefix of every key, so that several fleets can share a server.
    pub prefix: String,
    /// Response timeout of one operation.
    pub response_timeout: Duration,
    /// Timeout for opening a connection that answers.
    pub connect_timeout: Duration,
    /// Larger values are not kept: they would delay all other operations on the connection.
    pub max_value_bytes: usize,
    /// PEM file of the certificate authorities trusted over `rediss`; `None` trusts the system's.
    pub ca_file: Option<PathBuf>,
    /// Client certificate over `rediss`, if Redis requires one.
    pub identity: Option<ClientIdentity>,
}

/// A client certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientIdentity {
    /// PEM file of the certificate, including intermediate certificates.
    pub certificate_file: PathBuf,
    /// PEM file of its key.
    pub key_file: PathBuf,
}

/// Why the settings cannot be used. Contains neither the address nor a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedisSettingsError {
    /// The address is not a Redis address, or certificates are set for an address without TLS.
    #[error("invalid Redis address: {0}")]
    Address(String),
    /// A certificate or key cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The system's error message.
        reason: String,
    },
}

impl RedisSettings {
    /// Settings for Redis at `address`, with the defaults: half a second for an answer, a second for a connection, values up to 8 MiB
    /// (chosen, not measured).
    #[must_use]
    pub fn from_address(address: SecretString) -> Self {
        Self {
            address,
            prefix: "precis:".to_owned(),
            response_timeout: Duration::from_millis(500),
            connect_timeout: Duration::from_secs(1),
            max_value_bytes: 8 << 20,
            ca_file: None,
            identity: None,
        }
    }

    pub(super) fn timeouts(&self) -> LinkTimeouts {
        LinkTimeouts { response: self.response_timeout, connect: self.connect_timeout }
    }

    /// Builds a client that has not connected yet.
    pub(super) fn client(&self) -> Result<Client, RedisSettingsError> {
        crate::http::install_tls();
        let address = self.address.expose_secret();
        // The library's message may repeat the address, so only its category is used.
        let unusable = |e: redis::RedisError| RedisSettingsError::Address(e.category().to_owned());
        // Commands are small and follow one another: without this the system would hold back each one until the one before is acknowledged.
        let tcp = TcpSettings::default().set_nodelay(true);
        let place = address.into_connection_info().map_err(unusable)?.set_tcp_settings(tcp);
        if self.ca_file.is_none() && self.identity.is_none() {
            return Client::open(place).map_err(unusable);
        }
        let root_cert = self.ca_file.as_deref().map(read).transpose()?;
        let client_tls = self.identity.as_ref().map(ClientIdentity::read).transpose()?;
        Client::build_with_tls(place, TlsCertificates { client_tls, root_cert }).map_err(unusable)
    }
}

impl ClientIdentity {
    fn read(&self) -> Result<ClientTlsConfig, RedisSettingsError> {
        Ok(ClientTlsConfig { client_cert: read(&self.certificate_file)?, client_key: read(&self.key_file)? })
    }
}

#[expect(clippy::disallowed_methods, reason = "the operator names it, and may name a pipe")]
fn read(path: &Path) -> Result<Vec<u8>, RedisSettingsError> {
    std::fs::read(path).map_err(|e| RedisSettingsError::File { path: path.to_owned(), reason: e.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> RedisSettings {
        RedisSettings::from_address(SecretString::from(address.to_owned()))
    }

    #[test]
    fn settings_and_their_errors_hide_the_password() {
        let settings = at("http://precis:hunter2@host");
        let error = settings.client().expect_err("no address of Redis");
        assert!(!format!("{settings:?} {error:?} {error}").contains("hunter2"));
    }

    #[test]
    fn a_certificate_that_cannot_be_read_is_named() {
        let settings = RedisSettings { ca_file: Some("/nowhere/ca.pem".into()), ..at("rediss://host") };
        assert!(settings.client().expect_err("is not there").to_string().contains("/nowhere/ca.pem"));
    }
}
