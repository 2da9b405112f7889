//! The limits of a host hold for a fleet: fetchers of their own over one real Redis, and a site that counts. Where Redis is not
//! installed, each test says so and ends.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use precis_runtime::fetch::{FetchLimits, FetchPolicy, Fetcher};
use precis_runtime::store::Store;
use precis_tests::servers::redis::RedisServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// How long the site takes for a page.
const SLOW: Duration = Duration::from_millis(150);
/// How much sooner a request may arrive than it was started after the one before: the way of that one took longer.
const JITTER: Duration = Duration::from_millis(60);

/// A site on loopback that counts.
struct CountingSite {
    url: String,
    port: u16,
    /// Most requests at a time.
    most: Arc<AtomicUsize>,
    /// When each arrived.
    arrived: Arc<Mutex<Vec<Instant>>>,
}

async fn site() -> CountingSite {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let (now, most, arrived) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::default());
    let site = CountingSite { url: format!("http://127.0.0.1:{port}/"), port, most: most.clone(), arrived };
    let arrived = site.arrived.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (now, most, arrived) = (now.clone(), most.clone(), arrived.clone());
            tokio::spawn(async move { serve(stream, &now, &most, &arrived).await });
        }
    });
    site
}

async fn serve(
    mut stream: TcpStream,
    now: &AtomicUsize,
    most: &AtomicUsize,
    arrived: &Mutex<Vec<Instant>>,
) -> Option<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        request.push(stream.read_u8().await.ok()?);
    }
    arrived.lock().expect("unpoisoned").push(Instant::now());
    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    sleep(SLOW).await;
    now.fetch_sub(1, Ordering::SeqCst);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\n";
    stream.write_all(format!("{head}page").as_bytes()).await.ok()
}

/// Fetchers of two processes of a fleet.
fn fetchers(server: &RedisServer, site: &CountingSite, limits: &FetchLimits) -> [Fetcher; 2] {
    [(); 2].map(|()| {
        let networks = vec!["127.0.0.0/8".parse().expect("a network")];
        let policy = FetchPolicy { ports: vec![site.port], allow_networks: networks, ..FetchPolicy::default() };
        Fetcher::new(policy, limits.clone()).expect("a client").of_fleet(Store::Redis(server.store()))
    })
}

async fn fetch(fetchers: &[Fetcher; 2], site: &CountingSite, times: usize) -> usize {
    let got = join_all((0..times).map(|n| fetchers[n % 2].get(&site.url))).await;
    got.into_iter().filter(Result::is_ok).count()
}

#[tokio::test]
async fn two_fetchers_have_as_many_requests_at_once_as_the_limit_says() {
    let Some(server) = RedisServer::start().await else { return };
    for limit in [1, 2, 3] {
        for requests in [limit - 1, limit, limit + 1, 3 * limit] {
            let site = site().await;
            let limits = FetchLimits { per_host: limit, host_interval: Duration::ZERO, ..FetchLimits::default() };
            let fetchers = fetchers(&server, &site, &limits);
            assert_eq!(fetch(&fetchers, &site, requests).await, requests);
            let most = site.most.load(Ordering::SeqCst);
            assert!(most <= limit, "{most} at once, where {limit} are allowed");
            server.flush().await;
        }
    }
}

#[tokio::test]
async fn two_fetchers_start_their_requests_an_interval_apart() {
    let Some(server) = RedisServer::start().await else { return };
    let site = site().await;
    let interval = Duration::from_millis(200);
    let limits = FetchLimits { per_host: 8, host_interval: interval, ..FetchLimits::default() };
    let fetchers = fetchers(&server, &site, &limits);
    assert_eq!(fetch(&fetchers, &site, 6).await, 6);
    let arrived = site.arrived.lock().expect("unpoisoned").clone();
    let whole = arrived[5].duration_since(arrived[0]);
    assert!(whole >= interval * 5 - JITTER, "{whole:?}");
    for pair in arrived.windows(2) {
        assert!(pair[1].duration_since(pair[0]) >= interval - JITTER, "{arrived:?}");
    }
}

#[tokio::test]
async fn without_redis_pages_are_fetched_within_each_process_share() {
    let Some(mut server) = RedisServer::start().await else { return };
    let site = site().await;
    let limits = FetchLimits { per_host: 4, host_interval: Duration::ZERO, ..FetchLimits::default() };
    let fetchers = fetchers(&server, &site, &limits);
    server.kill();
    assert_eq!(fetch(&fetchers, &site, 6).await, 6);
    let most = site.most.load(Ordering::SeqCst);
    assert!(most <= 2, "a quarter of 4 for each of two processes, and {most} at once");
}
