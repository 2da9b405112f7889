//! The kind of answer a question asks for, and whether a sentence contains something of that kind.
//!
//! By question words of several languages; a question that matches no rule asks for no particular kind. A sentence with the right kind
//! ranks above one that is only about the same things; none is excluded.

use std::borrow::Cow;
use std::collections::BTreeSet;

use precis_language::circumstance::{gives_reason, has_unspaced_reason};
use precis_language::measure::{Measure, asked_measure, asks_for_count};
use precis_language::number_words::has_unspaced_number;
use precis_language::question_words::asked_kind;
use precis_language::version::is_version_word;
use precis_language::words::{Unspaced, lower_words, split};
use precis_language::{Language, detect, number_words};
use precis_text::{sentences, terms};

use super::asked_quantity::AskedQuantity;
use super::asking_words::AnswerKind;
use super::definition::{DefinitionSubject, Says};
use super::said_time::says_time;

/// A question with the kind of answer it asks for.
#[derive(Debug)]
pub struct Question {
    /// The kind of answer.
    pub wanted: AnswerKind,
    /// Its words, lower case; they do not count as an answer.
    words: BTreeSet<String>,
    /// The whole question in the form of [`space_words`], if it is a question sentence of some length.
    echo: Option<String>,
    /// Whether it contains a code literal.
    names_code: bool,
    /// The subject, if it asks for a definition.
    subject: Option<DefinitionSubject>,
    /// The terms of the phrase that asks: `long` in "How long".
    asking: BTreeSet<String>,
    /// The quantity, if it asks for the amount of something.
    quantity: Option<AskedQuantity>,
    /// What the figure that it asks for measures, as far as its words say.
    measure: Option<Measure>,
    /// Its terms, if it asks for a number of things.
    counted: Option<Vec<String>>,
    /// Whether it asks for a version.
    asks_version: bool,
}

/// Least words of a question that is recognized inside another text.
const ECHO_WORDS: usize = 4;

/// The words of `text` in lower case, each between spaces.
fn space_words(text: &str) -> String {
    lower_words(text).iter().fold(" ".to_owned(), |all, word| all + word + " ")
}

impl Question {
    /// Analyses `query`.
    pub fn new(query: &str) -> Self {
        let asked = lower_words(query);
        let spaced = space_words(query);
        let (wanted, phrase) = asked_kind(query);
        let asking = terms::terms(&phrase).into_iter().filter(|term| !terms::is_piece(term)).collect();
        let is_sentence = sentences::is_question(query) && asked.len() >= ECHO_WORDS;
        let words = asked.into_iter().collect();
        let names_code = !terms::literals(query).is_empty();
        let quantity = AskedQuantity::of_question(query);
        // "What is the population of Oz?" wants a number as "How many people live in Oz?" does.
        let wants_amount = wanted == AnswerKind::Anything && quantity.is_some();
        Self {
            wanted: if wants_amount { AnswerKind::Number } else { wanted },
            words,
            echo: is_sentence.then_some(spaced),
            names_code,
            subject: DefinitionSubject::of_question(query),
            asking,
            quantity,
            measure: asked_measure(query),
            counted: asks_for_count(query).then(|| terms::query_terms(query)),
            asks_version: phrase.split_whitespace().any(is_version_word),
        }
    }

    /// How explicitly `text` defines the question's subject; [`Says::Nothing`] if the question does not ask for a definition.
    pub fn says_what(&self, text: &str) -> Says {
        self.subject.as_ref().map_or(Says::Nothing, |subject| subject.is_said_by(text))
    }

    /// Whether the question asks for the definition of exactly what `name` names, as the first cell of a row in a glossary does.
    pub fn asks_what_is(&self, name: &str) -> bool {
        self.subject.as_ref().is_some_and(|subject| subject.is_named_by(name))
    }

    /// Whether `text` states the quantity that the question asks for.
    pub fn says_how_much(&self, text: &str) -> bool {
        self.quantity.as_ref().is_some_and(|quantity| quantity.is_stated_by(text))
    }

    /// Whether `text` repeats the question instead of answering it: one of its sentences is the question, or asks it among other words. A
    /// statement may hold all its words in their order and be the answer: many languages ask "does the tenant pay" in the words of "the
    /// tenant pays".
    pub fn is_echoed_by(&self, text: &str) -> bool {
        self.echo.as_ref().is_some_and(|echo| {
            space_words(text).contains(echo.as_str())
                && sentences::sentences_with_ranges(text).any(|(_, sentence)| {
                    let own = space_words(sentence);
                    own == *echo || (own.contains(echo.as_str()) && sentences::is_question(sentence))
                })
        })
    }

    /// What the figure that it asks for measures; `None` if its words do not say, or it asks for a number of things.
    pub fn measure(&self) -> Option<Measure> {
        self.measure
    }

    /// The terms among which are the things whose number it asks for; `None` if it asks for no number of things.
    pub fn counted_terms(&self) -> Option<&[String]> {
        self.counted.as_deref()
    }

    /// Whether it asks for the number of a version, which may look like a date or the number of a clause.
    pub fn asks_version(&self) -> bool {
        self.asks_version
    }

    /// Whether `term` is part of the phrase that asks.
    pub fn asks_with(&self, term: &str) -> bool {
        self.asking.contains(term)
    }

    /// Whether it contains a code literal: `$*`, `--max-procs`, `3.11`.
    pub fn names_code(&self) -> bool {
        self.names_code
    }

