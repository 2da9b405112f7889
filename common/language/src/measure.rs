//! What a figure measures: money, time, area; by its unit in a text, and by the words that ask for it.

use std::sync::LazyLock;

use super::detect::detect;
use super::script::is_unspaced;
use super::table::{Row, Table};
use super::tag::Language::{self, *};
use super::unit::{currency, leading_unit, unit};

/// What a figure measures, as far as a question says which units it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// An amount of money.
    Money,
    /// A time that something lasts, or an age.
    Duration,
    /// A distance.
    Length,
    /// A size of ground.
    Area,
    /// A weight.
    Mass,
    /// A temperature.
    Temperature,
}

use Measure::{Area, Duration, Length, Mass, Money, Temperature};

/// Words that name what is measured, in lower case. They ask for it, and a figure beside them needs no unit: `Fee: 40`.
const WORDS: [Row<Measure>; 36] = [
    (
        En,
        Money,
        "cost costs price prices rates fare fares tariff tariffs fee fees rent salary salaries wage wages earn earns paid pay pays charge charged",
    ),
    (En, Duration, "time old age aged"),
    (En, Area, "area acreage"),
    (En, Mass, "weigh weighs weight heavy"),
    (En, Length, "tall height width depth distance length"),
    (En, Temperature, "temperature"),
    (
        De,
        Money,
        "kostet kosten preis preise tarif tarife gebühr gebühren miete gehalt lohn verdient bezahlt zahlt zahlen beitrag eintritt teuer",
    ),
    (De, Duration, "zeit alt alter"),
    (De, Area, "fläche wohnfläche grundfläche"),
    (De, Mass, "wiegt wiegen gewicht schwer"),
    (De, Length, "höhe breite tiefe entfernung länge"),
    (De, Temperature, "temperatur"),
    (Fr, Money, "coûte coûtent coût prix tarif loyer salaire frais payer paie"),
    (Fr, Duration, "temps âge"),
    (Fr, Area, "superficie surface"),
    (Fr, Mass, "pèse poids"),
    (Fr, Temperature, "température"),
    (Es, Money, "cuesta cuestan precio costo coste tarifa alquiler salario pagar paga"),
    (Es, Duration, "tiempo edad"),
    (Es, Area, "superficie área"),
    (Es, Mass, "pesa peso"),
    (It, Money, "costa costano prezzo costo tariffa affitto stipendio"),
    (It, Area, "superficie"),
    (Pt, Money, "custa custam preço custo tarifa aluguel salário"),
    (Pt, Area, "área"),
    (Nl, Money, "kost kosten prijs huur salaris"),
    (Nl, Area, "oppervlakte"),
    (Pl, Money, "kosztuje cena opłata czynsz"),
    (Pl, Area, "powierzchnia"),
    (Ru, Money, "стоит стоимость цена плата зарплата"),
    (Ru, Area, "площадь"),
    (Uk, Money, "коштує вартість ціна плата"),
    (Uk, Area, "площа"),
    (Zh, Money, "多少钱 价格 费用 票价 租金"),
    (Zh, Area, "面积"),
    (Ja, Area, "面積"),
];

static WORD_TABLE: LazyLock<Table<Measure>> = LazyLock::new(|| Table::new(WORDS));

/// Phrases that ask for a number of things, whatever else the question says of them.
const COUNTING: [Row<()>; 9] = [
    (En, (), "how_many how_few number_of"),
    (De, (), "wie_viele wieviele anzahl_der anzahl_von zahl_der"),
    (Fr, (), "combien_de combien_d nombre_de"),
    (Es, (), "cuántos cuántas número_de"),
    (It, (), "quanti quante numero_di"),
    (Pt, (), "quantos quantas número_de"),
    (Nl, (), "hoeveel aantal"),
    (Sv, (), "hur_många antal"),
    (Da, (), "hvor_mange antal"),
];

static COUNTING_TABLE: LazyLock<Table<()>> = LazyLock::new(|| Table::new(COUNTING));

/// Whether `question` asks for a number of things: "How many rooms?".
pub fn asks_for_count(question: &str) -> bool {
    !COUNTING_TABLE.find_in(question, detect(question).known).is_empty()
}

/// Whether `word`, as written in a text of `language`, is the unit of a measure: `days`, `km`, `€`.
pub fn is_measuring_unit(word: &str, language: Option<Language>) -> bool {
    unit(word, language).is_some_and(|name| of_unit(name).is_some())
}

