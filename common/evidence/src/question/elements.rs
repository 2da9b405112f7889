//! Finds the things a question compares, by comparing words in English, German, French, Spanish, Chinese and Japanese.

use std::collections::BTreeSet;

use precis_language::comparing::{
    asks_to_compare, ends_unspaced_names, goes_before_compared, goes_before_name, goes_behind_name, joins_compared,
    joins_compared_alone, joins_unspaced, leads_no_name, unspaced_cue, unspaced_head,
};
use precis_language::script::is_east_asian;
use precis_text::terms;

use super::aspect::Aspect;
use super::comparing_words::compares;
use crate::question::clause::clauses;

/// Most things compared side by side; for more, the sources are compared instead.
const MOST_ELEMENTS: usize = 6;
/// Most words of a thing's name; more would be a clause.
const MOST_WORDS: usize = 6;

/// The things a question compares, and in which aspect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonElements {
    /// The things, in the words of the question; empty if it compares the sources.
    pub elements: Vec<ComparedElement>,
    /// The aspect in which they are compared.
    pub aspect: Aspect,
}

/// A compared thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedElement {
    /// Its name, in the words of the question.
    pub name: String,
    /// The terms that distinguish it from the others, never empty. If they are names, one suffices; else all must match.
    terms: Vec<String>,
    is_name: bool,
}

impl ComparedElement {
    /// Whether a name (a word with a capital or a digit) distinguishes it from the others.
    #[must_use]
    pub fn is_name(&self) -> bool {
        self.is_name
    }

    /// Whether `text` mentions it, written as one word or as two ("dataclasses", "data classes").
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        let mut own = terms::terms(text);
        own.extend(own.windows(2).map(<[String]>::concat).collect::<Vec<String>>());
        let held = |term: &String| own.iter().any(|word| terms::likeness(term, word) > 0.0);
        if self.is_name { self.terms.iter().any(held) } else { self.terms.iter().all(held) }
    }
}

/// The comparison that `query` asks for; `None` if it asks for none.
///
/// ```
/// use precis_evidence::question::elements::comparison_elements;
///
/// let found = comparison_elements("How does Alpha differ from Beta?").expect("a comparison");
/// let names: Vec<&str> = found.elements.iter().map(|element| element.name.as_str()).collect();
/// assert_eq!(names, ["Alpha", "Beta"]);
/// assert!(comparison_elements("Who wrote Hamlet?").is_none());
/// ```
#[must_use]
pub fn comparison_elements(query: &str) -> Option<ComparisonElements> {
    if query.contains(is_east_asian) {
        return unspaced_comparison(query);
    }
    let query = query.replace(['’', '\''], " ");
    clauses(&query).iter().find_map(|clause| in_clause(clause, &query))
}

/// The comparison in `clause` of `query`. If the clause names no aspect, the aspect is taken from the whole query.
fn in_clause(clause: &str, query: &str) -> Option<ComparisonElements> {
    let clause = clause.replace(',', " and ");
    let words: Vec<&str> = clause.split_whitespace().map(trim_word).filter(|w| !w.is_empty()).collect();
    let lower: Vec<String> = words.iter().map(|w| w.to_lowercase()).collect();
    let is_verb = |at: &usize| asks_to_compare(&lower[*at]);
    let cue = (0..words.len()).find(|at| compares(&lower[*at]))?;
    match named_elements(&words, &lower, cue) {
        Some(elements) => {
            let names: Vec<String> = elements.iter().map(|element| element.name.clone()).collect();
            let compares = |term: &str| compares(term) || goes_before_compared(term);
            let own = Aspect::new(&clause, &names, &compares);
            let aspect = if own.terms().is_empty() { Aspect::new(query, &names, &compares) } else { own };
            Some(ComparisonElements { elements, aspect })
        }
        // "Compare the contracts." compares the sources; "the difference of A" compares nothing.
        None => (is_verb(&cue) && cue == 0).then(of_sources),
    }
}

/// A comparison of the sources themselves.
fn of_sources() -> ComparisonElements {
    ComparisonElements { elements: Vec::new(), aspect: Aspect::default() }
}

fn trim_word(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '&'))
}

