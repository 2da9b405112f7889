//! `precis doctor`: is everything there that a fleet needs? Spends nothing: keys are looked for, not used.

mod check;
mod machine;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bytes::Bytes;
use precis_proto::task::Role;
use precis_runtime::broker::{Broker, Topology};
use precis_runtime::config::{LOCAL_MODEL, Settings};
use precis_runtime::search::SearchKind;
use precis_runtime::store::{MemoryStore, Store};
use serde_json::json;

use check::{CheckResult, DoctorCheck};

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet;
use crate::wiring::search_providers::{provider, searches};

/// Longest wait for any one answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Faults of the topology that are named; `precis topology check` names all.
const SHOWN_FAULTS: usize = 3;

/// Arguments of `precis doctor`.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Checks everything; exit 0 where nothing is at fault, 4 where broker or content store cannot be used, 1 for other faults.
#[must_use]
pub fn run(args: &DoctorArgs) -> Exit {
    super::finish_as(attempt(args))
}

fn attempt(args: &DoctorArgs) -> Result<Exit, CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    let checks = super::block_on(async { Ok(examine(&settings).await) })?;
    let text =
        if args.json { format!("{:#}\n", json!({ "checks": checks })) } else { checks.iter().map(line).collect() };
    terminal::print(&text)?;
    Ok(verdict(&checks))
}

fn verdict(checks: &[DoctorCheck]) -> Exit {
    let faults: Vec<&str> = checks.iter().filter(|c| c.finding == CheckResult::Fault).map(|c| c.what).collect();
    if faults.is_empty() {
        Exit::Ok
    } else if faults.iter().any(|what| matches!(*what, "broker" | "content store")) {
        Exit::Unreachable
    } else {
        Exit::Failed
    }
}

fn line(check: &DoctorCheck) -> String {
    let word = match check.finding {
        CheckResult::Ok => "ok     ",
        CheckResult::Warning => "warning",
        CheckResult::Fault => "FAULT  ",
    };
    terminal::printable(&format!("{word}  {:14}  {}\n", check.what, check.detail))
}

async fn examine(settings: &Settings) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    match fleet::broker(settings, "doctor").await {
        Ok(broker) => {
            checks.push(DoctorCheck::new("broker", CheckResult::Ok, "connected and logged in"));
            checks.push(topology(&broker).await);
            checks.push(workers(&broker).await);
            checks.push(permissions(&broker).await);
            broker.close().await;
        }
        Err(failure) => checks.push(fault("broker", failure)),
    }
    checks.push(store(settings).await);
    checks.push(content(settings).await);
    checks.extend(archive(settings).await);
    checks.extend(fetch_proxy(settings).await);
    checks.push(keys(settings));
    checks.extend(search(settings).await);
    checks.push(machine::sandbox(settings).await);
    checks.push(machine::tools(settings));
    checks.push(machine::clock());
    checks
}

fn fault(what: &'static str, failure: CommandFailure) -> DoctorCheck {
    let remedy = failure.remedy.filter(|r| r != "precis doctor").map_or(String::new(), |r| format!("; try: {r}"));
    DoctorCheck::new(what, CheckResult::Fault, failure.message + &remedy)
}

async fn topology(broker: &Broker) -> DoctorCheck {
    match broker.check(&Topology::standard()).await {
        Ok(faults) if faults.is_empty() => {
            DoctorCheck::new("topology", CheckResult::Ok, "queues and exchanges are as they should be")
        }
        Ok(faults) => {
            let more = match faults.len().saturating_sub(SHOWN_FAULTS) {
                0 => String::new(),
                n => format!("; and {n} more"),
            };
            let shown = faults.iter().take(SHOWN_FAULTS).map(String::as_str).collect::<Vec<_>>().join("; ");
            DoctorCheck::new("topology", CheckResult::Fault, format!("{shown}{more}; try: precis topology apply"))
        }
        Err(error) => DoctorCheck::new("topology", CheckResult::Fault, error.to_string()),
    }
}

/// Whether anybody takes requests. A fleet that is set up before its workers start is not at fault.
async fn workers(broker: &Broker) -> DoctorCheck {
    match broker.depth(precis_runtime::broker::names::REQUESTS).await {
        Ok(requests) if requests.consumers > 0 => {
            DoctorCheck::new("workers", CheckResult::Ok, format!("{} take requests", requests.consumers))
        }
        Ok(requests) => {
            let detail = format!("no worker consumes `requests`, where {} wait; try: precis worker", requests.ready);
            DoctorCheck::new("workers", CheckResult::Warning, detail)
        }
        Err(error) => {
            DoctorCheck::new("workers", CheckResult::Warning, format!("the queue of requests cannot be asked: {error}"))
        }
    }
}

