//! Whether a sentence says yes or no to a question: `May I smoke in the rooms?`, `Smoking in the rooms is not allowed`.
//!
//! Said only where nothing else can be meant: the sentence has no condition and no exception, one of its clauses has all that the question
//! asks about, and the one denial of that clause is of something that is asked. Everything else is left to the reader of the quote.

use precis_language::limiting::limits;
use precis_language::negation::negations_in;
use precis_language::permission::{allows, forbids};
use precis_language::polar_question::asks_yes_or_no;
use precis_language::quantifier::quantifiers_in;
use precis_language::{detect, words::lower_words};
use precis_text::terms::query_terms;

use super::context::{LEAST_SHARED, alike, is_vague};
use super::polarity::polarity;
use crate::question::query::asking_worth;

/// Marks behind which another clause begins.
const CLAUSE_MARKS: [char; 12] = [',', ';', ':', '(', '–', '—', '，', '；', '：', '、', '（', '،'];

/// Whether `sentence` says yes to `question`, a question for yes or no: `Some(false)` if it says no, `None` if it says neither for certain.
///
/// ```
/// use precis_evidence::compared::says_yes;
///
/// let question = "May I smoke in the rooms?";
/// assert_eq!(says_yes(question, "Smoking in the rooms is not allowed."), Some(false));
/// assert_eq!(says_yes(question, "You may smoke in the rooms."), Some(true));
/// assert_eq!(says_yes(question, "You may smoke in the rooms if the window is open."), None);
/// assert_eq!(says_yes(question, "You may smoke on the balcony."), None);
/// ```
#[must_use]
pub fn says_yes(question: &str, sentence: &str) -> Option<bool> {
    if !asks_yes_or_no(question) || !negations_in(question).is_empty() || is_vague(sentence) {
        return None;
    }
    if is_limited(sentence) || is_of_some(question, sentence) {
        return None;
    }
    // Each clause for itself: in "allowed in the garden, not in the house" the denial is of the house alone.
    let mut said = sentence.split(CLAUSE_MARKS).filter_map(|clause| clause_says_yes(question, clause.trim()));
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

/// Whether a clause says yes to `question`, as [`says_yes`].
fn clause_says_yes(question: &str, sentence: &str) -> Option<bool> {
    let ((of_question, asked), (of_sentence, said)) = (polarity(question)?, polarity(sentence)?);
    let asked: Vec<String> = asked.terms.into_iter().filter(|term| asking_worth(term) >= 1.0).collect();
    let holds = |term: &String| said.terms.iter().any(|own| alike(term, own));
    let has_numbers = numbers(question).iter().all(|number| numbers(sentence).contains(number));
    let is_asked = asked.len() >= LEAST_SHARED && asked.iter().all(holds) && has_numbers;
    let denies_asked = of_sentence.is_affirmed || denies_one_of(sentence, &asked);
    // Who may is told by what allows or forbids, and by a bare denial: "Do not smoke in the rooms".
    let is_comparable = of_question.is_permission == of_sentence.is_permission
        || (of_question.is_permission && of_question.is_affirmed && !of_sentence.is_affirmed);
    (is_asked && denies_asked && is_comparable).then_some(of_question.is_affirmed == of_sentence.is_affirmed)
}

/// The numbers of `text` that are written in digits.
fn numbers(text: &str) -> Vec<&str> {
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let parts = text.split(|c: char| !is_digit(c)).map(|part| part.trim_matches(['.', ',']));
    parts.filter(|part| !part.is_empty()).collect()
}

/// Whether `sentence` has a condition or an exception. Words that deny or forbid limit too; they are counted by themselves.
fn is_limited(sentence: &str) -> bool {
    let denied: Vec<String> = negations_in(sentence).into_iter().map(|range| sentence[range].to_lowercase()).collect();
    let others = lower_words(sentence).into_iter().filter(|word| !forbids(word) && !denied.contains(word));
    limits(&others.collect::<Vec<_>>().join(" "))
}

/// Whether `sentence` is about some of what `question` asks about, or about how often.
fn is_of_some(question: &str, sentence: &str) -> bool {
    let asked = lower_words(question);
    let limiting = quantifiers_in(sentence, detect(sentence).known).into_iter().filter(|found| found.value.is_hedge());
    let mut words = limiting.map(|found| sentence[found.range].to_lowercase());
    words.any(|word| !allows(&word) && !asked.contains(&word))
}

/// Whether the first content word behind the denial of `sentence` is asked about, or there is none: in "covers theft but not flood" the
/// denial is of flood alone. A word that forbids denies all of its sentence.
fn denies_one_of(sentence: &str, asked: &[String]) -> bool {
    let Some(denial) = negations_in(sentence).into_iter().next() else { return true };
    let behind = query_terms(&sentence[denial.end..]);
    let next = behind.iter().find(|term| asking_worth(term) >= 1.0);
    next.is_none_or(|next| allows(next) || asked.iter().any(|term| alike(term, next)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_yes_or_no_only_where_nothing_else_can_be_meant() {
        for (question, sentence, want) in [
            ("Are dogs allowed in the garden?", "Dogs are allowed in the garden.", Some(true)),
            ("Are dogs allowed in the garden?", "Dogs are not allowed in the garden.", Some(false)),
            ("Are dogs allowed in the garden?", "Dogs are forbidden in the garden.", Some(false)),
            ("Are dogs forbidden in the garden?", "Dogs are forbidden in the garden.", Some(true)),
            ("Are dogs forbidden in the garden?", "Dogs are allowed in the garden.", Some(false)),
            ("Can I bring dogs into the garden?", "Do not bring dogs into the garden.", Some(false)),
            ("Does the insurance cover flood?", "The insurance does not cover damage by flood.", Some(false)),
            ("Does the insurance cover flood?", "The insurance does not cover flood.", Some(false)),
            ("Does the insurance cover flood?", "The insurance covers damage by flood.", Some(true)),
            ("Does the insurance cover theft?", "The insurance covers theft but not flood.", None),
            ("Does the insurance cover flood?", "The insurance covers theft but not flood.", Some(false)),
            ("Are dogs allowed in the garden?", "Dogs are allowed in the garden if they are on a lead.", None),
            ("Are dogs allowed in the garden?", "Dogs are allowed in the garden as long as they are quiet.", None),
            ("Are dogs allowed in the garden?", "Only small dogs are allowed in the garden.", None),
            ("Are dogs allowed in the garden?", "Some dogs are allowed in the garden.", None),
            ("Are dogs allowed in the garden?", "Dogs are allowed in the park.", None),
            ("Are dogs allowed in the garden?", "Are dogs allowed in the garden?", None),
            ("Are dogs allowed in the garden?", "Dogs are allowed in the garden, not in the house.", Some(true)),
            ("Are dogs allowed in the house?", "Dogs are allowed in the garden, not in the house.", None),
            ("Are dogs allowed in the garden?", "Dogs are allowed in the garden, unless they bark.", None),
            ("Are dogs allowed in the garden?", "As for the garden, dogs are not allowed.", None),
            ("Aren't dogs allowed in the garden?", "Dogs are allowed in the garden.", None),
            ("Where are dogs allowed in the garden?", "Dogs are allowed in the garden.", None),
            ("Can I carry over 10 days of leave?", "You can carry over 5 days of leave.", None),
            ("Can I carry over 10 days of leave?", "You can carry over 10 days of leave.", Some(true)),
            ("Sind Hunde im Garten erlaubt?", "Hunde sind im Garten nicht erlaubt.", Some(false)),
            ("Sind Hunde im Garten erlaubt?", "Hunde sind im Garten verboten.", Some(false)),
            ("Sind Hunde im Garten erlaubt?", "Hunde sind im Garten erlaubt.", Some(true)),
            ("Les chiens sont-ils autorisés dans le jardin ?", "Les chiens sont interdits dans le jardin.", None),
        ] {
            assert_eq!(says_yes(question, sentence), want, "{question} {sentence}");
        }
    }
}
