//! `precis fork`: continues a finished research from one of its rounds with a different plan.
//!
//! The searches and documents up to that round are taken from the report and its archive; none of them is requested again. Later
//! rounds are dropped.

use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_proto::request::RequestOptions;
use precis_proto::research::{Fork, Forked, MAX_KEPT_ROUNDS, Research};
use precis_proto::response::SourceRow;
use precis_proto::source::ContentRef;
use precis_proto::{Block, Timestamp};
use precis_research::{KeptDocument, kept_rounds, kept_searches};
use precis_runtime::search::identity;
use precis_text::CanonicalText;
use url::Url;

use super::disclosure::PublicQueryArg;
use super::earlier_report::EarlierReport;
use super::lane_args::LaneArgs;
use super::limit_args::LimitArgs;
use super::local_session::LocalSession;
use super::research::{self, SearchArgs};
use super::run::{run_after, settings_of};
use super::session_args::SessionArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::input::QueryFrom;
use crate::report::archive::ArchivedTexts;
use crate::report::directory::unused_dir;
use crate::report::follow_up::{FollowUpInputs, readable};

/// Arguments of `precis fork`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis research \"Compare the ferry and the tunnel\" --corpus plans/ --plan-only > plan.json
  precis fork precis-out --plan plan.json --corpus plans/ --from-round 1
  precis fork precis-out --plan plan.json --web searxng --out another-way

The searches and documents up to that round are taken from the report and its archive: nothing is searched, fetched or paid for again.
Limits apply to new searches and documents only. The earlier report is not changed; the new report records which one it was forked from.")]
pub struct ForkArgs {
    /// The directory of the report or its report.json
    #[arg(value_name = "REPORT", value_hint = ValueHint::AnyPath)]
    pub report: PathBuf,
    /// The plan to follow from there, in the format that `precis research --plan-only` prints
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plan: PathBuf,
    /// The last round to keep; 0 keeps none [default: the last round]
    #[arg(long, value_name = "N")]
    pub from_round: Option<u32>,
    /// Where to search.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// What may be disclosed.
    #[command(flatten)]
    pub disclosure: PublicQueryArg,
    /// Depth and limits of the research.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Directory for the new report [default: precis-fork, or the first of precis-fork-2, -3, … that does not exist yet]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Write into a directory that contains other files
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Its model, what is printed, and where settings come from.
    #[command(flatten)]
    pub how: SessionArgs,
}

/// Continues a research from one of its rounds.
#[must_use]
pub fn run(args: &ForkArgs) -> Exit {
    match attempt(args) {
        Ok(exit) => exit,
        Err(failure) => super::extract::refuse(&failure, args.how.json),
    }
}

fn attempt(args: &ForkArgs) -> Result<Exit, CommandFailure> {
    if args.lanes.is_empty() {
        return Err(research::nothing_to_search(
            "no folder or search provider is given, and the report does not record the earlier ones",
        ));
    }
    let plan = research::read_plan(&args.plan)?;
    let earlier = EarlierReport::read(&args.report)?;
    let Some(past) = &earlier.data.research else {
        let message = format!("{} is not a research report: it has no rounds to continue from", earlier.display_path());
        return Err(CommandFailure::new(Exit::Refused, "no_research", message).with_remedy(
            "fork a report of `precis research`, or search further with `precis ask REPORT QUESTION --research`",
        ));
    };
    let round = round(args.from_round, past)?;
    let kept = kept_documents(&earlier, past, round)?;
    let rounds = kept_rounds(past, round, &plan, &kept.documents);
    let page = serde_json::to_vec(&rounds.rounds).expect("rounds have string keys and finite numbers");
    let from = Forked {
        session: earlier.data.session.id.clone(),
        report: earlier.hash.clone(),
        round,
        hits_left_out: rounds.hits_left_out,
    };
    let names_files = !args.lanes.corpus.is_empty();
    let lanes = earlier.label.inherit_lanes(&args.lanes, args.disclosure, names_files, args.how.quiet);
    let out = args.out.clone().unwrap_or_else(|| unused_dir(Path::new("precis-fork")));
    let query = QueryFrom::Text(earlier.data.query.clone());
    let session = LocalSession { force: args.force, ..LocalSession::new(query, out, &args.how) };
    let loaded = match settings_of(&session) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let search = SearchArgs { lanes: &lanes, limits: &args.limits, quiet: args.how.quiet };
    let (mut options, shelves) = research::searching(search, &loaded, Some(plan))?;
    // The proof is added when the page is put into the content store.
    options.fork = Some(Fork { from, rounds: ContentRef::from_bytes(&page), proof: None });
    let mut inputs = kept.inputs;
    inputs.pages.push(page.into());
    inputs.privacy = earlier.label.passed_on(&lanes);
    let follows = inputs.searching(options, shelves, args.limits.deadline);
    Ok(run_after(&session, loaded, follows))
}

