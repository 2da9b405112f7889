//! Which quotes are about the thing that a question names, and whether two lines name different things.

use std::collections::BTreeSet;

use precis_language::{detect, is_function_word};
use precis_proto::response::Citation;
use precis_text::terms;
use precis_text::terms::{for_each_word, likeness};

/// The quotes about a thing that `query` names: one of its names is in the quote, in a heading above it or in its document's title. Names
/// that are nowhere tell no quotes apart.
pub(super) fn about_named<'c>(query: &str, citations: &'c [Citation]) -> Vec<&'c Citation> {
    let said: Vec<Vec<String>> = citations.iter().map(terms_about).collect();
    let holds = |own: &[String], name: &String| own.iter().any(|term| likeness(name, term) > 0.0);
    let told: Vec<String> =
        asked_names(query).into_iter().filter(|name| said.iter().any(|own| holds(own, name))).collect();
    let is_about = |own: &[String]| told.is_empty() || told.iter().any(|name| holds(own, name));
    citations.iter().zip(&said).filter(|(_, own)| is_about(own)).map(|(citation, _)| citation).collect()
}

fn terms_about(citation: &Citation) -> Vec<String> {
    let lines = citation.headings.iter().chain([&citation.title, &citation.text]);
    lines.flat_map(|line| terms::terms(line)).collect()
}

/// The terms of `query` that it writes with a capital, but for its first word.
fn asked_names(query: &str) -> Vec<String> {
    let language = detect(query).known;
    let words = query.split_whitespace().skip(1).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let named =
        words.filter(|word| word.starts_with(char::is_uppercase) && !is_function_word(&word.to_lowercase(), language));
    named.flat_map(terms::terms).collect()
}

/// The names above a quote: in its headings and in its document's title.
pub(super) fn names_above(citation: &Citation) -> BTreeSet<String> {
    citation.headings.iter().chain([&citation.title]).flat_map(|line| names(line)).collect()
}

/// Whether each names something that the other does not.
pub(super) fn names_others(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    !a.is_subset(b) && !b.is_subset(a)
}

/// Names and years of a line, lower case: words with a digit, and capitalized words that do not open it. German capitalizes every noun, so
/// there capitals name nothing.
pub(super) fn names(line: &str) -> BTreeSet<String> {
    let capitals_name = detect(line).tag != "de";
    let mut names = BTreeSet::new();
    let mut at_start = true;
    for word in line.split_whitespace() {
        let is_name = word.contains(|c: char| c.is_ascii_digit())
            || (capitals_name && !at_start && word.trim_start_matches(['(', '"', '“']).starts_with(char::is_uppercase));
        if is_name {
            for_each_word(word, |word| {
                names.insert(word.to_owned());
            });
        }
        at_start = word.ends_with(['.', '!', '?', ':']);
    }
    names
}

#[cfg(test)]
mod tests {
    use precis_proto::source::ContentRef;
    use precis_proto::{CharRange, Locator, SourceId};

    use super::*;

    #[test]
    fn quotes_about_another_thing_than_the_named_one_are_left_out() {
        let citation = |(title, text): (&str, &str)| Citation {
            n: 1,
            source_id: SourceId::new("s").expect("an id"),
            title: title.to_owned(),
            url: None,
            locator: Locator { page: None, range: CharRange::new(0, 1) },
            text: text.to_owned(),
            source_text_hash: ContentRef::from_bytes(b"s").to_string(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        let both = [("Sandö", "It rains on 140 days."), ("Norby", "It rains on 180 days.")].map(citation);
        for (query, want) in [
            ("On how many days does it rain in Sandö?", &["Sandö"][..]),
            ("On how many days does it rain in Brem?", &["Sandö", "Norby"]),
            ("On how many days does it rain?", &["Sandö", "Norby"]),
        ] {
            let found: Vec<&str> =
                about_named(query, &both).into_iter().map(|citation| citation.title.as_str()).collect();
            assert_eq!(found, want, "{query}");
        }
    }
}
