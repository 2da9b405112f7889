//! How often a report of the built-in model holds a known answer, beside the best passages of plain BM25 on the same documents:
//!
//! ```text
//! cargo run -p precis-bench --bin bench-answers -- FOLDER [QUESTIONS]
//! ```
//!
//! FOLDER holds sets as folders with `docs/` and `questions.jsonl` (`question`, `gold`: one path, `spans` or `values`: the answer). Each
//! question is asked of its own document, or among ten of its kind where documents lie in folders; then of documents that cannot answer
//! it. QUESTIONS bounds a set [default: all]. The sets are not part of this repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use precis_context::compress;
use precis_evidence::ranking::Ranker;
use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_proto::SourceId;
use precis_proto::answer::AnswerStatus;
use precis_proto::task::{CompressTask, SynthesizeTask, TaskFinding};
use precis_research::extractive;
use precis_text::{CanonicalText, tokens};
use serde_json::Value;

/// Documents of a set with folders that a question is asked of.
const AMONG: usize = 10;
/// Sources that are read together, as in a session.
const BATCH: usize = 8;
/// Characters of a passage of plain BM25, at most.
const PASSAGE_CHARS: usize = 500;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = args.first() else {
        eprintln!("usage: bench-answers FOLDER [QUESTIONS]");
        return ExitCode::FAILURE;
    };
    let most = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let mut sets: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    sets.sort();
    for set in sets.iter().filter(|set| set.join("questions.jsonl").exists()) {
        println!("{}: {}", set.file_name().unwrap_or_default().to_string_lossy(), measure(set, most));
    }
    ExitCode::SUCCESS
}

/// The figures of one set, in one line.
fn measure(set: &Path, most: usize) -> String {
    let lines = std::fs::read_to_string(set.join("questions.jsonl")).unwrap_or_default();
    let questions: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut library = Library::new(set.join("docs"));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut asked = 0;
    for row in &questions {
        let Some((question, gold, answers)) = answerable(row).filter(|_| asked < most) else { continue };
        asked += 1;
        let (own, others) = library.choose(&gold, asked);
        let (status, report) = reported(&question, &library.texts(&own));
        let plain: Vec<String> = own.iter().map(|path| library.raw(path)).collect();
        let best = bm25(&question, &plain);
        let holds = |text: &str| answers.iter().any(|answer| words(text).contains(answer));
        let body = report.split("\n\n").skip(1).collect::<Vec<_>>();
        for (name, is_so) in [
            ("1 opening", holds(body.first().unwrap_or(&""))),
            ("2 report", holds(&body.join(" "))),
            ("3 first passage", holds(best.first().map_or("", String::as_str))),
            ("4 first three", holds(&best.join(" "))),
            ("5 answered called unanswered", status == Some(AnswerStatus::NotInDocuments)),
            (
                "6 unanswerable called so",
                reported(&question, &library.texts(&others)).0 == Some(AnswerStatus::NotInDocuments),
            ),
        ] {
            *counts.entry(name).or_default() += usize::from(is_so);
        }
    }
    let share = |n: usize| n as f64 / asked.max(1) as f64;
    let figures: Vec<String> = counts.iter().map(|(name, n)| format!("{} {:.3}", &name[2..], share(*n))).collect();
    format!("{asked} questions, {}", figures.join(", "))
}

/// A question with one gold document and a short answer.
fn answerable(row: &Value) -> Option<(String, String, Vec<String>)> {
    let texts = |key: &str| -> Vec<String> {
        row[key].as_array().into_iter().flatten().filter_map(|v| Some(words(v.as_str()?))).collect()
    };
    let values = texts("values");
    let answers: Vec<String> =
        if values.is_empty() { texts("spans") } else { values }.into_iter().filter(|a| !a.is_empty()).collect();
    let gold = row["gold"].as_array().filter(|gold| gold.len() == 1)?[0].as_str()?.to_owned();
    let is_short = answers.first().is_some_and(|first| first.chars().count() <= 120);
    is_short.then(|| (row["question"].as_str().unwrap_or_default().to_owned(), gold, answers))
}

/// What the built-in model makes of a question, as a session does it.
fn reported(question: &str, texts: &[CanonicalText]) -> (Option<AnswerStatus>, String) {
    let mut findings: Vec<TaskFinding> = Vec::new();
    for (batch, texts) in texts.chunks(BATCH).enumerate() {
        let passages = texts.iter().enumerate().map(|(n, text)| {
            let id = SourceId::new(format!("{}", batch * BATCH + n)).expect("a number");
            compress::of_text(&id, text, (question, ""), (Ranker::Bm25, None), 400)
        });
        let passages = compress::select(passages.collect(), u64::MAX, &tokens::count);
        let task = CompressTask {
            notes: Vec::new(),
            query: question.to_owned(),
            topic: String::new(),
            passages: compress::task_passages(&passages, |_| Default::default()),
            max_findings: compress::most_findings(texts.len()),
            known: Default::default(),
        };
        for draft in extractive::compress(&task).findings {
            let source = &passages[draft.passages[0] as usize - 1].source_id;
            findings.push(TaskFinding {
                id: findings.len() as u32 + 1,
                topic: String::new(),
                statement: draft.statement,
                title: String::new(),
                source: source.as_str().parse().unwrap_or(0),
                score: draft.score,
                headings: Vec::new(),
                path: String::new(),
                context: Vec::new(),
                similarity: None,
            });
        }
    }
    let status = extractive::judge(question, &findings, None).map(|answer| answer.status);
    let task = SynthesizeTask {
        evidence: Default::default(),
        status: None,
        notes: Vec::new(),
        raw_notes: Vec::new(),
        query: question.to_owned(),
        findings,
        target_tokens: 1_500,
        begun: String::new(),
    };
    (status, extractive::synthesize(&task, &tokens::count).markdown)
}

