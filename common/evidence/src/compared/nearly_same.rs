//! Sentences of two documents in nearly the same words, side by side.
//!
//! What differs may decide, as in two drafts of one contract, or may not; a reader sees it, and no conflict is claimed. Sentences about
//! different things are left out: those whose titles, headings or own words name different things, years or places.

use std::collections::BTreeSet;

use precis_language::negation::is_negation;
use precis_language::quantifier::quantifier;
use precis_language::{Language, detect, is_function_word};
use precis_proto::compare::{Disagreement, GivenValue};
use precis_proto::research::ValueKind;
use precis_proto::response::Citation;
use precis_text::equal_words::equal_words;
use precis_text::sentences::{is_question, sentences_with_ranges};
use precis_text::terms;
use precis_text::terms::likeness;
use precis_text::wording::{Wording, WordingDifference};

use super::whose::{names, names_above, names_others};
use crate::question::asked::Question;
use crate::question::asking_words::AnswerKind;

/// Most pairs that are listed.
const MOST_PAIRS: usize = 3;
/// Most sentences that are compared, those of the first citations. Bounds time.
const MOST_SENTENCES: usize = 200;
/// Share of what the best sentence meets of the question that a pair must meet.
const ASKED: f64 = 0.5;

/// A sentence of a quote.
struct QuotedSentence<'c> {
    citation: &'c Citation,
    text: &'c str,
    words: String,
    wording: Wording,
    /// Number of terms of the question that it contains.
    met: usize,
}

/// The first pairs of sentences of different texts that differ in a word that may decide, in the order of their citations; at most
/// three. `known` are values on which the quotes disagree: a pair that differs in these is listed there.
pub(super) fn nearly_same(query: &str, citations: &[Citation], known: &[Disagreement]) -> Vec<Disagreement> {
    let sentences = sentences(query, citations);
    let most = sentences.iter().map(|sentence| sentence.met).max().unwrap_or(0) as f64;
    let asked: Vec<&QuotedSentence<'_>> = sentences.iter().filter(|s| s.met as f64 >= ASKED * most).collect();
    let wanted = Question::new(query).wanted;
    let is_listed = |a: u32, b: u32| {
        known.iter().any(|known| [a, b].iter().all(|n| known.values.iter().any(|value| value.citations.contains(n))))
    };
    let mut pairs = Vec::new();
    let mut paired: BTreeSet<&str> = BTreeSet::new();
    for (at, a) in asked.iter().enumerate() {
        let is_twin = |b: &&&QuotedSentence<'_>| {
            a.citation.source_text_hash != b.citation.source_text_hash
                && !is_listed(a.citation.n, b.citation.n)
                && a.wording.difference(&b.wording).is_some_and(|differing| decides(&differing, (a, b), wanted))
        };
        if paired.contains(a.words.as_str()) {
            continue;
        }
        if let Some(b) = asked[at + 1..].iter().find(is_twin) {
            paired.extend([a.words.as_str(), b.words.as_str()]);
            pairs.push(Disagreement {
                unit: String::new(),
                kind: ValueKind::Wording,
                values: [a, b].map(|side| given_value(side, &sentences)).into(),
            });
        }
        if pairs.len() == MOST_PAIRS {
            break;
        }
    }
    pairs
}

fn sentences<'c>(query: &str, citations: &'c [Citation]) -> Vec<QuotedSentence<'c>> {
    let asked = terms::query_terms(query);
    let sentence = |(citation, text): (&'c Citation, &'c str)| {
        let own = terms::terms(text);
        let met = asked.iter().filter(|term| own.iter().any(|own| likeness(term, own) > 0.0)).count();
        QuotedSentence { citation, text, words: equal_words(text), wording: Wording::from_statement(text), met }
    };
    // A quote that says something else without its lead-in is compared with nothing.
    let stand = citations.iter().filter(|citation| citation.context.iter().all(|range| range.at.is_some()));
    let all = stand.flat_map(|citation| sentences_with_ranges(&citation.text).map(move |(_, text)| (citation, text)));
    all.filter(|(_, text)| !is_question(text)).take(MOST_SENTENCES).map(sentence).collect()
}

/// One side of a pair: its sentence, and all citations with the same words.
fn given_value(side: &QuotedSentence<'_>, all: &[QuotedSentence<'_>]) -> GivenValue {
    let same = all.iter().filter(|other| other.words == side.words).map(|other| other.citation.n);
    let citations: BTreeSet<u32> = same.collect();
    let text = side.text.split_whitespace().collect::<Vec<_>>().join(" ");
    GivenValue { value: text, citations: citations.into_iter().collect(), newer: None }
}

/// Whether the difference of two sentences about one thing may decide.
fn decides(
    differing: &WordingDifference<'_>,
    (a, b): (&QuotedSentence<'_>, &QuotedSentence<'_>),
    wanted: AnswerKind,
) -> bool {
    let above = |side: &QuotedSentence<'_>| names_above(side.citation);
    let language = detect(a.text).known;
    let mut words = differing.first.iter().chain(&differing.second);
    if !words.any(|word| may_decide(word, language)) || names_others(&above(a), &above(b)) {
        return false;
    }
    let within = |side: &QuotedSentence<'_>, words: &[&str]| -> BTreeSet<String> {
        names(side.text).into_iter().filter(|name| words.contains(&name.as_str())).collect()
    };
    let (first, second) = (within(a, &differing.first), within(b, &differing.second));
    // Who, where and when are asked for by name: there the other name is what differs.
    !names_others(&first, &second) || matches!(wanted, AnswerKind::Name | AnswerKind::Place | AnswerKind::Time)
}

