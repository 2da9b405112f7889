//! How often the next call's payload holds a known answer, by the share of a reduction that goes to prose:
//!
//! ```text
//! cargo run -p precis-bench --bin bench-prose -- FOLDER [QUESTIONS]
//! ```
//!
//! FOLDER holds sets as folders with `docs/` and `questions.jsonl` (`question`, `gold`: one path, `spans` or `values`: the answer). Each
//! gold document is reduced for its question to so many tokens: prose by the built-in model, which stands for a summarizer, in its share,
//! and the best passages in the rest. QUESTIONS bounds a set [default: 60]. The sets are not part of this repository.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use precis_context::reduction::{candidates, fit};
use precis_evidence::passage::passages;
use precis_evidence::ranking::Ranker;
use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::source::Reduction;
use precis_proto::task::{SummarizeTask, Summary};
use precis_research::extractive;
use precis_text::{CanonicalText, tokens};
use serde_json::Value;

/// Tokens of the reductions measured.
const TARGETS: [u64; 3] = [240, 600, 1_800];
/// Shares of prose measured, in percent.
const SHARES: [u64; 5] = [0, 10, 20, 40, 60];
/// Characters of a passage.
const PASSAGE_CHARS: usize = 400;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = args.first() else {
        eprintln!("usage: bench-prose FOLDER [QUESTIONS]");
        return ExitCode::FAILURE;
    };
    let most = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(60);
    let mut sets: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    sets.sort();
    println!("| set | questions | tokens | {} |", SHARES.map(|share| format!("{share} %")).join(" | "));
    for set in sets.iter().filter(|set| set.join("questions.jsonl").exists()) {
        measure(set, most);
    }
    ExitCode::SUCCESS
}

fn measure(set: &Path, most: usize) {
    let lines = std::fs::read_to_string(set.join("questions.jsonl")).unwrap_or_default();
    let rows: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    // Spread over the set: questions on one document stand together.
    let step = (rows.len() / most.max(1)).max(1);
    let asked: Vec<(String, CanonicalText, Vec<String>)> =
        rows.iter().step_by(step).filter_map(|row| answerable(row, set)).take(most).collect();
    let name = set.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for target in TARGETS {
        let longer: Vec<_> = asked.iter().filter(|(_, text, _)| tokens::count(text.as_str()) > 2 * target).collect();
        let held = SHARES.map(|share| {
            longer
                .iter()
                .filter(|(question, text, answers)| holds(&reduced(question, text, target, share), answers))
                .count()
        });
        let figures = held.map(|n| format!("{:.3}", n as f64 / longer.len().max(1) as f64)).join(" | ");
        println!("| {name} | {} | {target} | {figures} |", longer.len());
    }
}

fn reduced(question: &str, text: &CanonicalText, target: u64, share: u64) -> Reduction {
    let id = SourceId::new("s").expect("an id");
    let prose = match target * share / 100 {
        0 => Summary::default(),
        target_tokens => {
            let task = SummarizeTask {
                level: FidelityLevel::KeyPoints,
                query: question.to_owned(),
                title: String::new(),
                text: text.as_str().to_owned(),
                target_tokens,
            };
            extractive::summarize(&task, &tokens::count)
        }
    };
    let ranked = candidates(text, (question, ""), Ranker::default(), PASSAGE_CHARS, target);
    fit(&prose, passages(&id, text, &ranked), target, &tokens::count)
}

fn holds(reduction: &Reduction, answers: &[String]) -> bool {
    let prose = std::iter::once(&reduction.summary).chain(&reduction.key_points);
    let all: Vec<&str> = prose.map(String::as_str).chain(reduction.passages.iter().map(|p| p.text.as_str())).collect();
    let all = words(&all.join(" "));
    answers.iter().any(|answer| all.contains(answer))
}

/// A question with one gold document and a short answer.
fn answerable(row: &Value, set: &Path) -> Option<(String, CanonicalText, Vec<String>)> {
    let texts = |key: &str| -> Vec<String> {
        row[key].as_array().into_iter().flatten().filter_map(|v| Some(words(v.as_str()?))).collect()
    };
    let values = texts("values");
    let answers: Vec<String> =
        if values.is_empty() { texts("spans") } else { values }.into_iter().filter(|a| a.len() > 2).collect();
    let gold = row["gold"].as_array().filter(|gold| gold.len() == 1)?[0].as_str()?;
    let bytes = std::fs::read(set.join("docs").join(gold)).ok()?;
    let text =
        extract(&bytes, &Hint { content_type: None, name: gold }, HtmlMode::Main, &ExtractLimits::default()).ok()?.text;
    let is_short = answers.first().is_some_and(|first| first.chars().count() <= 200);
    is_short.then(|| (row["question"].as_str().unwrap_or_default().to_owned(), text, answers))
}

/// Words in lower case with one blank between them, so that line breaks and signs do not matter.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
