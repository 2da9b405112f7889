//! `precis research`: from a question alone to a report, by searching folders and search providers.
//!
//! The folders are indexed or their indexes updated, then searched in rounds; the selected documents are read as by `precis run`.
//! Only the servers of `--url` pages and of the providers in `--web` and `--academic` are contacted.

use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_corpus::Corpus;
use precis_evidence::question::analysis::analyse;
use precis_proto::envelope::json_fault;
use precis_proto::request::REPORT_TOKENS;
use precis_proto::research::{CorpusRef, Plan, ResearchOptions};
use precis_research::plan;
use precis_runtime::files::{FileLimits, Links, read_regular};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::corpus::place::cache;
use super::lane_args::LaneArgs;
use super::limit_args::LimitArgs;
use crate::assembly::search_providers::provider;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::progress::{Progress, ProgressMode};
use crate::cli::{ConfigArgs, terminal};
use crate::commands::corpus::indexing::{bring_up_to_date, failed, place_of};
use crate::commands::run::RunArgs;
use crate::input::attributes::KnownArgs;
use crate::input::{QueryFrom, check_subject, read_query};
use crate::lanes::Shelf;
use crate::report::follow_up::FollowUpInputs;

/// Arguments of `precis research`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis research \"Which proposal does PEP 544 build on?\" --corpus peps/
  precis research --query \"Who pays for delays?\" --corpus contracts/ --corpus mail/ --depth deep --out who-pays
  precis research \"Compare the ferry and the tunnel\" --corpus plans/ --plan-only

With only --corpus it needs no model, no key and no network; only the search providers you name are used. They receive words of your
question and of their own results, and nothing from your files unless you pass --public. `precis corpus status DIR` shows the index of a
folder, `precis search` tries out a provider.")]
pub struct ResearchArgs {
    /// The question; `-` reads it from standard input
    #[arg(value_name = "QUESTION", conflicts_with = "query")]
    pub question: Option<String>,
    /// The question, as a flag
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    pub query: Option<String>,
    /// Where to search.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// Documents to read in any case
    #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// Pages to read in any case
    #[arg(long, value_name = "URL", num_args = 1..)]
    pub url: Vec<String>,
    /// Depth and limits of the research.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Print the plan as JSON, without searching
    #[arg(long, conflicts_with = "plan")]
    pub plan_only: bool,
    /// Follow the plan in this file, in the format that `--plan-only` prints
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plan: Option<PathBuf>,
    /// Directory for the report
    #[arg(long, value_name = "DIR", default_value = "precis-out", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Write into a directory that contains other files
    #[arg(long)]
    pub force: bool,
    /// Target length of the report, in tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(REPORT_TOKENS))]
    pub report_tokens: Option<u64>,
    /// Print what the research may cost at most and usually costs, by phase, and stop: reads the documents, calls no model, searches nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print only the response envelope on standard output, as JSON
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Do not use or store cached model answers
    #[arg(long)]
    pub no_cache: bool,
    /// The model for every role, as NAME:MODEL
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
    check_subject(&query)?;
    if args.plan_only {
        let shown = json!(plan(&analyse(&query)));
        terminal::print_json(&format!("{shown:#}\n"))?;
        return Ok(Exit::Ok);
    }
    if args.lanes.is_empty() {
        return Err(nothing_to_search("no folder or search provider is given"));
    }
    let follows = followed(args, args.plan.as_deref().map(read_plan).transpose()?)?;
    Ok(super::run::run_after(&run_args(args, query), follows))
}

/// The usage error of a research without a folder or search provider.
pub(super) fn nothing_to_search(message: &str) -> CommandFailure {
    CommandFailure::new(Exit::Usage, "nothing_to_search", message)
        .with_remedy("pass a folder with --corpus DIR, or a search provider with --web NAME or --academic NAME")
}

/// The arguments that decide what is searched, and how far.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchArgs<'a> {
    /// Where to search.
    pub(super) lanes: &'a LaneArgs,
    /// Depth and limits.
    pub(super) limits: &'a LimitArgs,
    /// Where settings come from.
    pub(super) config: &'a ConfigArgs,
    /// Whether to print only errors.
    pub(super) quiet: bool,
}

