//! The nonce for marks that untrusted text cannot forge: digits that occur in none of it, neither as given nor as shown.

use std::collections::HashSet;
use std::fmt::Write;

use precis_proto::ids::sha256_hex;
use precis_proto::prior::Prior;
use precis_proto::task::{Task, TaskNote};

use super::evidence;
use super::shown::{LabelledText, readable};

/// Eight hexadecimal digits that occur in no untrusted text of `task`, `rows` or `prior`; deterministic for the same texts.
pub(super) fn nonce(task: &Task, rows: &[LabelledText], prior: &Prior) -> String {
    let texts = untrusted_texts(task, rows, prior);
    let mut taken = HashSet::new();
    // Both as given and as shown, since removing hidden characters can join digits that were apart.
    texts.iter().for_each(|text| candidates(text.as_bytes(), &mut taken));
    texts.iter().for_each(|text| candidates(readable(text).as_bytes(), &mut taken));
    // Calls of several kinds on the same passages begin with the same bytes, so that a provider can keep them: their mark does not depend
    // on what else each of them shows.
    let is_shared = matches!(task, Task::Synthesize(t) if !t.evidence.is_empty())
        || matches!(task, Task::JudgeStatements(_) | Task::Repair(_));
    // The lengths are predictable, so an attacker may guess the first candidate; a candidate that occurs in a text is skipped anyway.
    let mut lengths = String::new();
    for text in texts.into_iter().filter(|_| !is_shared) {
        // Writing into a String cannot fail.
        let _ = write!(lengths, "{} ", text.len());
    }
    let mut seed = sha256_hex(lengths.as_bytes());
    // Terminates: texts of n characters contain fewer than n of the 2^32 candidates.
    while u32::from_str_radix(&seed[..8], 16).is_ok_and(|drawn| taken.contains(&drawn)) {
        seed = sha256_hex(seed.as_bytes());
    }
    seed.truncate(8);
    seed
}

/// Returns every untrusted text of `task`, `rows` and `prior`.
fn untrusted_texts<'t>(task: &'t Task, rows: &'t [LabelledText], prior: &'t Prior) -> Vec<&'t str> {
    let mut texts: Vec<&str> = match task {
        Task::Summarize(t) => vec![&t.title, &t.text],
        Task::SummarizeTogether(t) => t.texts.iter().flat_map(|one| [one.title.as_str(), &one.text]).collect(),
        Task::Compress(t) => t.passages.iter().flat_map(|p| [p.title.as_str(), &p.text]).collect(),
        Task::Synthesize(t) => {
            let findings = t.findings.iter().flat_map(|f| [f.title.as_str(), &f.topic, &f.statement]);
            let notes = t.raw_notes.iter().chain([&t.begun]).map(String::as_str);
            findings
                .chain(notes.filter(|text| !text.is_empty()))
                .chain(evidence::untrusted_texts(&t.evidence))
                .collect()
        }
        Task::JudgeStatements(t) => {
            [evidence::untrusted_texts(&t.evidence), evidence::untrusted_statements(&t.statements)].concat()
        }
        Task::Repair(t) => {
            [evidence::untrusted_texts(&t.evidence), evidence::untrusted_statements(&t.statements)].concat()
        }
        Task::Plan(_)
        | Task::CritiquePlan(_)
        | Task::Think(_)
        | Task::Delegate(_)
        | Task::CritiqueDirectives(_)
        | Task::Gaps(_)
        | Task::Turn(_)
        | Task::Judge(_)
        | Task::JudgeParts(_)
        | Task::Rate(_) => rows.iter().flat_map(|row| [row.label.as_str(), &row.body]).collect(),
    };
    for note in source_notes(task) {
        texts.extend([note.title.as_str(), &note.summary]);
        texts.extend(note.points.iter().map(|point| point.text.as_str()));
    }
    texts.extend(prior.texts().filter(|text| !text.is_empty()));
    texts
}

/// The notes on sources that `task` is shown.
fn source_notes(task: &Task) -> &[TaskNote] {
    match task {
        Task::Compress(t) => &t.notes,
        Task::Synthesize(t) => &t.notes,
        Task::Summarize(_)
        | Task::SummarizeTogether(_)
        | Task::Plan(_)
        | Task::CritiquePlan(_)
        | Task::Think(_)
        | Task::Delegate(_)
        | Task::CritiqueDirectives(_)
        | Task::Gaps(_)
        | Task::Turn(_)
        | Task::Judge(_)
        | Task::JudgeParts(_)
        | Task::JudgeStatements(_)
        | Task::Repair(_)
        | Task::Rate(_) => &[],
    }
}

/// Adds every run of eight hexadecimal digits in `text`, in either case, as a number.
fn candidates(text: &[u8], found: &mut HashSet<u32>) {
    // A run of eight covers one of every eight positions, so a non-digit there excludes every run that would cover it.
    let mut at = 7;
    while at < text.len() {
        if !text[at].is_ascii_hexdigit() {
            at += 8;
            continue;
        }
        let start = text[..at].iter().rposition(|b| !b.is_ascii_hexdigit()).map_or(0, |before| before + 1);
        let mut last_eight = 0_u32;
        let mut end = start;
        while let Some(digit) = text.get(end).and_then(|b| char::from(*b).to_digit(16)) {
            last_eight = last_eight << 4 | digit;
            end += 1;
            if end - start >= 8 {
                found.insert(last_eight);
            }
        }
        at = end + 8;
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::fidelity::FidelityLevel;
    use precis_proto::task::SummarizeTask;

    use super::*;

    fn summarize(text: &str) -> Task {
        Task::Summarize(SummarizeTask {
            level: FidelityLevel::KeyPoints,
            query: "What holds?".into(),
            title: "A title".into(),
            text: text.into(),
            target_tokens: 100,
        })
    }

    #[test]
    fn untrusted_text_cannot_hold_its_own_mark() {
        let first = nonce(&summarize("plain"), &[], &Prior::default());
        let mut text = String::from("plain");
        for _ in 0..20 {
            text = format!("{text} #{} end", nonce(&summarize(&text), &[], &Prior::default()).to_uppercase());
            let drawn = nonce(&summarize(&text), &[], &Prior::default());
            assert!(!text.to_lowercase().contains(&drawn));
            assert_eq!(drawn, nonce(&summarize(&text), &[], &Prior::default()), "the same text draws the same mark");
        }
        assert!(!text.starts_with(&first));
    }

    #[test]
    fn every_eight_hexadecimal_digits_in_a_row_are_found_wherever_they_stand() {
        let plain = |text: &str| -> HashSet<u32> {
            let windows = text.as_bytes().windows(8);
            windows.filter_map(|w| u32::from_str_radix(std::str::from_utf8(w).ok()?, 16).ok()).collect()
        };
        let mut seed = 7_u32;
        for length in 0..300 {
            let text: String = (0..length)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // Mostly digits, so that there are runs of all lengths.
                    char::from(b"0123456789abcdefABCDEF0123456789 g"[(seed >> 16) as usize % 34])
                })
                .collect();
            let mut found = HashSet::new();
            candidates(text.as_bytes(), &mut found);
            assert_eq!(found, plain(&text), "{text}");
        }
    }
}
