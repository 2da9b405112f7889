//! `precis research`: from a question alone to a report, over folders.
//!
//! The folders are indexed or brought up to date, searched in rounds, and what was chosen is read as `precis run` reads what it is
//! given. Nothing is asked of any server but what `--url` names.

use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_corpus::Corpus;
use precis_distill::research::{analyse, plan};
use precis_proto::envelope::json_fault;
use precis_proto::research::{CorpusRef, Plan, ResearchOptions};
use precis_runtime::files::{FileLimits, Links, read_regular};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::corpus::place::cache;
use super::lane_args::LaneArgs;
use super::limit_args::LimitArgs;
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::progress::{Progress, ProgressMode};
use crate::cli::terminal;
use crate::commands::run::RunArgs;
use crate::documents::corpus::{bring_up_to_date, failed, place_of};
use crate::input::attributes::KnownArgs;
use crate::input::follow_up::FollowUpInputs;
use crate::input::{QueryFrom, read_query};
use crate::lanes::Shelf;
use crate::wiring::search_providers::provider;

/// Arguments of `precis research`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis research \"Which proposal does PEP 544 build on?\" --corpus peps/
  precis research --query \"Who pays for delays?\" --corpus contracts/ --corpus mail/ --depth deep --out who-pays
  precis research \"Compare the ferry and the tunnel\" --corpus plans/ --plan-only

With --corpus alone it needs no model, no key and no network; no provider is asked that is not named. Search providers are told words of
your question and of what they found, and of your files nothing unless they are --public. `precis corpus status DIR` shows the index that
it makes of a folder, `precis search` tries a provider.")]
pub struct ResearchArgs {
    /// The question; `-` reads it from standard input
    #[arg(value_name = "QUESTION", allow_hyphen_values = true, conflicts_with = "query")]
    pub question: Option<String>,
    /// The question, as a flag
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    pub query: Option<String>,
    /// Where it may look.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// Documents that are read in any case
    #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// Pages that are read in any case
    #[arg(long, value_name = "URL", num_args = 1..)]
    pub url: Vec<String>,
    /// How far to go.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Print the plan as JSON and search nothing
    #[arg(long, conflicts_with = "plan")]
    pub plan_only: bool,
    /// Follow this plan, as `--plan-only` prints it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plan: Option<PathBuf>,
    /// Directory of the report
    #[arg(long, value_name = "DIR", default_value = "precis-out", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Use the directory of the report though it holds other files
    #[arg(long)]
    pub force: bool,
    /// Print the result as JSON too
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Neither use nor keep answers of other runs
    #[arg(long)]
    pub no_cache: bool,
    /// The model of every role, as `NAME:MODEL`
    #[arg(long, value_name = "MODEL")]
    pub provider: Option<String>,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Researches a question.
#[must_use]
pub fn run(args: &ResearchArgs) -> Exit {
    match attempt(args) {
        Ok(exit) => exit,
        Err(failure) => super::extract::refuse(&failure, args.json),
    }
}

fn attempt(args: &ResearchArgs) -> Result<Exit, CommandFailure> {
    let asked = args.query.as_ref().or(args.question.as_ref());
    let asked = asked.ok_or_else(|| {
        CommandFailure::new(Exit::Usage, "invalid_usage", "no question is given")
            .with_remedy("precis research \"Who pays?\" --corpus contracts/")
    })?;
    let query = read_query(&QueryFrom::Text(asked.clone()))?;
    if args.plan_only {
        let shown = json!(plan(&analyse(&query)));
        terminal::print(&terminal::json_safe(&format!("{shown:#}\n")))?;
        return Ok(Exit::Ok);
    }
    if args.lanes.is_empty() {
        return Err(nothing_to_search("nothing is named that could be searched"));
    }
    let follows = followed(args, args.plan.as_deref().map(read_plan).transpose()?)?;
    Ok(super::run::run_after(&run_args(args, query), follows))
}

/// The refusal of a research that names nothing to search.
pub(super) fn nothing_to_search(message: &str) -> CommandFailure {
    CommandFailure::new(Exit::Usage, "nothing_to_search", message)
        .with_remedy("name a folder with --corpus DIR, or a search provider with --web NAME or --academic NAME")
}

/// What is searched, and how far.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchArgs<'a> {
    /// Where.
    pub(super) lanes: &'a LaneArgs,
    /// How far.
    pub(super) limits: &'a LimitArgs,
    /// Where settings come from.
    pub(super) config: &'a ConfigArgs,
    /// Print nothing but errors.
    pub(super) quiet: bool,
}

