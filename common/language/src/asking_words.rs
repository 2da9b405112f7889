//! Words of short questions, by which they show their language where they have none of its commonest words: "Wie teuer?", "Why?".

use super::tag::Language::{self, *};
use super::words::lower_words;

/// The words of each language, as far as no language further up asks with them; lower case.
const ROWS: [(Language, &str); 15] = [
    (
        En,
        "why how who whose when where what which may must can could would should shall any there many much long old far often i we you they \
        my your our their she he not no than if per until children salary",
    ),
    (
        De,
        "wie wer wann wo warum wieso weshalb wozu wohin woher womit wen wem wessen viel viele lange teuer gibt kann darf muss dürfen müssen \
        können ich wir sie man bis ab über nach bei oder auch kein keine gilt gelten kostet kosten und brauche bekomme",
    ),
    (
        Fr,
        "combien où pourquoi comment peut doit faut je nous vous elles ils est-ce coûte dure jusqu'à quand qui quoi avons puis-je",
    ),
    (Es, "cuánto cuánta cuántos cuántas cuesta puede puedo hay debe dónde cuándo cómo hasta desde quién tengo y"),
    (It, "quanto quanti quante posso può devo c'è quando dove perché costa chi fino"),
    (Pt, "quanto quantos posso pode devo há onde porque custa quem até"),
    (Nl, "hoe hoeveel mag kan ik wij wanneer waarom waar kost tot"),
    (Pl, "ile czy kto kiedy gdzie dlaczego mogę można kosztuje jak"),
    (Cs, "kolik kdo kdy kde proč mohu lze stojí jak"),
    (Sv, "hur vad vem när varför får kan jag kostar många"),
    (Da, "hvor hvad hvem hvornår hvorfor må jeg koster mange"),
    (Tr, "kaç kim nerede nasıl neden niçin var mı"),
    (Vi, "ai gì đâu sao mấy"),
    (Ru, "кто что где когда почему сколько можно ли как зачем чей"),
    (Uk, "хто що де коли чому скільки чи можна як"),
];

/// The language with the most words of [`ROWS`] in `text`, of several the first; `None` if it has none.
pub(super) fn by_asking(text: &str) -> Option<Language> {
    let words = lower_words(text);
    let count = |row: &(Language, &str)| {
        let own: Vec<&str> = row.1.split_whitespace().collect();
        words.iter().filter(|word| own.contains(&word.as_str())).count()
    };
    let counts = ROWS.iter().map(|row| (count(row), row.0)).filter(|(count, _)| *count > 0);
    counts.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, language)| language)
}

#[cfg(test)]
mod tests {
    use super::super::detect;

    #[test]
    fn a_short_question_shows_its_language_by_the_words_that_ask() {
        for (question, tag) in [
            ("Why?", "en"),
            ("How much?", "en"),
            ("And children?", "en"),
            ("Salary?", "en"),
            ("May I smoke?", "en"),
            ("Wie teuer?", "de"),
            ("Und bis wann?", "de"),
            ("Warum?", "de"),
            ("Kosten Kinder weniger?", "de"),
            ("Gibt es Rabatt?", "de"),
            ("Combien ?", "fr"),
            ("Pourquoi ?", "fr"),
            ("Cuánto cuesta?", "es"),
            ("Quanti?", "it"),
            ("Hoeveel?", "nl"),
            ("Kiedy?", "pl"),
            ("Сколько?", "ru"),
            ("Скільки?", "uk"),
            ("PEP 8", "und"),
            ("Столица России?", "und"),
            ("", "und"),
        ] {
            assert_eq!(detect(question).tag, tag, "{question}");
        }
    }
}
