//! Tests on labelled pairs of quotes from two documents, each with the kind of value they differ on, if any.
//!
//! The pairs are made up; half of them are no disagreement, and some disagreements are beyond the rules.

use precis_proto::research::ValueKind;
use precis_proto::response::Citation;
use precis_proto::source::ContentRef;
use precis_proto::{CharRange, Locator, SourceId};

use super::told_disagreements;

const NUMBER: Option<ValueKind> = Some(ValueKind::Number);
const DATE: Option<ValueKind> = Some(ValueKind::Date);
const VERSION: Option<ValueKind> = Some(ValueKind::Version);
const STATUS: Option<ValueKind> = Some(ValueKind::Status);
const TIME: Option<ValueKind> = Some(ValueKind::Time);
const DENIED: Option<ValueKind> = Some(ValueKind::Contradiction);

/// Two titles, each with its quote, and the kind of value they differ on.
type Pair = ([&'static str; 2], [&'static str; 2], Option<ValueKind>);

const ANY: [&str; 2] = ["a.pdf", "b.pdf"];
const PEP: [&str; 2] = ["PEP 8 – Style Guide", "PEP 8 – Style Guide"];

/// The pairs that differ.
const DIFFERING: [Pair; 50] = [
    (ANY, ["Three people were injured in the fire.", "Five people were injured in the fire."], NUMBER),
    (ANY, ["Three people were injured in the fire.", "5 people were injured in the fire."], NUMBER),
    (ANY, ["Bei dem Brand wurden drei Personen verletzt.", "Bei dem Brand wurden fünf Personen verletzt."], NUMBER),
    (ANY, ["L’incendie a blessé trois personnes.", "L’incendie a blessé cinq personnes."], NUMBER),
    (ANY, ["El incendio hirió a tres personas.", "El incendio hirió a cinco personas."], NUMBER),
    (ANY, ["L'incendio ha ferito tre persone.", "L'incendio ha ferito cinque persone."], NUMBER),
    (ANY, ["O incêndio feriu três pessoas.", "O incêndio feriu cinco pessoas."], NUMBER),
    (ANY, ["火灾造成三人受伤。", "火灾造成五人受伤。"], NUMBER),
    (ANY, ["火事で三人が負傷した。", "火事で五人が負傷した。"], NUMBER),
    (ANY, ["The ferry office opens at 8:30.", "The ferry office opens at 9:00."], TIME),
    (ANY, ["Das Fährbüro öffnet um 8:30 Uhr.", "Das Fährbüro öffnet um 9:00 Uhr."], TIME),
    (ANY, ["Smoking is allowed on the balcony.", "Smoking is not allowed on the balcony."], DENIED),
    (ANY, ["Dogs may enter the hall.", "Dogs may not enter the hall."], DENIED),
    (ANY, ["Rauchen ist auf dem Balkon erlaubt.", "Rauchen ist auf dem Balkon verboten."], DENIED),
    (ANY, ["Les chiens sont autorisés dans le parc.", "Les chiens sont interdits dans le parc."], DENIED),
    (ANY, ["Los perros están permitidos en el parque.", "Los perros están prohibidos en el parque."], DENIED),
    (ANY, ["The penalty cap is 5 % of the price.", "The penalty cap is 10 % of the price."], NUMBER),
    (ANY, ["Der Turm von Brem ist 300 m hoch.", "Der Turm von Brem ist 324 m hoch."], NUMBER),
    (ANY, ["La presa contiene 3 millones de litros.", "La presa contiene 5 millones de litros."], NUMBER),
    (ANY, ["Nordwerk was founded in 1990.", "Nordwerk was founded in 1992."], DATE),
    (ANY, ["Nordwerk was founded on 3 May 1990.", "Nordwerk was founded in 1992."], DATE),
    (ANY, ["The Brem Bridge was opened on 3 May 1932.", "The Brem Bridge was opened on June 3, 1932."], DATE),
    (ANY, ["Ann Lee was born on 1 April 1950.", "Ann Lee was born on 1950-04-02."], DATE),
    (
        ANY,
        [
            "Das Gesetz über Wasserrechte tritt am 1. Mai 2020 in Kraft.",
            "Das Gesetz über Wasserrechte tritt am 1. Juni 2020 in Kraft.",
        ],
        DATE,
    ),
    (ANY, ["Die Hafenbrücke Brem wurde 1932 eröffnet.", "Die Hafenbrücke Brem wurde 1934 eröffnet."], DATE),
    (ANY, ["Le traité de Lyon a été signé le 3 mars 2001.", "Le traité de Lyon a été signé le 5 mars 2001."], DATE),
    (
        ANY,
        [
            "El puente de Brem fue inaugurado el 5 de julio de 2001.",
            "El puente de Brem fue inaugurado el 6 de julio de 2001.",
        ],
        DATE,
    ),
    (ANY, ["该公司成立于2001年7月5日。", "该公司成立于2002年7月5日。"], DATE),
    (ANY, ["PEP 8 was created on 5 July 2001.", "PEP 8 was created on 6 July 2001."], DATE),
    (PEP, ["Created: 05-Jul-2001", "Created: 06-Jul-2001"], DATE),
    (["PEP 8 – Style Guide", "b.pdf"], ["Created: 05-Jul-2001", "PEP 8 was created on 6 July 2001."], DATE),
    (
        ANY,
        ["The harbour bridge opened in the spring of 1932.", "It was 1934 before anybody crossed the harbour bridge."],
        DATE,
    ),
    (ANY, ["The current version of Brem is 3.11.", "The current version of Brem is 3.12."], VERSION),
    (ANY, ["Brem requires Python version 3.8.", "Brem requires Python version 3.9."], VERSION),
    (ANY, ["The billing server runs v2.0.1.", "The billing server runs v2.1.0."], VERSION),
    (ANY, ["Die aktuelle Version von Brem ist 4.", "Die aktuelle Version von Brem ist 5."], VERSION),
    (ANY, ["La version actuelle de Brem est 2.4.", "La version actuelle de Brem est 2.5."], VERSION),
    (ANY, ["La versión actual de Brem es 2.4.", "La versión actual de Brem es 2.5."], VERSION),
    (PEP, ["Python-Version: 3.9", "Python-Version: 3.10"], VERSION),
    (ANY, ["Brem is now at 3.12.", "The newest Brem is 3.11."], VERSION),
    (PEP, ["Status: Final", "Status: Draft"], STATUS),
    (PEP, ["Status: Final Type: Process", "Status: Active Type: Process"], STATUS),
    (["PEP 8 – Style Guide", "b.pdf"], ["Status: Final", "PEP 8 is superseded."], STATUS),
    (ANY, ["PEP 8 is a draft.", "PEP 8 is accepted."], STATUS),
    (ANY, ["The status of PEP 8 is Draft.", "PEP 8 is withdrawn."], STATUS),
    (ANY, ["The water rights act is in force.", "The water rights act is repealed."], STATUS),
    (ANY, ["Der Pachtvertrag Nordwerk ist gültig.", "Der Pachtvertrag Nordwerk ist gekündigt."], STATUS),
    (ANY, ["La loi sur l’eau est en vigueur.", "La loi sur l’eau est abrogée."], STATUS),
    (ANY, ["El decreto de aguas está vigente.", "El decreto de aguas está derogado."], STATUS),
    (ANY, ["The water rights act applies to this day.", "The water rights act was struck down."], STATUS),
];