/// What a run searches, with `plan` where there is one.
///
/// # Errors
/// [`CommandFailure`] where a provider is not set up, or a folder cannot be indexed.
pub(super) fn searching(
    args: SearchArgs<'_>,
    plan: Option<Plan>,
) -> Result<(ResearchOptions, Vec<Shelf>), CommandFailure> {
    check_providers(args)?;
    let shelves = shelves(args)?;
    let corpus = |shelf: &Shelf| CorpusRef { manifest: shelf.corpus.manifest_hash(), proof: None };
    let corpus = shelves.iter().map(corpus).collect();
    Ok((ResearchOptions { corpus, plan, ..options(args.lanes, args.limits) }, shelves))
}

/// What is asked of research, but for the folders.
pub(super) fn options(lanes: &LaneArgs, limits: &LimitArgs) -> ResearchOptions {
    ResearchOptions {
        corpus: Vec::new(),
        depth: limits.depth(),
        max_sources: limits.max_sources,
        max_searches: limits.max_searches,
        max_rounds: limits.max_rounds,
        max_refinements: limits.max_refinements,
        web: lanes.web.clone(),
        academic: lanes.academic.clone(),
        public: lanes.public,
        confidential_query: lanes.confidential_query,
        allow_domains: lanes.allow_domain.clone(),
        deny_domains: lanes.deny_domain.clone(),
        since: lanes.since.clone(),
        plan: None,
        fork: None,
    }
}

/// What a research of `args` follows on: nothing but what it searches.
///
/// # Errors
/// As [`searching`].
pub(super) fn followed(args: &ResearchArgs, plan: Option<Plan>) -> Result<FollowUpInputs, CommandFailure> {
    let search = SearchArgs { lanes: &args.lanes, limits: &args.limits, config: &args.config, quiet: args.quiet };
    let (options, shelves) = searching(search, plan)?;
    Ok(FollowUpInputs::default().searching(options, shelves, args.limits.deadline))
}

/// Whether the providers that are named can be asked, before anything is.
fn check_providers(args: SearchArgs<'_>) -> Result<(), CommandFailure> {
    let mut names = args.lanes.providers().peekable();
    if names.peek().is_none() {
        return Ok(());
    }
    let settings = super::settings::load_settings(args.config, Vec::new())?.settings;
    names.try_for_each(|name| provider(&settings, name).map(drop))
}

/// Largest file with a plan, in bytes.
const MAX_PLAN_BYTES: u64 = 1024 * 1024;

/// A plan that somebody wrote or changed.
pub(super) fn read_plan(file: &Path) -> Result<Plan, CommandFailure> {
    let shown = file.display();
    let refused = |message: String| {
        CommandFailure::new(Exit::Refused, "invalid_plan", message)
            .with_remedy("print one with `precis research QUESTION --plan-only`, and change that")
    };
    let bytes = read_regular(file, Links::Followed, FileLimits::bytes(MAX_PLAN_BYTES))
        .map_err(|e| refused(format!("read plan {shown}: {e}")))?;
    serde_json::from_slice(&bytes).map_err(|e| refused(format!("{shown} is no plan: {}", json_fault(&e))))
}

/// The folders, each indexed as it is now.
fn shelves(args: SearchArgs<'_>) -> Result<Vec<Shelf>, CommandFailure> {
    let (settings, cache) = cache(args.config)?;
    let cancel = CancellationToken::new();
    let mut opened = Vec::new();
    for dir in &args.lanes.corpus {
        let place = place_of(&cache, dir)?;
        let progress = std::cell::RefCell::new(Progress::new(ProgressMode::choose(args.quiet)));
        let show = |done, total| progress.borrow_mut().count("reading", done, total);
        let indexed = super::block_on(bring_up_to_date(&place, &settings, &cancel, show));
        progress.borrow_mut().clear();
        if let Some(reason) = indexed?.rebuilt.filter(|_| !args.quiet) {
            terminal::print_warning(&format!("the index was made anew: {reason}"));
        }
        let corpus = Corpus::open(&place).map_err(|e| failed(&e, &place))?;
        opened.push(Shelf::new(place.folder(), corpus));
    }
    Ok(opened)
}

/// The run that reads what is found, behind what is given.
pub(super) fn run_args(args: &ResearchArgs, query: String) -> RunArgs {
    RunArgs {
        question: None,
        paths: Vec::new(),
        query: Some(query),
        query_file: None,
        docs: args.docs.clone(),
        url: args.url.clone(),
        project: None,
        out: args.out.clone(),
        force: args.force,
        provider: args.provider.clone(),
        report_tokens: None,
        json: args.json,
        quiet: args.quiet,
        verbose: false,
        no_cache: args.no_cache,
        known: KnownArgs::default(),
        config: ConfigArgs { config: args.config.config.clone(), set: args.config.set.clone() },
    }
}
