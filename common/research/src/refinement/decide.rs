//! Decides by a table whether another iteration begins.

pub use precis_proto::research::MAX_REFINEMENTS;
use precis_proto::research::{Depth, RefinementEnd, ResearchOptions, Stop};

use crate::budget::DEFAULT_SOURCES;

/// Documents that each further iteration may read if the request does not set a number of sources.
pub const SOURCES_EACH: u32 = 3;

/// Most further iterations of a request: the number it sets, up to [`MAX_REFINEMENTS`]; else 0, 1 or 2 by depth.
#[must_use]
pub fn refinements(options: &ResearchOptions) -> u32 {
    let usual = match options.depth {
        Depth::Quick => 0,
        Depth::Standard => 1,
        Depth::Deep => 2,
    };
    options.max_refinements.unwrap_or(usual).min(MAX_REFINEMENTS)
}

/// Documents that may be found and read up to the end of iteration `begun` (0 is the first report): the number the request sets, else
/// [`DEFAULT_SOURCES`] plus [`SOURCES_EACH`] for each iteration.
#[must_use]
pub fn sources_allowed(options: &ResearchOptions, begun: u32) -> u32 {
    let usual = DEFAULT_SOURCES.saturating_add(SOURCES_EACH.saturating_mul(begun));
    options.max_sources.unwrap_or(usual)
}

/// Rounds of the session before and after its first report that are left once `made` were made: unbounded unless the request sets their
/// number, since each further iteration then adds the round that it makes.
#[must_use]
pub fn rounds_left(options: &ResearchOptions, made: u32) -> u32 {
    options.max_rounds.map_or(u32::MAX, |all| all.saturating_sub(made))
}

/// Rounds that the first rounds leave to further iterations: none unless the request sets the number of rounds, which then binds all of
/// them; else one for each iteration, but the first round.
#[must_use]
pub fn rounds_kept(options: &ResearchOptions) -> u32 {
    options.max_rounds.map_or(0, |all| refinements(options).min(all.saturating_sub(1)))
}

/// The facts that [`decide`] depends on, known once a report was evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefinementBudget {
    /// Whether a lane can be searched.
    pub can_search: bool,
    /// Gaps of all lanes.
    pub gaps: usize,
    /// Iterations that have ended.
    pub iterations: u32,
    /// Most iterations allowed.
    pub most_iterations: u32,
    /// The exhausted limit, if any.
    pub spent: Option<Stop>,
    /// Rounds that may still be made.
    pub rounds_left: u32,
    /// Documents that may still be read.
    pub sources_left: u32,
    /// Searches that may still be made, all lanes together.
    pub searches_left: u32,
    /// New queries within the budget.
    pub queries: usize,
}

