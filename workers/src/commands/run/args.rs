//! The arguments of `precis run`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};
use precis_proto::DocumentFormat;

use crate::commands::local_session::LocalSession;
use crate::commands::session_args::SessionArgs;
use crate::input::QueryFrom;
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
    /// Target length of the report, in tokens
    #[arg(long, value_name = "N")]
    pub report_tokens: Option<String>,
    /// Print what the run may cost at most and usually costs, by phase, and stop: reads the documents, calls no model, writes no report
    #[arg(long)]
    pub dry_run: bool,
    /// Print how many tokens each phase sent to its models, per prompt layer
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Known attributes of single documents.
    #[command(flatten)]
    pub known: KnownArgs,
    /// Its model, what is printed, and where settings come from.
    #[command(flatten)]
    pub how: SessionArgs,
}

impl RunArgs {
    /// Returns the session that they ask for. The first positional argument is the question unless a flag gives it.
    pub(super) fn session(&self) -> LocalSession {
        let flag = match (&self.query, &self.query_file) {
            (Some(text), _) => Some(QueryFrom::Text(text.clone())),
            (None, Some(file)) => Some(QueryFrom::File(file.clone())),
            (None, None) => None,
        };
        // With the question in a flag, what would be the question is a document.
        let first = flag.as_ref().and(self.question.as_ref()).map(PathBuf::from);
        let question = flag.unwrap_or_else(|| QueryFrom::Text(self.question.clone().unwrap_or_default()));
        LocalSession {
            docs: first.iter().chain(&self.paths).chain(&self.docs).cloned().collect(),
            url: self.url.clone(),
            known: self.known.clone(),
            force: self.force,
            report_tokens: self.report_tokens.clone(),
            dry_run: self.dry_run,
            verbose: self.verbose,
            ..LocalSession::new(question, self.out.clone(), &self.how)
        }
    }
}
