//! The search lane arguments shared by the research commands.

use std::path::PathBuf;

use clap::ValueHint;
use precis_proto::privacy::Privacy;
use precis_proto::research::{MAX_CORPORA, MAX_DOMAINS, MAX_LANE_PROVIDERS};

use crate::cli::exit::{CommandFailure, Exit};

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

    /// Returns what the flags say about disclosure.
    pub(super) fn privacy(&self) -> Privacy {
        Privacy { confidential_query: self.confidential_query, public: self.public, strict_privacy: false }
    }

    /// Checks how often each flag may be given, before any folder is indexed.
    ///
    /// # Errors
    /// [`Exit::Usage`] with the flag that is given too often.
    pub(super) fn check_counts(&self) -> Result<(), CommandFailure> {
        let counts = [
            ("--corpus", self.corpus.len(), MAX_CORPORA),
            ("--web", self.web.len(), MAX_LANE_PROVIDERS),
            ("--academic", self.academic.len(), MAX_LANE_PROVIDERS),
            ("--allow-domain", self.allow_domain.len(), MAX_DOMAINS),
            ("--deny-domain", self.deny_domain.len(), MAX_DOMAINS),
        ];
        let Some((flag, found, most)) = counts.into_iter().find(|(_, found, most)| found > most) else { return Ok(()) };
        let message = format!("{flag} may be given at most {most} times, got {found}");
        let failure = CommandFailure::new(Exit::Usage, "too_many_entries", message);
        Err(failure.with_remedy(format!("pass fewer of {flag}; a folder may contain other folders")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flag_may_be_given_as_often_as_a_request_allows() {
        let names = |count: usize| vec!["x".to_owned(); count];
        let lanes = |count| LaneArgs { corpus: vec![PathBuf::from("x"); count], ..LaneArgs::default() };
        assert!(lanes(MAX_CORPORA).check_counts().is_ok());
        for (lanes, flag) in [
            (lanes(MAX_CORPORA + 1), "--corpus"),
            (LaneArgs { web: names(MAX_LANE_PROVIDERS + 1), ..LaneArgs::default() }, "--web"),
            (LaneArgs { academic: names(MAX_LANE_PROVIDERS + 1), ..LaneArgs::default() }, "--academic"),
            (LaneArgs { allow_domain: names(MAX_DOMAINS + 1), ..LaneArgs::default() }, "--allow-domain"),
            (LaneArgs { deny_domain: names(MAX_DOMAINS + 1), ..LaneArgs::default() }, "--deny-domain"),
        ] {
            let failure = lanes.check_counts().expect_err("too many");
            assert!(failure.message.starts_with(flag), "{failure}");
        }
    }
}
