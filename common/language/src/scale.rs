//! Words that multiply a number: thousand, million, `Mio.`, 万, crore.

use std::sync::LazyLock;

use super::table::Table;
use super::tag::Language::{self, *};

/// A power of ten by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    exponent: u8,
}

impl Scale {
    /// What a number before the word is multiplied by.
    #[must_use]
    pub fn factor(self) -> f64 {
        10_f64.powi(i32::from(self.exponent))
    }

    /// The power of ten that it is.
    #[must_use]
    pub fn exponent(self) -> u8 {
        self.exponent
    }
}

/// The words of each language in lower case: groups apart by `;`, each an exponent of ten and its words. Languages in which `billion` means a
/// million millions spell it so only in their own texts.
const WORDS: [(Language, &str); 22] = [
    (
        En,
        "2 hundred hundreds; 3 thousand thousands; 5 lakh lakhs; 6 million millions mn mln; 7 crore crores; 9 billion billions bn; 12 trillion trillions trn",
    ),
    (
        De,
        "2 hundert; 3 tausend tsd; 6 million millionen mio; 9 milliarde milliarden mrd; 12 !billion billionen; 15 billiarde billiarden",
    ),
    (Fr, "2 !cent !cents; 3 mille; 6 million millions; 9 milliard milliards md mds; 12 !billion !billions"),
    (Es, "2 cien !cientos; 3 mil; 6 millón millones; 12 billón billones"),
    (It, "2 !cento; 3 mille mila; 6 milione milioni mln; 9 miliardo miliardi mld; 12 bilione bilioni"),
    (Pt, "2 !cem; 3 mil; 6 milhão milhões; 9 bilhão bilhões mil_milhões; 12 trilhão trilhões"),
    (Nl, "2 honderd; 3 duizend; 6 miljoen mln; 9 miljard mld; 12 biljoen"),
    (
        Pl,
        "2 !sto; 3 tysiąc tysiące tysięcy tys; 6 milion miliony milionów mln; 9 miliard miliardy miliardów mld; 12 bilion biliony bilionów",
    ),
    (
        Cs,
        "2 !sto; 3 tisíc tisíce !tis; 6 milion miliony milionů; 9 miliarda miliardy miliard mld; 12 bilion biliony bilionů",
    ),
    (Sv, "2 hundra; 3 tusen; 6 miljon miljoner mn; 9 miljard miljarder md mdr; 12 biljon biljoner"),
    (Da, "2 hundrede; 3 tusind tusinde; 6 million millioner mio; 9 milliard milliarder !mia; 12 !billion billioner"),
    (
        Ru,
        "2 сто; 3 тысяча тысячи тысяч тыс; 6 миллион миллиона миллионов млн; 9 миллиард миллиарда миллиардов млрд; 12 триллион триллиона триллионов трлн",
    ),
    (
        Uk,
        "2 сто; 3 тисяча тисячі тисяч тис; 6 мільйон мільйона мільйонів млн; 9 мільярд мільярда мільярдів млрд; 12 трильйон трильйонів",
    ),
    (Tr, "2 yüz; 3 !bin; 6 milyon; 9 milyar; 12 trilyon"),
    (Ar, "2 مئة مائة; 3 ألف ألفا آلاف; 6 مليون مليونا ملايين; 9 مليار مليارا مليارات; 12 تريليون"),
    (Hi, "2 सौ; 3 हज़ार हजार; 5 लाख; 7 करोड़; 9 अरब; 11 खरब"),
    (Ja, "2 百; 3 千; 4 万 萬; 8 億; 12 兆"),
    (Ko, "2 백; 3 천; 4 만; 8 억; 12 조"),
    (Zh, "2 百; 3 千; 4 万 萬; 6 百万 百萬; 7 千万 千萬; 8 亿 億; 12 万亿 萬億"),
    (Vi, "2 trăm; 3 nghìn ngàn; 6 triệu; 9 tỷ tỉ"),
    (Th, "2 ร้อย; 3 พัน; 4 หมื่น; 5 แสน; 6 ล้าน"),
    (
        El,
        "2 εκατό; 3 χίλια χιλιάδες χιλ; 6 εκατομμύριο εκατομμύρια εκατ; 9 δισεκατομμύριο δισεκατομμύρια δισ; 12 τρισεκατομμύριο τρισεκατομμύρια",
    ),
];

