//! What a question that follows on a conversation is searched with, beside its own words.
//!
//! "And which year was the worst?" names nothing to look for: what it is about was said before. The words of the earlier question, and of
//! what the answer stood on, join the search with less weight than the question's own. Knows nothing of how texts are ranked.

use std::collections::BTreeMap;

use precis_proto::prior::{Prior, SpeakerRole};

use crate::terms::{query_terms, terms};

/// Most words that join (chosen: an earlier question has some five, and quotes add what they are about).
pub const MAX_WORDS: usize = 12;
/// What a word of the conversation weighs beside one of the question (chosen, not measured: a passage that speaks to the question alone
/// stays before one that speaks to the conversation alone).
pub const WEIGHT: f64 = 0.5;

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
    fn relevance_rises_with_the_conversation_and_the_question_weighs_more() {
        for (own, earlier, expected) in
            [(0.0, 0.0, 0.0), (0.0, 1.0, 0.5), (1.0, 0.0, 1.0), (1.0, 1.0, 1.0), (0.5, 1.0, 0.75)]
        {
            assert!((joined_relevance(own, earlier) - expected).abs() < 1e-9, "{own} {earlier}");
        }
    }
}
