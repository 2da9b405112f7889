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
    /// Searches, failed ones included.
    pub searches: u32,
    /// Documents that are read.
    pub sources: u32,
}

impl ResearchLimits {
    /// The limits of a depth: 1, 3 or 6 rounds and 6, 20 or 60 searches; 10 documents.
    #[must_use]
    pub fn of_depth(depth: Depth) -> Self {
        let (rounds, searches) = match depth {
            Depth::Quick => (1, 6),
            Depth::Standard => (3, 20),
            Depth::Deep => (6, 60),
        };
        Self { rounds, searches, sources: DEFAULT_SOURCES }
    }

    /// The smallest of the limits of the depth, of the question's complexity and of the caller. The number of documents is the caller's
    /// alone if given; the depth does not cap it.
    #[must_use]
    pub fn of_session(depth: Depth, complexity: Complexity, own: Option<Self>) -> Self {
        let usual = Self::of_depth(depth).for_complexity(complexity);
        own.map_or(usual, |own| Self { sources: own.sources, ..usual.min(own) })
    }

    /// The smaller of both, limit by limit.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            rounds: self.rounds.min(other.rounds),
            searches: self.searches.min(other.searches),
            sources: self.sources.min(other.sources),
        }
    }

    /// Caps the searches by complexity: at most 4, 8 or 12; rounds and documents are unchanged.
    ///
    /// ```
    /// use precis_research::{Depth, ResearchLimits};
    /// use precis_proto::research::Complexity;
    ///
    /// let limits = ResearchLimits::of_depth(Depth::Standard);
    /// assert_eq!((limits.rounds, limits.searches, limits.sources), (3, 20, 10));
    /// assert_eq!(limits.for_complexity(Complexity::Simple).searches, 4);
    /// ```
    #[must_use]
    pub fn for_complexity(self, complexity: Complexity) -> Self {
        let searches = match complexity {
            Complexity::Simple => 4,
            Complexity::Moderate => 8,
            Complexity::Complex => 12,
        };
        Self { searches: self.searches.min(searches), ..self }
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
}

impl Budget {
    /// A budget of which nothing is used.
    #[must_use]
    pub fn new(limits: ResearchLimits) -> Self {
        Self { limits, used: ResearchLimits { rounds: 0, searches: 0, sources: 0 } }
    }

    /// Takes up to `wanted` of `resource`, or what is left if that is less.
    pub fn take(&mut self, resource: Resource, wanted: u32) -> Grant {
        let left = self.left(resource);
        let granted = wanted.min(left);
        *self.of(resource) += granted;
        if granted == 0 { Grant::Spent } else { Grant::Granted(granted) }
    }

    /// Raises the limit of `resource` by `more`: the use of kept rounds shows in the record without reducing what the session may use.
    pub fn allow(&mut self, resource: Resource, more: u32) {
        let limit = match resource {
            Resource::Round => &mut self.limits.rounds,
            Resource::Search => &mut self.limits.searches,
            Resource::Source => &mut self.limits.sources,
        };
        *limit = limit.saturating_add(more);
    }

    /// How many of `resource` may still be taken.
    #[must_use]
    pub fn left(&self, resource: Resource) -> u32 {
        match resource {
            Resource::Round => self.limits.rounds - self.used.rounds,
            Resource::Search => self.limits.searches - self.used.searches,
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
    fn of_depth_complexity_and_what_the_caller_allows_the_smallest_holds() {
        let own = ResearchLimits { rounds: 5, searches: 7, sources: 3 };
        for (depth, complexity, want) in [
            (Depth::Quick, Complexity::Simple, (1, 4, 3)),
            (Depth::Quick, Complexity::Complex, (1, 6, 3)),
            (Depth::Standard, Complexity::Simple, (3, 4, 3)),
            (Depth::Standard, Complexity::Moderate, (3, 7, 3)),
            (Depth::Deep, Complexity::Complex, (5, 7, 3)),
        ] {
            let limits = ResearchLimits::of_depth(depth).for_complexity(complexity).min(own);
            assert_eq!((limits.rounds, limits.searches, limits.sources), want, "{depth:?} {complexity:?}");
        }
        assert_eq!(ResearchLimits::of_depth(Depth::Deep).for_complexity(Complexity::Complex).searches, 12);
    }
}
