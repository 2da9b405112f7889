//! What counting, allocating and the gate cost: the pure side of staying within a budget.

use std::fmt;
use std::time::Duration;

use precis_context::allocate::{AllocationItem, allocate};
use precis_context::prompt::{Attempt, LimitOverride, Limits, prepare};
use precis_proto::SourceId;
use precis_proto::source::Quality;
use precis_proto::task::{CompressTask, Task, TaskPassage};
use precis_text::tokens::Tokenizer;
use precis_workers::documents::token_counts::TokenCounts;
use serde::Serialize;

use crate::sample::{Watch, median};

/// Bytes counted of each text.
const BYTES: usize = 1_000_000;
/// Tokens of the call whose gate is measured.
const CALL_TOKENS: usize = 200_000;
/// Times each piece of work is done; the lower middle one counts.
const RUNS: usize = 5;
/// The gate is quick: so many times.
const GATE_RUNS: usize = 51;

/// All of it.
#[derive(Debug, Serialize)]
pub struct TokenFigures {
    /// One row per text.
    pub counting: Vec<Counted>,
    /// One row per number of sources.
    pub allocation: Vec<Allocated>,
    /// What stands before each call.
    pub gate: Gate,
}

/// Milliseconds of the gate for a call of 200,000 tokens.
#[derive(Debug, Serialize)]
pub struct Gate {
    /// Where nobody has counted any of it before.
    pub first_ms: f64,
    /// Once all of it is counted.
    pub again_ms: f64,
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first_ms, again_ms } = self;
        write!(f, "gate, 200,000 tokens: {first_ms:.2} ms the first time, {again_ms:.2} ms once counted")
    }
}

/// Megabytes per second on one text.
#[derive(Debug, Serialize)]
pub struct Counted {
    /// What it is.
    pub text: &'static str,
    /// `o200k`.
    pub o200k: f64,
    /// `cl100k`.
    pub cl100k: f64,
    /// The estimate for other models.
    pub estimate: f64,
    /// `o200k` by the library itself.
    pub library: f64,
}

/// Allocation of so many sources in a tenth of their tokens.
#[derive(Debug, Serialize)]
pub struct Allocated {
    /// Sources.
    pub sources: usize,
    /// How long it takes.
    pub milliseconds: f64,
}

/// Measures everything.
#[must_use]
pub fn measure() -> TokenFigures {
    let gate = Gate::measured();
    TokenFigures {
        counting: texts().into_iter().map(|(name, text)| counting(name, &text)).collect(),
        allocation: [10, 100, 1_000, 10_000].into_iter().map(allocation).collect(),
        gate,
    }
}

/// The texts that are counted, by name.
#[must_use]
pub fn texts() -> [(&'static str, String); 7] {
    let fill = |piece: &str| piece.repeat(BYTES / piece.len() + 1);
    let mut seed = 7_u64;
    let random = (0..BYTES).map(|_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + ((seed >> 33) % 26) as u8)
    });
    [
        ("prose", fill("The glacier loses ice where the summer is warm, and gains some in winter (see Fig. 3). ")),
        ("code", fill("    if self.places.len() > MAX_PARTS {\n        return Err(failed(error));\n    }\n")),
        ("japanese", fill("予算を超える要求は送られない。結果は報告書に記される。")),
        ("spaces", fill(" ")),
        ("one letter", fill("a")),
        ("random letters", random.collect()),
        ("emoji with joiners", fill("🧑\u{200d}🚀👩🏽\u{200d}🔬")),
    ]
}

fn counting(name: &'static str, text: &str) -> Counted {
    let rate = |count: &dyn Fn(&str) -> u64| {
        let took = timed(RUNS, || std::hint::black_box(count(std::hint::black_box(text))));
        text.len() as f64 / 1e6 / took.as_secs_f64()
    };
    Counted {
        text: name,
        o200k: rate(&|t| Tokenizer::O200k.count(t)),
        cl100k: rate(&|t| Tokenizer::Cl100k.count(t)),
        estimate: rate(&|t| Tokenizer::Estimate.count(t)),
        library: rate(&|t| bpe_openai::o200k_base().count(t) as u64),
    }
}

