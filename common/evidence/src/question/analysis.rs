//! Rule-based analysis of a question: its kind, the things it names and compares, and its parts.

use precis_language::detect;
use precis_language::question_shape::{
    asks_for_all, asks_to_explain, compares_named, joins_questions, opens_enumeration, opens_explanation, opens_how_to,
    opens_yes_or_no,
};
use precis_language::question_words::is_question_word;
use precis_language::words::{Unspaced, WrittenWord, split};
use precis_proto::research::QuestionKind;
use precis_text::terms::terms;

use super::clause::{QuestionPart, clauses, parts, rests_on};
use super::entity::{Entity, entities, is_thing};
use super::history::asks_for_history;
use crate::question::elements::comparison_elements;

/// The rule-based analysis of a question.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// As it was asked, without white space at its ends.
    pub question: String,
    /// BCP 47 tag of its language; `und` if it was not recognized.
    pub language: &'static str,
    /// The kind of question.
    pub kind: QuestionKind,
    /// The things it names, in order.
    pub entities: Vec<Entity>,
    /// The things it compares, at least two; empty if it compares nothing.
    pub compared: Vec<String>,
    /// Clauses asked besides a comparison.
    pub beside: Vec<String>,
    /// Its parts; never empty.
    pub parts: Vec<QuestionPart>,
}

/// Analyses `question`. Never fails: a question that matches no rule is a question for a fact, with one part.
#[must_use]
pub fn analyse(question: &str) -> Analysis {
    let question = question.trim();
    let entities = entities(question);
    let language = detect(question).tag;
    let parts = parts(question, language);
    let compared = elements(question, &entities, language);
    let (kind, beside) = (kind(question, &compared, &parts), beside(question));
    Analysis { question: question.to_owned(), language, kind, entities, compared, beside, parts }
}

/// The clauses of a comparing question that ask something else and are self-contained: the first half of "What is the price of tea and
/// how does it differ between A and B?". Empty if it compares nothing.
pub fn beside(question: &str) -> Vec<String> {
    let Some(compared) = comparison_elements(question).filter(|compared| compared.elements.len() > 1) else {
        return Vec::new();
    };
    let clauses = clauses(question);
    let is_beside = |at: &usize| {
        let clause = &clauses[*at];
        let compares = self::comparison_elements(clause).is_some()
            || compared.elements.iter().any(|element| element.is_in(clause));
        !compares && (*at == 0 || !rests_on(clause, &clauses[at - 1]))
    };
    (0..clauses.len()).filter(is_beside).map(|at| clauses[at].clone()).collect()
}

/// The words of `text` in lower case; a hyphen inside does not end one.
fn lower_words(text: &str) -> Vec<String> {
    split(text, Unspaced::Joined, &['-']).iter().map(WrittenWord::lower).collect()
}

/// The things compared: those of a question for a difference, or the names in a question such as "which is older" or "are both".
fn elements(question: &str, entities: &[Entity], language: &str) -> Vec<String> {
    if let Some(compared) = comparison_elements(question).filter(|compared| compared.elements.len() > 1) {
        return compared.elements.into_iter().map(|element| element.name).collect();
    }
    let words = lower_words(question);
    let compares = words.iter().any(|word| compares_named(word));
    let names: Vec<&Entity> = entities.iter().filter(|entity| is_thing(entity, language)).collect();
    let joined = names.windows(2).any(|pair| is_joined(question, pair[0], pair[1]));
    if !compares || !joined {
        return Vec::new();
    }
    names.iter().map(|entity| entity.text.clone()).collect()
}

/// Whether only joining words and words without terms are between two names.
fn is_joined(question: &str, first: &Entity, second: &Entity) -> bool {
    let Some(between) = question.get(first.at + first.text.len()..second.at) else { return false };
    let words = lower_words(between);
    let joins = |word: &String| joins_questions(word);
    words.iter().any(joins) && words.iter().all(|word| joins(word) || terms(word).is_empty())
}

fn kind(question: &str, compared: &[String], parts: &[QuestionPart]) -> QuestionKind {
    let lower = question.to_lowercase();
    let words = lower_words(question);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let bare = lower.trim_start_matches(|c: char| !c.is_alphanumeric());
    if !compared.is_empty() {
        QuestionKind::Comparison
    } else if parts.iter().any(|part| part.rests_on.is_some()) {
        QuestionKind::MultiHop
    } else if opens_how_to(bare) {
        QuestionKind::HowTo
    } else if opens_yes_or_no(first) && !is_question_word(first) {
        QuestionKind::YesNo
    } else if asks_for_all(first) || opens_enumeration(bare) {
        QuestionKind::Enumeration
    } else if asks_for_history(question) {
        QuestionKind::Timeline
    } else if asks_to_explain(first) || opens_explanation(bare) {
        QuestionKind::Explanation
    } else {
        QuestionKind::Fact
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_question_shows_in_its_words() {
        use QuestionKind::{Comparison, Enumeration, Explanation, Fact, HowTo, MultiHop, Timeline, YesNo};
        for (question, want) in [
            ("Who wrote Hamlet?", Fact),
            ("Was ist die Hauptstadt von Peru?", Fact),
            ("Compare Rust and Go", Comparison),
            ("Which is older, Rome or Athens?", Comparison),
            ("Were Ann Lee and Bob Ray both American?", Comparison),
            ("Was ist der Unterschied zwischen Rust und Go?", Comparison),
            ("What does PEP 409 require, and who wrote it?", MultiHop),
            ("How do I install it?", HowTo),
            ("Wie kann man es installieren?", HowTo),
            ("Is the earth flat?", YesNo),
            ("¿Es plana la tierra?", YesNo),
            ("List all moons of Mars", Enumeration),
            ("What are the moons of Mars?", Enumeration),
            ("History of the steam engine", Timeline),
            ("How did the steam engine develop?", Timeline),
            ("When were they built, in order?", Timeline),
            ("Why is the sky blue?", Explanation),
            ("Warum ist der Himmel blau?", Explanation),
            ("天空为什么是蓝色的？", Fact),
            ("", Fact),
            ("???", Fact),
        ] {
            assert_eq!(analyse(question).kind, want, "{question}");
        }
    }

    #[test]
    fn a_question_added_to_a_comparison_is_separate() {
        for (question, want) in [
            (
                "What is the incubation period of COVID-19 and how does it differ between children and adults?",
                &["What is the incubation period of COVID-19"][..],
            ),
            ("Compare Rust and Go. Which is faster?", &[]),
            ("How does Rust differ from Go and who wrote Hamlet?", &["who wrote Hamlet"]),
            ("What is Rust and how does it differ from Go?", &[]),
            ("Who wrote Hamlet and who wrote Faust?", &[]),
        ] {
            assert_eq!(beside(question), want, "{question}");
        }
    }

    #[test]
    fn what_is_compared_is_named() {
        assert_eq!(analyse("Which is older, Rome or Athens?").compared, ["Rome", "Athens"]);
        assert_eq!(analyse("Compare Rust and Go").compared, ["Rust", "Go"]);
        assert!(analyse("Who wrote Hamlet and Macbeth?").compared.is_empty());
    }
}
