//! Negations: words that deny, and in languages that deny by a part of a word, that part.

use std::ops::Range;
use std::sync::LazyLock;

use super::detect::detect;
use super::table::{FoundWord, Row, Table};
use super::tag::Language::{self, *};
use super::words::{Unspaced, WrittenWord, split};

const ROWS: [Row<()>; 22] = [
    (En, (), "not no never none nor neither nobody nothing nowhere without cannot"),
    (De, (), "nicht kein keine keinen keinem keiner keines nie niemals niemand niemanden nichts nirgends ohne weder"),
    (Fr, (), "!ne pas jamais sans aucun aucune ni nul nulle rien non"),
    (Es, (), "no nunca !sin ningún ninguna ninguno nadie nada tampoco jamás ni"),
    (It, (), "non senza nessun nessuno nessuna niente nulla !né !mai no"),
    (Pt, (), "não nenhum nenhuma !sem ninguém nunca jamais nada nem ~no"),
    (Nl, (), "niet geen nooit zonder niemand niets nergens ~pas ~no"),
    (Pl, (), "nie nigdy żaden żadna żadne żadnego żadnej nikt nikogo nic ani bez nigdzie ~no ~pas"),
    (
        Cs,
        (),
        "!ne není nejsou nejsem nejsme nejste nejde nejdou nikdy žádný žádná žádné žádného nikdo nikoho nic ani bez nelze ~no",
    ),
    (Sv, (), "inte ej icke ingen inget inga aldrig utan varken ingenting ~no ~ni"),
    (Da, (), "ikke ej ingen intet aldrig uden hverken ingenting ~no ~ni"),
    (Ru, (), "не нет ни никто никого никогда ничто ничего нигде без нельзя никакой никакая никакие"),
    (Uk, (), "не ні ніхто нікого ніколи ніщо нічого ніде без немає нема жоден жодна жодного"),
    (Tr, (), "değil yok hayır hiç hiçbir hiçbiri asla"),
    (Ar, (), "لا لم لن ليس ليست ليسوا ليسا غير بدون دون عدم"),
    (Hi, (), "नहीं नही न मत बिना"),
    (
        Ja,
        (),
        "ない ません なかった なくて 無い 不 未 無 非 禁止 せず ならず \
        ~かもしれない ~かもしれません ~なければならない ~なければなりません ~なくてはならない ~しかない ~少ない ~危ない \
        ~非常 ~未来 ~不動産 ~無料 ~無線",
    ),
    (Ko, (), "안 못 아니다 아니라 아닌 아닙니다 없이 없다 없는 없습니다"),
    (
        Zh,
        (),
        "不 没 沒 没有 沒有 未 无 無 非 勿 禁 \
        ~不仅 ~不僅 ~不但 ~不少 ~不断 ~不斷 ~不同 ~不久 ~不过 ~不過 ~不得不 ~差不多 ~不锈钢 ~不動產 ~不动产 ~非常 ~非洲 ~南非 ~北非 \
        ~未来 ~未來 ~无论 ~無論 ~无线 ~無線 ~没收 ~沒收 ~紫禁城",
    ),
    (Vi, (), "không chẳng chưa đừng chả chớ ~không_gian ~không_khí ~hàng_không"),
    (Th, (), "ไม่ มิได้ มิใช่ มิให้ ห้าม ไร้ ปราศจาก อย่า ~ไม่ว่า ~อย่าง"),
    (El, (), "δεν δε μην μη όχι χωρίς κανένας κανείς καμία κανένα ποτέ τίποτα ούτε"),
];

static NEGATIONS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(ROWS));

/// Words before which a negation adds instead of denying: `not only`.
const ONLY: [Row<()>; 22] = [
    (En, (), "only just merely solely"),
    (De, (), "nur bloß lediglich"),
    (Fr, (), "seulement uniquement"),
    (Es, (), "solo sólo solamente únicamente"),
    (It, (), "solo soltanto solamente"),
    (Pt, (), "só somente apenas"),
    (Nl, (), "alleen slechts enkel"),
    (Pl, (), "tylko jedynie"),
    (Cs, (), "jen jenom pouze"),
    (Sv, (), "bara endast enbart"),
    (Da, (), "kun blot bare"),
    (Ru, (), "только лишь"),
    (Uk, (), "тільки лише"),
    (Tr, (), "yalnızca sadece yalnız"),
    (Ar, (), "فقط فحسب"),
    (Hi, (), "केवल सिर्फ"),
    (Ja, (), "だけ のみ ばかり"),
    (Ko, (), "뿐만 뿐"),
    (Zh, (), "仅 僅 只 单单"),
    (Vi, (), "chỉ"),
    (Th, (), "เพียง แค่ เฉพาะ"),
    (El, (), "μόνο μόνον"),
];

static ONLY_WORDS: LazyLock<Table<()>> = LazyLock::new(|| Table::new(ONLY));

