//! `precis submit`: submits a session to a fleet. Documents go to the content store, the request to the broker.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::ArgGroup;
use precis_proto::privacy::Privacy;
use precis_proto::request::{REPORT_TOKENS, RequestOptions, ResearchRequest};
use precis_proto::research::{CollectionRef, CorpusRef, ResearchOptions};
use precis_proto::response::{ErrorInfo, Response};
use precis_proto::source::ContentRef;
use precis_proto::title;
use precis_proto::{CollectionId, SessionId};
use precis_runtime::broker::{Asker, ReplyAddresses};
use precis_runtime::clock::Clock;
use precis_runtime::config::Settings;
use precis_runtime::content::{ContentError, ContentStore, Tallies};
use precis_runtime::files::{FileLimits, Links, read_regular};
use precis_runtime::runner::{SESSION_BYTES, refusal, storage_refusal};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::asked;
use super::upload::{Uploads, request_source};
use super::watch::{Screen, follow};
use crate::assembly::refused_request::in_words_of_the_command;
use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::signals::stop_signal;
use crate::cli::terminal;
use crate::fleet::{self, Caller, SessionListener, SubmitError};
use crate::input::{CollectedInputs, QueryFrom, check_subject, check_url, collect, read_project, read_query};
use crate::report::{files, outcome};

/// Most unreadable files named in warnings.
const SHOWN_UNREAD: usize = 12;
/// Largest request file, in bytes; the broker would not accept a larger message.
const MAX_REQUEST_BYTES: u64 = 64 << 20;

/// Arguments of `precis submit`.
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("what").required(true).args(["query", "query_file", "request"])))]
#[command(after_help = "\
Examples:
  precis submit --query \"Who pays?\" --docs contracts/            # prints the session id
  precis submit --query \"Who pays?\" --docs contracts/ --wait --out report
  precis submit --request request.json --wait --json | jq .data.report

Submitting the same request with the same id again is safe: it has one result, though work may be done twice.")]
pub struct SubmitArgs {
    /// The question; `-` reads it from standard input
    #[arg(long, value_name = "Q", allow_hyphen_values = true, requires = "sources")]
    pub query: Option<String>,
    /// A file that contains the question; `-` for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "sources")]
    pub query_file: Option<PathBuf>,
    /// A complete request as JSON, as other services send it; `-` for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "sources")]
    pub request: Option<PathBuf>,
    /// Documents, or folders of documents
    #[arg(long, short, value_name = "PATH", num_args = 1.., value_hint = clap::ValueHint::AnyPath, group = "sources")]
    pub docs: Vec<PathBuf>,
    /// A page to fetch
    #[arg(long, value_name = "URL", num_args = 1.., value_hint = clap::ValueHint::Url, group = "sources")]
    pub url: Vec<String>,
    /// A corpus to search, as the hash that `precis corpus publish` prints; may be given more than once
    #[arg(long, value_name = "HASH", group = "sources")]
    pub corpus: Vec<ContentRef>,
    /// A collection to search, by its id, in its newest version; may be given more than once
    #[arg(long, value_name = "ID", group = "sources", value_parser = collection_id)]
    pub collection: Vec<CollectionId>,
    /// A search provider of the fleet for web pages; may be given more than once
    #[arg(long, value_name = "NAME", group = "sources")]
    pub web: Vec<String>,
    /// A search provider of the fleet for papers; may be given more than once
    #[arg(long, value_name = "NAME", group = "sources")]
    pub academic: Vec<String>,
    /// Treat corpora and documents as public: names found in them may be sent to search providers
    #[arg(long, conflicts_with = "request")]
    pub public: bool,
    /// Treat the question as confidential: no search provider is used
    #[arg(long, conflicts_with = "request")]
    pub confidential_query: bool,
    /// A text file with background that applies to the whole project
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "request")]
    pub project: Option<PathBuf>,
    /// The id of the session [default: a new random id]
    #[arg(long, value_name = "ID", conflicts_with = "request")]
    pub session: Option<String>,
    /// Target length of the report, in tokens
    #[arg(long, value_name = "N", conflicts_with = "request", value_parser = clap::value_parser!(u64).range(REPORT_TOKENS))]
    pub report_tokens: Option<u64>,
    /// End after this many seconds, with a report on what is there by then
    #[arg(long, value_name = "SECONDS", conflicts_with = "request")]
    pub deadline: Option<u64>,
    /// Spend at most this many US dollars on models; after that the built-in model is used
    #[arg(long, value_name = "USD", conflicts_with = "request")]
    pub max_spend_usd: Option<f64>,
    /// Spend at most this many tokens on models, input and output together
    #[arg(long, value_name = "N", conflicts_with = "request")]
    pub max_spend_tokens: Option<u64>,
    /// The tenant to charge; the configuration of the workers limits what its sessions may spend together
    #[arg(long, value_name = "NAME")]
    pub tenant: Option<String>,
    /// Send the result, or the error, to this queue; its name must be allowed by reply_queues
    #[arg(long, value_name = "QUEUE", conflicts_with = "wait")]
    pub reply_to: Option<String>,
    /// Wait for the result and show progress; Ctrl-C stops waiting, the session continues
    #[arg(long)]
    pub wait: bool,
    /// With --wait: write the report into this directory
    #[arg(long, short, value_name = "DIR", requires = "wait", value_hint = clap::ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// With --out: write into a directory that contains other files
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Print JSON: the session id, or with --wait the response envelope
    #[arg(long)]
    pub json: bool,
    /// Print only the result and errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Submits the request; with `--wait` returns the exit code of the session.
