//! What a question asks for, and whether a sentence holds something of that kind.
//!
//! By the words that ask, over languages; what no rule knows wants no particular kind. It lifts a sentence that could be the answer
//! over one that only speaks of the same things; it excludes none.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::definition::{DefinitionSubject, Says};
use crate::word_list::{WordList, words};
use crate::{sentences, terms};

/// The kind of answer a question wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    /// Who: a name.
    Name,
    /// When: a date, year or time.
    Time,
    /// Where: a name of a place.
    Place,
    /// How many, how much, how long: a number.
    Number,
    /// Why: a reason.
    Reason,
    /// Anything else.
    Anything,
}

/// Phrases that ask, with what they ask for, longer ones first where one holds another. A phrase of letters matches whole words; one in
/// a script without spaces matches anywhere.
const ASKING: [(&[&str], AnswerKind); 5] = [
    (
        &[
            "how many",
            "how much",
            "how long",
            "how far",
            "how old",
            "how tall",
            "how high",
            "how large",
            "how big",
            "how often",
            "how fast",
            "how deep",
            "how wide",
            "how heavy",
            "how few",
            "percentage",
            "what percent",
            "what number",
            "what proportion",
            "what temperature",
            "what distance",
            "wie viele",
            "wie viel",
            "wieviel",
            "wieviele",
            "wie lange",
            "wie hoch",
            "wie groß",
            "wie alt",
            "wie oft",
            "wie weit",
            "wie schnell",
            "wie schwer",
            "combien",
            "quel pourcentage",
            "quelle proportion",
            "cuántos",
            "cuántas",
            "cuánto",
            "cuánta",
            "qué porcentaje",
            "quanti",
            "quante",
            "quanto",
            "quantos",
            "quantas",
            "сколько",
            "какой процент",
            "ile",
            "kaç",
            "ne kadar",
            "bao nhiêu",
            "mấy",
            "كم",
            "कितने",
            "कितनी",
            "कितना",
            "多少",
            "几个",
            "几种",
            "几年",
            "几次",
            "多大",
            "多长",
            "多高",
            "多久",
            "何人",
            "何個",
            "いくつ",
            "いくら",
            "どのくらい",
            "どれくらい",
            "何パーセント",
            "กี่",
            "เท่าไร",
            "เท่าไหร่",
            "เท่าใด",
            "πόσα",
            "πόσοι",
            "πόσες",
            "πόσο",
            "câți",
            "câte",
            "cât",
        ],
        AnswerKind::Number,
    ),
    (
        &[
            "when",
            "what year",
            "which year",
            "what date",
            "which date",
            "what day",
            "which day",
            "what month",
            "what century",
            "which century",
            "what decade",
            "what time",
            "since when",
            "wann",
            "welchem jahr",
            "welches jahr",
            "welchem datum",
            "welchem jahrhundert",
            "welchem monat",
            "quand",
            "quelle année",
            "quelle date",
            "quel siècle",
            "cuándo",
            "qué año",
            "qué fecha",
            "qué siglo",
            "qué día",
            "quando",
            "когда",
            "каком году",
            "какого года",
            "каком веке",
            "kiedy",
            "ne zaman",
            "hangi yıl",
            "hangi tarihte",
            "khi nào",
            "năm nào",
            "lúc nào",
            "متى",
            "أي عام",
            "أي سنة",
            "कब",
            "किस वर्ष",
            "किस साल",
            "什么时候",
            "何时",
            "何時",
            "哪一年",
            "哪年",
            "几月",
            "いつ",
            "何年",
            "何月",
            "เมื่อไหร่",
            "เมื่อไร",
            "เมื่อใด",
            "ปีใด",
            "ปีไหน",
            "πότε",
            "când",
        ],
        AnswerKind::Time,
    ),
    (
        &[
            "who",
            "whom",
            "whose",
            "what person",
            "wer",
            "wen",
            "wem",
            "wessen",
            "quién",
            "quiénes",
            "кто",
            "кого",
            "кем",
            "кому",
            "kto",
            "kim",
            "kimin",
            "ai",
            "من",
            "कौन",
            "किसने",
            "किसके",
            "谁",
            "誰",
            "だれ",
            "ใคร",
            "ποιος",
            "ποια",
            "ποιοι",
            "cine",
            "qui",
        ],
        AnswerKind::Name,
    ),
    (
        &[
            "where",
            "what city",
            "what country",
            "which city",
            "which country",
            "wo",
            "wohin",
            "woher",
            "où",
            "dónde",
            "adónde",
            "где",
            "куда",
            "откуда",
            "gdzie",
            "nerede",
            "nereye",
            "nereden",
            "ở đâu",
            "nơi nào",
            "أين",
            "कहाँ",
            "कहां",
            "哪里",
            "哪儿",
            "何处",
            "何處",
            "どこ",
            "ที่ไหน",
            "ที่ใด",
            "πού",
            "unde",
            "welcher stadt",
            "welchem land",
            "quel pays",
            "quelle ville",
            "qué país",
            "qué ciudad",
        ],
        AnswerKind::Place,
    ),
    (
        &[
            "why",
            "what reason",
            "what caused",
            "what causes",
            "warum",
            "weshalb",
            "wieso",
            "pourquoi",
            "por qué",
            "perché",
            "почему",
            "зачем",
            "dlaczego",
            "neden",
            "niçin",
            "tại sao",
            "vì sao",
            "لماذا",
            "क्यों",
            "为什么",
            "為什麼",
            "为何",
            "なぜ",
            "どうして",
            "ทำไม",
            "เพราะเหตุใด",
            "γιατί",
            "de ce",
        ],
        AnswerKind::Reason,
    ),
];

