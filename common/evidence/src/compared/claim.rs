//! A number of a sentence with its context, to compare sentences that differ only in the number.

use super::context::{ClaimContext, LEAST_SHARED, alike, is_vague};
use super::quantity::{Quantity, numbers};

/// One number of a sentence and the sentence around it.
#[derive(Debug, Clone)]
pub(super) struct NumberClaim {
    pub(super) quantity: Quantity,
    /// Number and unit as written.
    pub(super) value: String,
    pub(super) context: ClaimContext,
}

/// The claims of `sentence`: one for each quantity; none if its numbers are approximate.
pub(super) fn claims(sentence: &str) -> Vec<NumberClaim> {
    if is_vague(sentence) {
        return Vec::new();
    }
    let found = numbers(sentence);
    let claim = |(at, quantity): (usize, &Quantity)| NumberClaim {
        value: sentence[quantity.range.clone()].split_whitespace().collect::<Vec<_>>().join(" "),
        quantity: quantity.clone(),
        context: ClaimContext::new(sentence, &found, Some(at)),
    };
    found.quantities.iter().enumerate().map(claim).collect()
}

impl NumberClaim {
    /// Whether both are about the same number of the same thing, whatever its value.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        self.quantity.counts_like(&other.quantity)
            && self.context.terms.len().min(other.context.terms.len()) >= LEAST_SHARED
            && self.context.is_same(&other.context)
    }

    /// Whether its context or unit matches one of the `asked` terms.
    pub(super) fn is_asked(&self, asked: &[String]) -> bool {
        self.context.is_asked(asked) || asked.iter().any(|term| alike(term, &self.quantity.unit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        claims(a).iter().any(|a| claims(b).iter().any(|b| a.is_about(b)))
    }

    #[test]
    fn sentences_that_differ_in_one_number_are_about_the_same() {
        for (a, b) in [
            ("The penalty cap is 5 % of the contract value.", "The penalty cap is 10 percent of the contract value."),
            ("Nordwerk lays off 120 people in Kiel.", "Nordwerk said on Monday: Nordwerk lays off 340 people in Kiel."),
            ("The tower of Brem is 300 m high.", "The tower of Brem is 324 metres high."),
            ("Die Kündigungsfrist des Vertrags beträgt 30 Tage.", "Die Kündigungsfrist des Vertrages beträgt 60 Tage."),
            ("In 2024 the plant made 3 million cars.", "In 2024 the plant made 4 million cars."),
            ("4.3 The penalty cap is 5 % of the price.", "1. The penalty cap is 10 % of the price."),
        ] {
            assert!(same(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn sentences_that_differ_in_anything_else_are_not() {
        for (a, b) in [
            ("The penalty cap is 5 % of the price.", "The penalty cap for software is 10 % of the price."),
            ("The penalty cap is 5 % of the price.", "The penalty cap is not 10 % of the price."),
            ("In 2024 the plant made 3 million cars.", "In 2025 the plant made 4 million cars."),
            ("The plant made 3 million cars.", "The plant will make 4 million cars."),
            ("The plant employs at least 300 people in Kiel.", "The plant employs 340 people in Kiel."),
            ("The plant employs about 300 people in Kiel.", "The plant employs about 340 people in Kiel."),
            ("The tower is 300 m high.", "The antenna is 24 m high."),
            ("The plant in Kiel employs 300 people.", "The plant in Bonn employs 340 people."),
            ("The plant in Kiel employs 300 people.", "The plant in Kiel employs 34 % women."),
            ("2019 saw the plant in Kiel with 300 people.", "2020 saw the plant in Kiel with 340 people."),
            ("120 people.", "340 people."),
            ("Does the plant in Kiel employ 300 people?", "The plant in Kiel employs 340 people."),
            ("The minimum notice period is 30 days.", "The maximum notice period is 60 days."),
            ("Women in the study lost 3 kg.", "Men in the study lost 5 kg."),
        ] {
            assert!(!same(a, b), "{a} / {b}");
        }
    }
}
