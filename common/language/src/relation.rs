//! Words for relations between documents: replaces, requires, updates, extends; and words for documents and their authors.

use super::sets::{stem_sets, word_sets};
use super::tag::Language::{self, *};

/// A relation between two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationKind {
    /// The other one no longer holds.
    Replaces,
    /// It rests on the other one.
    Requires,
    /// It changes the other one.
    Updates,
    /// It adds to the other one.
    Extends,
}

/// Which end of a replacement a noun is: the predecessor of X, or the successor of X.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplacementEnd {
    /// The document that was replaced.
    Predecessor,
    /// The document that replaces.
    Successor,
}

const REPLACES: RelationKind = RelationKind::Replaces;
const REQUIRES: RelationKind = RelationKind::Requires;
const UPDATES: RelationKind = RelationKind::Updates;
const EXTENDS: RelationKind = RelationKind::Extends;

/// The word stems of each relation in each language, lower case.
const STEMS: [(Language, RelationKind, &str); 88] = [
    (En, REPLACES, "supersed replac obsolet supplant"),
    (En, REQUIRES, "requir depend prerequisit"),
    (En, UPDATES, "updat amend"),
    (En, EXTENDS, "extend"),
    (De, REPLACES, "ersetz ersatz ablös abgelöst"),
    (De, REQUIRES, "erforder benötig voraussetz"),
    (De, UPDATES, "aktualisier"),
    (De, EXTENDS, "erweiter"),
    (Fr, REPLACES, "remplac"),
    (Fr, REQUIRES, "exige nécessit dépend"),
    (Fr, UPDATES, "actualis modifi"),
    (Fr, EXTENDS, "étend"),
    (Es, REPLACES, "reemplaz sustitu"),
    (Es, REQUIRES, "requier requie necesit"),
    (Es, UPDATES, "actualiz"),
    (Es, EXTENDS, "extiend"),
    (It, REPLACES, "sostitui rimpiazz"),
    (It, REQUIRES, "richied richiest"),
    (It, UPDATES, "aggiorn"),
    (It, EXTENDS, "estend"),
    (Pt, REPLACES, "substitu"),
    (Pt, REQUIRES, "requer exig"),
    (Pt, UPDATES, "atualiz"),
    (Pt, EXTENDS, "estend"),
    (Nl, REPLACES, "vervang"),
    (Nl, REQUIRES, "vereis"),
    (Nl, UPDATES, "bijgewerkt wijzig"),
    (Nl, EXTENDS, "uitbreid breidt"),
    (Pl, REPLACES, "zastęp zastąp"),
    (Pl, REQUIRES, "wymag"),
    (Pl, UPDATES, "aktualiz"),
    (Pl, EXTENDS, "rozszerz"),
    (Cs, REPLACES, "nahra nahrad"),
    (Cs, REQUIRES, "vyžad"),
    (Cs, UPDATES, "aktualiz"),
    (Cs, EXTENDS, "rozšiř"),
    (Sv, REPLACES, "ersätt"),
    (Sv, REQUIRES, "kräv förutsätt"),
    (Sv, UPDATES, "uppdater"),
    (Sv, EXTENDS, "utök utvidg"),
    (Da, REPLACES, "erstatt"),
    (Da, REQUIRES, "kræv forudsæt"),
    (Da, UPDATES, "opdater"),
    (Da, EXTENDS, "udvid"),
    (Ru, REPLACES, "замен"),
    (Ru, REQUIRES, "требу"),
    (Ru, UPDATES, "обновл"),
    (Ru, EXTENDS, "расшир"),
    (Uk, REPLACES, "замін"),
    (Uk, REQUIRES, "вимаг потребу"),
    (Uk, UPDATES, "оновл оновлю"),
    (Uk, EXTENDS, "розшир"),
    (Tr, REPLACES, "yerini"),
    (Tr, REQUIRES, "gerektir"),
    (Tr, UPDATES, "güncel"),
    (Tr, EXTENDS, "genişlet"),
    (Ar, REPLACES, "استبدل يستبدل يحل"),
    (Ar, REQUIRES, "يتطلب تتطلب"),
    (Ar, UPDATES, "يحدث تحديث"),
    (Ar, EXTENDS, "يوسع توسيع"),
    (Hi, REPLACES, "प्रतिस्थाप"),
    (Hi, REQUIRES, "आवश्यक"),
    (Hi, UPDATES, "अद्यतन अपडेट"),
    (Hi, EXTENDS, "विस्तार"),
    (Ja, REPLACES, "置き換 代替"),
    (Ja, REQUIRES, "必要 要求"),
    (Ja, UPDATES, "更新 改定"),
    (Ja, EXTENDS, "拡張"),
    (Ko, REPLACES, "대체"),
    (Ko, REQUIRES, "필요 요구"),
    (Ko, UPDATES, "갱신 업데이트"),
    (Ko, EXTENDS, "확장"),
    (Zh, REPLACES, "取代 替代 代替"),
    (Zh, REQUIRES, "要求 需要"),
    (Zh, UPDATES, "更新 修订 修訂"),
    (Zh, EXTENDS, "扩展 擴展"),
    (Vi, REPLACES, "thay"),
    (Vi, REQUIRES, "cần yêu"),
    (Vi, UPDATES, "cập"),
    (Vi, EXTENDS, "mở"),
    (Th, REPLACES, "แทนที่"),
    (Th, REQUIRES, "ต้องการ"),
    (Th, UPDATES, "ปรับปรุง"),
    (Th, EXTENDS, "ขยาย"),
    (El, REPLACES, "αντικαθιστ αντικατ"),
    (El, REQUIRES, "απαιτ"),
    (El, UPDATES, "ενημερώ"),
    (El, EXTENDS, "επεκτείν"),
];