/// The documents of a set, read once.
struct Library {
    docs: PathBuf,
    paths: Vec<String>,
    known: BTreeMap<String, (String, CanonicalText)>,
}

impl Library {
    fn new(docs: PathBuf) -> Self {
        let mut paths = Vec::new();
        let mut dirs = vec![docs.clone()];
        while let Some(dir) = dirs.pop() {
            for path in std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()) {
                match path.is_dir() {
                    true => dirs.push(path),
                    false => paths.extend(path.strip_prefix(&docs).ok().map(|p| p.to_string_lossy().into_owned())),
                }
            }
        }
        paths.sort();
        Self { docs, paths, known: BTreeMap::new() }
    }

    /// The documents a question is asked of, and as many that do not hold its answer; the same ones each time.
    fn choose(&self, gold: &str, seed: usize) -> (Vec<String>, Vec<String>) {
        let kind = gold.split_once('/').map_or("", |(kind, _)| kind);
        let others: Vec<&String> = self.paths.iter().filter(|p| p.starts_with(kind) && *p != gold).collect();
        let among = if kind.is_empty() { 1 } else { AMONG.min(others.len()) };
        // A prime step spreads the choice over the set.
        let pick = |n: usize| others[(seed * 7_919 + n * 104_729) % others.len()].clone();
        let mut own = vec![gold.to_owned()];
        own.extend((0..among - 1).map(pick));
        (own, (among..2 * among).map(pick).collect())
    }

    fn read(&mut self, path: &str) -> &(String, CanonicalText) {
        let docs = &self.docs;
        self.known.entry(path.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(docs.join(path)).unwrap_or_default();
            let hint = Hint { content_type: None, name: path };
            let read = extract(&bytes, &hint, HtmlMode::Main, &ExtractLimits::default());
            let text = read.map_or_else(|_| CanonicalText::from_plain(""), |read| read.text);
            (String::from_utf8_lossy(&bytes).into_owned(), text)
        })
    }

    fn texts(&mut self, paths: &[String]) -> Vec<CanonicalText> {
        paths.iter().map(|path| self.read(path).1.clone()).collect()
    }

    fn raw(&mut self, path: &str) -> String {
        self.read(path).0.clone()
    }
}

/// Letters and digits in lower case, one space between words, marks and Markdown left out.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The three best passages of `texts` by BM25 over plain words, with the usual constants.
fn bm25(question: &str, texts: &[String]) -> Vec<String> {
    let passages: Vec<String> = texts.iter().flat_map(|text| cut(text)).collect();
    let counted: Vec<BTreeMap<String, f64>> = passages.iter().map(|passage| count(passage)).collect();
    let lengths: Vec<f64> = counted.iter().map(|counts| counts.values().sum()).collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
    let score = |n: usize| -> f64 {
        let of = |term: &String| {
            let Some(count) = counted[n].get(term) else { return 0.0 };
            let df = counted.iter().filter(|counts| counts.contains_key(term)).count() as f64;
            let rarity = (1.0 + (counted.len() as f64 - df + 0.5) / (df + 0.5)).ln();
            rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[n] / mean))
        };
        count(question).keys().map(of).sum()
    };
    let mut order: Vec<(f64, usize)> = (0..passages.len()).map(|n| (score(n), n)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.iter().take(3).map(|(_, n)| passages[*n].clone()).collect()
}

fn count(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    words(text).split_whitespace().for_each(|word| *counts.entry(word.to_owned()).or_insert(0.0) += 1.0);
    counts
}

/// Runs of sentences of at most [`PASSAGE_CHARS`] characters; one sentence may be longer.
fn cut(text: &str) -> Vec<String> {
    let mut passages = Vec::new();
    let mut passage = String::new();
    for sentence in text.split_inclusive(['.', '!', '?', '\n']) {
        if !passage.is_empty() && passage.chars().count() + sentence.chars().count() > PASSAGE_CHARS {
            passages.push(std::mem::take(&mut passage));
        }
        passage.push_str(sentence);
    }
    passages.extend(Some(passage).filter(|passage| !passage.trim().is_empty()));
    passages
}
