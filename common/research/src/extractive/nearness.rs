//! How near the best findings come to the words of a question by their letters: words of one family, or put together from others, that are
//! no forms of each other.

use precis_evidence::question::query::asking_worth;
use precis_language::question_words::is_question_word;
use precis_language::{detect, is_function_word};
use precis_proto::task::TaskFinding;
use precis_text::terms;
use precis_text::terms::Letters;

use super::identity::{finding_name, identifier_terms};

/// Numbers of best findings that the numbers are computed over.
const FEW: usize = 3;
/// See [`FEW`].
const MANY: usize = 12;
/// Number of findings from which on there are as many as there can be: those of a long document, with more that only sounds like an answer.
const FULL: usize = 18;
/// Likeness from which on two words count as one for rarity.
const SAME: f64 = 0.6;
/// Weight of a term that is in each finding.
const LEAST_WEIGHT: f64 = 0.1;

/// An asked term.
struct AskedTerm {
    letters: Letters,
    weight: f64,
}

/// The numbers of `query`, which names the documents `named`, and `findings`, each 0 to 1: the share of the question that is near words of
/// the best finding; the likeness of its first term to a word of the best few; how many findings there are.
pub(super) fn nearness(query: &str, named: &[String], findings: &[TaskFinding]) -> [f64; 3] {
    let mut best: Vec<&TaskFinding> = findings.iter().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score));
    let many = best.len().min(FULL) as f64 / FULL as f64;
    best.truncate(MANY);
    let said: Vec<Vec<Letters>> = best.iter().map(|finding| letters(finding, named)).collect();
    let asked = asked_terms(query, &said);
    let near =
        |term: &AskedTerm, words: &[Letters]| words.iter().map(|word| word.likeness(&term.letters)).fold(0.0, f64::max);
    let first = said.first().map_or(&[][..], Vec::as_slice);
    let total: f64 = asked.iter().map(|term| term.weight).sum();
    let held: f64 = asked.iter().map(|term| term.weight * near(term, first)).sum();
    let opening = asked.first().map(|term| said.iter().take(FEW).map(|own| near(term, own)).fold(0.0, f64::max));
    [if total > 0.0 { held / total } else { 0.0 }, opening.unwrap_or_default(), many]
}

/// The terms of `query` with their weights: rarer ones among the findings weigh more, those that only ask little.
fn asked_terms(query: &str, said: &[Vec<Letters>]) -> Vec<AskedTerm> {
    let language = detect(query).known;
    let says = |term: &String| !is_function_word(term, language) && !is_question_word(term);
    let weighed = |term: String| {
        let letters = Letters::new(&term);
        let with_it = said.iter().filter(|own| own.iter().any(|word| word.likeness(&letters) >= SAME)).count();
        let rarity = ((said.len() + 1) as f64 / (with_it as f64 + 0.5)).ln().max(LEAST_WEIGHT);
        AskedTerm { letters, weight: rarity * asking_worth(&term) }
    };
    terms::query_terms(query).into_iter().filter(says).map(weighed).collect()
}

/// The words of a statement, and those of its document's name if the question names that document.
fn letters(finding: &TaskFinding, named: &[String]) -> Vec<Letters> {
    let own = terms::terms(&finding.statement).into_iter().chain(identifier_terms(named, finding_name(finding)));
    own.map(|word| Letters::new(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(statement: &str, score: f64) -> TaskFinding {
        TaskFinding {
            id: 1,
            topic: String::new(),
            statement: statement.to_owned(),
            title: String::new(),
            source: 1,
            score,
            headings: Vec::new(),
            path: String::new(),
            context: Vec::new(),
            similarity: None,
        }
    }

    #[test]
    fn words_of_the_family_come_near_and_strangers_do_not() {
        let query = "Wie teuer ist ein Anteil?";
        let of = |statement: &str| nearness(query, &[], &[finding(statement, 0.5)]);
        let [near, ..] = of("Ein Geschäftsanteil beträgt 100 Euro.");
        let [far, ..] = of("Die Versammlung ist im Mai.");
        assert!(near > far && far == 0.0, "{near} {far}");
    }

    #[test]
    fn the_numbers_are_shares_whatever_is_asked() {
        let many: Vec<TaskFinding> = (0..40).map(|n| finding("The fee is 4 euros.", f64::from(n) / 40.0)).collect();
        for (query, findings) in
            [("What is the fee?", &many[..]), ("What is the fee?", &[]), ("Why?", &many), ("", &[])]
        {
            let numbers = nearness(query, &[], findings);
            assert!(numbers.iter().all(|number| (0.0..=1.0).contains(number)), "{query} {numbers:?}");
        }
        assert_eq!(nearness("What is the fee?", &[], &many)[2], 1.0);
    }
}