/// The pairs that do not.
const AGREEING: [Pair; 42] = [
    (ANY, ["Three people were injured in the fire.", "3 people were injured in the fire."], None),
    (ANY, ["Twenty three people were injured in the fire.", "Five people were injured in the fire."], None),
    (ANY, ["Two to three people were injured in the fire.", "Five people were injured in the fire."], None),
    (ANY, ["The ferry office opens at 9:00 am.", "The ferry office opens at 9:00."], None),
    (ANY, ["The ferry office opens at 8:30 on Sundays.", "The ferry office opens at 9:00 on all other days."], None),
    (ANY, ["Smoking is not allowed on the balcony.", "Smoking is forbidden on the balcony."], None),
    (ANY, ["Smoking is allowed on the balcony.", "Smoking is not allowed in the rooms."], None),
    (
        ["Rules of Hotel Brem", "Rules of Hotel Holm"],
        ["Smoking is allowed on the balcony.", "Smoking is not allowed on the balcony."],
        None,
    ),
    (ANY, ["The penalty cap is 5 % of the price.", "The penalty cap is 5.0 percent of the price."], None),
    (ANY, ["The penalty cap was 5 % of the price.", "The penalty cap is 10 % of the price."], None),
    (ANY, ["The plant in Kiel employs 300 people.", "The plant in Bonn employs 340 people."], None),
    (ANY, ["Nordwerk was founded in 1990.", "Nordwerk was founded on 3 May 1990."], None),
    (ANY, ["Nordwerk was founded in 1990.", "Nordwerk was dissolved in 1992."], None),
    (ANY, ["Nordwerk was founded in 1990.", "Südwerk was founded in 1992."], None),
    (ANY, ["The board met on 3 May 2019.", "The board met on 7 June 2019."], None),
    (ANY, ["The contract was signed on 3 May 2019.", "The contract was signed on 7 June 2019."], None),
    (
        ANY,
        ["Der Vertrag wurde am 3. Mai 2019 unterzeichnet.", "Der Vertrag wurde am 7. Juni 2019 unterzeichnet."],
        None,
    ),
    (ANY, ["The Brem Bridge was completed before 1932.", "The Brem Bridge was completed before 1940."], None),
    (ANY, ["The Brem Bridge was opened around 1932.", "The Brem Bridge was opened in 1934."], None),
    (ANY, ["The Brem Bridge was opened on 05/07/2001.", "The Brem Bridge was opened on 2001-07-06."], None),
    (ANY, ["The Brem Bridge will be opened in 2030.", "The Brem Bridge was opened in 2029."], None),
    (
        ANY,
        [
            "The north span of the Brem Bridge was opened in 1932.",
            "The south span of the Brem Bridge was opened in 1934.",
        ],
        None,
    ),
    (["Minutes", "Minutes"], ["Created: 05-Jul-2001", "Created: 06-Aug-2001"], None),
    (PEP, ["Created: 05-Jul-2001", "Created: 2001-07-05"], None),
    (PEP, ["Created: 05-Jul-2001", "Published: 06-Jul-2001"], None),
    (["PEP 8 – Style Guide", "PEP 9 – Sample"], ["Created: 05-Jul-2001", "Created: 14-Aug-2001"], None),
    (ANY, ["Version 1.0 of Brem was released in 2001.", "Version 2.0 of Brem was released in 2005."], None),
    (ANY, ["Brem supports Python version 3.8.", "Brem supports Python version 3.9."], None),
    (ANY, ["The current version of Brem is 3.11.", "The current version of Brem is 3.11.2."], None),
    (ANY, ["The current version of Brem is 3.11.", "The current version of Holm is 3.12."], None),
    (ANY, ["Version 2.0 is stable.", "Version 3.0 is stable."], None),
    (ANY, ["Brem 1 requires Python version 3.8.", "Brem 2 requires Python version 3.9."], None),
    (["PEP 8 – Style Guide", "PEP 9 – Sample"], ["Status: Final", "Status: Draft"], None),
    (["Minutes", "Minutes"], ["Status: Final", "Status: Draft"], None),
    (ANY, ["PEP 8 was proposed.", "PEP 8 is accepted."], None),
    (ANY, ["PEP 8 is accepted.", "PEP 8 is final."], None),
    (ANY, ["PEP 8 is a draft.", "PEP 9 is accepted."], None),
    (ANY, ["PEP 8 is not accepted.", "PEP 8 is rejected."], None),
    (ANY, ["It is accepted.", "It is rejected."], None),
    (ANY, ["The offer of Nordwerk is final.", "The offer of Südwerk is withdrawn."], None),
    (ANY, ["The water rights act is in force in Brem.", "The water rights act is repealed in Holm."], None),
    (ANY, ["Is the water rights act repealed?", "The water rights act is in force."], None),
];

