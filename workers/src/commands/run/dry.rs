//! `precis run --dry-run`: what the run would cost. The documents are read and counted as in a run, and nothing is kept.

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use precis_door::Estimate;
use precis_runtime::config::Settings;
use precis_runtime::files::Links;
use precis_runtime::store::{MemoryStore, Store};
use precis_text::tokens;
use tokio_util::sync::CancellationToken;

use crate::assembly::model_windows;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::commands::extract::file;
use crate::commands::local_session::LocalSession;
use crate::documents::parse::{Parse, Parser};
use crate::estimate::{SessionFacts, TextCount, estimate, table};
use crate::input::source::{InputOrigin, InputSource};
use crate::input::{CollectedInputs, collect};
use crate::report::files;
use crate::report::follow_up::FollowUpInputs;

/// Documents that are parsed at once.
const AT_ONCE: usize = 4;

/// Prints what a session on its documents and those of `follows` may cost.
///
/// # Errors
/// As a run whose documents cannot be collected, or of which none can be read.
pub(super) fn dry_run(
    session: &LocalSession,
    settings: &Settings,
    follows: &FollowUpInputs,
) -> Result<Exit, CommandFailure> {
    let mut collected = match session.docs.is_empty() && session.url.is_empty() {
        true => CollectedInputs::default(),
        false => {
            let never = CancellationToken::new();
            collect(&session.docs, &session.url, settings.extraction.max_bytes, Some(&session.out), &never)?
        }
    };
    follows.join(&mut collected);
    let found = crate::commands::block_on(estimate_run(&collected.sources, settings, follows))?;
    let text = if session.how.json { files::to_indented_json(&found) } else { table(&found) };
    terminal::print_as(session.how.json, &text)?;
    Ok(Exit::Ok)
}

async fn estimate_run(
    sources: &[InputSource],
    settings: &Settings,
    follows: &FollowUpInputs,
) -> Result<Estimate, CommandFailure> {
    // As in a run, a server is asked for the window of a model that nothing describes; that costs nothing.
    let settings = &model_windows::with_windows(settings, &Store::Memory(MemoryStore::new())).await;
    let parser = Parser::for_run(settings);
    let counting = sources.iter().map(|source| count_source(source, &parser, settings));
    let counts: Vec<TextCount> = stream::iter(counting).buffered(AT_ONCE).collect().await;
    let options = &follows.options;
    if counts.iter().all(|count| *count == TextCount::Unreadable) && options.research.is_none() {
        return Err(CommandFailure::new(Exit::Refused, "no_readable_source", "no source could be read")
            .with_remedy("give at least one document that contains readable text"));
    }
    let facts = SessionFacts::of(settings, options, &counts);
    Ok(estimate(settings, &facts))
}

async fn count_source(source: &InputSource, parser: &Parser, settings: &Settings) -> TextCount {
    let InputOrigin::File { path, .. } = &source.origin else { return TextCount::Unknown };
    // Followed: the path was chosen when the documents were collected.
    let bytes: Bytes = match file(&path.to_string_lossy(), Links::Followed, settings) {
        Ok((bytes, _)) => bytes,
        Err(_) => return TextCount::Unreadable,
    };
    let parse = Parse { content_type: source.content_type.clone(), name: source.title.clone() };
    match parser.parse(bytes, parse).await {
        Ok(parsed) => TextCount::Tokens(tokens::count(&parsed.text)),
        Err(_) => TextCount::Unreadable,
    }
}
