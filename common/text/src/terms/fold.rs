//! Folds several spellings of a script into one, if no reader would call them different words.
//!
//! | script | what is folded |
//! | --- | --- |
//! | Latin | dotless `ı` and dotted `İ` become `i` (Turkish capitals); soft hyphens are removed |
//! | Arabic | vowel signs and tatweel are removed; alef, ya and ta marbuta get one form; the article is removed, alone or after one of the particles and, so, in, like, to |
//! | Devanagari | nukta and joiners are removed, chandrabindu becomes anusvara |
//! | all | decimal digits become European ones; raised and lowered characters become ordinary ones, and are a word of their own behind a digit: `CO₂` is `co2`, `40¹` is `40` and `1` |
//!
//! Follows the normalization of Lucene's Arabic and Hindi analyzers, without their suffix rules. Vietnamese diacritics distinguish
//! words and are kept.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Least letters that an Arabic word must keep when its article is removed.
const ARABIC_LETTERS: usize = 3;
/// The article after one-letter particles, and alone; longest first.
const ARTICLES: [&str; 6] = ["وال", "فال", "بال", "كال", "لل", "ال"];

/// What stands between two words of a folded run.
pub(super) const APART: char = ' ';

/// Appends the folded form of a run of word characters, which must be lower case.
pub(super) fn push_run(out: &mut String, run: impl Iterator<Item = char>) {
    let mut was_placed = false;
    for c in run {
        let plain = on_the_line(c);
        // `10⁶` is not a number of three digits.
        let begins = plain.is_some() != was_placed && plain.unwrap_or_else(|| digit(c)).is_ascii_digit();
        if begins && out.ends_with(|before: char| before.is_ascii_digit()) {
            out.push(APART);
        }
        push(out, plain.unwrap_or(c));
        was_placed = plain.is_some();
    }
}

/// The ordinary form of a raised or lowered letter or digit; `None` if `c` stands on the line. The ordinal signs of Spanish are letters.
fn on_the_line(c: char) -> Option<char> {
    if !matches!(c, '²' | '³' | '¹' | '\u{2b0}'..='\u{2b8}' | '\u{2e1}'..='\u{2e4}' | '\u{1d2c}'..='\u{1d6a}' | '\u{2070}'..='\u{209c}')
    {
        return None;
    }
    let plain = ComposingNormalizerBorrowed::new_nfkc().normalize(c.encode_utf8(&mut [0; 4])).to_lowercase();
    let mut chars = plain.chars();
    chars.next().filter(|first| chars.next().is_none() && *first != c)
}

/// Appends the folded form of `c`, which must be lower case.
fn push(out: &mut String, c: char) {
    match c {
        'ı' => out.push('i'),
        '\u{307}' if out.ends_with('i') => {}
        '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{93c}' => {}
        'أ' | 'إ' | 'آ' | 'ٱ' => out.push('ا'),
        'ى' | 'ی' => out.push('ي'),
        'ة' => out.push('ه'),
        'ک' => out.push('ك'),
        'ँ' => out.push('ं'),
        _ => out.push(digit(c)),
    }
}

/// A decimal digit in its European form; any other character unchanged.
fn digit(c: char) -> char {
    let zero = match c {
        '٠'..='٩' => '٠',
        '۰'..='۹' => '۰',
        '०'..='९' => '०',
        '০'..='৯' => '০',
        '๐'..='๙' => '๐',
        '０'..='９' => '０',
        _ => return c,
    };
    char::from(b'0' + (u32::from(c) - u32::from(zero)) as u8)
}

/// `word` without a leading Arabic article.
pub(super) fn without_article(word: &str) -> &str {
    if !word.starts_with(['ا', 'و', 'ف', 'ب', 'ك', 'ل']) {
        return word;
    }
    let bare = ARTICLES.iter().filter_map(|article| word.strip_prefix(article));
    bare.into_iter().find(|bare| bare.chars().count() >= ARABIC_LETTERS).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use crate::terms::terms;

    #[test]
    fn what_is_raised_never_lengthens_a_number() {
        for (text, want) in [
            ("40¹ million", &["40", "1", "million"][..]),
            ("10⁶", &["10", "6"]),
            ("10¹²", &["10", "12"]),
            ("²3", &["2", "3"]),
            ("xᵢ²", &["xi2"]),
        ] {
            assert_eq!(terms(text), want, "{text}");
        }
    }

    #[test]
    fn spellings_of_one_word_give_one_term() {
        for (spellings, term) in [
            (&["İSTANBUL", "Istanbul", "istanbul", "ıstanbul"][..], "istanbul"),
            (&["كِتَابٌ", "كتـــاب", "الكتاب", "والكتاب", "بالكتاب", "للكتاب"], "كتاب"),
            (&["أحمد", "احمد", "إحمد"], "احمد"),
            (&["مدرسة", "المدرسه"], "مدرسه"),
            (&["मांग", "माँग"], "मांग"),
            (&["सड़क", "सड़क", "सडक"], "सडक"),
            (&["क्\u{200d}षेत्र", "क्षेत्र"], "क्षेत्र"),
            (&["२०२०", "۲۰۲۰", "٢٠٢٠", "２０２０"], "2020"),
            (&["tiếng", "ti\u{65}\u{302}\u{301}ng", "ti\u{ea}\u{301}ng"], "tiếng"),
            (&["co\u{ad}operate", "cooperate"], "cooperate"),
            (&["CO₂", "CO2", "co2"], "co2"),
            (&["1ˢᵗ", "1st"], "1st"),
        ] {
            for spelling in spellings {
                assert_eq!(terms(spelling), [term], "{spelling}");
            }
        }
    }

    #[test]
    fn words_that_only_look_alike_stay_apart() {
        for (a, b) in [("مال", "م"), ("الم", "م"), ("ma", "má"), ("والد", "د"), ("لله", "ه")] {
            assert_ne!(terms(a), terms(b), "{a} {b}");
        }
    }
}
