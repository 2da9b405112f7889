//! `precis ask`: a further question on a finished session, in this process or to a fleet.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use clap::ValueHint;
use precis_proto::request::{REPORT_TOKENS, RequestSource, ResearchRequest};
use precis_proto::research::{CorpusRef, ResearchOptions};
use precis_proto::response::ReportData;
use precis_proto::source::Quality;
use tokio_util::sync::CancellationToken;

use super::earlier_report::EarlierReport;
use super::lane_args::LaneArgs;
use super::limit_args::LimitArgs;
use super::research::{self, SearchArgs};
use super::submit::{self, SubmitOptions};
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::run::RunArgs;
use crate::fleet::Caller;
use crate::input::attributes::KnownArgs;
use crate::input::follow_up::{self, FollowUpInputs};
use crate::input::{check_url, collect, read_project};
use crate::report::directory::unused;

/// Arguments of `precis ask`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis ask precis-out \"And who pays for delays?\"
  precis ask precis-out \"What changed since?\" --docs amendment.pdf --out amended
  precis ask precis-out \"And who pays?\" --research --corpus contracts/
  precis ask s-0f3a \"Who signs?\" --project brief.md          # a session of a fleet

The earlier question, its answer and the quotes it stood on go with the question; the earlier documents are read again
from the archive. All of it is fitted to the model's window: the oldest turns are left out first.

With --research, or where a folder or provider is named, the question is searched too. What was read before is not read again and takes
nothing of the limits. A question such as \"And who pays?\" is searched with words of the one before; a search provider is told words of your
questions and of what it found itself, never of answers, documents or folders.")]
pub struct AskArgs {
    /// The report's directory or its report.json, or the id of a fleet's session
    #[arg(value_name = "SESSION", value_hint = ValueHint::AnyPath)]
    pub session: String,
    /// The question
    #[arg(value_name = "QUESTION")]
    pub question: String,
    /// Further documents and folders of them
    #[arg(long, short, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// A further page to fetch
    #[arg(long, value_name = "URL", num_args = 1.., value_hint = ValueHint::Url)]
    pub url: Vec<String>,
    /// Read the documents given here only, not the earlier ones
    #[arg(long)]
    pub only_new: bool,
    /// Search for what was not read yet; needs --corpus, --web or --academic, each of which means it too
    #[arg(long)]
    pub research: bool,
    /// Where it may look; a fleet's folders are named as `precis corpus publish` names them.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// How far to go.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// A text file with background that holds for the whole project
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub project: Option<PathBuf>,
    /// Directory for the report [default: precis-answer, or the first of precis-answer-2, -3, … that is not there yet]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Write into a directory that holds other files too
    #[arg(long, requires = "out")]
    pub force: bool,
    /// The model for every role, as NAME:MODEL; a fleet's workers have their own
    #[arg(long, value_name = "NAME:MODEL")]
    pub provider: Option<String>,
    /// Tokens the report aims for at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(REPORT_TOKENS))]
    pub report_tokens: Option<u64>,
    /// Print the response envelope on standard output, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print what each phase put into its model calls, in tokens per prompt layer
    #[arg(long, short)]
    pub verbose: bool,
    /// Neither use nor keep answers of other runs
    #[arg(long)]
    pub no_cache: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Asks; ends as the session does.
#[must_use]
pub fn run(args: &AskArgs) -> Exit {
    let project = match check_lanes(args).and_then(|()| read_project(args.project.as_deref())) {
        Ok(project) => project,
        Err(failure) => return super::finish(Err(failure)),
    };
    match Path::new(&args.session) {
        report if report.exists() => match here(args, report, project) {
            Ok(followed) => super::run::run_after(&run_args(args), followed),
            Err(failure) => super::finish(Err(failure)),
        },
        _ => super::finish_as(there(args, project)),
    }
}

/// Whether the question is searched.
fn searches(args: &AskArgs) -> bool {
    args.research || !args.lanes.is_empty()
}

/// A research knows where to look, and limits without one are a mistake.
fn check_lanes(args: &AskArgs) -> Result<(), CommandFailure> {
    let limits = LimitArgs { deadline: None, ..args.limits.clone() };
    match args.lanes.is_empty() {
        true if args.research => {
            Err(research::nothing_to_search("--research is given, and nothing is named that may be searched"))
        }
        true if limits.is_given() || args.lanes.narrows() => Err(research::nothing_to_search(
            "limits of a research are given, and nothing is named that may be searched",
        )),
        _ => Ok(()),
    }
}

/// What a report in this file system leaves to follow on.
fn here(args: &AskArgs, place: &Path, project: String) -> Result<FollowUpInputs, CommandFailure> {
    let earlier = EarlierReport::read(place)?;
    let archive = (!args.only_new).then(|| earlier.archive("ask with --only-new and the documents")).transpose()?;
    let mut followed = FollowUpInputs::from_report(&earlier.data, archive.as_ref(), project);
    followed.options.deadline_seconds = args.limits.deadline;
    if searches(args) {
        let search = SearchArgs { lanes: &args.lanes, limits: &args.limits, config: &args.config, quiet: args.quiet };
        let (options, shelves) = research::searching(search, None)?;
        return Ok(followed.searching(options, shelves, args.limits.deadline));
    }
    if followed.sources.is_empty() && args.docs.is_empty() && args.url.is_empty() {
        return Err(nothing_to_read());
    }
    Ok(followed)
}

fn nothing_to_read() -> CommandFailure {
    let message = "there is no document to read: the archive holds none of the earlier ones";
    CommandFailure::new(Exit::Refused, "no_readable_source", message).with_remedy("give documents with --docs")
}

/// Where the answer goes: a second one does not replace the first.
fn out(args: &AskArgs) -> PathBuf {
    args.out.clone().unwrap_or_else(|| unused(Path::new("precis-answer")))
}

fn run_args(args: &AskArgs) -> RunArgs {
    RunArgs {
        question: None,
        paths: Vec::new(),
        query: Some(args.question.clone()),
        query_file: None,
        docs: args.docs.clone(),
        url: args.url.clone(),
        out: out(args),
        force: args.force,
        provider: args.provider.clone(),
        report_tokens: args.report_tokens.map(|n| n.to_string()),
        json: args.json,
        quiet: args.quiet,
        verbose: args.verbose,
        project: None,
        no_cache: args.no_cache,
        known: KnownArgs::default(),
        config: ConfigArgs { config: args.config.config.clone(), set: args.config.set.clone() },
    }
}

/// Asks a fleet, and waits for its answer.
fn there(args: &AskArgs, project: String) -> Result<Exit, CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    let session = super::session_id(&args.session)?;
    if settings.services.content_url.is_none() {
        let message = format!(
            "there is no report at `{session}`, and no fleet is configured that could know a session of this id"
        );
        let failure = CommandFailure::new(Exit::Refused, "unknown_session", message);
        return Err(
            failure.with_remedy("name the directory of a report, such as precis-out; for a fleet, set content_url")
        );
    }
    args.url.iter().try_for_each(|url| check_url(url))?;
    super::block_on(async {
        let caller = super::caller(&settings, "ask").await?;
        let failed = |e| super::fleet_failed(&format!("read the result of {session}"), &e);
        let unknown = || {
            let message = format!("no report lies at {session}, and the fleet has no result of a session of that id");
            CommandFailure::new(Exit::Refused, "unknown_session", message)
        };
        let earlier = caller.result(&session).await.map_err(failed)?.ok_or_else(unknown)?;
        let data = earlier.data.ok_or_else(unknown)?;
        let request = request(args, &data, project, &caller, settings.extraction.max_bytes).await?;
        let (out, force) = (out(args), args.force);
        let manner = SubmitOptions {
            wait: true,
            out: Some(&out),
            force,
            json: args.json,
            quiet: args.quiet,
            ..SubmitOptions::default()
        };
        submit::carry_through(&caller, &request, &manner).await
    })
}

