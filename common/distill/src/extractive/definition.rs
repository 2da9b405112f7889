//! Questions that ask what something is, and sentences that say it.
//!
//! Surface only: the opening of the question, and a copula soon behind a word of the question near the start of the
//! sentence. It lifts such sentences a little; it decides nothing.

use std::sync::LazyLock;

use crate::terms;
use crate::word_list::{WordList, words};

/// How a question for a definition begins, lower case.
const QUESTIONS: &[&str] = &[
    "what is",
    "what are",
    "what was",
    "what were",
    "who is",
    "who was",
    "define",
    "was ist",
    "was sind",
    "was war",
    "was bedeutet",
    "wer ist",
    "wer war",
    "qu'est-ce",
    "qu’est-ce",
    "quel est",
    "quelle est",
    "qué es",
    "qué son",
    "quién es",
    "che cos",
    "cosa è",
    "o que é",
    "wat is",
    "wat zijn",
];
/// How it ends in languages that put it last.
const ENDINGS: &[&str] = &["とは", "とは何", "何ですか", "是什么", "是什麼"];

/// Words that say what something is, lower case.
static COPULAS: WordList = LazyLock::new(|| {
    words(
        "is are was were means mean refers denotes ist sind war waren heißt heißen bezeichnet bedeutet est sont était désigne es \
        son era significa è sono é são betekent zijn",
    )
});
/// Words from the start of a sentence in which its subject is sought.
const OPENING: usize = 10;
/// Words behind the subject in which the copula is sought.
const REACH: usize = 4;

/// Whether `query` asks what something is.
pub(super) fn is_asked(query: &str) -> bool {
    let lower = query.trim().to_lowercase();
    // "What are the properties of …" asks for properties.
    if [" of ", " von ", " de "].iter().any(|joint| lower.contains(joint)) {
        return false;
    }
    QUESTIONS.iter().any(|opening| lower.starts_with(opening)) || ENDINGS.iter().any(|ending| lower.contains(ending))
}

/// Whether `sentence` says what something is whose words `is_subject` knows.
pub(super) fn is_given(sentence: &str, is_subject: &dyn Fn(&str) -> bool) -> bool {
    if let Some((head, _)) = sentence.split_once("とは") {
        return terms::terms(head).iter().any(|term| is_subject(term));
    }
    let words: Vec<String> = sentence.split_whitespace().take(OPENING + REACH).map(bare).collect();
    let subject = words.iter().take(OPENING).position(|word| is_subject(word));
    let behind = |at: usize| words[at + 1..].iter().take(REACH).any(|word| COPULAS.contains(word.as_str()));
    // The last word of a subject of several words stands closest to the copula.
    subject.is_some_and(|first| (first..words.len().min(OPENING)).any(|at| is_subject(&words[at]) && behind(at)))
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_a_definition_are_told_from_others() {
        for (query, asked) in [
            ("What is a topological space?", true),
            ("Was ist ein topologischer Raum?", true),
            ("機械学習とは何ですか", true),
            ("How does it work?", false),
            ("What are the properties of matrices?", false),
            ("", false),
        ] {
            assert_eq!(is_asked(query), asked, "{query}");
        }
    }

    #[test]
    fn a_definition_has_its_subject_early_and_a_copula_behind_it() {
        let is_subject = |word: &str| ["matrix", "hermitian", "機械"].contains(&word);
        for (sentence, given) in [
            ("In mathematics, a Hermitian matrix (or self-adjoint matrix) is a square matrix.", true),
            ("機械学習とはデータから学ぶ方法である。", true),
            ("The sum is shown for a Hermitian matrix.", false),
            ("Nothing here is one.", false),
        ] {
            assert_eq!(is_given(sentence, &is_subject), given, "{sentence}");
        }
    }
}
