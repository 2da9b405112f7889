//! Tests the law for documents of every format, from bytes to words: what typography says of a word is the same in all of them.
//!
//! Sentences are made of runs that stand on the line, are raised, lowered or struck out, in every order of up to four, and written in each
//! format that has such marks. The words read must be those of one rule, written here once more: raised and lowered characters in
//! Unicode's own form where all have one, else in brackets behind a sign; nothing that is struck out; all of it counted.

use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_text::normalize;

use writers::{FORMATS, Format};

mod numbers;
mod writers;

/// What typography says of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Plain,
    Raised,
    Lowered,
    Struck,
}

/// A run with its mark, and how it must be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) mark: Mark,
    pub(super) text: &'static str,
    read: &'static str,
}

const fn run(mark: Mark, text: &'static str, read: &'static str) -> Run {
    Run { mark, text, read }
}

const RUNS: [Run; 8] = [
    run(Mark::Plain, " the fee is 40", " the fee is 40"),
    run(Mark::Plain, " of June", " of June"),
    run(Mark::Raised, "6", "⁶"),
    run(Mark::Raised, "st", "ˢᵗ"),
    run(Mark::Raised, "see Q", "^(see Q)"),
    run(Mark::Lowered, "2", "₂"),
    run(Mark::Struck, " not", ""),
    run(Mark::Struck, "99", ""),
];

/// Every sentence of two or three runs between a beginning and an end, in which neighbours have different marks.
fn sentences() -> Vec<Vec<Run>> {
    let (first, last) =
        (run(Mark::Plain, "So many cells 10", "So many cells 10"), run(Mark::Plain, " end here.", " end here."));
    let mut all = Vec::new();
    let differ = |runs: &[Run]| runs.windows(2).all(|pair| pair[0].mark != pair[1].mark || pair[0].mark == Mark::Plain);
    for a in RUNS {
        for b in RUNS {
            all.push(vec![first, a, b, last]);
            for c in RUNS {
                all.push(vec![first, a, b, c, last]);
            }
        }
    }
    all.retain(|runs| differ(runs));
    all
}

fn faults(format: &Format, sentences: &[Vec<Run>]) -> Vec<String> {
    let sentences: Vec<&Vec<Run>> =
        sentences.iter().filter(|runs| runs.iter().all(|run| format.marks.contains(&run.mark))).collect();
    assert!(sentences.len() > 20, "{}", format.ending);
    let bytes = (format.write)(&sentences);
    let hint = Hint { content_type: None, name: &format!("a.{}", format.ending) };
    let found = match extract(&bytes, &hint, HtmlMode::Full, &ExtractLimits::default()) {
        Ok(found) => found,
        Err(error) => return vec![format!("{}: {error}", format.ending)],
    };
    let blocks: Vec<_> = found.text.blocks().iter().collect();
    let mut faults = Vec::new();
    for runs in &sentences {
        let want = normalize(&runs.iter().map(|run| run.read).collect::<String>());
        let is_struck = runs.iter().any(|run| run.mark == Mark::Struck);
        let has = |block: &&&precis_proto::Block| {
            found.text.slice(block.range()).contains(&want) && block.is_struck == is_struck
        };
        if blocks.iter().find(has).is_none() {
            faults.push(format!("{}: lacks {want:?}, struck {is_struck}", format.ending));
        }
    }
    let struck: usize = sentences
        .iter()
        .flat_map(|runs| runs.iter())
        .filter(|run| run.mark == Mark::Struck)
        .map(|run| run.text.trim().len())
        .sum();
    let remark = format!("left out {struck} characters that the document strikes out");
    if struck > 0 && !found.remarks.contains(&remark) {
        faults.push(format!("{}: does not say {remark:?} but {:?}", format.ending, found.remarks));
    }
    faults
}

#[test]
fn raised_lowered_and_struck_words_are_read_alike_in_every_format() {
    let sentences = sentences();
    let faults: Vec<String> = FORMATS.iter().flat_map(|format| faults(format, &sentences)).collect();
    assert!(faults.is_empty(), "{} faults: {:#?}", faults.len(), &faults[..faults.len().min(12)]);
}
