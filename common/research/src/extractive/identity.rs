//! Documents that a question names: `PEP 572` names the document titled `PEP 572: Assignment Expressions`.
//!
//! Such a document seldom contains its own name, while others mention it often. So its name counts as part of each of its passages.

use std::collections::BTreeSet;

use precis_evidence::question::asked::Question;
use precis_evidence::question::asking_words::AnswerKind;
use precis_evidence::question::clause::clauses;
use precis_evidence::question::entity::{identifiers, key, leading_identifier};
use precis_evidence::question::query::asking_worth;
use precis_language::question_shape::asks_what_it_says as asks_what_it_says_word;
use precis_text::terms::{query_terms, terms};

/// Most terms besides the name in a question that asks for a whole document. Chosen, not measured.
const MOST_OPEN_TERMS: usize = 1;

/// The identifiers in `query` by which one of the documents with these `titles` is known.
pub fn named_documents<'t>(query: &str, titles: impl Iterator<Item = &'t str>) -> Vec<String> {
    let mut named = identifiers(query);
    if named.is_empty() {
        return named;
    }
    let known: BTreeSet<String> = titles.filter_map(leading_identifier).map(|own| key(&own)).collect();
    named.retain(|name| known.contains(&key(name)));
    named
}

/// Whether the document with this title is one of the `named`.
#[must_use]
pub fn is_named(named: &[String], title: &str) -> bool {
    !identifier_terms(named, title).is_empty()
}

/// The terms of the identifier in this title; empty unless the document is one of the `named`.
pub(super) fn identifier_terms(named: &[String], title: &str) -> Vec<String> {
    let own = if named.is_empty() { None } else { leading_identifier(title) };
    let is_named = |own: &String| named.iter().any(|name| key(name) == key(own));
    own.filter(is_named).map_or_else(Vec::new, |own| terms(&own))
}

/// Whether a question asks for a named document as a whole: some clause has the name and at most one other term.
pub(super) fn asks_for_all(query: &str, named: &[String]) -> bool {
    beside(query, named).is_some_and(|others| others.len() <= MOST_OPEN_TERMS)
}

/// Whether a question asks only what a named document is or says.
pub(super) fn asks_what_it_says(query: &str, named: &[String]) -> bool {
    let only_asks = |term: &String| asking_worth(term) < 1.0 || asks_what_it_says_word(term);
    beside(query, named).is_some_and(|others| others.iter().all(only_asks))
}

/// The terms with content that a question has beside the names of documents, if it asks what a document is, does or says, or why.
pub(super) fn asked_of_documents(query: &str, named: &[String]) -> Vec<String> {
    if !matches!(Question::new(query).wanted, AnswerKind::Reason | AnswerKind::Anything)
        || asks_what_it_says(query, named)
    {
        return Vec::new();
    }
    let others = beside(query, named).unwrap_or_default();
    others.into_iter().filter(|term| asking_worth(term) >= 1.0).collect()
}

/// The terms that the question has beside the names, in the clause with all the names that has the fewest; `None` if there is no such
/// clause, or no name.
fn beside(query: &str, named: &[String]) -> Option<Vec<String>> {
    let said: Vec<String> = named.iter().flat_map(|name| terms(name)).collect();
    let others = |part: &String| {
        let (names, others): (Vec<String>, _) = query_terms(part).into_iter().partition(|term| said.contains(term));
        said.iter().all(|term| names.contains(term)).then_some(others)
    };
    if named.is_empty() { None } else { clauses(query).iter().filter_map(others).min_by_key(Vec::len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_named_by_the_identifier_that_its_title_begins_with() {
        let titles = ["PEP 572: Assignment Expressions", "PEP 0012 – Salt", "A rival of PEP 5", "Notes"];
        let of = |query: &str| named_documents(query, titles.into_iter());
        assert_eq!(of("What does PEP 572 add to PEP-12, PEP 5 and RFC 9?"), ["PEP 572", "PEP 12"]);
        assert!(of("What is new?").is_empty());
        let named = of("What does PEP 572 add?");
        for (title, want) in [
            ("PEP 572: Assignment Expressions", 2),
            ("PEP 0572 – Assignment Expressions", 2),
            ("PEP 573: Module State", 0),
            ("A rival of PEP 572", 0),
            ("", 0),
        ] {
            assert_eq!((identifier_terms(&named, title).len(), is_named(&named, title)), (want, want > 0), "{title}");
        }
        assert!(identifier_terms(&[], "PEP 572").is_empty());
    }

    #[test]
    fn a_question_asks_for_a_whole_document_by_little_but_its_name() {
        let named = ["PEP 572".to_owned()];
        for (query, is_open, is_bare) in [
            ("What does PEP 572 add?", true, true),
            ("What does PEP 572 add and who wrote it?", true, true),
            ("What is PEP 572?", true, true),
            ("Summarize PEP 572.", true, true),
            ("Was schlägt PEP 572 vor?", true, true),
            ("When was PEP 572 accepted?", true, false),
            ("Which operators does PEP 572 give precedence over lambda?", false, false),
            ("What is new?", false, false),
        ] {
            assert_eq!(asks_for_all(query, &named), is_open, "{query}");
            assert_eq!(asks_what_it_says(query, &named), is_bare, "{query}");
        }
        assert!(!asks_for_all("What does PEP 572 add?", &[]));
        assert!(!asks_what_it_says("What does PEP 572 add?", &[]));
    }
}
