//! The tools that open no session: passages of folders, the text of a document, the proof of a report.

use std::sync::Arc;
use std::time::Duration;

use precis_corpus::{Corpus, CorpusHit, CorpusQuery, Documents, IndexPlace};
use precis_runtime::files::Links;

use super::answers::{DocumentAnswer, EvidenceAnswer, Passage, VerdictAnswer};
use super::arguments::{
    DEFAULT_CHARS, EvidenceArguments, ExtractArguments, MAX_CHARS, MAX_HITS, VerifyArguments, check_count, check_limit,
};
use super::desk::Desk;
use super::failure::ToolFailure;
use super::preparing::question;
use super::untrusted::NOTICE;
use super::{indexes, results};
use crate::commands::corpus::indexing::corpus_failure;
use crate::commands::extract;
use crate::fleet::local_door_parts;

/// Hits of a search without a limit.
const DEFAULT_HITS: u64 = 10;

/// Verifies the report of a session against the texts that it names.
///
/// # Errors
/// [`ToolFailure`].
pub(super) async fn verify(desk: &Desk, arguments: &VerifyArguments) -> Result<VerdictAnswer, ToolFailure> {
    let fleet = desk.fleet().await?;
    let response = results::response_of(&fleet.caller(), &arguments.session).await?;
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

/// Finds passages. Folders are indexed first; if that takes longer than `within`, it goes on and the next call finds more done.
///
/// # Errors
/// [`ToolFailure`].
pub(super) async fn search(
    desk: &Arc<Desk>,
    arguments: &EvidenceArguments,
    within: Duration,
) -> Result<EvidenceAnswer, ToolFailure> {
    let query = question(&arguments.question)?;
    check_count("folders", &arguments.folders)?;
    let limit = check_limit("limit", arguments.limit, DEFAULT_HITS, MAX_HITS)?;
    let folders = indexes::folders(desk, &arguments.folders).await?;
    let work = tokio::spawn({
        let desk = Arc::clone(desk);
        async move {
            let mut indexed = Vec::new();
            for folder in folders {
                indexed.push(indexes::up_to_date(&desk, folder).await?);
            }
            Ok::<_, ToolFailure>(indexed)
        }
    });
    let broken = |error: tokio::task::JoinError| ToolFailure::new("corpus_failed", error.to_string());
    let Ok(indexed) = tokio::time::timeout(within, work).await else {
        let (status, notice) = ("indexing".to_owned(), NOTICE);
        return Ok(EvidenceAnswer { status, hits: Vec::new(), documents: 0, warnings: Vec::new(), notice });
    };
    let indexed = indexed.map_err(broken)??.into_iter().map(|indexed| (indexed.place, indexed.warnings));
    let (places, warnings): (Vec<IndexPlace>, Vec<Vec<String>>) = indexed.unzip();
    let found = tokio::task::spawn_blocking(move || passages(&places, &query, limit)).await;
    let (hits, documents) = found.map_err(broken)??;
    Ok(EvidenceAnswer { status: "done".to_owned(), hits, documents, warnings: warnings.concat(), notice: NOTICE })
}

/// The best passages of the indexes, and how many documents these have. Blocks.
fn passages(places: &[IndexPlace], query: &str, limit: usize) -> Result<(Vec<Passage>, u64), ToolFailure> {
    let (mut found, mut documents) = (Vec::new(), 0);
    for place in places {
        let corpus = Corpus::open(place).map_err(|error| corpus_failure(&error, place))?;
        let query = CorpusQuery { text: query, limit, documents: Documents::All, meaning: None };
        let hits = corpus.search(&query).map_err(|error| corpus_failure(&error, place))?;
        documents += corpus.size().documents as u64;
        found.extend(hits.into_iter().enumerate().map(|(rank, hit)| (rank, passage(place, hit))));
    }
    // By rank: scores of different indexes cannot be compared. Stable, so that of the same rank the first folder comes first.
    found.sort_by_key(|(rank, _)| *rank);
    Ok((found.into_iter().take(limit).map(|(_, passage)| passage).collect(), documents))
}

fn passage(place: &IndexPlace, hit: CorpusHit) -> Passage {
    Passage {
        path: place.folder().join(&hit.path).display().to_string(),
        title: hit.title,
        headings: hit.headings,
        locator: hit.locator.to_string(),
        text: hit.text,
        score: hit.score,
        source_text_hash: hit.source_text_hash.to_string(),
    }
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
