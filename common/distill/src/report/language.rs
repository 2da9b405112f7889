//! Detects the language of a question from its script and its commonest words.
//!
//! A script used by one language decides alone: kana, Hangul, Thai and so on; Han without kana is Chinese. For Latin script, the
//! language with the most stop words and special letters in the text wins, if no other has as many. Everything else is `und`
//! (undetermined); the writing direction follows the script in any case.

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Language {
    /// BCP 47 tag; `und` if it could not be determined.
    pub(crate) tag: &'static str,
    /// Whether its script runs from right to left.
    pub(crate) is_rtl: bool,
}

impl Language {
    /// The value of the `dir` attribute.
    pub(crate) fn dir(self) -> &'static str {
        if self.is_rtl { "rtl" } else { "ltr" }
    }
}

/// Detects the language of `text`.
pub(crate) fn detect(text: &str) -> Language {
    let script = scripts(text);
    let tag = match script {
        Script::Latin => latin(text),
        Script::Kana => "ja",
        Script::Han => "zh",
        Script::Hangul => "ko",
        Script::Thai => "th",
        Script::Devanagari => "hi",
        Script::Greek => "el",
        Script::Hebrew => "he",
        // These letters exist in Persian and Urdu but not in Arabic; they do not show which of the two it is.
        Script::Arabic if text.contains(['پ', 'چ', 'ژ', 'گ', 'ٹ', 'ڈ', 'ے']) => "und",
        Script::Arabic => "ar",
        Script::Other => "und",
    };
    Language { tag, is_rtl: matches!(script, Script::Arabic | Script::Hebrew) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Kana,
    Han,
    Hangul,
    Thai,
    Devanagari,
    Greek,
    Hebrew,
    Arabic,
    Other,
}

/// The script with the most letters; Japanese mixes kana with Han, so any kana outweigh Han.
fn scripts(text: &str) -> Script {
    let all = [
        Script::Kana,
        Script::Latin,
        Script::Han,
        Script::Hangul,
        Script::Thai,
        Script::Devanagari,
        Script::Greek,
        Script::Hebrew,
        Script::Arabic,
        Script::Other,
    ];
    let letters: Vec<Script> = text.chars().filter(|c| c.is_alphabetic()).map(script).collect();
    let count = |script: Script| letters.iter().filter(|s| **s == script).count();
    // Reversed, because `max_by_key` returns the last of equal ones: the script listed first wins.
    let most = all.into_iter().rev().max_by_key(|script| count(*script)).filter(|script| count(*script) > 0);
    match most {
        Some(Script::Han) if count(Script::Kana) > 0 => Script::Kana,
        Some(script) => script,
        None => Script::Other,
    }
}

fn script(c: char) -> Script {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
        '\u{3041}'..='\u{30FF}' | '\u{FF66}'..='\u{FF9F}' => Script::Kana,
        '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => Script::Han,
        '\u{1100}'..='\u{11FF}' | '\u{AC00}'..='\u{D7AF}' => Script::Hangul,
        '\u{0E00}'..='\u{0E7F}' => Script::Thai,
        '\u{0900}'..='\u{097F}' => Script::Devanagari,
        '\u{0370}'..='\u{03FF}' | '\u{1F00}'..='\u{1FFF}' => Script::Greek,
        '\u{0590}'..='\u{05FF}' => Script::Hebrew,
        '\u{0600}'..='\u{06FF}' | '\u{0750}'..='\u{077F}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}' => {
            Script::Arabic
        }
        _ => Script::Other,
    }
}

/// Tag, letters that occur only in this language of the list, and its commonest words.
const LATIN: [(&str, &str, &str); 8] = [
    (
        "en",
        "",
        "the of and to is are was were what which who whom whose how why when where does do did has have can will in for on with by from this that it an",
    ),
    (
        "de",
        "ßä",
        "der die das den dem des ein eine einen einem einer und ist sind war waren was wer wie warum wann wo welche welcher welches wird werden hat haben nicht für mit von zu im auf",
    ),
    (
        "fr",
        "œçèê",
        "le la les un une des du et est sont était que qui quoi quel quelle quels quelles comment pourquoi quand où a ont ne pas pour avec dans sur par ce il au aux",
    ),
    (
        "es",
        "ñ¿¡",
        "el la los las un una unos y es son era que qué quién cuál cuáles cómo por cuándo dónde cuánto cuántos ha han no para con en sobre del al se lo",
    ),
    (
        "it",
        "ìò",
        "il lo la gli le un una e è sono era che chi quale quali come perché quando dove quanto quanti ha hanno non per con nel nella della del di si",
    ),
    (
        "pt",
        "ãõ",
        "o a os as um uma e é são era que quem qual quais como por quando onde quanto quantos tem têm não para com em no na do da dos das se",
    ),
    (
        "tr",
        "ğşıİ",
        "ve bir bu ne kim nasıl neden niçin zaman nerede hangi kaç mı mi mu mü için ile olan olarak değil var yok da de kadar göre",
    ),
    (
        "vi",
        "đơưăạảấầẩẫậắằặẹẻẽếềểễệịỏọốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
        "và là của có không được cho trong các những một này đó khi nào ai gì như thế tại sao bao nhiêu ở đâu với người",
    ),
];

fn latin(text: &str) -> &'static str {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let worth = |(_, letters, stop): &(&str, &str, &str)| {
        let known = words.iter().filter(|word| stop.split(' ').any(|s| s == **word)).count();
        let own = lower.chars().filter(|c| letters.contains(*c)).count();
        known + own
    };
    let mut ranked: Vec<(usize, &str)> = LATIN.iter().map(|language| (worth(language), language.0)).collect();
    ranked.sort_by_key(|(worth, _)| std::cmp::Reverse(*worth));
    if ranked[0].0 > ranked[1].0 { ranked[0].1 } else { "und" }
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
}
