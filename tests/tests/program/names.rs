//! Look-ups of names as the system makes them, with a name server of this test: in a network and a view of files of their own, which
//! root may have. Elsewhere nothing is tried, which is said.

use std::net::UdpSocket;
use std::process::Command;
use std::sync::{Arc, Mutex};

use precis_runtime::fetch::{FetchLimits, FetchPolicy, FetchProxy, Fetcher};

/// Tells this test, started by itself, that it is inside.
const INSIDE: &str = "PRECIS_TEST_NAMES_INSIDE";
/// What machines of clusters have: a search list that is tried first for names with fewer than five dots.
const RESOLV_CONF: &str = "nameserver 127.0.0.1\nsearch lab.example.net\noptions ndots:5 timeout:1 attempts:1\n";

#[test]
fn names_are_resolved_as_absolute_and_missing_differs_from_server_failure() {
    if std::env::var_os(INSIDE).is_some() {
        return inside();
    }
    let dir = tempfile::tempdir().expect("a directory");
    let list = dir.path().join("resolv.conf");
    std::fs::write(&list, RESOLV_CONF).expect("is written");
    let script = "mount --bind \"$1\" /etc/resolv.conf && ip link set lo up && shift && exec \"$@\"";
    let tried = Command::new("unshare").args(["--mount", "--net", "true"]).output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        eprintln!("SKIPPED: no network of its own can be made here: nobody looked at what is asked of name servers");
        return;
    }
    let test = "names::names_are_resolved_as_absolute_and_missing_differs_from_server_failure";
    let ended = Command::new("unshare")
        .args(["--mount", "--net", "sh", "-c", script, "sh"])
        .args([list.as_os_str(), std::env::current_exe().expect("a path").as_os_str()])
        .args([test, "--exact", "--nocapture"])
        .env(INSIDE, "1")
        .output()
        .expect("starts");
    let said = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
}

fn inside() {
    let asked = name_server();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let code = |fetcher: &Fetcher, url: &str| {
        let error = runtime.block_on(fetcher.get(url)).expect_err(url);
        (error.code, error.transient)
    };
    let direct = Fetcher::new(FetchPolicy::default(), FetchLimits::default()).expect("a client");
    for (url, expected) in [
        ("http://gone.example.org/", ("no_such_host", false)),
        ("http://empty.example.org/", ("no_such_host", false)),
        ("http://broken.example.org/", ("unresolved", true)),
        ("http://inner.example.org/", ("fetch_refused", false)),
    ] {
        assert_eq!(code(&direct, url), expected, "{url}");
    }
    // Behind a proxy, which is not there: what is known here and inside is refused, and everything else is the proxy's to look up.
    let proxy = FetchProxy::at(serde_json::from_value("http://127.0.0.1:1".into()).expect("an address"));
    let proxied = Fetcher::by_way_of(Some(proxy), FetchPolicy::default(), FetchLimits::default()).expect("a client");
    for (url, expected) in [
        ("http://inner.example.org/", ("fetch_refused", false)),
        ("http://gone.example.org/", ("unreachable", true)),
        ("http://broken.example.org/", ("unreachable", true)),
    ] {
        assert_eq!(code(&proxied, url), expected, "by way of a proxy: {url}");
    }
    let asked = asked.lock().expect("not poisoned");
    assert!(asked.iter().any(|name| name == "gone.example.org"), "{asked:?}");
    assert!(asked.iter().all(|name| name.ends_with(".example.org")), "{asked:?}");
}

/// A name server on port 53 of this machine, which is the test's own; returns the names that it is asked for.
fn name_server() -> Arc<Mutex<Vec<String>>> {
    let socket = UdpSocket::bind("127.0.0.1:53").expect("a port of its own");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = asked.clone();
    std::thread::spawn(move || {
        let mut packet = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut packet) {
            let Some((name, answer)) = answer(&packet[..length]) else { continue };
            kept.lock().expect("not poisoned").push(name);
            let _ = socket.send_to(&answer, from);
        }
    });
    asked
}

/// The name that `query` asks for, and the answer. Source: RFC 1035, section 4.1.
fn answer(query: &[u8]) -> Option<(String, Vec<u8>)> {
    let (mut at, mut labels) = (12, Vec::new());
    while let Some(length) = query.get(at).map(|length| usize::from(*length)).filter(|length| *length > 0) {
        labels.push(String::from_utf8_lossy(query.get(at + 1..=at + length)?).to_ascii_lowercase());
        at += length + 1;
    }
    let question = query.get(12..at + 5)?;
    let is_a = question.ends_with(&[0, 1, 0, 1]);
    let (code, answers) = match labels.first().map(String::as_str) {
        Some("broken") => (2, 0),
        Some("empty") => (0, 0),
        Some("inner") => (0, u8::from(is_a)),
        _ => (3, 0),
    };
    let mut packet = query.get(..2)?.to_vec();
    packet.extend([0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0]);
    packet.extend(question);
    if answers == 1 {
        // The name of the question, an address, for a minute.
        packet.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 7]);
    }
    Some((labels.join("."), packet))
}
