//! The arguments of the subcommands of `precis corpus`.

use std::path::PathBuf;

use clap::ValueHint;

use crate::cli::ConfigArgs;
use crate::cli::every::Every;

/// Arguments of `precis corpus add`.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// The folder
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Make a vector for every passage with the model of `meaning.model`, so that searches find what is said in other words
    #[arg(long)]
    pub meaning: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis corpus watch`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The folders are looked at by file size and time, which works on network shares too. A file that is being written is indexed once two polls
in a row saw it alike. While a folder is away or empty its index stays as it is. Ctrl-C or SIGTERM ends the command.")]
pub struct WatchArgs {
    /// The folders
    #[arg(value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    pub dirs: Vec<PathBuf>,
    /// Time between two polls, from 1s to 366d
    #[arg(long, value_name = "INTERVAL", default_value = "10s")]
    pub every: Every,
    /// Make a vector for every new passage with the model of `meaning.model`
    #[arg(long)]
    pub meaning: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis corpus status`.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// The folder
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis corpus search`.
#[derive(Debug, clap::Args)]
pub struct CorpusSearchArgs {
    /// The folder
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// A question or words to search for; `-` reads it from standard input
    #[arg(value_name = "QUESTION", required_unless_present = "query", conflicts_with = "query")]
    pub question: Option<String>,
    /// The question, as a flag
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    pub query: Option<String>,
    /// Maximum number of passages, up to 1000
    #[arg(long, value_name = "N", default_value_t = precis_corpus::limits::DEFAULT_HITS)]
    pub limit: usize,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

impl CorpusSearchArgs {
    /// Returns the query, from the positional argument or the flag.
    pub(super) fn query_text(&self) -> &str {
        self.question.as_deref().or(self.query.as_deref()).unwrap_or_default()
    }
}

/// Arguments of `precis corpus remove`.
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// The folder; it may have been deleted already
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}
