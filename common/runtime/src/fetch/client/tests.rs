//! Fetches over real HTTP from a server on loopback, which the policy allows only in these tests.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use tokio::task::JoinHandle;

use super::*;
use crate::secret_url::SecretUrl;

/// A server that answers each path with the result of a function, and closes the connection.
struct LoopbackSite {
    base: String,
    serving: JoinHandle<()>,
}

impl Drop for LoopbackSite {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn site(page: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> LoopbackSite {
    site_that_hears(move |path, _| page(path)).await
}

/// The same, with the whole request in lower case.
async fn site_that_hears(page: impl Fn(&str, &str) -> Vec<u8> + Send + Sync + 'static) -> LoopbackSite {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("bound"));
    let page = Arc::new(page);
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let page = page.clone();
            tokio::spawn(async move { serve(stream, |path, request| page(path, request)).await });
        }
    });
    LoopbackSite { base, serving }
}

async fn serve(mut stream: TcpStream, page: impl Fn(&str, &str) -> Vec<u8>) -> Option<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.ok()?);
    }
    let request = String::from_utf8_lossy(&request).to_ascii_lowercase();
    assert!(!request.contains("cookie:") && !request.contains("referer:") && !request.contains("authorization:"));
    let path = request.split([' ', '?']).nth(1)?;
    stream.write_all(&page(path, &request)).await.ok()?;
    stream.shutdown().await.ok()
}

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {}\r\nConnection: close\r\n\r\n", head.trim_end()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

fn ok(headers: &str, body: &[u8]) -> Vec<u8> {
    answer(&format!("200 OK\r\n{headers}"), body)
}

fn moved_to(target: &str) -> Vec<u8> {
    answer(&format!("302 Found\r\nLocation: {target}"), b"")
}

fn fetcher(limits: FetchLimits) -> Fetcher {
    Fetcher::new(FetchPolicy::default().allow_loopback_for_tests(), limits).expect("a client")
}

async fn code(fetcher: &Fetcher, url: &str) -> &'static str {
    fetcher.get(url).await.expect_err(url).code
}

#[tokio::test]
async fn a_page_comes_with_type_charset_and_final_address() {
    let site = site(|path| match path {
        "/page" => ok("Content-Type: text/html; charset=ISO-8859-1", b"w\xf6rds"),
        "/moved" => moved_to("/page"),
        _ => answer("404 Not Found", b""),
    })
    .await;
    let page = fetcher(FetchLimits::default()).get(&format!("{}/moved#part", site.base)).await.expect("a page");
    assert_eq!(page.bytes, Bytes::from_static(b"w\xf6rds"));
    assert_eq!(page.content_type.as_deref(), Some("text/html; charset=ISO-8859-1"));
    assert_eq!(page.final_url, format!("{}/page", site.base));
}

