//! The words that a follow-up question is searched with besides its own.
//!
//! "And which year was the worst?" does not name its subject; the conversation before it did. The words of the earlier question and of
//! the quotes behind its answer are added to the search, with less weight than the question's own. This module does not rank texts.

use std::collections::BTreeMap;

use precis_language::detect;
use precis_language::question_shape::{joins_questions, points_back};
use precis_language::question_words::is_question_word;
use precis_language::words::lower_words;
use precis_proto::prior::{Prior, Said, SpeakerRole};
use precis_text::terms::{query_terms, terms};

use crate::question::clause::rests_on;
use crate::question::entity::{Entity, EntityKind, entities};

/// Most words added (chosen: an earlier question has about five, and quotes add their subject).
pub const MAX_WORDS: usize = 12;
/// Weight of a word of the conversation relative to one of the question (chosen, not measured: a passage that matches only the question
/// stays ahead of one that matches only the conversation).
pub const WEIGHT: f64 = 0.5;

/// Most names of an answer added to a search, and number of documents whose first quote they are taken from; chosen, not measured.
pub const MAX_NAMES: usize = 6;
/// See [`MAX_NAMES`].
pub const MAX_QUOTES: usize = 3;
/// Most terms of a question that says little on its own; chosen, not measured.
pub const LITTLE: usize = 2;

/// Words of the conversation that are missing in `query`, as a text to search with: first those of the last question, then those that
/// occur most often in the quotes of the answer, or in the answer itself if it has no quotes. Empty if there was no question before.
#[must_use]
pub fn earlier_words(query: &str, prior: &Prior) -> String {
    let last_by = |role| prior.history.iter().rev().find(move |said| said.role == role);
    let Some(question) = last_by(SpeakerRole::User) else { return String::new() };
    let own = query_terms(query);
    let mut words = query_terms(&question.content);
    let answer = last_by(SpeakerRole::Assistant).filter(|_| prior.context.is_empty()).map(|said| said.content.as_str());
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

/// The last question before `query`, if `query` depends on it: it names nothing new, and it has at most [`LITTLE`] terms or points
/// back ("it", "they"). "How many cars does the ferry carry?" is independent.
#[must_use]
pub fn leans_on<'p>(query: &str, prior: &'p Prior) -> Option<&'p str> {
    let last = prior.history.iter().rev().find(|said| said.role == SpeakerRole::User)?;
    let is_pointing = lower_words(query).iter().any(|word| points_back(word));
    // German capitalizes all nouns, so names cannot be recognized.
    let names_nothing_new = detect(query).tag == "de" || rests_on(query, &last.content);
    let leans = names_nothing_new && (is_pointing || query_terms(query).len() <= LITTLE);
    leans.then_some(last.content.as_str())
}

/// Whether `query` asks without saying about what: "Why?", "???". Only a conversation can tell what it means.
#[must_use]
pub fn asks_about_nothing(query: &str) -> bool {
    let words = lower_words(query);
    query_terms(query).is_empty() && words.iter().all(|word| is_question_word(word) || joins_questions(word))
}

/// `query` with the question that it depends on before it, for judging whether an answer has all that it asks.
#[must_use]
pub fn with_inherited(query: &str, prior: &Prior) -> String {
    leans_on(query, prior).map_or_else(|| query.to_owned(), |before| format!("{} {query}", before.trim()))
}

/// The words to search with besides `query`; empty unless `query` depends on the conversation. A search that leaves the machine
/// (`is_told`) only gets [`earlier_words`] written by the user; a search of the user's own folders also gets the names in the answer,
/// and gets them first, because "she" may be named only there.
#[must_use]
pub fn words_to_search_with(query: &str, prior: &Prior, is_told: bool) -> String {
    if leans_on(query, prior).is_none() {
        return String::new();
    }
    let by_user = |said: &&Said| said.role == SpeakerRole::User;
    let from_user = Prior { history: prior.history.iter().filter(by_user).cloned().collect(), ..Prior::default() };
    let words = earlier_words(query, &from_user);
    if is_told { words } else { format!("{} {words}", names_of_answer(query, prior)).trim().to_owned() }
}

/// The names in the answer: titles and first lines of its first quotes, or its own first line if it has no quotes. Later quotes of a
/// document tend to hold addresses and numbers.
fn names_of_answer(query: &str, prior: &Prior) -> String {
    let said = prior.history.iter().rev().find(|said| said.role == SpeakerRole::Assistant);
    let answer = said.filter(|_| prior.context.is_empty()).map(|said| ("", said.content.as_str()));
    let blocks = prior.context.iter().take(MAX_QUOTES).map(|block| (block.title.as_str(), block.text.as_str()));
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: String| {
        let is_said = query.contains(&name) || names.iter().any(|known| known.contains(&name));
        if names.len() < MAX_NAMES && !name.is_empty() && !is_said {
            names.push(name);
        }
    };
    for (title, text) in blocks.chain(answer) {
        add(without_ending(title).to_owned());
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_name = |named: &Entity| !matches!(named.kind, EntityKind::Number | EntityKind::Date) && !named.opens;
        entities(line).into_iter().filter(is_name).for_each(|named| add(named.text));
    }
    names.join(" ")
}

