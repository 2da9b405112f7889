//! Detects a question that asks for a history.

use precis_language::history::{
    asks_by_time, asks_in_order, has_development, has_unspaced_history, has_unspaced_one_fact, is_history_word,
    is_past_auxiliary, is_past_development,
};
use precis_language::question_words::{asks_for_one_fact, asks_how, asks_when};
use precis_language::words::{Unspaced, WrittenWord, split};

/// Whether `question` asks for a history.
pub(crate) fn asks_for_history(question: &str) -> bool {
    let lower = question.to_lowercase();
    let said: Vec<String> = split(question, Unspaced::Joined, &['’']).iter().map(WrittenWord::lower).collect();
    let says = |is: fn(&str) -> bool| said.iter().any(|word| is(word));
    if has_unspaced_history(&lower) {
        return !has_unspaced_one_fact(&lower) || asks_by_time(&lower);
    }
    let in_order = says(asks_when) && asks_in_order(&lower);
    let opens_with_how = said.first().is_some_and(|word| asks_how(word));
    let became = opens_with_how && (says(is_past_development) || (says(is_past_auxiliary) && has_development(&lower)));
    in_order || became || (says(is_history_word) && !says(asks_for_one_fact))
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
