//! Times the claim checks of a report without a model:
//!
//! ```text
//! cargo run --release -p precis-bench --bin bench-claims -- [STATEMENTS] [MEGABYTES]
//! ```
//!
//! STATEMENTS [default: 40] statements cite twenty made-up texts of MEGABYTES [default: 5] in all. Every fourth is a quote; the others have a
//! number, a name or a negation changed, so that each check has work to do and each correction searches the text of its source.

use std::process::ExitCode;
use std::time::Instant;

use precis_proto::finding::{Finding, Quote};
use precis_proto::source::Source;
use precis_proto::{CharRange, Locator, SourceId};
use precis_report::claims::{SourceTexts, settle};
use precis_text::CanonicalText;
use serde_json::json;

/// Texts that the statements cite.
const SOURCES: usize = 20;
/// Repetitions; the least, the median and the most are printed.
const RUNS: usize = 21;

fn main() -> ExitCode {
    let args: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let (statements, megabytes) = (args.first().copied().unwrap_or(40), args.get(1).copied().unwrap_or(5));
    let sentences: Vec<Vec<String>> = (0..SOURCES).map(|n| sentences(n, megabytes * 1_000_000 / SOURCES)).collect();
    let texts: SourceTexts =
        (0..SOURCES).map(|n| (id(n), CanonicalText::from_plain(&sentences[n].join(" ")))).collect();
    let sources: Vec<Source> = texts.iter().map(|(id, text)| source(id, text)).collect();
    let findings: Vec<Finding> = (0..statements).map(|n| finding(n, &sentences)).collect();
    let draft: String =
        findings.iter().map(|finding| format!("{} [{}]\n\n", altered(finding), finding.finding_id)).collect();
    let mut seconds: Vec<f64> = Vec::new();
    let mut counted = None;
    for _ in 0..RUNS {
        let since = Instant::now();
        let settled = settle("How much water do the reservoirs hold?", &draft, &findings, &sources, &texts, true);
        seconds.push(since.elapsed().as_secs_f64());
        counted = settled.evaluation();
    }
    seconds.sort_by(f64::total_cmp);
    let Some(counted) = counted else {
        eprintln!("no statement was checked");
        return ExitCode::FAILURE;
    };
    let bytes: usize = texts.values().map(|text| text.as_str().len()).sum();
    println!(
        "{} statements over {:.1} MB: {:.1} ms ({:.1} to {:.1}, {RUNS} runs); {} verbatim, {} corrected, {} removed, {} marked",
        counted.statements,
        bytes as f64 / 1e6,
        seconds[RUNS / 2] * 1e3,
        seconds[0] * 1e3,
        seconds[RUNS - 1] * 1e3,
        counted.verdicts.verbatim,
        counted.corrected,
        counted.removed,
        counted.marked,
    );
    ExitCode::SUCCESS
}

fn id(n: usize) -> SourceId {
    SourceId::new(format!("s{n:02}")).expect("an id")
}

/// Sentences of text `n`, of `bytes` in all; no two are equal.
fn sentences(n: usize, bytes: usize) -> Vec<String> {
    const PLACES: [&str; 8] = ["Talbruck", "Ostmark", "Merholz", "Ulmen", "Leeds", "Corvinia", "Zanzu", "Brandau"];
    let (mut all, mut length) = (Vec::new(), 0);
    for at in 0.. {
        let place = PLACES[(at * 7 + n) % PLACES.len()];
        let sentence = format!(
            "Reservoir {at} of {place} was filled in {} by the firm of Ada Lind and holds {} million cubic metres of water.",
            1_900 + at % 100,
            at * 3 + n
        );
        length += sentence.len() + 1;
        if length > bytes {
            break;
        }
        all.push(sentence);
    }
    all
}

fn source(id: &SourceId, text: &CanonicalText) -> Source {
    let source = json!({
        "source_id": id, "title": format!("{id}.txt"), "origin": { "content": text.hash() },
        "text": { "content": text.hash(), "chars": text.chars(), "tokens": 1, "pages": 0 },
    });
    serde_json::from_value(source).expect("a source")
}

/// Finding `n`, with a quote from the middle of a text.
fn finding(n: usize, sentences: &[Vec<String>]) -> Finding {
    let of = n % SOURCES;
    let at = sentences[of].len() / 2 + n;
    let start: usize = sentences[of][..at].iter().map(|sentence| sentence.chars().count() + 1).sum();
    let text = sentences[of][at].clone();
    let range = CharRange::new(start, start + text.chars().count());
    let quote = Quote {
        source_id: id(of),
        locator: Locator { page: None, range },
        text: text.clone(),
        headings: Vec::new(),
        context: Vec::new(),
        answer: Vec::new(),
        more_items: 0,
        place: None,
        recognized: None,
    };
    let (finding_id, topic) = (n as u32 + 1, String::new());
    Finding { finding_id, topic, statement: text, quotes: vec![quote], score: 0.5, tokens: 30, similarity: None }
}

/// The statement of a finding, three of four with a fault.
fn altered(finding: &Finding) -> String {
    let text = &finding.statement;
    match finding.finding_id % 4 {
        0 => text.clone(),
        1 => text.replace(" million", "7 million"),
        2 => text.replace("Ada Lind", "Carl Hope"),
        _ => text.replace("was filled", "was not filled"),
    }
}
