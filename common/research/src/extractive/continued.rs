//! Statements that go on where another one ends: of a question in two steps, the first document names what the second is about.

use std::collections::BTreeSet;

use precis_proto::task::TaskFinding;
use precis_text::terms;

use super::answerability::telling_names;

/// The names and numbers that the statements of a report give and the question does not have.
#[derive(Debug, Default)]
pub(super) struct GivenNames {
    /// The terms of each, with the source that gives it.
    given: BTreeSet<(u32, Vec<String>)>,
}

impl GivenNames {
    /// Adds those of a statement shown. A number alone, and what the statement's own document is called, name no other document.
    pub(super) fn add(&mut self, finding: &TaskFinding, asked: &[String]) {
        let known = called(finding);
        let is_new = |own: &[String]| !own.iter().all(|term| asked.contains(term) || known.contains(term));
        let names =
            telling_names(&finding.statement).filter(|(text, own)| text.contains(char::is_alphabetic) && is_new(own));
        self.given.extend(names.map(|(_, own)| (finding.source, own)));
    }

    /// Whether the document of `finding` is called by a name that the statement of another document gives.
    pub(super) fn are_of(&self, finding: &TaskFinding) -> bool {
        let called = called(finding);
        let is_called = |own: &[String]| own.iter().all(|term| called.contains(term));
        self.given.iter().any(|(source, own)| *source != finding.source && is_called(own))
    }
}

/// The terms of what the document of `finding` is called.
fn called(finding: &TaskFinding) -> Vec<String> {
    [&finding.title, &finding.path].into_iter().flat_map(|name| terms::terms(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(source: u32, title: &str, statement: &str) -> TaskFinding {
        serde_json::from_value(serde_json::json!({
            "id": source, "topic": "", "statement": statement, "title": title, "source": source, "score": 0.9,
        }))
        .expect("a finding")
    }

    #[test]
    fn a_document_called_by_a_name_of_another_goes_on() {
        let asked = terms::query_terms("Who wrote the rule that the bridge follows?");
        let mut given = GivenNames::default();
        given.add(&finding(1, "Bridges of Norby", "The bridge of Norby follows rule R-17 since 1987."), &asked);
        assert!(given.are_of(&finding(2, "R-17: Loads", "It was written by Ida Lund.")));
        assert!(!given.are_of(&finding(2, "R-18: Loads", "It was written by Ida Lund.")), "another number");
        assert!(!given.are_of(&finding(1, "R-17: Loads", "It was written by Ida Lund.")), "the same document");
        assert!(!given.are_of(&finding(2, "Minutes of 1987", "It was written by Ida Lund.")), "a number alone");
        assert!(!given.are_of(&finding(2, "Ferries of Norby", "It was written by Ida Lund.")), "so is the first");
    }
}