/// Returns the round to continue from.
fn round(asked: Option<u32>, past: &Research) -> Result<u32, CommandFailure> {
    let rounds = past.rounds.len();
    let round = asked.unwrap_or(rounds as u32);
    let refused = |message: String| {
        let remedy = format!("pass --from-round with a number from 0 to {}", rounds.min(MAX_KEPT_ROUNDS));
        CommandFailure::new(Exit::Refused, "unknown_round", message).with_remedy(remedy)
    };
    match round as usize {
        n if n > rounds => Err(refused(format!("there is no round {n}: the research had {rounds} rounds"))),
        n if n > MAX_KEPT_ROUNDS => Err(refused(format!("a fork can keep at most {MAX_KEPT_ROUNDS} rounds, got {n}"))),
        _ => Ok(round),
    }
}

/// The inputs and documents kept from an earlier research.
struct Kept {
    inputs: FollowUpInputs,
    documents: Vec<KeptDocument>,
}

/// Returns the given documents and those that the kept rounds found and read.
fn kept_documents(earlier: &EarlierReport, past: &Research, round: u32) -> Result<Kept, CommandFailure> {
    let searches = kept_searches(past, round);
    let is_kept = |row: &SourceRow| {
        row.found_by.is_empty() || row.found_by.iter().any(|query| searches.contains(&query.as_str()))
    };
    let mut data = earlier.data.clone();
    data.sources.retain(is_kept);
    let archive = match readable(&data).next() {
        Some(_) => earlier
            .archive("put the archive of the report next to it, or run `precis research` on the question again")?,
        None => ArchivedTexts::default(),
    };
    let mut documents = Vec::new();
    for (row, content) in readable(&data) {
        let missing = |why: &str| {
            let message = format!("the archive lacks the text of {} ({}): {why}", row.title, row.source_id);
            CommandFailure::new(Exit::Refused, "archive_incomplete", message).with_remedy(
                "put the whole archive of the report next to it, or fork from an earlier round that had not found this document",
            )
        };
        let text = archive.bytes(content.hex()).ok_or_else(|| missing("there is no file with its hash"))?;
        // The directory is untrusted: a file with this name may contain another text.
        if ContentRef::from_bytes(&text) != content {
            return Err(missing("the file does not match its hash"));
        }
        let text = String::from_utf8_lossy(&text);
        documents.extend(document(row, &text, archive.blocks(content.hex())));
    }
    // The forked research answers the same question, so the conversation before it is the same.
    let options = RequestOptions { history: data.history.clone(), ..RequestOptions::default() };
    let inputs = FollowUpInputs::from_report(&data, Some(&archive), String::new());
    Ok(Kept { inputs: FollowUpInputs { options, ..inputs }, documents })
}

/// Returns a document that a search can have found: a file by its path, a page by its address; `None` for any other.
fn document(row: &SourceRow, text: &str, blocks: Option<Vec<Block>>) -> Option<KeptDocument> {
    let address = row.url.clone().filter(|_| row.path.is_none());
    let page = address.as_ref().and_then(|address| Url::parse(address).ok()).map(|url| identity(&url));
    let document = row.path.clone().or_else(|| page.clone())?;
    let plain = CanonicalText::from_plain(text);
    let text = blocks.and_then(|blocks| plain.clone().with_blocks(blocks).ok()).unwrap_or(plain);
    Some(KeptDocument {
        document,
        address: address.filter(|address| page.as_ref() != Some(address)),
        title: row.title.clone(),
        text,
        source_text_hash: row.source_text_hash.clone()?,
        found_by: row.found_by.clone(),
        published: row.published_at.map(Timestamp::day),
    })
}