/// Whether a word may change what a sentence says: every word but the commonest ones, and of these those that deny or tell how many.
fn may_decide(word: &str, language: Option<Language>) -> bool {
    !is_function_word(word, language) || is_negation(word, language) || quantifier(word, language).is_some()
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;
    use precis_proto::{CharRange, Locator, SourceId};

    use super::*;
    use crate::compared::{differing_values, disagreements};

    /// Citations of these quotes, each with its document's title and the heading above it.
    fn citations(quotes: &[(&str, &str, &str)]) -> Vec<Citation> {
        let citation = |((title, heading, text), n): (&(&str, &str, &str), u32)| Citation {
            n,
            source_id: SourceId::new(format!("s{n}")).expect("an id"),
            title: (*title).to_owned(),
            url: None,
            locator: Locator { page: None, range: CharRange::new(0, text.chars().count()) },
            text: (*text).to_owned(),
            source_text_hash: ContentRef::from_bytes(format!("{title}{n}").as_bytes()).to_string(),
            headings: vec![(*heading).to_owned()],
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        quotes.iter().zip(1..).map(citation).collect()
    }

    fn pairs(query: &str, quotes: &[(&str, &str, &str)]) -> Vec<Vec<(String, Vec<u32>)>> {
        let found = disagreements(query, &citations(quotes)).into_iter().filter(|one| one.kind == ValueKind::Wording);
        found.map(|one| one.values.into_iter().map(|value| (value.value, value.citations)).collect()).collect()
    }

    const PAYS: &str = "The supplier pays for each week of delay.";
    const BUYER: &str = "The buyer pays for each week of delay.";

    #[test]
    fn a_pair_names_all_documents_with_the_same_words() {
        let quotes = [
            ("draft", "Delay", PAYS),
            ("final", "Delay", BUYER),
            ("copy", "", "The supplier pays for  each week of delay"),
        ];
        let want = vec![vec![(PAYS.to_owned(), vec![1, 3]), (BUYER.to_owned(), vec![2])]];
        assert_eq!(pairs("Who pays for delay?", &quotes), want);
    }

    #[test]
    fn sentences_about_different_things_years_or_places_are_no_pair() {
        let two =
            |a: (&'static str, &'static str), b: (&'static str, &'static str)| [(a.0, a.1, PAYS), (b.0, b.1, BUYER)];
        for (quotes, is_pair) in [
            (two(("The draft", "Delay"), ("The final text", "Delay")), true),
            (two(("Contract 2023", "Delay"), ("Contract 2024", "Delay")), false),
            (two(("Contract 2023", "Delay"), ("Contract", "Delay")), true),
            (two(("Rules of Bremen", "Delay"), ("Rules of Lyon", "Delay")), false),
            (two(("Rules", "Delay in Bremen"), ("Rules", "Delay in Lyon")), false),
            (two(("EIP-1", "Delay"), ("EIP-2", "Delay")), false),
        ] {
            assert_eq!(!pairs("Who pays for delay?", &quotes).is_empty(), is_pair, "{quotes:?}");
        }
    }

    #[test]
    fn another_name_makes_a_pair_only_if_names_are_asked() {
        let quotes = [
            ("minutes", "", "The lease of the mill was signed by Miller in spring."),
            ("notes", "", "The lease of the mill was signed by Smith in spring."),
        ];
        assert_eq!(pairs("Who signed the lease of the mill?", &quotes).len(), 1);
        assert_eq!(pairs("How was the lease of the mill signed?", &quotes).len(), 0);
    }

    #[test]
    fn unrequested_and_listed_values_make_no_pair() {
        let cap = |value: &str| format!("The penalty cap of the contract is {value} of the price.");
        let (five, ten) = (cap("5 %"), cap("10 %"));
        let quotes = [("a", "", five.as_str()), ("b", "", ten.as_str())];
        let query = "What is the penalty cap of the contract?";
        assert_eq!((differing_values(query, &citations(&quotes)).len(), pairs(query, &quotes).len()), (1, 0));
        let quotes = [
            ("a", "", PAYS),
            ("b", "", BUYER),
            ("c", "", "The licence of the ferry on the lake ends with the first snow."),
        ];
        assert_eq!(pairs("When does the licence of the ferry end?", &quotes).len(), 0);
    }

    #[test]
    fn so_many_pairs_are_listed_and_no_more() {
        for pairs_there in [MOST_PAIRS - 1, MOST_PAIRS, MOST_PAIRS + 1] {
            let things = ["pump", "valve", "boiler", "ladder"];
            let both = things.iter().take(pairs_there).flat_map(|thing| {
                ["supplier", "buyer"]
                    .map(|who| format!("For delay of any {thing} that was ordered by letter the {who} pays."))
            });
            let texts: Vec<String> = both.collect();
            let quotes: Vec<(&str, &str, &str)> = texts.iter().map(|text| ("notes", "", text.as_str())).collect();
            assert_eq!(pairs("Who pays for delay?", &quotes).len(), pairs_there.min(MOST_PAIRS));
        }
    }
}
