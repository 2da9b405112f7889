//! The clauses of a question that are answered one by one: "How long does it last, and can it be prolonged?".

use precis_evidence::question::clause::{clauses, rests_on};
use precis_evidence::question::elements::comparison_elements;
use precis_evidence::question::query::asking_worth;
use precis_evidence::typed::field_question::{FieldQuestion, field};
use precis_proto::answer::AnswerPart;
use precis_proto::task::TaskFinding;
use precis_text::terms;
use precis_text::terms::likeness;

use super::measures::{lacks_wanted, own_words};

/// Most clauses of a question that are answered one by one. Chosen, not measured.
const MOST_CLAUSES: usize = 4;

/// The clauses of `query`; none if it has but one, or more than [`MOST_CLAUSES`], or compares, which has a form of its own.
pub(super) fn asked_clauses(query: &str) -> Vec<String> {
    let all = clauses(query);
    let asks = |clause: &String| terms::query_terms(clause).iter().any(|term| asking_worth(term) >= 1.0);
    let is_comparison = comparison_elements(query).is_some_and(|compared| compared.elements.len() > 1);
    let are_several = (2..=MOST_CLAUSES).contains(&all.len()) && all.iter().all(asks) && !is_comparison;
    if are_several { all } else { Vec::new() }
}

/// Whether the clause at `at` says itself what it is about, and needs no word of those before it.
pub(super) fn is_full(clauses: &[String], at: usize) -> bool {
    at == 0 || !rests_on(&clauses[at], &clauses[at - 1])
}

/// Whether `query` wants figures or times that `findings` do not have: a question of several clauses only if all of them do, because each is
/// answered by itself.
pub(super) fn lacks_all_wanted(query: &str, findings: &[TaskFinding]) -> bool {
    let clauses = asked_clauses(query);
    match clauses.is_empty() {
        true => lacks_wanted(query, findings),
        false => clauses.iter().all(|clause| lacks_wanted(clause, findings)),
    }
}

/// The clauses of `query` that `findings` do not answer: none has a word that only this clause asks, beside one of the others if it is about
/// their answer, or the figure or time that it wants. Clauses that share all their words with the others are not judged.
pub(super) fn unanswered_clauses(query: &str, findings: &[TaskFinding]) -> Vec<AnswerPart> {
    let clauses = asked_clauses(query);
    let held: Vec<Vec<String>> = findings.iter().map(said_terms).collect();
    let holds = |words: &[String], term: &String| words.iter().any(|word| likeness(term, word) > 0.0);
    let is_unanswered = |at: usize| {
        let others: Vec<String> = (0..clauses.len())
            .filter(|other| *other != at)
            .flat_map(|other| terms::query_terms(&clauses[other]))
            .collect();
        let mut own = terms::query_terms(&clauses[at]);
        own.retain(|term| asking_worth(term) >= 1.0 && !holds(&others, term));
        // "Who pays for them" is not answered by whoever pays for something else.
        let is_about = |held: &Vec<String>| is_full(&clauses, at) || others.iter().any(|term| holds(held, term));
        let is_field = findings.iter().any(|finding| is_in_field(&clauses[at], &own, finding));
        let is_missing = !is_field
            && !own.is_empty()
            && !held.iter().any(|held| own.iter().any(|term| holds(held, term)) && is_about(held));
        is_missing || lacks_wanted(&clauses[at], findings)
    };
    let unanswered = (0..clauses.len()).filter(|at| is_unanswered(*at));
    unanswered.map(|at| AnswerPart { text: clauses[at].clone(), is_answered: false }).collect()
}

/// Whether a finding is a header field that the clause asks for, by its role or by its name: it need not say whose it is.
fn is_in_field(clause: &str, own: &[String], finding: &TaskFinding) -> bool {
    let Some((name, _)) = field(&finding.statement) else { return false };
    let name = terms::terms(name);
    let is_asked = own.iter().any(|term| name.iter().any(|word| likeness(term, word) > 0.0));
    is_asked || FieldQuestion::of(clause).is_some_and(|asked| asked.is_in(&finding.statement))
}

/// The terms of a finding, of the headings above it and of its document's title.
fn said_terms(finding: &TaskFinding) -> Vec<String> {
    let names = finding.headings.iter().chain([&finding.title]).flat_map(|name| terms::terms(name));
    terms::terms(&own_words(finding)).into_iter().chain(names).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(statement: &str) -> TaskFinding {
        serde_json::from_value(serde_json::json!({
            "id": 1, "topic": "", "statement": statement, "title": "", "source": 1, "score": 0.5,
        }))
        .expect("a finding")
    }

    #[test]
    fn a_question_of_one_clause_or_a_comparison_has_no_parts() {
        for (query, count) in [
            ("How long does a loan last, and can it be prolonged?", 2),
            ("Where do I report a bug, and where are the guides?", 2),
            ("Who mends pumps and pipes?", 0),
            ("Who says where and when it meets?", 0),
            ("How does Alpha differ from Beta and who sells it?", 0),
            ("Who a? Who b? Who c? Who d? Who e?", 0),
            ("", 0),
        ] {
            assert_eq!(asked_clauses(query).len(), count, "{query}");
        }
    }

    #[test]
    fn a_figure_that_one_clause_wants_does_not_refuse_the_others() {
        let role = [finding("A moderator kicks a user.")];
        for (query, want) in [
            ("How many servers kick a user?", true),
            ("Who kicks a user, and how many servers support it?", false),
            ("How many users are kicked, and how many servers support it?", true),
        ] {
            assert_eq!(lacks_all_wanted(query, &role), want, "{query}");
        }
    }

    #[test]
    fn a_clause_without_a_word_or_figure_in_the_findings_is_unanswered() {
        let lasts = finding("A loan lasts for 120 days.");
        let query = "How long does a loan last, and can it be prolonged?";
        let unanswered = |findings: &[TaskFinding]| {
            unanswered_clauses(query, findings).into_iter().map(|part| part.text).collect::<Vec<_>>()
        };
        assert_eq!(unanswered(std::slice::from_ref(&lasts)), ["can it be prolonged"]);
        assert!(unanswered(&[lasts.clone(), finding("A loan is prolonged on request.")]).is_empty());
        let of = |statement: &str| {
            let found = [finding("requires: 165"), finding(statement)];
            unanswered_clauses("What does ERC-9 require, and who wrote the required one?", &found).len()
        };
        assert_eq!(["author: Ann Bell", "status: Final"].map(of), [0, 1], "a field says its role");
        assert_eq!(unanswered(&[lasts, finding("A passport is prolonged on request.")]), ["can it be prolonged"]);
        assert_eq!(
            unanswered(&[finding("A loan lasts, and is prolonged on request.")]),
            ["How long does a loan last"],
            "no figure"
        );
    }
}
