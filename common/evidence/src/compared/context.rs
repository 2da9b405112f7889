//! The sentence around a value, to decide whether two sentences are about the same thing.

use std::collections::BTreeSet;

use precis_language::calendar::is_weekday;
use precis_language::circumstance::{attributes, is_approximate, is_condition};
use precis_language::detect;
use precis_language::negation::{is_negation, negations_in};
use precis_language::quantifier::{quantifier, quantifiers_in};
use precis_language::words::{lower_words, tokens};
use precis_text::terms;
use precis_text::terms::{is_part, likeness};

use super::quantity::SentenceNumbers;

/// Least terms that both sentences must share; fewer do not identify a subject.
pub(super) const LEAST_SHARED: usize = 2;

/// A sentence without one of its values.
#[derive(Debug, Clone)]
pub(super) struct ClaimContext {
    /// Its content words, folded.
    pub(super) terms: BTreeSet<String>,
    /// Its words that bound, limit or negate, or set time or condition; both sentences must have the same ones.
    pub(super) turns: BTreeSet<String>,
    /// All its other numbers, sorted.
    pub(super) beside: Vec<String>,
    /// Its content words as written, in order.
    pub(super) subject: String,
}

impl ClaimContext {
    /// The context of `sentence` with numbers `found`; `own` is the index of the value among its quantities, if the value is one.
    pub(super) fn new(sentence: &str, found: &SentenceNumbers, own: Option<usize>) -> Self {
        let all = &found.quantities;
        let mut rest = String::with_capacity(sentence.len());
        let mut from = 0;
        for other in all {
            // A unit between two numbers may be read as that of both: `778元8角1分`.
            rest.push_str(sentence.get(from..other.range.start).unwrap_or_default());
            rest.push(' ');
            from = from.max(other.range.end);
        }
        rest.push_str(&sentence[from..]);
        // `4.3 The cap is …`: a section number is not part of the claim.
        let is_section = |n: &String| sentence.trim_start().starts_with(n.as_str()) && (n.contains('.') || n.len() < 4);
        let others = all.iter().enumerate().filter(|(n, _)| Some(*n) != own);
        let mut beside: Vec<String> = others.map(|(_, q)| format!("{:?} {}", q.readings, q.unit)).collect();
        let mut loose = found.others.iter().peekable();
        loose.next_if(|first| is_section(first));
        beside.extend(loose.cloned());
        beside.sort_unstable();
        let terms: BTreeSet<String> = terms::terms(&rest).into_iter().filter(|term| is_content(term)).collect();
        let said = tokens(&rest, &[]).map(|word| word.text).filter(|word| {
            word.starts_with(|c: char| c.is_ascii_digit()) || terms::terms(word).iter().any(|term| terms.contains(term))
        });
        let subject = said.collect::<Vec<_>>().join(" ");
        Self { turns: turns(sentence), terms, beside, subject }
    }

    /// Whether both are equal apart from the value.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let held = |terms: &BTreeSet<String>, by: &BTreeSet<String>| {
            terms.iter().all(|term| by.iter().any(|own| alike(term, own)))
        };
        self.turns == other.turns
            && self.beside == other.beside
            && held(&self.terms, &other.terms)
            && held(&other.terms, &self.terms)
    }

    /// Whether one of its terms matches one of the `asked` terms.
    pub(super) fn is_asked(&self, asked: &[String]) -> bool {
        asked.iter().any(|term| self.terms.iter().any(|own| alike(term, own)))
    }
}

/// Whether the values of `sentence` are approximate, or the sentence is a question.
pub(super) fn is_vague(sentence: &str) -> bool {
    let is_rough = plain(sentence).iter().any(|word| is_approximate(word));
    is_rough || sentence.contains(['~', '≈', '±', '<', '>', '≤', '≥']) || sentence.trim_end().ends_with(['?', '？'])
}

/// The words of `sentence` in lower case, in order.
pub(super) fn plain(sentence: &str) -> Vec<String> {
    lower_words(sentence)
}

pub(super) fn alike(a: &str, b: &str) -> bool {
    likeness(a, b) > 0.0 || is_part(a, b)
}

fn turns(sentence: &str) -> BTreeSet<String> {
    let language = detect(sentence).known;
    let denied = negations_in(sentence).into_iter().map(|range| sentence[range].to_lowercase());
    let limited = quantifiers_in(sentence, language).into_iter().map(|word| sentence[word.range].to_lowercase());
    let turning = plain(sentence).into_iter().filter(|word| is_condition(word));
    turning.chain(denied).chain(limited).collect()
}

fn is_content(term: &str) -> bool {
    let turns = is_condition(term) || is_negation(term, None) || quantifier(term, None).is_some();
    !term.contains(char::is_numeric) && !attributes(term) && !is_weekday(term, None) && !turns
}

#[cfg(test)]
mod tests {
    use super::super::quantity::numbers;
    use super::*;

    #[test]
    fn one_unit_between_two_numbers_is_read_once() {
        let sentence = "照条约清政府应付美国赔款2444万778元8角1分，得到美国国会和老罗斯福总统赞同后，将当时尚未付足之款项1078万5286元1角2分，从1909年1月起退还中国。";
        let context = ClaimContext::new(sentence, &numbers(sentence), None);
        assert!(!context.terms.is_empty());
    }
}
