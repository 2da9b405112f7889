//! Limits that end a session's rounds, and each lane's share of them.

use precis_proto::account::{Account, Spent};
use precis_proto::research::{Lane, ResearchOptions, Stop};

use super::budget::ResearchLimits;
use super::delegate::MOST_DIRECTIVES;
use super::refinement::refinements;

/// Share of tokens, money and time that is reserved for reading the documents and writing the report.
pub const RESERVE: f64 = 0.2;

/// Time of a session, used and in total, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed {
    /// Since it was accepted.
    pub used: i64,
    /// From acceptance to its deadline; `None` if it has none.
    pub whole: Option<i64>,
}

/// Share of tokens, money and time that is kept for refinement, beside the [`RESERVE`], and one part in how many of the searches. Chosen,
/// not measured.
const REFINEMENT_RESERVE: f64 = 0.2;
const REFINEMENT_SEARCHES: u32 = 5;

/// What is reserved while rounds of research begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    /// The [`RESERVE`] for the report.
    Report,
    /// That, and as much for further iterations.
    ReportAndRefinement,
}

impl Reserved {
    /// What the first rounds of a session with these options leave: a part for refinement only if there may be any.
    #[must_use]
    pub fn in_first_rounds(options: &ResearchOptions) -> Self {
        if refinements(options) > 0 { Self::ReportAndRefinement } else { Self::Report }
    }

    /// The part that may be used, 0 to 1.
    fn usable(self) -> f64 {
        match self {
            Self::Report => 1.0 - RESERVE,
            Self::ReportAndRefinement => 1.0 - (RESERVE + REFINEMENT_RESERVE),
        }
    }
}

/// The reason why no further round may begin, once tokens, money or time are used up except for what is `reserved`; `None` before.
#[must_use]
pub fn stop_reason(account: &Account, spent: Spent, elapsed: Elapsed, reserved: Reserved) -> Option<Stop> {
    let is_over = |used: f64, limit: Option<f64>| limit.is_some_and(|limit| used >= limit * reserved.usable());
    if is_over(spent.tokens as f64, account.max_spend_tokens.map(|limit| limit as f64)) {
        Some(Stop::Tokens)
    } else if spent.usd > 0.0 && is_over(spent.usd, account.max_spend_usd) {
        Some(Stop::Money)
    } else if is_over(elapsed.used as f64, elapsed.whole.map(|whole| whole as f64)) {
        Some(Stop::Time)
    } else {
        None
    }
}

/// Share of what is read that is kept for folders under strict privacy.
const FOLDER_SHARE: u32 = 4;

impl ResearchLimits {
    /// The limits of a session with these options, all lanes together: those it sets, else those of its depth.
    #[must_use]
    pub fn for_options(options: &ResearchOptions) -> Self {
        let usual = Self::of_depth(options.depth);
        Self {
            sources: options.max_sources.unwrap_or(usual.sources),
            searches: options.max_searches.unwrap_or(usual.searches),
            rounds: options.max_rounds.unwrap_or(usual.rounds),
        }
    }

    /// The same limits without the searches that are kept for refinement: a fifth of those of all web lanes.
    #[must_use]
    pub fn before_refinement(self) -> Self {
        Self { searches: self.searches - self.searches / REFINEMENT_SEARCHES, ..self }
    }

    /// The limits of each of `lanes`, which together never pass these.
    ///
    /// The searches are those of the web lanes, which share them; folders are searched for free. So a search provider cannot tell sessions
    /// with private files from those without. If `is_apart`, folders have a fixed share of what is read, whether or not there are any.
    #[must_use]
    pub fn for_lanes(self, lanes: &[Lane], is_apart: bool) -> Vec<Self> {
        let web = lanes.iter().filter(|lane| lane.is_public()).count();
        let web_sources = if is_apart { self.sources - kept_for_folders(self.sources) } else { self.sources };
        let mut web_limits = (0..web).map(|n| {
            let sources = if is_apart { part(web_sources, n, web) } else { web_sources };
            Self { searches: part(self.searches, n, web), sources, ..self }
        });
        // Without web lanes the limit is kept for the record: it limits nothing.
        let searches = if web == 0 { self.searches } else { 0 };
        let sources = if is_apart && web > 0 { self.sources - web_sources } else { self.sources };
        let folders = Self { searches, sources, ..self };
        lanes.iter().map(|lane| if lane.is_public() { web_limits.next() } else { None }.unwrap_or(folders)).collect()
    }
}

/// The part of `limit` that web lanes leave to folders: a quarter, but at least one of two or more.
fn kept_for_folders(limit: u32) -> u32 {
    if limit < 2 { 0 } else { (limit / FOLDER_SHARE).max(1) }
}

/// The directives that each of `lanes` may have in a round. Web lanes share them; folders have as many of their own, so that what web
/// lanes do does not depend on folders.
#[must_use]
pub fn directives_for_lanes(lanes: &[Lane]) -> Vec<usize> {
    let web = lanes.iter().filter(|lane| lane.is_public()).count();
    let mut parts = (0..web).map(|n| part(MOST_DIRECTIVES as u32, n, web) as usize);
    let of = |lane: &Lane| if lane.is_public() { parts.next() } else { None }.unwrap_or(MOST_DIRECTIVES);
    lanes.iter().map(of).collect()
}

