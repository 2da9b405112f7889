//! `precis ask`: a follow-up question on a finished session, answered in this process or by a fleet.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use clap::ValueHint;
use precis_proto::request::{REPORT_TOKENS, RequestSource, ResearchRequest};
use precis_proto::research::{CorpusRef, ResearchOptions};
use precis_proto::response::ReportData;
use precis_proto::source::Quality;
use tokio_util::sync::CancellationToken;

use super::disclosure::{EarlierLabel, PublicQueryArg};
use super::earlier_report::EarlierReport;
use super::lane_args::LaneArgs;
use super::limit_args::LimitArgs;
use super::research::{self, SearchArgs};
use super::submit::{self, SubmitOptions};
use super::upload::{Uploads, named};
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::run::RunArgs;
use crate::fleet::Caller;
use crate::input::attributes::KnownArgs;
use crate::input::{CollectedInputs, check_url, collect, read_project};
use crate::report::directory::unused;
use crate::report::follow_up::{self, FollowUpInputs};

/// Arguments of `precis ask`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis ask precis-out \"And who pays for delays?\"
  precis ask precis-out \"What changed since?\" --docs amendment.pdf --out amended
  precis ask precis-out \"And who pays?\" --research --corpus contracts/
  precis ask s-0f3a \"Who signs?\" --project brief.md          # a session of a fleet

The model also gets the earlier question, its answer and the quotes behind it; the earlier documents are read again from
the archive. If all of this does not fit into the model's context window, the oldest turns are left out first.

With --research, or with a folder or search provider, new documents are searched for as well. Documents that were already read are not
fetched again and do not count towards the limits. A question such as \"And who pays?\" is searched together with words of the previous
question. A search provider receives words of your questions and of its own results, never of answers, documents or folders.")]
pub struct AskArgs {
    /// The directory of the report or its report.json, or the id of a session of a fleet
    #[arg(value_name = "SESSION", value_hint = ValueHint::AnyPath)]
    pub session: String,
    /// The question
    #[arg(value_name = "QUESTION")]
    pub question: String,
    /// Additional documents, or folders of documents
    #[arg(long, short, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// An additional page to fetch
    #[arg(long, value_name = "URL", num_args = 1.., value_hint = ValueHint::Url)]
    pub url: Vec<String>,
    /// Read only the documents given here, not the earlier ones
    #[arg(long)]
    pub only_new: bool,
    /// Search for new documents; needs --corpus, --web or --academic, each of which implies it
    #[arg(long)]
    pub research: bool,
    /// Where to search; for a fleet, --corpus takes the hash that `precis corpus publish` prints.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// What may be disclosed.
    #[command(flatten)]
    pub disclosure: PublicQueryArg,
    /// Depth and limits of the search.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// A text file with background that applies to the whole project
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub project: Option<PathBuf>,
    /// Directory for the report [default: precis-answer, or the first of precis-answer-2, -3, … that does not exist yet]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Write into a directory that contains other files
    #[arg(long, requires = "out")]
    pub force: bool,
    /// The model for every role, as NAME:MODEL; the workers of a fleet use their own configuration
    #[arg(long, value_name = "NAME:MODEL")]
    pub provider: Option<String>,
    /// Target length of the report, in tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(REPORT_TOKENS))]
    pub report_tokens: Option<u64>,
    /// Print only the response envelope on standard output, as JSON
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print how many tokens each phase sent to its models, per prompt layer
    #[arg(long, short)]
    pub verbose: bool,
    /// Do not use or store cached model answers
    #[arg(long)]
    pub no_cache: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Asks the question; returns the exit code of the session.
#[must_use]
pub fn run(args: &AskArgs) -> Exit {
    let project = match check_lanes(args).and_then(|()| read_project(args.project.as_deref())) {
        Ok(project) => project,
        Err(failure) => return super::finish(Err(failure)),
    };
    match Path::new(&args.session) {
        report if report.exists() => match from_report(args, report, project) {
            Ok(followed) => super::run::run_after(&run_args(args), followed),
            Err(failure) => super::finish(Err(failure)),
        },
        _ => super::finish_as(ask_fleet(args, project)),
    }
}

/// Returns whether new documents are searched for.
fn searches(args: &AskArgs) -> bool {
    args.research || !args.lanes.is_empty()
}

/// Refuses `--research` without a place to search, and search limits without a search.
fn check_lanes(args: &AskArgs) -> Result<(), CommandFailure> {
    let limits = LimitArgs { deadline: None, ..args.limits.clone() };
    match args.lanes.is_empty() {
        true if args.research => {
            Err(research::nothing_to_search("--research needs a folder or a search provider to search"))
        }
        true if limits.is_given() || args.lanes.narrows() => {
            Err(research::nothing_to_search("search limits are given, but no folder or search provider to search"))
        }
        _ => Ok(()),
    }
}

/// Reads the inputs of a follow-up from a report on this machine.
fn from_report(args: &AskArgs, place: &Path, project: String) -> Result<FollowUpInputs, CommandFailure> {
    let earlier = EarlierReport::read(place)?;
    let archive = (!args.only_new).then(|| earlier.archive("ask with --only-new and the documents")).transpose()?;
    let mut followed = FollowUpInputs::from_report(&earlier.data, archive.as_ref(), project);
    followed.options.deadline_seconds = args.limits.deadline;
    let lanes = inherited(args, &earlier.label);
    followed.privacy = earlier.label.passed_on(&lanes);
    if searches(args) {
        let search = SearchArgs { lanes: &lanes, limits: &args.limits, config: &args.config, quiet: args.quiet };
        let (options, shelves) = research::searching(search, None)?;
        return Ok(followed.searching(options, shelves, args.limits.deadline));
    }
    if followed.sources.is_empty() && args.docs.is_empty() && args.url.is_empty() {
        return Err(nothing_to_read());
    }
    Ok(followed)
}

/// Returns where to search, with what is inherited from the earlier report.
fn inherited(args: &AskArgs, label: &EarlierLabel) -> LaneArgs {
    let adds_files = !args.docs.is_empty() || !args.lanes.corpus.is_empty();
    label.inherited(&args.lanes, args.disclosure, adds_files, args.quiet)
}

fn nothing_to_read() -> CommandFailure {
    let message = "there is no document to read: the archive contains none of the earlier documents";
    CommandFailure::new(Exit::Refused, "no_readable_source", message).with_remedy("pass documents with --docs")
}

/// Returns the output directory; without `--out` an unused one, so that a second answer does not replace the first.
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
        dry_run: false,
        json: args.json,
        quiet: args.quiet,
        verbose: args.verbose,
        project: None,
        no_cache: args.no_cache,
        known: KnownArgs::default(),
        config: ConfigArgs { config: args.config.config.clone(), set: args.config.set.clone() },
    }
}

