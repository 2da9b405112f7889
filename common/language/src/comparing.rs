//! Words that ask for a comparison, and the words around the compared things.

use super::sets::word_sets;
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word` asks for a comparison of what follows.
    asks_to_compare: [
        (En, "compare contrast comparison"), (De, "vergleiche vergleichen vergleich"),
        (Fr, "comparer comparez comparaison"),
        (Es, "compara comparar comparación"), (It, "confronta confrontare confronto"), (Pt, "compare comparação"),
        (Nl, "vergelijk vergelijking"),
        (Pl, "porównaj porównanie"), (Cs, "porovnej porovnání"), (Sv, "jämför jämförelse"),
        (Da, "sammenlign sammenligning"),
        (Ru, "сравни сравните сравнение"), (Uk, "порівняй порівняйте порівняння"), (Tr, "karşılaştır"),
        (El, "σύγκρινε σύγκριση"),
    ];
    /// Whether `word` asks for a comparison if two things are named before or after it.
    tells_apart: [
        (En, "difference differences differ differs compared versus vs"),
        (De, "unterschied unterschiede unterscheiden unterscheidet verglichen"),
        (Fr, "différence différences diffèrent diffère"), (Es, "diferencia diferencias diferencian difieren"),
        (It, "differenza differenze"), (Pt, "diferença diferenças"), (Nl, "verschil verschillen verschilt"),
        (Pl, "różnica różnice różni"),
        (Cs, "rozdíl rozdíly"), (Sv, "skillnad skillnaden skillnader skiljer"), (Da, "forskel forskellen forskelle"),
        (Ru, "разница различие различия отличается отличаются"), (Uk, "різниця відмінність відмінності"),
        (Tr, "fark farkı farklar"),
        (El, "διαφορά διαφορές διαφέρει"),
    ];
    /// Whether `word` stands before compared things and is no stop word.
    is_among: [
        (En, "between among"), (De, "zwischen"), (Es, "entre"), (Nl, "tussen"), (Pl, "między"), (Cs, "mezi"),
        (Sv, "mellan"), (Da, "mellem"), (Ru, "между"), (Uk, "між"), (El, "μεταξύ"), (It, "tra fra"),
    ];
    /// Whether `word` stands between two compared things.
    joins_compared: [
        (En, "and with versus vs & or"), (De, "und mit oder"), (Fr, "et avec ou"), (Es, "y e con o"), (Nl, "met"),
        (Pl, "oraz"), (Sv, "och"), (Da, "og"),
        (Ru, "и"), (Uk, "і та"), (Tr, "ve ile"), (El, "και"),
    ];
    /// Whether `word` stands between two compared things where no other joins them: "from A to B".
    joins_compared_alone: [(En, "to from than"), (De, "von als"), (Fr, "à"), (Es, "a")];
    /// Whether `word` stands between a comparing noun and the first thing.
    goes_before_compared: [
        (En, "between of among"), (De, "zwischen von der des"), (Fr, "entre de"), (It, "tra fra"),
        (Nl, "tussen van"), (Pl, "między"), (Cs, "mezi"),
        (Sv, "mellan"), (Da, "mellem"), (Ru, "между"), (Uk, "між"), (El, "μεταξύ"),
    ];
    /// Whether `word` begins no name of a thing.
    leads_no_name: [
        (En, "the a an how what which do does did is are was were please both two"),
        (De, "der die das dem den des ein eine wie worin was welche welcher sind ist sich bitte beide"),
        (Fr, "le la les l un une en quoi quel quelle quels quelles est sont se que qu me"),
        (Es, "el los las una qué cuál cuáles es son"), (It, "il lo gli che quale quali"),
        (Nl, "het een wat welke zijn"), (Sv, "vad är"), (Da, "hvad er"),
        (Pl, "jaka jaki jakie jest są"), (Ru, "в чем чём какая какова"), (Uk, "у яка який"), (El, "ποια είναι η ο το"),
    ];
    /// Whether `word` is a preposition before a name: `the price of A`.
    goes_before_name: [
        (En, "of for in by at on is are between"), (De, "zwischen für bei im von auf sich"),
        (Fr, "pour chez sur du des de d"),
        (Es, "del para en sobre entre"), (Nl, "van voor op tussen"), (Pl, "między"), (Cs, "mezi"), (Sv, "mellan"),
        (Da, "mellem"), (Ru, "между"), (Uk, "між"),
        (El, "μεταξύ"),
    ];
    /// Whether `word` stands behind the end of a name: `B in terms of price`.
    goes_behind_name: [
        (En, "in on for regarding concerning about by when with under as differ differs compare"),
        (De, "hinsichtlich bezüglich bei für im unterscheiden"), (Fr, "pour en sur quant dans concernant diffèrent"),
        (Es, "respecto para sobre diferencian"), (Nl, "voor"),
    ];
}

/// Where an unspaced `query` ends to name compared things and begins to ask for their difference, in bytes.
pub fn unspaced_cue(query: &str) -> Option<usize> {
    const CUES: [&str; 10] =
        ["的区别", "的差异", "的不同", "有什么区别", "有何不同", "の違い", "を比較", "の比較", "の差", "的差別"];
    CUES.iter().filter_map(|cue| query.find(cue)).min()
}

/// The length in bytes of the words at the head of an unspaced `query` that ask for a comparison.
pub fn unspaced_head(query: &str) -> Option<usize> {
    const HEADS: [&str; 5] = ["请比较", "比较", "対比", "请对比", "对比"];
    HEADS.iter().find(|head| query.starts_with(**head)).map(|head| head.len())
}

/// Whether `c` joins two names in an unspaced text.
pub fn joins_unspaced(c: char) -> bool {
    matches!(c, '和' | '与' | '與' | '跟' | 'と' | '、')
}

/// Whether `c` belongs to no name at the end of the compared things in an unspaced text.
pub fn ends_unspaced_names(c: char) -> bool {
    matches!(c, '之' | '间')
}
