//! The topics that researchers worked on, and the topic of each source.

use std::collections::BTreeMap;

use precis_proto::research::Research;

/// Maps each search text to the topic of the first directive that made it. Empty if no model researched: only researchers have topics.
pub(super) fn topics(research: &Research) -> BTreeMap<String, String> {
    let mut topics = BTreeMap::new();
    let directives = research.rounds.iter().flat_map(|round| &round.directives);
    for directive in directives.filter(|directive| directive.raw_notes.is_some()) {
        for text in directive.queries.iter().filter_map(|query| query.text.clone()) {
            topics.entry(text).or_insert_with(|| directive.topic.clone());
        }
    }
    topics
}

/// Returns the topic of a source from the searches that found it: the first with a topic; empty if none has one.
pub(super) fn topic_of<'t>(topics: &'t BTreeMap<String, String>, found_by: &[String]) -> &'t str {
    found_by.iter().find_map(|query| topics.get(query)).map_or("", String::as_str)
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

    #[test]
    fn the_first_search_with_a_topic_decides() {
        let topics = BTreeMap::from([("b".to_owned(), "Boats".to_owned()), ("c".to_owned(), "Carts".to_owned())]);
        for (found_by, want) in [(&["x", "c", "b"][..], "Carts"), (&["b"], "Boats"), (&["x"], ""), (&[], "")] {
            let found_by: Vec<String> = found_by.iter().map(|query| (*query).to_owned()).collect();
            assert_eq!(topic_of(&topics, &found_by), want, "{found_by:?}");
        }
    }
}
