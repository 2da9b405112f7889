//! Limits that end a session's rounds, and each lane's share of them.

use precis_proto::account::{Account, Spent};
use precis_proto::research::{Complexity, Lane, ResearchOptions, Stop};

use super::budget::ResearchLimits;
use super::delegate::MOST_DIRECTIVES;

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

/// The reason why no further round may begin, once tokens, money or time are used up except for the [`RESERVE`]; `None` before.
#[must_use]
pub fn exhausted(account: &Account, spent: Spent, elapsed: Elapsed) -> Option<Stop> {
    let is_over = |used: f64, limit: Option<f64>| limit.is_some_and(|limit| used >= limit * (1.0 - RESERVE));
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

/// Share of a session's searches, and under strict privacy of what it reads, that is kept for folders.
const FOLDER_SHARE: u32 = 4;

impl ResearchLimits {
    /// The limits of a session with these options, all lanes together, whatever the complexity of its question.
    #[must_use]
    pub fn for_options(options: &ResearchOptions) -> Self {
        let usual = Self::of_depth(options.depth);
        let own = Self {
            sources: options.max_sources.unwrap_or(usual.sources),
            searches: options.max_searches.unwrap_or(u32::MAX),
            rounds: options.max_rounds.unwrap_or(u32::MAX),
        };
        Self { sources: own.sources, ..usual.min(own) }
    }

    /// The limits of each of `lanes`, which together never pass these.
    ///
    /// The limits of a web lane depend on the other web lanes alone: a part of the searches is kept for folders whether or not there are
    /// any, so that a search provider cannot tell sessions with private files from those without. Folders have what the web lanes may
    /// not use. Each lane has at most the searches that `complexity` deserves. If `is_apart`, what is read is divided in the same way.
    #[must_use]
    pub fn for_lanes(self, lanes: &[Lane], complexity: Complexity, is_apart: bool) -> Vec<Self> {
        let web = lanes.iter().filter(|lane| lane.is_public()).count();
        let web_searches = self.searches - kept_for_folders(self.searches);
        let web_sources = if is_apart { self.sources - kept_for_folders(self.sources) } else { self.sources };
        let web_limits: Vec<Self> = (0..web)
            .map(|n| {
                let sources = if is_apart { part(web_sources, n, web) } else { web_sources };
                Self { searches: part(web_searches, n, web), sources, ..self }.for_complexity(complexity)
            })
            .collect();
        let used: u32 = web_limits.iter().map(|limits| limits.searches).sum();
        let sources = if is_apart && web > 0 { self.sources - web_sources } else { self.sources };
        let folders = Self { searches: self.searches - used, sources, ..self }.for_complexity(complexity);
        let mut web_limits = web_limits.into_iter();
        lanes.iter().map(|lane| if lane.is_public() { web_limits.next() } else { None }.unwrap_or(folders)).collect()
    }
}

/// The part of `limit` that web lanes leave to folders: a quarter, but at least one of two or more.
fn kept_for_folders(limit: u32) -> u32 {
    if limit < 2 { 0 } else { (limit / FOLDER_SHARE).max(1) }
}

/// The directives that each of `lanes` may have in a round. Web lanes share all but one, whether or not there are folders, for the reason
/// given at [`ResearchLimits::for_lanes`]; folders have at least the remaining one, and all that the web lanes leave of a round.
#[must_use]
pub fn directives_for_lanes(lanes: &[Lane]) -> Vec<usize> {
    let web = lanes.iter().filter(|lane| lane.is_public()).count();
    let shared = MOST_DIRECTIVES as u32 - 1;
    let mut parts = (0..web).map(|n| part(shared, n, web) as usize);
    lanes
        .iter()
        .map(|lane| match (lane.is_public(), web) {
            (true, _) => parts.next().unwrap_or(1),
            (false, 0) => MOST_DIRECTIVES,
            (false, _) => 1,
        })
        .collect()
}

/// The `n`th of `count` parts of `whole`, as equal as possible, larger parts first.
fn part(whole: u32, n: usize, count: usize) -> u32 {
    let count = count.max(1) as u32;
    whole / count + u32::from((n as u32) < whole % count)
}

#[cfg(test)]
mod tests {
    use Lane::{Academic, Local, Web};

    use super::*;

    #[test]
    fn searches_and_directives_are_divided_among_lanes_and_none_is_lost() {
        let limits = |searches| ResearchLimits { rounds: 3, searches, sources: 10 };
        for (searches, lanes, complexity, want) in [
            (20, &[Local][..], Complexity::Simple, &[4][..]),
            (20, &[Local], Complexity::Complex, &[12]),
            (3, &[Local], Complexity::Complex, &[3]),
            (20, &[Web], Complexity::Complex, &[12]),
            (20, &[Local, Web], Complexity::Simple, &[4, 4]),
            (20, &[Local, Web], Complexity::Complex, &[8, 12]),
            (20, &[Local, Web, Academic], Complexity::Complex, &[5, 8, 7]),
            (20, &[Web, Academic], Complexity::Complex, &[8, 7]),
            (8, &[Local, Web], Complexity::Moderate, &[2, 6]),
            (6, &[Local, Web], Complexity::Moderate, &[1, 5]),
            (6, &[Local, Web], Complexity::Simple, &[2, 4]),
            (2, &[Local, Web], Complexity::Simple, &[1, 1]),
            (1, &[Local, Web], Complexity::Simple, &[0, 1]),
            (1, &[Web], Complexity::Simple, &[1]),
            (0, &[Local, Web], Complexity::Simple, &[0, 0]),
            (9, &[], Complexity::Simple, &[]),
        ] {
            let all = limits(searches).for_lanes(lanes, complexity, false);
            let found: Vec<u32> = all.iter().map(|lane| lane.searches).collect();
            assert_eq!(found, want, "{searches} {lanes:?} {complexity:?}");
            assert!(found.iter().sum::<u32>() <= searches);
            assert!(all.iter().all(|lane| lane.rounds == 3 && lane.sources == 10));
        }
        for (lanes, want) in [
            (&[Local][..], &[5][..]),
            (&[Web], &[4]),
            (&[Local, Web], &[1, 4]),
            (&[Local, Web, Academic], &[1, 2, 2]),
            (&[Web, Academic], &[2, 2]),
        ] {
            assert_eq!(directives_for_lanes(lanes), want, "{lanes:?}");
        }
    }

    #[test]
    fn what_a_web_lane_may_use_does_not_depend_on_folders() {
        for limit in 0..64 {
            let limits = ResearchLimits { rounds: 3, searches: limit, sources: limit };
            for complexity in [Complexity::Simple, Complexity::Moderate, Complexity::Complex] {
                for (without, with) in [(&[Web][..], &[Local, Web][..]), (&[Web, Academic], &[Local, Web, Academic])] {
                    for is_apart in [false, true] {
                        let all = limits.for_lanes(with, complexity, is_apart);
                        assert_eq!(limits.for_lanes(without, complexity, is_apart), all[1..], "{limit} {with:?}");
                        let read: u32 = all.iter().map(|lane| lane.sources).sum();
                        assert!(!is_apart || read == limit, "{limit} {with:?}: {read} documents");
                    }
                    assert_eq!(directives_for_lanes(without), directives_for_lanes(with)[1..]);
                }
            }
        }
    }

    #[test]
    fn a_fifth_of_what_may_be_spent_is_kept_for_the_report() {
        let account = Account { max_spend_tokens: Some(100), max_spend_usd: Some(1.0), ..Account::default() };
        for (tokens, usd, used, want) in [
            (79, 0.79, 79, None),
            (80, 0.0, 0, Some(Stop::Tokens)),
            (81, 0.9, 90, Some(Stop::Tokens)),
            (0, 0.8, 0, Some(Stop::Money)),
            (0, 0.0, 80, Some(Stop::Time)),
        ] {
            let found = exhausted(&account, Spent { usd, tokens }, Elapsed { used, whole: Some(100) });
            assert_eq!(found, want, "{tokens} {usd} {used}");
        }
        let much = Spent { usd: 100.0, tokens: 1_000_000 };
        assert_eq!(exhausted(&Account::default(), much, Elapsed { used: i64::MAX, whole: None }), None);
        let free = Account { max_spend_usd: Some(0.0), ..Account::default() };
        assert_eq!(exhausted(&free, Spent::default(), Elapsed { used: 0, whole: None }), None, "nothing costs nothing");
    }
}
