//! Pages whose text somebody else gives: Tavily's extract service as a scripted server. What is private is told to nobody.

use std::sync::{Arc, Mutex};

use precis_tests::program::{CliWorkspace, Ended, ended};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Public, and needs no look-up.
const PAGE: &str = "http://93.184.216.34/glacier";
const KEY: &str = "tvly-planted-3391";
const TEXT: &str =
    "# Glaciers\n\nThe glacier of the valley lost nine metres of ice in the summer of 2003. The village counted it.";

/// Answers every request with [`TEXT`] and keeps its body.
struct Service {
    base: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Service {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("bound"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let keep = asked.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let body = serve(stream).await.expect("a whole request with the key");
                keep.lock().expect("no panic").push(body);
            }
        });
        Self { base, asked }
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().expect("no panic").clone()
    }
}

async fn serve(mut stream: TcpStream) -> Option<Value> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.trim().parse().ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let answer = json!({ "results": [{ "url": PAGE, "raw_content": TEXT }], "failed_results": [] }).to_string();
    let head_out = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", answer.len());
    stream.write_all((head_out + &answer).as_bytes()).await.ok()?;
    let has_key = head.contains(&format!("authorization: bearer {KEY}"));
    serde_json::from_slice(&body).ok().filter(|_| has_key)
}

async fn run(workspace: &CliWorkspace, arguments: &[&str]) -> Ended {
    let mut command = workspace.command(arguments);
    command.env("TAVILY_API_KEY", KEY);
    tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic")
}

fn workspace(service: &Service, when: &str) -> CliWorkspace {
    let workspace = CliWorkspace::new();
    // What this program may fetch itself is no business of others.
    let own = "fetch_allow_networks = ['127.0.0.0/8']\nfetch_ports = [80, 9]\nfetch_connect_timeout = 1.0";
    workspace.configure(format!("tavily_extract = '{when}'\ntavily_base_url = '{}'\n{own}\n", service.base));
    workspace
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_read_by_a_service_where_configured() {
    let service = Service::start().await;
    let workspace = workspace(&service, "first");
    let told = run(&workspace, &["extract", PAGE, "--json"]).await;
    let found: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|e| panic!("{e}: {}", told.stderr));
    assert!(found["text"].as_str().expect("a text").starts_with("Glaciers The glacier of the valley"), "{found}");
    assert!(found["warnings"].to_string().contains("Tavily"), "{found}");

    let query = "How much ice did the glacier lose in 2003?";
    let told = run(&workspace, &["run", "--quiet", "--json", "--query", query, "--url", PAGE]).await;
    let report: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|e| panic!("{e}: {}", told.stderr));
    assert!(report["data"]["citations"].to_string().contains("lost nine metres"), "{report:#}");
    let asked: Vec<Value> = service.asked().iter().map(|body| body["urls"].clone()).collect();
    assert_eq!(asked, [json!([PAGE]), json!([PAGE])]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_page_is_never_disclosed_however_it_fails() {
    let service = Service::start().await;
    for when in ["first", "fallback"] {
        let workspace = workspace(&service, when);
        for (page, code) in [("http://127.0.0.1:9/plans", "unreachable"), ("http://10.0.0.1/plans", "fetch_refused")] {
            let told = run(&workspace, &["extract", page, "--json"]).await;
            let error: Value = serde_json::from_str(&told.stdout).unwrap_or_else(|e| panic!("{e}: {}", told.stderr));
            assert_eq!((told.code, error["error"]["code"].as_str()), (3, Some(code)), "{when} {page} {error}");
        }
    }
    assert_eq!(service.asked(), Vec::<Value>::new());
}