async fn request(
    args: &AskArgs,
    data: &ReportData,
    project: String,
    caller: &Caller,
    max_bytes: u64,
) -> Result<ResearchRequest, CommandFailure> {
    let mut sources = Vec::new();
    if !args.docs.is_empty() || !args.url.is_empty() {
        let collected = collect(&args.docs, &args.url, max_bytes, None, &CancellationToken::new())?;
        for input in &collected.sources {
            sources.push(submit::source(input.clone(), &caller.content).await?);
        }
    }
    if !args.only_new {
        read_before(data, caller, &mut sources).await;
    }
    if sources.is_empty() && !searches(args) {
        return Err(nothing_to_read());
    }
    let mut options = follow_up::options(data, project);
    options.report_tokens = args.report_tokens;
    options.deadline_seconds = args.limits.deadline;
    if searches(args) {
        let corpus = args.lanes.corpus.iter().map(|name| published(name)).collect::<Result<_, _>>()?;
        options.research = Some(ResearchOptions { corpus, ..research::options(&args.lanes, &args.limits) });
    }
    let session_id = submit::new_session_id();
    let query = args.question.clone();
    Ok(ResearchRequest { schema_version: options.request_version(), session_id, query, sources, options })
}

/// A corpus of a fleet.
fn published(name: &Path) -> Result<CorpusRef, CommandFailure> {
    let manifest = name.to_str().and_then(|name| name.parse().ok()).ok_or_else(|| {
        let message = format!("{} names no corpus that a fleet could search", name.display());
        CommandFailure::new(Exit::Usage, "invalid_usage", message)
            .with_remedy("give the hash that `precis corpus publish DIR` prints")
    })?;
    Ok(CorpusRef { manifest, proof: None })
}

/// The documents of the earlier session whose texts the content store still has; put again, so that they stay.
async fn read_before(data: &ReportData, caller: &Caller, sources: &mut Vec<RequestSource>) {
    for (row, content) in follow_up::readable(data) {
        if sources.iter().any(|given| given.source_id == row.source_id) {
            continue;
        }
        let kept = match caller.content.get(&content).await {
            Ok(bytes) => caller.content.put(Bytes::clone(&bytes)).await,
            Err(error) => Err(error),
        };
        if let Err(error) = kept {
            crate::cli::terminal::print_warning(&format!("{} is left out: {error}", row.source_id));
            continue;
        }
        sources.push(RequestSource {
            source_id: row.source_id.clone(),
            title: row.title.clone(),
            url: row.url.clone(),
            pdf_url: None,
            snippet: None,
            content: None,
            content_base64: None,
            content_ref: Some(content),
            content_proof: None,
            content_type: Some(precis_distill::extract::CANONICAL_TYPE.to_owned()),
            quality: Quality::default(),
            published_at: None,
            protected: false,
        });
    }
}
