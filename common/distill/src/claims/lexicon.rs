//! Words that decide claim checks, merged over languages; kept short on purpose.

use std::sync::LazyLock;

use crate::word_list::{WordList, words};

/// Negations, lower case: English, German, French, Spanish, Italian, Dutch, Polish, Czech, Portuguese, Russian.
static NEGATIONS: WordList = LazyLock::new(|| {
    words(
        "not no never none nor neither nobody nothing nowhere without cannot \
        nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne weder \
        ne pas jamais sans aucun aucune ni nul nulle rien \
        nunca sin ningún ninguna ninguno nadie nada tampoco jamás \
        non senza nessun nessuno nessuna né \
        niet geen nooit zonder niemand niets \
        nie nigdy żaden żadna żadne nikt ani bez \
        ne není nejsou nikdy žádný žádná žádné nikdo ani bez \
        não nenhum nenhuma sem ninguém \
        не нет ни никто никогда ничто без",
    )
});

/// Universal words: without exception, or with exactly one ("only").
static UNIVERSAL: WordList = LazyLock::new(|| {
    words(
        "all always every everyone everybody everything entire entirely completely only exclusively solely \
        alle allen immer jeder jede jedes sämtliche stets ausschließlich nur \
        tous toutes toujours chaque uniquement seulement todos todas siempre cada únicamente solo solamente",
    )
});

/// Words that limit a sentence to some or to a possibility; without them it claims more.
static HEDGES: WordList = LazyLock::new(|| {
    words(
        "some few several many often sometimes usually may might could possibly probably perhaps unless except only exclusively \
        solely einige manche mehrere oft manchmal meist könnte könnten möglicherweise vielleicht wahrscheinlich nur ausschließlich außer \
        certains certaines plusieurs souvent parfois pourrait peut seulement uniquement sauf algunos algunas varios varias podría \
        puede quizás solo solamente únicamente salvo",
    )
});

/// Months and days of the week, lower case.
static CALENDAR: WordList = LazyLock::new(|| {
    words(
        "january february march april may june july august september october november december \
        monday tuesday wednesday thursday friday saturday sunday \
        januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag \
        janvier février mars avril juin juillet août septembre octobre novembre décembre \
        lundi mardi mercredi jeudi vendredi samedi dimanche \
        enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre \
        lunes martes miércoles jueves viernes sábado domingo",
    )
});

/// Calendar words that mean something else without a capital.
const ONLY_WITH_CAPITAL: [&str; 5] = ["may", "march", "mars", "august", "mai"];

/// Units and scales, lower case; the first of each row is the common name.
const UNITS: [&[&str]; 36] = [
    &["%", "percent", "prozent", "pourcent"],
    &["€", "eur", "euro", "euros"],
    &["$", "usd", "dollar", "dollars"],
    &["£", "gbp"],
    &["¥", "jpy", "yen"],
    &["chf", "franken", "francs"],
    &["km", "kilometre", "kilometres", "kilometer", "kilometers"],
    &["metre", "metres", "meter", "meters", "mètres", "metros"],
    &["cm", "centimetres", "centimeters", "zentimeter"],
    &["mm", "millimetres", "millimeters", "millimeter"],
    &["mile", "miles"],
    &["foot", "feet"],
    &["acre", "acres"],
    &["hectare", "hectares", "hektar"],
    &["kg", "kilogram", "kilograms", "kilogramm"],
    &["gram", "grams", "gramm"],
    &["mg", "milligram", "milligrams", "milligramm"],
    &["tonne", "tonnes", "tons", "tonnen"],
    &["litre", "litres", "liter", "liters"],
    &["ml", "millilitres", "milliliters", "milliliter"],
    &["second", "seconds", "sekunde", "sekunden", "secondes", "segundos"],
    &["minute", "minutes", "minuten", "minutos"],
    &["hour", "hours", "stunde", "stunden", "heures", "horas"],
    &["day", "days", "tag", "tage", "tagen", "jours", "jour", "días", "día"],
    &["week", "weeks", "woche", "wochen", "semaines", "semaine", "semanas", "semana"],
    &["month", "months", "monat", "monate", "monaten", "mois", "meses", "mes"],
    &["year", "years", "jahr", "jahre", "jahren", "ans", "années", "años", "año"],
    &["decade", "decades", "jahrzehnt", "jahrzehnte", "décennies", "décadas"],
    &["century", "centuries", "jahrhundert", "jahrhunderte", "siècle", "siècles", "siglo", "siglos"],
    &["hundred", "hundreds", "hundert", "cent", "cien"],
    &["thousand", "thousands", "tausend", "mille", "mil"],
    &["million", "millions", "millionen", "millón", "millones"],
    &["billion", "billions", "milliarde", "milliarden", "milliard", "milliards"],
    &["trillion", "trillions", "billionen", "billones"],
    &["celsius"],
    &["fahrenheit"],
];

/// Whether `key` is a negation.
pub(super) fn negates(key: &str) -> bool {
    NEGATIONS.contains(key)
}

/// Whether `key` is a universal word.
pub(super) fn is_universal(key: &str) -> bool {
    UNIVERSAL.contains(key)
}

/// Whether `key` is a limiting word.
pub(super) fn hedges(key: &str) -> bool {
    HEDGES.contains(key)
}

/// Whether `key` is a month or a day of the week.
pub(super) fn is_calendar(key: &str, with_capital: bool) -> bool {
    CALENDAR.contains(key) && (with_capital || !ONLY_WITH_CAPITAL.contains(&key))
}

/// The common name of a unit or scale.
pub(super) fn unit(key: &str) -> Option<&'static str> {
    UNITS.iter().find(|names| names.contains(&key)).map(|names| names[0])
}