/// Words that name a time, lower case.
static TIMES: WordList = LazyLock::new(|| {
    words(
        "january february march april june july august september october november december monday tuesday wednesday thursday friday \
        saturday sunday century centuries decade ago januar februar märz april mai juni juli oktober dezember montag dienstag \
        mittwoch donnerstag freitag samstag sonntag jahrhundert jahrhunderts janvier février mars avril juin juillet août septembre \
        octobre novembre décembre siècle enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre \
        siglo января февраля марта апреля мая июня июля августа сентября октября ноября декабря веке века yesterday today heute \
        gestern hier aujourd hoy ayer",
    )
});
/// Words that are numbers, lower case.
static NUMBERS: WordList = LazyLock::new(|| {
    words(
        "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred hundreds thousand thousands \
        million millions billion billions half third quarter twice once double zwei drei vier fünf sechs sieben acht neun zehn elf \
        zwölf hundert tausend millionen milliarden hälfte drittel viertel deux trois quatre cinq sept huit neuf dix onze douze cent \
        mille millions milliards moitié tiers dos tres cuatro cinco seis siete ocho nueve diez once doce cien mil millones mitad \
        tercio два две три четыре пять шесть семь восемь девять десять сто тысяч миллион миллионов половина",
    )
});
/// Words that give a reason, lower case.
static REASONS: WordList = LazyLock::new(|| {
    words(
        "because since due owing therefore thus hence cause caused causes causing reason reasons result resulted results weil denn \
        wegen aufgrund deshalb daher damit dadurch car parce afin grâce raison cause porque debido pues razón causa gracias потому \
        поскольку из-за благодаря так причина",
    )
});
/// Marks of a reason in scripts without spaces.
const REASON_MARKS: [&str; 9] = ["因为", "由于", "因此", "所以", "ため", "から", "ので", "เพราะ", "เนื่องจาก"];
/// Digits of scripts without spaces that are written as words.
const HAN_NUMBERS: &str = "一二三四五六七八九十百千万亿";

/// A question, read for the kind of answer it wants.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) wanted: AnswerKind,
    /// Its words, lower case: an answer holds something else.
    words: BTreeSet<String>,
    /// All of it, as [`spaced`] gives it, where it asks in a sentence of some length.
    echo: Option<String>,
    /// Whether it names something as programs write it.
    names_code: bool,
    /// What it asks the nature of.
    subject: Option<DefinitionSubject>,
}

/// Fewest words of a question that is known again inside another text.
const ECHO_WORDS: usize = 4;

/// The words of `text` in lower case, each between spaces.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |all, word| all + word + " ")
}

impl Question {
    /// Reads `query`.
    pub(crate) fn new(query: &str) -> Self {
        let lower = query.to_lowercase();
        let asked: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        let spaced = spaced(query);
        let says = |phrase: &str| {
            if phrase.chars().all(|c| c.is_alphabetic() && is_unspaced(c)) {
                lower.contains(phrase)
            } else {
                spaced.contains(&format!(" {phrase} "))
            }
        };
        let found = ASKING.iter().find(|(phrases, _)| phrases.iter().any(|phrase| says(phrase)));
        let wanted = found.map_or(AnswerKind::Anything, |(_, wanted)| *wanted);
        let is_sentence = sentences::is_question(query) && asked.len() >= ECHO_WORDS;
        let words = asked.into_iter().map(str::to_owned).collect();
        let names_code = !terms::literals(query).is_empty();
        Self {
            wanted,
            words,
            echo: is_sentence.then_some(spaced),
            names_code,
            subject: DefinitionSubject::of_question(query),
        }
    }

