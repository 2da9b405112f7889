//! Reports hold the gold facts of questions over documents in eleven languages and five formats.
//!
//! The floors are what was measured when they were written: a change that loses an answer fails here and says which.
//! `cargo test -p precis-tests --test program gold -- --nocapture` prints the table.

use std::path::{Path, PathBuf};

use precis_research::extractive;
use precis_tests::gold::{Counts, Measured, measure, questions};

fn set() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("gold")
}

fn check(name: &str, documents: &Path, floor: Counts) -> Measured {
    let questions = questions(&set().join(name));
    let measured = measure(&questions, documents);
    for (row, counts) in &measured.table {
        println!("{name} {row}: {counts:?}");
    }
    let (all, faults) = (measured.table["all"], &measured.faults);
    assert_eq!((all.answerable, all.unanswerable), (floor.answerable, floor.unanswerable), "questions of {name}");
    let holds = all.opening >= floor.opening
        && all.report >= floor.report
        && all.denied <= floor.denied
        && all.named >= floor.named;
    assert!(holds, "{all:?}, expected at least {floor:?}\n{}", faults.join("\n"));
    measured
}

#[test]
fn reports_on_the_documents_of_this_repository_hold_their_facts() {
    let floor = Counts { answerable: 143, opening: 140, report: 140, denied: 3, unanswerable: 18, named: 16 };
    let measured = check("questions.jsonl", &set().join("documents"), floor);
    let kept = std::fs::read_to_string(set().join("answers.txt")).expect("a version and a hash");
    let (version, answers) = kept.trim().split_once(' ').expect("a version and a hash");
    let actual = format!("{} {}", extractive::VERSION, measured.answers);
    assert!(
        answers == measured.answers || version != extractive::VERSION,
        "the built-in model answers otherwise than it did as {version}, and answers of that version may lie in caches: raise \
         `extractive::VERSION`, and write what this test then says to tests/gold/answers.txt"
    );
    assert_eq!(kept.trim(), actual, "tests/gold/answers.txt");
}

/// Real PDFs and pages, which are not part of this repository: `PRECIS_CORPUS` names their folder.
#[test]
fn reports_on_real_documents_hold_their_facts() {
    let Some(corpus) = std::env::var_os("PRECIS_CORPUS") else {
        eprintln!("SKIPPED: PRECIS_CORPUS names no folder with the documents of tests/gold/corpus.jsonl");
        return;
    };
    let floor = Counts { answerable: 37, opening: 30, report: 32, denied: 0, unanswerable: 3, named: 1 };
    check("corpus.jsonl", Path::new(&corpus), floor);
}
