//! Questions with gold facts, asked of the program, and where in its report the facts stand.
//!
//! A line of a set is `{"documents", "kind", "language", "question", "facts"}`: paths within the set's folder, and for each fact the
//! wordings that count as it. A question without facts is one that its documents do not answer.

use std::collections::BTreeMap;
use std::path::Path;

use precis_proto::ids::sha256_hex;
use serde::Deserialize;
use serde_json::Value;

use crate::program::CliWorkspace;

/// A question of a set.
#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    /// Paths within the folder of documents.
    pub documents: Vec<String>,
    /// What is tried: `number`, `negation`, `table`, …
    pub kind: String,
    /// Its language, as a two-letter code.
    pub language: String,
    /// The question itself.
    pub question: String,
    /// Facts that an answer holds, each in any of these wordings; none where the documents do not answer it.
    pub facts: Vec<Vec<String>>,
}

/// What the report of a question says.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `answered`, `partly` or `not_in_documents`.
    pub status: String,
    /// The first paragraph below the title.
    pub opening: String,
    /// Everything below the title.
    pub report: String,
}

/// Counts over questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions that the documents answer.
    pub answerable: usize,
    /// Of these: all facts stand in the opening.
    pub opening: usize,
    /// Of these: all facts stand in the report.
    pub report: usize,
    /// Of these: called unanswered.
    pub denied: usize,
    /// Questions that the documents do not answer.
    pub unanswerable: usize,
    /// Of these: called unanswered.
    pub named: usize,
}

/// Reads a set of questions.
///
/// # Panics
/// Where the file is not there or a line is no question.
#[must_use]
pub fn questions(path: &Path) -> Vec<Question> {
    let text = std::fs::read_to_string(path).expect("a set of questions");
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// Asks `question` of its documents with the built-in model.
///
/// # Panics
/// Where the program writes no report.
#[must_use]
pub fn ask(workspace: &CliWorkspace, question: &Question, folder: &Path) -> Asked {
    let paths: Vec<String> =
        question.documents.iter().map(|doc| folder.join(doc).to_string_lossy().into_owned()).collect();
    let mut args = vec!["run", "--quiet", "--no-cache", "--force", "--out", "out", "--query", &question.question];
    for path in &paths {
        args.extend(["--docs", path]);
    }
    let ended = workspace.run(&args);
    let report = std::fs::read(workspace.at("out/report.json")).unwrap_or_else(|e| panic!("{e}: {}", ended.stderr));
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let markdown = report["data"]["report"].as_str().expect("a report");
    let below: Vec<&str> = markdown.split("\n\n").filter(|part| !part.starts_with("# ")).collect();
    Asked {
        status: report["data"]["answer"]["status"].as_str().unwrap_or("answered").to_owned(),
        opening: words(below.first().unwrap_or(&"")),
        report: words(&below.join(" ")),
    }
}

/// Counts what `asked` says of `question`, and says which facts are missing from the opening.
pub fn count(counts: &mut Counts, question: &Question, asked: &Asked) -> Option<String> {
    let denied = asked.status == "not_in_documents";
    if question.facts.is_empty() {
        counts.unanswerable += 1;
        counts.named += usize::from(denied);
        return (!denied).then(|| format!("answers what is not there: {}", question.question));
    }
    let holds =
        |text: &str| question.facts.iter().all(|fact| fact.iter().any(|wording| text.contains(&words(wording))));
    let (opening, report) = (holds(&asked.opening), holds(&asked.report));
    counts.answerable += 1;
    counts.opening += usize::from(opening);
    counts.report += usize::from(report);
    counts.denied += usize::from(denied);
    let place = if report { "below the opening" } else { "nowhere" };
    (!opening || denied).then(|| format!("{} {place}: {} {:?}", asked.status, question.question, question.facts))
}

/// What a whole set gave.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Counts by kind and by language, of all of them under `all`.
    pub table: BTreeMap<String, Counts>,
    /// What went wrong, a line each.
    pub faults: Vec<String>,
    /// SHA-256 of what the reports say, in the order of the questions.
    pub answers: String,
}

/// Asks all questions of a set.
#[must_use]
pub fn measure(questions: &[Question], folder: &Path) -> Measured {
    let workspace = CliWorkspace::new();
    let mut table: BTreeMap<String, Counts> = BTreeMap::new();
    let (mut faults, mut said) = (Vec::new(), String::new());
    for question in questions {
        let asked = ask(&workspace, question, folder);
        for row in ["all", &question.kind, &question.language] {
            let fault = count(table.entry(row.to_owned()).or_default(), question, &asked);
            faults.extend(fault.filter(|_| row == "all"));
        }
        said.push_str(&format!("{}\n{}\n{}\n", asked.status, asked.opening, asked.report));
    }
    Measured { table, faults, answers: sha256_hex(said.as_bytes()) }
}

/// Letters and digits in lower case, one space between words: so that marks and Markdown make no difference.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