/// Stems of nouns for one end of a replacement, lower case; they come before those of [`STEMS`].
const ENDS: [(Language, ReplacementEnd, &str); 15] = [
    (En, ReplacementEnd::Predecessor, "predecess"),
    (En, ReplacementEnd::Successor, "success replacement"),
    (De, ReplacementEnd::Predecessor, "vorgänger"),
    (De, ReplacementEnd::Successor, "nachfolg"),
    (Fr, ReplacementEnd::Predecessor, "prédécess"),
    (Es, ReplacementEnd::Predecessor, "predeces"),
    (Es, ReplacementEnd::Successor, "suces"),
    (It, ReplacementEnd::Predecessor, "predecess"),
    (Nl, ReplacementEnd::Predecessor, "voorganger"),
    (Nl, ReplacementEnd::Successor, "opvolg"),
    (Pl, ReplacementEnd::Predecessor, "poprzedni"),
    (Ru, ReplacementEnd::Predecessor, "предшествен"),
    (Ru, ReplacementEnd::Successor, "преемник"),
    (Sv, ReplacementEnd::Predecessor, "föregångare"),
    (Sv, ReplacementEnd::Successor, "efterfölj"),
];

/// The relation that `word`, in lower case, names.
pub fn relation(word: &str) -> Option<RelationKind> {
    let is = |stems: &str| stems.split_whitespace().any(|stem| word.starts_with(stem));
    STEMS.iter().find(|(_, _, stems)| is(stems)).map(|(_, kind, _)| *kind)
}

/// The end of a replacement that `word`, in lower case, is.
pub fn replacement_end(word: &str) -> Option<ReplacementEnd> {
    let is = |stems: &str| stems.split_whitespace().any(|stem| word.starts_with(stem));
    ENDS.iter().find(|(_, _, stems)| is(stems)).map(|(_, end, _)| *end)
}

/// Whether `text`, in lower case, speaks of its own document as "this" with the noun `name`, or with a word for a document.
pub fn means_itself(text: &str, name: &str) -> bool {
    const THIS: &str = "this diese dieses cette ce este esta questo este deze dit ten detta dette";
    const DOCUMENT: &str = "document dokument documento";
    let mut nouns = std::iter::once(name).chain(DOCUMENT.split_whitespace());
    nouns.any(|noun| THIS.split_whitespace().any(|this| text.contains(&format!("{this} {noun}"))))
}

/// Whether `word`, in lower case, holds the word before an agent behind its stem, as names of fields do: `supersededby`.
pub fn holds_agent(word: &str) -> bool {
    word.char_indices().skip(1).any(|(at, _)| goes_before_agent(&word[at..]) && relation(&word[..at]).is_some())
}

word_sets! {
    /// Whether `word` precedes the agent of a passive verb.
    goes_before_agent: [
        (En, "by"), (De, "von durch vom"), (Fr, "par"), (Es, "por"), (It, "dal dalla"), (Pt, "pelo pela"),
        (Pl, "przez"),
        (Sv, "av"), (Da, "af"), (Tr, "tarafından"),
    ];
}

