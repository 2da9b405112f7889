//! The built-in brief and plan, made without a model: sub-questions from the parts of a question or from the things it compares.

use precis_evidence::question::analysis::Analysis;
use precis_evidence::question::elements::comparison_elements;
use precis_evidence::question::entity::{Entity, EntityKind, entities, is_thing};
use precis_evidence::question::relation::Relation;
use precis_language::question_shape::{asks_for_much, compares_by_stem, compares_named, is_nameless};
use precis_language::question_words::is_question_word;
use precis_language::words::tokens;
pub use precis_proto::research::Plan;
use precis_proto::research::{Brief, Complexity, Facet, QuestionKind, SubQuestion, SubQuestionOrigin};
use precis_text::terms::{likeness, literals, query_terms, terms};

/// Most sub-questions of the built-in plan.
pub const MOST_SUB_QUESTIONS: usize = 5;
/// Most facets of one sub-question.
const MOST_FACETS: usize = 4;
/// Words from which a question is at least moderate, and from which it is complex, whatever its parts; chosen, not measured.
const LONG_WORDS: [usize; 2] = [80, 200];
/// Value of `written_by` in the built-in brief.
pub const WRITTEN_BY: &str = "local:extractive";

/// The built-in plan for an analysed question.
///
/// ```
/// use precis_evidence::question::analysis::analyse;
/// use precis_research::plan;
///
/// let plan = plan(&analyse("Compare the memory of Rust and Go"));
/// let texts: Vec<&str> = plan.sub_questions.iter().map(|one| one.text.as_str()).collect();
/// assert_eq!(texts, ["Rust memory", "Go memory"]);
/// ```
#[must_use]
pub fn plan(analysis: &Analysis) -> Plan {
    let sub_questions = if analysis.compared.is_empty() { of_parts(analysis) } else { of_comparison(analysis) };
    let restated = analysis.question.trim_matches(|c: char| c.is_whitespace() || matches!(c, '?' | '¿' | '？' | '.'));
    let dates = analysis.entities.iter().filter(|entity| entity.kind == EntityKind::Date);
    let brief = Brief {
        question: analysis.question.clone(),
        restated: restated.split_whitespace().collect::<Vec<_>>().join(" "),
        kind: analysis.kind,
        complexity: complexity(&analysis.question, &sub_questions),
        language: analysis.language.to_owned(),
        constraints: dates.map(|date| date.text.clone()).collect(),
        assumptions: assumptions(analysis),
        written_by: WRITTEN_BY.to_owned(),
    };
    Plan { brief, sub_questions }
}

/// The complexity of a question, by its number of sub-questions, its length, and words such as "comprehensive".
pub(super) fn complexity(question: &str, sub_questions: &[SubQuestion]) -> Complexity {
    let words = question.split_whitespace().count();
    let demands = question
        .split_whitespace()
        .any(|word| asks_for_much(&word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()));
    if sub_questions.len() >= 5 || words >= LONG_WORDS[1] {
        Complexity::Complex
    } else if sub_questions.len() >= 2 || words >= LONG_WORDS[0] || demands {
        Complexity::Moderate
    } else {
        Complexity::Simple
    }
}

fn assumptions(analysis: &Analysis) -> Vec<String> {
    let mut found = Vec::new();
    if analysis.kind == QuestionKind::Comparison {
        found.push(format!("the things compared are {}", analysis.compared.join(", ")));
    }
    for part in analysis.parts.iter().filter(|_| analysis.compared.is_empty()) {
        if let Some(before) = part.rests_on {
            found.push(format!("\"{}\" is about the answer to \"{}\"", part.text, analysis.parts[before].text));
        }
    }
    found
}

