//! Words that models write in front of the number of a citation, as in `[Finding 1]`.

use super::sets::word_sets;
use super::tag::Language::{self, *};

word_sets! {
    /// Whether `word`, in lower case, calls what a number cites. One letter is enough where models are told to number findings.
    is_citation_word: [
        (En, "finding findings passage passages source sources f p ref cite id no"), (De, "fund funde befund stelle quelle quellen nr"),
        (Fr, "passage source sources réf"), (Es, "pasaje fuente fuentes hallazgo ref"), (It, "passo fonte fonti rif"),
        (Pt, "trecho fonte fontes"), (Nl, "passage bron bronnen"), (Pl, "fragment źródło źródła"), (Cs, "pasáž zdroj zdroje"),
        (Sv, "källa källor"), (Da, "kilde kilder"), (Ru, "источник источники"), (Uk, "джерело джерела"),
        (Tr, "kaynak kaynaklar"), (Ar, "مصدر المصدر"), (Hi, "स्रोत"), (Ja, "出典"), (Ko, "출처"), (Zh, "来源 來源 出处"),
        (Vi, "nguồn"), (Th, "แหล่งที่มา"), (El, "πηγή πηγές"),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_call_a_citation_differ_from_those_for_a_figure() {
        for (word, want) in [("finding", true), ("quelle", true), ("来源", true), ("figure", false), ("tabelle", false)]
        {
            assert_eq!(is_citation_word(word), want, "{word}");
        }
    }
}
