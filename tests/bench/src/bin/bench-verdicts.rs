//! How often the built-in model is right on whether documents answer a question, for each kind of document and question of a set that
//! `tests/bench/questions/build.py` builds:
//!
//! ```text
//! cargo run -p precis-bench --bin bench-verdicts -- SET [SPLIT,SPLIT] [DUMP] [AMONG] [MODEL]
//! ```
//!
//! Prints, for each split, kind and language, the share of answered questions called unanswered, and of unanswerable ones called so, by why
//! they cannot be answered; then, of the answered questions with an answer of at most 120 characters, how often the opening and the whole
//! report hold it. DUMP gets a line for each row: its fields, the verdict and the numbers that it was made from, report and findings.
//! With AMONG, each question is put to its document and that many others of its kind. With MODEL, a name that `precis model list` shows,
//! evidence is found by meaning too.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use precis_context::compress;
use precis_evidence::meaning::{Meaning, Sense};
use precis_evidence::ranking::Ranker;
use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_proto::SourceId;
use precis_proto::answer::AnswerStatus;
use precis_proto::finding::Passage;
use precis_proto::task::{CompressTask, QuestionContext, SynthesizeTask, TaskFinding};
use precis_research::extractive;
use precis_runtime::config::Settings;
use precis_text::{CanonicalText, tokens};
use precis_workers::meaning::{LoadedModel, TextVectors, VectorsOfText};
use serde_json::Value;

