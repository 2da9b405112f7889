//! The tools that open no session and search nothing: the text of a document, the proof of a report.

use precis_runtime::files::Links;

use super::answers::{DocumentAnswer, VerdictAnswer};
use super::arguments::{DEFAULT_CHARS, ExtractArguments, MAX_CHARS, VerifyArguments, check_limit};
use super::desk::Desk;
use super::failure::ToolFailure;
use super::results;
use super::untrusted::NOTICE;
use crate::commands::extract;
use crate::fleet::local_door_parts;

/// Verifies the report of a session against the texts that it names.
///
/// # Errors
/// [`ToolFailure`].
pub(super) async fn verify(desk: &Desk, arguments: &VerifyArguments) -> Result<VerdictAnswer, ToolFailure> {
    let fleet = desk.fleet().await?;
    let response = results::response_of(&fleet.caller(), desk.tenant(), &arguments.session).await?;
    if response.data.is_none() {
        return Err(ToolFailure::new("no_report", "this session ended without a report"));
    }
    let reports = local_door_parts(&desk.settings, fleet).reports;
    let verdict = reports.verify(response).await;
    let verdict = verdict.map_err(|error| ToolFailure::new("content_store_unavailable", error.to_string()))?;
    Ok(VerdictAnswer {
        session: arguments.session.clone(),
        holds: verdict.holds,
        citations_proved: verdict.citations_proved,
        texts_proved: verdict.texts_proved,
        is_sealed: verdict.is_sealed,
        mismatches: verdict.mismatches,
    })
}

/// Reads a document.
///
/// # Errors
/// [`ToolFailure`].
pub(super) async fn document(desk: &Desk, arguments: &ExtractArguments) -> Result<DocumentAnswer, ToolFailure> {
    let most = check_limit("max_chars", arguments.max_chars, DEFAULT_CHARS, MAX_CHARS)?;
    let path = desk.roots().await.resolve(&arguments.path)?;
    let _turn = desk.readers.acquire().await;
    let (file, settings) = (path.clone(), desk.settings.clone());
    // Without links: the path was resolved, and one that has become a link since is another file.
    let read =
        tokio::task::spawn_blocking(move || extract::file(&file.display().to_string(), Links::Refused, &settings));
    let (bytes, parse) = read.await.map_err(|error| ToolFailure::new("unreadable", error.to_string()))??;
    let read = extract::parse_document(bytes, parse, &desk.settings).await?;
    let (chars, offset) = (read.text.as_str().chars().count() as u64, arguments.offset);
    let text: String =
        read.text.as_str().chars().skip(usize::try_from(offset).unwrap_or(usize::MAX)).take(most).collect();
    let end = offset.saturating_add(text.chars().count() as u64);
    Ok(DocumentAnswer {
        path: path.display().to_string(),
        content_type: read.parsed.content_type,
        title: read.parsed.title,
        text,
        offset,
        chars,
        next_offset: (end < chars).then_some(end),
        pages: u64::from(read.parsed.pages),
        source_text_hash: read.text.hash().to_string(),
        warnings: read.parsed.remarks,
        notice: NOTICE,
    })
}
