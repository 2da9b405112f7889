//! Relations for which only documents have a name: "the previous proposal of SE-480" and the field `Previous Proposal: SE-338` in its head.

use precis_language::relation::is_document_word;
use precis_language::words::WrittenWord;
use precis_proto::research::Hit;
use precis_text::terms::{likeness, query_terms, terms};

use super::entity::{family, identifiers, key, listed_identifiers};
use super::field::{HEAD_CHARS, labels};
use super::relation::{RelationStatement, char_range};

/// The identifiers in those fields at the head of the document `own` whose names `asked` uses, where `asked` names that document. A word
/// for documents alone is no name: `Proposal` stands before the number of the document itself.
pub fn stated_in_fields(asked: &str, hit: &Hit, own: &str) -> Vec<RelationStatement> {
    let is_named = identifiers(asked).iter().any(|name| key(name) == key(own));
    if !is_named || hit.range.start >= HEAD_CHARS {
        return Vec::new();
    }
    let names = terms(own);
    let asked: Vec<String> = query_terms(asked).into_iter().filter(|term| !names.contains(term)).collect();
    let mut found: Vec<RelationStatement> = Vec::new();
    for label in labels(&hit.text) {
        let Some(first) = first_asked(&label.words, &asked) else { continue };
        let (values, end) = listed_identifiers(&hit.text[label.behind..], family(own));
        let range = char_range(&hit.text, label.at + first.range.start..label.behind + end);
        for other in values {
            let is_known = found.iter().any(|held| key(&held.other) == key(&other));
            if !is_known && key(&other) != key(own) {
                found.push(RelationStatement { other, is_field: true, range });
            }
        }
    }
    found
}

/// The first of the last words of a label that are all asked for; `None` if these are none, or words for documents only.
fn first_asked<'w, 't>(words: &'w [WrittenWord<'t>], asked: &[String]) -> Option<&'w WrittenWord<'t>> {
    let is_asked =
        |word: &&WrittenWord<'_>| terms(word.text).iter().any(|own| asked.iter().any(|term| likeness(term, own) > 0.0));
    let said: Vec<&WrittenWord<'_>> = words.iter().rev().take_while(is_asked).collect();
    let says_more = said.iter().any(|word| !is_document_word(&word.lower()));
    said.last().copied().filter(|_| says_more)
}

#[cfg(test)]
mod tests {
    use precis_proto::CharRange;

    use super::*;

    #[test]
    fn a_field_that_the_question_names_states_a_relation() {
        let head =
            "Enums Proposal: SE-0480 Author: Ann Previous Proposal: SE-0338, SE-0339 Review Manager: Bo Related: SE-7";
        for (asked, from, want) in [
            ("What was the previous proposal of SE-480", 0, vec!["SE 338", "SE 339"]),
            ("Which is the related proposal of SE-0480", 0, vec!["SE 7"]),
            ("Who was the review manager of SE-480", 0, vec![]),
            ("Which proposal is SE-480", 0, vec![]),
            ("What was the previous proposal of SE-481", 0, vec![]),
            ("What was the previous proposal", 0, vec![]),
            ("What was the previous proposal of SE-480", HEAD_CHARS - 1, vec!["SE 338", "SE 339"]),
            ("What was the previous proposal of SE-480", HEAD_CHARS, vec![]),
        ] {
            let hit = Hit {
                document: "0480-enums.md".to_owned(),
                range: CharRange::new(from, from + head.chars().count()),
                text: head.to_owned(),
                score: 1.0,
                ..Hit::default()
            };
            let found = stated_in_fields(asked, &hit, "SE 480");
            let others: Vec<&str> = found.iter().map(|statement| statement.other.as_str()).collect();
            assert_eq!(others, want, "{asked}");
            if want.len() == 2 {
                let range = found[0].range;
                let said: String = head.chars().skip(range.start).take(range.len()).collect();
                assert_eq!(said, "Previous Proposal: SE-0338, SE-0339");
            }
        }
    }
}
