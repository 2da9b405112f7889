//! Keeps the values of other things out of a report: the figure of another town, the value of another setting.
//!
//! Nothing tells a document about another thing from one about everything, such as the rules of a house beside the page of a hotel. So a
//! passage is left out as another's only where those that stay speak of all that it says of the question.

use precis_evidence::question::query::asking_worth;
use precis_evidence::typed::named_thing::{PassageNames, Whose, whose};
use precis_proto::task::{CompressTask, TaskPassage};
use precis_text::terms;
use precis_text::terms::likeness;

/// Factor for a passage that is not about the named thing, in a document that speaks of it. Chosen, not measured.
const BESIDE_KEEPS: f64 = 0.7;

/// Whose value each passage of `task` gives.
pub(super) fn whose_value(task: &CompressTask) -> Vec<Whose> {
    let above: Vec<Vec<&str>> = task.passages.iter().map(names).collect();
    let named = task.passages.iter().zip(&above);
    let named: Vec<PassageNames<'_>> =
        named.map(|(p, above)| PassageNames { document: p.source, text: &p.text, above }).collect();
    let mut found = whose(&task.query, &named);
    let said: Vec<Vec<String>> = task.passages.iter().map(|passage| terms::terms(&passage.text)).collect();
    keep_what_only_others_say(&task.query, &said, &mut found);
    found
}

/// Takes the passages of other things that have a term of `query` which no other passage has, `said` being the terms of each.
fn keep_what_only_others_say(query: &str, said: &[Vec<String>], found: &mut [Whose]) {
    let holds = |own: &[String], asked: &str| own.iter().any(|term| likeness(asked, term) > 0.0);
    let mut asked: Vec<String> =
        terms::query_terms(query).into_iter().filter(|term| asking_worth(term) >= 1.0).collect();
    let stays = |(_, whose): &(&Vec<String>, &Whose)| **whose != Whose::Other;
    asked.retain(|term| !said.iter().zip(found.iter()).filter(stays).any(|(own, _)| holds(own, term)));
    for (own, whose) in said.iter().zip(found.iter_mut()).filter(|(_, whose)| **whose == Whose::Other) {
        if asked.iter().any(|term| holds(own, term)) {
            *whose = Whose::Beside;
        }
    }
}

fn names(passage: &TaskPassage) -> Vec<&str> {
    passage.headings.iter().chain([&passage.title, &passage.path]).map(String::as_str).collect()
}

/// Share of its score that a passage keeps; `None` for the value of another thing, which is no value of the named one at all.
pub(super) fn keeps(whose: Whose) -> Option<f64> {
    match whose {
        Whose::Named => Some(1.0),
        Whose::Beside => Some(BESIDE_KEEPS),
        Whose::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use Whose::{Beside, Named, Other};

    use super::*;

    #[test]
    fn a_document_about_everything_is_kept_for_what_it_alone_says() {
        let found = |texts: [&str; 2]| {
            let mut found = [Named, Other];
            keep_what_only_others_say("Are dogs allowed at Hotel Brem?", &texts.map(terms::terms), &mut found);
            found[1]
        };
        assert_eq!(found(["A double room is 90 euros.", "Dogs are not allowed."]), Beside);
        assert_eq!(
            found(["Dogs are allowed.", "Dogs are not allowed."]),
            Other,
            "the named thing's own answer is there"
        );
        assert_eq!(found(["A double room is 90 euros.", "It rains."]), Other);
    }
}