/// The things named before or after the word at `cue`.
fn named_elements(words: &[&str], lower: &[String], cue: usize) -> Option<Vec<ComparedElement>> {
    let is_join = |joins: &fn(&str) -> bool, at: &usize| joins(&lower[*at]);
    let skip = usize::from(lower.get(cue + 1).is_some_and(|word| goes_before_compared(word)));
    let behind = cue + 1 + skip..words.len();
    let before = 0..cue;
    let parted = |range: &std::ops::Range<usize>| {
        let inside = range.clone().skip(1).take(range.len().saturating_sub(2));
        let ways: [fn(&str) -> bool; 2] = [joins_compared, joins_compared_alone];
        let joins = ways.into_iter().find(|joins| inside.clone().any(|at| is_join(joins, &at)))?;
        Some(split(range.clone(), &|at| is_join(&joins, at)))
    };
    let parts = parted(&behind).or_else(|| parted(&before)).unwrap_or_else(|| {
        // "A compared with B", "how does A differ from B".
        let joins = |at: &usize| joins_compared(&lower[*at]) || joins_compared_alone(&lower[*at]);
        vec![before.clone().collect(), behind.clone().skip_while(joins).collect()]
    });
    let last = parts.len().saturating_sub(1);
    let first: Vec<&str> = parts.first()?.iter().map(|at| lower[*at].as_str()).collect();
    let names: Option<Vec<String>> = parts
        .iter()
        .enumerate()
        .map(|(n, part)| {
            let own: Vec<&str> = part.iter().map(|at| lower[*at].as_str()).collect();
            let shared = if n == 0 { 0 } else { shared_head(&first, &own) };
            name(&part[shared..].iter().map(|at| words[*at]).collect::<Vec<_>>(), n == 0, n == last)
        })
        .collect();
    elements(names?)
}

/// How many words of `part` up to a preposition stand in `first` too: "transmission by" of "transmission by droplets", compared with
/// "transmission by aerosols".
fn shared_head(first: &[&str], part: &[&str]) -> usize {
    let is_shared =
        |size: &usize| goes_before_name(part[size - 1]) && first.windows(*size).any(|words| words == &part[..*size]);
    (1..part.len()).rev().find(is_shared).unwrap_or(0)
}

