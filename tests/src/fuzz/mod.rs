//! Reading what others wrote, tried with inputs that were made wrong: mutations of good ones, drawn from a seed.
//!
//! This is no coverage-guided fuzzer: nothing measures which code an input reaches. It needs nothing but a stable compiler and runs
//! in every test run for a moment, and for as long as wanted as the program `fuzz-messages`. The targets for libFuzzer, for parsers,
//! are in `tests/fuzz`.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`mutate`] | wrong inputs out of good ones |
//! | [`targets`] | what is read, what it must keep, and good inputs for each |
//! | `search` | answers of search providers |

pub mod mutate;
mod search;
pub mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use mutate::Mutator;
use targets::Target;

/// Longest time for one input; more is a finding. A debug build on a loaded machine takes milliseconds.
pub const SLOWEST: Duration = Duration::from_secs(10);

/// An input that broke a law of its target.
#[derive(Debug)]
pub struct FuzzFinding {
    /// Which of the inputs of its seed, from 0.
    pub number: u64,
    /// The input.
    pub input: Vec<u8>,
    /// What the panic said, or how long it took.
    pub message: String,
}

/// Tries `target` with inputs of `seed` until `ends` says so of their number; returns how many were tried.
///
/// # Errors
/// The first finding.
pub fn run(target: &Target, seed: u64, mut ends: impl FnMut(u64) -> bool) -> Result<u64, FuzzFinding> {
    let mut mutator = Mutator::new(seed, (target.corpus)());
    let mut number = 0;
    while !ends(number) {
        let input = mutator.next_input();
        let begun = Instant::now();
        let tried = catch_unwind(AssertUnwindSafe(|| (target.try_one)(&input)));
        let took = begun.elapsed();
        let message = match tried {
            Err(panic) => Some(said(panic.as_ref())),
            Ok(()) => (took > SLOWEST).then(|| format!("took {took:?}, at most {SLOWEST:?} expected")),
        };
        if let Some(message) = message {
            return Err(FuzzFinding { number, input, message });
        }
        number += 1;
    }
    Ok(number)
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without words".to_owned())
}
