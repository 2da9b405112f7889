//! What gathering found becomes sources of the session: documents of a corpus with their texts, pages by their addresses.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use precis_corpus::Document;
use precis_distill::fold;
use precis_distill::research::{ChosenDocument, Investigation};
use precis_distill::tokens::Tokenizer;
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::job::{JobFailure, JobOutcome};
use precis_proto::research::{GatheringResult, ReadDocument, Research};
use precis_proto::source::{ContentRef, Origin, Quality, Source, SourceText};
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId, Timestamp};
use precis_runtime::runner::{PhaseContext, PhaseError, Step};

use super::known_sources;
use super::planning::put;
use super::route::{PhaseEnd, next};
use crate::documents::texts;
use crate::documents::token_counts;
use crate::lanes::Folders;

/// Code of a document that is no longer in its corpus as it was indexed.
const GONE: &str = "gone";

/// Adds what was chosen to the session and ends gathering. Where nothing was found and nothing was given, there is nothing to read: the
/// session goes to its end, which says what was searched.
pub(super) async fn take_in(
    session: SessionState,
    investigation: Investigation,
    read: Vec<ReadDocument>,
    folders: &Arc<Folders>,
    ctx: &PhaseContext,
) -> Result<Step, PhaseError> {
    let mut session = session;
    known_sources::note(&mut session, &investigation.found_again);
    let session = added(session, investigation, read, folders, ctx).await?;
    let end = if session.sources.is_empty() { PhaseEnd::NothingToRead } else { PhaseEnd::Done };
    Ok(next(session, Phase::Gathering, end))
}

/// Adds what an iteration has found and the session does not have, and begins another pass with it; where that is nothing, the report
/// before it is the last.
pub(super) async fn take_in_more(
    mut session: SessionState,
    mut investigation: Investigation,
    read: Vec<ReadDocument>,
    folders: &Arc<Folders>,
    ctx: &PhaseContext,
) -> Result<Step, PhaseError> {
    let settled = course(&session, &investigation);
    known_sources::note(&mut session, &investigation.found_again);
    let held: BTreeSet<&String> =
        session.sources.iter().flat_map(|source| [&source.path, &source.url]).flatten().collect();
    investigation.chosen.retain(|one| !held.contains(&told(one)));
    let is_new = !investigation.chosen.is_empty();
    if is_new {
        fold::begin_visit(&mut session, ctx.now());
        session = added(session, investigation, read, folders, ctx).await?;
    }
    // What was chosen before is chosen still.
    let settled = put(&settled, &ctx.services().content).await?;
    if let Some(research) = session.research.as_mut() {
        research.course = Some(settled);
    }
    Ok(next(session, Phase::Gathering, if is_new { PhaseEnd::Done } else { PhaseEnd::IterationOver }))
}

/// What gathering ends with, for whoever reports it.
fn course(session: &SessionState, investigation: &Investigation) -> GatheringResult {
    let chosen = investigation.chosen.iter().map(|one| (told(one), one.hits)).collect();
    let pointers = investigation.pointers.clone();
    let forked = session.research.as_ref().and_then(|research| research.forked.clone());
    let rarity = investigation.rarity.clone();
    let found = investigation.chosen.iter().chain(&investigation.found_again);
    let numbers = found.filter_map(|one| Some((told(one), one.number?))).collect();
    GatheringResult {
        chosen,
        pointers,
        rarity,
        numbers,
        research: Research { forked, ..investigation.clone().into_research() },
    }
}

/// The path or address of a document, as its source has it.
fn told(one: &ChosenDocument) -> String {
    one.address.clone().unwrap_or_else(|| one.document.clone())
}

/// The session with what was chosen among its sources.
async fn added(
    mut session: SessionState,
    investigation: Investigation,
    read: Vec<ReadDocument>,
    folders: &Arc<Folders>,
    ctx: &PhaseContext,
) -> Result<SessionState, PhaseError> {
    let mut outcomes = Vec::new();
    let mut ids: BTreeSet<SourceId> = session.sources.iter().map(|source| source.source_id.clone()).collect();
    for chosen in &investigation.chosen {
        let id = free_id(&mut ids);
        if is_page(chosen) {
            session.sources.push(page(id.clone(), chosen));
            // What a researcher read is not read again: it may be another by now.
            let known = read.iter().find(|one| one.document == chosen.document).and_then(|one| one.answer.clone());
            outcomes.extend(known.map(|answer| (id, JobOutcome::Done(answer))));
            continue;
        }
        let (source, outcome) = document(id.clone(), chosen, folders, ctx).await?;
        session.sources.push(source);
        outcomes.push((id, outcome));
    }
    let settled = put(&course(&session, &investigation), &ctx.services().content).await?;
    if let Some(research) = session.research.as_mut() {
        research.course = Some(settled);
    }
    fold::extraction(&mut session, outcomes, ctx.now());
    Ok(session)
}

/// Whether a search of the web found it: only then is an address fetched. A document of a corpus has a text, whatever its path looks like.
fn is_page(chosen: &ChosenDocument) -> bool {
    chosen.source_text_hash.is_empty() && chosen.document.contains("://")
}