#[must_use]
pub fn run(args: &SubmitArgs) -> Exit {
    super::finish_as(attempt(args))
}

fn attempt(args: &SubmitArgs) -> Result<Exit, CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    check_reply_to(&settings, args.reply_to.as_deref())?;
    let session = match &args.session {
        Some(id) => super::session_id(id)?,
        None => new_session_id(),
    };
    super::block_on(async {
        let given = read_input(args, &settings, session)?;
        let caller = super::caller(&settings, "submit").await?;
        warn_of_foreign_queue(&settings, args.reply_to.as_deref(), caller.broker.user());
        let (request, uploads) = given.request(settings.extraction.max_bytes);
        let submit_options = SubmitOptions {
            wait: args.wait,
            out: args.out.as_deref(),
            force: args.force,
            json: args.json,
            quiet: args.quiet,
            reply_to: args.reply_to.clone(),
            tenant: args.tenant.clone(),
            privacy: request.options.research.as_ref().map(Privacy::of_research).unwrap_or_default(),
        };
        carry_through(&settings, &caller, request, &uploads, &submit_options).await
    })
}

/// Checks the reply queue here: workers refuse a queue that is not allowed, and could then report the error to nobody.
fn check_reply_to(settings: &Settings, address: Option<&str>) -> Result<(), CommandFailure> {
    let Some(address) = address else { return Ok(()) };
    let refused = |e| CommandFailure::new(Exit::Refused, "invalid_reply_to", format!("--reply-to {address}: {e}"));
    let known = ReplyAddresses::from_patterns(settings.worker.reply_queues.clone());
    known.check(address).map(|_| ()).map_err(refused)
}

/// Warns of a queue whose name does not have the user in it. Only a warning: workers accept any allowed name of users that they trust, and
/// nobody here knows whom they do.
fn warn_of_foreign_queue(settings: &Settings, address: Option<&str>, user: Option<&str>) {
    let known = ReplyAddresses::from_patterns(settings.worker.reply_queues.clone());
    let is_trusted = settings.worker.operator_users.iter().any(|operator| Some(operator.as_str()) == user);
    let asker = match user {
        Some(_) if is_trusted => Asker::Trusted,
        Some(user) => Asker::User(user),
        None => Asker::Anyone,
    };
    if let Some(Err(error)) = address.map(|address| known.check_for(address, asker)) {
        terminal::print_warning(&format!(
            "--reply-to: {error}. Workers refuse it, unless the user is their own or one of operator_users"
        ));
    }
}

