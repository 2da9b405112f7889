//! Questions that a header field of a document answers: "Who wrote EIP-1559?", `author: Vitalik Buterin`.

use precis_language::header_field::{FieldRole, asked_roles, field_role};
use precis_text::terms::{likeness, query_terms, terms};

use crate::question::asked::Question;
use crate::question::query::asking_worth;

/// A question for what a header field says of a document as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldQuestion {
    role: FieldRole,
    /// The terms that name the document.
    subject: Vec<String>,
}

impl FieldQuestion {
    /// The question for a field that `query` is; `None` if it asks for something else, or for the document's content.
    ///
    /// What a question has besides the words that ask must name the document, which [`Self::is_about`] tells.
    #[must_use]
    pub fn of(query: &str) -> Option<Self> {
        let question = Question::new(query);
        let roles = asked_roles(query, question.wanted);
        let (role, words) = roles.into_iter().next()?;
        let asking: Vec<String> = words.iter().flat_map(|word| terms(word)).collect();
        let is_subject = |term: &String| {
            let asks = asking.contains(term) || question.asks_with(term);
            !asks && (asking_worth(term) >= 1.0 || term.contains(|c: char| c.is_ascii_digit()))
        };
        Some(Self { role, subject: query_terms(query).into_iter().filter(is_subject).collect() })
    }

    /// Whether `text`, a whole header field `name: value`, is of the role asked for.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        field(text).is_some_and(|(name, _)| field_role(name) == Some(self.role))
    }

    /// Whether a document is the one asked about, given its title and other texts that name it: its path, its header fields. Numbers
    /// decide if there are any; the family before a number (`EIP`) may be missing, other words not. Never if the question names none.
    #[must_use]
    pub fn is_about<'t>(&self, names: impl IntoIterator<Item = &'t str>) -> bool {
        let own: Vec<String> = names.into_iter().flat_map(terms).collect();
        let is_held = |term: &&String| own.iter().any(|word| likeness(term, word) > 0.0);
        let (numbers, words): (Vec<&String>, Vec<&String>) =
            self.subject.iter().partition(|term| term.contains(|c: char| c.is_ascii_digit()));
        match numbers.is_empty() {
            true => !words.is_empty() && words.iter().all(is_held),
            false => {
                numbers.iter().all(|number| own.contains(number))
                    && words.len() <= 1 + words.iter().filter(|w| is_held(w)).count()
            }
        }
    }
}

/// Name and value of `text` if it reads as one header field.
#[must_use]
pub fn field(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let is_name = name.chars().count() <= MAX_NAME && name.split(|c: char| !c.is_alphanumeric()).count() <= MAX_WORDS;
    (is_name && !value.trim().is_empty()).then_some((name, value.trim()))
}

/// Whether `statement` is a header field, which speaks of its own document alone: `status: Final` of two documents are two statements. A
/// header stands above all headings, and its fields are no sentences.
#[must_use]
pub fn is_of_its_document(statement: &str, headings: &[String]) -> bool {
    headings.is_empty()
        && field(statement).is_some()
        && !statement.trim_end().ends_with(['.', '!', '?', '。', '！', '？'])
}

/// Most characters of a field's name, and most words.
const MAX_NAME: usize = 40;
/// See [`MAX_NAME`].
const MAX_WORDS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_field_speaks_of_its_document() {
        let heading = ["Rules".to_owned()];
        for (statement, headings, want) in [
            ("status: Final", &[][..], true),
            ("Superseded by: SE-258", &[], true),
            ("status: Final", &heading, false),
            ("Note: the pool is closed.", &[], false),
            ("The pool is closed", &[], false),
            ("status:", &[], false),
        ] {
            assert_eq!(is_of_its_document(statement, headings), want, "{statement}");
        }
    }

    #[test]
    fn an_author_field_answers_only_for_authorship_of_the_document() {
        let title = "eip 1559: Fee market change for ETH 1.0 chain";
        for (query, text, is_in, is_about) in [
            ("Who wrote EIP-1559?", "author: Vitalik Buterin", true, true),
            ("Who wrote EIP-1559?", "created: 2019-04-13", false, true),
            ("Who wrote EIP-20?", "author: Vitalik Buterin", true, false),
            ("When was EIP-1559 first proposed?", "created: 2019-04-13", true, true),
            ("Wer hat EIP-1559 geschrieben?", "author: Vitalik Buterin", true, true),
            ("Which proposals does EIP-1559 depend on?", "requires: 2718, 2930", true, true),
            ("Who wrote the fee market change?", "author: Vitalik Buterin", true, true),
            ("Who wrote the contract client of EIP-1559?", "author: Vitalik Buterin", true, false),
        ] {
            let asked = FieldQuestion::of(query).expect(query);
            assert_eq!((asked.is_in(text), asked.is_about([title])), (is_in, is_about), "{query} {text}");
        }
        for query in ["What is a token?", "Where is the harbour?", ""] {
            assert_eq!(FieldQuestion::of(query), None, "{query}");
        }
    }

    #[test]
    fn a_field_has_a_short_name_and_a_value() {
        assert_eq!(field("author: Ann"), Some(("author", "Ann")));
        for text in ["author:", "no field", "A long sentence that says: this", ""] {
            assert_eq!(field(text), None, "{text}");
        }
    }
}
