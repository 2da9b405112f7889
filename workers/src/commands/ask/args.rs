//! The arguments of `precis ask`, and what follows from them wherever the earlier report is.

use std::path::{Path, PathBuf};

use clap::ValueHint;
use precis_proto::request::REPORT_TOKENS;

use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::disclosure::{EarlierLabel, PublicQueryArg};
use crate::commands::lane_args::LaneArgs;
use crate::commands::limit_args::LimitArgs;
use crate::commands::research;
use crate::commands::session_args::SessionArgs;
use crate::report::directory::unused_dir;

/// Arguments of `precis ask`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis ask precis-out \"And who pays for delays?\"
  precis ask precis-out \"What changed since?\" --docs amendment.pdf --out amended
  precis ask precis-out \"And who pays?\" --research --corpus contracts/
  precis ask s-0f3a \"Who signs?\" --project brief.md          # a session of a fleet

The model also gets the earlier question, its answer and the quotes behind it; the earlier documents are read again from
the archive. If all of this does not fit into the model's context window, the oldest turns are left out first.

With --research, or with a folder or search provider, new documents are searched for as well. Documents that were already read are not
fetched again and do not count towards the limits. A question such as \"And who pays?\" is searched together with words of the previous
question. A search provider receives words of your questions and of its own results, never of answers, documents or folders.")]
pub struct AskArgs {
    /// The directory of the report or its report.json, or the id of a session of a fleet
    #[arg(value_name = "SESSION", value_hint = ValueHint::AnyPath)]
    pub session: String,
    /// The question
    #[arg(value_name = "QUESTION")]
    pub question: String,
    /// Additional documents, or folders of documents
    #[arg(long, short, value_name = "PATH", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub docs: Vec<PathBuf>,
    /// An additional page to fetch
    #[arg(long, value_name = "URL", num_args = 1.., value_hint = ValueHint::Url)]
    pub url: Vec<String>,
    /// Read only the documents given here, not the earlier ones
    #[arg(long)]
    pub only_new: bool,
    /// Search for new documents; needs --corpus, --web or --academic, each of which implies it
    #[arg(long)]
    pub research: bool,
    /// Where to search; for a fleet, --corpus takes the hash that `precis corpus publish` prints.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// What may be disclosed.
    #[command(flatten)]
    pub disclosure: PublicQueryArg,
    /// Depth and limits of the search.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// A text file with background that applies to the whole project
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub project: Option<PathBuf>,
    /// Directory for the report [default: precis-answer, or the first of precis-answer-2, -3, … that does not exist yet]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Write into a directory that contains other files
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Target length of the report, in tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(REPORT_TOKENS))]
    pub report_tokens: Option<u64>,
    /// Print how many tokens each phase sent to its models, per prompt layer
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Its model, what is printed, and where settings come from. The workers of a fleet use their own models.
    #[command(flatten)]
    pub how: SessionArgs,
}

impl AskArgs {
    /// Returns whether new documents are searched for.
    pub(super) fn searches(&self) -> bool {
        self.research || !self.lanes.is_empty()
    }

    /// Refuses `--research` without a place to search, and search limits without a search.
    pub(super) fn check_lanes(&self) -> Result<(), CommandFailure> {
        let limits = LimitArgs { deadline: None, ..self.limits.clone() };
        match self.lanes.is_empty() {
            true if self.research => {
                Err(research::nothing_to_search("--research needs a folder or a search provider to search"))
            }
            true if limits.is_given() || self.lanes.narrows() => {
                Err(research::nothing_to_search("search limits are given, but no folder or search provider to search"))
            }
            _ => Ok(()),
        }
    }

    /// Returns where to search, with what is inherited from the earlier report.
    pub(super) fn inherit(&self, label: &EarlierLabel) -> LaneArgs {
        let adds_files = !self.docs.is_empty() || !self.lanes.corpus.is_empty();
        label.inherit_lanes(&self.lanes, self.disclosure, adds_files, self.how.quiet)
    }

    /// Returns the output directory; without `--out` an unused one, so that a second answer does not replace the first.
    pub(super) fn out_dir(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| unused_dir(Path::new("precis-answer")))
    }
}

pub(super) fn nothing_to_read() -> CommandFailure {
    let message = "there is no document to read: the archive contains none of the earlier documents";
    CommandFailure::new(Exit::Refused, "no_readable_source", message).with_remedy("pass documents with --docs")
}
