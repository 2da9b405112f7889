//! The search lane arguments shared by the research commands.

use std::path::PathBuf;

use clap::ValueHint;

/// The folders and providers to search, and the filters on pages.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct LaneArgs {
    /// A folder to search; may be given more than once
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub corpus: Vec<PathBuf>,
    /// A search provider for web pages; may be given more than once: the next one is used if one fails
    #[arg(long, value_name = "NAME")]
    pub web: Vec<String>,
    /// A search provider for papers; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub academic: Vec<String>,
    /// Treat your files as public: names found in them may be sent to search providers
    #[arg(long)]
    pub public: bool,
    /// Treat the question as confidential: no search provider is used
    #[arg(long)]
    pub confidential_query: bool,
    /// Only read pages of this domain and its subdomains; may be given more than once
    #[arg(long, value_name = "DOMAIN")]
    pub allow_domain: Vec<String>,
    /// Never read pages of this domain or its subdomains; may be given more than once
    #[arg(long, value_name = "DOMAIN")]
    pub deny_domain: Vec<String>,
    /// Only read pages published on or after this day, such as 2026-01-31
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub since: Option<String>,
}

impl LaneArgs {
    /// Returns whether no folder and no provider is given.
    pub(super) fn is_empty(&self) -> bool {
        self.corpus.is_empty() && self.providers().next().is_none()
    }

    /// Returns whether a filter on pages is given.
    pub(super) fn narrows(&self) -> bool {
        !self.allow_domain.is_empty() || !self.deny_domain.is_empty() || self.since.is_some()
    }

    /// Returns the names of all search providers.
    pub(super) fn providers(&self) -> impl Iterator<Item = &String> {
        self.web.iter().chain(&self.academic)
    }
}

/// Parses a calendar day in the format that requests use.
fn day(text: &str) -> Result<String, String> {
    match text.parse::<jiff::civil::Date>() {
        Ok(day) if day.to_string() == text => Ok(text.to_owned()),
        _ => Err("expected a calendar day, such as 2026-01-31".to_owned()),
    }
}