/// Submits the question to a fleet and waits for the answer.
fn ask_fleet(args: &AskArgs, project: String) -> Result<Exit, CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    let session = super::session_id(&args.session)?;
    if settings.services.content_url.is_none() {
        let message =
            format!("there is no report at `{session}`, and no fleet is configured to look up a session with this id");
        let failure = CommandFailure::new(Exit::Refused, "unknown_session", message);
        return Err(
            failure.with_remedy("pass the directory of a report, such as precis-out; for a fleet, set content_url")
        );
    }
    args.url.iter().try_for_each(|url| check_url(url))?;
    super::block_on(async {
        let caller = super::caller(&settings, "ask").await?;
        let failed = |e| super::fleet_failed(&format!("read the result of {session}"), &e);
        let unknown = || {
            let message =
                format!("there is no report at `{session}`, and the fleet has no result for a session with this id");
            CommandFailure::new(Exit::Refused, "unknown_session", message)
        };
        let earlier = caller.result(&session).await.map_err(failed)?.ok_or_else(unknown)?;
        let data = earlier.data.ok_or_else(unknown)?;
        let label = EarlierLabel::of_session(&session, &data);
        let lanes = inherited(args, &label);
        let (request, uploads) =
            request((args, &lanes), &data, project, &caller, settings.extraction.max_bytes).await?;
        let (out, force) = (out(args), args.force);
        let submit_options = SubmitOptions {
            wait: true,
            out: Some(&out),
            force,
            json: args.json,
            quiet: args.quiet,
            privacy: label.passed_on(&lanes),
            ..SubmitOptions::default()
        };
        submit::carry_through(&settings, &caller, request, &uploads, &submit_options).await
    })
}

async fn request(
    (args, lanes): (&AskArgs, &LaneArgs),
    data: &ReportData,
    project: String,
    caller: &Caller,
    max_bytes: u64,
) -> Result<(ResearchRequest, Uploads), CommandFailure> {
    let given = match args.docs.is_empty() && args.url.is_empty() {
        true => CollectedInputs::default(),
        false => collect(&args.docs, &args.url, max_bytes, None, &CancellationToken::new())?,
    };
    let mut sources: Vec<RequestSource> = given.sources.iter().map(named).collect();
    if !args.only_new {
        // After the given documents: one that is given again replaces the earlier one.
        add_earlier_sources(data, caller, &mut sources).await;
    }
    if sources.is_empty() && !searches(args) {
        return Err(nothing_to_read());
    }
    let mut options = follow_up::options(data, project);
    options.report_tokens = args.report_tokens;
    options.deadline_seconds = args.limits.deadline;
    if searches(args) {
        let corpus = lanes.corpus.iter().map(|name| corpus_ref(name)).collect::<Result<_, _>>()?;
        options.research = Some(ResearchOptions { corpus, ..research::options(lanes, &args.limits) });
    }
    let session_id = submit::new_session_id();
    let query = args.question.clone();
    let request = ResearchRequest { schema_version: options.request_version(), session_id, query, sources, options };
    Ok((request, Uploads::of(&given.sources, max_bytes)))
}

/// Parses the hash of a published corpus.
fn corpus_ref(name: &Path) -> Result<CorpusRef, CommandFailure> {
    let manifest = name.to_str().and_then(|name| name.parse().ok()).ok_or_else(|| {
        let message =
            format!("--corpus {}: a fleet searches published corpora, and this is not the hash of one", name.display());
        CommandFailure::new(Exit::Usage, "invalid_usage", message)
            .with_remedy("run `precis corpus publish DIR` and pass the hash it prints")
    })?;
    Ok(CorpusRef { manifest, proof: None })
}

/// Adds the documents of the earlier session whose texts are still in the content store. Putting each text again restarts its
/// retention time, so that it is not removed while the new session runs.
pub(super) async fn add_earlier_sources(data: &ReportData, caller: &Caller, sources: &mut Vec<RequestSource>) {
    for (row, content) in follow_up::readable(data) {
        if sources.iter().any(|given| given.source_id == row.source_id) {
            continue;
        }
        let kept = match caller.content.get(&content).await {
            Ok(bytes) => caller.content.put(Bytes::clone(&bytes)).await,
            Err(error) => Err(error),
        };
        if let Err(error) = kept {
            crate::cli::terminal::print_warning(&format!("source {} is left out: {error}", row.source_id));
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
            content_type: Some(precis_extract::CANONICAL_TYPE.to_owned()),
            quality: Quality::default(),
            published_at: None,
            protected: false,
        });
    }
}
