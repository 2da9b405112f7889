//! What a question that follows on a conversation is searched with, beside its own words.
//!
//! "And which year was the worst?" names nothing to look for: what it is about was said before. The words of the earlier question, and of
//! what the answer stood on, join the search with less weight than the question's own. Knows nothing of how texts are ranked.

use std::collections::BTreeMap;

use precis_proto::prior::{Prior, Said, SpeakerRole};

use crate::research::clause::rests_on;
use crate::research::question_cues::POINTING;
use crate::research::{EntityKind, entities};
use crate::terms::{query_terms, terms};

/// Most words that join (chosen: an earlier question has some five, and quotes add what they are about).
pub const MAX_WORDS: usize = 12;
/// What a word of the conversation weighs beside one of the question (chosen, not measured: a passage that speaks to the question alone
/// stays before one that speaks to the conversation alone).
pub const WEIGHT: f64 = 0.5;

/// Most names of an answer that join a search; chosen, not measured.
pub const MAX_NAMES: usize = 4;
/// Most terms of a question that says little by itself; chosen, not measured.
pub const LITTLE: usize = 2;

/// Words of the conversation that `query` does not have itself, as a text to search with: those of the last question first, then those
/// that the quotes of the answer, or without quotes the answer itself, have most often. Empty where nothing was asked before.
#[must_use]
pub fn earlier_words(query: &str, prior: &Prior) -> String {
    let said = |role| prior.history.iter().rev().find(move |said| said.role == role);
    let Some(question) = said(SpeakerRole::User) else { return String::new() };
    let own = query_terms(query);
    let mut words = query_terms(&question.content);
    let answer = said(SpeakerRole::Assistant).filter(|_| prior.context.is_empty()).map(|said| said.content.as_str());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in prior.context.iter().map(|block| block.text.as_str()).chain(answer) {
        for term in terms(text) {
            *counts.entry(term).or_default() += 1;
        }
    }
    let mut often: Vec<(String, usize)> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
    often.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.extend(often.into_iter().map(|(word, _)| word));
    let mut chosen: Vec<String> = Vec::new();
    for word in words {
        if chosen.len() < MAX_WORDS && !own.contains(&word) && !chosen.contains(&word) {
            chosen.push(word);
        }
    }
    chosen.join(" ")
}

/// The last question before `query`, where `query` leans on it: it names nothing that the last one does not name, and says little by
/// itself, [`LITTLE`] terms at most, or points back ("it", "they"). "How many cars does the ferry carry?" stands on its own.
#[must_use]
pub fn leans_on<'p>(query: &str, prior: &'p Prior) -> Option<&'p str> {
    let last = prior.history.iter().rev().find(|said| said.role == SpeakerRole::User)?;
    let points_back =
        query.split(|c: char| !c.is_alphanumeric()).any(|word| POINTING.contains(word.to_lowercase().as_str()));
    let leans = rests_on(query, &last.content) && (points_back || query_terms(query).len() <= LITTLE);
    leans.then_some(last.content.as_str())
}

/// What a search for `query` is made with beside it: the [`earlier_words`] where it leans on what was said before, otherwise nothing. What
/// the answer names comes first, since "she" may be named there alone. A search that anybody else is told of, `is_told`, has only words
/// that the user said.
#[must_use]
pub fn words_to_search_with(query: &str, prior: &Prior, is_told: bool) -> String {
    if leans_on(query, prior).is_none() {
        return String::new();
    }
    if !is_told {
        return format!("{} {}", names_of_answer(query, prior), earlier_words(query, prior)).trim().to_owned();
    }
    let by_user = |said: &&Said| said.role == SpeakerRole::User;
    earlier_words(
        query,
        &Prior { history: prior.history.iter().filter(by_user).cloned().collect(), ..Prior::default() },
    )
}

/// What the quotes of the last answer, or without quotes the answer itself, name first and `query` does not.
fn names_of_answer(query: &str, prior: &Prior) -> String {
    let said = prior.history.iter().rev().find(|said| said.role == SpeakerRole::Assistant);
    let answer = said.filter(|_| prior.context.is_empty()).map(|said| said.content.as_str());
    let mut names: Vec<String> = Vec::new();
    for named in prior.context.iter().map(|block| block.text.as_str()).chain(answer).flat_map(entities) {
        let is_thing = !matches!(named.kind, EntityKind::Number | EntityKind::Date) && !named.opens;
        if is_thing && names.len() < MAX_NAMES && !names.contains(&named.text) && !query.contains(&named.text) {
            names.push(named.text);
        }
    }
    names.join(" ")
}

/// `query` for a model that is told nothing else and searches for others to see: with the question that it leans on.
#[must_use]
pub fn question_in_conversation(query: &str, prior: &Prior) -> String {
    match leans_on(query, prior) {
        Some(before) => format!("{query}\n(asked after: {})", before.trim()),
        None => query.to_owned(),
    }
}

/// `own` relevance, raised by what the conversation says of the text; never lowered, and 1 at most.
#[must_use]
pub fn joined_relevance(own: f64, earlier: f64) -> f64 {
    own + (1.0 - own) * WEIGHT * earlier
}

