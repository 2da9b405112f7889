//! Words around the version of a thing.

use super::sets::word_sets;
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` stands before the number of a version.
    is_version_word: [
        (En, "version release v edition"), (De, "version ausgabe"), (Fr, "version"), (Es, "versión"),
        (It, "versione"), (Pt, "versão"), (Nl, "versie"),
        (Pl, "wersja wersji"), (Cs, "verze"), (Sv, "version"), (Da, "version"), (Ru, "версия версии версию"),
        (Uk, "версія версії версію"), (Tr, "sürüm sürümü"),
        (Ar, "إصدار الإصدار"), (Hi, "संस्करण"), (Ja, "バージョン"), (Ko, "버전 버전은"), (Zh, "版本"), (Vi, "phiên_bản"),
        (Th, "เวอร์ชัน"), (El, "έκδοση"),
    ];
    /// Whether `word` is a verb after which a thing has one version at a time.
    has_one_version: [
        (En, "is requires require needs uses runs equals"), (De, "ist verlangt benötigt erfordert nutzt lautet"),
        (Fr, "est requiert nécessite utilise"), (Es, "es requiere necesita usa"), (It, "è richiede usa"),
        (Pt, "é requer"), (Nl, "is vereist gebruikt"),
        (Pl, "jest wymaga"), (Cs, "je vyžaduje"), (Sv, "är kräver"), (Da, "er kræver"), (Ru, "требует использует"),
        (Uk, "потребує використовує"),
        (Tr, "gerektirir"), (El, "είναι απαιτεί"),
    ];
    /// Whether `word` before numbers joined by points shows that they are no date.
    numbers_part: [
        (En, "version v release section chapter ip"), (De, "abschnitt kapitel"), (Fr, "chapitre"),
        (Es, "sección capítulo"), (Nl, "hoofdstuk versie"),
        (Pl, "wersja rozdział"), (Ru, "версия раздел глава"),
    ];
    /// Whether `word` ends the number of a day: `5th`, `1er`.
    ends_ordinal: [(En, "st nd rd th"), (Fr, "er"), (Es, "º"), (Nl, "e")];
    /// Whether `word` may come between day, month and year.
    joins_date: [(En, "of the"), (Es, "de del"), (Pt, "de")];
    /// Whether four digits behind `word` are a year.
    goes_before_year: [
        (En, "in since from until till to by year during of before after"),
        (De, "im jahr jahre seit von bis ab vor nach"),
        (Fr, "en depuis année jusqu dès"), (Es, "desde hasta año del"), (It, "nel dal anno"), (Pt, "em desde ano"),
        (Nl, "sinds jaar"),
        (Pl, "roku od"), (Cs, "roce roku od"), (Sv, "år sedan till"), (Da, "år siden til"), (Ru, "в с до году"),
        (Uk, "у в до році"), (El, "το από έτος"),
        (Vi, "năm"), (Th, "ปี"),
    ];
    /// Whether `word` may come right before a year unless a capitalized noun follows, which would be counted: `wurde 1932 eröffnet`.
    may_precede_year: [(De, "wurde")];
    /// Whether `word` behind a year marks it as before the common era.
    is_before_era: [(En, "bc bce")];
    /// Whether `word` and one for the era after it mark a year as before the common era: `v. Chr.`.
    opens_before_era: [(De, "v"), (Fr, "av avant"), (Es, "a")];
    /// Whether `word` is the era: `Chr.`, `J.-C.`.
    is_era: [(De, "chr"), (Fr, "j"), (Es, "c")];
}

/// Where the version begins that an unspaced `sentence` states, in bytes.
pub fn unspaced_version(sentence: &str) -> Option<usize> {
    const MARKS: [&str; 4] = ["版本是", "版本为", "版本為", "バージョンは"];
    MARKS.iter().find_map(|mark| sentence.find(mark).map(|at| at + mark.len()))
}
