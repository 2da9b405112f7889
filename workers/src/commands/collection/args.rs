//! The arguments of the subcommands.

use std::path::PathBuf;

use crate::cli::ConfigArgs;

/// Whose collections, and how they are printed.
#[derive(Debug, clap::Args)]
pub struct OfTenant {
    /// The tenant [default: the default tenant]
    #[arg(long, value_name = "NAME")]
    pub tenant: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Arguments of `precis collection create`.
#[derive(Debug, clap::Args)]
pub struct CreateArgs {
    /// A name for people
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Whose.
    #[command(flatten)]
    pub of: OfTenant,
}

/// Arguments of `precis collection add`.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// The collection
    #[arg(value_name = "ID")]
    pub id: String,
    /// Files, or folders of files
    #[arg(value_name = "PATH", num_args = 1.., required = true, value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Whose.
    #[command(flatten)]
    pub of: OfTenant,
}

/// Arguments of `precis collection list`.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    /// Whose.
    #[command(flatten)]
    pub of: OfTenant,
}

/// Arguments of `precis collection show`.
#[derive(Debug, clap::Args)]
pub struct OneArgs {
    /// The collection
    #[arg(value_name = "ID")]
    pub id: String,
    /// Whose.
    #[command(flatten)]
    pub of: OfTenant,
}

/// Arguments of `precis collection remove`.
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// The collection
    #[arg(value_name = "ID")]
    pub id: String,
    /// Remove only the file with this name
    #[arg(long, value_name = "NAME")]
    pub file: Option<String>,
    /// Whose.
    #[command(flatten)]
    pub of: OfTenant,
}
