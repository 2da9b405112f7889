//! From a call to a request of the fleet: documents are read into the content store, folders are indexed and published there.

use std::path::PathBuf;

use precis_proto::request::{RequestOptions, RequestSource, ResearchRequest};
use precis_proto::research::{CorpusRef, ResearchOptions};
use precis_proto::{SessionId, title};
use precis_runtime::runner::refusal;
use tokio_util::sync::CancellationToken;

use super::arguments::{self, AskArguments, ResearchArguments};
use super::desk::Desk;
use super::failure::ToolFailure;
use super::indexes::IndexedFolder;
use super::kept_call::KeptCall;
use super::tool::Tool;
use super::{collections, indexes, results};
use crate::assembly::refused_request::in_words_of_the_command;
use crate::commands::ask::add_earlier_sources;
use crate::commands::submit::add_proofs;
use crate::commands::upload::{Uploads, request_source};
use crate::fleet::Caller;
use crate::input::source::InputOrigin;
use crate::input::{CollectedInputs, QueryFrom, check_subject, collect, read_query};
use crate::report::follow_up;
use crate::{lanes, report::outcome};

/// Most unreadable files named in warnings.
const SHOWN_UNREAD: usize = 12;

/// A request, with what was left out of it.
#[derive(Debug)]
pub(super) struct PreparedRequest {
    pub(super) request: ResearchRequest,
    pub(super) warnings: Vec<String>,
}

/// Prepares the request of `call`: all it refers to is in the content store then.
///
/// # Errors
/// [`ToolFailure`].
pub(super) async fn prepare_request(
    desk: &Desk,
    caller: &Caller,
    call: &KeptCall,
) -> Result<PreparedRequest, ToolFailure> {
    let mut prepared = match call.tool.parse() {
        Ok(Tool::Ask) => prepare_ask(desk, caller, call).await?,
        Ok(Tool::Research) => prepare_research(desk, caller, call).await?,
        _ => return Err(ToolFailure::new("unknown_tool", "this tool opens no session")),
    };
    let request = &mut prepared.request;
    request.options.max_spend_usd = Some(desk.allowed.max_usd);
    for source in &mut request.sources {
        source.title = title::cut(&source.title).unwrap_or_else(|| std::mem::take(&mut source.title));
    }
    if let Some(refused) = refusal(request) {
        return Err(outcome::failure_of(&in_words_of_the_command(refused, request)).into());
    }
    let request = add_proofs(prepared.request, &caller.content, desk.tenant()).await;
    let request = request.map_err(|error| ToolFailure::new("content_store_unavailable", error.to_string()))?;
    Ok(PreparedRequest { request, warnings: prepared.warnings })
}

/// Reads and checks a question.
///
/// # Errors
/// [`ToolFailure`] if it is empty or too long.
pub(super) fn question(text: &str) -> Result<String, ToolFailure> {
    // With a space, which is trimmed: a question `-` is not to be read from standard input.
    Ok(read_query(&QueryFrom::Text(format!(" {text}")))?)
}

async fn prepare_ask(desk: &Desk, caller: &Caller, call: &KeptCall) -> Result<PreparedRequest, ToolFailure> {
    let arguments: AskArguments = arguments::read(&call.arguments)?;
    arguments::check_count("paths", &arguments.paths)?;
    let query = question(&arguments.question)?;
    let is_named = arguments.follows.is_some() || !arguments.collections.is_empty();
    let collected = match is_named && arguments.paths.is_empty() {
        true => CollectedInputs::default(),
        false => documents(desk, &arguments.paths).await?,
    };
    let mut sources: Vec<RequestSource> = collected.sources.iter().map(request_source).collect();
    let opened = collections::open(&caller.content, desk.tenant(), &arguments.collections).await?;
    sources.extend(collections::sources(&opened));
    let mut options = RequestOptions::default();
    match &arguments.follows {
        None => check_subject(&query)?,
        Some(earlier) => {
            let data = results::report_of(caller, desk.tenant(), earlier).await?;
            add_earlier_sources(&data, caller, &mut sources).await;
            options = follow_up::options(&data, String::new());
        }
    }
    options.report_tokens = arguments.report_tokens;
    let mut request = request(call.session.clone(), query, options);
    request.sources = sources;
    let uploads = Uploads::of(&collected.sources, desk.settings.extraction.max_bytes);
    uploads.put(&mut request, &caller.content).await?;
    Ok(PreparedRequest { request, warnings: left_out(&collected) })
}

