//! The sources that a session has before it searches, such as the documents of an earlier session.
//!
//! They are read in any case. If a search finds one again, it is not a new find: it is neither fetched nor parsed again, and keeps its
//! number.

use std::collections::BTreeSet;

use precis_proto::research::GatheringResult;
use precis_proto::source::{Origin, Source};
use precis_proto::state::SessionState;
use precis_research::{ChosenDocument, KnownDocuments};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::PhaseError;
use precis_runtime::search::identity;
use url::Url;

use super::planning::get;

/// Returns the sources of `session` that were not found by its own searches.
async fn given_sources<'s>(session: &'s SessionState, content: &ContentStore) -> Result<Vec<&'s Source>, PhaseError> {
    let course = session.research.as_ref().and_then(|research| research.course.as_ref());
    let brought: BTreeSet<String> = match course {
        Some(course) => {
            let settled: GatheringResult = get(course, content).await?;
            settled.chosen.into_iter().map(|(document, _)| document).collect()
        }
        None => BTreeSet::new(),
    };
    let is_given = |source: &&Source| ![&source.path, &source.url].into_iter().flatten().any(|at| brought.contains(at));
    Ok(session.sources.iter().filter(is_given).collect())
}

/// Returns the documents the session has before it searches.
pub(super) async fn known_documents(
    session: &SessionState,
    content: &ContentStore,
) -> Result<KnownDocuments, PhaseError> {
    let given = given_sources(session, content).await?;
    let pages = given.iter().filter_map(|source| page_of(source.url.as_deref()?));
    let texts = given.iter().filter_map(|source| source.original().map(ToString::to_string));
    Ok(KnownDocuments { pages: pages.collect(), texts: texts.collect() })
}

/// Returns only the pages given by URL: all that a web lane may know if given texts, and even their origin, must stay private.
pub(super) fn named_alone(session: &SessionState) -> KnownDocuments {
    let is_named = |source: &&Source| matches!(source.origin, Origin::Url(_)) && source.found_by.is_empty();
    let pages = session.sources.iter().filter(is_named).filter_map(|source| page_of(source.url.as_deref()?));
    KnownDocuments { pages: pages.collect(), texts: BTreeSet::new() }
}

/// Returns the identity of the page at `address`, as searches use it; `None` if it is not a URL.
fn page_of(address: &str) -> Option<String> {
    Url::parse(address).ok().map(|url| identity(&url))
}

/// Records in the sources which searches found them again, and the path of a file in the searched folder. A page given only by its URL is
/// left unchanged.
pub(super) fn note(session: &mut SessionState, found_again: &[ChosenDocument]) {
    for found in found_again {
        let is_it = |source: &&mut Source| {
            let is_text = source.original().is_some_and(|text| text.to_string() == found.source_text_hash);
            let is_page = || source.url.as_deref().and_then(page_of).is_some_and(|page| page == found.document);
            matches!(source.origin, Origin::Content(_)) && (is_text || is_page())
        };
        let Some(source) = session.sources.iter_mut().find(is_it) else { continue };
        for query in &found.found_by {
            if !source.found_by.contains(query) {
                source.found_by.push(query.clone());
            }
        }
        if !found.document.contains("://") {
            source.path.get_or_insert_with(|| found.document.clone());
        }
    }
}
