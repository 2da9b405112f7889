//! `precis refresh`: a finished report made again on its question and its plan, and what has changed since.
//!
//! It is a run like others: what is unchanged comes out of the cache and costs nothing. A report says neither where its files lay nor
//! whom it may ask, so both are named anew; the addresses it was given stand in it.

use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_distill::research::DEFAULT_SOURCES;
use precis_distill::research::refinement::SOURCES_EACH;
use precis_proto::research::{Plan, Research};
use precis_proto::response::ReportData;

use super::earlier_report::{self, EarlierReport};
use super::lane_args::LaneArgs;
use super::limit_args::{DepthArg, LimitArgs};
use super::research::{self, ResearchArgs};
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::input::follow_up::FollowUpInputs;
use crate::report::directory::unused;

/// Arguments of `precis refresh`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis refresh precis-out papers/
  precis refresh precis-out --corpus contracts/ --out this-week
  precis refresh precis-out --web searxng --json | jq '.statements[] | select(.change == \"changed\")'

The question, the plan of a research and the addresses of pages are those of the report. changes.md and changes.json beside the new report
say, statement by statement, what is new, gone, changed or disputed since, with both quotes. The earlier report stays as it is.")]
pub struct RefreshArgs {
    /// The report's directory or its report.json
    #[arg(value_name = "REPORT", value_hint = ValueHint::AnyPath)]
    pub report: PathBuf,
    /// The documents and folders of them as they are now
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// Where the research may look.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// Directory for the new report [default: precis-refresh, or the first of precis-refresh-2, -3, … that is not there yet]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Write into a directory that holds other files too
    #[arg(long, requires = "out")]
    pub force: bool,
    /// The model for every role, as NAME:MODEL
    #[arg(long, value_name = "NAME:MODEL")]
    pub provider: Option<String>,
    /// Print what has changed as JSON, and nothing else on standard output
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Neither use nor keep answers of other runs
    #[arg(long)]
    pub no_cache: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Makes the report again.
#[must_use]
pub fn run(args: &RefreshArgs) -> Exit {
    match attempt(args) {
        Ok(exit) => exit,
        Err(failure) => super::extract::refuse(&failure, args.json),
    }
}

fn attempt(args: &RefreshArgs) -> Result<Exit, CommandFailure> {
    let earlier = read(&args.report)?;
    let searches = !args.lanes.is_empty();
    check(&earlier, searches, !args.docs.is_empty())?;
    let again = again(args, &earlier);
    let follows = match searches {
        true => research::followed(&again, earlier.research.as_ref().map(plan_of))?,
        false => FollowUpInputs::default(),
    };
    let run_args = research::run_args(&again, earlier.query.clone());
    Ok(super::run::run_after(&run_args, FollowUpInputs { earlier: Some(Box::new(earlier)), ..follows }))
}

/// The report at `place`, its directory or its file.
fn read(place: &Path) -> Result<ReportData, CommandFailure> {
    let earlier = EarlierReport::read(place)?;
    if earlier.data.claims.is_empty() && !earlier.data.citations.is_empty() {
        let message = format!("{} is of an older version, whose statements are not listed", earlier.shown());
        let remedy = "run its question anew; later refreshes compare with that report";
        return Err(earlier_report::refused(message).with_remedy(remedy));
    }
    Ok(earlier.data)
}

/// Whether what the report was made of is named, as far as the report does not name it itself.
fn check(earlier: &ReportData, searches: bool, has_docs: bool) -> Result<(), CommandFailure> {
    let files = earlier.sources.iter().filter(|row| row.found_by.is_empty() && row.url.is_none()).count();
    if earlier.research.is_some() && !searches {
        return Err(CommandFailure::new(
            Exit::Usage,
            "nothing_to_search",
            "the report was researched, and nothing is named that may be searched",
        )
        .with_remedy("name it again: --corpus DIR, --web NAME or --academic NAME"));
    }
    if files > 0 && !has_docs && !searches {
        let message = format!("the report was made of {files} files, and does not say where they lie");
        return Err(
            CommandFailure::new(Exit::Usage, "no_documents", message).with_remedy("precis refresh REPORT FOLDER")
        );
    }
    Ok(())
}

/// The research that made the report, as it would be typed.
fn again(args: &RefreshArgs, earlier: &ReportData) -> ResearchArgs {
    let given = earlier.sources.iter().filter(|row| row.found_by.is_empty());
    let limit = |of: fn(&Research) -> u32| earlier.research.as_ref().map(of).filter(|limit| *limit > 0);
    let refined = earlier.research.as_ref().and_then(|research| research.refinement.as_ref());
    let refined = refined.map_or(0, |refinement| refinement.iterations.len() as u32);
    ResearchArgs {
        question: None,
        query: Some(earlier.query.clone()),
        lanes: args.lanes.clone(),
        docs: args.docs.clone(),
        url: given.filter_map(|row| row.url.clone()).collect(),
        limits: LimitArgs {
            depth: Some(DepthArg::Deep),
            // What is usual is not asked for: iterations may read more than that.
            max_sources: limit(|research| research.budget.sources[1])
                .filter(|read| *read != DEFAULT_SOURCES + SOURCES_EACH * refined),
            max_searches: limit(|research| research.budget.searches[1]),
            max_rounds: limit(|research| research.budget.rounds[1]).map(|rounds| rounds.saturating_sub(refined).max(1)),
            max_refinements: Some(refined),
            deadline: None,
        },
        plan_only: false,
        plan: None,
        out: args.out.clone().unwrap_or_else(|| unused(Path::new("precis-refresh"))),
        force: args.force,
        json: args.json,
        quiet: args.quiet,
        no_cache: args.no_cache,
        provider: args.provider.clone(),
        config: ConfigArgs { config: args.config.config.clone(), set: args.config.set.clone() },
    }
}

fn plan_of(research: &Research) -> Plan {
    Plan { brief: research.brief.clone(), sub_questions: research.plan.clone() }
}
