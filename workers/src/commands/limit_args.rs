//! How far a research goes: the arguments that its commands share.

use precis_distill::research::Depth;
use precis_distill::research::refinement::MAX_REFINEMENTS;

/// Most documents that a research reads, most rounds and most searches.
const MOST: i64 = 5_000;

/// How far research goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum DepthArg {
    /// One round
    Quick,
    /// A few rounds
    Standard,
    /// As many as help
    Deep,
}

/// Depth and limits of a research.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct LimitArgs {
    /// How far to go [default: standard]
    #[arg(long, value_enum)]
    pub depth: Option<DepthArg>,
    /// Documents that are found and read, at most [default: 10, and 3 more in each further iteration]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST))]
    pub max_sources: Option<u32>,
    /// Searches, at most [default: by depth and question]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST))]
    pub max_searches: Option<u32>,
    /// Rounds, at most [default: by depth]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST))]
    pub max_rounds: Option<u32>,
    /// Further iterations after the report was evaluated, at most [default: by depth, 0, 1 or 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_REFINEMENTS)))]
    pub max_refinements: Option<u32>,
    /// End with what there is after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub deadline: Option<u64>,
}

impl LimitArgs {
    /// Whether anything is limited, or a depth named.
    pub(super) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// How far to go.
    pub(super) fn depth(&self) -> Depth {
        match self.depth {
            Some(DepthArg::Quick) => Depth::Quick,
            Some(DepthArg::Standard) | None => Depth::Standard,
            Some(DepthArg::Deep) => Depth::Deep,
        }
    }
}
