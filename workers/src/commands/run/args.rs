//! The arguments of `precis run`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};
use precis_proto::DocumentFormat;

use crate::cli::ConfigArgs;
use crate::input::attributes::KnownArgs;

const RUN_EXAMPLES: &str = "\
Examples:
  precis run \"What are the main risks?\" papers/
  precis run \"Who pays?\" *.pdf --out who-pays --report-tokens 800
  pdftotext scan.pdf - | precis run \"Who signed?\" -
  echo \"Who pays?\" | precis run --query - --docs contracts/ --json | jq .data.report
  precis run --query \"Who pays?\" --docs contracts/ --provider ollama:qwen3:4b

Nothing leaves this machine unless you pass --url or use a provider other than local:extractive.";

fn after_help() -> String {
    format!("{RUN_EXAMPLES}\n\nReads {}.", DocumentFormat::list("and"))
}

/// Arguments of `precis run`.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
#[command(group(ArgGroup::new("asked").required(true).multiple(true).args(["question", "query", "query_file"])))]
#[command(group(ArgGroup::new("sources").required(true).multiple(true).args(["paths", "question", "docs", "url"])))]
pub struct RunArgs {
    /// The question; with --query or --query-file this is another document path instead
    #[arg(value_name = "QUESTION")]
    pub question: Option<String>,
    /// Documents, folders or glob patterns; `-` reads a document from standard input
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// The question; `-` reads it from standard input
    #[arg(long, value_name = "Q", allow_hyphen_values = true, conflicts_with = "query_file")]
    pub query: Option<String>,
    /// A file that contains the question; `-` for standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub query_file: Option<PathBuf>,
    /// Documents, folders or glob patterns; `-` reads a document from standard input
    #[arg(long, short, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// A page to fetch
    #[arg(long, value_name = "URL", num_args = 1.., value_hint = ValueHint::Url)]
    pub url: Vec<String>,
    /// A text file with background that applies to the whole project
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub project: Option<PathBuf>,
    /// Directory for the report; an earlier report in it is replaced
    #[arg(long, short, value_name = "DIR", default_value = "precis-out", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Write into a directory that contains other files, and overwrite a report.md that precis did not write
    #[arg(long)]
    pub force: bool,
    /// The model for every role, as NAME:MODEL; a vendor alone (anthropic, gemini, openai) selects a cheap and a strong model
    /// [default: local:extractive, built in, no network, no key]
    #[arg(long, value_name = "NAME[:MODEL]")]
    pub provider: Option<String>,
    /// Target length of the report, in tokens
    #[arg(long, value_name = "N")]
    pub report_tokens: Option<String>,
    /// Print what the run may cost at most and usually costs, by phase, and stop: reads the documents, calls no model, writes no report
    #[arg(long)]
    pub dry_run: bool,
    /// Print only the response envelope on standard output, as JSON
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print how many tokens each phase sent to its models, per prompt layer
    #[arg(long, short)]
    pub verbose: bool,
    /// Do not use or store cached model answers
    #[arg(long)]
    pub no_cache: bool,
    /// Known attributes of single documents.
    #[command(flatten)]
    pub known: KnownArgs,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}
