//! Processor time of reading and searching documents, in one thread of this process, as one JSON object:
//!
//! ```text
//! bench-documents pdf --query Q FILE…     seconds, pages, pages of each file
//! bench-documents text --query Q FILE…    seconds to canonicalise, chunk, score and locate
//! ```
//!
//! `tests/bench/documents.py` runs it beside other programs. Processor time and not the clock's, so that what else the machine
//! does matters little.

use std::process::ExitCode;

use precis_evidence::ranking::{Ranker, rank};
use precis_extract::pdf::{PdfLimits, extract};
use precis_text::CanonicalText;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// Times everything is done; the fastest counts.
const REPEATS: usize = 3;
/// As the settings have it.
const EVIDENCE_CHARS: usize = 400;
const SNIPPETS: usize = 5;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let figures = match &args[..] {
        [mode, flag, query, files @ ..] if flag == "--query" => measured(mode, query, files),
        _ => Err("expected a mode, --query Q and files".to_owned()),
    };
    match figures {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measured(mode: &str, query: &str, files: &[String]) -> Result<Value, String> {
    let read = |file: &String| std::fs::read(file).map_err(|e| format!("read {file}: {e}"));
    let documents = files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    match mode {
        "pdf" => Ok(pdf(&documents)),
        "text" => Ok(text(&documents, query)),
        other => Err(format!("unknown mode `{other}`")),
    }
}

/// Processor time of this thread, in seconds.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The shortest time of `work`, in seconds, and what it returned.
fn best<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut timed = || {
        let begun = processor_seconds();
        let result = work();
        (processor_seconds() - begun, result)
    };
    let first = timed();
    (1..REPEATS).map(|_| timed()).fold(first, |best, next| if next.0 < best.0 { next } else { best })
}

fn pdf(documents: &[Vec<u8>]) -> Value {
    let limits = PdfLimits::default();
    // What a parser of others says about a file it gives up on is of no interest here.
    std::panic::set_hook(Box::new(|_| {}));
    let (seconds, pages) = best(|| {
        let pages = |bytes: &Vec<u8>| extract(bytes, &limits).map_or(0, |text| text.pages.len());
        documents.iter().map(pages).collect::<Vec<usize>>()
    });
    json!({ "seconds": seconds, "pages": pages.iter().sum::<usize>(), "pages_by_file": pages })
}

fn text(documents: &[Vec<u8>], query: &str) -> Value {
    let (seconds, snippets) = best(|| {
        let found = |bytes: &Vec<u8>| {
            let text = CanonicalText::from_plain(&String::from_utf8_lossy(bytes));
            rank(&text, query, Ranker::Overlap, EVIDENCE_CHARS, SNIPPETS).len()
        };
        documents.iter().map(found).sum::<usize>()
    });
    json!({ "seconds": seconds, "snippets": snippets })
}