#[tokio::test]
async fn without_the_allowance_of_tests_nothing_on_this_machine_is_reached() {
    let reached = Arc::new(AtomicUsize::new(0));
    let counter = reached.clone();
    let site = site(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        ok("", b"secret")
    })
    .await;
    let port = site.base.rsplit(':').next().expect("a port");
    let any_port = FetchPolicy { ports: vec![], ..FetchPolicy::default() };
    let named = FetchPolicy { allow_hosts: vec!["localhost".parse().expect("a host")], ..any_port.clone() };
    for (policy, url) in [
        (FetchPolicy::default(), site.base.clone()),
        (any_port.clone(), site.base.clone()),
        (any_port, format!("http://localhost:{port}/")),
        // The name is allowed; its address is refused when connecting.
        (named, format!("http://localhost:{port}/")),
    ] {
        let fetcher = Fetcher::new(policy, FetchLimits::default()).expect("a client");
        let error = fetcher.get(&url).await.expect_err("refused");
        assert_eq!((error.code, error.transient), ("fetch_refused", false), "{error}");
    }
    assert_eq!(reached.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn each_redirect_is_examined_as_the_first_url_was() {
    let targets = [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost/",
        "//[::ffff:10.0.0.1]/",
        "file:///etc/passwd",
        "http://user:word@127.0.0.1/",
        "http:\\\\10.0.0.1\\",
        "http://metadata.google.internal/",
    ];
    let site = site(move |path| moved_to(targets[path[1..].parse::<usize>().expect("a number")])).await;
    let fetcher = fetcher(FetchLimits::default());
    for (at, target) in targets.iter().enumerate() {
        assert_eq!(code(&fetcher, &format!("{}/{at}", site.base)).await, "fetch_refused", "{target}");
    }
}

#[tokio::test]
async fn redirects_end_after_the_limit() {
    let site = site(|path| match path[1..].parse::<u32>() {
        Ok(0) => ok("", b"end"),
        Ok(n) => moved_to(&format!("/{}", n - 1)),
        Err(_) => moved_to("/round"),
    })
    .await;
    let fetcher = fetcher(FetchLimits::default());
    assert!(fetcher.get(&format!("{}/5", site.base)).await.is_ok());
    assert_eq!(code(&fetcher, &format!("{}/6", site.base)).await, "too_many_redirects");
    assert_eq!(code(&fetcher, &format!("{}/round", site.base)).await, "too_many_redirects");
}

#[tokio::test]
async fn sizes_are_limited_before_and_while_they_are_read() {
    let bomb = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&vec![b' '; 900 << 10]).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    };
    let site = site(move |path| match path {
        "/announced" => ok("Content-Length: 99999999", b""),
        "/silent" => ok("", &vec![b'a'; (1 << 20) + 1]),
        "/whole" => ok("", &vec![b'a'; 1 << 20]),
        "/bomb" => ok("Content-Encoding: gzip", &bomb),
        "/headers" => ok(&format!("X: {}", "x".repeat(70 << 10)), b""),
        _ => ok("Content-Length: 100", b"short"),
    })
    .await;
    let fetcher = fetcher(FetchLimits { max_bytes: 1 << 20, ..FetchLimits::default() });
    for (path, expected) in [
        ("announced", "too_large"),
        ("silent", "too_large"),
        ("bomb", "too_dense"),
        ("headers", "too_large"),
        ("cut", "cut_short"),
    ] {
        assert_eq!(code(&fetcher, &format!("{}/{path}", site.base)).await, expected, "{path}");
    }
    assert_eq!(fetcher.get(&format!("{}/whole", site.base)).await.expect("a page").bytes.len(), 1 << 20);
}

#[tokio::test]
async fn headers_and_announced_sizes_are_taken_up_to_their_limit() {
    let site = site(|path| {
        let (kind, size) = path[1..].split_once('/').expect("two parts");
        let size = size.parse::<usize>().expect("a number");
        match kind {
            // With `connection: close`, 15 bytes, and the name.
            "headers" => ok(&format!("X: {}", "x".repeat(size - 16)), b""),
            "announced" => ok(&format!("Content-Length: {size}"), &vec![b'a'; size]),
            _ => ok(&format!("Content-Length: {size}"), b""),
        }
    })
    .await;
    let fetcher = fetcher(FetchLimits { max_header_bytes: 100, max_bytes: 200, ..FetchLimits::default() });
    for path in ["headers/99", "headers/100", "announced/199", "announced/200"] {
        assert!(fetcher.get(&format!("{}/{path}", site.base)).await.is_ok(), "{path}");
    }
    // A declared size over the limit is refused before the body is read.
    for (path, expected) in [
        ("headers/101", "too_large"),
        ("announced/201", "too_large"),
        ("promised/201", "too_large"),
        ("promised/200", "cut_short"),
    ] {
        assert_eq!(code(&fetcher, &format!("{}/{path}", site.base)).await, expected, "{path}");
    }
}