/// Returns the research options and the indexed folders of a run; `plan` replaces the automatic plan.
///
/// # Errors
/// [`CommandFailure`] if a provider is not set up or a folder cannot be indexed.
pub(super) fn searching(
    args: SearchArgs<'_>,
    plan: Option<Plan>,
) -> Result<(ResearchOptions, Vec<Shelf>), CommandFailure> {
    args.lanes.check_counts()?;
    check_providers(args)?;
    let shelves = shelves(args)?;
    let corpus = |shelf: &Shelf| CorpusRef { manifest: shelf.corpus.manifest_hash(), proof: None };
    let corpus = shelves.iter().map(corpus).collect();
    Ok((ResearchOptions { corpus, plan, ..options(args.lanes, args.limits) }, shelves))
}

/// Returns the research options without the folders.
pub(super) fn options(lanes: &LaneArgs, limits: &LimitArgs) -> ResearchOptions {
    ResearchOptions {
        corpus: Vec::new(),
        collections: Vec::new(),
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

/// Returns the inputs of a research: what it searches, and no earlier session.
///
/// # Errors
/// As [`searching`].
pub(super) fn followed(args: &ResearchArgs, plan: Option<Plan>) -> Result<FollowUpInputs, CommandFailure> {
    let search = SearchArgs { lanes: &args.lanes, limits: &args.limits, config: &args.config, quiet: args.quiet };
    let (options, shelves) = searching(search, plan)?;
    let inputs = FollowUpInputs { privacy: args.lanes.privacy(), ..FollowUpInputs::default() };
    Ok(inputs.searching(options, shelves, args.limits.deadline))
}

/// Checks that every named provider is set up, before any folder is indexed.
fn check_providers(args: SearchArgs<'_>) -> Result<(), CommandFailure> {
    let mut names = args.lanes.providers().peekable();
    if names.peek().is_none() {
        return Ok(());
    }
    let settings = super::settings::load_settings(args.config, Vec::new())?.settings;
    names.try_for_each(|name| provider(&settings, name).map(drop))
}

/// Largest plan file, in bytes.
const MAX_PLAN_BYTES: u64 = 1024 * 1024;

/// Reads a plan from a JSON file.
pub(super) fn read_plan(file: &Path) -> Result<Plan, CommandFailure> {
    let shown = file.display();
    let refused = |message: String| {
        CommandFailure::new(Exit::Refused, "invalid_plan", message)
            .with_remedy("print a plan with `precis research QUESTION --plan-only` and edit it")
    };
    let bytes = read_regular(file, Links::Followed, FileLimits::bytes(MAX_PLAN_BYTES))
        .map_err(|e| refused(format!("read plan {shown}: {e}")))?;
    serde_json::from_slice(&bytes).map_err(|e| refused(format!("{shown} is not a valid plan: {}", json_fault(&e))))
}

/// Opens the folders after updating their indexes.
fn shelves(args: SearchArgs<'_>) -> Result<Vec<Shelf>, CommandFailure> {
    let (settings, cache) = cache(args.config)?;
    let cancel = CancellationToken::new();
    let mut opened = Vec::new();
    for dir in &args.lanes.corpus {
        let place = place_of(&cache, dir)?;
        let progress = std::cell::RefCell::new(Progress::new(ProgressMode::choose(args.quiet)));
        let show = |step, done, total| progress.borrow_mut().count(step, done, total);
        let indexed = super::block_on(bring_up_to_date(&place, (&settings, None), &cancel, show));
        progress.borrow_mut().clear();
        if let Some(reason) = indexed?.rebuilt.filter(|_| !args.quiet) {
            terminal::print_warning(&format!("the index was rebuilt: {reason}"));
        }
        let corpus = Corpus::open(&place).map_err(|e| failed(&e, &place))?;
        opened.push(Shelf::new(place.folder(), corpus));
    }
    Ok(opened)
}

/// Returns the arguments of the run that reads the given documents and those that the search finds.
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
        report_tokens: args.report_tokens.map(|tokens| tokens.to_string()),
        dry_run: args.dry_run,
        json: args.json,
        quiet: args.quiet,
        verbose: false,
        no_cache: args.no_cache,
        known: KnownArgs::default(),
        config: ConfigArgs { config: args.config.config.clone(), set: args.config.set.clone() },
    }
}
