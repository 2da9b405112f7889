//! Limits of research, and the counter that grants against them.

pub use precis_proto::research::Depth;
use precis_proto::research::{BudgetUse, Complexity};

/// Documents that are read by default.
pub const DEFAULT_SOURCES: u32 = 10;

/// Upper limits of a run; 0 is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResearchLimits {
    /// Rounds.
    pub rounds: u32,
    /// Charged searches, failed ones included; searches of folders are free.
    pub searches: u32,
    /// Documents that are read.
    pub sources: u32,
}

impl ResearchLimits {
    /// The limits of a depth: 1, 3 or 6 rounds and 6, 30 or 100 searches; 10 documents.
    ///
    /// ```
    /// use precis_research::{Depth, ResearchLimits};
    ///
    /// let limits = ResearchLimits::of_depth(Depth::Standard);
    /// assert_eq!((limits.rounds, limits.searches, limits.sources), (3, 30, 10));
    /// ```
    #[must_use]
    pub fn of_depth(depth: Depth) -> Self {
        let (rounds, searches) = match depth {
            Depth::Quick => (1, 6),
            Depth::Standard => (3, 30),
            Depth::Deep => (6, 100),
        };
        Self { rounds, searches, sources: DEFAULT_SOURCES }
    }
}

/// Most searches that the rules plan in a lane for a question of this complexity; what models ask for is limited by the budget alone.
/// Chosen, not measured.
#[must_use]
pub fn planned_searches(complexity: Complexity) -> u32 {
    match complexity {
        Complexity::Simple => 4,
        Complexity::Moderate => 8,
        Complexity::Complex => 12,
    }
}

/// A counted resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// A round.
    Round,
    /// A search.
    Search,
    /// A document that is read.
    Source,
}

/// Answer of [`Budget::take`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// The number granted: at least 1, at most the number requested.
    Granted(u32),
    /// Nothing is left, or 0 were requested.
    Spent,
}

/// A part of the limits that the first rounds of a research leave to its further iterations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeptForLater {
    /// Rounds.
    pub rounds: u32,
    /// Charged searches.
    pub searches: u32,
}

/// Counts use against [`ResearchLimits`]; a grant counts as used at once.
///
/// ```
/// use precis_research::{Budget, Grant, ResearchLimits, Resource};
///
/// let mut budget = Budget::new(ResearchLimits { rounds: 1, searches: 3, sources: 10 });
/// assert_eq!(budget.take(Resource::Search, 2), Grant::Granted(2));
/// assert_eq!(budget.take(Resource::Search, 2), Grant::Granted(1));
/// assert_eq!(budget.take(Resource::Search, 1), Grant::Spent);
/// assert_eq!(budget.record().searches, [3, 3]);
/// ```
#[derive(Debug, Clone)]
pub struct Budget {
    limits: ResearchLimits,
    used: ResearchLimits,
    /// Rounds and searches that are kept for later and may not be taken.
    kept: KeptForLater,
    /// Free searches made; `None` if searches are charged.
    free_searches: Option<u32>,
}

/// Searches left where searches are free: more than any round makes.
const FREE_SEARCHES: u32 = 1_000;

impl Budget {
    /// A budget of which nothing is used.
    #[must_use]
    pub fn new(limits: ResearchLimits) -> Self {
        Self {
            limits,
            used: ResearchLimits { rounds: 0, searches: 0, sources: 0 },
            kept: KeptForLater::default(),
            free_searches: None,
        }
    }

    /// A budget whose searches are free: they are counted, but not charged.
    #[must_use]
    pub fn with_free_searches(limits: ResearchLimits) -> Self {
        Self { free_searches: Some(0), ..Self::new(limits) }
    }

    /// Keeps a part of the limits for later: it counts among them, and may not be taken.
    pub fn keep(&mut self, kept: KeptForLater) {
        self.kept = kept;
    }

    /// Takes up to `wanted` of `resource`, or what is left if that is less.
    pub fn take(&mut self, resource: Resource, wanted: u32) -> Grant {
        let left = self.left(resource);
        let granted = wanted.min(left);
        match (resource, &mut self.free_searches) {
            (Resource::Search, Some(made)) => *made = made.saturating_add(granted),
            (Resource::Round | Resource::Search | Resource::Source, _) => *self.of(resource) += granted,
        }
        if granted == 0 { Grant::Spent } else { Grant::Granted(granted) }
    }