#[tokio::test]
async fn useless_keys_differ_from_keys_that_may_come_later() {
    let site = site(|path| match path {
        "/404" => answer("404 Not Found", b""),
        "/304" => answer("304 Not Modified", b""),
        "/204" => answer("204 No Content", b""),
        "/500" => answer("500 Internal Server Error", b""),
        "/429" => answer("429 Too Many Requests", b""),
        "/image" => ok("Content-Type: image/png", b"png"),
        "/brotli" => ok("Content-Encoding: br", b"br"),
        "/form" => ok("Content-Type: application/pdf", b"<html>log in</html>"),
        _ => vec![],
    })
    .await;
    let fetcher = fetcher(FetchLimits::default());
    for (path, expected) in [
        ("404", ("http_status", false)),
        ("304", ("http_status", false)),
        ("204", ("http_status", false)),
        ("500", ("busy", true)),
        ("429", ("busy", true)),
        ("image", ("unsupported_type", false)),
        ("brotli", ("unsupported_encoding", false)),
        ("form", ("not_a_pdf", false)),
        ("nothing", ("cut_short", true)),
    ] {
        let error = fetcher.get(&format!("{}/{path}?token=hidden", site.base)).await;
        let error = error.map(|page| panic!("{path}: {page:?}")).unwrap_or_else(|e| e);
        assert_eq!((error.code, error.transient), expected, "{path}: {error}");
        assert!(!error.message.contains("hidden"), "{error}");
    }
    drop(site);
    let gone = fetcher.get("http://127.0.0.1:1/").await.expect_err("nobody listens");
    assert_eq!((gone.code, gone.transient), ("unreachable", true));
}

#[tokio::test]
async fn a_short_wait_is_granted_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let site = site(move |path| match (path, counter.fetch_add(1, Ordering::SeqCst)) {
        ("/soon", 1..) => ok("", b"page"),
        _ => answer("503 Service Unavailable\r\nRetry-After: 0", b""),
    })
    .await;
    let fetcher = fetcher(FetchLimits::default());
    assert_eq!(fetcher.get(&format!("{}/soon", site.base)).await.expect("a page").bytes, "page");
    assert_eq!(code(&fetcher, &format!("{}/never", site.base)).await, "busy");
    assert_eq!(asked.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_host_that_wants_a_long_rest_is_asked_no_more() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let site = site(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        answer("429 Too Many Requests\r\nRetry-After: 3600", b"")
    })
    .await;
    let fetcher = fetcher(FetchLimits::default());
    for path in ["one", "two", "three"] {
        let error = fetcher.get(&format!("{}/{path}", site.base)).await.expect_err(path);
        assert_eq!((error.code, error.transient), ("busy", true), "{path}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_known_page_is_requested_only_if_it_has_changed() {
    let site = site_that_hears(|path, request| match path {
        "/moved" => moved_to("/page"),
        "/page" if request.contains("if-none-match: \"one\"") => answer("304 Not Modified", b""),
        "/page" => ok("ETag: \"one\"", b"words"),
        _ => ok("", b"another"),
    })
    .await;
    let (fetcher, url) = (fetcher(FetchLimits::default()), format!("{}/moved", site.base));
    let page = fetcher.get(&url).await.expect("a page");
    let version = page.version.expect("a version");
    assert_eq!(version.url, format!("{}/page", site.base));
    assert_eq!(fetcher.get_unless(&url, Some(&version)).await, Ok(RefetchResult::Unchanged));
    let other = PageVersion { etag: Some("\"two\"".to_owned()), ..version.clone() };
    assert!(
        matches!(fetcher.get_unless(&url, Some(&other)).await, Ok(RefetchResult::Page(page)) if page.bytes == "words")
    );
    let elsewhere = fetcher.get_unless(&format!("{}/other", site.base), Some(&version)).await;
    assert!(matches!(elsewhere, Ok(RefetchResult::Page(page)) if page.version.is_none()));
}

#[tokio::test]
async fn a_silent_server_is_left() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    let idle = fetcher(FetchLimits { idle: Duration::from_millis(100), ..FetchLimits::default() });
    assert_eq!(code(&idle, &url).await, "timed_out");
    let total = fetcher(FetchLimits { total: Duration::from_millis(100), ..FetchLimits::default() });
    assert_eq!(code(&total, &url).await, "timed_out");
}

