//! Certificates for servers that speak TLS and the clients they know.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

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

/// Listens without TLS, and passes what comes on to the server at `to`, which speaks it with a certificate of the authority in `dir`.
///
/// # Panics
/// Where there is no free port.
#[must_use]
pub fn plain_way_to(to: SocketAddr, dir: &Path) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("bound");
    let dir = dir.to_owned();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut openssl = Command::new("openssl");
            openssl.args([
                "s_client",
                "-quiet",
                "-verify_return_error",
                "-CAfile",
                "ca.pem",
                "-connect",
                &to.to_string(),
            ]);
            openssl.current_dir(&dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            if let Ok(child) = openssl.spawn() {
                std::thread::spawn(move || pass(stream, child));
            }
        }
    });
    address
}

/// Passes bytes both ways until the server ends or the client is gone.
fn pass(mut stream: TcpStream, mut tls: Child) {
    let (Some(mut to), Some(mut from)) = (tls.stdin.take(), tls.stdout.take()) else { return };
    if let Ok(mut sent) = stream.try_clone() {
        std::thread::spawn(move || pour(&mut sent, &mut to));
    }
    pour(&mut from, &mut stream);
    let _ = stream.shutdown(Shutdown::Both);
    let _ = tls.kill();
    let _ = tls.wait();
}

/// Passes bytes as they come: `std::io::copy` may wait for more of them, because it leaves the work to the kernel.
fn pour(from: &mut impl Read, to: &mut impl Write) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..count]).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}