/// The next id that no source of the session has.
fn free_id(ids: &mut BTreeSet<SourceId>) -> SourceId {
    let name = |n: u32| SourceId::new(format!("found-{n}")).expect("letters and digits");
    let id = (1..).map(name).find(|id| !ids.contains(id)).expect("there are more numbers than sources");
    ids.insert(id.clone());
    id
}

fn source(id: SourceId, chosen: &ChosenDocument, origin: Origin) -> Source {
    Source {
        source_id: id,
        title: chosen.title.clone(),
        url: None,
        origin,
        content_type: None,
        quality: Quality::default(),
        published_at: chosen.published.as_deref().and_then(Timestamp::start_of),
        protected: false,
        relevance: None,
        text: None,
        reduction: None,
        failure: None,
        snippet: chosen.snippet.clone(),
        path: None,
        found_by: chosen.found_by.clone(),
    }
}

fn page(id: SourceId, chosen: &ChosenDocument) -> Source {
    let address = chosen.address.clone().unwrap_or_else(|| chosen.document.clone());
    Source { url: Some(address.clone()), ..source(id, chosen, Origin::Url(address)) }
}

/// A document of a corpus as a source, with the text that its passages were found in: it is not extracted again.
async fn document(
    id: SourceId,
    chosen: &ChosenDocument,
    folders: &Arc<Folders>,
    ctx: &PhaseContext,
) -> Result<(Source, JobOutcome<ExtractionAnswer>), PhaseError> {
    let (folders, name) = (Arc::clone(folders), chosen.document.clone());
    let found = texts::compute(move || folders.document(&name)).await;
    let (found, sha256) = match found {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(gone(id, chosen, "it is no longer in the corpus")),
        Err(error) => return Ok(gone(id, chosen, &error.to_string())),
    };
    let original = sha256.and_then(|sha256| format!("sha256:{sha256}").parse().ok());
    let origin = Origin::Content(original.unwrap_or_else(|| found.source_text_hash.clone()));
    let answer = answer(&found, ctx).await?;
    let source = Source { path: Some(chosen.document.clone()), ..source(id, chosen, origin) };
    Ok((source, JobOutcome::Done(answer)))
}

fn gone(id: SourceId, chosen: &ChosenDocument, message: &str) -> (Source, JobOutcome<ExtractionAnswer>) {
    let origin = Origin::Content(ContentRef::from_bytes(chosen.document.as_bytes()));
    let source = Source { path: Some(chosen.document.clone()), ..source(id, chosen, origin) };
    (source, JobOutcome::Failed(JobFailure::permanent(GONE, message)))
}

/// What an extraction would answer, out of the corpus; the text is put into the content store.
async fn answer(found: &Document, ctx: &PhaseContext) -> Result<ExtractionAnswer, PhaseError> {
    let content = &ctx.services().content;
    let unkept = |e: precis_runtime::content::ContentError| PhaseError::transient("content_unavailable", e.to_string());
    let text = found.text.as_str().to_owned();
    let reference = content.put(Bytes::from(text.clone())).await.map_err(unkept)?;
    let blocks = texts::store_blocks(found.text.blocks(), content).await.map_err(unkept)?;
    let chars = text.chars().count() as u64;
    let tokens = token_counts::of_document(Tokenizer::default(), reference.hex(), text, ctx.cache()).await;
    Ok(ExtractionAnswer {
        content_type: found.content_type.clone(),
        title: Some(found.title.clone()),
        text: SourceText { content: reference, chars, tokens, pages: found.pages, blocks },
        remarks: found.remarks.clone(),
        tokens_cut: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_what_a_search_of_the_web_found_and_not_what_a_path_looks_like() {
        let chosen = |document: &str, hash: &str| ChosenDocument {
            document: document.to_owned(),
            address: None,
            number: None,
            title: String::new(),
            published: None,
            snippet: None,
            source_text_hash: hash.to_owned(),
            found_by: Vec::new(),
            passages: Vec::new(),
            hits: 1,
        };
        for (document, hash, want) in [
            ("https://a.example/", "", true),
            ("https://a.example/?secret", "sha256:aa", false),
            ("notes/a.md", "sha256:aa", false),
            ("notes/a.md", "", false),
        ] {
            assert_eq!(is_page(&chosen(document, hash)), want, "{document} {hash}");
        }
    }

    #[test]
    fn a_found_source_keeps_what_its_search_said_of_it() {
        let chosen = |published: &str| ChosenDocument {
            document: "https://a.example/".to_owned(),
            address: None,
            number: None,
            title: "Ferries".to_owned(),
            published: Some(published.to_owned()),
            snippet: Some("Ferries.".to_owned()),
            source_text_hash: String::new(),
            found_by: vec!["ferries".to_owned()],
            passages: Vec::new(),
            hits: 1,
        };
        let id = || SourceId::new("found-1").expect("letters and digits");
        let found = page(id(), &chosen("2019-03"));
        assert_eq!(found.published_at, Timestamp::start_of("2019-03-01"));
        assert_eq!((found.snippet.as_deref(), found.url.as_deref()), (Some("Ferries."), Some("https://a.example/")));
        assert_eq!(page(id(), &chosen("last week")).published_at, None, "a date is read or left out, never guessed");
    }
}
