//! The commonest words of each language, by which a text shows its language.

use super::tag::Language;

/// The words of one language that uses a script with others.
pub(crate) struct CommonWords {
    pub language: Language,
    /// Letters that no other language of the table has.
    pub letters: &'static str,
    /// Its commonest words, as far as they are not as common in a language further up.
    pub words: &'static str,
}

const fn row(language: Language, letters: &'static str, words: &'static str) -> CommonWords {
    CommonWords { language, letters, words }
}

/// Languages written in Latin letters.
pub(crate) const LATIN: [CommonWords; 13] = [
    row(
        Language::En,
        "",
        "the of and to is are was were what which who whom whose how why when where does do did has have can will in for on with by \
        from this that it an",
    ),
    row(
        Language::De,
        "ßä",
        "der die das den dem des ein eine einen einem einer und ist sind war waren was wer wie warum wann wo welche welcher welches \
        wird werden hat haben nicht für mit von zu im auf gibt darf muss",
    ),
    row(
        Language::Fr,
        "œçèê",
        "le la les un une des du et est sont était que qui quoi quel quelle quels quelles comment pourquoi quand où a ont ne pas \
        pour avec dans sur par ce il au aux",
    ),
    row(
        Language::Es,
        "ñ¿¡",
        "el la los las un una unos y es son era que qué quién cuál cuáles cómo por cuándo dónde cuánto cuántos ha han no para con \
        en sobre del al se lo",
    ),
    row(
        Language::It,
        "ìò",
        "il lo la gli le un una e è sono era che chi quale quali come perché quando dove quanto quanti ha hanno non per con nel \
        nella della del di si",
    ),
    row(
        Language::Pt,
        "ãõ",
        "o a os as um uma e é são era que quem qual quais como por quando onde quanto quantos tem têm não para com em no na do da \
        dos das se",
    ),
    row(
        Language::Tr,
        "ğşıİ",
        "ve bir bu ne kim nasıl neden niçin zaman nerede hangi kaç mı mi mu mü için ile olan olarak değil var yok da de kadar göre",
    ),
    row(
        Language::Vi,
        "đơưăạảấầẩẫậắằặẹẻẽếềểễệịỏọốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
        "và là của có không được cho trong các những một này đó khi nào ai gì như thế tại sao bao nhiêu ở đâu với người",
    ),
    row(
        Language::Nl,
        "",
        "het een van zijn voor niet wordt worden werd naar wie waar hoe waarom wanneer welke welk wat er ook maar bij aan uit dat deze \
        heeft hebben kan geen hoeveel",
    ),
    row(
        Language::Pl,
        "łąęśćźż",
        "w z na do nie jest są był była było się że jak kto co kiedy gdzie dlaczego który która które przez dla oraz ile czy od po",
    ),
    row(
        Language::Cs,
        "ěřů",
        "v z na je jsou byl byla bylo se že jak kdo kdy kde proč který která které pro nebo není kolik s od po podle jaký jaká jaké",
    ),
    row(
        Language::Sv,
        "",
        "och är inte det som för av på med till från ett var när hur varför vilken vilket vilka vem hade har ska många mycket alla",
    ),
    row(
        Language::Da,
        "æø",
        "og er ikke det som for af på med til fra et var hvad hvem hvor hvornår hvorfor hvordan hvilken hvilke havde har skal mange",
    ),
];

/// Languages written in Cyrillic letters.
pub(crate) const CYRILLIC: [CommonWords; 2] = [
    row(
        Language::Ru,
        "ыэёъ",
        "и в не на что с по как это к из у за от о был была было были для кто где когда почему который сколько или он она они чем \
        какой какая какие",
    ),
    row(
        Language::Uk,
        "іїєґ",
        "і в не на що з по як це до із у за від про був була було були для хто де коли чому який скільки або він вона вони та яка",
    ),
];

/// Languages that have a script for themselves.
const ALONE: [CommonWords; 7] = [
    row(Language::Ar, "", "في من إلى على عن أن إن هذا هذه ذلك التي الذي و أو ما هو هي كان كانت مع بعد قبل بين كل قد"),
    row(Language::Hi, "", "का की के को में से पर है हैं था थी थे और यह वह ये वे कि जो ने भी तक साथ लिए होता गया"),
    row(
        Language::El,
        "",
        "ο η το οι τα του της των τον την και είναι ήταν σε με για από στο στη στην στον που θα να ως",
    ),
    row(Language::Ja, "", "の は が を に で と も へ や から まで です ます"),
    row(Language::Ko, "", "및 또는 그리고 이 그 저 수 것 등 의 를 을 에"),
    row(Language::Zh, "", "的 了 是 在 和 与 與 也 就 都 而 及 或"),
    row(Language::Th, "", "ที่ และ ของ ใน เป็น คือ จะ ได้ ให้ ว่า กับ"),
];

/// Whether `word`, in lower case, is one of the commonest words of `language`; false if the language is not known.
pub fn is_function_word(word: &str, language: Option<Language>) -> bool {
    let mut rows = LATIN.iter().chain(&CYRILLIC).chain(&ALONE);
    let own = rows.find(|row| Some(row.language) == language);
    own.is_some_and(|row| row.words.split_whitespace().any(|common| common == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_covered_language_has_its_commonest_words() {
        for language in Language::COVERED {
            let mut rows = LATIN.iter().chain(&CYRILLIC).chain(&ALONE);
            assert!(rows.any(|row| row.language == language && !row.words.is_empty()), "{language:?}");
        }
        for (word, language, want) in [
            ("the", Some(Language::En), true),
            ("jest", Some(Language::Pl), true),
            ("jest", Some(Language::En), false),
            ("είναι", Some(Language::El), true),
            ("the", None, false),
        ] {
            assert_eq!(is_function_word(word, language), want, "{word} {language:?}");
        }
    }
}
