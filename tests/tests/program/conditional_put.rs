//! `precis doctor` tries what one result per session depends on: that a bucket's server knows the conditional put. One that ignores
//! `If-None-Match` takes everything and says nothing.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use precis_tests::program::{CliWorkspace, Ended, ended};
use serde_json::Value;

type Objects = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A server of one bucket, as far as `doctor` asks; it keeps the first object under a name only where it `knows_conditions`.
fn bucket(knows_conditions: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    std::thread::spawn(move || {
        // The key of the fleet, which `precis topology apply` made.
        let key = ("/bucket/prefix/named/keys/fleet".to_owned(), vec![1; 32]);
        let objects = Objects::new(Mutex::new([key].into()));
        for stream in listener.incoming().flatten() {
            let objects = Arc::clone(&objects);
            std::thread::spawn(move || while answer(&stream, &objects, knows_conditions).is_some() {});
        }
    });
    format!("http://{address}")
}

/// Answers one request of a connection; `None` where there is none any more.
fn answer(mut stream: &TcpStream, objects: &Objects, knows_conditions: bool) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.split('?').next()?.to_owned());
    let (mut length, mut is_conditional) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let header = header.trim().to_lowercase();
        match header.split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse().ok()?,
            Some(("if-none-match", _)) => is_conditional = true,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut objects = objects.lock().expect("no thread panics here");
    let (status, content) = match (method.as_str(), objects.get(&path).cloned()) {
        ("PUT", Some(_)) if is_conditional && knows_conditions => ("412 Precondition Failed", Vec::new()),
        ("PUT", _) => {
            objects.insert(path, body);
            ("200 OK", Vec::new())
        }
        ("GET" | "HEAD", Some(found)) => ("200 OK", found),
        ("DELETE" | "POST", _) => ("204 No Content", Vec::new()),
        _ => ("404 Not Found", Vec::new()),
    };
    let size = content.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {size}\r\nETag: \"x\"\r\nLast-Modified: Sat, 01 Aug 2026 00:00:00 GMT\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    if method != "HEAD" {
        stream.write_all(&content).ok()?;
    }
    Some(())
}

/// How a command ends with the bucket at `endpoint` as content store.
fn ended_with(endpoint: &str, args: &[&str]) -> Ended {
    let workspace = CliWorkspace::new();
    let environment = [
        ("PRECIS_CONTENT_URL", "s3://bucket/prefix"),
        ("AWS_ENDPOINT", endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "us-east-1"),
    ];
    let mut command = workspace.command(args);
    command.envs(environment);
    ended(command)
}

/// What `doctor` says of the content store.
fn told(endpoint: &str) -> (String, String) {
    let ended = ended_with(endpoint, &["doctor", "--json"]);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {ended:?}"));
    let checks = report["checks"].as_array().unwrap_or_else(|| panic!("{report}"));
    let check = checks.iter().find(|check| check["what"] == "content store").expect("it is checked");
    (check["finding"].as_str().unwrap_or_default().to_owned(), check["detail"].to_string())
}

#[test]
fn doctor_finds_a_bucket_whose_server_ignores_the_condition_of_a_put() {
    let (finding, detail) = told(&bucket(true));
    assert_eq!(finding, "ok", "{detail}");
    let (finding, detail) = told(&bucket(false));
    assert_eq!(finding, "fault", "{detail}");
    assert!(detail.contains("ignores conditional puts (If-None-Match)"), "{detail}");
}

#[test]
fn a_bucket_that_ignores_conditions_becomes_no_content_store() {
    // No broker is there: what is said first is said of the content store.
    let apply = |bucket: &str| ended_with(bucket, &["topology", "apply", "--set", "amqp_url=amqp://127.0.0.1:1"]);
    let made = apply(&bucket(true));
    assert!(made.code == 4 && made.stdout.contains("the content store exists"), "{made:?}");
    let refused = apply(&bucket(false));
    assert!(refused.code == 3 && refused.stdout.is_empty(), "{refused:?}");
    assert!(refused.stderr.contains("ignores conditional puts (If-None-Match)"), "{refused:?}");
}
