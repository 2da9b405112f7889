//! `precis research`: from a question alone to a report, over folders.
//!
//! The folders are indexed or brought up to date, searched in rounds, and what was chosen is read as `precis run` reads what it is
//! given. Nothing is asked of any server but what `--url` names.

use std::path::PathBuf;

use clap::ValueHint;
use precis_corpus::Corpus;
use precis_distill::research::{DEFAULT_SOURCES, Depth, Limits, analyse, investigate, plan};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::corpus::cache;
use crate::cli::{ConfigArgs, RunArgs};
use crate::corpus::{bring_up_to_date, failed, place_of};
use crate::exit::{Exit, Failure};
use crate::follow::Followed;
use crate::input::{QueryFrom, read_query};
use crate::known::KnownArgs;
use crate::progress::{Mode, Progress};
use crate::research::{Folders, Found};
use crate::terminal;

/// Most documents that a research reads, most rounds and most searches.
const MOST: u32 = 5_000;

/// How far research goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DepthArg {
    /// One round
    Quick,
    /// A few rounds
    #[default]
    Standard,
    /// As many as help
    Deep,
}

/// Arguments of `precis research`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis research \"Which proposal does PEP 544 build on?\" --corpus peps/
  precis research --query \"Who pays for delays?\" --corpus contracts/ --corpus mail/ --depth deep --out who-pays
  precis research \"Compare the ferry and the tunnel\" --corpus plans/ --plan-only

Needs no model, no key and no network. `precis corpus status DIR` shows the index that it makes of a folder.")]
pub struct ResearchArgs {
    /// The question; `-` reads it from standard input
    #[arg(value_name = "QUESTION", allow_hyphen_values = true, conflicts_with = "query")]
    pub question: Option<String>,
    /// The question, as a flag
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    pub query: Option<String>,
    /// A folder to search; may be given more than once
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    pub corpus: Vec<PathBuf>,
    /// Documents that are read in any case
    #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// Pages that are read in any case
    #[arg(long, value_name = "URL", num_args = 1..)]
    pub url: Vec<String>,
    /// How far to go
    #[arg(long, value_enum, default_value_t)]
    pub depth: DepthArg,
    /// Print the plan as JSON and search nothing
    #[arg(long)]
    pub plan_only: bool,
    /// Documents that are found and read, at most
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SOURCES, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    pub max_sources: u32,
    /// Searches, at most [default: by depth and question]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    pub max_searches: Option<u32>,
    /// Rounds, at most [default: by depth]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    pub max_rounds: Option<u32>,
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

fn attempt(args: &ResearchArgs) -> Result<Exit, Failure> {
    let asked = args.query.as_ref().or(args.question.as_ref());
    let asked = asked.ok_or_else(|| {
        Failure::new(Exit::Usage, "invalid_usage", "no question is given")
            .with_remedy("precis research \"Who pays?\" --corpus contracts/")
    })?;
    let query = read_query(&QueryFrom::Text(asked.clone()))?;
    let plan = plan(&analyse(&query));
    if args.plan_only {
        let shown = json!({ "brief": plan.brief, "plan": plan.sub_questions });
        terminal::print(&terminal::json_safe(&format!("{shown:#}\n")))?;
        return Ok(Exit::Ok);
    }
    let mut folders = folders(args)?;
    let limits = Limits::of_depth(depth(args.depth));
    let limits = Limits {
        sources: args.max_sources,
        searches: args.max_searches.unwrap_or(limits.searches),
        rounds: args.max_rounds.unwrap_or(limits.rounds),
    };
    let found = investigate(plan, depth(args.depth), Some(limits), &mut folders);
    let chosen = found.chosen.clone();
    let found = Found::new(found.into_research(), &chosen, &folders);
    let files: Vec<PathBuf> = chosen.iter().filter_map(|one| folders.file(&one.document)).collect();
    if files.is_empty() && args.docs.is_empty() && args.url.is_empty() {
        let looked = found.research.budget.searches[0];
        let message =
            format!("nothing was found: {looked} searches, and no word of the question stands in the folders");
        return Err(Failure::new(Exit::Failed, "nothing_found", message)
            .with_remedy("ask in words that the documents use, or name another folder with --corpus"));
    }
    Ok(super::run::run_after(&run_args(args, query, files), Followed::found(found)))
}

/// The folders, each indexed as it is now.
fn folders(args: &ResearchArgs) -> Result<Folders, Failure> {
    let (settings, cache) = cache(&args.config)?;
    let cancel = CancellationToken::new();
    let mut opened = Vec::new();
    for dir in &args.corpus {
        let place = place_of(&cache, dir)?;
        let progress = std::cell::RefCell::new(Progress::new(Mode::choose(args.quiet)));
        let show = |done, total| progress.borrow_mut().count("reading", done, total);
        let indexed = super::block_on(bring_up_to_date(&place, &settings, &cancel, show));
        progress.borrow_mut().clear();
        if let Some(reason) = indexed?.rebuilt.filter(|_| !args.quiet) {
            terminal::print_warning(&format!("the index was made anew: {reason}"));
        }
        let corpus = Corpus::open(&place).map_err(|e| failed(&e, &place))?;
        opened.push((place, corpus));
    }
    Ok(Folders::new(opened))
}

fn depth(depth: DepthArg) -> Depth {
    match depth {
        DepthArg::Quick => Depth::Quick,
        DepthArg::Standard => Depth::Standard,
        DepthArg::Deep => Depth::Deep,
    }
}

/// The run that reads what was chosen, behind what was given.
fn run_args(args: &ResearchArgs, query: String, files: Vec<PathBuf>) -> RunArgs {
    RunArgs {
        question: None,
        paths: Vec::new(),
        query: Some(query),
        query_file: None,
        docs: args.docs.iter().cloned().chain(files).collect(),
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
