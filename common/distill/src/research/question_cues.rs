//! Cue words for the kind of a question, in English, German, French and Spanish; for Russian the question words only, for other languages
//! none.

use std::sync::LazyLock;

use crate::word_list::{WordList, words};

/// Question words.
pub(crate) static ASKING: WordList = LazyLock::new(|| {
    words(
        "who what when where which why how whose whom wer was wann wo wovon womit wodurch worin wozu wohin woher woraus welche welcher welches welchen welchem warum wieso wie wessen wem wen \
        qui que quoi quel quelle quels quelles quand où pourquoi comment combien quién quiénes qué cuándo dónde cuál cuáles cómo cuánto \
        cuántos cuánta cuántas кто что какой какая какое какие какого каких какими какую кого кому чем где когда почему сколько как",
    )
});
/// Words that join two questions.
pub(super) static JOINING: WordList = LazyLock::new(|| words("and und sowie et y e or oder ou o"));
/// Prepositions that may come before a question word.
pub(super) static BEFORE_ASKING: WordList = LazyLock::new(|| {
    words("in on by for from to of at with von mit in aus für zu de à en par pour por para con desde")
});
/// Relative pronouns: they begin a description of the noun before them.
pub(super) static RELATIVE: WordList = LazyLock::new(|| {
    words(
        "that which who whom whose where der die das dessen deren den dem welche welcher welches qui que dont où lequel cuyo cuya quien donde",
    )
});
/// Genitive words between a thing and its owner.
pub(super) static OF: WordList = LazyLock::new(|| words("of von des der de du del"));
/// Words that compare, if two things are named.
pub(super) static COMPARING: WordList = LazyLock::new(|| {
    words(
        "both same either first earlier later older younger larger bigger smaller longer shorter higher more less most better beide gleiche \
        gleichen selbe selben zuerst früher später älter jünger größer kleiner länger höher mehr deux même mêmes premier avant plus moins \
        ambos ambas mismo misma primero antes más menos mayor menor",
    )
});
/// First words of a yes-or-no question.
pub(super) static AUXILIARY: WordList = LazyLock::new(|| {
    words(
        "is are was were do does did has have had can could will would should may must ist sind war waren hat haben kann können wird wurde \
        darf muss est sont était peut doit est-ce es son fue fueron puede tiene hay",
    )
});
/// Words that ask for all things of a kind.
pub(super) static ALL: WordList = LazyLock::new(|| {
    words(
        "list enumerate name all every each nenne liste alle sämtliche énumère liste tous toutes lista enumera todos todas",
    )
});
/// Words that ask for a history.
pub(super) static TIMELINE: WordList = LazyLock::new(|| {
    words(
        "timeline history chronology chronological evolution zeitleiste geschichte chronologie historique cronología historia verlauf",
    )
});
/// Words that ask for an explanation.
pub(super) static EXPLAINING: WordList = LazyLock::new(|| {
    words("why explain explains warum weshalb wieso erkläre erklären pourquoi explique expliquer explica explicar")
});
/// Pronouns and the like that refer to something named before.
pub(crate) static POINTING: WordList = LazyLock::new(|| {
    words(
        "it its itself they their theirs them he his him she her hers this these those former latter same er ihn ihm ihr ihre ihrer ihren ihrem \
        sein seine seiner deren dessen dies diese dieser dieses dabei dafür davon daran il elle ils elles lui leur leurs cet cette ces celui \
        celle él ella ellos ellas su sus este esta estos estas ese esa eso",
    )
});
/// Words that ask for a comprehensive answer.
pub(super) static DEMANDING: WordList = LazyLock::new(|| {
    words(
        "comprehensive thorough survey overview detailed trade-offs tradeoffs umfassend überblick ausführlich exhaustive complet détaillé \
        exhaustivo completo detallado",
    )
});
/// Openings of a how-to question.
pub(super) const HOW_TO: [&str; 13] = [
    "how to ",
    "how do i ",
    "how do you ",
    "how do we ",
    "how can i ",
    "how can one ",
    "how can we ",
    "wie kann ",
    "wie lässt sich ",
    "comment faire ",
    "comment peut",
    "cómo se ",
    "cómo puedo ",
];
/// Nouns of a question that do not name a thing themselves.
pub(super) static NAMELESS: WordList = LazyLock::new(|| {
    words(
        "name names title kind type number part one member example lautet heißt nennt namens art teil beispiel tipo nombre llama nom appelle \
        sorte genre",
    )
});
