//! Times searches of an indexed folder in one process:
//!
//! ```text
//! precis corpus add FOLDER && cargo run --release -p precis-bench --bin bench-corpus -- CACHE FOLDER QUESTIONS [MOST]
//! ```
//!
//! CACHE is the cache directory (`~/.cache/precis`), QUESTIONS a file of JSON lines with a `question` each, of which the first MOST are asked
//! [default: 300]. The first search and the opening before it are printed apart, as a process that searches once has both.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use precis_corpus::{Corpus, CorpusQuery, IndexPlace};
use serde_json::Value;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [cache, folder, questions, rest @ ..] = args.as_slice() else {
        eprintln!("usage: bench-corpus CACHE FOLDER QUESTIONS [MOST]");
        return ExitCode::FAILURE;
    };
    let most = rest.first().and_then(|n| n.parse().ok()).unwrap_or(300);
    match measure(Path::new(cache), Path::new(folder), Path::new(questions), most) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(cache: &Path, folder: &Path, questions: &Path, most: usize) -> Result<String, Box<dyn std::error::Error>> {
    let lines = std::fs::read_to_string(questions)?;
    let rows = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let asked: Vec<String> = rows.filter_map(|row| row["question"].as_str().map(str::to_owned)).take(most).collect();
    let place = IndexPlace::new(cache, &folder.canonicalize()?)?;
    let since = Instant::now();
    let corpus = Corpus::open(&place)?;
    let opened = since.elapsed().as_secs_f64();
    let (mut seconds, mut found) = (Vec::new(), 0);
    for question in &asked {
        let since = Instant::now();
        found += corpus.search(&CorpusQuery::new(question))?.len();
        seconds.push(since.elapsed().as_secs_f64());
    }
    let first = seconds.first().copied().ok_or("no question")?;
    seconds.sort_by(f64::total_cmp);
    let at = |share: f64| seconds[((seconds.len() - 1) as f64 * share) as usize] * 1e3;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim().to_owned();
    Ok(format!(
        "{} chunks: opened in {:.1} ms, first search {:.1} ms; {} searches: median {:.1} ms, 95th percentile {:.1} ms, most {:.1} ms; {found} hits; peak {peak}",
        corpus.size().chunks,
        opened * 1e3,
        first * 1e3,
        seconds.len(),
        at(0.5),
        at(0.95),
        at(1.0),
    ))
}
