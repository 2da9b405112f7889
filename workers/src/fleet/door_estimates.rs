//! What a session that somebody asks for over HTTP may cost: its documents are read and counted as a worker reads them.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use precis_door::Estimate;
use precis_proto::request::{RequestSource, ResearchRequest};
use precis_runtime::config::Settings;
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::store::{MemoryStore, Store};
use precis_text::tokens;
use tokio::time::Instant;

use crate::assembly::model_windows;
use crate::documents::parse::{Parse, Parser};
use crate::estimate::{SessionFacts, TextCount, estimate};

/// Documents that are parsed at once.
const AT_ONCE: usize = 2;
/// Time for all documents of a request: those that were not read by then count as sources of unknown length. Below the minute after which
/// clients and proxies cut.
const READING_TIME: Duration = Duration::from_secs(30);

/// Says what the session of `request` may cost.
///
/// # Errors
/// [`ContentError`] if the content store cannot be used.
pub(super) async fn estimate_session(
    settings: &Settings,
    content: &ContentStore,
    request: ResearchRequest,
) -> Result<Estimate, ContentError> {
    // As in a run, a server is asked for the window of a model that nothing describes; that costs nothing.
    let settings = &model_windows::with_windows(settings, &Store::Memory(MemoryStore::new())).await;
    let parser = &Parser::for_run(settings);
    let until = Instant::now() + READING_TIME;
    let counting = request.sources.into_iter().map(|source| async move {
        tokio::time::timeout_at(until, count(source, parser, content)).await.unwrap_or(Ok(TextCount::Unknown))
    });
    let counts: Vec<Result<TextCount, ContentError>> = stream::iter(counting).buffered(AT_ONCE).collect().await;
    let counts = counts.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(estimate(settings, &SessionFacts::of(settings, &request.options, &counts)))
}

/// The length of a source.
async fn count(source: RequestSource, parser: &Parser, content: &ContentStore) -> Result<TextCount, ContentError> {
    let bytes = match (source.content, source.content_base64, source.content_ref) {
        (Some(text), ..) => Some(Bytes::from(text)),
        (_, Some(encoded), _) => STANDARD.decode(encoded).ok().map(Bytes::from),
        (_, _, Some(reference)) => match content.get(&reference).await {
            Ok(bytes) => Some(bytes),
            Err(error) if error.is_outage() => return Err(error),
            Err(_) => None,
        },
        // A page, which is not fetched.
        (None, None, None) => return Ok(TextCount::Unknown),
    };
    let Some(bytes) = bytes else { return Ok(TextCount::Unreadable) };
    let parsed = parser.parse(bytes, Parse { content_type: source.content_type, name: source.title }).await;
    Ok(parsed.map_or(TextCount::Unreadable, |parsed| TextCount::Tokens(tokens::count(&parsed.text))))
}
