//! Words that shape a question: what joins and opens its parts, and what it asks to be done.

use super::sets::{phrase_sets, stem_sets, word_sets};
use super::tag::Language::{self, *};

/// Whether a comma may begin a question inside a sentence of `language`: "Wie wird bestimmt, wer zahlt?". In the others it stands between
/// questions only.
#[must_use]
pub fn commas_open_inner_questions(language: Language) -> bool {
    !matches!(language, En | Fr | Es | It | Pt | Sv)
}

word_sets! {
    /// Whether `word` joins two questions.
    joins_questions: [
        (En, "and or"), (De, "und sowie oder"), (Fr, "et ou"), (Es, "y e o"), (It, "oppure"), (Pl, "oraz lub"),
        (Cs, "nebo"),
        (Sv, "och eller"), (Da, "og"), (Ru, "и или"), (Uk, "і та або"), (Tr, "ve veya"), (El, "και ή"),
    ];
    /// Whether `word` may come before a question word.
    goes_before_asking: [
        (En, "in on by for from to of at with"), (De, "von mit in aus für zu"), (Fr, "de à en par pour"),
        (Es, "por para con desde"),
        (Nl, "met voor uit"), (Pl, "w z dla"), (Cs, "ve pro"), (Sv, "med från"), (Da, "til fra"), (Ru, "в с для из"),
        (Uk, "у з для"),
    ];
    /// Whether `word` begins a description of the noun before it.
    is_relative: [
        (En, "that which who whom whose where"), (De, "der die das dessen deren den dem welche welcher welches"),
        (Fr, "qui que dont où lequel"), (Es, "cuyo cuya quien donde"),
    ];
    /// Whether `word` begins a description of the noun before it without a comma.
    is_relative_without_comma: [(En, "that which who whom whose where"), (Fr, "qui que dont"), (Es, "cuyo cuya")];
    /// Whether `word` is a pronoun for a thing, never for a person.
    means_thing: [(En, "it its"), (De, "es")];
    /// Whether `word` stands between a thing and its owner.
    is_of: [(En, "of"), (De, "von des der"), (Fr, "de du"), (Es, "de del"), (Nl, "van")];
    /// Whether `word` compares, where two things are named.
    compares_named: [
        (En, "both same either first earlier later older younger larger bigger smaller longer shorter higher more less most better"),
        (De, "beide gleiche gleichen selbe selben zuerst früher später älter jünger größer kleiner länger höher mehr"),
        (Fr, "deux même mêmes premier avant plus moins"),
        (Es, "ambos ambas mismo misma primero antes más menos mayor menor"),
        (It, "entrambi stesso stessa maggiore minore"), (Pt, "ambos mesmo mesma maior menor"),
        (Nl, "beide zelfde eerder later ouder jonger groter kleiner"),
        (Pl, "oba obie starszy młodszy większy mniejszy"), (Sv, "båda samma äldre yngre större mindre"),
        (Da, "begge samme ældre yngre større mindre"),
        (Ru, "оба обе старше младше больше меньше"), (Uk, "обидва обидві старший молодший більше менше"),
    ];
    /// Whether `word` opens a question that is answered by yes or no.
    opens_yes_or_no: [
        (En, "is are was were do does did has have had can could will would should may must"),
        (De, "ist sind war waren hat haben kann können wird wurde darf muss"), (Fr, "est sont était peut doit est-ce"),
        (Es, "es son fue fueron puede tiene hay"), (It, "è sono può deve"), (Pt, "é são pode deve há"),
        (Nl, "is zijn heeft kan mag moet wordt"),
        (Pl, "czy"), (Sv, "är har kan får måste"), (Da, "er har kan må skal"), (Uk, "чи"), (Ar, "هل"), (Hi, "क्या"),
        (El, "είναι μπορεί"),
    ];
    /// Whether `word` asks for all things of a kind.
    asks_for_all: [
        (En, "list enumerate name all every each"), (De, "nenne liste alle sämtliche"),
        (Fr, "énumère liste tous toutes"),
        (Es, "lista enumera todos todas"), (It, "elenca tutti tutte"), (Pt, "liste enumere todos todas"),
        (Nl, "noem alle"), (Pl, "wymień wszystkie"),
        (Cs, "vyjmenuj všechny"), (Sv, "lista alla"), (Da, "nævn alle"), (Ru, "перечисли перечислите все"),
        (Uk, "перелічи всі"), (Tr, "listele tüm"),
    ];
    /// Whether `word` asks for an explanation.
    asks_to_explain: [
        (En, "why explain explains"), (De, "warum weshalb wieso erkläre erklären"),
        (Fr, "pourquoi explique expliquer"), (Es, "explica explicar"),
        (It, "perché spiega spiegare"), (Pt, "explique explicar"), (Nl, "waarom leg verklaar"),
        (Pl, "dlaczego wyjaśnij"), (Cs, "proč vysvětli"),
        (Sv, "varför förklara"), (Da, "hvorfor forklar"), (Ru, "почему объясни объясните"), (Uk, "чому поясни"),
        (Tr, "neden açıkla"), (El, "γιατί εξήγησε"),
    ];
    /// Whether `word` refers to something named before.
    points_back: [
        (En, "it its itself they their theirs them he his him she her hers this these those former latter same"),
        (
            De,
            "er ihn ihm ihr ihre ihrer ihren ihrem sein seine seiner deren dessen dies diese dieser dieses dabei dafür davon daran",
        ),
        (Fr, "il elle ils elles lui leur leurs cet cette ces celui celle"),
        (Es, "él ella ellos ellas su sus este esta estos estas ese esa eso"),
        (It, "esso essa lui lei loro questo questa quello quella suo sua"),
        (Pt, "ele ela eles elas seu sua esse essa isso"),
        (Nl, "hij zij haar hun deze dit"), (Pl, "ona oni jego jej"), (Cs, "ono jeho její jejich tento tato toto"),
        (Sv, "hans hennes deras denna detta"), (Da, "hans hendes deres denne dette"),
        (Ru, "он она оно они его её ее их это этот эта"),
        (Uk, "він вона воно вони його її їх це цей ця"), (Tr, "bu onun onlar bunun"),
        (El, "αυτός αυτή αυτό του της τους"),
    ];
    /// Whether `word` asks for a comprehensive answer.
    asks_for_much: [
        (En, "comprehensive thorough survey overview detailed trade-offs tradeoffs"),
        (De, "umfassend überblick ausführlich"),
        (Fr, "exhaustive complet détaillé"), (Es, "exhaustivo completo detallado"),
        (It, "esaustivo dettagliato panoramica"), (Pt, "exaustivo detalhado"),
        (Nl, "uitgebreid overzicht"), (Pl, "szczegółowy przegląd"), (Sv, "utförlig översikt"),
        (Da, "udførlig oversigt"), (Ru, "подробный обзор"),
    ];
    /// Whether `word` is a noun of a question that names nothing itself.
    is_nameless: [
        (En, "name names title kind type number part one member example"),
        (De, "lautet heißt nennt namens art teil beispiel"),
        (Es, "tipo nombre llama"), (Fr, "nom appelle sorte genre"), (It, "nome tipo titolo"),
        (Pt, "nome tipo título"), (Nl, "naam soort deel"),
    ];
    /// Whether `word` only asks and says nothing of what is asked.
    only_asks: [
        (
            En,
            "main mainly know should explain describe described describes tell give given list important use used work works kind kinds type \
            types many much way ways mean means said says say happen happened happens different find get make made support supports",
        ),
        (De, "welche welcher welches welchen beschreibe erkläre wichtigsten wichtig bedeutet funktioniert"),
        (Fr, "quelles quelle principales principaux comment pourquoi"), (Es, "cuáles cómo"),
    ];
    /// Whether `word` only asks beside a version: what stands below the heading `2.4.0` seldom says that it changed or is new.
    asks_for_release: [
        (En, "version versions release releases released change changes changed new come came news"),
        (De, "neu neue neues neuerungen änderung änderungen geändert ändert erschienen erschien veröffentlicht"),
        (Fr, "nouveau nouveautés changé changements sortie publiée"),
        (Es, "nuevo novedades cambió cambios versión publicó"),
        (It, "versione novità cambiato rilasciata"), (Pt, "versão novidades mudou"),
        (Nl, "versie nieuw wijzigingen gewijzigd"),
        (Ru, "версия версии изменения изменилось новое"),
    ];
    /// Whether `word` is a verb that asks what a document says.
    asks_what_it_says: [
        (
            En,
            "propose proposes specify specifies define defines introduce introduces cover covers change changes add adds standardize standardizes \
            state states recommend recommends summarize summarise summary outline overview",
        ),
        (De, "regelt definiert vorschlägt schlägt enthält zusammen zusammenfassen fasse"),
        (Es, "propone define resume resumir"),
        (Fr, "propose définit décrit résume résumer résumez"), (It, "propone definisce riassumi"),
        (Nl, "bepaalt samenvatten"),
    ];
}

