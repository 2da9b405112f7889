//! `precis digest`: digests one document for a question, with the built-in model.

use precis_context::digest::{DigestInput, build};
use precis_evidence::meaning::Sense;
use precis_evidence::ranking::rank_sensed;
use precis_proto::digest::DigestPayload;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::task::SummarizeTask;
use precis_research::extractive;
use precis_text::tokens;

use super::extract::{SessionDocument, read, refuse};
use super::model::model_of_meaning;
use super::settings::load_settings;
use super::{runtime, vectors_alone};
use crate::cli::exit::Exit;
use crate::cli::{ConfigArgs, terminal};
use crate::meaning::WorkingModel;
use crate::options::DigestOptions;

/// Target length of summary and key points together, in tokens, as in a session.
const SUMMARY_TOKENS: u64 = 400;

/// Arguments of `precis digest`.
#[derive(Debug, clap::Args)]
pub struct DigestArgs {
    /// A file, or a page to fetch
    #[arg(value_name = "FILE|URL", value_hint = clap::ValueHint::AnyPath)]
    pub document: String,
    /// The question
    #[arg(long, value_name = "Q")]
    pub query: String,
    /// Print the payload `digest/v1` as JSON
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Prints the digest, or the failure.
#[must_use]
pub fn run(args: &DigestArgs) -> Exit {
    let made = load_settings(&args.config, Vec::new()).and_then(|loaded| {
        let model = model_of_meaning(&loaded.settings)?;
        let found = read(&args.document, &loaded.settings)?;
        // Kept until the digest is made: a server of vectors is asked on it.
        let runtime = runtime()?;
        let _within = runtime.enter();
        let working = model.map(|model| vectors_alone::begin(&loaded.settings, &model)).transpose()?;
        let made = digest(&found, &args.query, &DigestOptions::from_settings(&loaded.settings), working.as_ref());
        if let Some((working, failure)) = working.as_ref().and_then(|working| Some((working, working.failure()?))) {
            let why = vectors_alone::describe_failure(working, &failure);
            terminal::print_warning(&format!("{why}; words alone decided"));
        }
        Ok(made)
    });
    match made {
        Ok(payload) => super::finish(match args.json {
            true => terminal::print_json(&as_json(&payload)),
            false => terminal::print(&as_text(&payload)),
        }),
        Err(failure) => refuse(&failure, args.json),
    }
}

fn digest(
    found: &SessionDocument,
    query: &str,
    settings: &DigestOptions,
    model: Option<&WorkingModel>,
) -> DigestPayload {
    let task = SummarizeTask {
        level: FidelityLevel::KeyPoints,
        query: query.to_owned(),
        title: found.parsed.title.clone().unwrap_or_default(),
        text: found.text.as_str().to_owned(),
        target_tokens: SUMMARY_TOKENS,
    };
    let summary = extractive::summarize(&task, &tokens::count);
    let by = (settings.ranker, model.map(|meaning| Sense { meaning, passages: settings.meaning_passages }));
    let snippets = rank_sensed(&found.text, query, by, settings.evidence_max_chars, settings.max_snippets());
    let (summary, key_points) = (&summary.summary, &summary.key_points);
    build(&DigestInput { text: &found.text, query, summary, key_points, snippets })
}

fn as_json(payload: &DigestPayload) -> String {
    let text = serde_json::to_string_pretty(payload).expect("a payload has string keys and finite numbers");
    format!("{text}\n")
}

fn as_text(payload: &DigestPayload) -> String {
    let mut text = format!("Summary\n\n  {}\n", payload.summary);
    if !payload.key_points.is_empty() {
        text.push_str("\nKey points\n\n");
    }
    for point in &payload.key_points {
        text.push_str(&format!("  - {point}\n"));
    }
    if !payload.evidence_snippets.is_empty() {
        text.push_str("\nEvidence, best first\n");
    }
    for snippet in &payload.evidence_snippets {
        text.push_str(&format!("\n  {}  score {:.3}\n  {}\n", snippet.locator, snippet.relevance_score, snippet.text));
    }
    terminal::printable(&text)
}