/// Whether this user may hear and answer: a reply channel and an event nobody needs.
async fn permissions(broker: &Broker) -> DoctorCheck {
    let tried = async {
        broker.replies().await?;
        broker.subscribe(precis_runtime::broker::names::EVENTS, "doctor.none").await.map(|_| ())
    };
    match tokio::time::timeout(PATIENCE, tried).await {
        Ok(Ok(())) => DoctorCheck::new("permissions", CheckResult::Ok, "may consume replies and events"),
        Ok(Err(error)) => DoctorCheck::new("permissions", CheckResult::Fault, error.to_string()),
        Err(_) => DoctorCheck::new("permissions", CheckResult::Fault, "no answer in time"),
    }
}

async fn store(settings: &Settings) -> DoctorCheck {
    if settings.services.redis_url.is_none() {
        let detail = "redis_url is not set: every worker keeps its cache to itself, and work may be done twice";
        return DoctorCheck::new("cache", CheckResult::Warning, detail);
    }
    let store = match fleet::content(settings).and_then(|content| fleet::store(settings, &content)) {
        Ok(store) => store,
        Err(failure) => return fault("cache", failure),
    };
    let key = format!("doctor:{:032x}", rand::random::<u128>());
    let begun = Instant::now();
    let mut last = String::new();
    // The first tries may come before the connection is there.
    while begun.elapsed() < PATIENCE {
        match store.values().put_if_absent(&key, Bytes::from_static(b"1"), Duration::from_secs(60)).await {
            Ok(_) => {
                let _ = store.values().delete(&key).await;
                return DoctorCheck::new("cache", CheckResult::Ok, "Redis takes and gives");
            }
            Err(error) => last = error.to_string(),
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    DoctorCheck::new("cache", CheckResult::Warning, format!("{last}; sessions go on, slower"))
}

async fn content(settings: &Settings) -> DoctorCheck {
    let content = match fleet::content(settings) {
        Ok(content) => content,
        Err(failure) => return fault("content store", failure),
    };
    let probe = Bytes::from(format!("precis doctor {:032x}", rand::random::<u128>()));
    let tried = async {
        let name = content.put(probe.clone()).await?;
        content.get(&name).await?;
        content.keeps_the_first(&format!("doctor-{:032x}", rand::random::<u128>())).await
    };
    match tokio::time::timeout(PATIENCE, tried).await {
        Ok(Ok(true)) => DoctorCheck::new("content store", CheckResult::Ok, "takes and gives, and keeps what was first"),
        Ok(Ok(false)) => {
            let said =
                "its server ignores conditional puts (If-None-Match): a session may get two results; use another one";
            DoctorCheck::new("content store", CheckResult::Fault, said)
        }
        // The client library says no more of an address that it may not use without encryption.
        Ok(Err(error)) if error.to_string().contains("builder error") => {
            let said = format!("{error}; for an http endpoint set AWS_ALLOW_HTTP=true");
            DoctorCheck::new("content store", CheckResult::Fault, said)
        }
        Ok(Err(error)) => DoctorCheck::new("content store", CheckResult::Fault, error.to_string()),
        Err(_) => DoctorCheck::new("content store", CheckResult::Fault, "no answer in time"),
    }
}

async fn archive(settings: &Settings) -> Option<DoctorCheck> {
    let dir = match fleet::archive_dir(settings) {
        Ok(dir) => dir?,
        Err(failure) => return Some(fault("archive", failure)),
    };
    let tried = async { precis_runtime::archive::Archive::open(dir.clone())?.probe().await };
    let in_time = tokio::time::timeout(PATIENCE, tried).await;
    Some(match in_time.unwrap_or_else(|_| Err(std::io::Error::other("no answer in time"))) {
        Ok(()) => DoctorCheck::new("archive", CheckResult::Ok, "can be written to"),
        Err(error) => DoctorCheck::new("archive", CheckResult::Fault, format!("write to {}: {error}", dir.display())),
    })
}

/// Where pages go by way of a proxy, that has to be known: it decides what this program decides otherwise.
async fn fetch_proxy(settings: &Settings) -> Option<DoctorCheck> {
    let proxy = settings.fetch.proxy()?;
    Some(match proxy.reach(PATIENCE).await {
        Ok(()) => {
            let detail = format!(
                "every page is fetched by way of {}: it looks names up, and which addresses it reaches is for its rules to say",
                proxy.shown()
            );
            DoctorCheck::new("fetch proxy", CheckResult::Warning, detail)
        }
        Err(reason) => {
            let detail = format!("no page can be fetched: {} cannot be reached: {reason}", proxy.shown());
            DoctorCheck::new("fetch proxy", CheckResult::Fault, detail)
        }
    })
}

/// Keys of every provider in a chain. Only that they are there is checked: a call would cost.
fn keys(settings: &Settings) -> DoctorCheck {
    let links: BTreeSet<String> = Role::ALL.into_iter().flat_map(|role| settings.chain(role)).collect();
    let mut lacking = Vec::new();
    let mut present = 0;
    for name in links.iter().filter(|link| *link != LOCAL_MODEL).filter_map(|link| link.split_once(':')) {
        let Some(provider) = settings.models.provider(name.0) else {
            lacking.push(format!("{}: unknown provider", name.0));
            continue;
        };
        match provider.key_variable() {
            Some(variable) if std::env::var(variable).is_ok_and(|key| !key.trim().is_empty()) => present += 1,
            Some(variable) => lacking.push(format!("{}: {variable} is not set", name.0)),
            None => present += 1,
        }
    }
    match (lacking.is_empty(), present) {
        (false, _) => DoctorCheck::new("provider keys", CheckResult::Fault, lacking.join("; ")),
        (true, 0) => DoctorCheck::new("provider keys", CheckResult::Ok, "none needed: the built-in model answers"),
        (true, n) => DoctorCheck::new(
            "provider keys",
            CheckResult::Ok,
            format!("{n} model links have what they need; none was called"),
        ),
    }
}

/// A line for each search provider that has a table: whether it has what it needs, and whether its breaker is open. None is asked.
async fn search(settings: &Settings) -> Vec<DoctorCheck> {
    let tables = &settings.search.search.providers;
    if tables.is_empty() {
        return vec![DoctorCheck::new(
            "search",
            CheckResult::Ok,
            "no provider is set up; none is asked that is not named",
        )];
    }
    let shared = settings.services.redis_url.as_ref().and_then(|_| {
        let content = fleet::content(settings).ok()?;
        fleet::store(settings, &content).ok()
    });
    let mut checks = Vec::new();
    for name in tables.keys() {
        let store = shared.clone().unwrap_or_else(|| Store::Memory(MemoryStore::new()));
        let set_up = searches(settings, std::slice::from_ref(name), store);
        checks.push(match set_up {
            Err(failure) => fault("search", failure),
            Ok(searches) => match tokio::time::timeout(PATIENCE, searches.is_open(name)).await {
                Ok(Some(wait)) => {
                    let detail = format!("{name}: failed too often, and is not asked for {} s", wait.as_secs());
                    DoctorCheck::new("search", CheckResult::Warning, detail)
                }
                Ok(None) | Err(_) => {
                    DoctorCheck::new("search", CheckResult::Ok, format!("{name}: {}", prepared(settings, name)))
                }
            },
        });
    }
    checks
}

/// What a search provider has of what it may have.
fn prepared(settings: &Settings, name: &str) -> String {
    let Ok(config) = provider(settings, name) else { return String::new() };
    let key = match (&config.api_key, &config.key_variable) {
        (Some(_), Some(variable)) => format!("key in {variable}"),
        (None, Some(variable)) => format!("without a key, as {variable} is not set"),
        _ => "needs no key".to_owned(),
    };
    let legacy = match config.kind {
        SearchKind::Google => "; searches of the whole web end on 1 January 2027",
        SearchKind::Exa => "; Exa may keep queries for training",
        _ => "",
    };
    format!("{key}; not asked{legacy}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_at_fault_is_unreachable_and_a_warning_is_no_fault() {
        let check = |what, finding| DoctorCheck::new(what, finding, "");
        assert_eq!(verdict(&[check("cache", CheckResult::Warning)]), Exit::Ok);
        assert_eq!(verdict(&[check("topology", CheckResult::Fault)]), Exit::Failed);
        assert_eq!(
            verdict(&[check("topology", CheckResult::Fault), check("broker", CheckResult::Fault)]),
            Exit::Unreachable
        );
        assert_eq!(verdict(&[check("content store", CheckResult::Fault)]), Exit::Unreachable);
    }
}