    /// Raises the limit of `resource` by `more`: the use of kept rounds shows in the record without reducing what the session may use.
    pub fn allow(&mut self, resource: Resource, more: u32) {
        let limit = match resource {
            Resource::Round => &mut self.limits.rounds,
            Resource::Search if self.free_searches.is_some() => return,
            Resource::Search => &mut self.limits.searches,
            Resource::Source => &mut self.limits.sources,
        };
        *limit = limit.saturating_add(more);
    }

    /// How many of `resource` may still be taken.
    #[must_use]
    pub fn left(&self, resource: Resource) -> u32 {
        match resource {
            Resource::Round => (self.limits.rounds - self.used.rounds).saturating_sub(self.kept.rounds),
            Resource::Search if self.free_searches.is_some() => FREE_SEARCHES,
            Resource::Search => (self.limits.searches - self.used.searches).saturating_sub(self.kept.searches),
            Resource::Source => self.limits.sources - self.used.sources,
        }
    }

    fn of(&mut self, resource: Resource) -> &mut u32 {
        match resource {
            Resource::Round => &mut self.used.rounds,
            Resource::Search => &mut self.used.searches,
            Resource::Source => &mut self.used.sources,
        }
    }

    /// Use and limits, as `[used, limit]`, for the report.
    #[must_use]
    pub fn record(&self) -> BudgetUse {
        BudgetUse {
            rounds: [self.used.rounds, self.limits.rounds],
            searches: [self.used.searches, self.limits.searches],
            folder_searches: Some(self.free_searches.unwrap_or(0)),
            sources: [self.used.sources, self.limits.sources],
            tool_calls: None,
            usd: None,
            seconds: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_gives_what_is_left_and_never_more() {
        let mut budget = Budget::new(ResearchLimits { rounds: 1, searches: 3, sources: 0 });
        for (resource, wanted, want) in [
            (Resource::Search, 2, Grant::Granted(2)),
            (Resource::Search, 0, Grant::Spent),
            (Resource::Search, 2, Grant::Granted(1)),
            (Resource::Search, 1, Grant::Spent),
            (Resource::Round, 1, Grant::Granted(1)),
            (Resource::Round, 1, Grant::Spent),
            (Resource::Source, u32::MAX, Grant::Spent),
        ] {
            assert_eq!(budget.take(resource, wanted), want, "{resource:?} {wanted}");
        }
        let record = budget.record();
        assert_eq!((record.rounds, record.searches, record.sources), ([1, 1], [3, 3], [0, 0]));
    }

    #[test]
    fn free_searches_are_counted_and_never_run_out() {
        let mut budget = Budget::with_free_searches(ResearchLimits { rounds: 1, searches: 3, sources: 0 });
        for _ in 0..9 {
            assert_eq!(budget.take(Resource::Search, 1), Grant::Granted(1));
        }
        assert!(budget.left(Resource::Search) > 100);
        assert_eq!((budget.record().searches, budget.record().folder_searches), ([0, 3], Some(9)));
        budget.allow(Resource::Search, 5);
        assert_eq!(budget.record().searches, [0, 3]);
    }

    #[test]
    fn deferred_hits_are_not_taken_and_count_towards_limits() {
        for (kept, granted) in [(0, 3), (2, 1), (3, 0), (4, 0)] {
            for (resource, later) in [
                (Resource::Search, KeptForLater { searches: kept, rounds: 0 }),
                (Resource::Round, KeptForLater { searches: 0, rounds: kept }),
            ] {
                let mut budget = Budget::new(ResearchLimits { rounds: 3, searches: 3, sources: 0 });
                budget.keep(later);
                let want = if granted == 0 { Grant::Spent } else { Grant::Granted(granted) };
                assert_eq!(budget.take(resource, 9), want, "{kept}");
                let record = budget.record();
                let used = if resource == Resource::Search { record.searches } else { record.rounds };
                assert_eq!(used, [granted, 3]);
            }
        }
    }

    #[test]
    fn a_depth_chooses_rounds_and_searches() {
        for (depth, want) in [(Depth::Quick, (1, 6)), (Depth::Standard, (3, 30)), (Depth::Deep, (6, 100))] {
            let limits = ResearchLimits::of_depth(depth);
            assert_eq!((limits.rounds, limits.searches, limits.sources), (want.0, want.1, DEFAULT_SOURCES));
        }
    }
}