stem_sets! {
    /// Whether `word` begins like a word for a document.
    is_document_word: [
        (En, "proposal document standard specification memo paper article report norm proposition"),
        (De, "dokument spezifikation artikel bericht vorschlag"),
        (Fr, "spécification rapport"),
        (Es, "especificaci artículo propuesta"),
        (It, "documento specifica articolo proposta"),
        (Pt, "especificaç artigo"),
        (Nl, "voorstel specificatie"),
        (Pl, "dokument propozycj norma"),
        (Cs, "dokument návrh zpráv"),
        (Sv, "dokument förslag"),
        (Da, "dokument forslag"),
        (Ru, "документ предложени стандарт статья отч"),
        (Uk, "документ пропозиці стандарт"),
        (Tr, "belge öneri"),
        (El, "έγγραφο πρότασ"),
    ];
    /// Whether `name`, of a field, begins like one for the author of a document.
    names_author: [
        (En, "author editor from by"), (De, "verfasser von autor"), (Fr, "auteur"), (Es, "autor"), (It, "autore"),
        (Nl, "auteur"), (Pl, "autor"),
        (Cs, "autor"), (Sv, "författare"), (Da, "forfatter"), (Ru, "автор"), (Uk, "автор"), (Tr, "yazar"),
        (Ar, "المؤلف"), (Hi, "लेखक"), (Ja, "著者"),
        (Ko, "저자"), (Zh, "作者"), (Vi, "tác_giả"), (Th, "ผู้เขียน"), (El, "συγγραφέας"),
    ];
    /// Whether `word` of a question begins like one that asks for the author.
    asks_for_author: [
        (En, "wrote written write author edit"), (De, "autor verfass geschrieb schrieb"), (Fr, "auteur écri"),
        (Es, "autor escri"), (It, "scri autore"),
        (Pt, "escre autor"), (Nl, "schreef geschreven auteur"), (Pl, "napisa autor"), (Cs, "napsal autor"),
        (Sv, "skrev författ"), (Da, "skrev forfatt"),
        (Ru, "написа автор"), (Uk, "написа автор"), (Tr, "yazar yazdı"), (Hi, "लेखक लिख"), (El, "έγραψε συγγραφ"),
    ];
}

#[cfg(test)]
mod tests {
    use super::super::words::{Unspaced, split};
    use super::*;

    /// A sentence of each language that says that one document replaces another.
    const SENTENCES: [(Language, &str); 22] = [
        (En, "PEP 5 replaces PEP 4."),
        (De, "PEP 5 ersetzt PEP 4."),
        (Fr, "PEP 5 remplace PEP 4."),
        (Es, "PEP 5 sustituye a PEP 4."),
        (It, "PEP 5 sostituisce PEP 4."),
        (Pt, "PEP 5 substitui PEP 4."),
        (Nl, "PEP 5 vervangt PEP 4."),
        (Pl, "PEP 5 zastępuje PEP 4."),
        (Cs, "PEP 5 nahrazuje PEP 4."),
        (Sv, "PEP 5 ersätter PEP 4."),
        (Da, "PEP 5 erstatter PEP 4."),
        (Ru, "PEP 5 заменяет PEP 4."),
        (Uk, "PEP 5 замінює PEP 4."),
        (Tr, "PEP 5, PEP 4'ün yerini alır."),
        (Ar, "PEP 5 يحل محل PEP 4."),
        (Hi, "PEP 5 PEP 4 को प्रतिस्थापित करता है।"),
        (Ja, "PEP 5はPEP 4を 置き換える。"),
        (Ko, "PEP 5는 PEP 4를 대체한다."),
        (Zh, "PEP 5 取代 PEP 4。"),
        (Vi, "PEP 5 thay thế PEP 4."),
        (Th, "PEP 5 แทนที่ PEP 4"),
        (El, "Το PEP 5 αντικαθιστά το PEP 4."),
    ];

    #[test]
    fn a_replacement_is_known_in_a_sentence_of_every_language() {
        for (language, sentence) in SENTENCES {
            let words = split(sentence, Unspaced::Runs, &[]);
            let found: Vec<RelationKind> = words.iter().filter_map(|word| relation(&word.lower())).collect();
            assert_eq!(found, [REPLACES], "{language:?} {sentence}");
        }
    }

    #[test]
    fn a_name_of_a_field_may_hold_the_word_before_an_agent() {
        for (word, want) in [
            ("supersededby", true),
            ("replacedby", true),
            ("ersetztdurch", true),
            ("supersedes", false),
            ("by", false),
            ("standby", false),
            ("", false),
        ] {
            assert_eq!(holds_agent(word), want, "{word}");
        }
    }

    #[test]
    fn every_language_has_all_four_relations() {
        for language in Language::COVERED {
            assert!(SENTENCES.iter().any(|row| row.0 == language), "{language:?}");
            assert_eq!(STEMS.iter().filter(|row| row.0 == language).count(), 4, "{language:?}");
        }
    }
}
