//! Turns the results of gathering into sources of the session: corpus documents with their texts, web pages by their URLs.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use precis_corpus::{CorpusError, Document};
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::job::{JobFailure, JobOutcome};
use precis_proto::research::{GatheringResult, OpenIteration, ReadDocument, Research};
use precis_proto::source::{ContentRef, Origin, Quality, Source, SourceText};
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId, Timestamp};
use precis_report::fold;
use precis_research::{ChosenDocument, Investigation};
use precis_runtime::runner::{PhaseContext, PhaseError, Step};
use precis_text::tokens::Tokenizer;

use super::found_id::found_id;
use super::known_sources;
use super::planning::put;
use super::route::{PhaseEnd, next};
use crate::documents::{texts, token_counts};
use crate::lanes::Folders;
use crate::meaning::vectors_key;

/// Code of a document that is no longer in its corpus as indexed.
const GONE: &str = "gone";

/// Adds the chosen documents to the session and ends gathering. If the session has no source at all, it goes straight to evaluation, which
/// reports what was searched.
pub(super) async fn take_in(
    session: SessionState,
    investigation: Investigation,
    read: Vec<ReadDocument>,
    folders: &Arc<Folders>,
    ctx: &PhaseContext,
) -> Result<Step, PhaseError> {
    let mut session = session;
    known_sources::note(&mut session, &investigation.found_again);
    let session = add_sources(session, investigation, read, folders, ctx).await?;
    let end = if session.sources.is_empty() { PhaseEnd::NothingToRead } else { PhaseEnd::Done };
    Ok(next(session, Phase::Gathering, end))
}

/// Adds the documents of an iteration that the session does not have, and begins another pass with them; also if there are none, but a
/// search for a gap found documents of the session again: what the report lacks may stand there. Else the earlier report is final.
pub(super) async fn take_in_more(
    mut session: SessionState,
    mut investigation: Investigation,
    (open, read): (&OpenIteration, Vec<ReadDocument>),
    folders: &Arc<Folders>,
    ctx: &PhaseContext,
) -> Result<Step, PhaseError> {
    let settled = course(&session, &investigation);
    known_sources::note(&mut session, &investigation.found_again);
    note_gaps(&mut session, &investigation.chosen);
    let held: BTreeSet<&String> =
        session.sources.iter().flat_map(|source| [&source.path, &source.url]).flatten().collect();
    investigation.chosen.retain(|one| !held.contains(&address_of(one)));
    let is_more = is_found_again(&session, open) || !investigation.chosen.is_empty();
    if is_more {
        // Before the new sources are added: their records belong to the new visit.
        fold::begin_visit(&mut session, ctx.now());
        session = add_sources(session, investigation, read, folders, ctx).await?;
    }
    // Store the complete course, computed before documents already held were removed from the choice.
    let settled = put(&settled, &ctx.services().content).await?;
    if let Some(research) = session.research.as_mut() {
        research.course = Some(settled);
    }
    Ok(next(session, Phase::Gathering, if is_more { PhaseEnd::Done } else { PhaseEnd::IterationOver }))
}

/// Records in the sources of the session which further searches found them.
fn note_gaps(session: &mut SessionState, chosen: &[ChosenDocument]) {
    for one in chosen {
        let address = address_of(one);
        let is_it = |source: &&mut Source| [&source.path, &source.url].into_iter().flatten().any(|at| *at == address);
        let Some(source) = session.sources.iter_mut().find(is_it) else { continue };
        let is_new = |query: &&String| !source.found_by.contains(query);
        let more: Vec<String> = one.found_by.iter().filter(is_new).cloned().collect();
        source.found_by.extend(more);
    }
}

/// Whether a search of an iteration found a readable source that the session had before it.
fn is_found_again(session: &SessionState, open: &OpenIteration) -> bool {
    let queries = || open.assignments.iter().flat_map(|one| &one.queries);
    let readable = session.sources.iter().filter(|source| source.text.is_some());
    let mut before = readable.filter(|source| open.sources_before.contains(&source.source_id));
    before.any(|source| queries().any(|query| source.found_by.contains(&query.text)))
}

/// Builds the result of gathering, for the phases that report it.
fn course(session: &SessionState, investigation: &Investigation) -> GatheringResult {
    let chosen = investigation.chosen.iter().map(|one| (address_of(one), one.hits)).collect();
    let pointers = investigation.pointers.clone();
    let forked = session.research.as_ref().and_then(|research| research.forked.clone());
    let collections = session.options.research.as_ref().map(|asked| asked.collections.clone()).unwrap_or_default();
    let rarity = investigation.rarity.clone();
    let found = investigation.chosen.iter().chain(&investigation.found_again);
    let numbers = found.filter_map(|one| Some((address_of(one), one.number?))).collect();
    GatheringResult {
        chosen,
        pointers,
        rarity,
        numbers,
        research: Research { collections, forked, ..investigation.clone().into_research() },
    }
}