/// How a request is submitted, and what is printed.
#[derive(Debug, Default)]
pub struct SubmitOptions<'a> {
    /// Whether to wait for the result.
    pub wait: bool,
    /// Directory for the report.
    pub out: Option<&'a Path>,
    /// Whether that directory may contain other files.
    pub force: bool,
    /// Whether to print JSON.
    pub json: bool,
    /// Whether to print only the result and errors.
    pub quiet: bool,
    /// The queue that gets the result, if this process does not wait for it.
    pub reply_to: Option<String>,
    /// The tenant to charge.
    pub tenant: Option<String>,
    /// What may be disclosed of the question and its files.
    pub privacy: Privacy,
}

/// Submits `request` with its `uploads`; with `wait` also waits for its result, prints it, and writes its report.
///
/// # Errors
/// As [`submitted`], or the report cannot be written.
pub(super) async fn carry_through(
    settings: &Settings,
    caller: &Caller,
    request: ResearchRequest,
    uploads: &Uploads,
    how: &SubmitOptions<'_>,
) -> Result<Exit, CommandFailure> {
    let session = request.session_id.clone();
    match submitted(settings, caller, request, uploads, how).await? {
        Submitted::Unwaited => Ok(Exit::Ok),
        Submitted::Interrupted => Ok(Exit::Interrupted),
        Submitted::Ended(response) => conclude(how, caller, &session, &response).await,
    }
}

/// What is known of a session that was submitted.
pub(super) enum Submitted {
    /// Nobody waits for its end.
    Unwaited,
    /// The user stopped waiting; it continues.
    Interrupted,
    /// It has ended.
    Ended(Box<Response>),
}

/// Submits `request` with its `uploads`; with `wait` also waits for its result. A request that any worker would refuse is refused here,
/// before anything is uploaded or published.
///
/// # Errors
/// The request is over a limit, or the fleet cannot be reached.
pub(super) async fn submitted(
    settings: &Settings,
    caller: &Caller,
    mut request: ResearchRequest,
    uploads: &Uploads,
    how: &SubmitOptions<'_>,
) -> Result<Submitted, CommandFailure> {
    let session = request.session_id.clone();
    let failed = |e| super::fleet_failed(&format!("submit {session}"), &e);
    cut_titles(&mut request);
    if let Some(refused) = refusal(&request) {
        return Err(refuse(refused, &request, how.json)?);
    }
    if let Err(refused) = room_for(settings, caller, &session, uploads.bytes(), how).await.map_err(failed)? {
        return Err(refuse(refused, &request, how.json)?);
    }
    uploads.put(&mut request, &caller.content).await?;
    let request = &add_proofs(request, &caller.content, how.tenant.as_deref()).await.map_err(|e| failed(e.into()))?;
    // Before the request is published: its result may be read by another command before this one ends.
    if let Err(error) = asked::remember(&request.session_id, &request.query, how.privacy)
        && !how.quiet
    {
        let what = "what was asked is not remembered, so later commands treat its question as confidential";
        terminal::print_warning(&format!("{what}: {error}"));
    }
    // Listening starts before the request is published: otherwise the events of a short session would be missed.
    let listener = match how.wait {
        true => Some(caller.submit_and_listen(request, how.tenant.clone()).await.map_err(failed)?),
        false => {
            caller.submit(request, how.reply_to.clone(), how.tenant.clone()).await.map_err(failed)?;
            None
        }
    };
    // The id is printed first: if waiting fails, the session can still be watched and its result read.
    match how.wait {
        false => terminal::print_as(how.json, &accepted_text(how.json, &request.session_id))?,
        true if !(how.quiet || how.json) => terminal::print_aside(&format!("{}\n", request.session_id)),
        true => {}
    }
    if !how.quiet && caller.requests().await.is_some_and(|requests| requests.consumers == 0) {
        terminal::print_warning(super::NOBODY_CONSUMES);
    }
    match listener {
        Some(listener) => wait(listener, caller, &request.session_id, how).await,
        None => {
            caller.broker.close().await;
            Ok(Submitted::Unwaited)
        }
    }
}

fn cut_titles(request: &mut ResearchRequest) {
    for source in &mut request.sources {
        if let Some(cut) = title::cut(&source.title) {
            terminal::print_warning(&format!("{cut}: {}", title::cut_warning(&source.title)));
            source.title = cut;
        }
    }
}

