//! Checks of what is asked or told over HTTP: models, webhooks, searches. Nothing is called, since a call would cost money or tell something.

use std::collections::BTreeSet;

use precis_proto::task::Role;
use precis_runtime::config::{LOCAL_MODEL, Settings};
use precis_runtime::search::SearchKind;
use precis_runtime::store::{MemoryStore, Store};

use super::check::{CheckResult, DoctorCheck, PATIENCE, fault};
use crate::assembly::search_providers::{provider, searches};
use crate::assembly::webhooks::lacking_secrets;
use crate::fleet;

/// Checks that the keys of all configured model providers are set. They are not tried, because a call would cost money.
pub(super) fn keys(settings: &Settings) -> DoctorCheck {
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
        (true, 0) => DoctorCheck::new("provider keys", CheckResult::Ok, "none needed: only the built-in model is used"),
        (true, n) => DoctorCheck::new(
            "provider keys",
            CheckResult::Ok,
            format!("all {n} configured models have their keys; none was called"),
        ),
    }
}

/// Checks that the secrets of all webhook endpoints are set and usable; `None` without an endpoint. A worker that lacks one refuses requests
/// that name the endpoint.
pub(super) fn webhooks(settings: &Settings) -> Option<DoctorCheck> {
    let all = settings.webhooks.webhooks.len();
    let lacking: Vec<String> = lacking_secrets(settings).iter().map(ToString::to_string).collect();
    let (finding, detail) = match lacking.is_empty() {
        true => (CheckResult::Ok, format!("all {all} endpoints have their secrets; none was told anything")),
        false => (CheckResult::Fault, format!("{}; requests that name the endpoint are refused", lacking.join("; "))),
    };
    (all > 0).then(|| DoctorCheck::new("webhooks", finding, detail))
}

/// Returns a check per configured search provider: whether its key is set and whether its breaker is open. No provider is called.
pub(super) async fn search(settings: &Settings) -> Vec<DoctorCheck> {
    let tables = &settings.search.search.providers;
    if tables.is_empty() {
        return vec![DoctorCheck::new("search", CheckResult::Ok, "no provider is set up, so none is used")];
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
                    let detail =
                        format!("{name}: breaker open after repeated failures, not used for {} s", wait.as_secs());
                    DoctorCheck::new("search", CheckResult::Warning, detail)
                }
                Ok(None) | Err(_) => {
                    DoctorCheck::new("search", CheckResult::Ok, format!("{name}: {}", describe_key(settings, name)))
                }
            },
        });
    }
    checks
}

/// Describes the key of a search provider, with its caveats.
fn describe_key(settings: &Settings, name: &str) -> String {
    let Ok(config) = provider(settings, name) else { return String::new() };
    let key = match (&config.api_key, &config.key_variable) {
        (Some(_), Some(variable)) => format!("key in {variable}"),
        (None, Some(variable)) => format!("no key: {variable} is not set"),
        _ => "needs no key".to_owned(),
    };
    let legacy = match config.kind {
        SearchKind::Google => "; searches of the whole web end on 1 January 2027",
        SearchKind::Exa => "; Exa may keep queries for training",
        _ => "",
    };
    format!("{key}; not called{legacy}")
}
