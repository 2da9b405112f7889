//! Where Redis is, how patient the store is with it, and how it proves itself over TLS.

use std::path::{Path, PathBuf};
use std::time::Duration;

use redis::{Client, ClientTlsConfig, TlsCertificates};
use secrecy::{ExposeSecret, SecretString};

use super::link::LinkTimeouts;

/// A store on Redis, as configured.
#[derive(Debug, Clone)]
pub struct RedisSettings {
    /// `redis://` or `rediss://`, with user, password and database number where it wants them. Never printed.
    pub address: SecretString,
    /// In front of every key, so that several fleets may share a server.
    pub prefix: String,
    /// Longest wait for the answer to one operation.
    pub response_timeout: Duration,
    /// Longest wait for a connection that is ready for use.
    pub connect_timeout: Duration,
    /// Larger values are not kept: they would stand in the way of everybody else's.
    pub max_value_bytes: usize,
    /// PEM file of the authorities to believe over `rediss`; `None` believes the system's.
    pub ca_file: Option<PathBuf>,
    /// What the store shows over `rediss`, where Redis asks who is there.
    pub identity: Option<ClientIdentity>,
}

/// A client certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientIdentity {
    /// PEM file of the certificate, with what leads from it to the authority.
    pub certificate_file: PathBuf,
    /// PEM file of its key.
    pub key_file: PathBuf,
}

/// Why the settings cannot be used. Holds neither the address nor a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedisSettingsError {
    /// The address is none of Redis, or certificates are set for one without TLS.
    #[error("the address of Redis cannot be used: {0}")]
    Address(String),
    /// A certificate or key cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

impl RedisSettings {
    /// Redis at `address`, with the defaults: half a second for an answer, a second for a connection, values up to 8 MiB (chosen, not
    /// measured).
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

    pub(super) fn patience(&self) -> LinkTimeouts {
        LinkTimeouts { response: self.response_timeout, connect: self.connect_timeout }
    }

    /// A client that has not connected yet.
    pub(super) fn client(&self) -> Result<Client, RedisSettingsError> {
        crate::http::install_tls();
        let address = self.address.expose_secret();
        // The library's own words may repeat what was configured: its category is said instead.
        let unusable = |e: redis::RedisError| RedisSettingsError::Address(e.category().to_owned());
        if self.ca_file.is_none() && self.identity.is_none() {
            return Client::open(address).map_err(unusable);
        }
        let root_cert = self.ca_file.as_deref().map(read).transpose()?;
        let client_tls = self.identity.as_ref().map(ClientIdentity::read).transpose()?;
        Client::build_with_tls(address, TlsCertificates { client_tls, root_cert }).map_err(unusable)
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
