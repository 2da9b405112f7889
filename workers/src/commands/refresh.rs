//! `precis refresh`: runs the question and plan of a finished report again and lists what has changed since.
//!
//! It is an ordinary run: unchanged documents are answered from the cache and cost nothing. A report records the addresses it was given,
//! but neither the paths of its files nor its search providers, so these have to be passed again.

use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_proto::research::{Plan, Research};
use precis_proto::response::ReportData;
use precis_research::DEFAULT_SOURCES;
use precis_research::refinement::SOURCES_EACH;

use super::disclosure::{EarlierLabel, PublicQueryArg};
use super::earlier_report::{self, EarlierReport};
use super::lane_args::LaneArgs;
use super::limit_args::{DepthArg, LimitArgs};
use super::local_session::LocalSession;
use super::research::{self, SearchArgs};
use super::run::{run_after, settings_of};
use super::session_args::SessionArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::input::QueryFrom;
use crate::report::directory::unused_dir;
use crate::report::follow_up::FollowUpInputs;

/// Arguments of `precis refresh`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis refresh precis-out papers/
  precis refresh precis-out --corpus contracts/ --out this-week
  precis refresh precis-out --web searxng --json | jq '.statements[] | select(.change == \"changed\")'

The question, the research plan and the page addresses are taken from the report. changes.md and changes.json next to the new report list,
statement by statement, what is new, gone, changed or disputed since, with both quotes. The earlier report is not changed.")]
pub struct RefreshArgs {
    /// The directory of the report or its report.json
    #[arg(value_name = "REPORT", value_hint = ValueHint::AnyPath)]
    pub report: PathBuf,
    /// The documents, or folders of documents, as they are now
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// Where to search.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// What may be disclosed.
    #[command(flatten)]
    pub disclosure: PublicQueryArg,
    /// Directory for the new report [default: precis-refresh, or the first of precis-refresh-2, -3, … that does not exist yet]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Write into a directory that contains other files
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Its model, what is printed, and where settings come from.
    #[command(flatten)]
    pub how: SessionArgs,
}

/// Runs the report again.
#[must_use]
pub fn run(args: &RefreshArgs) -> Exit {
    match attempt(args) {
        Ok(exit) => exit,
        Err(failure) => super::extract::refuse(&failure, args.how.json),
    }
}

fn attempt(args: &RefreshArgs) -> Result<Exit, CommandFailure> {
    let (earlier, label) = read(&args.report)?;
    let searches = !args.lanes.is_empty();
    check(&earlier, searches, !args.docs.is_empty())?;
    let names_files = !args.docs.is_empty() || !args.lanes.corpus.is_empty();
    let lanes = label.inherit_lanes(&args.lanes, args.disclosure, names_files, args.how.quiet);
    let privacy = label.passed_on(&lanes);
    let session = session(args, &earlier);
    let loaded = match settings_of(&session) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let follows = match searches {
        true => {
            let search = SearchArgs { lanes: &lanes, limits: &limits(&earlier), quiet: args.how.quiet };
            research::follow_up_inputs(search, &loaded, earlier.research.as_ref().map(plan_of))?
        }
        false => FollowUpInputs::default(),
    };
    Ok(run_after(&session, loaded, FollowUpInputs { earlier: Some(Box::new(earlier)), privacy, ..follows }))
}

/// Reads the report at `place`, its directory or its file, and its label.
fn read(place: &Path) -> Result<(ReportData, EarlierLabel), CommandFailure> {
    let earlier = EarlierReport::read(place)?;
    if earlier.data.claims.is_empty() && !earlier.data.citations.is_empty() {
        let message =
            format!("{} was written by an older version, which did not list its statements", earlier.display_path());
        let remedy = "run its question again with `precis run`, and refresh that report later";
        return Err(earlier_report::refused_report(message).with_remedy(remedy));
    }
    Ok((earlier.data, earlier.label))
}

/// Checks that the files and search lanes that the report does not record are given.
fn check(earlier: &ReportData, searches: bool, has_docs: bool) -> Result<(), CommandFailure> {
    let files = earlier.sources.iter().filter(|row| row.found_by.is_empty() && row.url.is_none()).count();
    if earlier.research.is_some() && !searches {
        return Err(CommandFailure::new(
            Exit::Usage,
            "nothing_to_search",
            "the report comes from a research, and no folder or search provider is given",
        )
        .with_remedy("pass them again: --corpus DIR, --web NAME or --academic NAME"));
    }
    if files > 0 && !has_docs && !searches {
        let message = format!("the report was made from {files} files and does not record where they are");
        return Err(CommandFailure::new(Exit::Usage, "no_documents", message)
            .with_remedy("pass the files or their folder: precis refresh REPORT FOLDER"));
    }
    Ok(())
}

/// Returns the session that asks the question of the report again, on the addresses that it was given and the documents given now.
fn session(args: &RefreshArgs, earlier: &ReportData) -> LocalSession {
    let given = earlier.sources.iter().filter(|row| row.found_by.is_empty());
    let out = args.out.clone().unwrap_or_else(|| unused_dir(Path::new("precis-refresh")));
    LocalSession {
        docs: args.docs.clone(),
        url: given.filter_map(|row| row.url.clone()).collect(),
        force: args.force,
        ..LocalSession::new(QueryFrom::Text(earlier.query.clone()), out, &args.how)
    }
}

/// Returns the limits of the research that made the report.
fn limits(earlier: &ReportData) -> LimitArgs {
    let limit = |of: fn(&Research) -> u32| earlier.research.as_ref().map(of).filter(|limit| *limit > 0);
    let refined = earlier.research.as_ref().and_then(|research| research.refinement.as_ref());
    let refined = refined.map_or(0, |refinement| refinement.iterations.len() as u32);
    LimitArgs {
        depth: Some(DepthArg::Deep),
        // A limit equal to the default is not passed on: as an explicit limit it would also bind later iterations.
        max_sources: limit(|research| research.budget.sources[1])
            .filter(|read| *read != DEFAULT_SOURCES + SOURCES_EACH * refined),
        max_searches: limit(|research| research.budget.searches[1]),
        max_rounds: limit(|research| research.budget.rounds[1]),
        max_refinements: Some(refined),
        deadline: None,
    }
}

/// Returns the plan that made a report.
pub(super) fn plan_of(research: &Research) -> Plan {
    Plan { brief: research.brief.clone(), sub_questions: research.plan.clone() }
}