    /// Whether `text` contains something of the wanted kind that is not in the question; `None` if no kind is wanted, or the script does
    /// not show it.
    pub fn is_met(&self, text: &str) -> Option<bool> {
        match self.wanted {
            AnswerKind::Anything => None,
            AnswerKind::Number => {
                let language = detect(text).known;
                Some(self.fresh(text).any(|word| is_number(word, language)) || has_unspaced_number(text))
            }
            AnswerKind::Time => Some(says_time(&without_marked_numbers(text), |word| !self.words.contains(word))),
            AnswerKind::Reason => {
                let is_reason = |word: &str| gives_reason(&word.to_lowercase());
                Some(has_unspaced_reason(text) || self.fresh(text).any(is_reason))
            }
            AnswerKind::Name | AnswerKind::Place => self.names(text),
        }
    }

    /// The words of `text`, as written, that are not in the question.
    fn fresh<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let words = split(text, Unspaced::Joined, &[]).into_iter();
        words.filter(|word| !self.words.contains(&word.lower())).map(|word| word.text)
    }

    /// Whether `text` has a capitalized word that is not in the question; `None` if its script has no case.
    fn names(&self, text: &str) -> Option<bool> {
        let cased = text.chars().any(|c| c.is_lowercase() || c.is_uppercase());
        let words = text.split_whitespace().enumerate();
        let found = words.filter(|(n, word)| *n > 0 || !is_function_word(word)).any(|(_, word)| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            bare.chars().next().is_some_and(char::is_uppercase) && !self.words.contains(&bare.to_lowercase())
        });
        cased.then_some(found)
    }
}

fn is_function_word(word: &str) -> bool {
    terms::terms(word).is_empty()
}

/// `text` without its numbers behind a `#`: `#1984` names an entry of a list, not a year.
fn without_marked_numbers(text: &str) -> Cow<'_, str> {
    if !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let (first, marked) = text.split_once('#').unwrap_or((text, ""));
    let rest = marked.split('#').map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
    Cow::Owned(rest.fold(first.to_owned(), |kept, part| kept + "#" + part))
}

fn is_number(word: &str, language: Option<Language>) -> bool {
    word.chars().any(char::is_numeric) || number_words::is_amount(&word.to_lowercase(), language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_ask_tell_what_is_wanted() {
        for (query, wanted) in [
            ("Who signed the treaty?", AnswerKind::Name),
            ("In what year did it end?", AnswerKind::Time),
            ("How many moons has Mars?", AnswerKind::Number),
            ("Wie viele Monde hat der Mars?", AnswerKind::Number),
            ("Où se trouve le musée ?", AnswerKind::Place),
            ("¿Por qué cayó el muro?", AnswerKind::Reason),
            ("谁发明了电话？", AnswerKind::Name),
            ("電話はいつ発明されましたか", AnswerKind::Time),
            ("Kaç kişi öldü?", AnswerKind::Number),
            ("In which version was it removed?", AnswerKind::Number),
            ("In welcher Version wurde es entfernt?", AnswerKind::Number),
            ("What is a matrix?", AnswerKind::Anything),
            ("Describe the whole method", AnswerKind::Anything),
        ] {
            assert_eq!(Question::new(query).wanted, wanted, "{query}");
        }
    }

    #[test]
    fn interrogative_words_differ_from_the_words_asked_about() {
        for (query, term, want) in [
            ("How long are texts kept?", "long", true),
            ("How long are texts kept?", "texts", false),
            ("Are long texts kept?", "long", false),
            ("Wie lange werden Texte aufbewahrt?", "lange", true),
            ("多长时间？", "多长", false),
        ] {
            assert_eq!(Question::new(query).asks_with(term), want, "{query} {term}");
        }
    }

    #[test]
    fn an_answer_of_the_kind_holds_something_the_question_does_not() {
        for (query, text, met) in [
            ("How many moons has Mars?", "Mars has two moons.", Some(true)),
            ("How many moons has Mars?", "Mars has moons.", Some(false)),
            ("How many moons has it?", "It was seen once the sun had set.", Some(false)),
            ("¿Cuántas lunas tiene el planeta?", "El planeta tiene once lunas.", Some(true)),
            ("When was it made?", "It may be made.", Some(false)),
            ("When was it made?", "It was made in May.", Some(true)),
            ("Когда это было?", "Это было в июле.", Some(true)),
            ("When was version 3 made?", "Version 3 was made in 2019.", Some(true)),
            ("When was version 3 made?", "Version 3 was made late.", Some(false)),
            ("When was it made?", "It was made (#1984, #12).", Some(false)),
            ("When was it made?", "It was made (#1984) in 1990.", Some(true)),
            ("Who wrote Hamlet?", "Hamlet was written by Shakespeare.", Some(true)),
            ("Who wrote Hamlet?", "Hamlet was written by nobody.", Some(false)),
            ("谁发明了电话？", "贝尔发明了电话。", None),
            ("Why is it blue?", "It is blue because light scatters.", Some(true)),
            ("What is it?", "It is blue.", None),
        ] {
            assert_eq!(Question::new(query).is_met(text), met, "{query} {text}");
        }
    }

    #[test]
    fn a_statement_in_question_order_is_no_echo() {
        for (query, text, is_echo) in [
            ("A bérlő fizeti a vizet?", "A szerződés szerint a bérlő fizeti a vizet minden hónap elején.", false),
            ("La ditta paga l'acqua del cortile?", "La ditta paga l'acqua del cortile ogni mese.", false),
            ("La ditta paga l'acqua del cortile?", "La ditta paga l'acqua del cortile", true),
            ("La ditta paga l'acqua del cortile?", "Si chiede: la ditta paga l'acqua del cortile?", true),
            ("La ditta paga l'acqua del cortile?", "È nuovo. La ditta paga l'acqua del cortile? Non si sa.", true),
            ("Who pays for the water?", "Who pays for the water", true),
            ("Who pays for the water?", "The tenant pays for the water.", false),
        ] {
            assert_eq!(Question::new(query).is_echoed_by(text), is_echo, "{query} / {text}");
        }
    }
}
