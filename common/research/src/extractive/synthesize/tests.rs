use super::*;

fn finding(id: u32, source: u32, statement: &str, score: f64) -> TaskFinding {
    TaskFinding {
        id,
        topic: String::new(),
        statement: statement.to_owned(),
        title: format!("Source {source}"),
        source,
        score,
        headings: Vec::new(),
        path: String::new(),
        context: Vec::new(),
        similarity: None,
    }
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

fn report(findings: Vec<TaskFinding>, target_tokens: u64) -> String {
    synthesize(
        &SynthesizeTask {
            evidence: Default::default(),
            status: None,
            notes: Vec::new(),
            raw_notes: Vec::new(),
            query: "the dam".to_owned(),
            findings,
            target_tokens,
            begun: String::new(),
        },
        &words,
    )
    .markdown
}

#[test]
fn the_best_findings_open_the_report() {
    let found = report(vec![finding(1, 1, "The dam is old.", 0.8), finding(2, 2, "The dam holds water.", 0.9)], 1_000);
    assert_eq!(found, "# the dam\n\nThe dam holds water. [2] The dam is old. [1]\n");
}

#[test]
fn statements_in_nearly_the_same_words_stand_together() {
    let dam = |id, score, year: &str| finding(id, id, &format!("The dam of the valley was closed in {year}."), score);
    let found = report(
        vec![dam(1, 0.9, "spring"), finding(2, 2, "The dam holds water for the town.", 0.8), dam(3, 0.6, "autumn")],
        1_000,
    );
    let order: Vec<usize> = ["[1]", "[3]", "[2]"].map(|mark| found.find(mark).expect("cited")).to_vec();
    assert!(order.is_sorted(), "{found}");
}

#[test]
fn what_the_newer_edition_of_a_document_says_comes_first() {
    let of = |id, title: &str, days: u32, score| TaskFinding {
        title: title.to_owned(),
        ..finding(id, id, &format!("Employees have {days} days of paid leave a year."), score)
    };
    let written = |titles: [&str; 2]| {
        let findings = vec![of(1, titles[0], 25, 0.9), of(2, titles[1], 28, 0.8)];
        let query = "How many days of paid leave do employees have?".to_owned();
        let task = SynthesizeTask {
            query,
            findings,
            evidence: Default::default(),
            status: None,
            notes: vec![],
            raw_notes: vec![],
            target_tokens: 1_000,
            begun: String::new(),
        };
        let markdown = synthesize(&task, &words).markdown;
        markdown.find("28").expect("said") < markdown.find("25").expect("said")
    };
    assert!(written(["Staff handbook, January 2019", "Staff handbook, January 2025"]));
    assert!(!written(["Staff handbook, January 2025", "Staff handbook, January 2019"]));
    assert!(!written(["Staff handbook, January 2019", "Board handbook, January 2025"]));
}

#[test]
fn what_several_sources_say_is_said_once_with_all_of_them() {
    let found = report(
        vec![
            finding(1, 1, "The dam is old.", 0.6),
            finding(2, 2, "The dam is old.", 0.6),
            finding(3, 2, "The dam is old", 0.5),
            finding(4, 3, "The dam is not old.", 0.5),
        ],
        1_000,
    );
    assert_eq!(found, "# the dam\n\nThe dam is old. [1][2] The dam is not old. [4]\n");
}

#[test]
fn nothing_is_shown_to_fill_a_page() {
    let weak = (2..9).map(|n| finding(n, n, &format!("Nothing {n} of it."), 0.9 * FLOOR - 0.01));
    let found = report(std::iter::once(finding(1, 1, "The dam.", 0.9)).chain(weak).collect(), 1_000);
    assert_eq!(found, "# the dam\n\nThe dam. [1]\n");
    assert_eq!(report(Vec::new(), 1_000), "# the dam\n\nNo passage of the sources answers this question.\n");
}

#[test]
fn a_report_keeps_to_its_tokens() {
    let many = || (1..20).map(|n| finding(n, n, &format!("The dam number {n} stands."), 0.9)).collect::<Vec<_>>();
    let full = report(many(), 1_000);
    assert_eq!(full.matches("stands").count(), 3);
    let tokens = words(&full);
    for (target, statements) in [(tokens, 3), (tokens - 1, 2), (1, 1), (0, 1)] {
        assert_eq!(report(many(), target).matches("stands").count(), statements, "{target}");
    }
}

#[test]
fn a_comparison_gets_a_table_with_a_row_per_thing() {
    let asked = |query: &str, findings: Vec<TaskFinding>, target_tokens| {
        synthesize(
            &SynthesizeTask {
                evidence: Default::default(),
                status: None,
                notes: Vec::new(),
                raw_notes: Vec::new(),
                query: query.to_owned(),
                findings,
                target_tokens,
                begun: String::new(),
            },
            &words,
        )
        .markdown
    };
    let findings = || {
        vec![
            finding(1, 1, "Alpha gives 30 days of notice.", 0.5),
            finding(2, 2, "Beta gives 60 days | of notice.", 0.4),
            finding(3, 3, "Alpha and Beta are contracts of 2024.", 0.3),
            finding(4, 1, "Alpha ends in May.", 0.41),
            finding(5, 1, "Alpha is far from the best of its row.", 0.29),
        ]
    };
    let head = "# Compare Alpha and Beta\n\nAlpha and Beta are contracts of 2024. [3]\n\n| Compared | Quotes |\n| --- | --- |\n";
    let rows = "| Alpha | Alpha gives 30 days of notice. [1] Alpha ends in May. [4] |\n| Beta | Beta gives 60 days \\| of notice. [2] |\n";
    assert_eq!(asked("Compare Alpha and Beta", findings(), 1_000), format!("{head}{rows}"));
    let short = asked("Compare Alpha and Beta", findings(), 1);
    assert!(short.contains("[1] |") && !short.contains("[4]"), "{short}");
    let german = asked("Vergleiche die Verträge", findings(), 1_000);
    assert!(german.contains("| Quelle | Zitate |") && german.contains("| Source 2 | Beta gives"), "{german}");
}

#[test]
fn a_comparing_statement_comes_first_and_dedicated_documents_lead_their_row() {
    let task = |findings| SynthesizeTask {
        evidence: Default::default(),
        status: None,
        notes: Vec::new(),
        raw_notes: Vec::new(),
        query: "What are the differences between dataclasses and attrs?".to_owned(),
        findings,
        target_tokens: 1_000,
        begun: String::new(),
    };
    let mut findings = vec![
        finding(1, 1, "Examples: attrs.make, dataclasses.make", 0.6),
        finding(2, 2, "The attrs library differs from dataclasses in the order of fields.", 0.5),
        finding(3, 3, "A converter is no part of dataclasses.", 0.5),
        finding(4, 4, "Fields have a type.", 0.45),
        finding(5, 5, "Validators are part of attrs.", 0.5),
    ];
    findings[3].title = "Data Classes".to_owned();
    let report = synthesize(&task(findings), &words).markdown;
    assert!(
        report.contains("?\n\nThe attrs library differs from dataclasses in the order of fields. [2]\n"),
        "{report}"
    );
    let row = "| dataclasses | Fields have a type. [4] A converter is no part of dataclasses. [3] |";
    assert!(report.contains(row), "{report}");
}

#[test]
fn a_report_on_two_things_compares_them_or_describes_them() {
    let query = "What is the incubation period of flu and how does it differ between children and adults?";
    let asked = |findings: Vec<TaskFinding>| {
        let task = SynthesizeTask {
            evidence: Default::default(),
            status: None,
            notes: Vec::new(),
            raw_notes: Vec::new(),
            query: query.to_owned(),
            findings,
            target_tokens: 1_000,
            begun: String::new(),
        };
        synthesize(&task, &words).markdown
    };
    let others = || {
        vec![
            finding(1, 1, "Children and adults of this city are counted apart.", 0.9),
            finding(2, 1, "Children die of pneumonia.", 0.8),
            finding(3, 2, "Illness is severe in older adults.", 0.8),
        ]
    };
    let with = |more: &[&str]| {
        let told = more.iter().zip(4..).map(|(text, id)| finding(id, 3, text, 0.6));
        asked(others().into_iter().chain(told).collect())
    };
    let known = with(&["The incubation period is two days."]);
    assert!(known.ends_with("?\n\nThe incubation period is two days. [4]\n"), "{known}");
    let table = with(&["In children the incubation takes a day.", "In adults the incubation takes two days."]);
    assert!(table.contains("| children | In children the incubation takes a day. [4] |"), "{table}");
    assert!(!table.contains("counted") && !table.contains("pneumonia") && !table.contains("severe"), "{table}");
    let none = with(&[]);
    assert!(none.contains("counted") && none.contains("| adults |"), "nobody speaks of it: {none}");
}

#[test]
fn another_value_for_the_opening_number_comes_after_it() {
    let query = "What is the cap on the penalty?";
    let mut findings = vec![
        finding(1, 1, "The penalty cap is 5 % of the price.", 0.9),
        finding(2, 2, "The penalty cap is 10 % of the price.", 0.1),
    ];
    findings.extend((3..9).map(|n| finding(n, 3, &format!("Delay number {n} has a penalty."), 0.8)));
    let task = SynthesizeTask {
        evidence: Default::default(),
        status: None,
        notes: Vec::new(),
        raw_notes: Vec::new(),
        query: query.to_owned(),
        findings,
        target_tokens: 1_000,
        begun: String::new(),
    };
    let found = synthesize(&task, &words).markdown;
    assert!(found.contains("[1]\n\n- The penalty cap is 10 % of the price. [2]\n- Delay"), "{found}");
}

#[test]
fn long_statements_leave_room_for_fewer() {
    let long = |n: u32| finding(n, n, &format!("{n} dam {}", "x".repeat(494)), 0.9);
    assert_eq!(report((1..8).map(long).collect(), 10_000).matches("xx ").count(), 2);
}