phrase_sets! {
    /// Whether `clause`, in lower case, has a joint that makes a question for what something is one for something about it.
    has_joint: [(En, "_of_"), (De, "_von_"), (Fr, "_de_")];
}

/// Whether `question`, in lower case and without marks before it, opens like one for how to do something.
pub fn opens_how_to(question: &str) -> bool {
    const OPENINGS: [&str; 13] = [
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
    OPENINGS.iter().any(|opening| question.starts_with(opening))
}

/// Whether `question`, in lower case and without marks before it, opens like one for all things of a kind.
pub fn opens_enumeration(question: &str) -> bool {
    question.starts_with("which are ") || question.starts_with("what are the ")
}

/// Whether `question`, in lower case and without marks before it, opens like one for an explanation.
pub fn opens_explanation(question: &str) -> bool {
    question.starts_with("how do") || question.starts_with("por qué")
}

stem_sets! {
    /// Whether `word` begins like one that compares.
    compares_by_stem: [
        (En, "compar contrast differ diff versus"), (De, "vergleich unterschied unterscheid"), (Es, "diferen"),
        (Nl, "vergelijk verschil"),
        (Pl, "porówn różni"), (Sv, "jämför skillnad"), (Da, "sammenlign forskel"), (Ru, "сравн отлич разниц"),
        (Uk, "порівн відмінн різниц"),
        (Tr, "karşılaştır fark"), (El, "σύγκρι συγκρί διαφορ"),
    ];
}
