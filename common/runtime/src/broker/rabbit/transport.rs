//! What AMQP runs over: TCP, or TLS on it for `amqps://`.
//!
//! The client library can open TLS connections itself, but only with a reader of PKCS #12 files, which are not used here: 42 crates.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_rs::traits::Reactor;
use async_rs::util::RuntimeParts;
use async_rs::{Runtime, Tokio};
use futures_util::Stream;
use futures_util::io::{AsyncRead, AsyncWrite};
use lapin::uri::{AMQPScheme, AMQPUri};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_util::compat::TokioAsyncReadCompatExt;

use super::settings::{ClientCertificate, RabbitTls};
use crate::broker::BrokerError;
use crate::http::install_tls;

/// An open stream, encrypted or not.
pub(super) trait BrokerStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> BrokerStream for S {}

/// The runtime that the client library works in.
pub(super) type BrokerRuntime = Runtime<RuntimeParts<Tokio, BrokerReactor>>;

/// Returns the current runtime of tokio; panics outside of one.
pub(super) fn current_runtime() -> BrokerRuntime {
    Runtime::new(RuntimeParts::new(Tokio::current(), BrokerReactor(Tokio::current())))
}

/// Tokio's reactor, with streams that may be encrypted.
#[derive(Debug, Clone)]
pub(super) struct BrokerReactor(Tokio);

impl Reactor for BrokerReactor {
    type TcpStream = Box<dyn BrokerStream>;
    type Sleep = <Tokio as Reactor>::Sleep;

    fn register<H: io::Read + io::Write + AsFd + AsRawFd + Send + 'static>(
        &self,
        socket: H,
    ) -> io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static> {
        self.0.register(socket)
    }

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        self.0.sleep(duration)
    }

    fn interval(&self, duration: Duration) -> impl Stream<Item = Instant> + Send + 'static {
        self.0.interval(duration)
    }

    fn tcp_connect_addr(
        &self,
        address: SocketAddr,
    ) -> impl Future<Output = io::Result<Self::TcpStream>> + Send + 'static {
        let connecting = self.0.tcp_connect_addr(address);
        async move { Ok(Box::new(connecting.await?) as Box<dyn BrokerStream>) }
    }
}

/// Connects to the broker at `uri`, encrypted if there is a connector.
///
/// # Errors
/// Those of the network, of DNS and of TLS; none of them contains the password.
pub(super) async fn connect(uri: &AMQPUri, tls: Option<&TlsConnector>) -> io::Result<Box<dyn BrokerStream>> {
    let host = &uri.authority.host;
    let stream = TcpStream::connect((host.as_str(), uri.authority.port)).await?;
    stream.set_nodelay(true)?;
    let Some(tls) = tls else { return Ok(Box::new(stream.compat())) };
    let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
    Ok(Box::new(tls.connect(name, stream).await?.compat()))
}

/// Returns what encrypts connections to `uri`; `None` if its scheme is `amqp`.
///
/// # Errors
/// As [`client_config`].
pub(super) fn connector(uri: &AMQPUri, tls: &RabbitTls) -> Result<Option<TlsConnector>, BrokerError> {
    let config = (uri.scheme == AMQPScheme::AMQPS).then(|| client_config(tls)).transpose()?;
    Ok(config.map(|config| TlsConnector::from(Arc::new(config))))
}

/// Returns whom a TLS connection trusts, the authorities of the system and those of `tls`, and the certificate it shows.
///
/// # Errors
/// [`BrokerError::Refused`] if a PEM text is wrong; contains nothing of it.
fn client_config(tls: &RabbitTls) -> Result<ClientConfig, BrokerError> {
    install_tls();
    let mut roots = RootCertStore::empty();
    // What cannot be read of the system's certificates is not trusted; the handshake then names the authority that is missing.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(pem) = &tls.authorities_pem {
        for certificate in certificates(pem, "authorities")? {
            roots.add(certificate).map_err(|_| wrong("authorities", "certificates"))?;
        }
    }
    let builder = ClientConfig::builder().with_root_certificates(roots);
    let Some(ClientCertificate { certificate_pem, key_pem }) = &tls.client else {
        return Ok(builder.with_no_client_auth());
    };
    let chain = certificates(certificate_pem, "client certificate")?;
    let key =
        PrivateKeyDer::from_pem_slice(key_pem.as_bytes()).map_err(|_| wrong("client key", "an unencrypted key"))?;
    let mismatched = |_| BrokerError::Refused("the client certificate and its key do not belong together".to_owned());
    builder.with_client_auth_cert(chain, key).map_err(mismatched)
}

/// The certificates of a PEM text; at least one, since a text without any is a wrong file.
fn certificates(pem: &str, what: &str) -> Result<Vec<CertificateDer<'static>>, BrokerError> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    read.ok().filter(|found| !found.is_empty()).ok_or_else(|| wrong(what, "certificates"))
}

fn wrong(what: &str, expected: &str) -> BrokerError {
    BrokerError::Refused(format!("the broker's {what} must be {expected} in PEM"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(tls: &RabbitTls) -> String {
        client_config(tls).expect_err("refused").to_string()
    }

    #[test]
    fn wrong_certificates_and_keys_are_named_and_nothing_of_them_is_shown() {
        let no_certificate = "-----BEGIN CERTIFICATE-----\naHVudGVyMg==\n-----END CERTIFICATE-----\n";
        for pem in ["", "hunter2", "-----BEGIN CERTIFICATE-----\nhunter2\n", no_certificate] {
            let said = refused(&RabbitTls { authorities_pem: Some(pem.to_owned()), client: None });
            assert!(said.contains("authorities must be certificates in PEM") && !said.contains("hunter2"), "{said}");
            if pem != no_certificate {
                let client = ClientCertificate { certificate_pem: pem.to_owned(), key_pem: String::new() };
                let said = refused(&RabbitTls { authorities_pem: None, client: Some(client) });
                assert!(said.contains("client certificate must be certificates in PEM"), "{said}");
            }
        }
        let client = ClientCertificate { certificate_pem: no_certificate.to_owned(), key_pem: "hunter2".to_owned() };
        let said = refused(&RabbitTls { authorities_pem: None, client: Some(client) });
        assert!(said.contains("client key must be an unencrypted key in PEM") && !said.contains("hunter2"), "{said}");
        assert!(client_config(&RabbitTls::default()).is_ok());
    }
}