fn allocation(sources: usize) -> Allocated {
    let mut seed = 11_u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let items: Vec<AllocationItem> = (0..sources)
        .map(|n| {
            let tokens = 200 + next(20_000);
            AllocationItem {
                source_id: SourceId::new(format!("s{n:05}")).expect("a short id"),
                found_at: None,
                tokens,
                priority: next(1_000) as f64 / 1_000.0,
                protected: next(50) == 0,
                quality: Quality::default(),
                whole_tokens: tokens,
                relevance: Some(next(1_000) as f64 / 1_000.0),
            }
        })
        .collect();
    let budget = items.iter().map(|item| item.tokens).sum::<u64>() / 10;
    let took = timed(RUNS, || std::hint::black_box(allocate(std::hint::black_box(&items), budget, true)));
    Allocated { sources, milliseconds: took.as_secs_f64() * 1e3 }
}

impl Gate {
    /// Measures it.
    #[must_use]
    pub fn measured() -> Self {
        let text = "Passage says that the result holds in most of the cases that were measured. ".repeat(8);
        let passage = |id: u32| TaskPassage {
            id,
            title: format!("Source {id}"),
            path: String::new(),
            source: id,
            text: format!("{id}. {text}"),
            score: f64::from(id % 97) / 97.0,
            units: Vec::new(),
            headings: Vec::new(),
            columns: String::new(),
            context: Vec::new(),
            similarity: Default::default(),
        };
        let each = Tokenizer::O200k.count(&passage(1).text) as usize;
        let passages = (1..=(CALL_TOKENS / each) as u32).map(passage).collect();
        let task = Task::Compress(CompressTask {
            notes: Vec::new(),
            query: "What holds?".into(),
            topic: String::new(),
            passages,
            max_findings: 20,
            known: Default::default(),
        });
        let known = LimitOverride {
            context_window: Some(400_000),
            tokenizer: Some(Tokenizer::O200k),
            ..LimitOverride::default()
        };
        let limits = Limits { overrides: [("a:b".to_owned(), known)].into(), ..Limits::default() };
        let counts = TokenCounts::default();
        let pass = || {
            let count = |text: &str| counts.count(Tokenizer::O200k, text);
            prepare(&task, "a:b", &limits, &Attempt::default(), &count).expect("fits").input_tokens
        };
        let watch = Watch::start();
        std::hint::black_box(pass());
        let first = watch.stop(1);
        let first_ms = first.cpu_seconds.unwrap_or(first.seconds) * 1e3;
        Self { first_ms, again_ms: timed(GATE_RUNS, pass).as_secs_f64() * 1e3 }
    }
}

/// Processor time where the system tells it, so that neighbours on a busy machine count little.
fn timed<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    let once = |_| {
        let watch = Watch::start();
        std::hint::black_box(work());
        let sample = watch.stop(1);
        sample.cpu_seconds.filter(|seconds| *seconds > 0.0).unwrap_or(sample.seconds)
    };
    let took: Vec<f64> = (0..runs).map(once).collect();
    Duration::from_secs_f64(median(&took))
}

impl TokenFigures {
    /// Lines of text.
    #[must_use]
    pub fn as_text(&self) -> String {
        let mut lines =
            vec![format!("{:<22}{:>10}{:>10}{:>10}{:>10}", "counting, MB/s", "o200k", "cl100k", "estimate", "library")];
        for row in &self.counting {
            let Counted { text, o200k, cl100k, estimate, library } = row;
            lines.push(format!("{text:<22}{o200k:>10.1}{cl100k:>10.1}{estimate:>10.1}{library:>10.1}"));
        }
        lines.push(String::new());
        lines.push(format!("{:<22}{:>10}", "allocation, sources", "ms"));
        for Allocated { sources, milliseconds } in &self.allocation {
            lines.push(format!("{sources:<22}{milliseconds:>10.3}"));
        }
        lines.push(String::new());
        lines.push(self.gate.to_string());
        lines.join("\n") + "\n"
    }
}