fn of_parts(analysis: &Analysis) -> Vec<SubQuestion> {
    let parts = analysis.parts.iter().take(MOST_SUB_QUESTIONS).enumerate();
    parts
        .map(|(n, part)| {
            let relation = Relation::from_question(&part.text).filter(|_| part.rests_on.is_none());
            let id = format!("q{}", n + 1);
            // Terms of the part it rests on need not be found again.
            let known = part.rests_on.map(|before| analysis.parts[before].text.as_str()).unwrap_or_default();
            let facets = match &relation {
                Some(relation) => vec![Facet {
                    id: format!("{id}.f1"),
                    entity: Some(relation.anchor.clone()),
                    terms: vec![relation.word.to_lowercase()],
                }],
                None => facets(&id, &part.text, known, analysis.language),
            };
            SubQuestion {
                answered_when: match &relation {
                    Some(relation) => {
                        format!("a passage states what \"{}\" relates to {}", relation.word, relation.anchor)
                    }
                    None => answered_when(&facets),
                },
                text: part.text.clone(),
                facets,
                priority: if part.rests_on.is_some() { 2 } else { 1 },
                after: part.rests_on.iter().map(|before| format!("q{}", before + 1)).collect(),
                origin: SubQuestionOrigin::Plan,
                id,
            }
        })
        .collect()
}

/// Sub-questions of a comparison: one for each clause asked besides it, then one for each thing compared, with what is asked of it.
fn of_comparison(analysis: &Analysis) -> Vec<SubQuestion> {
    let beside = analysis.beside.iter().map(|text| (text.clone(), None, Vec::new()));
    let asked = aspect(analysis);
    let said = in_own_words(&analysis.question, &asked);
    let elements = analysis.compared.iter().map(|element| {
        let text = format!("{element} {said}").trim_end().to_owned();
        (text, Some(element.clone()), asked.clone())
    });
    let all = beside.chain(elements).take(MOST_SUB_QUESTIONS).enumerate();
    all.map(|(n, (text, entity, terms))| {
        let id = format!("q{}", n + 1);
        let facets = match entity {
            Some(_) => vec![Facet { id: format!("{id}.f1"), entity, terms }],
            None => facets(&id, &text, "", analysis.language),
        };
        let answered_when = answered_when(&facets);
        SubQuestion { text, answered_when, facets, priority: 1, after: Vec::new(), origin: SubQuestionOrigin::Plan, id }
    })
    .collect()
}

/// The terms by which the things are compared.
fn aspect(analysis: &Analysis) -> Vec<String> {
    let says = |term: &String| !is_comparing(term) && says(term);
    if let Some(compared) = comparison_elements(&analysis.question).filter(|compared| compared.elements.len() > 1) {
        return compared.aspect.terms().iter().filter(|term| says(term)).cloned().collect();
    }
    let names: Vec<Vec<String>> = analysis.compared.iter().map(|element| terms(element)).collect();
    let is_name = |term: &String| names.iter().flatten().any(|own| own == term);
    query_terms(&analysis.question).into_iter().filter(|term| !is_name(term) && says(term)).collect()
}

/// The words of `question` that consist of terms in `asked`; the terms themselves if there are no such words, as in Chinese.
fn in_own_words(question: &str, asked: &[String]) -> String {
    let words = tokens(question, &[]).map(|word| word.text);
    let is_asked = |word: &&str| {
        let own = terms(word);
        !own.is_empty() && own.iter().all(|term| asked.contains(term))
    };
    let said: Vec<&str> = words.filter(is_asked).collect();
    if said.is_empty() { asked.join(" ") } else { said.join(" ") }
}

fn is_comparing(term: &str) -> bool {
    compares_named(term) || compares_by_stem(term)
}

/// The facets of `text`: each thing it names with the terms asked about it, without terms in `known`, which need not be found.
pub(super) fn facets(id: &str, text: &str, known: &str, language: &str) -> Vec<Facet> {
    let known = terms(known);
    let is_known = |term: &String| known.iter().any(|held| likeness(held, term) > 0.0);
    let named: Vec<Entity> = entities(text).into_iter().filter(|entity| is_thing(entity, language)).collect();
    let own: Vec<String> = named.iter().flat_map(|entity| terms(&entity.text)).collect();
    let asked: Vec<String> =
        query_terms(text).into_iter().filter(|term| !own.contains(term) && !is_known(term) && says(term)).collect();
    let things: Vec<&Entity> =
        named.iter().filter(|entity| terms(&entity.text).iter().any(|term| !is_known(term))).collect();
    if things.is_empty() {
        let terms = if asked.is_empty() { literals(text) } else { asked };
        return vec![Facet { id: format!("{id}.f1"), entity: None, terms }];
    }
    let facet = |(n, entity): (usize, &&Entity)| Facet {
        id: format!("{id}.f{}", n + 1),
        entity: Some(entity.text.clone()),
        terms: asked.clone(),
    };
    things.iter().take(MOST_FACETS).enumerate().map(facet).collect()
}