#[tokio::test]
async fn one_host_sees_two_requests_at_once_and_no_third() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    let fetcher = Arc::new(fetcher(FetchLimits::default()));
    let gets: Vec<_> = (0..3)
        .map(|_| {
            tokio::spawn({
                let (f, u) = (fetcher.clone(), url.clone());
                async move { f.get(&u).await }
            })
        })
        .collect();
    let two = Arc::new(Barrier::new(2));
    let (first, second) = (listener.accept().await.expect("one").0, listener.accept().await.expect("two").0);
    let third = timeout(Duration::from_millis(50), listener.accept()).await;
    assert!(third.is_err(), "a third request came while two were under way");
    let wait = |stream| {
        let two = two.clone();
        tokio::spawn(async move {
            two.wait().await;
            serve(stream, |_, _| ok("", b"page")).await
        })
    };
    let (_a, _b) = (wait(first), wait(second));
    let third = listener.accept().await.expect("three").0;
    serve(third, |_, _| ok("", b"page")).await;
    for get in gets {
        assert!(get.await.expect("no panic").is_ok());
    }
    assert_eq!(fetcher.hosts.len(), 1);
}

#[tokio::test]
async fn time_in_the_queue_for_a_host_is_not_the_pages() {
    let site = site(|_| ok("", b"page")).await;
    let limits = FetchLimits { per_host: 1, host_interval: Duration::ZERO, ..FetchLimits::default() };
    let total = limits.total;
    let fetcher = Arc::new(fetcher(limits));
    let turn = fetcher.hosts.turn("127.0.0.1", Duration::ZERO).await.expect("the first");
    tokio::time::pause();
    let (waiting, url) = (fetcher.clone(), site.base.clone());
    let get = tokio::spawn(async move { waiting.get(&url).await });
    // All requests wait for each other now; if waiting in the queue counted, they would time out.
    tokio::task::yield_now().await;
    tokio::time::advance(total * 2).await;
    tokio::task::yield_now().await;
    tokio::time::resume();
    drop(turn);
    assert_eq!(get.await.expect("no panic").expect("a page").bytes, "page");
}

#[test]
fn what_is_asked_for_first_is_read_here() {
    let named = ACCEPTED.split(',').map(|part| part.split(';').next().unwrap_or_default());
    for mime in named.filter(|mime| *mime != "*/*") {
        assert!(DocumentFormat::from_mime(mime).is_some(), "{mime}");
    }
}

#[test]
fn a_pdf_is_recognized_by_its_bytes() {
    let pdf = b"\n%PDF-1.7 and so on";
    let told = |declared: &str, bytes: &[u8]| {
        told_apart((!declared.is_empty()).then(|| declared.to_owned()), declared, bytes).map_err(|e| e.code)
    };
    for (declared, bytes, expected) in [
        (PDF, &pdf[..], Ok(Some(PDF))),
        (PDF, b"<html>", Err("not_a_pdf")),
        (PDF, b"", Err("not_a_pdf")),
        ("", pdf, Ok(Some(PDF))),
        ("application/octet-stream", pdf, Ok(Some(PDF))),
        ("text/html", pdf, Ok(Some("text/html"))),
        ("", b"words", Ok(None)),
    ] {
        assert_eq!(told(declared, bytes), expected.map(|t| t.map(str::to_owned)), "{declared}");
    }
    let late = [vec![b' '; 1_024], pdf.to_vec()].concat();
    assert_eq!(told(PDF, &late), Err("not_a_pdf"));
}

#[tokio::test]
async fn headers_that_trickle_in_are_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("asked");
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            request.push(stream.read_u8().await.expect("a request"));
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").await.expect("sent");
        // Sends data often enough to avoid the idle timeout, and never ends.
        while stream.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let limits = FetchLimits { headers: Duration::from_millis(400), ..FetchLimits::default() };
    let error = fetcher(limits).get(&url).await.expect_err("no headers");
    assert_eq!((error.code, error.transient), ("timed_out", true), "{error}");
    assert!(error.message.contains("no headers within 0.4 s"), "{error}");
    serving.abort();
}

