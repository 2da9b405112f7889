//! Documents that passages link to: what a passage leaves to another document is often the answer.
//!
//! A link counts by the trust in its passage, by what its sentence shares with the question, and by how well its document matches the same
//! search: a document that matches too little to be found by itself is worth a look if a passage about the matter leads there.

use precis_text::sentences::sentences_with_ranges;

use super::pool::PassagePool;
use super::term_weights::{PassageTerms, TermWeights};

/// Weights of a link: in any passage, for its sentence, for its document. Chosen, not measured.
const ANY: f64 = 0.2;
const SENTENCE: f64 = 0.4;
const DOCUMENT: f64 = 0.4;

/// A document that some passage links to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinkedDocument {
    /// Its name, as [`Hit::document`](super::Hit::document).
    pub(super) document: String,
    /// Rank among linked documents, 0 to 1.
    pub(super) score: f64,
    /// Trust in the passages that will be found in it, 0 to 1.
    pub(super) trust: f64,
    /// Terms of the question that the linking passage lacks.
    pub(super) lacking: Vec<String>,
}

/// The documents that passages link to, each once, by its best link.
pub(super) fn linked_documents(pool: &PassagePool, weights: &TermWeights, asked: &[String]) -> Vec<LinkedDocument> {
    let mut found: Vec<LinkedDocument> = Vec::new();
    for (_, passage) in pool.witnesses().filter(|(_, passage)| !passage.hit.links.is_empty()) {
        let lacking = weights.lacking(asked, &passage.held);
        let trust = passage.worth.min(1.0);
        let share = |text: &str| weights.share(asked, &[&PassageTerms::new(&[text])]);
        // Once a passage: a list of links is one passage with many of them.
        let sentences: Vec<(&str, f64)> =
            sentences_with_ranges(&passage.hit.text).map(|(_, sentence)| (sentence, share(sentence))).collect();
        for link in &passage.hit.links {
            let own = sentences.iter().find(|(sentence, _)| sentence.contains(&link.text));
            let about = own.map_or_else(|| share(&passage.hit.text), |(_, share)| *share);
            let score = trust * (ANY + SENTENCE * about + DOCUMENT * link.score);
            let linked = LinkedDocument {
                document: link.document.clone(),
                score,
                trust: trust * f64::midpoint(1.0, about.max(link.score)),
                lacking: lacking.clone(),
            };
            match found.iter_mut().find(|known| known.document == link.document) {
                Some(known) if known.score < score => *known = linked,
                Some(_) => {}
                None => found.push(linked),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use precis_evidence::question::analysis::analyse;
    use precis_proto::CharRange;
    use precis_proto::research::{Hit, HitLink, Lane};

    use super::super::search::NoVocabulary;
    use super::super::{Depth, PassageSearch, PassageSearchError, ResearchLimits, TermFrequencies, investigate, plan};

    const CALL: &str = "During an on-call shift a deploy that fails is rolled back. Lunch is described elsewhere.";
    const STEPS: &str = "Three people approve it. Nothing else is needed.";

    fn hit(document: &str, text: &str, links: &[(&str, &str)]) -> Hit {
        let link = |(text, document): &(&str, &str)| HitLink {
            text: (*text).to_owned(),
            document: (*document).to_owned(),
            score: 0.1,
        };
        Hit {
            document: document.to_owned(),
            range: CharRange::new(0, text.chars().count()),
            text: text.to_owned(),
            score: 1.0,
            links: links.iter().map(link).collect(),
            ..Hit::default()
        }
    }

    /// A folder in which only the page on calls is found by words; another is found only where it is searched itself.
    #[derive(Default)]
    struct Linked {
        searched: Vec<String>,
    }

    impl TermFrequencies for Linked {}

    impl PassageSearch for Linked {
        fn search(&mut self, _: &str, _: usize) -> Result<Vec<Hit>, PassageSearchError> {
            Ok(vec![hit("call.md", CALL, &[("elsewhere", "lunch.md"), ("rolled back", "steps.md")])])
        }

        fn search_document(&mut self, document: &str, _: &str, _: usize) -> Result<Vec<Hit>, PassageSearchError> {
            self.searched.push(document.to_owned());
            Ok(vec![hit(document, if document == "steps.md" { STEPS } else { "Soup." }, &[])])
        }
    }

    #[test]
    fn the_document_behind_a_link_is_searched_and_chosen() {
        let question = "How many people approve the roll back of a deploy during an on-call shift?";
        let mut folder = Linked::default();
        let found = investigate(plan(&analyse(question)), Lane::Local, Depth::Standard, None, &mut folder);
        assert_eq!(folder.searched.first().map(String::as_str), Some("steps.md"), "{:?}", folder.searched);
        let chosen: BTreeSet<&str> = found.chosen.iter().map(|one| one.document.as_str()).collect();
        assert!(chosen.contains("call.md") && chosen.contains("steps.md"), "{chosen:?}");
    }

    #[test]
    fn the_documents_of_a_folder_are_not_lent_to_the_web() {
        let limits = ResearchLimits::of_depth(Depth::Standard);
        let plan = plan(&analyse("How many people approve the roll back of a deploy during an on-call shift?"));
        let mut course = super::super::ResearchCourse::new(plan, Lane::Local, limits, &NoVocabulary);
        let assignments = course.assignments(&[], &NoVocabulary).expect("it begins");
        let gathered =
            assignments.iter().map(|one| super::super::investigate::gather(one, &mut true, &mut Linked::default()));
        let gathered = gathered.collect();
        course.fold(precis_proto::research::RoundLog::new(Lane::Local, assignments, gathered));
        let own = course.planned_assignments(&NoVocabulary);
        assert!(own.iter().any(|one| one.topic == "steps.md"), "{own:?}");
        assert!(course.leads(&NoVocabulary).iter().all(|lead| !lead.text.contains(".md")));
    }
}