/// Shows the session until it has ended.
async fn wait(
    listener: SessionListener,
    caller: &Caller,
    session: &SessionId,
    how: &SubmitOptions<'_>,
) -> Result<Submitted, CommandFailure> {
    let failed = |e| super::fleet_failed(&format!("submit {session}"), &e);
    let waited = tokio::select! {
        response = follow(listener, Screen::choose(false, how.quiet || how.json)) => response,
        () = stop_signal() => {
            terminal::print_warning(&format!("the session continues: precis watch {session}"));
            return Ok(Submitted::Interrupted);
        }
    };
    let response = asked::label_response(waited.map_err(failed)?, session, how.quiet);
    caller.broker.close().await;
    Ok(Submitted::Ended(Box::new(response)))
}

/// Counts `bytes` that are about to be uploaded for the payer of the request, unless a worker would refuse it because that payer has stored
/// as much today as it may. The inner error is that refusal. What the session stores besides is counted by the worker that takes it.
async fn room_for(
    settings: &Settings,
    caller: &Caller,
    session: &SessionId,
    bytes: u64,
    how: &SubmitOptions<'_>,
) -> Result<Result<(), ErrorInfo>, SubmitError> {
    let (payer, limit) = fleet::storage_of(settings, caller.broker.user(), how.tenant.as_deref());
    let (tallies, now) = (Tallies::new(), Clock::system().now());
    let with_session = bytes.saturating_add(SESSION_BYTES);
    let whole = tallies.reserve(&caller.content, &payer, with_session, limit, now).await?;
    if let Err(reached) = whole.map(drop) {
        return Ok(Err(storage_refusal(session, &payer, reached)));
    }
    if bytes > 0
        && let Ok(reserved) = tallies.reserve(&caller.content, &payer, bytes, limit, now).await?
    {
        reserved.keep(&caller.content).await?;
    }
    Ok(Ok(()))
}

/// Returns the failure for a refused request, as a run in this process would; prints it as JSON too, if `as_json`.
fn refuse(refused: ErrorInfo, request: &ResearchRequest, as_json: bool) -> Result<CommandFailure, CommandFailure> {
    let refused = in_words_of_the_command(refused, request);
    let failure = outcome::failure_of(&refused);
    if as_json {
        terminal::print_json(&files::json(&Response::failure(refused)))?;
    }
    Ok(failure)
}

/// Adds a content proof to every reference: it shows the workers that the sender can read the referenced content.
pub(super) async fn add_proofs(
    mut request: ResearchRequest,
    content: &ContentStore,
    tenant: Option<&str>,
) -> Result<ResearchRequest, ContentError> {
    for source in &mut request.sources {
        if let (Some(reference), None) = (&source.content_ref, &source.content_proof) {
            source.content_proof = Some(content.proof(tenant.unwrap_or_default(), reference).await?);
        }
    }
    for corpus in request.options.research.iter_mut().flat_map(|research| &mut research.corpus) {
        if corpus.proof.is_none() {
            corpus.proof = Some(content.proof(tenant.unwrap_or_default(), &corpus.manifest).await?);
        }
    }
    Ok(request)
}

async fn conclude(
    how: &SubmitOptions<'_>,
    caller: &Caller,
    session: &SessionId,
    response: &Response,
) -> Result<Exit, CommandFailure> {
    if let (Some(out), Some(data)) = (how.out, &response.data) {
        super::result::write((out, how.force), response, data, &caller.content).await?;
    }
    let text = match (how.json, &response.data) {
        (true, _) => files::json(response),
        (false, Some(data)) if how.out.is_none() => format!("{}\n", data.report),
        (false, _) => super::result::last_line(session, response),
    };
    terminal::print_as(how.json, &text)?;
    Ok(super::result::exit_of(response))
}

fn accepted_text(as_json: bool, session: &SessionId) -> String {
    if as_json { format!("{}\n", json!({ "session_id": session })) } else { format!("{session}\n") }
}

/// Returns a new random session id.
#[must_use]
pub fn new_session_id() -> SessionId {
    SessionId::new(format!("s-{:032x}", rand::random::<u128>())).expect("hexadecimal and short")
}

/// The input of a submission, before anything is uploaded.
enum SubmitInput {
    Whole(Box<ResearchRequest>),
    Parts { query: String, collected: CollectedInputs, session: SessionId, options: Box<RequestOptions> },
}

