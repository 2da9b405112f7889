//! Tests of what is computed over whole tables.

use precis_proto::SourceId;
use precis_proto::computed::NotComputed;
use precis_text::{CanonicalText, Leaf};

use super::*;

/// A text with one table, whose first row has the heads.
fn table(rows: &[&[&str]]) -> CanonicalText {
    let leaves: Vec<Leaf> = rows.iter().enumerate().map(|(n, row)| Leaf::row(1, n == 0, row)).collect();
    CanonicalText::from_leaves(&leaves)
}

fn answers(question: &str, title: &str, text: &CanonicalText) -> Vec<Computed> {
    let source_id = SourceId::new("s").expect("an id");
    let found = compute(question, &NamedText { source_id: &source_id, title, path: "", text });
    for one in &found {
        assert!(holds(one), "{one:?}");
        for cell in one.cells() {
            let range = text.resolve(&cell.locator).expect("a place");
            assert_eq!(text.slice(range), cell.text);
        }
    }
    found
}

/// The result and the labels of its rows: those with the extreme number, or all.
fn answer(question: &str, text: &CanonicalText) -> Option<String> {
    let found = answers(question, "Cities of Brem", text);
    let one = found.first()?;
    let labels: Vec<&str> = one
        .rows
        .iter()
        .filter(|row| row.is_result)
        .filter_map(|row| row.labels.first().map(|cell| cell.text.as_str()))
        .collect();
    Some(format!("{} {}", one.number.as_deref().unwrap_or("-"), labels.join("+")).trim().to_owned())
}

fn cities() -> CanonicalText {
    table(&[
        &["City", "State", "Population", "Area (km²)", "Founded"],
        &["Norby", "North", "12,400", "31.5", "1204"],
        &["Sandö", "South", "9,850", "12.25", "1310"],
        &["Holm", "North", "950", "80", "1555"],
        &["Vik", "South", "23,100", "44.75", "1204"],
        &["Total", "", "46,300", "168.5", ""],
    ])
}

#[test]
fn the_rows_of_a_table_answer_what_is_asked_of_them() {
    for (question, want) in [
        ("Which city has the highest population?", Some("23100 Vik")),
        ("Which city has the lowest population?", Some("950 Holm")),
        ("Which is the most populous city?", Some("23100 Vik")),
        ("What is the total population?", Some("46300")),
        ("What is the average area of the cities?", Some("42.1250")),
        ("How many cities are there?", Some("4")),
        ("How many cities are in the North?", Some("2")),
        ("Which city in the South has the largest area?", Some("44.75 Vik")),
        ("What is the total population of the cities in the North?", Some("13350")),
        ("Which city has the smallest area?", Some("12.25 Sandö")),
    ] {
        assert_eq!(answer(question, &cities()).as_deref(), want, "{question}");
    }
}

#[test]
fn nothing_is_computed_where_a_word_of_the_question_is_left_over() {
    for question in [
        "Which city has the highest population in 2020?",
        "Which city has the highest population density?",
        "Which city in the West has the highest population?",
        "Which city has the second highest population?",
        "Which city except Vik has the highest population?",
        "How many cities have more than 10,000 people?",
        "How many cities were founded before 1300?",
        "How many people live in Norby?",
        "What is the population of Norby?",
        "Which state has the highest population?",
        "What is the difference between the highest and the lowest population?",
        "Which city does not have the highest population?",
        "Which cities have at least 3 harbours?",
        "What is the total population of Norby?",
        "Why is the population of Vik the highest?",
        "Which city has the most states?",
        "What is the total number of cities founded?",
    ] {
        assert_eq!(answer(question, &cities()), None, "{question}");
    }
}

#[test]
fn questions_of_other_languages_are_computed_too() {
    let table_of = |heads: [&str; 2]| table(&[&heads, &["Norby", "12400"], &["Holm", "950"], &["Vik", "23100"]]);
    for (question, heads, want) in [
        ("Welche Stadt hat die meisten Einwohner?", ["Stadt", "Einwohner"], "23100 Vik"),
        ("Wie viele Städte gibt es?", ["Städte", "Einwohner"], "3"),
        ("Quelle ville a la population la plus élevée ?", ["Ville", "Population"], "23100 Vik"),
        ("¿Qué ciudad tiene la mayor población?", ["Ciudad", "Población"], "23100 Vik"),
        ("Qual è la città più popolosa?", ["Città", "Popolazione"], "23100 Vik"),
        ("Qual é a soma da população?", ["Cidade", "População"], "36450"),
        ("人口最多的城市是哪个？", ["城市", "人口"], "23100 Vik"),
        ("人口の合計は何ですか", ["都市", "人口"], "36450"),
    ] {
        assert_eq!(answer(question, &table_of(heads)).as_deref(), Some(want), "{question}");
    }
}

