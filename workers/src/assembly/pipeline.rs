//! Assembles handlers, models and settings.

use std::sync::Arc;
use std::time::Duration;

use precis_evidence::meaning::Meaning;
use precis_proto::task::Role;
use precis_runtime::archive::Archive;
use precis_runtime::config::{ProviderKind, Settings};
use precis_runtime::model::{
    CallPolicy, Chain, Chains, Endpoint, GuardConfig, Models, ModelsError, ProviderConfig, ToolConfig, Vendor,
    environment_from, key_from,
};
use precis_runtime::runner::Registry;
use precis_runtime::store::{LimitPolicy, Store};
use precis_runtime::telemetry::{MeaningModel, metrics};

use crate::assembly::model_gate::DistillGate;
use crate::assembly::phase_handlers::{report_phases, search_phases, source_phases};
use crate::collections::VersionIndexer;
use crate::documents::extract_service::TavilyReader;
use crate::documents::pages::PageFetcher;
use crate::documents::parse::Parser;
use crate::documents::token_counts::TokenCounts;
use crate::jobs;
use crate::jobs::digest_breaker::DigestBreaker;
use crate::lanes::Lanes;
use crate::meaning::{ModelOfMeaning, ServedModel};
use crate::options::{DigestOptions, SummarySettings, is_model, limits, prices, research_window, tenants};

/// The hidden subcommand that guards a tool.
pub const GUARD_COMMAND: &str = "guard-tool";
/// Flag of the subcommand for a tool without a fence.
const UNFENCED: &str = "--unfenced";

/// Returns the handlers of every phase and job kind, without corpora and search providers.
#[must_use]
pub fn registry(settings: &Settings, parser: Parser, archive: Option<Arc<Archive>>) -> Registry {
    searching_registry(settings, parser, archive, Arc::default())
}

/// Returns the handlers of every phase and job kind.
#[must_use]
pub fn searching_registry(
    settings: &Settings,
    parser: Parser,
    archive: Option<Arc<Archive>>,
    lanes: Arc<Lanes>,
) -> Registry {
    assemble(settings, parser, archive, lanes, PageFetcher::from_settings(settings), model_of_meaning(settings), false)
}

/// [`searching_registry`] for a worker of a fleet: limits per host are shared by all workers on `store`.
#[must_use]
pub fn fleet_registry(
    settings: &Settings,
    parser: Parser,
    archive: Option<Arc<Archive>>,
    lanes: Arc<Lanes>,
    store: &Store,
) -> Registry {
    let pages = PageFetcher::from_settings(settings).of_fleet(store);
    let model = model_of_meaning(settings);
    let meaning = match &model {
        Some(ModelOfMeaning::Loaded(model)) => Some(Arc::clone(model) as Arc<dyn Meaning>),
        Some(ModelOfMeaning::Served(_)) | None => None,
    };
    let indexer = VersionIndexer::new(parser.clone(), meaning);
    assemble(settings, parser, archive, lanes, pages, model, false).indexer(indexer)
}

/// [`searching_registry`] for a local run, whose caller owns the content store, so that an archived text may name its structure.
#[must_use]
pub fn run_registry(settings: &Settings, parser: Parser, archive: Option<Arc<Archive>>, lanes: Arc<Lanes>) -> Registry {
    assemble(settings, parser, archive, lanes, PageFetcher::from_settings(settings), model_of_meaning(settings), true)
}

fn assemble(
    settings: &Settings,
    parser: Parser,
    archive: Option<Arc<Archive>>,
    lanes: Arc<Lanes>,
    pages: PageFetcher,
    meaning: Option<ModelOfMeaning>,
    takes_structure: bool,
) -> Registry {
    let digest = DigestOptions::from_settings(settings);
    if let Some(model) = &meaning {
        lanes.compare_with(model.clone());
    }
    let summaries = SummarySettings::from_settings(settings);
    let registry = search_phases(Registry::default(), settings, &lanes);
    let registry = source_phases(registry, settings, archive, &digest);
    report_phases(registry, settings)
        .job(jobs::ResearchJobHandler {
            lanes,
            window: is_model(settings, Role::Research).then(|| research_window(settings)),
        })
        .job(jobs::ExtractionJobHandler {
            parser,
            pages,
            other: TavilyReader::from_settings(settings),
            takes_structure,
        })
        .job(jobs::DigestJobHandler {
            settings: digest.clone(),
            summaries: summaries.clone(),
            breaker: DigestBreaker::default(),
            meaning: meaning.clone(),
        })
        .job(jobs::SummarizationJobHandler { settings: digest.clone(), summaries })
        .job(jobs::CompressionJobHandler {
            settings: digest,
            has_model: is_model(settings, Role::Compression),
            meaning,
        })
}

