//! The arguments of the subcommands of `precis standing`.

use std::path::PathBuf;

use clap::ValueHint;
use precis_proto::CollectionId;

use crate::cli::ConfigArgs;
use crate::cli::every::Every;
use crate::commands::lane_args::LaneArgs;
use crate::commands::submit::collection_id;

/// Arguments of `precis standing add`.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// The question
    #[arg(value_name = "QUESTION")]
    pub question: String,
    /// Where to search.
    #[command(flatten)]
    pub lanes: LaneArgs,
    /// A collection of the fleet, by its id; may be given more than once: the fleet searches its newest version, and so it does providers
    #[arg(long, value_name = "ID", value_parser = collection_id, conflicts_with = "corpus")]
    pub collection: Vec<CollectionId>,
    /// With --collection: the tenant to charge, whose collections they are
    #[arg(long, value_name = "NAME", requires = "collection")]
    pub tenant: Option<String>,
    /// Time between two runs, from 1s to 366d
    #[arg(long, value_name = "INTERVAL", default_value = "1d")]
    pub every: Every,
    /// Directory for its report [default: precis-standing- and a part of its id]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis standing list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `precis standing remove`.
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// The ids that `precis standing list` prints
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

/// Arguments of `precis standing run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Run these questions now, whether or not they are due [default: every question that is due]
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Print one JSON array with the notices
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}