/// The `n`th of `count` parts of `whole`, as equal as possible, larger parts first.
fn part(whole: u32, n: usize, count: usize) -> u32 {
    let count = count.max(1) as u32;
    whole / count + u32::from((n as u32) < whole % count)
}

#[cfg(test)]
mod tests {
    use Lane::{Academic, Local, Web};
    use precis_proto::research::Depth;

    use super::*;

    #[test]
    fn web_lanes_share_searches_and_directives_and_folders_do_not() {
        let limits = |searches| ResearchLimits { rounds: 3, searches, sources: 10 };
        for (searches, lanes, want) in [
            (20, &[Local][..], &[20][..]),
            (20, &[Web], &[20]),
            (20, &[Local, Web], &[0, 20]),
            (21, &[Local, Web, Academic], &[0, 11, 10]),
            (1, &[Web, Academic], &[1, 0]),
            (0, &[Local, Web], &[0, 0]),
            (9, &[], &[]),
        ] {
            let all = limits(searches).for_lanes(lanes, false);
            let found: Vec<u32> = all.iter().map(|lane| lane.searches).collect();
            assert_eq!(found, want, "{searches} {lanes:?}");
            assert!(all.iter().all(|lane| lane.rounds == 3 && lane.sources == 10));
        }
        for (lanes, want) in [
            (&[Local][..], &[5][..]),
            (&[Web], &[5]),
            (&[Local, Web], &[5, 5]),
            (&[Local, Web, Academic], &[5, 3, 2]),
            (&[Web, Academic], &[3, 2]),
        ] {
            assert_eq!(directives_for_lanes(lanes), want, "{lanes:?}");
        }
    }

    #[test]
    fn a_request_sets_its_limits_and_else_its_depth_does() {
        let of = |depth, max_searches, max_rounds| {
            let options = ResearchOptions { depth, max_searches, max_rounds, ..ResearchOptions::default() };
            let limits = ResearchLimits::for_options(&options);
            (limits.rounds, limits.searches)
        };
        for (depth, searches, rounds, want) in [
            (Depth::Quick, None, None, (1, 6)),
            (Depth::Deep, None, None, (6, 100)),
            (Depth::Quick, Some(60), Some(4), (4, 60)),
            (Depth::Deep, Some(7), None, (6, 7)),
        ] {
            assert_eq!(of(depth, searches, rounds), want, "{depth:?} {searches:?} {rounds:?}");
        }
    }

    #[test]
    fn a_fifth_of_the_searches_is_kept_for_refinement() {
        for (searches, want) in [(0, 0), (4, 4), (5, 4), (30, 24), (100, 80)] {
            let limits = ResearchLimits { rounds: 3, searches, sources: 10 };
            assert_eq!(limits.before_refinement().searches, want, "{searches}");
        }
    }

    #[test]
    fn what_a_web_lane_may_use_does_not_depend_on_folders() {
        for limit in 0..64 {
            let limits = ResearchLimits { rounds: 3, searches: limit, sources: limit };
            for (without, with) in [(&[Web][..], &[Local, Web][..]), (&[Web, Academic], &[Local, Web, Academic])] {
                for is_apart in [false, true] {
                    let all = limits.for_lanes(with, is_apart);
                    assert_eq!(limits.for_lanes(without, is_apart), all[1..], "{limit} {with:?}");
                    let read: u32 = all.iter().map(|lane| lane.sources).sum();
                    assert!(!is_apart || read == limit, "{limit} {with:?}: {read} documents");
                }
                assert_eq!(directives_for_lanes(without), directives_for_lanes(with)[1..]);
            }
        }
    }

    #[test]
    fn a_fifth_of_the_budget_is_reserved_for_report_and_refinement_each() {
        let account = Account { max_spend_tokens: Some(100), max_spend_usd: Some(1.0), ..Account::default() };
        for (tokens, usd, used, want) in [
            (79, 0.79, 79, None),
            (80, 0.0, 0, Some(Stop::Tokens)),
            (81, 0.9, 90, Some(Stop::Tokens)),
            (0, 0.8, 0, Some(Stop::Money)),
            (0, 0.0, 80, Some(Stop::Time)),
        ] {
            let exhausted =
                |reserved| stop_reason(&account, Spent { usd, tokens }, Elapsed { used, whole: Some(100) }, reserved);
            assert_eq!(exhausted(Reserved::Report), want, "{tokens} {usd} {used}");
            assert!(want.is_none() || exhausted(Reserved::ReportAndRefinement).is_some());
        }
        for (tokens, want) in [(59, None), (60, Some(Stop::Tokens)), (61, Some(Stop::Tokens))] {
            let elapsed = Elapsed { used: 0, whole: None };
            let found = stop_reason(&account, Spent { usd: 0.0, tokens }, elapsed, Reserved::ReportAndRefinement);
            assert_eq!(found, want, "{tokens}");
        }
        let much = Spent { usd: 100.0, tokens: 1_000_000 };
        assert_eq!(
            stop_reason(&Account::default(), much, Elapsed { used: i64::MAX, whole: None }, Reserved::Report),
            None
        );
        let free = Account { max_spend_usd: Some(0.0), ..Account::default() };
        assert_eq!(
            stop_reason(&free, Spent::default(), Elapsed { used: 0, whole: None }, Reserved::Report),
            None,
            "nothing costs nothing"
        );
    }
}
