//! Rows of tables, and lists below numbers that are called as a question calls them.

use super::*;

#[test]
fn the_row_that_names_the_columns_is_no_answer() {
    let task = table("Which nation has most gold?", &[["Nation", "Gold"], ["France", "11"], ["Greece", "6"]]);
    let found = statements(&task);
    assert!(!found.is_empty() && found.iter().all(|row| !row.contains("Nation")), "{found:?}");
}

/// A passage with a table whose first row names the columns.
fn table(query: &str, rows: &[[&str; 2]]) -> CompressTask {
    let mut task = task(query, &[(1, "")], 9);
    let passage = &mut task.passages[0];
    for (block, [head, rest]) in (0..).zip(rows) {
        let start = passage.text.chars().count();
        let row = format!("{head} {rest}");
        let end = start + row.chars().count();
        let head_end = Some(start + head.chars().count());
        passage.units.push(Unit {
            start,
            end,
            block,
            kind: BlockKind::TableRow,
            head_end,
            depth: None,
            needs: Vec::new(),
            list: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        });
        passage.text += &format!("{row}\n");
    }
    passage.columns = rows[0].join(" ");
    task
}

#[test]
fn the_requested_row_precedes_rows_that_mention_it() {
    let rows = [
        ["Word", "Meaning"],
        ["Ledger", "The list of all fidelity records of a session, in the order of its steps."],
        ["Fidelity record golden", "A fidelity record that a test compares with."],
        ["Fidelity record", "What a step kept and what it lost."],
    ];
    for (query, row) in [("What is a fidelity record?", "Fidelity record What"), ("What is a ledger?", "Ledger The")] {
        let found = statements(&table(query, &rows));
        assert!(found[0].starts_with(row), "{found:?}");
    }
}

#[test]
fn a_row_without_question_words_follows_relevant_prose() {
    let rows = [["Documents", "Seconds with two workers killed"], ["500", "6.0 8.6"], ["1,000", "9.7 18.6"]];
    let prose = "A test kills workers and gets the same report.";
    let mut task = table("What happens if two workers are killed?", &rows);
    task.passages.extend(self::task("", &[(2, prose)], 9).passages);
    task.passages[1].id = 2;
    let found = statements(&task);
    assert_eq!(found[0], prose, "{found:?}");
    let asked = statements(&table("How many seconds do 1,000 documents take if two workers are killed?", &rows));
    assert_eq!(asked[0], "1,000 9.7 18.6");
}

fn changes(query: &str, versions: &[(&str, &str)]) -> CompressTask {
    let mut task = task(query, &[(1, "")], 2);
    let passage = &mut task.passages[0];
    for (n, (version, change)) in (0..).zip(versions) {
        for (place, (part, kind)) in (0..).zip([(version, BlockKind::Heading), (change, BlockKind::ListItem)]) {
            let start = passage.text.chars().count();
            let end = start + part.chars().count();
            let depth = (kind == BlockKind::Heading).then_some(0);
            passage.units.push(Unit {
                start,
                end,
                block: 2 * n + place,
                kind,
                head_end: None,
                depth,
                needs: Vec::new(),
                list: Vec::new(),
                more_items: 0,
                place: None,
                recognized: None,
            });
            passage.text += &format!("{part}\n");
        }
    }
    task
}

#[test]
fn rows_below_the_requested_number_come_first() {
    let versions = [
        ("1.2.10 (2024-05-01)", "Locks are fair (#1984)."),
        ("1.2.1 (2023-02-03)", "Queues are faster (#1977)."),
        ("1.20.1 (2025-01-01)", "A lock of the queue is gone (#1990)."),
    ];
    for (query, first) in [
        ("What changed in 1.2.1?", versions[1].1),
        ("What changed in version 1.2.10 of it?", versions[0].1),
        ("What changed in 1.20?", versions[2].1),
        ("When was 1.2.1 released?", versions[1].0),
        ("When was 1.2.10 released?", versions[0].0),
    ] {
        let said = statements(&changes(query, &versions));
        assert_eq!(said[0], first, "{query} {said:?}");
    }
}
