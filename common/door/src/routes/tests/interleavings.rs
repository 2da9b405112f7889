//! Random interleavings of what callers do at three doors of one fleet: each ends as at a single door, and no reader misses an event without
//! being told.

mod fleet;
mod reader;
mod script;

use super::world::World;
use fleet::{Ending, Fleet};

/// Interleavings that each commit is held to. A failure names its seed.
const SEEDS: u64 = 500;

/// What a script leaves behind with as many doors as this.
async fn ending(seed: u64, doors: usize) -> Ending {
    let mut fleet = Fleet::open(doors).await;
    for step in script::steps(seed) {
        fleet.act(step).await;
    }
    fleet.finish().await
}

#[tokio::test(start_paused = true)]
async fn any_interleaving_at_three_doors_ends_as_at_one() {
    for seed in 0..SEEDS {
        assert_eq!(ending(seed, 3).await, ending(seed, 1).await, "seed {seed}: {:?}", script::steps(seed));
    }
}
