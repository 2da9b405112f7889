//! Detects the language of a text from its script and its commonest words.
//!
//! A script used by one language decides alone: kana, Hangul, Thai and so on; Han without kana is Chinese. For Latin and Cyrillic script, the
//! language with the most common words and letters of its own in the text wins, if no other has as many; failing that, the one in whose words
//! the text asks. Everything else is `und`
//! (undetermined); the writing direction follows the script in any case.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::asking_words::by_asking;
use super::function_words::{CYRILLIC, CommonWords, LATIN};
use super::script::Script;
use super::tag::Language;
use super::words::lower_words;

/// Languages at the head of a table that win against those behind them if both have as many words in the text: the smaller languages there
/// share many short words with them.
const FIRST: usize = 8;

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLanguage {
    /// The language, if it could be determined.
    pub known: Option<Language>,
    /// Its BCP 47 tag; `und` if it could not be determined.
    pub tag: &'static str,
    /// Whether its script runs from right to left.
    pub is_rtl: bool,
}

impl TextLanguage {
    /// The value of the `dir` attribute.
    pub fn dir(self) -> &'static str {
        if self.is_rtl { "rtl" } else { "ltr" }
    }
}

/// Detects the language of `text`.
pub fn detect(text: &str) -> TextLanguage {
    let script = Script::of_most(text);
    let known = match script {
        Script::Latin => by_words(text, &LATIN, &LATIN_ROWS).or_else(|| by_asking(text)),
        Script::Cyrillic => by_words(text, &CYRILLIC, &CYRILLIC_ROWS).or_else(|| by_asking(text)),
        Script::Kana => Some(Language::Ja),
        Script::Han | Script::Bopomofo => Some(Language::Zh),
        Script::Hangul => Some(Language::Ko),
        Script::Thai => Some(Language::Th),
        Script::Devanagari => Some(Language::Hi),
        Script::Greek => Some(Language::El),
        Script::Hebrew => Some(Language::He),
        // These letters exist in Persian and Urdu but not in Arabic; they do not show which of the two it is.
        Script::Arabic if text.contains(['پ', 'چ', 'ژ', 'گ', 'ٹ', 'ڈ', 'ے']) => None,
        Script::Arabic => Some(Language::Ar),
        Script::Lao | Script::Khmer | Script::Burmese | Script::Other => None,
    };
    let is_rtl = matches!(script, Script::Arabic | Script::Hebrew);
    TextLanguage { known, tag: known.map_or("und", Language::tag), is_rtl }
}

/// For each common word of a table, the rows that have it.
type Rows = HashMap<&'static str, Vec<usize>>;

static LATIN_ROWS: LazyLock<Rows> = LazyLock::new(|| rows(&LATIN));
static CYRILLIC_ROWS: LazyLock<Rows> = LazyLock::new(|| rows(&CYRILLIC));

fn rows(table: &'static [CommonWords]) -> Rows {
    let mut rows = Rows::new();
    for (at, row) in table.iter().enumerate() {
        row.words.split_whitespace().for_each(|word| rows.entry(word).or_default().push(at));
    }
    rows
}

/// The language of `table` whose words and letters `text` has most of.
fn by_words(text: &str, table: &[CommonWords], rows: &Rows) -> Option<Language> {
    let mut all = vec![0_usize; table.len()];
    for word in lower_words(text) {
        rows.get(word.as_str()).into_iter().flatten().for_each(|at| all[*at] += 1);
    }
    for c in text.to_lowercase().chars().filter(|c| !c.is_ascii()) {
        let own = table.iter().enumerate().filter(|(_, row)| row.letters.contains(c));
        own.for_each(|(at, _)| all[at] += 1);
    }
    let most = all.iter().copied().max().filter(|most| *most > 0)?;
    let best: Vec<usize> = (0..all.len()).filter(|at| all[*at] == most).collect();
    match best[..] {
        [only] => Some(table[only].language),
        [first, second, ..] if first < FIRST && second >= FIRST => Some(table[first].language),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_tells_its_language_or_none() {
        let cases = [
            ("What is the capital of Mongolia?", "en", "ltr"),
            ("main findings, risks and decisions", "en", "ltr"),
            ("Wie viele Arbeitsplätze gehen in Kiel verloren?", "de", "ltr"),
            ("Wer ist der Präsident?", "de", "ltr"),
            ("Quelle est la capitale de la France ?", "fr", "ltr"),
            ("¿Cuántos habitantes tiene Madrid?", "es", "ltr"),
            ("Chi è il presidente della Repubblica?", "it", "ltr"),
            ("Quando foi fundada a cidade de São Paulo? Não sei", "pt", "ltr"),
            ("Türkiye'nin başkenti neresidir ve kaç kişi yaşıyor?", "tr", "ltr"),
            ("Thủ đô của Việt Nam là gì?", "vi", "ltr"),
            ("世界遺産はいくつありますか", "ja", "ltr"),
            ("中国的首都是哪里？", "zh", "ltr"),
            ("대한민국의 수도는?", "ko", "ltr"),
            ("เมืองหลวงของไทยคืออะไร", "th", "ltr"),
            ("भारत की राजधानी क्या है?", "hi", "ltr"),
            ("ما هي عاصمة مصر؟", "ar", "rtl"),
            ("پایتخت ایران کجاست؟", "und", "rtl"),
            ("מהי בירת ישראל?", "he", "rtl"),
            ("Столица России?", "und", "ltr"),
            ("???", "und", "ltr"),
            ("", "und", "ltr"),
            ("PEP 8", "und", "ltr"),
        ];
        for (question, tag, dir) in cases {
            let found = detect(question);
            assert_eq!((found.tag, found.dir()), (tag, dir), "{question}");
        }
    }

    #[test]
    fn languages_with_many_neighbours_are_distinguished() {
        for (question, tag) in [
            ("Hoeveel inwoners heeft de stad Utrecht?", "nl"),
            ("Kiedy zbudowano most w Krakowie?", "pl"),
            ("Kdo byl prvním prezidentem republiky?", "cs"),
            ("Hur många invånare har Uppsala?", "sv"),
            ("Hvor mange indbyggere har Aarhus?", "da"),
            ("Сколько жителей в городе?", "ru"),
            ("Скільки мешканців у місті?", "uk"),
            ("Πόσους κατοίκους έχει η Πάτρα;", "el"),
            ("Is it in the plan?", "en"),
            ("Was ist das?", "de"),
        ] {
            assert_eq!(detect(question).tag, tag, "{question}");
        }
    }

    #[test]
    fn every_covered_language_can_be_detected() {
        let alone = [Language::Ja, Language::Ko, Language::Zh, Language::Th, Language::Hi, Language::El, Language::Ar];
        for language in Language::COVERED {
            let has_row = LATIN.iter().chain(&CYRILLIC).any(|row| row.language == language);
            assert!(has_row || alone.contains(&language), "{language:?}");
        }
    }
}
