//! Words of definitions: how they are asked for, articles, and verbs that say what something is.

use super::sets::word_sets;
use super::tag::Language::{self, *};

/// Openings of a question for a definition in each language, in lower case; `_` joins the words of one.
const OPENINGS: [(Language, &str); 22] = [
    (En, "what_is what_are what_was what_were who_is who_was define"),
    (De, "was_ist was_sind was_war was_bedeutet wer_ist wer_war"),
    (Fr, "qu'est-ce qu’est-ce quel_est quelle_est"),
    (Es, "qué_es qué_son quién_es"),
    (It, "che_cos cosa_è"),
    (Pt, "o_que_é"),
    (Nl, "wat_is wat_zijn"),
    (Pl, "co_to_jest czym_jest kim_jest"),
    (Cs, "co_je co_to_je kdo_je"),
    (Sv, "vad_är vem_är"),
    (Da, "hvad_er hvem_er"),
    (Ru, "что_такое кто_такой"),
    (Uk, "що_таке хто_такий"),
    (Tr, "nedir"),
    (Ar, "ما_هو ما_هي من_هو"),
    (Hi, "क्या_है"),
    (Ja, "何ですか"),
    (Ko, "무엇"),
    (Zh, "什么是 什麼是"),
    (Vi, "thế_nào_là"),
    (Th, "อะไรคือ"),
    (El, "τι_είναι ποιος_είναι"),
];
/// Ends of a question for a definition in languages that put the question word last.
const ENDINGS: [(Language, &str); 5] =
    [(Ja, "とは とは何 何ですか"), (Zh, "是什么 是什麼"), (Ko, "란_무엇"), (Vi, "là_gì"), (Th, "คืออะไร")];

/// The length in bytes of the longest opening of a question for a definition that `question`, in lower case, begins with.
pub fn opening(question: &str) -> Option<usize> {
    let phrases = OPENINGS.iter().flat_map(|(_, row)| row.split_whitespace()).map(|phrase| phrase.replace('_', " "));
    phrases.filter(|phrase| question.starts_with(phrase.as_str())).map(|phrase| phrase.len()).max()
}

/// Whether `question`, in lower case, ends like one for a definition.
pub fn has_ending(question: &str) -> bool {
    let mut phrases = ENDINGS.iter().flat_map(|(_, row)| row.split_whitespace());
    phrases.any(|phrase| question.contains(&phrase.replace('_', " ")))
}

/// What stands before the mark of a Japanese definition in `sentence`.
pub fn before_unspaced_copula(sentence: &str) -> Option<&str> {
    sentence.split_once("とは").map(|(head, _)| head)
}

word_sets! {
    /// Whether `word` is a verb of a definition.
    is_copula: [
        (En, "is are was were means mean refers denotes"), (De, "ist sind war waren heißt heißen bezeichnet bedeutet"),
        (Fr, "est sont était désigne"), (Es, "es son era significa"), (It, "è sono"), (Pt, "é são"),
        (Nl, "betekent betekenen zijn"),
        (Pl, "jest są oznacza"), (Cs, "je jsou znamená"), (Sv, "är betyder"), (Da, "er betyder"),
        (Ru, "является означает"), (Uk, "є означає"),
        (Tr, "demektir"), (Ar, "هو هي يعني"), (Hi, "है हैं"), (Vi, "là"), (El, "είναι σημαίνει"),
    ];
    /// Whether `word` before a kind of thing means one of several.
    is_indefinite: [
        (En, "a an any another one"), (De, "ein eine einer"), (Fr, "un une"), (Es, "un una"), (It, "un uno una"),
        (Pt, "um uma"), (Nl, "een"), (Sv, "en ett"), (Da, "en et"), (El, "ένας μία ένα"), (Tr, "bir"), (Hi, "एक"),
    ];
    /// Whether `word` is an article, or stands in for one, before the kind of thing that something is.
    is_article: [
        (En, "a an the one any"), (De, "ein eine einer der die das"), (Fr, "un une la le les des"),
        (Es, "el los las una uno"),
        (It, "il lo gli i"), (Pt, "o os as um uma"), (Nl, "een het de"), (Sv, "ett"), (Tr, "bir"), (Hi, "एक"),
        (Vi, "một"), (El, "ένας μια ένα ο η το"),
    ];
}
