//! Pages by way of the egress proxy that ships with Compose: a real Squid with `compose/egress/squid.conf`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use precis_tests::program::CliWorkspace;
use precis_tests::servers::squid::SquidServer;

const PAGE: &str = "<!DOCTYPE html><title>Rivers</title><article><p>The river Alba rose by three metres after the storm of 1953.</p>\
    </article>";

/// A site on loopback, and how many requests it got.
fn site() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    // Ends with the process: it waits for nobody and holds nothing.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
                head.push(byte[0]);
            }
            counted.fetch_add(1, Ordering::SeqCst);
            let length = PAGE.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{PAGE}"
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (port, asked)
}

/// Reads the page of `port` by way of `proxy`, with every address allowed here: what is refused, the proxy refuses.
fn read(proxy: &SquidServer, url: &str, port: u16) -> (i32, String) {
    let workspace = CliWorkspace::new();
    let (ports, proxy) = (format!("fetch_ports={port}"), format!("fetch_proxy={}", proxy.address()));
    let run = ["run", "--quiet", "--query", "What did the river Alba do?", "--url", url];
    let set = ["--set", &ports, "--set", "fetch_allow_networks=127.0.0.0/8", "--set", &proxy];
    let ended = workspace.run(&[&run[..], &set].concat());
    (ended.code, ended.stderr)
}

#[test]
fn what_is_inside_is_refused_by_the_proxy_too_and_pages_pass() {
    let (port, asked) = site();
    let url = format!("http://127.0.0.1:{port}/page");
    let Some(as_it_ships) = SquidServer::start(&[]) else { return };
    let (code, told) = read(&as_it_ships, &url, port);
    assert!(code != 0 && told.contains("403"), "{code}: {told}");
    assert_eq!(asked.load(Ordering::SeqCst), 0, "it dialled an address inside");

    // A network of one's own, as its documentation says; the port of a test is none of a page.
    let open = SquidServer::start(&["acl inside dst 127.0.0.0/8", "http_access deny !pages"]).expect("it is installed");
    let (code, told) = read(&open, &url, port);
    assert_eq!((code, asked.load(Ordering::SeqCst)), (0, 1), "{told}");
    // A port that no page has is refused, wherever it leads.
    let strict = SquidServer::start(&["acl inside dst 127.0.0.0/8"]).expect("it is installed");
    let (code, told) = read(&strict, &url, port);
    assert!(code != 0 && told.contains("403") && asked.load(Ordering::SeqCst) == 1, "{code}: {told}");
}
