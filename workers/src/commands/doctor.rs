//! `precis doctor`: checks everything a fleet needs. Costs nothing: it checks that keys are set, but does not use them.

mod check;
mod clocks;
mod machine;
mod others;

use std::time::{Duration, Instant};

use bytes::Bytes;
use precis_runtime::broker::{Broker, BrokerError, Topology};
use precis_runtime::config::Settings;
use precis_runtime::runner::{SIGN_KEPT, WorkerSign};
use serde_json::json;

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::{ConfigArgs, terminal};
use crate::fleet;
use check::{CheckResult, DoctorCheck, PATIENCE, ask_redis, fault};

/// Most topology faults shown; `precis topology check` shows all of them.
const SHOWN_FAULTS: usize = 3;

/// Arguments of `precis doctor`.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Print the checks as JSON
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Runs all checks; exit code 0 without faults, 4 if the broker or the content store cannot be used, 1 for other faults.
#[must_use]
pub fn run(args: &DoctorArgs) -> Exit {
    super::finish_as(attempt(args))
}

fn attempt(args: &DoctorArgs) -> Result<Exit, CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    let checks = super::block_on(async { Ok(examine(&settings).await) })?;
    let text =
        if args.json { format!("{:#}\n", json!({ "checks": checks })) } else { checks.iter().map(line).collect() };
    terminal::print_as(args.json, &text)?;
    Ok(verdict(&checks))
}

fn verdict(checks: &[DoctorCheck]) -> Exit {
    let faults: Vec<&str> = checks.iter().filter(|c| c.finding == CheckResult::Fault).map(|c| c.what).collect();
    if faults.is_empty() {
        Exit::Ok
    } else if faults.iter().any(|what| matches!(*what, "broker" | "publishing" | "content store")) {
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
            checks.push(workers(&broker, settings).await);
            checks.push(permissions(&broker).await);
            // Last: once the broker has told of an alarm, it answers nothing else on this connection.
            checks.push(publishing(&broker).await);
            broker.close().await;
        }
        Err(failure) => checks.push(fault("broker", failure)),
    }
    checks.push(store(settings).await);
    checks.push(content(settings).await);
    checks.extend(archive(settings).await);
    checks.extend(fetch_proxy(settings).await);
    checks.push(others::keys(settings));
    checks.extend(others::webhooks(settings));
    checks.extend(others::search(settings).await);
    checks.push(machine::sandbox(settings).await);
    checks.push(machine::recognition(settings).await);
    checks.push(machine::meaning(settings));
    checks.push(machine::tools(settings));
    checks.push(clocks::clocks(settings).await);
    checks
}

async fn topology(broker: &Broker) -> DoctorCheck {
    match broker.check(&Topology::standard()).await {
        Ok(faults) if faults.is_empty() => {
            DoctorCheck::new("topology", CheckResult::Ok, "queues and exchanges are complete and correct")
        }
        Ok(faults) => {
            let more = match faults.len().saturating_sub(SHOWN_FAULTS) {
                0 => String::new(),
                n => format!("; {n} more"),
            };
            let shown = faults.iter().take(SHOWN_FAULTS).map(String::as_str).collect::<Vec<_>>().join("; ");
            DoctorCheck::new("topology", CheckResult::Fault, format!("{shown}{more}; try: precis topology apply"))
        }
        Err(error) => DoctorCheck::new("topology", CheckResult::Fault, error.to_string()),
    }
}

/// Checks that a worker consumes requests. Only a warning: a fleet may be set up before its workers start.
async fn workers(broker: &Broker, settings: &Settings) -> DoctorCheck {
    match broker.depth(precis_runtime::broker::names::REQUESTS).await {
        Ok(requests) if requests.consumers > 0 && nobody_is_alive(settings).await => DoctorCheck::new(
            "workers",
            CheckResult::Warning,
            format!(
                "no worker answers: the queue `requests` has {} consumers, and none has given a sign of life for {} s; look at the \
                 processes, which may be stopped or stuck (workers from before this check give none)",
                requests.consumers,
                SIGN_KEPT.as_secs()
            ),
        ),
        Ok(requests) if requests.consumers > 0 => DoctorCheck::new(
            "workers",
            CheckResult::Ok,
            format!("consumers of the queue `requests`: {}", requests.consumers),
        ),
        Ok(requests) => {
            let detail = format!(
                "no worker consumes the queue `requests`, {} requests wait; try: precis worker",
                requests.ready
            );
            DoctorCheck::new("workers", CheckResult::Warning, detail)
        }
        Err(error) => DoctorCheck::new(
            "workers",
            CheckResult::Warning,
            format!("read the depth of the queue `requests`: {error}"),
        ),
    }
}

/// Whether Redis answers and no worker has given it a sign of life. A worker that was stopped stays a consumer for the broker.
async fn nobody_is_alive(settings: &Settings) -> bool {
    let Some(store) = fleet::shared_store(settings) else { return false };
    matches!(ask_redis(|| WorkerSign::latest(&store)).await, Some(None))
}

/// Checks that this broker user may consume replies and events, by opening a reply channel and subscribing to an unused event.
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

