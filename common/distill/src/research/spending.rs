//! Limits that end a session's rounds, and each lane's share of them.

use precis_proto::account::{Account, Spent};
use precis_proto::research::{Plan, ResearchOptions, Stop};

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

impl ResearchLimits {
    /// The limits of a session with these options, all lanes together.
    #[must_use]
    pub fn for_options(plan: &Plan, options: &ResearchOptions) -> Self {
        let usual = Self::of_session(options.depth, plan.brief.complexity, None);
        let own = Self {
            sources: options.max_sources.unwrap_or(usual.sources),
            searches: options.max_searches.unwrap_or(u32::MAX),
            rounds: options.max_rounds.unwrap_or(u32::MAX),
        };
        Self::of_session(options.depth, plan.brief.complexity, Some(own))
    }

    /// The limits of lane `n` of `lanes`: searches are divided. Rounds are not, since lanes run in parallel; nor are sources, since the
    /// documents to read are selected over all lanes.
    #[must_use]
    pub fn for_lane(self, n: usize, lanes: usize) -> Self {
        let searches = part(self.searches as usize, n, lanes) as u32;
        Self { searches, ..self }
    }

    /// As [`ResearchLimits::for_lane`], with sources divided too, so that what is left in one lane reveals nothing of another.
    #[must_use]
    pub fn for_lane_apart(self, n: usize, lanes: usize) -> Self {
        let sources = part(self.sources as usize, n, lanes) as u32;
        Self { sources, ..self.for_lane(n, lanes) }
    }
}

/// Number of directives that lane `n` of `lanes` may have in a round.
#[must_use]
pub fn directives_for_lane(n: usize, lanes: usize) -> usize {
    part(MOST_DIRECTIVES, n, lanes)
}

/// The `n`th of `count` parts of `whole`, as equal as possible, larger parts first.
fn part(whole: usize, n: usize, count: usize) -> usize {
    let count = count.max(1);
    whole / count + usize::from(n < whole % count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_and_directives_are_divided_among_lanes_and_none_is_lost() {
        let limits = ResearchLimits { rounds: 3, searches: 7, sources: 10 };
        for (count, want) in [(1, vec![7]), (2, vec![4, 3]), (3, vec![3, 2, 2])] {
            let shares: Vec<u32> = (0..count).map(|n| limits.for_lane(n, count).searches).collect();
            assert_eq!(shares, want);
            assert!(
                (0..count).all(|n| limits.for_lane(n, count).rounds == 3 && limits.for_lane(n, count).sources == 10)
            );
            assert_eq!((0..count).map(|n| directives_for_lane(n, count)).sum::<usize>(), MOST_DIRECTIVES);
        }
        assert_eq!(limits.for_lane(0, 0), limits);
        for (count, want) in [(1, vec![10]), (2, vec![5, 5]), (3, vec![4, 3, 3])] {
            let shares: Vec<u32> = (0..count).map(|n| limits.for_lane_apart(n, count).sources).collect();
            assert_eq!(shares, want);
            assert!((0..count).all(|n| limits.for_lane_apart(n, count).searches == limits.for_lane(n, count).searches));
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
