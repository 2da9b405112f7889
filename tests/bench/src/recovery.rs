//! How soon a session goes on after its worker was killed: from SIGKILL to the event of another worker that takes up its phase.

use std::path::Path;
use std::time::{Duration, Instant};

use precis_proto::event::{Event, EventKind};
use precis_runtime::broker::names;
use serde::Serialize;

use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;

/// How long the model keeps a session: longer than anybody takes to notice a death.
const LATENCY: Duration = Duration::from_secs(6);
/// Sessions of a round, about half of which are with the worker that dies.
const SESSIONS: usize = 40;
/// Deaths.
const ROUNDS: usize = 5;
/// How long redeliveries are listened for after each.
const LISTENING: Duration = Duration::from_secs(4);
/// Longest wait for the results of a round.
const PATIENCE: Duration = Duration::from_secs(60);

/// How soon sessions went on.
#[derive(Debug, Clone, Serialize)]
pub struct RecoveryFigures {
    /// Sessions whose worker was killed.
    pub sessions: usize,
    /// Milliseconds to the next worker: median.
    pub median_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// Longest.
    pub longest_ms: f64,
}

/// Kills one of two workers of `precis` again and again while all sessions wait at a model.
///
/// # Errors
/// Where a round did not come to its results, or no session was taken up again.
pub async fn measure(servers: &SharedServers, precis: &Path) -> Result<RecoveryFigures, String> {
    let furnishing = FleetOptions {
        latency: LATENCY,
        at_once: SESSIONS,
        roles: &["synthesis"],
        settings: "digest_policy = \"off\"\n".to_owned(),
        ..FleetOptions::default()
    };
    let broker = servers.connect().await;
    let mut waits = Vec::new();
    for round in 0..ROUNDS {
        let fleet = FleetUnderTest::furnished(servers, precis, &furnishing).await;
        servers.redis.flush().await;
        servers.caller.begin();
        let (mut dying, mut other) = (fleet.worker("dying", &[]), fleet.worker("other", &[]));
        for number in round * SESSIONS..(round + 1) * SESSIONS {
            servers.caller.ask(&requests::small(number)).await;
        }
        fleet.provider.arrived(SESSIONS).await;
        let mut events = broker.subscribe(names::EVENTS, "#").await.map_err(|e| e.to_string())?;
        let died = dying.kill();
        let until = died + LISTENING;
        while let Ok(Some(envelope)) = tokio::time::timeout_at(until.into(), events.next()).await {
            let event: Option<Event> = envelope.decode().ok().and_then(|value| serde_json::from_value(value).ok());
            if matches!(event, Some(Event { kind: EventKind::PhaseStarted { .. }, .. })) {
                waits.push(Instant::now().saturating_duration_since(died).as_secs_f64() * 1e3);
            }
        }
        if !servers.caller.served(SESSIONS, PATIENCE).await {
            return Err(format!("a round did not end within {} s", PATIENCE.as_secs()));
        }
        other.drain().await?;
    }
    broker.close().await;
    waits.sort_by(f64::total_cmp);
    let at = |share: f64| waits.get(((waits.len() as f64 * share).ceil() as usize).saturating_sub(1)).copied();
    match (at(0.5), at(0.95), waits.last()) {
        (Some(median_ms), Some(p95_ms), Some(longest_ms)) => {
            Ok(RecoveryFigures { sessions: waits.len(), median_ms, p95_ms, longest_ms: *longest_ms })
        }
        _ => Err("no session was taken up again".to_owned()),
    }
}
