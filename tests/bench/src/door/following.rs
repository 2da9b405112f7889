//! Readers that follow sessions: what they cost a door in memory, how soon they get an event, and what readers that do not read cost them.

use std::net::SocketAddr;
use std::time::Duration;

use precis_proto::event::Event;
use precis_runtime::clock::unix_time;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::http::HttpConnection;
use super::load::percentile;
use super::servers::DoorServers;
use super::sessions::{request, submitted};

/// Longest time in which all sessions end.
const PATIENCE: Duration = Duration::from_secs(600);
/// Streams that are opened before the door gets a moment.
const OPENING: usize = 50;
/// That moment.
const MOMENT: Duration = Duration::from_millis(20);
/// How long all streams are open before the memory is looked at and work begins.
const SETTLING: Duration = Duration::from_secs(3);
/// Events between two looks at the memory.
const LOOK: usize = 5_000;
/// Rounds, each without and then with readers that do not read.
const ROUNDS: usize = 2;

/// How many follow what.
#[derive(Debug, Clone, Copy)]
pub struct Crowd {
    /// Streams that are read.
    pub streams: usize,
    /// Sessions that they follow.
    pub sessions: usize,
    /// Streams in every second round that nobody reads.
    pub unread: usize,
}

/// Streams of events in one round.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct FollowFigures {
    /// Streams that nobody read.
    pub unread: usize,
    /// Resident bytes of the door before there were streams.
    pub idle_bytes: u64,
    /// The most with all of them.
    pub resident_bytes: u64,
    /// Share of one core that the door needs for all streams while nothing happens.
    pub waiting_cores: f64,
    /// Seconds from the first event to the last.
    pub seconds: f64,
    /// Events that came, on all streams that were read.
    pub events: usize,
    /// Median of the time from an event to its reader, in milliseconds.
    pub median_ms: f64,
    /// 95th percentile of it.
    pub p95_ms: f64,
}

/// Measures rounds, each with a door of its own.
///
/// # Errors
/// If a session is not accepted, or a stream breaks.
pub async fn measure(servers: &DoorServers, crowd: Crowd) -> Result<Vec<FollowFigures>, String> {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        for unread in [0, crowd.unread] {
            rounds.push(follow_all(servers, Crowd { unread, ..crowd }).await?);
        }
    }
    Ok(rounds)
}

/// Opens the streams of sessions that wait, and then lets a worker work on these one after the other.
async fn follow_all(servers: &DoorServers, crowd: Crowd) -> Result<FollowFigures, String> {
    let (door, address) = servers.door().await?;
    let mut client = HttpConnection::open(address).await?;
    let mut ids = Vec::with_capacity(crowd.sessions);
    for _ in 0..crowd.sessions {
        ids.push(submitted(&mut client, &request(1)).await?);
    }
    let idle_bytes = door.resident_bytes();
    let (tell, mut told) = mpsc::unbounded_channel();
    let (mut readers, mut unread) = (JoinSet::new(), Vec::with_capacity(crowd.unread));
    for n in 0..crowd.streams {
        let connection = HttpConnection::open(address).await?;
        readers.spawn(follow(connection, ids[n % ids.len()].clone(), tell.clone()));
        if n < crowd.unread {
            unread.push(unread_stream(address, &ids[n % ids.len()]).await?);
        }
        if n % OPENING == 0 {
            tokio::time::sleep(MOMENT).await;
        }
    }
    drop(tell);
    tokio::time::sleep(SETTLING).await;
    let cpu = door.cpu_seconds();
    tokio::time::sleep(SETTLING).await;
    let waiting_cores = (door.cpu_seconds() - cpu) / SETTLING.as_secs_f64();
    let mut most = door.resident_bytes();
    let (_worker, begun) = (servers.worker(1)?, std::time::Instant::now());
    let mut taken = Vec::new();
    let all = async {
        while let Some(ms) = told.recv().await {
            taken.push(ms);
            if taken.len() % LOOK == 0 {
                most = most.max(door.resident_bytes());
            }
        }
    };
    tokio::time::timeout(PATIENCE, all).await.map_err(|_| "the sessions do not end".to_owned())?;
    let seconds = begun.elapsed().as_secs_f64();
    while let Some(read) = readers.join_next().await {
        read.map_err(|e| e.to_string())??;
    }
    let events = taken.len();
    let (median_ms, p95_ms) = (percentile(&mut taken, 0.5), percentile(&mut taken, 0.95));
    let (unread, resident_bytes) = (unread.len(), most);
    Ok(FollowFigures { unread, idle_bytes, resident_bytes, waiting_cores, seconds, events, median_ms, p95_ms })
}

fn events_of(session: &str) -> String {
    format!("/v1/sessions/{session}/events")
}

/// A stream that is asked for, and never read.
async fn unread_stream(address: SocketAddr, session: &str) -> Result<HttpConnection, String> {
    let mut connection = HttpConnection::open_narrow(address).await?;
    connection.send("GET", &events_of(session), "").await.map(|()| connection)
}

/// Reads the events of a session to their end, and tells how old each is when it comes, in milliseconds.
async fn follow(
    mut connection: HttpConnection,
    session: String,
    tell: mpsc::UnboundedSender<f64>,
) -> Result<(), String> {
    let (status, _) = connection.head("GET", &events_of(&session), "").await?;
    if status != 200 {
        return Err(format!("a stream was answered with {status}"));
    }
    let mut is_last = false;
    while let Some(line) = connection.line().await? {
        is_last |= line.starts_with("event: session_finished");
        let Some(json) = line.strip_prefix("data: ") else { continue };
        let now_ms = unix_time().as_secs_f64() * 1e3;
        let event: Event = serde_json::from_str(json).map_err(|e| format!("{e}: {json}"))?;
        // Nobody listens any more if the round has failed.
        let _ = tell.send(now_ms - event.at.0 as f64);
        if is_last {
            return Ok(());
        }
    }
    Err("a stream ended before its session".to_owned())
}
