//! Questions for yes or no, by their opening.

use super::detect::detect;
use super::question_words::{AnswerKind, asked_kind};
use super::sets::word_sets;
use super::tag::Language::{self, *};
use super::words::lower_words;

word_sets! {
    /// Whether `word` opens a question for yes or no, as verbs do.
    opens_polar: [
        (
            En,
            "is are was were am do does did has have had can could may might must shall should will would isn't aren't doesn't don't didn't can't",
        ),
        (
            De,
            "ist sind war waren hat haben hatte kann können darf dürfen muss müssen soll sollen wird werden wurde wurden gibt gilt gelten braucht \
            dürfte könnte",
        ),
        (Fr, "est sont était a ont peut peuvent doit doivent faut peut-on doit-on faut-il y-a-t-il"),
        (Es, "es son está están fue eran tiene tienen puede pueden debe deben hay puedo"),
        (It, "è sono era può possono deve devono ha hanno posso"),
        (Pt, "é são foi pode podem deve devem tem têm há posso"),
        (Nl, "zijn kan kunnen mag mogen moet moeten heeft hebben"),
        (Pl, "czy"),
        (Sv, "är kan får måste har"),
        (Da, "er kan må skal har"),
        (Uk, "чи"),
        (Ar, "هل"),
        (Hi, "क्या"),
    ];
}

/// Whether `question` asks for yes or no.
///
/// ```
/// use precis_language::polar_question::asks_yes_or_no;
///
/// assert!(asks_yes_or_no("May I smoke in the rooms?") && asks_yes_or_no("可以抽烟吗？"));
/// assert!(!asks_yes_or_no("Where may I smoke?"));
/// ```
pub fn asks_yes_or_no(question: &str) -> bool {
    let is_asked = question.contains(['?', '？', '؟']);
    let question = question.trim_matches(|c: char| c.is_whitespace() || matches!(c, '¿' | '?' | '？' | '؟'));
    if question.ends_with('吗') || question.ends_with('嗎') {
        return true;
    }
    let language = detect(question).known;
    // "If the pump is off, may I open it?": what is asked stands behind the clause that it depends on.
    let (before, last) = question.rsplit_once(", ").filter(|_| is_asked).unwrap_or(("", question));
    let opens = |clause: &str| opens(clause, language, is_asked);
    opens(question) || (asked_kind(before).0 == AnswerKind::Anything && !before.is_empty() && opens(last))
}

fn opens(clause: &str, language: Option<Language>, is_asked: bool) -> bool {
    let words = lower_words(clause);
    let Some(first) = words.first() else { return false };
    let is_french = first == "est" && words.get(1).is_some_and(|word| word == "ce");
    is_french || opens_in(first, language, is_asked)
}

/// Whether `word` opens a question for yes or no in a text of `language`. A word that does in one language begins statements in another: "A
/// house" is no question, nor is "Es regnet", nor does "Was ist das?" ask for one. Where the language does not show, the English words
/// count if `is_asked`, by a question mark.
fn opens_in(word: &str, language: Option<Language>, is_asked: bool) -> bool {
    const ELSEWHERE: [&str; 13] = ["es", "a", "er", "ha", "har", "kan", "tem", "son", "era", "am", "do", "is", "was"];
    const ENGLISH: [&str; 4] = ["am", "do", "is", "was"];
    let is_own = match language {
        Some(En) => ENGLISH.contains(&word),
        None => is_asked && ENGLISH.contains(&word),
        Some(De) => false,
        Some(_) => word != "was",
    };
    (is_own || !ELSEWHERE.contains(&word)) && opens_polar(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_yes_or_no_opens_with_its_verb() {
        for question in [
            "Is EIP-20 final?",
            "May I smoke in the rooms?",
            "Does the insurance cover flood?",
            "Darf ich in den Zimmern rauchen?",
            "Gilt die Satzung für Kinder?",
            "Est-ce que les enfants paient ?",
            "¿Puede un menor entrar?",
            "Czy dzieci płacą?",
            "可以抽烟吗？",
            "Do Zoom meetings need a password?",
            "Was the bridge built in 1880?",
            "If I meet the criteria, do helpers turn up by themselves?",
        ] {
            assert!(asks_yes_or_no(question), "{question}");
        }
        for question in [
            "Where may I smoke?",
            "A house on the hill",
            "Wer darf rauchen?",
            "Es regnet heute in der Stadt",
            "Was ist ein Makler?",
            "Who pays, is the tenant asked?",
            "",
        ] {
            assert!(!asks_yes_or_no(question), "{question}");
        }
    }
}
