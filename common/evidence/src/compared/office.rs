//! The name that a sentence gives for who holds an office: `The harbour master of Norby is Ida Lund.`
//!
//! Conservative: the name stands right beside a verb of definition, at the start or the end of its sentence, and the office on the other
//! side of it. An office that several may hold (`a member`) has no one name.

use std::collections::BTreeSet;
use std::ops::Range;

use precis_language::definition::{is_copula, is_indefinite};
use precis_language::words::{WrittenWord, tokens};
use precis_language::{Language, detect, is_function_word};

/// Most words of a name.
const MOST_WORDS: usize = 5;

/// A name, as its words in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OfficeName(BTreeSet<String>);

impl OfficeName {
    /// Whether the two share no word: `I. Lund` may be `Ida Lund`.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.0.is_disjoint(&other.0)
    }
}

/// The name of an office in `sentence`, with its bytes. `asked` are the terms of the question: what the question names is no answer.
pub(super) fn office(sentence: &str, asked: &[String]) -> Option<(OfficeName, Range<usize>)> {
    let words: Vec<WrittenWord<'_>> = tokens(sentence, &[]).collect();
    let language = detect(sentence).known;
    let copulas: Vec<usize> = (1..words.len()).filter(|at| is_copula(&words[*at].lower())).collect();
    let [verb] = copulas[..] else { return None };
    let behind = name(&words[verb + 1..], None);
    let is_open = |range: &Range<usize>| sentence[range.end..].trim_matches(|c: char| !c.is_alphanumeric()).is_empty();
    let (found, other) = match behind.map(|count| (range(&words[verb + 1..verb + 1 + count]), &words[..verb])) {
        Some((found, other)) if is_open(&found) => (found, other),
        _ => {
            let count = name(&words[..verb], language).filter(|count| *count == verb && verb > 1)?;
            (range(&words[..count]), &words[verb + 1..])
        }
    };
    if is_indefinite(&other.first()?.lower()) {
        return None;
    }
    let parts: BTreeSet<String> = tokens(&sentence[found.clone()], &[]).map(|word| word.lower()).collect();
    let is_known = parts.iter().any(|part| asked.contains(part));
    (!is_known).then_some((OfficeName(parts), found))
}

/// The number of words of the name that `words` begin with: capitals, with small particles only between two of them. `opening` is the
/// language of a sentence that they open: there a capital may be that of any word.
fn name(words: &[WrittenWord<'_>], opening: Option<Language>) -> Option<usize> {
    let is_capital =
        |word: &WrittenWord<'_>| word.text.starts_with(char::is_uppercase) && !is_function_word(&word.lower(), opening);
    let is_particle =
        |word: &WrittenWord<'_>| word.text.chars().count() <= 3 && word.text.chars().all(char::is_lowercase);
    let run = words.iter().take_while(|word| is_capital(word) || is_particle(word)).take(MOST_WORDS).count();
    let count = words[..run].iter().rposition(is_capital)? + 1;
    is_capital(&words[0]).then_some(count)
}

fn range(words: &[WrittenWord<'_>]) -> Range<usize> {
    words[0].range.start..words[words.len() - 1].range.end
}

#[cfg(test)]
mod tests {
    use precis_text::terms::query_terms;

    use super::*;

    #[test]
    fn a_name_is_read_at_the_verb_for_single_holder_offices() {
        for (question, sentence, want) in [
            ("Who is the harbour master?", "The harbour master of Norby is Ida Lund.", Some("Ida Lund")),
            ("Who is the harbour master?", "Ida van Lund is the harbour master of Norby.", Some("Ida van Lund")),
            ("Wer ist der Hafenmeister?", "Der Hafenmeister von Norby ist Cem Kaya.", Some("Cem Kaya")),
            ("Who is the harbour master?", "The harbour master of Norby is Can Kara.", Some("Can Kara")),
            ("Qui est le maire ?", "Le maire de Norby est Ida Lund.", Some("Ida Lund")),
            ("Who is a member?", "Ida Lund is a member of the board.", None),
            ("Who is the harbour master?", "The harbour master of Norby is old.", None),
            ("Who is the harbour master?", "The harbour master is Ida Lund of the old party.", None),
            ("Who is Ida Lund?", "The harbour master is Ida Lund.", None),
            ("Who works here?", "Ida Lund works in the harbour.", None),
        ] {
            let found = office(sentence, &query_terms(question));
            assert_eq!(found.map(|(_, range)| &sentence[range]), want, "{sentence}");
        }
    }
}