/// Beginnings of Czech words in which `ne` denies nothing: or, than, superlatives, Sunday, illness, some nouns.
const CZECH_OTHERS: &str = "nebo nebe nebes než nej neděl nemoc nehod nehet nehty neteř neon netto negat neutr nerv nech \
    nepřítel nepřát nemovit nerost nesl nese nesou nesmírn network new";

/// Turkish endings of a denied verb, longest first, each with the letters of them that deny.
const TURKISH_ENDINGS: [(&str, &str); 26] = [
    ("meyecek", "me"),
    ("mayacak", "ma"),
    ("memektedir", "me"),
    ("mamaktadır", "ma"),
    ("memiştir", "me"),
    ("mamıştır", "ma"),
    ("mediler", "me"),
    ("madılar", "ma"),
    ("mezler", "me"),
    ("mazlar", "ma"),
    ("memeli", "me"),
    ("mamalı", "ma"),
    ("memiş", "me"),
    ("mamış", "ma"),
    ("meyen", "me"),
    ("mayan", "ma"),
    ("miyor", "mi"),
    ("mıyor", "mı"),
    ("muyor", "mu"),
    ("müyor", "mü"),
    ("medik", "me"),
    ("madık", "ma"),
    ("medi", "me"),
    ("madı", "ma"),
    ("mez", "me"),
    ("maz", "ma"),
];
/// Turkish words that only look denied.
const TURKISH_OTHERS: &str = "namaz yaramaz komedi pekmez anlaşılmaz";

/// Korean syllables that deny wherever they are in a word, and words in which they do not.
const KOREAN: [&str; 4] = ["않", "없", "못하", "못했"];

/// Whether `word`, in lower case, denies by itself in a text of `language`. A part of a word that denies is found by [`negations_in`] only.
pub fn is_negation(word: &str, language: Option<Language>) -> bool {
    NEGATIONS.get(word, language).is_some()
}

/// Whether a negation before `word` adds instead of denying: `not only`.
pub fn turns_negation(word: &str) -> bool {
    ONLY_WORDS.get(word, None).is_some()
}

/// The places in `text` that deny, in bytes, in order and without overlap: words, the `n't` of a contraction, the part of a word that denies
/// in Czech, Turkish and Korean, and characters in scripts without spaces. `No. 5` denies nothing.
pub fn negations_in(text: &str) -> Vec<Range<usize>> {
    let language = detect(text).known;
    let mut found: Vec<Range<usize>> =
        NEGATIONS.find_in(text, language).into_iter().map(|word: FoundWord<()>| word.range).collect();
    found.retain(|range| !is_number_sign(text, range));
    for word in split(text, Unspaced::Runs, &['\'', '’']) {
        let inner = part(&word, language)
            .filter(|inner| !found.iter().any(|known| known.start < inner.end && inner.start < known.end));
        found.extend(inner);
    }
    found.sort_by_key(|range| range.start);
    found
}

