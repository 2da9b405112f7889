//! Whether a sentence affirms or denies, allows or forbids, and what: `Smoking is allowed in the hall`, `Smoking is forbidden in the hall`.

use std::collections::BTreeSet;

use precis_language::negation::negations_in;
use precis_language::permission::{allows, forbids, has_unspaced_permission, has_unspaced_prohibition};

use super::context::{ClaimContext, plain};
use super::quantity::numbers;

/// What a sentence says of its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Polarity {
    pub(super) is_affirmed: bool,
    /// Whether it has a word that allows or forbids.
    pub(super) is_permission: bool,
}

impl Polarity {
    /// Whether one says what the other denies. What only differs in allowing is not compared: `may be closed` denies no `is closed`.
    pub(super) fn differs(self, other: Self) -> bool {
        self.is_affirmed != other.is_affirmed && self.is_permission == other.is_permission
    }
}

/// The polarity of `sentence`, and the sentence without the words that make it; `None` if it denies twice.
pub(super) fn polarity(sentence: &str) -> Option<(Polarity, ClaimContext)> {
    let words = plain(sentence);
    let denials = negations_in(sentence);
    let lower = sentence.to_lowercase();
    let is_unspaced_no = has_unspaced_prohibition(&lower);
    let forbidding =
        words.iter().filter(|word| forbids(word)).count() + usize::from(is_unspaced_no && denials.is_empty());
    let is_permission =
        forbidding > 0 || words.iter().any(|word| allows(word)) || has_unspaced_permission(&lower) || is_unspaced_no;
    if denials.len() + forbidding > 1 {
        return None;
    }
    let mut context = ClaimContext::new(sentence, &numbers(sentence), None);
    let denied: BTreeSet<String> = denials.iter().map(|range| sentence[range.clone()].to_lowercase()).collect();
    context.turns.retain(|word| !denied.contains(word) && !forbids(word) && !allows(word));
    context.terms.retain(|term| !denied.contains(term) && !forbids(term) && !allows(term));
    Some((Polarity { is_affirmed: denials.len() + forbidding == 0, is_permission }, context))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_sentence_denies_or_forbids_and_the_other_says_differs() {
        for (a, b, want) in [
            ("Smoking is allowed on the balcony.", "Smoking is not allowed on the balcony.", true),
            ("Smoking is allowed on the balcony.", "Smoking is forbidden on the balcony.", true),
            ("Guests may use the pool at night.", "Guests may not use the pool at night.", true),
            ("The bridge to Norby is open.", "The bridge to Norby is not open.", true),
            ("Das Rauchen ist auf dem Balkon erlaubt.", "Das Rauchen ist auf dem Balkon verboten.", true),
            ("Les chiens sont autorisés dans le parc.", "Les chiens sont interdits dans le parc.", true),
            ("Smoking is allowed on the balcony.", "Smoking is allowed in the rooms.", false),
            ("Smoking is not allowed on the balcony.", "Smoking is forbidden on the balcony.", false),
            ("Smoking is allowed on the balcony.", "Smoking is never forbidden on the balcony.", false),
            ("The bridge may be closed in winter.", "The bridge is not closed in winter.", false),
        ] {
            let (Some((first, one)), Some((second, other))) = (polarity(a), polarity(b)) else {
                assert!(!want, "{a} / {b}");
                continue;
            };
            assert_eq!(one.is_same(&other) && first.differs(second), want, "{a} / {b}\n{one:?}\n{other:?}");
        }
    }
}