#[cfg(test)]
mod tests {
    use precis_proto::prior::{PriorBlock, Said};

    use super::*;

    fn prior(history: &[(SpeakerRole, &str)], context: &[&str]) -> Prior {
        let said = |(role, content): &(SpeakerRole, &str)| Said { role: *role, content: (*content).to_owned() };
        let block = |text: &&str| PriorBlock { title: String::new(), text: (*text).to_owned() };
        Prior {
            history: history.iter().map(said).collect(),
            context: context.iter().map(block).collect(),
            ..Prior::default()
        }
    }

    #[test]
    fn words_of_the_last_question_and_of_what_its_answer_stood_on_join() {
        use SpeakerRole::{Assistant, User};
        let asked = [(User, "How much ice did the glacier lose?"), (Assistant, "Much. The tongue, the tongue.")];
        let found = |query: &str, history: &[(SpeakerRole, &str)], context: &[&str]| {
            earlier_words(query, &prior(history, context))
        };
        let words = found("And which year was the worst?", &asked, &["The firn of the glacier.", "Firn melts."]);
        assert!(words.contains("glacier") && words.contains("ice") && words.ends_with("firn"), "{words}");
        assert!(!words.contains("melts") && !words.contains("tongue"), "{words}");
        assert!(found("And which year was the worst?", &asked, &[]).contains("tongue"), "without quotes the answer");
        assert!(!found("Which glacier?", &asked, &[]).contains("glacier"), "the question has that word itself");
        assert_eq!(found("And which year?", &[], &["The firn. The firn."]), "", "nothing was asked");
        let later = [asked[0], asked[1], (User, "Where does snow fall?")];
        assert!(!found("And when?", &later, &[]).contains("glacier"), "the last question counts");
        let long: Vec<String> = (0..40).map(|n| format!("word{n}")).collect();
        assert_eq!(found("And?", &[(User, &long.join(" "))], &[]).split(' ').count(), MAX_WORDS);
    }

    #[test]
    fn a_question_leans_on_the_last_one_where_it_names_nothing_new_and_says_little_or_points_back() {
        use SpeakerRole::{Assistant, User};
        let asked =
            [(User, "Who wrote the rule that the harbour bridge of Leeds follows?"), (Assistant, "Agnes Holm.")];
        for (query, leans) in [
            ("Who?", true),
            ("And who pays?", true),
            ("And who pays for delays?", true),
            ("And who pays for delays and repairs?", false),
            ("And who pays for its delays and repairs?", true),
            ("Und wer zahlt ihre Reparatur und Verzögerung?", true),
            ("How many cars does the ferry carry?", false),
            ("How many cars cross it in Leeds?", true),
            ("How many cars cross it in Corvinia?", false),
        ] {
            assert_eq!(leans_on(query, &prior(&asked, &[])).is_some(), leans, "{query}");
            assert_eq!(words_to_search_with(query, &prior(&asked, &[]), false).is_empty(), !leans, "{query}");
            assert_eq!(question_in_conversation(query, &prior(&asked, &[])) == query, !leans, "{query}");
        }
        assert_eq!(leans_on("Who?", &prior(&[], &[])), None, "nothing was asked");
    }

    #[test]
    fn whoever_is_told_of_a_search_hears_what_the_user_said_and_nothing_of_answers_and_quotes() {
        use SpeakerRole::{Assistant, Tool, User};
        let asked = [(User, "Who keeps the bridge?"), (Assistant, "Quorvix. Quorvix."), (Tool, "Marrow Marrow")];
        for context in [&[][..], &["The firn. The firn."]] {
            let told = words_to_search_with("And since when?", &prior(&asked, context), true);
            assert_eq!(told, "keeps bridge", "{context:?}");
            let own = words_to_search_with("And since when?", &prior(&asked, context), false);
            assert!(own.ends_with(if context.is_empty() { "quorvix" } else { "firn" }), "{own}");
        }
    }

    #[test]
    fn a_search_of_ones_own_has_what_the_answer_names_first() {
        use SpeakerRole::{Assistant, User};
        let asked = [(User, "Who wrote the rule?"), (Assistant, "It was Peter Lund.")];
        let quotes = [
            "The rule was written by Agnes Holm in 1979.",
            "It is kept in Varnby, near Olmsted, below Corvin, by Ann Bell.",
        ];
        for (context, want) in [(&quotes[..], "Agnes Holm Varnby Olmsted Corvin"), (&[], "Peter Lund")] {
            let words = words_to_search_with("And when was she born?", &prior(&asked, context), false);
            assert!(words.starts_with(want) && words.contains("rule") && !words.contains("Bell"), "{words}");
        }
    }

    #[test]
    fn relevance_rises_with_the_conversation_and_the_question_weighs_more() {
        for (own, earlier, expected) in
            [(0.0, 0.0, 0.0), (0.0, 1.0, 0.5), (1.0, 0.0, 1.0), (1.0, 1.0, 1.0), (0.5, 1.0, 0.75)]
        {
            assert!((joined_relevance(own, earlier) - expected).abs() < 1e-9, "{own} {earlier}");
        }
    }
}