/// `No. 5`.
fn is_number_sign(text: &str, range: &Range<usize>) -> bool {
    let behind = text[range.end..].strip_prefix('.').map(str::trim_start);
    text[range.clone()].eq_ignore_ascii_case("no")
        && behind.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The part of `word` that denies, for languages that deny by parts of words.
fn part(word: &WrittenWord<'_>, language: Option<Language>) -> Option<Range<usize>> {
    let lower = word.lower();
    let (start, end) = (word.range.start, word.range.end);
    if lower.ends_with("n't") || lower.ends_with("n’t") {
        return Some(end - (lower.len() - lower.rfind('n')?)..end);
    }
    match language {
        Some(Cs) => is_denied_in_czech(&lower).then_some(start..start + 2),
        Some(Tr) if lower.len() == word.text.len() => {
            denied_in_turkish(&lower).map(|part| start + part.start..start + part.end)
        }
        Some(Ko) => KOREAN.iter().any(|sign| lower.contains(sign)).then_some(start..end),
        _ => None,
    }
}

fn is_denied_in_czech(lower: &str) -> bool {
    let is_other = CZECH_OTHERS.split_whitespace().any(|other| lower.starts_with(other));
    lower.starts_with("ne") && lower.chars().count() > 4 && !is_other
}

/// The bytes of `lower` that deny; personal endings behind them do not matter.
fn denied_in_turkish(lower: &str) -> Option<Range<usize>> {
    if TURKISH_OTHERS.split_whitespace().any(|other| lower.starts_with(other)) {
        return None;
    }
    let persons =
        ["", "m", "n", "k", "um", "ım", "im", "üm", "sun", "sın", "sin", "uz", "ız", "iz", "lar", "ler", "dır", "dir"];
    TURKISH_ENDINGS.iter().find_map(|(ending, part)| {
        let at = lower.rfind(ending).filter(|at| *at > 0)?;
        persons.contains(&&lower[at + ending.len()..]).then_some(at..at + part.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(text: &str) -> Vec<&str> {
        negations_in(text).into_iter().map(|range| &text[range]).collect()
    }

    /// A sentence of each language that denies, with what denies in it, and one that does not.
    const SENTENCES: [(Language, &str, &[&str], &str); 22] = [
        (
            En,
            "The tenant must not sublet the flat and can't sell it.",
            &["not", "n't"],
            "The sin of Mali is no. 5 of the list.",
        ),
        (De, "Der Mieter darf die Wohnung nicht untervermieten.", &["nicht"], "Die Miete ist am ersten Mai fällig."),
        (Fr, "Le locataire ne peut pas vendre le logement.", &["ne", "pas"], "Le juge est né dans la ville."),
        (Es, "El contrato no vale sin la firma de los socios.", &["no", "sin"], "El contrato vale con la firma."),
        (
            It,
            "Il contratto non è mai valido senza la firma.",
            &["non", "mai", "senza"],
            "Il contratto è valido: ne ha parlato.",
        ),
        (Pt, "O contrato não é válido sem a assinatura.", &["não", "sem"], "O contrato é válido no mês de maio."),
        (Nl, "De huurder mag de woning niet verkopen.", &["niet"], "De huurder komt pas in mei naar het huis."),
        (Pl, "Umowa nie jest ważna bez podpisu.", &["nie", "bez"], "Umowa jest ważna od maja."),
        (
            Cs,
            "Nájemce nesmí byt prodat a smlouva není platná, že je stará.",
            &["ne", "není"],
            "Nejlepší je byt nebo dům, který se prodá v neděli.",
        ),
        (Sv, "Avtalet är inte giltigt utan underskrift.", &["inte", "utan"], "Ni har ett avtal som är giltigt."),
        (Da, "Aftalen er ikke gyldig uden underskrift.", &["ikke", "uden"], "Aftalen er gyldig fra maj."),
        (Ru, "Договор не имеет силы без подписи.", &["не", "без"], "Договор имеет силу с мая."),
        (Uk, "Договір не має сили без підпису.", &["не", "без"], "Договір має силу з травня."),
        (
            Tr,
            "Sözleşme geçerli değil ve kiracı evi satamaz, çünkü para gelmedi.",
            &["değil", "ma", "me"],
            "Ne zaman ödenir ve on yıl için komedi nerede?",
        ),
        (Ar, "العقد ليس صالحا ولا يسري بدون توقيع.", &["ليس", "ولا", "بدون"], "العقد صالح من شهر مايو."),
        (Hi, "किरायेदार मकान नहीं बेच सकता।", &["नहीं"], "किरायेदार मकान बेच सकता है।"),
        (
            Ja,
            "借主は部屋を売ってはならないし、契約は有効ではありません。",
            &["ない", "ません"],
            "契約は非常に有効で、更新できるかもしれない。",
        ),
        (Ko, "세입자는 집을 팔지 않는다. 서명이 없다.", &["않는다", "없다"], "계약은 안전하다."),
        (Zh, "承租人不得出售房屋，合同没有签字。", &["不", "没有"], "南非的合同非常不同，不仅有效，未来也有效。"),
        (Vi, "Người thuê không được bán nhà.", &["không"], "Người thuê được bán nhà."),
        (Th, "ผู้เช่าไม่สามารถขายบ้านได้", &["ไม่"], "ผู้เช่าขายบ้านไม้ในเดือนมิถุนายนอย่างเร็ว"),
        (El, "Ο μισθωτής δεν μπορεί να πουλήσει το σπίτι.", &["δεν"], "Ο μισθωτής μπορεί να πουλήσει το σπίτι."),
    ];

    #[test]
    fn a_negation_is_found_in_a_sentence_of_every_language() {
        for language in Language::COVERED {
            assert!(SENTENCES.iter().any(|row| row.0 == language) && NEGATIONS.has_row(language), "{language:?}");
        }
        for (language, sentence, want, _) in SENTENCES {
            assert_eq!(denied(sentence), want, "{language:?} {sentence}");
        }
    }

    #[test]
    fn a_sentence_that_denies_nothing_has_no_negation() {
        for (language, .., affirmed) in SENTENCES {
            assert_eq!(denied(affirmed), Vec::<&str>::new(), "{language:?} {affirmed}");
        }
    }

    #[test]
    fn a_negation_before_only_is_known_in_every_language() {
        assert!(Language::COVERED.into_iter().all(|language| ONLY_WORDS.has_row(language)));
        assert!(turns_negation("only") && turns_negation("тільки") && !turns_negation("not"));
    }

    #[test]
    fn a_word_of_another_language_denies_nothing() {
        for (text, want) in [
            ("It is a sin of the man.", &[][..]),
            ("The contract of Mai and the sem are in the plan.", &[]),
            ("The Ne in the list of elements.", &[]),
            ("Nobody is there, nor was it.", &["Nobody", "nor"]),
        ] {
            assert_eq!(denied(text), want, "{text}");
        }
    }
}
