//! The flags of every command that runs a session in this process.

use super::settings::Flag;
use crate::cli::ConfigArgs;

/// Which model a session uses, and what is printed of it.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SessionArgs {
    /// The model for every role, as NAME:MODEL; a vendor alone (anthropic, gemini, openai) selects a cheap and a strong model
    /// [default: local:extractive, built in, no network, no key]
    #[arg(long, value_name = "NAME[:MODEL]")]
    pub provider: Option<String>,
    /// Print only the result on standard output, as JSON
    #[arg(long)]
    pub json: bool,
    /// Print only errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Do not use or store cached model answers
    #[arg(long)]
    pub no_cache: bool,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

impl SessionArgs {
    /// Returns those flags that set a configuration key.
    pub(super) fn flags(&self) -> Vec<Flag> {
        let Some(provider) = &self.provider else { return Vec::new() };
        let role = |role: precis_proto::task::Role| {
            ("--provider".to_owned(), format!("roles.{}.providers", role.as_str()), provider.clone())
        };
        precis_proto::task::Role::OF_TASKS.map(role).to_vec()
    }
}