/// `Ok` if another iteration begins.
///
/// # Errors
/// The reason why none does.
pub fn decide(budget: &RefinementBudget) -> Result<(), RefinementEnd> {
    let spent = budget.spent.map(|stop| match stop {
        Stop::Tokens => RefinementEnd::Tokens,
        Stop::Money => RefinementEnd::Money,
        Stop::Asked => RefinementEnd::Asked,
        // The other stops end a course and are not limits of the session; treat them as out of time, so that nothing more is spent.
        Stop::Time
        | Stop::Complete
        | Stop::Covered
        | Stop::Rounds
        | Stop::Searches
        | Stop::NoNewSources
        | Stop::NothingFound
        | Stop::AllFailed
        | Stop::NoDirectives => RefinementEnd::Time,
    });
    match spent {
        _ if !budget.can_search => Err(RefinementEnd::NothingToSearch),
        _ if budget.gaps == 0 => Err(RefinementEnd::NothingToDo),
        _ if budget.iterations >= budget.most_iterations => Err(RefinementEnd::Iterations),
        Some(spent) => Err(spent),
        None if budget.rounds_left == 0 => Err(RefinementEnd::Rounds),
        None if budget.sources_left == 0 => Err(RefinementEnd::Sources),
        None if budget.searches_left == 0 => Err(RefinementEnd::Searches),
        None if budget.queries == 0 => Err(RefinementEnd::NothingNew),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_begins_only_with_gaps_budget_and_new_queries() {
        let free = RefinementBudget {
            can_search: true,
            gaps: 1,
            iterations: 0,
            most_iterations: 1,
            spent: None,
            rounds_left: 1,
            sources_left: 1,
            searches_left: 1,
            queries: 1,
        };
        let spent = |stop| RefinementBudget { spent: Some(stop), ..free };
        for (budget, want) in [
            (free, Ok(())),
            (RefinementBudget { can_search: false, ..free }, Err(RefinementEnd::NothingToSearch)),
            (RefinementBudget { gaps: 0, ..free }, Err(RefinementEnd::NothingToDo)),
            (RefinementBudget { gaps: 0, iterations: 9, ..free }, Err(RefinementEnd::NothingToDo)),
            (RefinementBudget { iterations: 1, ..free }, Err(RefinementEnd::Iterations)),
            (RefinementBudget { iterations: 1, most_iterations: 2, ..free }, Ok(())),
            (RefinementBudget { iterations: 2, most_iterations: 2, ..free }, Err(RefinementEnd::Iterations)),
            (spent(Stop::Tokens), Err(RefinementEnd::Tokens)),
            (spent(Stop::Money), Err(RefinementEnd::Money)),
            (spent(Stop::Time), Err(RefinementEnd::Time)),
            (spent(Stop::Asked), Err(RefinementEnd::Asked)),
            (RefinementBudget { rounds_left: 0, ..free }, Err(RefinementEnd::Rounds)),
            (RefinementBudget { sources_left: 0, ..free }, Err(RefinementEnd::Sources)),
            (RefinementBudget { searches_left: 0, ..free }, Err(RefinementEnd::Searches)),
            (RefinementBudget { queries: 0, ..free }, Err(RefinementEnd::NothingNew)),
        ] {
            assert_eq!(decide(&budget), want, "{budget:?}");
        }
    }

    #[test]
    fn iterations_are_bounded_whatever_is_asked_for() {
        let of = |depth, max_refinements| {
            refinements(&ResearchOptions { depth, max_refinements, ..ResearchOptions::default() })
        };
        for (depth, asked, want) in [
            (Depth::Quick, None, 0),
            (Depth::Standard, None, 1),
            (Depth::Deep, None, 2),
            (Depth::Quick, Some(1), 1),
            (Depth::Deep, Some(0), 0),
            (Depth::Deep, Some(MAX_REFINEMENTS - 1), 1),
            (Depth::Deep, Some(MAX_REFINEMENTS), 2),
            (Depth::Deep, Some(MAX_REFINEMENTS + 1), 2),
        ] {
            assert_eq!(of(depth, asked), want, "{depth:?} {asked:?}");
        }
    }

    #[test]
    fn a_number_of_rounds_that_a_request_sets_binds_its_iterations_too() {
        let of = |max_rounds, max_refinements| ResearchOptions {
            max_rounds,
            max_refinements: Some(max_refinements),
            ..ResearchOptions::default()
        };
        for (rounds, iterations, kept) in [
            (None, 2, 0),
            (Some(1), 0, 0),
            (Some(1), 1, 0),
            (Some(2), 1, 1),
            (Some(2), 2, 1),
            (Some(3), 2, 2),
            (Some(4), 2, 2),
        ] {
            assert_eq!(rounds_kept(&of(rounds, iterations)), kept, "{rounds:?} {iterations}");
        }
        for (made, left) in [(1, 1), (2, 0), (3, 0)] {
            assert_eq!(rounds_left(&of(Some(2), 1), made), left, "{made}");
        }
        assert_eq!(rounds_left(&of(None, 1), 9), u32::MAX);
    }

    #[test]
    fn an_iteration_reads_more_only_where_the_request_sets_none() {
        let of =
            |max_sources, begun| sources_allowed(&ResearchOptions { max_sources, ..ResearchOptions::default() }, begun);
        for (asked, begun, want) in [(None, 0, 10), (None, 1, 13), (None, 2, 16), (Some(4), 0, 4), (Some(4), 2, 4)] {
            assert_eq!(of(asked, begun), want, "{asked:?} {begun}");
        }
    }
}
