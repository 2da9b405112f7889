//! The address of the broker, TLS, and the time limits. Reads no files and no environment: PEM texts are passed in.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use lapin::uri::AMQPUri;

use crate::broker::BrokerError;
use crate::secret_url::SecretUrl;

/// How to reach RabbitMQ.
#[derive(Debug, Clone)]
pub struct RabbitSettings {
    /// `amqp://` or `amqps://`, with user, password and virtual host. Its query parameters (`heartbeat`, `frame_max`, …) take
    /// precedence.
    pub address: SecretUrl,
    /// Shown in the management UI, followed by the purpose of the connection.
    pub connection_name: String,
    /// Silence after which the peer counts as lost; whole seconds, 1 to 65,535.
    pub heartbeat: Duration,
    /// Time limit for opening a connection.
    pub connect_timeout: Duration,
    /// Time limit for a publish, from handing it over to its last confirm, and for any other answer of the broker.
    pub confirm_timeout: Duration,
    /// Used by `amqps`.
    pub tls: RabbitTls,
}

/// Trusted authorities and the client certificate.
#[derive(Debug, Clone, Default)]
pub struct RabbitTls {
    /// Trusted certificate authorities besides the system's, in PEM.
    pub authorities_pem: Option<String>,
    /// For brokers that require a client certificate.
    pub client: Option<ClientCertificate>,
}

/// A client certificate with its key; `Debug` omits the key.
#[derive(Clone)]
pub struct ClientCertificate {
    /// The certificate followed by its chain, in PEM.
    pub certificate_pem: String,
    /// Unencrypted private key in PEM.
    pub key_pem: String,
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCertificate")
            .field("certificate_pem", &self.certificate_pem.len())
            .finish_non_exhaustive()
    }
}

impl RabbitSettings {
    /// Settings with defaults: heartbeat 10 s, connecting 10 s, confirms 30 s (chosen, not measured: a quorum queue that elects a
    /// leader on a loaded machine takes seconds).
    #[must_use]
    pub fn new(address: SecretUrl) -> Self {
        Self {
            address,
            connection_name: "precis".to_owned(),
            heartbeat: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            confirm_timeout: Duration::from_secs(30),
            tls: RabbitTls::default(),
        }
    }

    /// Returns the parsed address for a connection whose frames have at most `frame_max_bytes`.
    ///
    /// # Errors
    /// [`BrokerError::Refused`]; does not contain the address, which holds a password.
    pub(super) fn uri(&self, frame_max_bytes: u32) -> Result<AMQPUri, BrokerError> {
        let mut uri = AMQPUri::from_str(self.address.expose())
            .map_err(|_| BrokerError::Refused("the broker address must be an amqp:// or amqps:// URL".to_owned()))?;
        let heartbeat_secs = u16::try_from(self.heartbeat.as_secs()).unwrap_or(u16::MAX).max(1);
        uri.query.heartbeat.get_or_insert(heartbeat_secs);
        let connect_ms = u64::try_from(self.connect_timeout.as_millis()).unwrap_or(u64::MAX);
        uri.query.connection_timeout.get_or_insert(connect_ms);
        uri.query.frame_max.get_or_insert(frame_max_bytes);
        Ok(uri)
    }

    /// Returns the user that the address names. `None` with a client certificate: the broker may map it to another name.
    pub(super) fn user(&self) -> Option<String> {
        let uri = self.uri(PUBLISHED_FRAME_BYTES).ok()?;
        let by_password = uri.query.auth_mechanism.is_none() && self.tls.client.is_none();
        Some(uri.authority.userinfo.username).filter(|user| by_password && !user.is_empty())
    }
}

/// Largest frame of a publishing connection, in bytes. The client library buffers 64 frames per connection: the broker's default of 128
/// KiB would cost 8 MiB.
pub(super) const PUBLISHED_FRAME_BYTES: u32 = 32 * 1024;
/// Largest frame of a consuming connection, in bytes: the broker's default maximum. All headers of a message travel in one frame, and
/// the client library closes a connection on which a larger frame arrives: a message whose headers a sender may send but a consumer may
/// not receive would end every connection it is delivered to.
pub(super) const CONSUMED_FRAME_BYTES: u32 = 128 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(address: &str) -> RabbitSettings {
        RabbitSettings::new(serde_json::from_value(address.into()).expect("an address"))
    }

    #[test]
    fn what_the_address_says_wins_over_the_settings() {
        let uri = settings("amqp://u:p@host/v%2fh?heartbeat=3").uri(PUBLISHED_FRAME_BYTES).expect("an address");
        assert_eq!((uri.vhost.as_str(), uri.query.heartbeat), ("v/h", Some(3)));
        assert_eq!(settings("amqp://host").uri(PUBLISHED_FRAME_BYTES).expect("an address").query.heartbeat, Some(10));
    }

    #[test]
    fn no_secret_is_printed() {
        let mut settings = settings("http://user:hunter2@host");
        settings.tls.client = Some(ClientCertificate { certificate_pem: "cert".into(), key_pem: "hunter2".into() });
        let refused = settings.uri(PUBLISHED_FRAME_BYTES).expect_err("not an AMQP address");
        assert!(!format!("{settings:?} {refused} {refused:?}").contains("hunter2"));
    }
}