fn split(range: std::ops::Range<usize>, joins: &dyn Fn(&usize) -> bool) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
    for at in range {
        if joins(&at) {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(at);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The name within one part: in the first part after the last preposition, in the last part before the next one.
fn name(words: &[&str], is_first: bool, is_last: bool) -> Option<String> {
    let mut words = words;
    if is_first {
        let start = words
            .iter()
            .map(|word| word.to_lowercase())
            .collect::<Vec<_>>()
            .iter()
            .rposition(|w| goes_before_name(w) || compares(w));
        words = &words[start.map_or(0, |at| at + 1)..];
    }
    let is_led = |word: &str| leads_no_name(&word.to_lowercase()) || goes_before_name(&word.to_lowercase());
    words = &words[words.iter().take_while(|word| is_led(word)).count()..];
    if is_last {
        let end = words.iter().skip(1).position(|word| goes_behind_name(&word.to_lowercase()));
        words = &words[..end.map_or(words.len(), |at| at + 1)];
    }
    (1..=MOST_WORDS).contains(&words.len()).then(|| words.join(" "))
}

/// The names as elements, each with its distinguishing terms; `None` for fewer than two names, too many, or names without such terms.
fn elements(names: Vec<String>) -> Option<Vec<ComparedElement>> {
    if !(2..=MOST_ELEMENTS).contains(&names.len()) {
        return None;
    }
    let own: Vec<Vec<String>> = names.iter().map(|name| terms::query_terms(name)).collect();
    let shared: BTreeSet<&String> = own[0].iter().filter(|term| own.iter().all(|terms| terms.contains(term))).collect();
    let element = |(name, own): (&String, &Vec<String>)| {
        let distinct: Vec<String> = own.iter().filter(|term| !shared.contains(term)).cloned().collect();
        let is_proper = |word: &&str| word.chars().any(|c| c.is_uppercase() || c.is_numeric());
        let proper: Vec<String> = name.split(' ').filter(is_proper).flat_map(terms::query_terms).collect();
        let named: Vec<String> = distinct.iter().filter(|term| proper.contains(term)).cloned().collect();
        let is_name = !named.is_empty();
        let terms = if is_name { named } else { distinct };
        (!terms.is_empty()).then(|| ComparedElement { name: name.clone(), terms, is_name })
    };
    names.iter().zip(&own).map(element).collect()
}

/// The comparison in Chinese and Japanese: things on both sides of `和`, `与` or `と`, before `的区别` or `の違い`.
fn unspaced_comparison(query: &str) -> Option<ComparisonElements> {
    let (cue, head) = (unspaced_cue(query), unspaced_head(query));
    if cue.is_none() && head.is_none() {
        return None;
    }
    let region = &query[head.unwrap_or(0)..];
    let end = unspaced_cue(region).unwrap_or(region.len());
    let region = region[..end].trim_end_matches(|c| matches!(c, '。' | '？' | '?') || ends_unspaced_names(c));
    let names: Vec<String> =
        region.split(joins_unspaced).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let short = names.iter().all(|name| name.chars().count() <= 2 * MOST_WORDS);
    match elements(names).filter(|_| short) {
        Some(elements) => Some(ComparisonElements { elements, aspect: Aspect::default() }),
        None => head.map(|_| of_sources()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(query: &str) -> Option<Vec<String>> {
        comparison_elements(query).map(|compared| compared.elements.into_iter().map(|e| e.name).collect())
    }

    #[test]
    fn the_things_a_question_compares_are_named_in_its_own_words() {
        for (query, want) in [
            ("Compare Postgres and MySQL.", &["Postgres", "MySQL"][..]),
            ("Compare the Alpha contract with the Beta contract", &["Alpha contract", "Beta contract"]),
            ("What is the difference between a list and a tuple?", &["list", "tuple"]),
            ("What are the differences between Alpha, Beta and Gamma?", &["Alpha", "Beta", "Gamma"]),
            ("How do glaciers and ice sheets differ?", &["glaciers", "ice sheets"]),
            ("How does Alpha differ from Beta?", &["Alpha", "Beta"]),
            ("How does transmission by aerosols differ from transmission by droplets?", &["aerosols", "droplets"]),
            ("Compare the price of Alpha and the price of Beta", &["Alpha", "Beta"]),
            ("Postgres vs. MySQL", &["Postgres", "MySQL"]),
            ("How fast is Alpha compared to Beta?", &["Alpha", "Beta"]),
            (
                "How long does SARS-CoV-2 survive on plastic compared with stainless steel?",
                &["plastic", "stainless steel"],
            ),
            ("Compare the notice periods of the Alpha and Beta contracts.", &["Alpha", "Beta contracts"]),
            ("Compare Alpha and Beta in terms of price", &["Alpha", "Beta"]),
            ("Compare the cap in the contract and in the amendment.", &["contract", "amendment"]),
            ("Vergleiche Alpha und Beta.", &["Alpha", "Beta"]),
            ("Was ist der Unterschied zwischen dem Vertrag A1 und dem Vertrag B2?", &["Vertrag A1", "Vertrag B2"]),
            ("Worin unterscheidet sich die Laufzeit von Alpha und Beta?", &["Alpha", "Beta"]),
            ("Worin unterscheidet sich Alpha von Beta?", &["Alpha", "Beta"]),
            ("Worin unterscheiden sich Alpha und Beta?", &["Alpha", "Beta"]),
            ("Comparez Alpha et Beta", &["Alpha", "Beta"]),
            ("Quelle est la différence entre l’offre Alpha et l’offre Beta ?", &["offre Alpha", "offre Beta"]),
            ("¿Cuál es la diferencia entre Alpha y Beta?", &["Alpha", "Beta"]),
            ("¿En qué se diferencian Alpha y Beta?", &["Alpha", "Beta"]),
            ("冰川和冰盖的区别是什么？", &["冰川", "冰盖"]),
            ("氷河と氷床の違いは何ですか", &["氷河", "氷床"]),
            ("Compare the contracts", &[]),
            ("Vergleiche die Verträge", &[]),
        ] {
            let want: Vec<String> = want.iter().map(|w| (*w).to_owned()).collect();
            assert_eq!(names(query), Some(want), "{query}");
        }
    }

    #[test]
    fn a_question_that_only_holds_such_a_word_compares_nothing() {
        for query in [
            "What is the main risk?",
            "What difference does it make?",
            "Who and what is affected?",
            "Does it differ?",
            "What is a comparison?",
            "Was ist der Unterschied?",
            "Which is better?",
            "",
            "???",
            "这是什么？",
        ] {
            assert_eq!(names(query), None, "{query}");
        }
    }

    #[test]
    fn a_text_is_about_a_thing_by_its_distinguishing_words() {
        let elements =
            comparison_elements("Compare the Alpha contract and the Beta contract").expect("a comparison").elements;
        let of = |text: &str| elements.iter().map(|e| e.is_in(text)).collect::<Vec<_>>();
        assert_eq!(of("Alpha gives 30 days of notice."), [true, false]);
        assert_eq!(of("The contract ends in May."), [false, false]);
        assert_eq!(of("Beta and Alpha agree."), [true, true]);
        let common = comparison_elements("How do glaciers and ice sheets differ?").expect("a comparison").elements;
        assert!(common[1].is_in("An ice sheet covers land.") && !common[1].is_in("The ice melts."));
    }
}
