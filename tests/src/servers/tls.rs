//! Certificates for servers that speak TLS and the clients they know.

use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an authority (`ca.pem`), and a certificate with its key that it signed for the server (`server.pem`, `server.key`, for
/// 127.0.0.1) and one for a client (`client.pem`, `client.key`); `None`, said aloud, without `openssl`.
///
/// # Panics
/// Where `openssl` refuses.
#[must_use]
pub fn certificates(dir: &Path) -> Option<()> {
    std::fs::write(dir.join("san"), "subjectAltName=IP:127.0.0.1").expect("writable");
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";
    let mut lines = vec![format!("req -x509 {key} -keyout ca.key -out ca.pem -subj /CN=ca -days 2")];
    for name in ["server", "client"] {
        lines.push(format!("req {key} -keyout {name}.key -out {name}.csr -subj /CN={name}"));
        lines.push(format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out {name}.pem -days 2 -extfile san"
        ));
    }
    for line in lines {
        let mut openssl = Command::new("openssl");
        openssl.args(line.split(' ')).current_dir(dir).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(status) = openssl.status() else {
            eprintln!("SKIPPED: openssl is not installed, so TLS was not tested");
            return None;
        };
        assert!(status.success(), "openssl {line}");
    }
    Some(())
}