/// A title that is a file name, without its extension.
fn without_ending(title: &str) -> &str {
    let is_file = !title.contains(char::is_whitespace) && !title.contains('/');
    title.rsplit_once('.').filter(|(stem, _)| is_file && !stem.is_empty()).map_or(title, |(stem, _)| stem)
}

/// `query` for a model that sees nothing else and searches sources of third parties: followed by the question it depends on, if any.
#[must_use]
pub fn question_in_conversation(query: &str, prior: &Prior) -> String {
    match leans_on(query, prior) {
        Some(before) => format!("{query}\n(asked after: {})", before.trim()),
        None => query.to_owned(),
    }
}

/// The relevance `own`, raised by the `earlier` relevance to the conversation; never lowered, at most 1.
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
    fn words_of_the_last_question_and_its_evidence_join() {
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
    fn a_vague_question_without_new_names_depends_on_the_last_one() {
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
    fn a_bare_question_word_asks_about_nothing() {
        for (query, want) in [
            ("Why?", true),
            ("And who?", true),
            ("???", true),
            ("Warum?", true),
            ("Why is it closed?", false),
            ("What is it?", false),
            ("Salt?", false),
            ("为什么这样？", false),
        ] {
            assert_eq!(asks_about_nothing(query), want, "{query}");
        }
    }

    #[test]
    fn a_short_follow_up_is_judged_with_the_question_before_it() {
        let asked = prior(&[(SpeakerRole::User, "How much does a car cost from Norby to Eskil?")], &[]);
        assert_eq!(
            with_inherited("And for a child?", &asked),
            "How much does a car cost from Norby to Eskil? And for a child?"
        );
        assert_eq!(with_inherited("Why?", &prior(&[], &[])), "Why?");
    }

    #[test]
    fn search_hooks_get_the_user_message_but_no_answers_or_quotes() {
        use SpeakerRole::{Assistant, Tool, User};
        let asked = [(User, "Who keeps the bridge?"), (Assistant, "Old Quorvix keeps it."), (Tool, "Marrow Marrow")];
        for (context, own) in [(&[][..], "Old Quorvix"), (&["It is kept by Marrow. Marrow."], "Marrow")] {
            let words = |is_told| words_to_search_with("And since when?", &prior(&asked, context), is_told);
            assert_eq!(words(true), "keeps bridge", "{context:?}");
            assert_eq!(words(false), format!("{own} keeps bridge"), "{context:?}");
        }
    }

    #[test]
    fn what_the_first_quotes_name_joins_a_search_of_ones_own() {
        use SpeakerRole::{Assistant, User};
        let asked = [(User, "Who wrote the rule?"), (Assistant, "It was Peter Lund.")];
        let names = |quotes: &[(&str, &str)]| {
            let block =
                |(title, text): &(&str, &str)| PriorBlock { title: (*title).to_owned(), text: (*text).to_owned() };
            let prior = Prior { context: quotes.iter().map(block).collect(), ..prior(&asked, &[]) };
            words_to_search_with("And when was she born?", &prior, false)
        };
        let first = ("r17.md", "The rule was written by Agnes Holm in 1979.\nIt is kept by HQQWEE527.");
        assert_eq!(names(&[first]), "r17 Agnes Holm wrote rule", "the first line alone");
        let many: Vec<(String, String)> =
            (0..9).map(|n| (format!("Title {n}"), format!("It is by Ann{n} Bell{n}."))).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(title, text)| (title.as_str(), text.as_str())).collect();
        for (quotes, has, lacks) in [
            (MAX_QUOTES - 1, "Title 1", "Title 2"),
            (MAX_QUOTES, "Title 2", "Title 3"),
            (MAX_QUOTES + 1, "Title 2", "Title 3"),
        ] {
            let found = names(&many[..quotes]);
            assert!(found.contains(has) && !found.contains(lacks), "{quotes}: {found}");
        }
        let line = |n: usize| (0..n).map(|n| format!("by Ann{n} Bell{n}, ")).collect::<String>();
        for (named, want) in [(MAX_NAMES - 1, MAX_NAMES - 1), (MAX_NAMES, MAX_NAMES), (MAX_NAMES + 1, MAX_NAMES)] {
            assert_eq!(names(&[("", &line(named))]).matches("Bell").count(), want, "{named}");
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
