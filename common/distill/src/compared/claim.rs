//! What a sentence says of one of its numbers, so that two sentences can be compared that differ in the number alone.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::quantity::{Quantity, numbers};
use crate::terms::{self, is_part, likeness};
use crate::word_list::{WordList, words};

/// Terms both sentences must share: fewer name no subject.
const LEAST_SHARED: usize = 2;

/// Words that make a number a guess: what it is not exactly, no other number contradicts.
static ROUGH: WordList = LazyLock::new(|| {
    words(
        "about around approximately approx roughly nearly almost some circa ca estimated estimate estimates rund etwa ungefähr fast \
        knapp geschätzt environ presque près estimé unos unas aproximadamente casi alrededor estimado 约 約 大约 およそ",
    )
});
/// Words that bound a number, place it in time or in a possible world, or turn the sentence round. Both sentences must hold the same.
static TURNING: WordList = LazyLock::new(|| {
    words(
        "least most more less than over under up minimum maximum min max average mean median per each every total \
        was were had been will would may might could should can must planned expected forecast target until before after since former \
        formerly previously originally initially currently first last not no never none without only except unless if other another \
        both either mindestens höchstens mehr weniger als über unter bis durchschnittlich je pro war waren wurde wurden wird werden \
        würde könnte soll sollte geplant erwartet vor nach seit früher ursprünglich zunächst erste letzte nicht kein keine nie ohne nur \
        außer wenn andere moins plus au jusqu moyenne par chaque était étaient sera seront serait prévu attendu avant après depuis \
        premier dernier ne pas jamais sans seulement sauf si autre menos más hasta media por cada era eran fue fueron será serán sería \
        previsto antes después desde primero último no nunca sin solo salvo otro",
    )
});
/// Words that tell who says it and when it was said, and add nothing to what is said.
static SAYING: WordList = LazyLock::new(|| {
    words(
        "said says say according reported reports report announced announces stated states statement noted monday tuesday wednesday \
        thursday friday saturday sunday today yesterday sagte sagt laut berichtet berichtete erklärte teilte mit montag dienstag mittwoch \
        donnerstag freitag samstag sonntag heute gestern dit déclaré annoncé selon lundi mardi mercredi jeudi vendredi samedi dimanche \
        dijo según anunció lunes martes miércoles jueves viernes sábado domingo",
    )
});

/// One number of a sentence and the sentence around it.
#[derive(Debug, Clone)]
pub(super) struct NumberClaim {
    pub(super) quantity: Quantity,
    /// Number and unit as written.
    pub(super) value: String,
    terms: BTreeSet<String>,
    turns: BTreeSet<String>,
    /// All other numbers of the sentence, as written, sorted.
    beside: Vec<String>,
}

/// The claims of `sentence`: one for each quantity; none where its numbers are rough.
pub(super) fn claims(sentence: &str) -> Vec<NumberClaim> {
    let lower = sentence.to_lowercase();
    let plain: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let is_rough =
        plain.iter().any(|word| ROUGH.contains(word)) || sentence.contains(['~', '≈', '±', '<', '>', '≤', '≥']);
    if is_rough || sentence.trim_end().ends_with(['?', '？']) {
        return Vec::new();
    }
    let turns: BTreeSet<String> =
        plain.iter().filter(|word| TURNING.contains(*word)).map(|w| (*w).to_owned()).collect();
    let found = numbers(sentence);
    let all = &found.quantities;
    let claim = |(at, quantity): (usize, &Quantity)| {
        let mut rest = String::with_capacity(sentence.len());
        let mut from = 0;
        for other in all {
            rest.push_str(&sentence[from..other.range.start]);
            rest.push(' ');
            from = other.range.end;
        }
        rest.push_str(&sentence[from..]);
        let is_content = |term: &String| {
            !term.contains(char::is_numeric) && !SAYING.contains(term.as_str()) && !TURNING.contains(term.as_str())
        };
        // `4.3 The cap is …`: the number of a section says nothing of the cap.
        let is_section = |n: &String| sentence.trim_start().starts_with(n.as_str()) && (n.contains('.') || n.len() < 4);
        let others = all.iter().enumerate().filter(|(n, _)| *n != at);
        let mut beside: Vec<String> = others.map(|(_, q)| format!("{:?} {}", q.readings, q.unit)).collect();
        let mut loose = found.others.iter().peekable();
        loose.next_if(|first| is_section(first));
        beside.extend(loose.cloned());
        beside.sort_unstable();
        NumberClaim {
            value: sentence[quantity.range.clone()].split_whitespace().collect::<Vec<_>>().join(" "),
            quantity: quantity.clone(),
            terms: terms::terms(&rest).into_iter().filter(is_content).collect(),
            turns: turns.clone(),
            beside,
        }
    };
    all.iter().enumerate().map(claim).collect()
}

impl NumberClaim {
    /// Whether both say the same of a number of the same thing, whatever the number is.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        let held = |terms: &BTreeSet<String>, by: &BTreeSet<String>| {
            terms.iter().all(|term| by.iter().any(|own| alike(term, own)))
        };
        self.quantity.counts_like(&other.quantity)
            && self.turns == other.turns
            && self.beside == other.beside
            && self.terms.len().min(other.terms.len()) >= LEAST_SHARED
            && held(&self.terms, &other.terms)
            && held(&other.terms, &self.terms)
    }

    /// Whether it speaks of something that is asked for.
    pub(super) fn is_asked(&self, asked: &[String]) -> bool {
        asked.iter().any(|term| self.terms.iter().chain([&self.quantity.unit]).any(|own| alike(term, own)))
    }
}

fn alike(a: &str, b: &str) -> bool {
    likeness(a, b) > 0.0 || is_part(a, b)
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