#[test]
fn numbers_that_do_not_allow_it_are_reported_with_the_reason() {
    let of = |cells: [&str; 3]| {
        let text = table(&[&["Room", "Price"], &["One", cells[0]], &["Two", cells[1]], &["Three", cells[2]]]);
        let found = answers("What is the total price of the rooms?", "Rooms", &text);
        found.first().map(|one| (one.number.clone(), one.not_computed))
    };
    for (cells, want) in [
        (["10 EUR", "20 EUR", "35 EUR"], (Some("65".to_owned()), None)),
        (["10 EUR", "20 USD", "30 EUR"], (None, Some(NotComputed::SeveralUnits))),
        (["10", "20", "n/a"], (None, Some(NotComputed::NotANumber))),
        (["10", "20", ""], (None, Some(NotComputed::NotANumber))),
        (["1,200", "2,400", "3,700"], (Some("7300".to_owned()), None)),
        (["1.200", "2.400", "3.700"], (None, Some(NotComputed::TwoReadings))),
        (["1.200", "2.400", "3.600,50"], (Some("7200.50".to_owned()), None)),
    ] {
        assert_eq!(of(cells), Some(want), "{cells:?}");
    }
    let text = table(&[&["Room", "Price"], &["One", "10"], &["Two", "20"], &["Total", "40"]]);
    let found = answers("What is the total price of the rooms?", "Rooms", &text);
    assert_eq!(found[0].not_computed, Some(NotComputed::OtherTotal));
}

#[test]
fn row_selectors_are_never_read_from_merged_or_doubtful_cells() {
    let merged = table(&[
        &["Region", "Town", "Sales"],
        &["North", "A", "1"],
        &["", "B", "2"],
        &["South", "C", "3"],
        &["South", "D", "4"],
    ]);
    assert_eq!(answer("What are the total sales in the North?", &merged), None);
    let teams =
        table(&[&["Home", "Guest", "Goals"], &["Norby", "Vik", "3"], &["Vik", "Norby", "5"], &["Holm", "Vik", "1"]]);
    assert_eq!(answer("What is the total of goals with Vik?", &teams), None);
    let votes = table(&[
        &["Party", "Candidate", "Votes"],
        &["Red", "Lund", "120"],
        &["Blue", "Kaya", "340"],
        &["Total valid votes", "Total valid votes", "460"],
        &["Eligible voters", "Eligible voters", "900"],
    ]);
    assert_eq!(answer("Which candidate had the most votes?", &votes), None);
    let lists = table(&[&["Town", "Names of districts"], &["Norby", "A, B, C"], &["Vik", "D, E"]]);
    assert_eq!(answer("How many districts are there?", &lists), None);
    let shared = table(&[&["Senator", "County"], &["A", "Brem"], &["B", "Brem, Holm"], &["C", "Brem"], &["D", "Vik"]]);
    assert_eq!(answer("How many senators are from Brem?", &shared), None);
    let hidden = table(&[&["Division", "Tickets"], &["Any prize", "565"], &["First", "1"], &["Second", "564"]]);
    assert_eq!(answer("What is the total number of tickets?", &hidden), None);
    let ordinals = table(&[&["Episode", "Title"], &["1", "Dawn"], &["2", "Noon"], &["3", "Dusk"]]);
    assert_eq!(answer("What is the total number of episodes?", &ordinals), None);
    let ranks = table(&[&["Team", "Rank"], &["Norby", "1"], &["Vik", "2"], &["Holm", "3"]]);
    assert_eq!(answer("Which team has the highest rank?", &ranks), None);
}

#[test]
fn a_year_chooses_rows_or_a_column() {
    let long = table(&[
        &["Year", "City", "Visitors"],
        &["2019", "Norby", "10"],
        &["2019", "Vik", "30"],
        &["2020", "Norby", "25"],
        &["2020", "Vik", "5"],
    ]);
    for (question, want) in [
        ("Which city had the most visitors in 2020?", Some("25 Norby")),
        ("What was the total number of visitors in 2019?", Some("40")),
        ("Which city had the most visitors?", None),
    ] {
        assert_eq!(answer(question, &long).as_deref(), want, "{question}");
    }
    let wide = table(&[&["City", "2019", "2020"], &["Norby", "10", "25"], &["Vik", "30", "5"]]);
    let found = answers("Which city had the most visitors in 2020?", "Visitors", &wide);
    assert_eq!(found[0].number.as_deref(), Some("25"));
    assert_eq!(found[0].head.as_ref().map(|cell| cell.text.as_str()), Some("2020"));
}