fn read_input(args: &SubmitArgs, settings: &Settings, session: SessionId) -> Result<SubmitInput, CommandFailure> {
    if let Some(path) = &args.request {
        let request = read_request(path)?;
        if request.options.history.is_empty() && request.options.prior_context.is_empty() {
            check_subject(&request.query)?;
        }
        return Ok(SubmitInput::Whole(Box::new(request)));
    }
    let from = match &args.query {
        Some(text) => QueryFrom::Text(text.clone()),
        None => QueryFrom::File(args.query_file.clone().unwrap_or_default()),
    };
    let query = read_query(&from)?;
    check_subject(&query)?;
    args.url.iter().try_for_each(|url| check_url(url))?;
    let max_bytes = settings.extraction.max_bytes;
    let research = research(args);
    let collected = match args.docs.is_empty() && args.url.is_empty() && research.is_some() {
        true => CollectedInputs::default(),
        false => collect(&args.docs, &args.url, max_bytes, None, &CancellationToken::new())?,
    };
    for unread in collected.unread.iter().take(SHOWN_UNREAD) {
        terminal::print_warning(&format!("{} is left out: {}", unread.title, unread.message));
    }
    let more = collected.unread.len().saturating_sub(SHOWN_UNREAD) as u64 + collected.skipped;
    if more > 0 {
        terminal::print_warning(&format!("{more} more files are left out as well"));
    }
    let options = RequestOptions {
        report_tokens: args.report_tokens,
        deadline_seconds: args.deadline,
        max_spend_usd: args.max_spend_usd,
        max_spend_tokens: args.max_spend_tokens,
        project_context: read_project(args.project.as_deref())?,
        research,
        ..RequestOptions::default()
    };
    Ok(SubmitInput::Parts { query, collected, session, options: Box::new(options) })
}

pub(super) fn collection_id(text: &str) -> Result<CollectionId, String> {
    CollectionId::new(text).map_err(|e| e.to_string())
}

/// Returns the research options, or `None` if no corpus, collection or search provider is given.
fn research(args: &SubmitArgs) -> Option<ResearchOptions> {
    let corpus = args.corpus.iter().map(|manifest| CorpusRef { manifest: manifest.clone(), proof: None }).collect();
    let (web, academic) = (args.web.clone(), args.academic.clone());
    let (public, confidential_query) = (args.public, args.confidential_query);
    let collections = args.collection.iter().map(|id| CollectionRef { id: id.clone(), version: None }).collect();
    let options = ResearchOptions {
        corpus,
        collections,
        web,
        academic,
        public,
        confidential_query,
        ..ResearchOptions::default()
    };
    options.names_something().then_some(options)
}

fn read_request(path: &Path) -> Result<ResearchRequest, CommandFailure> {
    let refused = |reason: String| CommandFailure::new(Exit::Refused, "unreadable_request", reason);
    let text = match path.as_os_str() == "-" {
        // One byte more than the limit is read, so that a longer request fails to parse instead of being cut.
        true => std::io::read_to_string(std::io::stdin().take(MAX_REQUEST_BYTES + 1)),
        false => read_regular(path, Links::Followed, FileLimits::bytes(MAX_REQUEST_BYTES))
            .map_err(std::io::Error::from)
            .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other)),
    };
    let text = text.map_err(|e| refused(format!("read the request from {}: {e}", path.display())))?;
    serde_json::from_str(&text).map_err(|e| {
        refused(format!("{} is not a valid request: {e}", path.display()))
            .with_remedy("run `precis schema research-request` to print the expected format")
    })
}

impl SubmitInput {
    /// Returns the request, and the documents that are still to be uploaded, each of at most `max_bytes`.
    fn request(self, max_bytes: u64) -> (ResearchRequest, Uploads) {
        let (query, collected, session_id, options) = match self {
            Self::Whole(request) => return (*request, Uploads::default()),
            Self::Parts { query, collected, session, options } => (query, collected, session, *options),
        };
        let sources = collected.sources.iter().map(request_source).collect();
        let uploads = Uploads::of(&collected.sources, max_bytes);
        (ResearchRequest { schema_version: options.request_version(), session_id, query, sources, options }, uploads)
    }
}
