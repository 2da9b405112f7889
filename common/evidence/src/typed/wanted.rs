//! The kind of thing that a question wants, and whether a text holds one.

use precis_language::polar_question::asks_yes_or_no;
use precis_language::question_shape::{opens_enumeration, opens_how_to};
use precis_language::question_words::asks_how;
use precis_language::words::lower_words;

use super::figure;
use crate::question::asked::Question;
use crate::question::asking_words::AnswerKind;
use crate::question::definition;
use crate::question::definition::Says;
use crate::question::elements::comparison_elements;

/// What a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Who: a person or body.
    Body,
    /// When: a date or time.
    Time,
    /// Where: a place.
    Place,
    /// How many, much, long, old: a figure.
    Figure,
    /// Which, what are: items.
    Items,
    /// Why: a reason.
    Reason,
    /// How: steps.
    Steps,
    /// Whether: yes or no.
    Polarity,
    /// What something is.
    Definition,
    /// How things differ: something on each of them.
    Compared,
    /// Anything else.
    Anything,
}

impl Wanted {
    /// All of them, in a fixed order.
    pub const ALL: [Self; 11] = [
        Self::Body,
        Self::Time,
        Self::Place,
        Self::Figure,
        Self::Items,
        Self::Reason,
        Self::Steps,
        Self::Polarity,
        Self::Definition,
        Self::Compared,
        Self::Anything,
    ];

    /// What `query` wants.
    ///
    /// ```
    /// use precis_evidence::typed::wanted::Wanted;
    ///
    /// assert_eq!(Wanted::of("Who wrote it?"), Wanted::Body);
    /// assert_eq!(Wanted::of("May I smoke here?"), Wanted::Polarity);
    /// assert_eq!(Wanted::of("Salt"), Wanted::Anything);
    /// ```
    #[must_use]
    pub fn of(query: &str) -> Self {
        let bare = query.trim().trim_start_matches(['¿', '¡']).to_lowercase();
        if comparison_elements(query).is_some_and(|compared| !compared.elements.is_empty()) {
            return Self::Compared;
        }
        if asks_yes_or_no(query) {
            return Self::Polarity;
        }
        match Question::new(query).wanted {
            AnswerKind::Name => Self::Body,
            AnswerKind::Time => Self::Time,
            AnswerKind::Place => Self::Place,
            AnswerKind::Number => Self::Figure,
            AnswerKind::Reason => Self::Reason,
            AnswerKind::Anything if opens_enumeration(&bare) => Self::Items,
            AnswerKind::Anything if definition::is_asked(query) => Self::Definition,
            AnswerKind::Anything if opens_how_to(&bare) => Self::Steps,
            AnswerKind::Anything if lower_words(query).first().is_some_and(|word| asks_how(word)) => Self::Steps,
            AnswerKind::Anything => Self::Anything,
        }
    }

    /// Whether `text` holds what is wanted by `question`; `None` if its form does not show it. What stands `above` it, its headings and
    /// the title of its document, may say what its figures measure: "Ferry rates".
    #[must_use]
    pub fn is_held(self, question: &Question, text: &str, above: &[&str]) -> Option<bool> {
        match self {
            Self::Figure => match question.is_met(text) {
                Some(true) => figure::is_held(question, text, above),
                unmet => unmet,
            },
            Self::Body | Self::Time | Self::Place | Self::Reason => question.is_met(text),
            Self::Definition => Some(question.says_what(text) != Says::Nothing),
            Self::Items => Some(separators(text) >= LEAST_SEPARATORS),
            Self::Steps | Self::Polarity | Self::Compared | Self::Anything => None,
        }
    }
}

/// Least marks between items of a list within a sentence.
const LEAST_SEPARATORS: usize = 2;

fn separators(text: &str) -> usize {
    text.chars().filter(|c| matches!(c, ',' | ';' | '、' | '，' | '；' | '\n' | '•')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_wants_shows_in_its_words() {
        for (query, want) in [
            ("Who pays for delays?", Wanted::Body),
            ("Wann tritt das Gesetz in Kraft?", Wanted::Time),
            ("¿Dónde nació?", Wanted::Place),
            ("How long is the notice period?", Wanted::Figure),
            ("What are the rules of ownership?", Wanted::Items),
            ("Pourquoi le pont est-il fermé ?", Wanted::Reason),
            ("How do I close an account?", Wanted::Steps),
            ("Does the insurance cover flood?", Wanted::Polarity),
            ("What is a token?", Wanted::Definition),
            ("How does Alpha differ from Beta?", Wanted::Compared),
            ("Which route is best?", Wanted::Anything),
            ("", Wanted::Anything),
        ] {
            assert_eq!(Wanted::of(query), want, "{query}");
        }
    }

    #[test]
    fn a_text_confirms_denies_or_leaves_open_what_is_wanted() {
        for (query, text, want) in [
            ("Who pays?", "The fee is borne by Ida Lund.", Some(true)),
            ("Who pays?", "The fee is borne by nobody.", Some(false)),
            ("How many rooms are there?", "There are twelve rooms.", Some(true)),
            ("How many rooms are there?", "There are rooms.", Some(false)),
            ("How many rooms are there?", "title: Rooms of the house, 12 May 2022", Some(false)),
            ("How much does the room cost?", "The room has 30 beds.", Some(false)),
            ("How much does the room cost?", "The room is let for 30 euros.", Some(true)),
            ("What are the colours?", "Red, green, blue and white.", Some(true)),
            ("What are the colours?", "They are fine.", Some(false)),
            ("May I smoke?", "Smoking is not allowed.", None),
        ] {
            assert_eq!(Wanted::of(query).is_held(&Question::new(query), text, &[]), want, "{query} {text}");
        }
        let car = Question::new("How much does a car cost?");
        for (above, want) in [("Ferry rates", Some(true)), ("Ferries", None)] {
            assert_eq!(Wanted::Figure.is_held(&car, "Route: Norby · Car: 60", &[above]), want, "{above}");
        }
    }
}
