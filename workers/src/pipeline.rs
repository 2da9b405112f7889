//! Wiring: handlers, models and settings put together.

use std::sync::Arc;
use std::time::Duration;

use precis_proto::task::Role;
use precis_runtime::archive::Archive;
use precis_runtime::config::{ProviderKind, Settings};
use precis_runtime::model::{CallPolicy, Chain, Chains, Models, ModelsError, ProviderConfig, key_from};
use precis_runtime::runner::Registry;
use precis_runtime::store::{LimitPolicy, Store};

use crate::counts::Counts;
use crate::gate::DistillGate;
use crate::pages::Pages;
use crate::parse::Parser;
use crate::settings::{DigestSettings, SummarySettings, analysis_budget, limits, synthesis_budget};
use crate::{jobs, phases};

/// Every phase and job kind of this build.
#[must_use]
pub fn registry(settings: &Settings, parser: Parser, archive: Option<Arc<Archive>>) -> Registry {
    let digest = DigestSettings::of(settings);
    let budget_tokens = analysis_budget(settings);
    Registry::default()
        .phase(phases::Extraction { archive })
        .phase(phases::Digest { settings: digest.clone(), budget_tokens })
        .phase(phases::Summarization { budget_tokens, allow_dropping: settings.tokens.allow_content_dropping })
        .phase(phases::Compression { call_budget_tokens: budget_tokens })
        .phase(phases::Synthesis { report_tokens: settings.report.tokens, budget_tokens: synthesis_budget(settings) })
        .phase(phases::Evaluation)
        .job(jobs::Extraction { parser, pages: Pages::of(settings) })
        .job(jobs::Digest { settings: digest.clone() })
        .job(jobs::Summarization { settings: digest.clone(), summaries: SummarySettings::of(settings) })
        .job(jobs::Compression { settings: digest })
}

/// The models the settings name, behind one gate. Connects to nobody.
///
/// # Errors
/// [`ModelsError`] names the provider, key or environment variable at fault.
pub fn models(settings: &Settings, store: Store) -> Result<Models, ModelsError> {
    let mut chains = Chains::all(Chain::new(Vec::<String>::new()));
    let mut names: Vec<String> = Vec::new();
    for role in Role::ALL {
        let chain = settings.chain(role);
        names.extend(chain.iter().filter_map(|link| link.split_once(':').map(|(name, _)| name.to_owned())));
        chains = chains.with(role, Chain::new(chain));
    }
    names.sort_unstable();
    names.dedup();
    let mut providers = Vec::new();
    for name in names {
        if let Some(provider) = provider(settings, &name)? {
            providers.push(provider);
        }
    }
    let gate = Arc::new(DistillGate { limits: limits(settings), counts: Counts::default() });
    Models::new(&providers, chains, store, gate, CallPolicy::default())
}

fn provider(settings: &Settings, name: &str) -> Result<Option<ProviderConfig>, ModelsError> {
    let Some(known) = settings.models.provider(name) else { return Ok(None) };
    let base_url = known.base_url.as_ref().map_or("", |url| url.expose());
    let mut provider = match known.kind {
        ProviderKind::Openai => ProviderConfig::openai(name, base_url),
    };
    provider.api_key = key_from(name, &known.api_key_env, |variable| std::env::var(variable).ok())?;
    provider.timeout = Duration::from_secs_f64(known.timeout_seconds);
    provider.limits = limit_policy(settings, name);
    provider.max_concurrent = usize::try_from(known.max_concurrent).unwrap_or(usize::MAX);
    Ok(Some(provider))
}

/// What `[limits.NAME]` allows a provider; no limit where there is no such table.
fn limit_policy(settings: &Settings, name: &str) -> LimitPolicy {
    let Some(limits) = settings.models.limits.get(name) else { return LimitPolicy::default() };
    LimitPolicy {
        requests: limits.requests_per_minute,
        tokens: limits.tokens_per_minute,
        micro_usd: limits.usd_per_minute.map(|usd| (usd * 1e6).round() as u64),
        ..LimitPolicy::default()
    }
}
