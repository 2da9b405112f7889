//! TLS for a server of this process, from files that may be replaced while it runs.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;

use crate::files::{FileLimits, Links, read_regular};
use crate::http::install_tls;

/// Largest file of a certificate chain or a key, in bytes.
const MAX_PEM_BYTES: u64 = 1024 * 1024;
/// What is spoken inside.
const HTTP_1_1: &[u8] = b"http/1.1";

/// A certificate and its key, as read last.
pub struct ServerTls {
    certificate: PathBuf,
    key: PathBuf,
    current: RwLock<TlsAcceptor>,
}

/// Why a certificate cannot be used; contains nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsFault {
    /// A file cannot be read.
    #[error("read {path}: {reason}")]
    Unread {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// A file does not hold what it should.
    #[error("{path} must hold {expected} in PEM")]
    Wrong {
        /// The file.
        path: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// The key is that of another certificate.
    #[error("the certificate in {certificate} and the key in {key} do not belong together")]
    Mismatched {
        /// The file of the certificate.
        certificate: String,
        /// The file of the key.
        key: String,
    },
}

impl ServerTls {
    /// Reads a certificate with its chain, and its unencrypted key.
    ///
    /// # Errors
    /// [`TlsFault`].
    pub fn open(certificate: &Path, key: &Path) -> Result<Self, TlsFault> {
        let current = RwLock::new(acceptor(certificate, key)?);
        Ok(Self { certificate: certificate.to_owned(), key: key.to_owned(), current })
    }

    /// Reads both files again, for connections that are accepted from now on. If they cannot be used, those read before stay.
    ///
    /// # Errors
    /// [`TlsFault`].
    pub fn reload(&self) -> Result<(), TlsFault> {
        let fresh = acceptor(&self.certificate, &self.key)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    /// Shakes hands with a client.
    ///
    /// # Errors
    /// Those of the network and of TLS.
    pub async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
    ) -> io::Result<impl AsyncRead + AsyncWrite + Unpin + use<S>> {
        let acceptor = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        acceptor.accept(stream).await
    }
}

impl fmt::Debug for ServerTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerTls").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, TlsFault> {
    install_tls();
    let wrong = |path: &Path, expected| TlsFault::Wrong { path: path.display().to_string(), expected };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&read(certificate)?).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty()).ok_or_else(|| wrong(certificate, "certificates"))?;
    let private = PrivateKeyDer::from_pem_slice(&read(key)?).map_err(|_| wrong(key, "an unencrypted key"))?;
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, private);
    let mut config = config.map_err(|_| TlsFault::Mismatched {
        certificate: certificate.display().to_string(),
        key: key.display().to_string(),
    })?;
    config.alpn_protocols = vec![HTTP_1_1.to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read(path: &Path) -> Result<Vec<u8>, TlsFault> {
    let unread = |reason: String| TlsFault::Unread { path: path.display().to_string(), reason };
    read_regular(path, Links::Followed, FileLimits::bytes(MAX_PEM_BYTES)).map_err(|error| unread(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_is_named_and_not_shown() {
        let dir = tempfile::tempdir().expect("a directory");
        let (certificate, key) = (dir.path().join("a.pem"), dir.path().join("a.key"));
        let fault = || ServerTls::open(&certificate, &key).expect_err("refused").to_string();
        assert!(fault().starts_with("read ") && fault().contains("a.pem"), "{}", fault());
        for text in ["", "hunter2", "-----BEGIN CERTIFICATE-----\nhunter2\n"] {
            std::fs::write(&certificate, text).expect("written");
            assert!(fault().contains("a.pem must hold certificates") && !fault().contains("hunter2"), "{}", fault());
        }
        std::fs::write(&certificate, "-----BEGIN CERTIFICATE-----\naHVudGVyMg==\n-----END CERTIFICATE-----\n")
            .expect("written");
        assert!(fault().contains("a.key"), "{}", fault());
        std::fs::write(&key, "hunter2").expect("written");
        assert!(fault().contains("a.key must hold an unencrypted key") && !fault().contains("hunter2"), "{}", fault());
        for (bytes, is_read) in [(MAX_PEM_BYTES - 1, true), (MAX_PEM_BYTES, true), (MAX_PEM_BYTES + 1, false)] {
            std::fs::write(&certificate, vec![b'x'; usize::try_from(bytes).expect("small")]).expect("written");
            assert_eq!(fault().contains("must hold"), is_read, "{bytes}: {}", fault());
        }
    }
}