/// Number of threads; the rows are independent.
const THREADS: usize = 2;
/// Most characters of an answer that is looked for in reports.
const SHORT_ANSWER: usize = 120;
/// Most passages of the texts of a question that get a vector.
const PASSAGES: usize = 100;
/// Most tokens of a report.
const REPORT_TOKENS: u64 = 1_500;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(set) = args.first().map(PathBuf::from) else {
        eprintln!("usage: bench-verdicts SET [SPLIT,SPLIT] [DUMP] [AMONG] [MODEL]");
        return ExitCode::FAILURE;
    };
    let splits = args.get(1).map_or("fit,choose,kept", String::as_str);
    let lines = std::fs::read_to_string(set.join("questions.jsonl")).unwrap_or_default();
    let rows: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let rows: Vec<Value> = rows.into_iter().filter(|row| splits.split(',').any(|own| row["split"] == own)).collect();
    let among = args.get(3).and_then(|among| among.parse().ok()).unwrap_or(0);
    let model = args.get(4).map(|name| model(name));
    let judged = judged(&set.join("docs"), &with_others(&rows, among), model.as_deref());
    println!("{}", table(&rows, &judged));
    print!("{}", shown(&rows, &judged));
    if let Some(dump) = args.get(2) {
        let line = |(row, judged): (&Value, &Judged)| {
            format!(
                "{}\n",
                serde_json::json!({ "row": row, "status": judged.status, "numbers": judged.numbers, "report": judged.report, "findings": judged.findings })
            )
        };
        let all: String = rows.iter().zip(&judged).map(line).collect();
        if let Err(error) = std::fs::write(dump, all) {
            eprintln!("write {dump}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The verdict on a row.
#[derive(Debug, Clone, Default)]
struct Judged {
    status: Option<AnswerStatus>,
    numbers: Vec<f64>,
    /// The report, without its title.
    report: String,
    /// Statement, score and similarity of each finding.
    findings: Vec<(String, f64, Option<f64>)>,
}

/// Each row with the documents that its question is put to: its own, and `among` others of its folder.
fn with_others(rows: &[Value], among: usize) -> Vec<(&Value, Vec<String>)> {
    let folder = |doc: &str| doc.split('/').next().unwrap_or_default().to_owned();
    let mut by_folder: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for doc in rows.iter().filter(|row| row["what"] != "without").filter_map(|row| row["doc"].as_str()) {
        let own = by_folder.entry(folder(doc)).or_default();
        if !own.iter().any(|other| other == doc) {
            own.push(doc.to_owned());
        }
    }
    let of_row = |row: &Value| {
        let doc = row["doc"].as_str().unwrap_or_default().to_owned();
        let all = by_folder.get(&folder(&doc)).map_or(&[][..], Vec::as_slice);
        let at = all.iter().position(|other| *other >= doc).unwrap_or_default();
        // A document without its answering passage is called like the whole one, which would answer.
        let is_whole = |other: &&String| other.rsplit_once('.').is_some_and(|(stem, _)| doc.starts_with(stem));
        let others = all.iter().cycle().skip(at).take(all.len()).filter(|other| !is_whole(other));
        std::iter::once(doc.clone()).chain(others.take(among).cloned()).collect()
    };
    rows.iter().map(|row| (row, of_row(row))).collect()
}

fn model(name: &str) -> Arc<LoadedModel> {
    let mut keys = Settings::default().meaning.meaning;
    keys.model = name.to_owned();
    LoadedModel::from_keys(&keys).expect("a model that `precis model list` shows").expect("it is named")
}

fn judged(docs: &Path, rows: &[(&Value, Vec<String>)], model: Option<&LoadedModel>) -> Vec<Judged> {
    let share = rows.len().div_ceil(THREADS).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = rows
            .chunks(share)
            .map(|part| {
                scope.spawn(move || {
                    let mut known: HashMap<String, (String, CanonicalText)> = HashMap::new();
                    // What one thread has seen of a document is seen again with its next question.
                    let vectors = model.map(|model| VectorsOfText::new(model, TextVectors::default()));
                    let meaning = vectors.as_ref().map(|vectors| vectors as &dyn Meaning);
                    part.iter().map(|(row, of)| judge(docs, (row, of), &mut known, meaning)).collect::<Vec<Judged>>()
                })
            })
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}

fn judge(
    docs: &Path,
    (row, of): (&Value, &[String]),
    known: &mut HashMap<String, (String, CanonicalText)>,
    meaning: Option<&dyn Meaning>,
) -> Judged {
    let question = row["question"].as_str().unwrap_or_default().to_owned();
    for doc in of {
        known.entry(doc.clone()).or_insert_with(|| read(docs, doc));
    }
    let texts: Vec<&(String, CanonicalText)> = of.iter().map(|doc| &known[doc]).collect();
    let findings = findings(&question, &texts, meaning);
    let status = extractive::judge(&question, &findings, None).map(|answer| answer.status);
    let numbers = extractive::measures(&question, &findings);
    let dumped = findings.iter().map(|f| (f.statement.clone(), f.score, f.similarity)).collect();
    let task = SynthesizeTask {
        evidence: Default::default(),
        status: None,
        notes: Vec::new(),
        raw_notes: Vec::new(),
        query: question,
        findings,
        target_tokens: REPORT_TOKENS,
        begun: String::new(),
    };
    let markdown = extractive::synthesize(&task, &tokens::count).markdown;
    let report = markdown.split_once("\n\n").map_or_else(String::new, |(_, rest)| rest.to_owned());
    Judged { status, numbers, report, findings: dumped }
}

/// Title and text of a document.
fn read(docs: &Path, doc: &str) -> (String, CanonicalText) {
    let bytes = std::fs::read(docs.join(doc)).unwrap_or_default();
    let hint = Hint { content_type: None, name: doc };
    let file = doc.rsplit('/').next().unwrap_or(doc).to_owned();
    match extract(&bytes, &hint, HtmlMode::Main, &ExtractLimits::default()) {
        Ok(read) => (read.title.unwrap_or(file), read.text),
        Err(_) => (file, CanonicalText::from_plain("")),
    }
}

/// Adds to a task how near its passages, at most `most` of a document, are to its question, and the units of the likeliest.
fn compare(task: &mut CompressTask, passages: &[Passage], meaning: &dyn Meaning, most: usize) {
    let of_source = |at: usize| passages[..at].iter().filter(|one| one.source_id == passages[at].source_id).count();
    for at in (0..passages.len()).filter(|at| of_source(*at) < most) {
        let own = compress::passage_similarities(&passages[at..=at], &task.query, meaning, 1);
        task.passages[at].similarity = own.into_iter().next().unwrap_or_default();
    }
    for at in extractive::read_closely(task, extractive::MOST_READ_CLOSELY) {
        let own = compress::unit_similarities(&passages[at..=at], &task.query, meaning);
        task.passages[at].similarity = own.into_iter().next().unwrap_or_default();
    }
}

/// The findings of documents, as a session makes them.
fn findings(question: &str, texts: &[&(String, CanonicalText)], meaning: Option<&dyn Meaning>) -> Vec<TaskFinding> {
    let sense = meaning.map(|meaning| Sense { meaning, passages: PASSAGES / texts.len().max(1) });
    let of_text = |(n, (_, text)): (usize, &&(String, CanonicalText))| {
        let id = SourceId::new(n.to_string()).expect("a number");
        let mut found = compress::of_text(&id, text, (question, ""), (Ranker::Bm25, sense), 400);
        if found.is_empty() {
            found = compress::opening(&id, text, 400);
        }
        if compress::may_want_fields(question) {
            found = compress::with_fields(found, &id, text, question);
        }
        found
    };
    let by_source: Vec<Vec<Passage>> = texts.iter().enumerate().map(of_text).collect();
    let passages = compress::select(by_source, u64::MAX, &tokens::count);
    let title = |id: &SourceId| id.as_str().parse::<usize>().map_or_else(|_| String::new(), |n| texts[n].0.clone());
    let documents = extractive::named_documents(
        question,
        texts.iter().map(|(title, _)| extractive::DocumentName { title, path: "" }),
    );
    let mut task = CompressTask {
        notes: Vec::new(),
        query: question.to_owned(),
        topic: String::new(),
        passages: compress::task_passages(&passages, |id| (title(id), String::new())),
        max_findings: compress::most_findings(texts.len()),
        known: QuestionContext { documents, ..QuestionContext::default() },
    };
    if let Some(meaning) = meaning {
        compare(&mut task, &passages, meaning, PASSAGES / texts.len().max(1));
    }
    let found = compress::findings(&extractive::compress(&task), &passages, &tokens::count);
    let finding = |(n, finding): (usize, precis_proto::job::TopicFinding)| {
        let first = finding.quotes.into_iter().next()?;
        Some(TaskFinding {
            id: n as u32 + 1,
            topic: String::new(),
            headings: first.headings,
            statement: finding.statement,
            title: title(&first.source_id),
            source: first.source_id.as_str().parse::<u32>().map_or(1, |n| n + 1),
            score: finding.score,
            path: String::new(),
            context: first.context,
            similarity: finding.similarity,
        })
    };
    found.into_iter().enumerate().filter_map(finding).collect()
}

/// Rows and wrong verdicts, by what is asked.
type Counts = BTreeMap<String, (usize, usize)>;

fn table(rows: &[Value], judged: &[Judged]) -> String {
    let mut counted: BTreeMap<(String, String), Counts> = BTreeMap::new();
    for (row, judged) in rows.iter().zip(judged) {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let is_refused = judged.status.is_none_or(|status| status == AnswerStatus::NotInDocuments);
        let what = text("what");
        let shares = row["shares"] == Value::Bool(true);
        let mut names = vec![what.clone()];
        if what == "own" && !shares {
            names.push("bare".to_owned());
        }
        if what != "own" {
            names.push("not".to_owned());
        }
        for kind in [format!("{} {}", text("kind"), text("language")), "all".to_owned()] {
            let own = counted.entry((text("split"), kind)).or_default();
            for name in &names {
                let (all, refused) = own.entry(name.clone()).or_default();
                *all += 1;
                *refused += usize::from(is_refused);
            }
        }
    }
    let columns = ["own", "bare", "not", "other", "without", "set", "false"];
    let mut lines = format!("| split | kind | {} |\n", columns.join(" | "));
    for ((split, kind), own) in &counted {
        let cell = |name: &&str| match own.get(*name) {
            Some((all, refused)) => format!("{:.2} ({all})", *refused as f64 / *all as f64),
            None => "–".to_owned(),
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        let _ = writeln!(lines, "| {split} | {kind} | {} |", cells.join(" | "));
    }
    lines
}

/// For each split: how often opening and report hold a short answer, and the median of a report's characters.
fn shown(rows: &[Value], judged: &[Judged]) -> String {
    let mut lines = "| split | questions | opening | report | characters |\n".to_owned();
    let mut splits: BTreeMap<&str, Vec<(bool, bool, usize)>> = BTreeMap::new();
    for (row, judged) in rows.iter().zip(judged).filter(|(row, _)| row["what"] == "own") {
        let answers = row["answers"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let short: Vec<String> = answers
            .filter(|answer| answer.chars().count() <= SHORT_ANSWER)
            .map(words)
            .filter(|a| !a.is_empty())
            .collect();
        let holds = |text: &str| short.iter().any(|answer| words(text).contains(answer));
        let opening = judged.report.split("\n\n").next().unwrap_or_default();
        if !short.is_empty() {
            let of_split = splits.entry(row["split"].as_str().unwrap_or_default()).or_default();
            of_split.push((holds(opening), holds(&judged.report), judged.report.chars().count()));
        }
    }
    for (split, mut found) in splits {
        found.sort_by_key(|(_, _, chars)| *chars);
        let share = |is_so: &dyn Fn(&(bool, bool, usize)) -> bool| {
            found.iter().filter(|row| is_so(row)).count() as f64 / found.len() as f64
        };
        let (opening, report, chars) = (share(&|row| row.0), share(&|row| row.1), found[found.len() / 2].2);
        let _ = writeln!(lines, "| {split} | {} | {opening:.3} | {report:.3} | {chars} |", found.len());
    }
    lines
}

/// The words of `text` in small letters, one space between them, without marks of citations and escapes.
fn words(text: &str) -> String {
    let letters = text.to_lowercase().replace('\\', "");
    let words = letters.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
