//! What a trial came to, and what must not have happened.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use precis_proto::ids::sha256_hex;
use serde::Serialize;

use super::fleet_under_test::LATENCY;
use super::plan::Weather;
use crate::provider::Seen;

/// A worker that dies this soon after it asked may have died before it could keep the answer: the model server takes its time,
/// and the rest is one write to Redis, which on a loaded machine takes some too: once in four runs beside two builds it was more than
/// a second.
const UNFINISHED: Duration = LATENCY.saturating_add(Duration::from_secs(3));

/// The book of one trial.
#[derive(Debug, Clone, Serialize)]
pub struct Ledger {
    /// Decides faults; a run can be had again by it.
    pub seed: u64,
    /// How Redis fared.
    pub weather: &'static str,
    /// Faults, in the order they came.
    pub faults: Vec<String>,
    /// Requests put.
    pub attempted: usize,
    /// Requests the broker confirmed.
    pub accepted: usize,
    /// Sessions whose caller got a result, a report or a stated failure.
    pub terminal: usize,
    /// Of these, the ones with a report.
    pub reports: usize,
    /// Sessions without a result on the reply queue or from the exchange of results.
    pub lost: usize,
    /// Results nobody asked for.
    pub unexpected: usize,
    /// Results that came again, on both ways together; dropped by message id.
    pub duplicated: usize,
    /// Of these, the ones whose bytes differ from the first.
    pub differing: usize,
    /// Results that are not the report of a run without faults.
    pub mismatched: usize,
    /// Messages in `precis.dead`.
    pub dead: u64,
    /// Messages in other queues when everything was over.
    pub left_over: u64,
    /// Requests the model server got.
    pub provider_calls: usize,
    /// Requests the search server got.
    pub searches: usize,
    /// Of these, repeats of a call that had been finished.
    pub paid_twice: usize,
    /// Of these, repeats of a call whose worker was killed while it was under way.
    pub cut_short: usize,
    /// From the first request to the last empty queue.
    pub seconds: f64,
    /// Most resident memory of any worker, in MiB.
    pub peak_worker_mib: u64,
    /// What is wrong, one sentence each, with what helps to find out why.
    pub remarks: Vec<String>,
}

impl Ledger {
    /// What must not have happened and did; empty where all is well.
    #[must_use]
    pub fn wrongs(&self) -> Vec<String> {
        let mut wrongs = Vec::new();
        let mut never = |what: &str, count: u64| {
            if count > 0 {
                wrongs.push(format!("{what}: {count}"));
            }
        };
        never("requests not accepted", (self.attempted - self.accepted) as u64);
        never("lost", self.lost as u64);
        never("unexpected", self.unexpected as u64);
        never("differing repeats", self.differing as u64);
        never("mismatched", self.mismatched as u64);
        never("dead", self.dead);
        never("left over", self.left_over);
        if self.weather == weather_name(Weather::RedisKept) {
            never("paid twice", self.paid_twice as u64);
        }
        wrongs.extend(self.remarks.iter().cloned());
        wrongs
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, weather, faults, attempted, accepted, terminal, reports, lost, .. } = self;
        writeln!(f, "seed {seed}, {weather}, {} faults: {}", faults.len(), faults.join(" "))?;
        writeln!(
            f,
            "  attempted {attempted}, accepted {accepted}, terminal {terminal}, reports {reports}, lost {lost}"
        )?;
        let Self { unexpected, duplicated, differing, mismatched, dead, left_over, .. } = self;
        writeln!(
            f,
            "  unexpected {unexpected}, duplicated {duplicated} (differing {differing}), mismatched {mismatched}, \
             dead {dead}, left over {left_over}"
        )?;
        let Self { provider_calls, searches, paid_twice, cut_short, seconds, peak_worker_mib, .. } = self;
        writeln!(
            f,
            "  provider calls {provider_calls}, searches {searches}, paid twice {paid_twice}, cut short {cut_short}; {seconds:.1} s, \
             peak of a worker {peak_worker_mib} MiB"
        )?;
        self.remarks.iter().try_for_each(|remark| writeln!(f, "  {remark}"))
    }
}

/// The weather in a word.
#[must_use]
pub fn weather_name(weather: Weather) -> &'static str {
    match weather {
        Weather::RedisKept => "redis kept",
        Weather::RedisTroubled => "redis troubled",
        Weather::NoRedis => "no redis",
    }
}

/// A call that somebody is paid for.
#[derive(Debug, Clone)]
pub struct Call {
    /// What was asked: the same for the same call.
    what: String,
    /// The worker that made it: the key a worker calls with is its name.
    maker: String,
    /// When it had arrived.
    at: Instant,
}

impl Call {
    /// Of a model.
    #[must_use]
    pub fn asked(seen: &Seen) -> Self {
        Self::new(&seen.body.to_string(), &seen.headers, seen.at)
    }

    /// Of a search provider.
    #[must_use]
    pub fn searched(seen: &crate::search::Seen) -> Self {
        Self::new(&format!("{} {}", seen.path, seen.body), &seen.headers, seen.at)
    }

    fn new(what: &str, headers: &BTreeMap<String, String>, at: Instant) -> Self {
        let key = headers.get("authorization").map(String::as_str).unwrap_or_default();
        let maker = key.strip_prefix("Bearer ").unwrap_or(key).to_owned();
        Self { what: sha256_hex(what.as_bytes()), maker, at }
    }
}

/// Repeats among `calls`: of finished calls, one line for each, and how many of calls whose worker was killed meanwhile.
#[must_use]
pub fn repeats(calls: &[Call], deaths: &BTreeMap<String, Instant>) -> (Vec<String>, usize) {
    let mut made: BTreeMap<&str, &Call> = BTreeMap::new();
    let (mut paid_twice, mut cut_short) = (Vec::new(), 0);
    for call in calls {
        let Some(before) = made.insert(&call.what, call) else { continue };
        let lived = deaths.get(&before.maker).map(|died| died.saturating_duration_since(before.at));
        match lived.is_some_and(|lived| lived < UNFINISHED) {
            true => cut_short += 1,
            false => paid_twice.push(format!(
                "{:.2} s: {} repeats a call of {} made {} ms before{}",
                call.at.saturating_duration_since(calls[0].at).as_secs_f64(),
                call.maker,
                before.maker,
                call.at.saturating_duration_since(before.at).as_millis(),
                lived.map_or(String::new(), |lived| format!(", which was killed {} ms after it", lived.as_millis())),
            )),
        }
    }
    (paid_twice, cut_short)
}
