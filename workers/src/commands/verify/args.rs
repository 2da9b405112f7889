//! The arguments of `precis verify`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Arguments of `precis verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The report, or the directory that contains it
    #[arg(value_name = "report.json", value_hint = ValueHint::AnyPath)]
    pub report: PathBuf,
    /// Directory of the archived texts [default: archive/ next to the report]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub archive: Option<PathBuf>,
    /// Also compare the documents at these paths with the ones that were read; a changed document is a mismatch
    #[arg(long, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing; only set the exit code
    #[arg(long, short)]
    pub quiet: bool,
}