/// Collects the documents at `paths`, or in all folders that may be read.
async fn documents(desk: &Desk, paths: &[String]) -> Result<CollectedInputs, ToolFailure> {
    let roots = desk.roots().await;
    let docs: Vec<PathBuf> = match paths.is_empty() {
        true => roots.all()?,
        false => paths.iter().map(|path| roots.resolve(path)).collect::<Result<_, _>>()?,
    };
    let (max_bytes, data) = (desk.settings.extraction.max_bytes, desk.data.clone());
    let work =
        tokio::task::spawn_blocking(move || collect(&docs, &[], max_bytes, Some(&data), &CancellationToken::new()));
    let mut collected = work.await.map_err(|error| ToolFailure::new("collect_failed", error.to_string()))??;
    // Again, for what was found: a folder may have been replaced by a link since its path was resolved.
    let found = collected.sources.len();
    collected.sources.retain(|source| match &source.origin {
        InputOrigin::File { path, .. } => roots.may_read(path),
        InputOrigin::Url(_) => false,
    });
    collected.skipped += (found - collected.sources.len()) as u64;
    Ok(collected)
}

fn left_out(collected: &CollectedInputs) -> Vec<String> {
    let named = collected.unread.iter().take(SHOWN_UNREAD);
    let mut warnings: Vec<String> =
        named.map(|unread| format!("{} is left out: {}", unread.path, unread.message)).collect();
    let more = collected.unread.len().saturating_sub(SHOWN_UNREAD) as u64 + collected.skipped;
    if more > 0 {
        warnings.push(format!("{more} more files are left out as well"));
    }
    warnings
}

async fn prepare_research(desk: &Desk, caller: &Caller, call: &KeptCall) -> Result<PreparedRequest, ToolFailure> {
    let arguments: ResearchArguments = arguments::read(&call.arguments)?;
    arguments::check_count("folders", &arguments.folders)?;
    let query = question(&arguments.question)?;
    check_subject(&query)?;
    let web = match (arguments.web, desk.allowed.web.is_empty()) {
        (false, _) => Vec::new(),
        (true, false) => desk.allowed.web.clone(),
        (true, true) => {
            let failure = ToolFailure::new("web_not_allowed", "this server may not search the web");
            return Err(failure.with_remedy("start it with --web NAME, or search folders only"));
        }
    };
    let folders = match (arguments.folders.is_empty(), arguments.collections.is_empty(), web.is_empty()) {
        (true, false, _) => Vec::new(),
        // Of the web alone, if there is no folder.
        (true, true, false) => indexes::folders(desk, &[]).await.unwrap_or_default(),
        _ => indexes::folders(desk, &arguments.folders).await?,
    };
    let collections = collections::indexed(caller, desk.tenant(), &arguments.collections).await?;
    let (mut corpus, mut warnings) = (Vec::new(), Vec::new());
    for folder in folders {
        let IndexedFolder { place, warnings: lacks } = indexes::up_to_date(desk, folder, |_, _, _| {}).await?;
        warnings.extend(lacks);
        let published = lanes::publish(&place, &caller.content).await;
        let (manifest, ..) = published.map_err(|error| ToolFailure::new("publish_failed", error.to_string()))?;
        corpus.push(CorpusRef { manifest, proof: None });
    }
    let depth = arguments.depth.unwrap_or_default();
    let research = ResearchOptions { corpus, collections, web, depth, ..ResearchOptions::default() };
    let options = RequestOptions {
        report_tokens: arguments.report_tokens,
        research: Some(research),
        ..RequestOptions::default()
    };
    Ok(PreparedRequest { request: request(call.session.clone(), query, options), warnings })
}

fn request(session_id: SessionId, query: String, options: RequestOptions) -> ResearchRequest {
    ResearchRequest { schema_version: options.request_version(), session_id, query, sources: Vec::new(), options }
}