    /// How plainly `text` says what kind of thing the question's subject is; nothing where the question asks for something else.
    pub(super) fn says_what(&self, text: &str) -> Says {
        self.subject.as_ref().map_or(Says::Nothing, |subject| subject.is_said_by(text))
    }

    /// Whether `text` holds the question word for word: it asks it, as an example or a heading does, and does not answer it.
    pub(super) fn is_echoed_by(&self, text: &str) -> bool {
        self.echo.as_ref().is_some_and(|echo| spaced(text).contains(echo))
    }

    /// Whether something as programs write it is asked for: `$*`, `--max-procs`, `3.11`.
    pub(super) fn names_code(&self) -> bool {
        self.names_code
    }

    /// Whether `text` holds something of the kind that is wanted and that the question does not hold itself; `None` where no kind is
    /// wanted, or the script does not show it.
    pub(crate) fn is_met(&self, text: &str) -> Option<bool> {
        match self.wanted {
            AnswerKind::Anything => None,
            AnswerKind::Number => Some(self.fresh(text).any(|word| is_number(&word)) || holds_han_number(text)),
            AnswerKind::Time => Some(self.fresh(text).any(|word| is_time(&word))),
            AnswerKind::Reason => {
                let marked = REASON_MARKS.iter().any(|mark| text.contains(mark));
                Some(marked || self.fresh(text).any(|word| REASONS.contains(word.as_str())))
            }
            AnswerKind::Name | AnswerKind::Place => self.names(text),
        }
    }

    /// The words of `text`, lower case, that are not the question's.
    fn fresh<'t>(&'t self, text: &'t str) -> impl Iterator<Item = String> + 't {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase);
        words.filter(|word| !self.words.contains(word))
    }

    /// Whether a word with a capital stands inside `text` that the question does not hold; unknown where letters have no case.
    fn names(&self, text: &str) -> Option<bool> {
        let cased = text.chars().any(|c| c.is_lowercase() || c.is_uppercase());
        let words = text.split_whitespace().enumerate();
        let found = words.filter(|(n, word)| *n > 0 || !is_function_word(word)).any(|(_, word)| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            bare.chars().next().is_some_and(char::is_uppercase) && !self.words.contains(&bare.to_lowercase())
        });
        cased.then_some(found)
    }
}

fn is_function_word(word: &str) -> bool {
    terms::terms(word).is_empty()
}

/// Whether words of the script of `c` stand without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

fn is_number(word: &str) -> bool {
    word.chars().any(char::is_numeric) || NUMBERS.contains(word)
}

fn is_time(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let is_year = (3..=4).contains(&digits) && word.chars().next().is_some_and(|c| c.is_ascii_digit());
    let is_other = word.chars().any(|c| c.is_numeric() && !c.is_ascii());
    let is_clock = digits > 0 && digits <= 2;
    is_year || is_other || is_clock || TIMES.contains(word) || word.contains('年') || word.contains('月')
}

fn holds_han_number(text: &str) -> bool {
    text.chars().any(|c| HAN_NUMBERS.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_that_ask_tell_what_is_wanted() {
        for (query, wanted) in [
            ("Who signed the treaty?", AnswerKind::Name),
            ("In what year did it end?", AnswerKind::Time),
            ("How many moons has Mars?", AnswerKind::Number),
            ("Wie viele Monde hat der Mars?", AnswerKind::Number),
            ("Où se trouve le musée ?", AnswerKind::Place),
            ("¿Por qué cayó el muro?", AnswerKind::Reason),
            ("谁发明了电话？", AnswerKind::Name),
            ("電話はいつ発明されましたか", AnswerKind::Time),
            ("Kaç kişi öldü?", AnswerKind::Number),
            ("What is a matrix?", AnswerKind::Anything),
            ("Describe the whole method", AnswerKind::Anything),
        ] {
            assert_eq!(Question::new(query).wanted, wanted, "{query}");
        }
    }

    #[test]
    fn an_answer_of_the_kind_holds_something_the_question_does_not() {
        for (query, text, met) in [
            ("How many moons has Mars?", "Mars has two moons.", Some(true)),
            ("How many moons has Mars?", "Mars has moons.", Some(false)),
            ("When was version 3 made?", "Version 3 was made in 2019.", Some(true)),
            ("When was version 3 made?", "Version 3 was made late.", Some(false)),
            ("Who wrote Hamlet?", "Hamlet was written by Shakespeare.", Some(true)),
            ("Who wrote Hamlet?", "Hamlet was written by nobody.", Some(false)),
            ("谁发明了电话？", "贝尔发明了电话。", None),
            ("Why is it blue?", "It is blue because light scatters.", Some(true)),
            ("What is it?", "It is blue.", None),
        ] {
            assert_eq!(Question::new(query).is_met(text), met, "{query} {text}");
        }
    }
}
