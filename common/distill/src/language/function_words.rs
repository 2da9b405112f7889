//! The commonest words of each language, by which a text shows its language.

use super::tag::Language;

/// The words of one language that uses a script with others.
pub(super) struct CommonWords {
    pub(super) language: Language,
    /// Letters that no other language of the table has.
    pub(super) letters: &'static str,
    /// Its commonest words, as far as they are not as common in a language further up.
    pub(super) words: &'static str,
}

const fn row(language: Language, letters: &'static str, words: &'static str) -> CommonWords {
    CommonWords { language, letters, words }
}

/// Languages written in Latin letters.
pub(super) const LATIN: [CommonWords; 13] = [
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
        wird werden hat haben nicht für mit von zu im auf",
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
pub(super) const CYRILLIC: [CommonWords; 2] = [
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