/// Returns the path or URL of a document, as recorded in its source.
fn address_of(one: &ChosenDocument) -> String {
    one.address.clone().unwrap_or_else(|| one.document.clone())
}

/// Adds the chosen documents to the session's sources.
async fn add_sources(
    mut session: SessionState,
    investigation: Investigation,
    read: Vec<ReadDocument>,
    folders: &Arc<Folders>,
    ctx: &PhaseContext,
) -> Result<SessionState, PhaseError> {
    let mut outcomes = Vec::new();
    let mut ids: BTreeSet<SourceId> = session.sources.iter().map(|source| source.source_id.clone()).collect();
    for chosen in &investigation.chosen {
        let id = found_id(&chosen.document, &ids);
        ids.insert(id.clone());
        if is_page(chosen) {
            session.sources.push(page(id.clone(), chosen));
            // Use the text the researcher read: the page may have changed since.
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

/// Whether a web search found the document: only then is a URL fetched. A corpus document has a text, even if its path looks like a URL.
fn is_page(chosen: &ChosenDocument) -> bool {
    chosen.source_text_hash.is_empty() && chosen.document.contains("://")
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
        vectors_by: None,
    }
}

fn page(id: SourceId, chosen: &ChosenDocument) -> Source {
    let address = chosen.address.clone().unwrap_or_else(|| chosen.document.clone());
    Source { url: Some(address.clone()), ..source(id, chosen, Origin::Url(address)) }
}

/// Builds the source of a corpus document, with the text its passages were found in; it is not extracted again.
async fn document(
    id: SourceId,
    chosen: &ChosenDocument,
    folders: &Arc<Folders>,
    ctx: &PhaseContext,
) -> Result<(Source, JobOutcome<ExtractionAnswer>), PhaseError> {
    let (folders, name) = (Arc::clone(folders), chosen.document.clone());
    let found = texts::compute(move || {
        let found = folders.document(&name)?;
        Ok::<_, CorpusError>(found.map(|(found, sha256)| (folders.vectors(&name, &found), found, sha256)))
    })
    .await;
    let (vectors, found, sha256) = match found {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(missing_source(id, chosen, "the document is no longer in the corpus")),
        Err(error) => return Ok(missing_source(id, chosen, &error.to_string())),
    };
    let original = sha256.and_then(|sha256| format!("sha256:{sha256}").parse().ok());
    let origin = Origin::Content(original.unwrap_or_else(|| found.source_text_hash.clone()));
    let answer = answer(&found, ctx).await?;
    let path = Some(chosen.document.clone());
    let mut source = Source { path, ..source(id, chosen, origin) };
    if let Some((model, vectors)) = vectors {
        // Where the store is away they are made again, as those of other sources.
        ctx.cache().keep(&vectors_key(&model, &answer.text.content), &vectors).await;
        source.vectors_by = Some(model);
    }
    Ok((source, JobOutcome::Done(answer)))
}

fn missing_source(id: SourceId, chosen: &ChosenDocument, message: &str) -> (Source, JobOutcome<ExtractionAnswer>) {
    let origin = Origin::Content(ContentRef::from_bytes(chosen.document.as_bytes()));
    let source = Source { path: Some(chosen.document.clone()), ..source(id, chosen, origin) };
    (source, JobOutcome::Failed(JobFailure::permanent(GONE, message)))
}

/// Builds the answer an extraction would give, from the corpus, and puts the text into the content store.
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
    fn a_page_is_a_web_search_result_whatever_its_path() {
        let chosen = |document: &str, hash: &str| ChosenDocument {
            document: document.to_owned(),
            address: None,
            number: None,
            is_opened: false,
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
            is_opened: false,
            title: "Ferries".to_owned(),
            published: Some(published.to_owned()),
            snippet: Some("Ferries.".to_owned()),
            source_text_hash: String::new(),
            found_by: vec!["ferries".to_owned()],
            passages: Vec::new(),
            hits: 1,
        };
        let id = || SourceId::new("a").expect("a letter");
        let found = page(id(), &chosen("2019-03"));
        assert_eq!(found.published_at, Timestamp::start_of("2019-03-01"));
        assert_eq!((found.snippet.as_deref(), found.url.as_deref()), (Some("Ferries."), Some("https://a.example/")));
        assert_eq!(page(id(), &chosen("last week")).published_at, None, "a date is read or left out, never guessed");
    }
}
