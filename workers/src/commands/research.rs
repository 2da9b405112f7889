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
use precis_runtime::config::LoadedSettings;
use precis_runtime::files::{FileLimits, Links, read_regular};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::corpus::place::cache_dir;
use super::lane_args::LaneArgs;
use super::limit_args::LimitArgs;
use super::local_session::LocalSession;
use super::run::{run_after, settings_of};
use super::session_args::SessionArgs;
use crate::assembly::search_providers::provider;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::progress::{Progress, ProgressMode};
use crate::cli::terminal;
use crate::commands::corpus::indexing::{bring_up_to_date, corpus_failure, place_of};
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
    /// Its model, what is printed, and where settings come from.
    #[command(flatten)]
    pub how: SessionArgs,
}

/// Researches a question.
#[must_use]
pub fn run(args: &ResearchArgs) -> Exit {
    match attempt(args) {
        Ok(exit) => exit,
        Err(failure) => super::extract::refuse(&failure, args.how.json),
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
    let plan = args.plan.as_deref().map(read_plan).transpose()?;
    let session = LocalSession {
        docs: args.docs.clone(),
        url: args.url.clone(),
        force: args.force,
        report_tokens: args.report_tokens.map(|tokens| tokens.to_string()),
        dry_run: args.dry_run,
        ..LocalSession::new(QueryFrom::Text(query), args.out.clone(), &args.how)
    };
    let loaded = match settings_of(&session) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let follows = follow_up_inputs(
        SearchArgs { lanes: &args.lanes, limits: &args.limits, quiet: args.how.quiet },
        &loaded,
        plan,
    )?;
    Ok(run_after(&session, loaded, follows))
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
    /// Whether to print only errors.
    pub(super) quiet: bool,
}

/// Returns the research options and the indexed folders of a run; `plan` replaces the automatic plan.
///
/// # Errors
/// [`CommandFailure`] if a provider is not set up or a folder cannot be indexed.
pub(super) fn searching(
    args: SearchArgs<'_>,
    loaded: &LoadedSettings,
    plan: Option<Plan>,
) -> Result<(ResearchOptions, Vec<Shelf>), CommandFailure> {
    args.lanes.check_counts()?;
    // Every named provider must be set up before any folder is indexed.
    args.lanes.providers().try_for_each(|name| provider(&loaded.settings, name).map(drop))?;
    let shelves = shelves(args, loaded)?;
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
pub(super) fn follow_up_inputs(
    args: SearchArgs<'_>,
    loaded: &LoadedSettings,
    plan: Option<Plan>,
) -> Result<FollowUpInputs, CommandFailure> {
    let (options, shelves) = searching(args, loaded, plan)?;
    let inputs = FollowUpInputs { privacy: args.lanes.privacy(), ..FollowUpInputs::default() };
    Ok(inputs.searching(options, shelves, args.limits.deadline))
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
fn shelves(args: SearchArgs<'_>, loaded: &LoadedSettings) -> Result<Vec<Shelf>, CommandFailure> {
    let cache = cache_dir(loaded)?;
    let cancel = CancellationToken::new();
    let mut opened = Vec::new();
    for dir in &args.lanes.corpus {
        let place = place_of(&cache, dir)?;
        let progress = std::cell::RefCell::new(Progress::new(ProgressMode::choose(args.quiet)));
        let show = |step, done, total| progress.borrow_mut().count(step, done, total);
        let indexed = super::block_on(bring_up_to_date(&place, (&loaded.settings, None), &cancel, show));
        progress.borrow_mut().clear();
        if let Some(reason) = indexed?.rebuilt.filter(|_| !args.quiet) {
            terminal::print_warning(&format!("the index was rebuilt: {reason}"));
        }
        let corpus = Corpus::open(&place).map_err(|e| corpus_failure(&e, &place))?;
        opened.push(Shelf::new(place.folder(), corpus));
    }
    Ok(opened)
}