/// Checks that the broker accepts messages, with one that no queue receives: a broker with an alarm answers everything else.
async fn publishing(broker: &Broker) -> DoctorCheck {
    let probe = tokio::time::timeout(PATIENCE, broker.probe(precis_runtime::broker::names::INGRESS)).await;
    match probe {
        Ok(Ok(())) => DoctorCheck::new("publishing", CheckResult::Ok, "the broker accepts messages"),
        Ok(Err(error @ BrokerError::Blocked(_))) => {
            let detail = format!("{error}: it has an alarm; try: rabbitmq-diagnostics alarms");
            DoctorCheck::new("publishing", CheckResult::Fault, detail)
        }
        // The user of a worker may not submit, and nothing is wrong with that.
        Ok(Err(BrokerError::Refused(reason))) => {
            DoctorCheck::new("publishing", CheckResult::Ok, format!("not tried with this user: {reason}"))
        }
        Ok(Err(error)) => DoctorCheck::new("publishing", CheckResult::Fault, error.to_string()),
        Err(_) => {
            let detail = format!("no confirm within {} s; try: rabbitmq-diagnostics alarms", PATIENCE.as_secs());
            DoctorCheck::new("publishing", CheckResult::Fault, detail)
        }
    }
}

async fn store(settings: &Settings) -> DoctorCheck {
    if settings.services.redis_url.is_none() {
        let detail = "redis_url is not set: workers do not share their caches, and work may be done twice";
        return DoctorCheck::new("cache", CheckResult::Warning, detail);
    }
    let store = match fleet::content(settings).and_then(|content| fleet::store(settings, &content)) {
        Ok(store) => store,
        Err(failure) => return fault("cache", failure),
    };
    let key = format!("doctor:{:032x}", rand::random::<u128>());
    let begun = Instant::now();
    let mut last = String::new();
    // Retried because the first attempts may come before the client has connected.
    while begun.elapsed() < PATIENCE {
        match store.values().put_if_absent(&key, Bytes::from_static(b"1"), Duration::from_secs(60)).await {
            Ok(_) => {
                // If it cannot be deleted, it expires after a minute.
                let _ = store.values().delete(&key).await;
                return match store.is_of_this_fleet().await {
                    Ok(true) => DoctorCheck::new("cache", CheckResult::Ok, "Redis accepts writes"),
                    Ok(false) => DoctorCheck::new("cache", CheckResult::Fault, fleet::shared_cache(settings)),
                    Err(error) => DoctorCheck::new("cache", CheckResult::Warning, error.to_string()),
                };
            }
            Err(error) => last = error.to_string(),
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    DoctorCheck::new("cache", CheckResult::Warning, format!("{last}; sessions still run, but slower"))
}

async fn content(settings: &Settings) -> DoctorCheck {
    let content = match fleet::content(settings) {
        Ok(content) => content,
        Err(failure) => return fault("content store", failure),
    };
    let probe = Bytes::from(format!("precis doctor {:032x}", rand::random::<u128>()));
    let tried = async {
        content.check_usable().await?;
        let name = content.put(probe.clone()).await?;
        content.get(&name).await?;
        content.keeps_the_first(&format!("doctor-{:032x}", rand::random::<u128>())).await
    };
    match tokio::time::timeout(PATIENCE, tried).await {
        Ok(Ok(true)) => {
            DoctorCheck::new("content store", CheckResult::Ok, "can be read and written, honours conditional puts")
        }
        Ok(Ok(false)) => {
            let detail = "the server ignores conditional puts (If-None-Match), so a session may get two results; use another one";
            DoctorCheck::new("content store", CheckResult::Fault, detail)
        }
        // This is all the client library reports for an http endpoint that it may not use.
        Ok(Err(error)) if error.to_string().contains("builder error") => {
            let detail = format!("{error}; for an http endpoint set AWS_ALLOW_HTTP=true");
            DoctorCheck::new("content store", CheckResult::Fault, detail)
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
    let tried = async {
        // Opening creates the directory: not in the empty place of a content store that is away.
        if settings.archive.dir.is_none() {
            let content = fleet::content(settings).map_err(|failure| std::io::Error::other(failure.message))?;
            content.check().await.map_err(std::io::Error::other)?;
        }
        precis_runtime::archive::Archive::open(dir.clone())?.probe().await
    };
    let in_time = tokio::time::timeout(PATIENCE, tried).await;
    Some(match in_time.unwrap_or_else(|_| Err(std::io::Error::other("no answer in time"))) {
        Ok(()) => DoctorCheck::new("archive", CheckResult::Ok, "can be written to"),
        Err(error) => DoctorCheck::new("archive", CheckResult::Fault, format!("write to {}: {error}", dir.display())),
    })
}

/// Checks the fetch proxy, if one is set. Always at least a warning: the proxy resolves names and decides which addresses are reached,
/// so the address checks of this program do not apply.
async fn fetch_proxy(settings: &Settings) -> Option<DoctorCheck> {
    let proxy = settings.fetch.proxy()?;
    Some(match proxy.reach(PATIENCE).await {
        Ok(()) => {
            let detail = format!(
                "all pages are fetched through {}: it resolves host names, and its own rules decide which addresses it reaches",
                proxy.display_address()
            );
            DoctorCheck::new("fetch proxy", CheckResult::Warning, detail)
        }
        Err(reason) => {
            let detail = format!("no page can be fetched: cannot reach {}: {reason}", proxy.display_address());
            DoctorCheck::new("fetch proxy", CheckResult::Fault, detail)
        }
    })
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
