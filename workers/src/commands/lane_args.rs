//! Where a research may look: the arguments that its commands share.

use std::path::PathBuf;

use clap::ValueHint;

/// Folders and providers that may be searched, and what is wanted of pages.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct LaneArgs {
    /// A folder to search; may be given more than once
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub corpus: Vec<PathBuf>,
    /// A search provider for pages; the next one is asked where one fails
    #[arg(long, value_name = "NAME")]
    pub web: Vec<String>,
    /// A search provider for papers
    #[arg(long, value_name = "NAME")]
    pub academic: Vec<String>,
    /// Let search providers see what stands in your files: names in them are searched on the web
    #[arg(long)]
    pub public: bool,
    /// Ask no search provider anything: the question is private too
    #[arg(long)]
    pub confidential_query: bool,
    /// Only pages of this domain and below it; may be given more than once
    #[arg(long, value_name = "DOMAIN")]
    pub allow_domain: Vec<String>,
    /// No page of this domain or below it; may be given more than once
    #[arg(long, value_name = "DOMAIN")]
    pub deny_domain: Vec<String>,
    /// Only pages published since this day, as 2026-01-31
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub since: Option<String>,
}

impl LaneArgs {
    /// Whether nothing is named that could be searched.
    pub(super) fn is_empty(&self) -> bool {
        self.corpus.is_empty() && self.providers().next().is_none()
    }

    /// Whether something is wanted of pages.
    pub(super) fn narrows(&self) -> bool {
        !self.allow_domain.is_empty() || !self.deny_domain.is_empty() || self.since.is_some()
    }

    /// The names of the search providers.
    pub(super) fn providers(&self) -> impl Iterator<Item = &String> {
        self.web.iter().chain(&self.academic)
    }
}

/// A day of the calendar, as it is written to a request.
fn day(text: &str) -> Result<String, String> {
    match text.parse::<jiff::civil::Date>() {
        Ok(day) if day.to_string() == text => Ok(text.to_owned()),
        _ => Err("expected a day of the calendar, such as 2026-01-31".to_owned()),
    }
}
