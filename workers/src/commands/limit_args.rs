//! The depth and limit arguments shared by the research commands.

use precis_research::Depth;
use precis_research::refinement::MAX_REFINEMENTS;

/// Upper bound of the limits on documents, rounds and searches.
const MOST: i64 = 5_000;

/// The depth of a research.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DepthArg {
    /// One round
    Quick,
    /// A few rounds
    Standard,
    /// As many rounds as bring new evidence
    Deep,
}

/// Depth and limits of a research.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct LimitArgs {
    /// Depth of the research [default: standard]
    #[arg(long, value_enum)]
    pub depth: Option<DepthArg>,
    /// Maximum number of found documents to read [default: 10, and 3 more in each further iteration]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST))]
    pub max_sources: Option<u32>,
    /// Maximum number of searches [default: depends on depth and question]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST))]
    pub max_searches: Option<u32>,
    /// Maximum number of rounds [default: depends on depth, and one more in each further iteration]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST))]
    pub max_rounds: Option<u32>,
    /// Maximum number of further iterations after the report has been evaluated [default: 0, 1 or 2, depending on depth]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_REFINEMENTS)))]
    pub max_refinements: Option<u32>,
    /// End after this many seconds, with a report on what is there by then
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub deadline: Option<u64>,
}

impl LimitArgs {
    /// Returns whether a depth or any limit is given.
    pub(super) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Returns the depth, by default [`Depth::Standard`].
    pub(super) fn depth(&self) -> Depth {
        match self.depth {
            Some(DepthArg::Quick) => Depth::Quick,
            Some(DepthArg::Standard) | None => Depth::Standard,
            Some(DepthArg::Deep) => Depth::Deep,
        }
    }
}
