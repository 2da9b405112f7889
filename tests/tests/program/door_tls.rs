//! The door over TLS: as a client sees it that trusts an authority, before and after the certificate was replaced.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use precis_tests::program::CliWorkspace;
use precis_tests::servers::tls::certificates;

/// Longest time for a start, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("bound")
}

/// What the door answers to a client that trusts the authority in `dir`; empty if it does not trust the door.
fn asked(address: SocketAddr, dir: &Path, path: &str) -> String {
    let mut openssl = Command::new("openssl");
    openssl.args([
        "s_client",
        "-quiet",
        "-verify_return_error",
        "-ign_eof",
        "-CAfile",
        "ca.pem",
        "-connect",
        &address.to_string(),
    ]);
    openssl.current_dir(dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut client = openssl.spawn().expect("openssl");
    let request = format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
    // Ignored: a client that does not trust the door is gone by then.
    let _ = client.stdin.as_mut().expect("piped").write_all(request.as_bytes());
    let output = client.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn signalled(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

#[test]
fn a_door_with_a_certificate_requires_tls_and_reloads_at_hangup() {
    let workspace = CliWorkspace::new();
    for dir in ["first", "second"] {
        std::fs::create_dir(workspace.at(dir)).expect("a directory");
        if certificates(&workspace.at(dir)).is_none() {
            return;
        }
    }
    let (first, second, served) = (workspace.at("first"), workspace.at("second"), workspace.at("served"));
    std::fs::create_dir(&served).expect("a directory");
    let serve = |from: &Path| {
        for file in ["server.pem", "server.key"] {
            std::fs::copy(from.join(file), served.join(file)).expect("copied");
        }
    };
    serve(&first);
    let address = free_address();
    let key = format!("door_tls_key={}", served.join("server.key").display());
    let certificate = format!("door_tls_certificate={}", served.join("server.pem").display());
    let listen = address.to_string();
    let mut command = workspace.command(&[
        "serve",
        "--embedded",
        "--data",
        "data",
        "--listen",
        &listen,
        "--base-path",
        "/precis",
        "--set",
        &certificate,
        "--set",
        &key,
    ]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    until("listens", || TcpStream::connect(address).is_ok());
    until("is ready", || asked(address, &first, "/precis/readyz").starts_with("HTTP/1.1 200"));
    assert!(asked(address, &first, "/precis/openapi.json").contains("\"url\":\"/precis\""));
    assert_eq!(asked(address, &second, "/readyz"), "", "another authority is not trusted");
    // Without TLS nobody is answered.
    let mut plain = TcpStream::connect(address).expect("listens");
    plain.write_all(b"GET /readyz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").expect("written");
    let mut said = Vec::new();
    let _ = std::io::Read::read_to_end(&mut plain, &mut said);
    assert!(!said.starts_with(b"HTTP"), "{said:?}");
    // A certificate that cannot be used changes nothing.
    std::fs::write(served.join("server.pem"), "nonsense").expect("written");
    signalled(&child, "-HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(asked(address, &first, "/readyz").starts_with("HTTP/1.1 200"));
    serve(&second);
    signalled(&child, "-HUP");
    until("the new certificate is served", || asked(address, &second, "/readyz").starts_with("HTTP/1.1 200"));
    assert_eq!(asked(address, &first, "/readyz"), "");
    signalled(&child, "-TERM");
    child.wait().expect("it ends");
}

#[test]
fn what_cannot_be_served_is_said_at_the_start() {
    let workspace = CliWorkspace::new();
    workspace.write("a.pem", "nonsense");
    for (args, words) in [
        (&["--set", "door_tls_certificate=a.pem"][..], "a certificate and its key, or neither"),
        (
            &["--set", "door_tls_certificate=a.pem", "--set", "door_tls_key=a.pem"],
            "a.pem must hold certificates in PEM",
        ),
        (&["--set", "door_tls_certificate=b.pem", "--set", "door_tls_key=a.pem"], "read b.pem"),
        (&["--base-path", "precis"], "expected a path such as /precis"),
        (&["--base-path", "/../x"], "expected a path such as /precis"),
    ] {
        let ended =
            workspace.run(&[&["serve", "--embedded", "--data", "data", "--listen", "127.0.0.1:0"][..], args].concat());
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{args:?}: {}", ended.stderr);
    }
}
