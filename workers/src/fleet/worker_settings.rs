//! What a worker is started with: how its runner works, its name, its archive.

use std::path::PathBuf;
use std::time::Duration;

use precis_runtime::archive::Archive;
use precis_runtime::broker::ReplyAddresses;
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::RunnerSettings;

use super::tenants::{storage_quotas, tenant_rules};
use crate::options::account;

/// The archive at `dir`: the one in the content store comes and goes with that store.
pub(crate) fn archive_in(settings: &Settings, content: &ContentStore, dir: PathBuf) -> std::io::Result<Archive> {
    match settings.archive.dir {
        Some(_) => Ok(Archive::open_or_closed(dir)),
        None => Archive::within(content.clone(), dir),
    }
}

/// How the runner of a worker works.
pub(crate) fn runner_settings(settings: &Settings) -> RunnerSettings {
    let worker = &settings.worker;
    RunnerSettings {
        lease: Duration::from_secs_f64(worker.lease_seconds),
        job_timeout: Duration::from_secs_f64(worker.job_timeout_seconds),
        window: usize::try_from(worker.session_window).unwrap_or(usize::MAX),
        emit_version: worker.emit_version,
        session_prefetch: worker.sessions,
        job_prefetch: worker.concurrency,
        account: account(settings),
        tenants: tenant_rules(settings),
        quotas: Some(storage_quotas(settings)),
        requires_user: worker.requires_user,
        operator_users: worker.operator_users.clone(),
        reply_addresses: ReplyAddresses::from_patterns(worker.reply_queues.clone()),
        ..RunnerSettings::default()
    }
}

/// Returns a unique worker name from host name, process id and a random number; containers often share process ids.
pub(crate) fn worker_id() -> String {
    let host = std::env::var("HOSTNAME").unwrap_or_default();
    let host: String = host.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    let host = if host.is_empty() { "worker" } else { &host };
    format!("{host}-{}-{:08x}", std::process::id(), rand::random::<u32>())
}