/// The configured model of meaning. Without it the process works by words: `precis run` refuses before, a worker says so in its log and in
/// `precis doctor`.
fn model_of_meaning(settings: &Settings) -> Option<ModelOfMeaning> {
    let (model, state) = match ModelOfMeaning::from_settings(settings) {
        Ok(None) if ServedModel::is_kept_out(settings) => {
            tracing::warn!("roles.embedding names a foreign server, which gets no private text: words alone rank");
            (None, MeaningModel::Missing)
        }
        Ok(Some(model)) => (Some(model), MeaningModel::Loaded),
        Ok(None) => (None, MeaningModel::Off),
        Err(error) => {
            tracing::warn!(%error, "no model of meaning: passages are ranked by words alone");
            (None, MeaningModel::Missing)
        }
    };
    metrics().process.meaning_model(state);
    model
}

/// Sets up the models that the settings name. Does not connect.
///
/// # Errors
/// [`ModelsError`] names the provider, key or environment variable at fault.
pub fn models(settings: &Settings, store: Store) -> Result<Models, ModelsError> {
    models_with(settings, store, None)
}

/// [`models`] with command-line tools that run under a guard, which is this program itself.
///
/// # Errors
/// As [`models`].
pub fn guarded_models(settings: &Settings, store: Store) -> Result<Models, ModelsError> {
    // If the path of this program is unknown, tools run without a guard.
    let executable = std::env::current_exe().ok();
    let guard = executable.map(|executable| GuardConfig { executable, args: vec![GUARD_COMMAND.to_owned()] });
    models_with(settings, store, guard.as_ref())
}

fn models_with(settings: &Settings, store: Store, guard: Option<&GuardConfig>) -> Result<Models, ModelsError> {
    let mut chains = Chains::all(Chain::new(Vec::<String>::new()));
    let mut names: Vec<String> = Vec::new();
    for role in Role::ALL {
        let chain = settings.chain(role);
        names.extend(chain.iter().filter_map(|link| link.split_once(':').map(|(name, _)| name.to_owned())));
        chains = chains.with(role, Chain::new(chain));
    }
    // Each provider is set up once, although several roles may name it.
    names.sort_unstable();
    names.dedup();
    let mut providers = Vec::new();
    for name in names {
        if let Some(provider) = provider(settings, &name, guard)? {
            providers.push(provider);
        }
    }
    let gate =
        Arc::new(DistillGate { limits: limits(settings), prices: prices(settings), counts: TokenCounts::default() });
    let policy = CallPolicy { tenants: tenants(settings), strangers: settings.strangers(), ..CallPolicy::default() };
    Models::new(&providers, chains, store, gate, policy)
}

/// Returns the configured provider called `name`; `None` for an unknown name and for the built-in model.
///
/// # Errors
/// As [`models`].
pub(crate) fn provider(
    settings: &Settings,
    name: &str,
    guard: Option<&GuardConfig>,
) -> Result<Option<ProviderConfig>, ModelsError> {
    let Some(known) = settings.models.provider(name) else { return Ok(None) };
    let read = |variable: &str| std::env::var(variable).ok();
    let base_url = known.base_url.as_ref().map_or("", |url| url.expose());
    let key = key_from(name, known.key_variable().unwrap_or_default(), read)?;
    let server = |vendor| ProviderConfig::server(name, vendor, base_url, key);
    let mut provider = match known.kind {
        ProviderKind::Openai => server(Vendor::OpenAi),
        ProviderKind::Anthropic => server(Vendor::Anthropic),
        ProviderKind::Gemini => server(Vendor::Gemini),
        ProviderKind::Tool => {
            let command = known.command.clone().unwrap_or_default();
            let env = environment_from(name, &known.env, read)?;
            let mut guard = guard.cloned();
            if let Some(guard) = guard.as_mut().filter(|_| !known.fenced) {
                guard.args.push(UNFENCED.to_owned());
            }
            let tool = ToolConfig { command, args: known.args.clone(), env, guard };
            ProviderConfig::new(name, Endpoint::Tool(tool))
        }
    };
    provider.timeout = Duration::from_secs_f64(known.timeout_seconds);
    provider.limits = limit_policy(settings, name);
    provider.key_variable = known.key_variable().map(str::to_owned);
    provider.max_concurrent = usize::try_from(known.max_concurrent).unwrap_or(usize::MAX);
    Ok(Some(provider))
}

/// Returns the limits of `[limits.NAME]`; no limits if there is no such table.
fn limit_policy(settings: &Settings, name: &str) -> LimitPolicy {
    let Some(limits) = settings.models.limits.get(name) else { return LimitPolicy::default() };
    LimitPolicy {
        requests: limits.requests_per_minute,
        tokens: limits.tokens_per_minute,
        micro_usd: limits.usd_per_minute.map(|usd| (usd * 1e6).round() as u64),
        ..LimitPolicy::default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use precis_runtime::broker::JOB_KINDS;

    use super::*;

    #[test]
    fn every_handled_job_kind_has_a_queue_and_the_reverse() {
        let settings = Settings::default();
        let parser = Parser::in_process(crate::options::extract_limits(&settings), settings.extraction.html);
        let registry = run_registry(&settings, parser, None, Arc::default());
        assert_eq!(registry.kinds().collect::<BTreeSet<_>>(), BTreeSet::from(JOB_KINDS));
    }
}
