//! The service as a scripted server on loopback; the URLs sent to it are checked as for any other service.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// A page whose address needs no DNS lookup.
const PAGE: &str = "http://93.184.216.34/a?b=1#c";

/// A server that gives one answer to every request, and records head and body of the requests.
struct Service {
    base: String,
    heard: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Service {
    async fn start(status: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("bound"));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (keep, answer) = (heard.clone(), response(status, body));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if let Some(request) = serve(stream, &answer).await {
                    keep.lock().expect("no panic").push(request);
                }
            }
        });
        Self { base, heard }
    }

    fn reader(&self, policy: FetchPolicy) -> ExtractService {
        let key = SecretString::from("tvly-secret");
        let (base_url, timeout) = (self.base.clone(), Duration::from_secs(30));
        ExtractService::new(ExtractServiceConfig { base_url, key, policy, max_bytes: 100, timeout }).expect("a client")
    }

    fn requests(&self) -> Vec<(String, Value)> {
        self.heard.lock().expect("no panic").clone()
    }
}

fn response(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

async fn serve(mut stream: TcpStream, answer: &str) -> Option<(String, Value)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.trim().parse().ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    stream.write_all(answer.as_bytes()).await.ok()?;
    Some((head, serde_json::from_slice(&body).ok()?))
}

fn result_body(text: &str) -> String {
    json!({ "results": [{ "url": PAGE, "raw_content": text, "images": [] }], "failed_results": [] }).to_string()
}

#[tokio::test]
async fn a_page_request_has_a_header_key_and_no_fragment() {
    let service = Service::start("200 OK", &result_body("# Title\n\nWords.")).await;
    let text = service.reader(FetchPolicy::default()).text(PAGE).await.expect("a text");
    assert_eq!(text, "# Title\n\nWords.");
    let (head, body) = service.requests().remove(0);
    assert!(head.starts_with("post /extract http/1.1"), "{head}");
    assert!(head.contains("authorization: bearer tvly-secret"), "{head}");
    assert_eq!(body["urls"], json!(["http://93.184.216.34/a?b=1"]));
    assert!(!body.to_string().contains("tvly-secret"), "the key is in the header alone");
}

#[tokio::test]
async fn no_private_address_is_disclosed_even_where_fetching_is_allowed() {
    let service = Service::start("200 OK", &result_body("x")).await;
    let policy = FetchPolicy {
        allow_hosts: ["localhost", "wiki.corp", ".example.org"].map(|h| h.parse().expect("a host")).to_vec(),
        ..FetchPolicy::default().allow_loopback_for_tests()
    };
    let policy = FetchPolicy {
        allow_networks: [policy.allow_networks, vec!["10.0.0.0/8".parse().expect("a network")]].concat(),
        ..policy
    };
    let reader = service.reader(policy);
    for url in [
        "http://127.0.0.1:8000/",
        "http://10.1.2.3/report",
        "http://localhost/",
        "http://wiki.corp/plans",
        "http://[::ffff:10.0.0.1]/",
        "http://user:password@example.org/",
        "file:///etc/passwd",
        // Public, but not in fetch_allow_hosts.
        "http://93.184.216.34/",
    ] {
        assert_eq!(reader.text(url).await.expect_err(url).code, "fetch_refused", "{url}");
    }
    assert_eq!(service.requests(), []);
}

#[tokio::test]
async fn what_is_no_text_is_a_typed_error_that_repeats_nothing() {
    let long = "x".repeat(101);
    for (status, body, code, transient) in [
        ("200 OK", r#"{"results":[],"failed_results":[{"url":"u","error":"tvly-secret"}]}"#, "no_text", false),
        ("200 OK", &result_body(" \n"), "no_text", false),
        ("200 OK", "<html>", "no_text", false),
        ("200 OK", &result_body(&long), "too_large", false),
        ("200 OK", &result_body(&"y".repeat(1_000)), "too_large", false),
        ("401 Unauthorized", r#"{"detail":{"error":"tvly-secret"}}"#, "http_status", false),
        ("432 Limit", "{}", "http_status", false),
        ("429 Too Many Requests", "{}", "busy", true),
        ("503 Unavailable", "{}", "busy", true),
        ("302 Found\r\nLocation: http://127.0.0.1/", "", "http_status", false),
    ] {
        let service = Service::start(status, body).await;
        let error = service.reader(FetchPolicy::default()).text(PAGE).await.expect_err(status);
        assert_eq!((error.code, error.transient), (code, transient), "{status} {body}");
        assert!(!error.to_string().contains("tvly-secret"), "{error}");
    }
}
