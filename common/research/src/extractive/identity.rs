//! Documents that a question names: `PEP 572` names the document titled `PEP 572: Assignment Expressions`, and the file `pep-0572.rst`.
//!
//! Such a document seldom contains its own name, while others mention it often. So its name counts as part of each of its passages.

use precis_evidence::question::asked::Question;
use precis_evidence::question::asking_words::AnswerKind;
use precis_evidence::question::clause::clauses;
use precis_evidence::question::entity::{identifiers, key, number_of};
use precis_evidence::question::own_identifier::{leading_number, named_outside};
use precis_evidence::question::query::asking_worth;
use precis_language::question_shape::asks_what_it_says as asks_what_it_says_word;
use precis_proto::task::{TaskFinding, TaskPassage};
use precis_text::terms::{query_terms, terms};

/// Most terms besides the name in a question that asks for a whole document. Chosen, not measured.
const MOST_OPEN_TERMS: usize = 1;

/// The title of a document and its path in the searched folder; the path is empty if it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentName<'t> {
    /// Its title.
    pub title: &'t str,
    /// Its path.
    pub path: &'t str,
}

impl DocumentName<'_> {
    /// Whether the document is `name`: by its identifier, or, if title and path give none, by the number that its file name begins with.
    fn is(self, name: &str) -> bool {
        match named_outside(self.title, self.path) {
            Some(own) => key(&own) == key(name),
            None => leading_number(self.path).is_some_and(|number| number == number_of(name)),
        }
    }
}

/// The name of the document of a finding.
pub(super) fn finding_name(finding: &TaskFinding) -> DocumentName<'_> {
    DocumentName { title: &finding.title, path: &finding.path }
}

/// The name of the document of a passage.
pub(super) fn passage_name(passage: &TaskPassage) -> DocumentName<'_> {
    DocumentName { title: &passage.title, path: &passage.path }
}

/// The identifiers in `query` by which one of `documents` is known.
pub fn named_documents<'t>(query: &str, documents: impl Iterator<Item = DocumentName<'t>>) -> Vec<String> {
    let mut named = identifiers(query);
    if named.is_empty() {
        return named;
    }
    let documents: Vec<DocumentName<'t>> = documents.collect();
    named.retain(|name| documents.iter().any(|document| document.is(name)));
    named
}

/// Whether the document is one of the `named`.
#[must_use]
pub fn is_named(named: &[String], document: DocumentName<'_>) -> bool {
    !identifier_terms(named, document).is_empty()
}

/// The terms of the identifier of a document; empty unless it is one of the `named`.
pub(super) fn identifier_terms(named: &[String], document: DocumentName<'_>) -> Vec<String> {
    named.iter().find(|name| document.is(name)).map_or_else(Vec::new, |name| terms(name))
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
    fn a_document_is_named_by_what_its_title_or_file_name_begins_with() {
        let titled = |title: &'static str| DocumentName { title, path: "" };
        let names = [
            titled("PEP 572: Assignment Expressions"),
            titled("PEP 0012 – Salt"),
            titled("A rival of PEP 5"),
            DocumentName { title: "Pepper", path: "all/pep-0013.xml" },
            DocumentName { title: "Mint", path: "all/0014-mint.md" },
        ];
        let of = |query: &str| named_documents(query, names.into_iter());
        assert_eq!(
            of("What does PEP 572 add to PEP-12, PEP 13, PEP 14, PEP 5 and RFC 9?"),
            ["PEP 572", "PEP 12", "PEP 13", "PEP 14"]
        );
        assert!(of("What is new?").is_empty());
        let named = of("What does PEP 572 add?");
        for (title, want) in [
            ("PEP 572: Assignment Expressions", 2),
            ("PEP 0572 – Assignment Expressions", 2),
            ("PEP 573: Module State", 0),
            ("A rival of PEP 572", 0),
            ("", 0),
        ] {
            let name = titled(title);
            assert_eq!((identifier_terms(&named, name).len(), is_named(&named, name)), (want, want > 0), "{title}");
        }
        assert!(identifier_terms(&[], titled("PEP 572")).is_empty());
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