/// Whether a term has content, that is, does not merely ask.
fn says(term: &str) -> bool {
    !is_nameless(term) && !is_question_word(term)
}

pub(super) fn answered_when(facets: &[Facet]) -> String {
    let said = facets.iter().map(|facet| match (&facet.entity, facet.terms.is_empty()) {
        (Some(entity), true) => entity.clone(),
        (Some(entity), false) => format!("{entity} with {}", facet.terms.join(", ")),
        (None, _) => facet.terms.join(", "),
    });
    format!("a passage speaks of {}", said.collect::<Vec<_>>().join("; of "))
}

#[cfg(test)]
mod tests {
    use precis_evidence::question::analysis::analyse;

    use super::*;

    fn planned(question: &str) -> Plan {
        plan(&analyse(question))
    }

    #[test]
    fn a_plan_has_a_sub_question_for_each_part_or_element() {
        for (question, complexity, want) in [
            ("Who wrote Hamlet?", Complexity::Simple, vec![("Who wrote Hamlet", 0)]),
            (
                "What does PEP 409 require, and who wrote the required PEP?",
                Complexity::Moderate,
                vec![("What does PEP 409 require", 0), ("who wrote the required PEP", 1)],
            ),
            ("Compare the memory of Rust and Go", Complexity::Moderate, vec![("Rust memory", 0), ("Go memory", 0)]),
            (
                "How long does SARS-CoV-2 survive on plastic compared with steel?",
                Complexity::Moderate,
                vec![("plastic long SARS-CoV-2 survive", 0), ("steel long SARS-CoV-2 survive", 0)],
            ),
            (
                "What is the incubation period of flu and how does it differ between men and women?",
                Complexity::Moderate,
                vec![
                    ("What is the incubation period of flu", 0),
                    ("men incubation period flu", 0),
                    ("women incubation period flu", 0),
                ],
            ),
            ("Give a survey of Hamlet", Complexity::Moderate, vec![("Give a survey of Hamlet", 0)]),
            ("", Complexity::Simple, vec![("", 0)]),
        ] {
            let plan = planned(question);
            let found: Vec<(&str, usize)> =
                plan.sub_questions.iter().map(|q| (q.text.as_str(), q.after.len())).collect();
            assert_eq!((plan.brief.complexity, found), (complexity, want), "{question}");
        }
    }

    #[test]
    fn a_long_question_is_more_work() {
        for (words, want) in [
            (79, Complexity::Simple),
            (80, Complexity::Moderate),
            (199, Complexity::Moderate),
            (200, Complexity::Complex),
        ] {
            assert_eq!(planned(&vec!["rock"; words].join(" ")).brief.complexity, want, "{words}");
        }
    }

    #[test]
    fn a_plan_without_a_model_has_at_most_five_sub_questions() {
        for (clauses, want) in [(4, 4), (5, 5), (6, 5)] {
            let question = vec!["Who made Alpha One?"; clauses].join(" ");
            assert_eq!(planned(&question).sub_questions.len(), want);
        }
    }

    #[test]
    fn years_are_constraints_and_rests_are_assumptions() {
        let plan = planned("Who ruled Rome in 1527 and when did he die?");
        assert_eq!(plan.brief.constraints, ["1527"]);
        assert_eq!(plan.brief.assumptions.len(), 1);
        assert_eq!(plan.sub_questions[1].after, ["q1"]);
    }
}
