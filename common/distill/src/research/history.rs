//! Detects a question that asks for a history.

use std::sync::LazyLock;

use super::question_cues::TIMELINE;
use crate::language::words::{Unspaced, WrittenWord, split};
use crate::word_list::{WordList, words};

/// Words that ask for one fact, even if the question contains a history word: `Who wrote the history of Rome?`.
static ONE_FACT: WordList = LazyLock::new(|| words("who when where wer wann wo qui quand où quién cuándo dónde 谁"));
/// Words that ask when.
static WHEN: WordList = LazyLock::new(|| words("when wann quand cuándo"));
/// Phrases for order; together with "when" they ask for a history.
const IN_ORDER: [&str; 6] =
    ["in order", "der reihe nach", "in der reihenfolge", "dans l’ordre", "dans l'ordre", "en orden"];
/// Words that ask how something came about.
static HOW: WordList = LazyLock::new(|| words("how wie comment cómo"));
/// Verbs of development, which ask for the past only together with a word of [`PAST`].
const BECAME: [&str; 8] =
    ["develop", "evolve", "entwickelt", "evolucionado", "desarrollado", "changed over", "change over", "verändert"];
/// Auxiliaries of past and perfect.
static PAST: WordList = LazyLock::new(|| words("did has have had hat haben hatte ha han"));
/// Verbs of development in a past form.
static DEVELOPED: WordList = LazyLock::new(|| {
    words(
        "entwickelte entwickelten évolué développé évolua évoluèrent evolucionó evolucionaron desarrolló desarrollaron",
    )
});
/// History words in Chinese, matched as substrings because Chinese has no spaces.
const UNSPACED: [&str; 10] =
    ["历史", "歷史", "时间线", "時間線", "年表", "沿革", "大事记", "发展历程", "發展歷程", "按时间顺序"];
/// Chinese words that ask for one fact.
const UNSPACED_FACT: [&str; 5] = ["谁", "誰", "哪里", "哪年", "什么时候"];

/// Whether `question` asks for a history, in English, German, French, Spanish or Chinese.
pub(crate) fn asks_for_history(question: &str) -> bool {
    let lower = question.to_lowercase();
    let said: Vec<String> = split(question, Unspaced::Joined, &['’']).iter().map(WrittenWord::lower).collect();
    let says = |list: &WordList| said.iter().any(|word| list.contains(word.as_str()));
    if UNSPACED.iter().any(|word| lower.contains(word)) {
        return !UNSPACED_FACT.iter().any(|word| lower.contains(word)) || lower.contains("按时间顺序");
    }
    let in_order = says(&WHEN) && IN_ORDER.iter().any(|words| lower.contains(words));
    let opens_with_how = said.first().is_some_and(|word| HOW.contains(word.as_str()));
    let became =
        opens_with_how && (says(&DEVELOPED) || (says(&PAST) && BECAME.iter().any(|word| lower.contains(word))));
    in_order || became || (says(&TIMELINE) && !says(&ONE_FACT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_a_history_shows_in_its_words() {
        for question in [
            "History of the steam engine",
            "Give me a timeline of the project.",
            "When were the bridges built, in order?",
            "How did the ferry line develop?",
            "How has the protocol evolved?",
            "Die Geschichte der Hafenbrücke",
            "Wie hat sich das Gesetz entwickelt?",
            "Wie entwickelte sich die Fähre?",
            "Chronologie du traité",
            "Comment le protocole a évolué ?",
            "Historia del puente",
            "¿Cómo ha evolucionado el protocolo?",
            "这座桥的历史",
            "请列出该项目的时间线",
        ] {
            assert!(asks_for_history(question), "{question}");
        }
        for question in [
            "Who wrote the history of Rome?",
            "When was the bridge built?",
            "How do I develop a plugin?",
            "How does the ferry work?",
            "Wie entwickelt man ein Programm?",
            "Wer schrieb die Geschichte Roms?",
            "Comment développer un programme ?",
            "谁写了罗马的历史？",
            "In which order are the parts built?",
            "",
        ] {
            assert!(!asks_for_history(question), "{question}");
        }
    }
}
