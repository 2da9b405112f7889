//! `precis extract`: one document as a session would read it: its blocks as readable text, or canonical text and blocks as JSON.

use bytes::Bytes;
use precis_proto::label::Public;
use precis_runtime::config::Settings;
use precis_runtime::fetch::FetchError;
use precis_runtime::files::{FileLimits, Links, ReadError, read_regular};
use precis_text::{CanonicalText, readable};
use serde_json::{Value, json};

use super::settings::load_settings;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::{ConfigArgs, terminal};
use crate::documents::extract_service::{READ_ELSEWHERE, TavilyReader};
use crate::documents::pages::PageFetcher;
use crate::documents::parse::{Parse, ParsedDocument, Parser};

/// Arguments of `precis extract`.
#[derive(Debug, clap::Args)]
pub struct ExtractArgs {
    /// A file, or a page to fetch
    #[arg(value_name = "FILE|URL", value_hint = clap::ValueHint::AnyPath)]
    pub document: String,
    /// Print one JSON object with the canonical text (as hashed and quoted), pages, blocks and hash
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// A document as a session would read it.
#[derive(Debug)]
pub struct SessionDocument {
    /// A short, stable, readable id.
    pub source_id: String,
    /// The result of the parser.
    pub parsed: ParsedDocument,
    /// Its canonical text.
    pub text: CanonicalText,
}

/// Prints the document, or the failure.
#[must_use]
pub fn run(args: &ExtractArgs) -> Exit {
    match load_settings(&args.config, Vec::new()).and_then(|loaded| read(&args.document, &loaded.settings)) {
        Ok(found) => super::finish(match args.json {
            true => terminal::print_json(&format!("{}\n", as_json(&found))),
            false => terminal::print(&terminal::printable(&readable(&found.text))),
        }),
        Err(failure) => refuse(&failure, args.json),
    }
}

/// Prints a failure on standard error, with `as_json` also as JSON on standard output; returns its exit code.
pub(super) fn refuse(failure: &CommandFailure, as_json: bool) -> Exit {
    if as_json {
        let error = json!({ "error": { "code": failure.code, "message": failure.message } });
        // The failure itself is printed next; a second failure of standard output adds nothing.
        let _ = terminal::print_json(&format!("{error}\n"));
    }
    terminal::print_failure(failure);
    failure.exit
}

/// Reads `document`, a file or an address.
///
/// # Errors
/// A [`CommandFailure`] with exit code 3 and a stable code.
pub(super) fn read(document: &str, settings: &Settings) -> Result<SessionDocument, CommandFailure> {
    let started =
        |e: std::io::Error| CommandFailure::new(Exit::Failed, "runtime_failed", format!("start the runtime: {e}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(started)?;
    runtime.block_on(async {
        if document.starts_with("http://") || document.starts_with("https://") {
            return address(document, settings).await;
        }
        let (bytes, parse) = file(document, Links::Followed, settings)?;
        parse_document(bytes, parse, settings).await
    })
}

/// Reads the page at `url`, directly or through the extract service, as in a session.
async fn address(url: &str, settings: &Settings) -> Result<SessionDocument, CommandFailure> {
    let other = TavilyReader::from_settings(settings);
    if other.is_first(url)
        && let Ok(read) = elsewhere(url, &other, settings).await
    {
        return Ok(read);
    }
    let refused = |e: FetchError| CommandFailure::new(Exit::Refused, e.code, e.message);
    let here = async {
        let (bytes, parse) = PageFetcher::from_settings(settings).get(Public::of_user(url)).await.map_err(refused)?;
        parse_document(bytes, parse, settings).await
    };
    match here.await {
        Err(failure) if other.is_fallback(url, failure.code) => {
            elsewhere(url, &other, settings).await.map_err(|_| failure)
        }
        read => read,
    }
}

async fn elsewhere(url: &str, other: &TavilyReader, settings: &Settings) -> Result<SessionDocument, CommandFailure> {
    let read = other.text(Public::of_user(url)).await;
    let (bytes, parse) = read.map_err(|e| CommandFailure::new(Exit::Refused, e.code, e.message))?;
    let mut read = parse_document(bytes, parse, settings).await?;
    read.parsed.remarks.push(READ_ELSEWHERE.to_owned());
    Ok(read)
}

/// Parses a document in a child process.
///
/// # Errors
/// A [`CommandFailure`] with exit code 3 and a stable code.
pub(super) async fn parse_document(
    bytes: Bytes,
    parse: Parse,
    settings: &Settings,
) -> Result<SessionDocument, CommandFailure> {
    let source_id = format!("src-{}", &precis_proto::ids::sha256_hex(&bytes)[..12]);
    let parsed = Parser::for_run(settings).parse(bytes, parse).await.map_err(|e| {
        let text = e.to_string();
        let (code, message) = text.split_once(": ").unwrap_or(("unreadable", &text));
        CommandFailure::new(Exit::Refused, stable(code), message.to_owned())
    })?;
    let text = CanonicalText::parse_archived(&parsed.text, parsed.pages)
        .map_err(|e| CommandFailure::new(Exit::Failed, "page_table", e.to_string()))?
        .with_blocks(parsed.blocks.clone())
        .map_err(|e| CommandFailure::new(Exit::Failed, "blocks", e.to_string()))?;
    Ok(SessionDocument { source_id, parsed, text })
}

/// Maps a parser code to a documented code; any other becomes `unreadable`.
fn stable(code: &str) -> &'static str {
    ["too_large", "unsupported", "encrypted", "empty", "parser_unavailable", "sandbox_missing"]
        .into_iter()
        .find(|c| *c == code)
        .unwrap_or("unreadable")
}

/// Reads the file at `path`, within the limit of `settings`.
///
/// # Errors
/// A [`CommandFailure`] with exit code 3 and a stable code.
pub(in crate::commands) fn file(
    path: &str,
    links: Links,
    settings: &Settings,
) -> Result<(Bytes, Parse), CommandFailure> {
    let limits = FileLimits::bytes(settings.extraction.max_bytes);
    let bytes = read_regular(path.as_ref(), links, limits).map_err(|error| match error {
        ReadError::TooLarge { bytes, limit } => {
            let message = format!("{path} has {bytes} bytes, more than max_document_bytes = {limit}");
            CommandFailure::new(Exit::Refused, "too_large", message)
        }
        ReadError::Io(error) => CommandFailure::new(Exit::Refused, "unreadable", format!("read {path}: {error}")),
    })?;
    Ok((Bytes::from(bytes), Parse { content_type: None, name: path.to_owned() }))
}

fn as_json(found: &SessionDocument) -> Value {
    let pages =
        found.text.pages().iter().map(|p| json!({ "page": p.page, "start": p.range.start, "end": p.range.end }));
    json!({
        "source_id": found.source_id,
        "content_type": found.parsed.content_type,
        "title": found.parsed.title,
        "text": found.text.as_str(),
        "pages": pages.collect::<Vec<_>>(),
        "blocks": found.text.blocks(),
        "source_text_hash": found.text.hash().to_string(),
        "warnings": found.parsed.remarks,
    })
}
