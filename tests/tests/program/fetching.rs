//! Pages as `precis run` fetches them: by the settings, and again only where they have changed. The site is on loopback, which the
//! settings of these tests allow.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use precis_tests::program::{CliWorkspace, Ended, ended};
use serde_json::Value;

const PAGE: &str = "<!DOCTYPE html><title>Rivers</title><article><p>The river Alba rose by three metres after the storm of 1953. \
    The dam at Borea held, because its gates had been mended a year before the storm.</p></article>";
const ETAG: &str = "\"first\"";

/// A site with one page that names its version. Requests are kept as they came.
struct ScriptedSite {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ScriptedSite {
    fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = asked.clone();
        // Ends with the process: it waits for nobody and holds nothing.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if let Some(request) = serve(stream) {
                    kept.lock().expect("not poisoned").push(request);
                }
            }
        });
        Self { port, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("not poisoned"))
    }

    fn run(&self, workspace: &CliWorkspace, path: &str, set: &[&str]) -> Ended {
        self.run_with(workspace, path, set, &[])
    }

    /// The same, with these variables in the program's environment.
    fn run_with(&self, workspace: &CliWorkspace, path: &str, set: &[&str], variables: &[(&str, &str)]) -> Ended {
        let (url, ports) = (self.url(path), format!("fetch_ports={}", self.port));
        let mut args = vec!["run", "--quiet", "--query", "What did the river Alba do?", "--url", &url];
        for setting in [ports.as_str(), "fetch_allow_networks=127.0.0.0/8"].iter().chain(set) {
            args.extend(["--set", setting]);
        }
        let mut command = workspace.command(&args);
        command.envs(variables.iter().copied());
        ended(command)
    }
}

fn serve(mut stream: TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).to_ascii_lowercase();
    let answer = if request.contains(&format!("if-none-match: {ETAG}")) {
        "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n".to_owned()
    } else {
        let length = PAGE.len();
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: {ETAG}\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{PAGE}"
        )
    };
    stream.write_all(answer.as_bytes()).ok()?;
    Some(request)
}

#[test]
fn an_unchanged_page_is_not_sent_again_and_the_report_agrees() {
    let (site, workspace) = (ScriptedSite::open(), CliWorkspace::new());
    let report = |ended: Ended| {
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let report: Value =
            serde_json::from_slice(&std::fs::read(workspace.at("precis-out/report.json")).expect("a report"))
                .expect("JSON");
        report["data"]["report"].clone()
    };
    let first = report(site.run(&workspace, "page", &[]));
    let asked = site.asked();
    assert!(asked.len() == 1 && !asked[0].contains("if-none-match"), "{asked:?}");
    assert_eq!(report(site.run(&workspace, "page", &[])), first);
    let asked = site.asked();
    assert!(asked.len() == 1 && asked[0].contains("if-none-match"), "{asked:?}");
}

#[test]
fn a_proxy_of_the_environment_is_not_asked() {
    let (site, workspace) = (ScriptedSite::open(), CliWorkspace::new());
    let proxy = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", proxy.local_addr().expect("bound"));
    let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    let ended = site.run_with(&workspace, "page", &[], &names.map(|name| (name, address.as_str())));
    assert_eq!((ended.code, site.asked().len()), (0, 1), "{}", ended.stderr);
    // Whoever had connected would be in the queue by now: the program has ended.
    proxy.set_nonblocking(true).expect("a listener");
    assert!(proxy.accept().is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock));
}

#[test]
fn a_named_proxy_serves_every_page_and_doctor_reports_it() {
    // The site plays the proxy: nobody listens where the page is said to be.
    let (proxy, workspace) = (ScriptedSite::open(), CliWorkspace::new());
    let named = format!("fetch_proxy=http://me:hidden-word@127.0.0.1:{}", proxy.port);
    let page = ["--set", "fetch_ports=9", "--set", "fetch_allow_networks=127.0.0.0/8", "--set", &named];
    let run = ["run", "--quiet", "--query", "What did the river Alba do?", "--url", "http://127.0.0.1:9/page"];
    let ended = workspace.run(&[&run[..], &page].concat());
    let asked = proxy.asked();
    assert_eq!((ended.code, asked.len()), (0, 1), "{}", ended.stderr);
    assert!(asked[0].starts_with("get http://127.0.0.1:9/page http/1.1"), "{}", asked[0]);
    // What may not be dialled is not asked of a proxy either.
    let refused = ["run", "--quiet", "--query", "What?", "--url", "http://127.0.0.1:9/page", "--set", "fetch_ports=9"];
    let ended = workspace.run(&[&refused[..], &["--set", &named]].concat());
    assert!(ended.code != 0 && proxy.asked().is_empty(), "{}", ended.stderr);

    let doctor = |named: &str| {
        let told = workspace.run(&["doctor", "--json", "--set", named]).stdout;
        assert!(!told.contains("hidden-word"), "{told}");
        let told: Value = serde_json::from_str(&told).expect("JSON");
        let checks = told["checks"].as_array().expect("checks").clone();
        let check = checks.into_iter().find(|check| check["what"] == "fetch proxy").expect("a line of its own");
        (check["finding"].as_str().expect("a finding").to_owned(), check["detail"].as_str().expect("words").to_owned())
    };
    let (finding, detail) = doctor(&named);
    assert!(finding == "warning" && detail.contains("which addresses it reaches"), "{finding}: {detail}");
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|gone| gone.local_addr()).expect("a port");
    assert_eq!(doctor(&format!("fetch_proxy=http://me:hidden-word@{gone}")).0, "fault");
}

#[test]
fn the_settings_say_what_is_fetched() {
    let (site, workspace) = (ScriptedSite::open(), CliWorkspace::new());
    for (path, set, said) in [
        ("page", "follow_links=false", "follow_links is off"),
        ("paper.pdf", "digest_fetch_pdfs=false", "digest_fetch_pdfs is off"),
        ("page", "fetch_deny_hosts=example.org", ""),
        ("page", "fetch_allow_hosts=example.org", ""),
        ("page", "fetch_deny_networks=127.0.0.0/8", "denied_address"),
        ("page", "fetch_ports=443", "port"),
    ] {
        let ended = site.run(&workspace, path, &[set]);
        let asked = site.asked();
        if said.is_empty() {
            assert_eq!((ended.code, asked.len()), (0, 1), "{set}: {}", ended.stderr);
        } else {
            assert!(ended.code != 0 && ended.stderr.contains(said), "{set}: {} {}", ended.code, ended.stderr);
            assert!(asked.is_empty(), "{set}: {asked:?}");
        }
    }
}