#[test]
fn so_many_rows_are_computed_over_and_no_more() {
    for (count, is_computed) in
        [(result::MOST_ROWS - 1, true), (result::MOST_ROWS, true), (result::MOST_ROWS + 1, false)]
    {
        let rows: Vec<[String; 2]> = (0..count).map(|n| [format!("room {n}"), (3 * n).to_string()]).collect();
        let mut leaves = vec![Leaf::row(1, true, &["Room", "Price"])];
        leaves.extend(rows.iter().map(|row| Leaf::row(1, false, row)));
        let text = CanonicalText::from_leaves(&leaves);
        let found = answers("Which room has the highest price?", "Rooms", &text);
        assert_eq!(found[0].number.is_some(), is_computed, "{count}");
    }
}

#[test]
fn a_forged_number_omitted_row_or_moved_mark_is_rejected() {
    let honest = answers("Which city has the highest population?", "Cities", &cities()).remove(0);
    let forged = |forge: fn(&mut Computed)| {
        let mut one = honest.clone();
        forge(&mut one);
        holds(&one)
    };
    assert!(holds(&honest));
    assert!(!forged(|one| one.number = Some("23101".to_owned())));
    assert!(!forged(|one| one.rows[0].number = Some("12401".to_owned())));
    assert!(!forged(|one| one.rows[0].is_result = true));
    assert!(!forged(|one| one.rows.retain(|row| !row.is_result)));
    assert!(!forged(|one| one.operation = precis_proto::computed::ComputedOperation::Lowest));
    assert!(!forged(|one| one.rows[0].value = None));
}

#[test]
fn a_row_is_omitted_only_if_it_matches_its_name() {
    let oil =
        table(&[&["Company", "Revenue"], &["Total", "263"], &["Equinor", "150"], &["Eni", "132"], &["Repsol", "75"]]);
    assert_eq!(answer("Which company has the highest revenue?", &oil).as_deref(), Some("-"), "told, and why");
    let sum = table(&[&["City", "People"], &["Norby", "50"], &["Vik", "90"], &["Brem", "70"], &["Total", "210"]]);
    assert_eq!(answer("Which city has the most people?", &sum).as_deref(), Some("90 Vik"));
    let mean =
        table(&[&["City", "People"], &["Norby", "50"], &["Vik", "90"], &["Brem", "71"], &["Mittelwert", "70.3"]]);
    assert_eq!(answer("Which city has the most people?", &mean).as_deref(), Some("90 Vik"));
}

#[test]
fn notes_years_and_words_of_other_languages_are_not_passed_over() {
    let note =
        table(&[&["City", "People"], &["Norby", "50"], &["Vik", "90"], &["Brem", "71"], &["Source: census", ""]]);
    assert_eq!(answer("How many cities are there?", &note), None);
    let years = table(&[
        &["Year", "Town", "Population"],
        &["2010", "Norby", "1000"],
        &["2010", "Vik", "3000"],
        &["2020", "Norby", "1100"],
        &["2020", "Vik", "3500"],
    ]);
    assert_eq!(answer("What is the total population of the towns?", &years), None);
    let war = table(&[&["Empire", "Cost"], &["Norby", "100"], &["Vik", "150"], &["Brem", "120"]]);
    assert_eq!(answer("Which empire had the highest war cost?", &war), None, "war is no verb in English");
    let plain = table(&[&["Room", "Price"], &["One", "10"], &["Two", "25"], &["Three", "40"]]);
    assert!(answers("What is the total price in 2019?", "Prices 2019 to 2021", &plain).is_empty());
}

#[test]
fn a_forged_unit_order_or_row_does_not_hold() {
    let text = table(&[&["Room", "Price"], &["One", "10 USD"], &["Two", "25 USD"], &["Three", "40 USD"]]);
    let whole = answers("What is the total price of the rooms?", "Prices", &text).remove(0);
    let forged = |edit: &dyn Fn(&mut Computed)| {
        let mut one = whole.clone();
        edit(&mut one);
        holds(&one)
    };
    assert!(forged(&|_| {}));
    assert!(!forged(&|one| one.unit = "EUR".to_owned()));
    assert!(!forged(&|one| {
        one.rows.push(one.rows[2].clone());
        one.number = Some("115".to_owned());
    }));
    assert!(!forged(&|one| {
        let first = one.rows[0].labels.clone();
        one.rows[0].labels = std::mem::replace(&mut one.rows[2].labels, first);
    }));
}