fn value_kinds(titles: [&str; 2], quotes: [&str; 2]) -> Vec<ValueKind> {
    let citation = |((title, text), n): ((&str, &str), u32)| Citation {
        n,
        source_id: SourceId::new(format!("s{n}")).expect("an id"),
        title: title.to_owned(),
        url: None,
        locator: Locator { page: None, range: CharRange::new(0, text.chars().count()) },
        text: text.to_owned(),
        source_text_hash: ContentRef::from_bytes(format!("{n}").as_bytes()).to_string(),
        headings: Vec::new(),
        context: Vec::new(),
        answer: Vec::new(),
        more_items: 0,
        place: None,
        recognized: None,
    };
    let citations: Vec<Citation> = titles.into_iter().zip(quotes).zip(1..).map(citation).collect();
    // The question asks for everything in the quotes.
    let query = format!("{} {}", quotes.join(" "), titles.join(" "));
    told_disagreements(&query, &citations).into_iter().map(|one| one.disagreement.kind).collect()
}

#[test]
fn reported_differences_are_real_and_most_differences_are_reported() {
    let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for (titles, quotes, want) in DIFFERING.iter().chain(&AGREEING) {
        let found = value_kinds(*titles, *quotes);
        let is_right = want.is_some_and(|kind| found == [kind]);
        right += usize::from(is_right);
        if !is_right && !found.is_empty() {
            wrong.push((quotes, found));
        } else if !is_right && want.is_some() {
            missed.push(quotes);
        }
    }
    println!("told right {right}, wrong {}, missed {}: {missed:#?}", wrong.len(), missed.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Recall; missed pairs use different words.
    assert!(right * 100 >= DIFFERING.len() * 90, "{right} of {}: {missed:#?}", DIFFERING.len());
}
