//! The topics that researchers worked on, and those of each source.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::SourceId;
use precis_proto::research::{GatheringResult, OpenIteration, Research};
use precis_proto::state::SessionState;
use precis_research::TopicFit;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::PhaseError;

use crate::documents::texts;

/// A topic with the searches that were made for it.
#[derive(Debug, PartialEq, Eq)]
struct SearchedTopic {
    topic: String,
    queries: BTreeSet<String>,
}

/// Returns the topics of researchers, each once, in the order of their directives. Empty if no model researched: only researchers have
/// topics.
fn topics(research: &Research) -> Vec<SearchedTopic> {
    let mut topics: Vec<SearchedTopic> = Vec::new();
    let directives = research.rounds.iter().flat_map(|round| &round.directives);
    for directive in directives.filter(|directive| directive.raw_notes.is_some()) {
        let queries = directive.queries.iter().filter_map(|query| query.text.clone());
        match topics.iter_mut().find(|one| one.topic == directive.topic) {
            Some(one) => one.queries.extend(queries),
            None => topics.push(SearchedTopic { topic: directive.topic.clone(), queries: queries.collect() }),
        }
    }
    topics
}

/// Returns the topics of each source that has any: those whose searches found it or whose words it answers, whatever their order.
pub(super) async fn source_topics(
    session: &SessionState,
    gathered: Option<&GatheringResult>,
    content: &ContentStore,
) -> Result<BTreeMap<SourceId, Vec<String>>, PhaseError> {
    let all = gathered.map(|gathered| topics(&gathered.research)).unwrap_or_default();
    let mut known = BTreeMap::new();
    if all.is_empty() {
        return Ok(known);
    }
    for source in &session.sources {
        let Some(text) = &source.text else { continue };
        let text = texts::load(content, text).await;
        let text = text.map_err(|e| PhaseError::transient("content_unavailable", e.to_string()))?;
        let said = format!("{}\n{}", source.title, text.as_str());
        let fit = TopicFit::new(all.iter().map(|one| one.topic.as_str()));
        let fits = texts::compute(move || fit.of(&said)).await;
        let is_found = |at: usize| source.found_by.iter().any(|query| all[at].queries.contains(query));
        let own: Vec<String> =
            TopicFit::choose_topics(&fits, is_found).into_iter().map(|at| all[at].topic.clone()).collect();
        if !own.is_empty() {
            known.insert(source.source_id.clone(), own);
        }
    }
    Ok(known)
}

/// Returns the gaps of an open iteration for which sources that the session had before were found again. Empty if it added sources: these
/// are read for the gaps, and what was read before is not paid for again.
pub(super) fn gap_topics(session: &SessionState, open: Option<&OpenIteration>) -> BTreeMap<SourceId, Vec<String>> {
    let mut gaps: BTreeMap<SourceId, Vec<String>> = BTreeMap::new();
    let Some(open) = open else { return gaps };
    if session.sources.iter().any(|source| source.text.is_some() && !open.sources_before.contains(&source.source_id)) {
        return gaps;
    }
    for source in session.sources.iter().filter(|source| open.sources_before.contains(&source.source_id)) {
        for one in &open.assignments {
            if one.queries.iter().any(|query| source.found_by.contains(&query.text)) {
                gaps.entry(source.source_id.clone()).or_default().push(one.topic.clone());
            }
        }
    }
    gaps
}

/// Groups sources by topic; topics and sources keep the order of their first occurrence.
pub(super) fn by_topic<S: Clone>(sources: &[(String, S)]) -> Vec<(String, Vec<S>)> {
    let mut groups: Vec<(String, Vec<S>)> = Vec::new();
    for (topic, source) in sources {
        match groups.iter_mut().find(|(known, _)| known == topic) {
            Some((_, group)) => group.push(source.clone()),
            None => groups.push((topic.clone(), vec![source.clone()])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_grouped_by_topic_in_the_order_they_come() {
        let sources: Vec<(String, u32)> =
            [("b", 1), ("a", 2), ("b", 3), ("", 4), ("a", 5)].map(|(topic, n)| (topic.to_owned(), n)).to_vec();
        let want = [("b", vec![1, 3]), ("a", vec![2, 5]), ("", vec![4])];
        assert_eq!(by_topic(&sources), want.map(|(topic, group)| (topic.to_owned(), group)));
        assert!(by_topic::<u32>(&[]).is_empty());
    }
}
