//! `precis search`: a single search, made as in `precis research`. Only the named providers are used, in order, until one answers.

use std::time::Duration;

use precis_proto::SessionId;
use precis_runtime::config::LoadedSettings;
use precis_runtime::model::BillingContext;
use precis_runtime::search::{
    DEFAULT_RESULTS, MAX_RESULTS, ProviderFailure, PublicQuery, SearchAnswer, SearchCall, SearchFailure,
};
use precis_runtime::store::{DiskCache, MemoryStore, Store};
use serde_json::{Value, json};

use super::extract::refuse;
use super::settings::load_settings;
use crate::assembly::search_providers::searches;
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::{self, printable};
use crate::commands::run_cache;
use crate::input::{QueryFrom, read_query};
use crate::options::account;

/// Time limit for all providers together.
const BUDGET: Duration = Duration::from_secs(90);
/// Time limit for finishing cache writes after the answer has arrived.
const GRACE: Duration = Duration::from_secs(2);

/// Arguments of `precis search`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis search --provider arxiv \"retrieval with several hops\"
  precis search --provider tavily --provider brave \"Who runs the harbour?\" --limit 5
  precis search --provider crossref \"dams\" --json | jq -r .hits[].url

The query goes to the providers you name, in this order, until one answers. Keys are read from the environment
(TAVILY_API_KEY, BRAVE_API_KEY, ...). `precis doctor` shows which providers are set up.")]
pub struct SearchArgs {
    /// The search query; `-` reads it from standard input
    #[arg(value_name = "QUERY")]
    pub query: String,
    /// A provider: tavily, brave, exa, searxng, semantic_scholar, openalex, crossref, arxiv, wikipedia, perplexity, google, or the name
    /// of a table [search.providers.NAME]; may be given more than once
    #[arg(long, value_name = "NAME", required = true)]
    pub provider: Vec<String>,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = DEFAULT_RESULTS as u64,
        value_parser = clap::value_parser!(u64).range(1..=MAX_RESULTS as u64))]
    pub limit: u64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Prints the hits.
#[must_use]
pub fn run(args: &SearchArgs) -> Exit {
    match attempt(args) {
        Ok(text) => super::finish(terminal::print_as(args.json, &text)),
        Err(failure) => refuse(&failure, args.json),
    }
}

fn attempt(args: &SearchArgs) -> Result<String, CommandFailure> {
    let query = read_query(&QueryFrom::Text(args.query.clone()))?;
    let loaded = load_settings(&args.config, Vec::new())?;
    super::log_where_asked(&loaded);
    loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    super::ignored_proxies().iter().for_each(|warning| terminal::print_warning(warning));
    let searches = searches(&loaded.settings, &args.provider, store(&loaded)?)?;
    let call = SearchCall {
        max_results: usize::try_from(args.limit).unwrap_or(MAX_RESULTS),
        ..SearchCall::new(PublicQuery::of_user(&query), args.provider.clone())
    };
    let billing = BillingContext::new(session()?, account(&loaded.settings));
    let answer = super::block_on(async {
        let found = searches.search(&billing, &call, BUDGET).await;
        searches.drain(GRACE).await;
        found.map_err(|failure| search_failure(&failure))
    })?;
    for failure in &answer.failed_over {
        terminal::print_warning(&format!("{failure}; `{}` answered instead", answer.provider));
    }
    if answer.query_cut {
        terminal::print_warning(&format!("the query was cut: it is longer than `{}` accepts", answer.provider));
    }
    Ok(match args.json {
        true => format!("{}\n", as_json(&answer)),
        false => as_text(&answer),
    })
}

/// Returns a store of this process, backed by the disk cache of earlier runs.
fn store(loaded: &LoadedSettings) -> Result<Store, CommandFailure> {
    let mut store = MemoryStore::new();
    let cache = &loaded.settings.cache;
    match (run_cache::check(loaded)?, &cache.dir) {
        (None, Some(dir)) => {
            // An unusable cache directory is not an error: it only costs a repeated search.
            if let Ok(disk) = DiskCache::open(dir.join("store"), cache.max_bytes) {
                store = store.with_disk(disk);
            }
        }
        (Some(distrust), _) => terminal::print_warning(&distrust),
        (None, None) => {}
    }
    Ok(Store::Memory(store))
}

/// Returns a session id of its own, so that a cached search is billed to the run that made it, not to this one.
fn session() -> Result<SessionId, CommandFailure> {
    let id = SessionId::new(format!("search-{:032x}", rand::random::<u128>()));
    id.map_err(|e| CommandFailure::new(Exit::Failed, "search_failed", e.to_string()))
}

fn search_failure(failure: &SearchFailure) -> CommandFailure {
    CommandFailure::new(Exit::Failed, "search_failed", format!("search failed: {failure}"))
}

fn as_json(answer: &SearchAnswer) -> Value {
    let failed = |failure: &ProviderFailure| json!({ "provider": failure.provider, "code": failure.code, "detail": failure.detail, "advice": failure.advice });
    json!({
        "provider": answer.provider,
        "served": answer.served,
        "hits": answer.hits,
        "failed_over": answer.failed_over.iter().map(failed).collect::<Vec<_>>(),
        "dropped": answer.dropped,
        "usd": answer.usd,
    })
}

fn as_text(answer: &SearchAnswer) -> String {
    if answer.hits.is_empty() {
        return printable(&format!("nothing found: `{}` returned no page for this query\n", answer.provider));
    }
    let mut text = String::new();
    for hit in &answer.hits {
        let date = hit.published.as_ref().map_or_else(String::new, |day| format!("  ({day})"));
        text.push_str(&format!("{}. {}{date}\n   {}\n", hit.rank, hit.title, hit.url));
        if !hit.snippet.is_empty() {
            text.push_str(&format!("   {}\n", hit.snippet));
        }
        text.push('\n');
    }
    printable(&text)
}