static SCALES: LazyLock<Table<Scale>> = LazyLock::new(|| {
    let groups = |(language, row): (Language, &'static str)| {
        row.split(';').filter_map(move |group| {
            let (exponent, words) = group.trim().split_once(' ')?;
            Some((language, Scale { exponent: exponent.parse().ok()? }, words))
        })
    };
    Table::new(WORDS.into_iter().flat_map(groups))
});

/// Most characters of a scale that is written without a space behind it.
const LONGEST_CHARS: usize = 4;

/// The scale that `word`, in lower case, is in a text of `language`.
pub fn scale(word: &str, language: Option<Language>) -> Option<Scale> {
    SCALES.get(word, language)
}

/// The scale that `text` begins with, and its length in bytes: `万` of `万人`, `만` of `만명`. For scripts that write both without a space.
pub fn leading_scale(text: &str) -> Option<(Scale, usize)> {
    let ends: Vec<usize> = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(LONGEST_CHARS).collect();
    ends.into_iter().rev().find_map(|end| Some((SCALES.get(&text[..end], None)?, end)))
}

#[cfg(test)]
mod tests {
    use super::super::detect::detect;
    use super::*;

    /// A sentence of each language with its scales as exponents.
    const SENTENCES: [(Language, &str, &[u8]); 22] = [
        (En, "It has 5 million users and 2 billion pages.", &[6, 9]),
        (De, "Es sind 5 Mio. Nutzer und 2 Mrd. Seiten, eine Million und 3 Billionen.", &[6, 9, 6, 12]),
        (Fr, "Il y a 5 millions et 2 milliards dans la caisse.", &[6, 9]),
        (Es, "Son 5 millones y 3 mil personas.", &[6, 3]),
        (It, "Sono 5 milioni e 2 miliardi.", &[6, 9]),
        (Pt, "São 5 milhões e 2 bilhões.", &[6, 9]),
        (Nl, "Het zijn 5 miljoen en 2 miljard.", &[6, 9]),
        (Pl, "Jest 5 milionów i 3 tys. osób.", &[6, 3]),
        (Cs, "Je to 5 milionů a 3 tisíce.", &[6, 3]),
        (Sv, "Det är 5 miljoner och 2 miljarder.", &[6, 9]),
        (Da, "Det er 5 mio. og 2 mia. kroner.", &[6, 9]),
        (Ru, "Это 5 млн и 3 тысячи.", &[6, 3]),
        (Uk, "Це 5 млн і 3 тисячі.", &[6, 3]),
        (Tr, "Bu 5 milyon ve 3 bin kişi için.", &[6, 3]),
        (Ar, "عددهم 5 ملايين و3 آلاف.", &[6, 3]),
        (Hi, "यह 5 करोड़ और 3 लाख है।", &[7, 5]),
        (Ja, "それは5億と3万です。", &[8, 4]),
        (Ko, "그것은 5억과 3천 이다.", &[8, 3]),
        (Zh, "一共5亿和3万。", &[8, 4]),
        (Vi, "Có 5 triệu và 3 nghìn người.", &[6, 3]),
        (Th, "มี5ล้านและ3พัน", &[6, 3]),
        (El, "Είναι 5 εκατομμύρια και 3 χιλιάδες.", &[6, 3]),
    ];

    #[test]
    fn scales_are_found_in_a_sentence_of_every_language() {
        for language in Language::COVERED {
            assert!(SENTENCES.iter().any(|row| row.0 == language) && SCALES.has_row(language), "{language:?}");
        }
        for (language, sentence, want) in SENTENCES.iter().filter(|row| row.0 != Ko) {
            let found = SCALES.find_in(sentence, detect(sentence).known);
            let exponents: Vec<u8> = found.into_iter().map(|word| word.value.exponent).collect();
            assert_eq!(exponents, *want, "{language:?} {sentence}");
        }
        assert_eq!(leading_scale("억과").map(|(scale, _)| scale.exponent), Some(8), "glued to what follows");
    }

    #[test]
    fn a_scale_word_of_another_language_scales_nothing_here() {
        for (word, language, want) in [
            ("billion", Some(En), Some(9)),
            ("billion", None, Some(9)),
            ("billion", Some(De), Some(12)),
            ("bin", Some(De), None),
            ("bin", Some(Tr), Some(3)),
            ("cent", Some(En), None),
            ("cent", Some(Fr), Some(2)),
            ("mio", None, Some(6)),
        ] {
            assert_eq!(scale(word, language).map(|scale| scale.exponent), want, "{word} {language:?}");
        }
    }
}