/// Whether `word`, as written in a text of `language`, is a unit of `measure`.
pub fn is_unit_of(word: &str, measure: Measure, language: Option<Language>) -> bool {
    // The common name of a period is its English singular.
    unit(word, language).and_then(of_unit).or_else(|| of_unit(&word.to_lowercase())) == Some(measure)
}

/// What the figure that `question` asks for measures; `None` if its words do not say, say several, or ask for a number of things.
pub fn asked_measure(question: &str) -> Option<Measure> {
    if asks_for_count(question) {
        return None;
    }
    let found = WORD_TABLE.find_in(question, detect(question).known);
    let first = found.first()?.value;
    found.iter().all(|word| word.value == first).then_some(first)
}

/// Whether `text` has a unit of `measure`, or a word that names what is measured.
pub fn is_measured(text: &str, measure: Measure) -> bool {
    let language = detect(text).known;
    let is_own = |name: &str| of_unit(name) == Some(measure);
    let by_sign = || text.chars().any(|c| currency(c.encode_utf8(&mut [0; 4])).is_some_and(is_own));
    let words =
        || text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';' | ':' | '/' | '.' | '|'));
    let is_named = |word: &str| {
        let bare = word.trim_start_matches(|c: char| c.is_ascii_digit() || !c.is_alphanumeric() && c != '°');
        unit(bare, language).is_some_and(is_own)
    };
    let by_piece = || {
        let places = text.char_indices().filter(|(_, c)| is_unspaced(*c));
        places.into_iter().any(|(at, _)| leading_unit(&text[at..]).is_some_and(|(name, _)| is_own(name)))
    };
    by_sign()
        || words().any(is_named)
        || by_piece()
        || WORD_TABLE.find_in(text, language).iter().any(|word| word.value == measure)
}

/// What the unit with this common name measures; `None` for a share, a speed of data, power.
fn of_unit(name: &str) -> Option<Measure> {
    if currency(name).is_some() {
        return Some(Money);
    }
    match name {
        "s" | "min" | "h" | "day" | "week" | "month" | "year" | "decade" | "century" => Some(Duration),
        "km" | "m" | "cm" | "mm" | "mile" | "foot" => Some(Length),
        "acre" | "hectare" | "km²" | "m²" => Some(Area),
        "kg" | "g" | "mg" | "t" => Some(Mass),
        "°C" | "°F" => Some(Temperature),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_says_what_its_figure_measures() {
        for (question, measure) in [
            ("How much does the pump cost?", Some(Money)),
            ("Was kostet die Karte?", Some(Money)),
            ("Combien coûte le billet ?", Some(Money)),
            ("What is the floor area of the house?", Some(Area)),
            ("How old is the warden?", Some(Duration)),
            ("How much does the parcel weigh?", Some(Mass)),
            ("How much snow fell?", None),
            ("What is the price per area?", None),
            ("How many members pay a fee?", None),
            ("", None),
        ] {
            assert_eq!(asked_measure(question), measure, "{question}");
        }
    }

    #[test]
    fn a_question_for_a_number_of_things_has_no_measure() {
        for (question, want) in [
            ("How many rooms are there?", true),
            ("minimum number of letters in a name?", true),
            ("Wie viele Stimmen braucht sie?", true),
            ("How long is the bridge?", false),
            ("", false),
        ] {
            assert_eq!(asks_for_count(question), want, "{question}");
        }
        assert!(is_measuring_unit("days", None) && is_measuring_unit("€", None) && !is_measuring_unit("%", None));
    }

    #[test]
    fn a_text_is_measured_by_units_or_the_measured_word() {
        for (text, measure, want) in [
            ("Tickets are $12 each.", Money, true),
            ("Die Karte ist für 12 € zu haben.", Money, true),
            ("每张四十元", Money, true),
            ("Fee: 40", Money, true),
            ("Never run it for more than 30 seconds.", Money, false),
            ("It was closed for 30 days.", Duration, true),
            ("The rooms have 120 m² in all.", Area, true),
            ("Leave 120mm behind the motor.", Length, true),
            ("It cools below 45 °C.", Temperature, true),
            ("", Mass, false),
        ] {
            assert_eq!(is_measured(text, measure), want, "{text}");
        }
    }
}