/// A proxy that records the head of each request in lower case, and answers requests for a path like a page.
async fn proxy() -> (SecretUrl, Arc<std::sync::Mutex<Vec<String>>>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://me:word@{}", listener.local_addr().expect("bound"));
    let heads = Arc::new(std::sync::Mutex::new(Vec::new()));
    let kept = heads.clone();
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let Ok(byte) = stream.read_u8().await else { break };
                head.push(byte);
            }
            let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
            let page = match head.contains("/moved") {
                true => moved_to("http://10.0.0.1/"),
                false => ok("Content-Type: text/plain", b"by way of the proxy"),
            };
            let page = if head.starts_with("connect") { answer("403 Forbidden", b"") } else { page };
            kept.lock().expect("not poisoned").push(head);
            let _ = stream.write_all(&page).await;
        }
    });
    (serde_json::from_value(address.into()).expect("an address"), heads, serving)
}

#[tokio::test]
async fn with_a_proxy_every_page_goes_through_it() {
    let (address, heads, _serving) = proxy().await;
    let allowed = FetchPolicy { allow_hosts: vec!["localhost".parse().expect("a host")], ..FetchPolicy::default() };
    let way = |policy: FetchPolicy| {
        Fetcher::by_way_of(Some(FetchProxy::at(address.clone())), policy, FetchLimits::default()).expect("a client")
    };
    let fetcher = way(allowed.clone().allow_loopback_for_tests());
    // No server listens at port 9.
    let page = fetcher.get("http://localhost:9/page").await.expect("a page");
    assert_eq!((&*page.bytes, page.final_url.as_str()), (&b"by way of the proxy"[..], "http://localhost:9/page"));
    assert_eq!(code(&fetcher, "https://localhost:9/page").await, "unreachable");
    // Everything this machine can check is checked, also at each redirect.
    assert_eq!(code(&fetcher, "http://localhost:9/moved").await, "fetch_refused");
    let seen = std::mem::take(&mut *heads.lock().expect("not poisoned"));
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen[0].starts_with("get http://localhost:9/page http/1.1\r\n"), "{}", seen[0]);
    assert!(seen[1].starts_with("connect localhost:9 http/1.1\r\n"), "{}", seen[1]);
    assert!(seen.iter().all(|head| head.contains("proxy-authorization: basic bwu6d29yza==")), "{seen:?}");

    let fetcher = way(allowed);
    for url in ["http://169.254.169.254/", "http://[::1]/", "http://localhost/", "http://wiki.internal/"] {
        assert_eq!(code(&fetcher, url).await, "fetch_refused", "{url}");
    }
    assert!(heads.lock().expect("not poisoned").is_empty());
}

#[test]
fn the_lookup_before_the_proxy_counts_as_page_time() {
    let address: SecretUrl = serde_json::from_value("http://127.0.0.1:1".into()).expect("an address");
    let limits = FetchLimits { total: Duration::from_millis(10), ..FetchLimits::default() };
    let fetcher = Fetcher::by_way_of(Some(FetchProxy::at(address)), FetchPolicy::default(), limits).expect("a client");
    // The lookup alone is given two seconds.
    let fetch = async { timeout(Duration::from_secs(1), fetcher.get("https://example.com/")).await };
    let fetched = crate::fetch::proxy::tests::without_lookups(fetch);
    assert_eq!(fetched.expect("ends with the time of the page").expect_err("no time").code, "timed_out");
}

#[tokio::test]
async fn a_client_with_a_proxy_knows_no_address_but_the_proxys() {
    let address: SecretUrl = serde_json::from_value("http://localhost:1".into()).expect("an address");
    let client = FetchProxy::at(address).dials_for(client_builder()).expect("an address").build().expect("a client");
    // No server listens at port 1: the proxy's name is resolved, and the connection fails.
    let error = client.get("http://localhost:9/").send().await.expect_err("nobody listens");
    assert_eq!(FetchError::from_reqwest(&error, "localhost").code, "unreachable");
    let elsewhere: SecretUrl = serde_json::from_value("http://127.0.0.1:1".into()).expect("an address");
    let builder = FetchProxy::at(elsewhere).dials_for(client_builder()).expect("an address").no_proxy();
    let error = builder.build().expect("a client").get("http://localhost:9/").send().await.expect_err("not dialled");
    assert_eq!(FetchError::from_reqwest(&error, "localhost").code, "fetch_refused");
}
