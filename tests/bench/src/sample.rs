//! One timed piece of work, and several of them as a figure.
//!
//! The processor time of the measuring thread is kept beside the wall time: neighbours on a busy machine stretch the one and
//! hardly the other.

use std::time::Instant;

use serde::Serialize;

/// Work done once.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Units done.
    pub units: u64,
    /// Wall seconds.
    pub seconds: f64,
    /// Processor seconds of the thread that did it; absent where the system does not tell.
    pub cpu_seconds: Option<f64>,
}

/// A stopwatch for this thread.
#[derive(Debug)]
pub struct Watch {
    started: Instant,
    cpu_started: Option<f64>,
}

impl Watch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { cpu_started: thread_cpu_seconds(), started: Instant::now() }
    }

    /// What `units` took since the start. Call on the thread that started it.
    #[must_use]
    pub fn stop(&self, units: u64) -> Sample {
        let seconds = self.started.elapsed().as_secs_f64();
        let cpu_seconds = self.cpu_started.zip(thread_cpu_seconds()).map(|(from, to)| to - from);
        Sample { units, seconds, cpu_seconds }
    }
}

/// Linux counts a thread's nanoseconds on a core in the first field.
fn thread_cpu_seconds() -> Option<f64> {
    // The count is brought up to date only at a clock tick or where the scheduler is entered, and a tick lasts milliseconds.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(|nanoseconds: f64| nanoseconds / 1e9)
}

/// A rate over several samples of the same work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// Units per wall second: the middle sample.
    pub per_second: f64,
    /// The slowest sample.
    pub lowest: f64,
    /// The fastest sample.
    pub highest: f64,
    /// Processor microseconds per unit, of the cheapest sample.
    pub cpu_us_per_unit: Option<f64>,
}

impl Rate {
    /// The rate of `samples`; all zero where there are none.
    #[must_use]
    pub fn from_samples(samples: &[Sample]) -> Self {
        let rates: Vec<f64> = samples.iter().map(|s| s.units as f64 / s.seconds).collect();
        let costs = samples.iter().filter_map(|s| s.cpu_seconds.map(|cpu| cpu * 1e6 / s.units as f64));
        Self {
            per_second: median(&rates),
            lowest: rates.iter().copied().reduce(f64::min).unwrap_or_default(),
            highest: rates.iter().copied().reduce(f64::max).unwrap_or_default(),
            cpu_us_per_unit: costs.reduce(f64::min),
        }
    }
}

/// The middle value, of two middle ones the lower; 0 where there is none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_value_and_the_lower_of_two() {
        for (values, middle) in [(&[][..], 0.0), (&[3.0], 3.0), (&[9.0, 1.0], 1.0), (&[9.0, 1.0, 4.0], 4.0)] {
            assert!((median(values) - middle).abs() < f64::EPSILON, "{values:?}");
        }
    }

    #[test]
    fn a_rate_tells_the_middle_the_ends_and_the_cheapest_cost() {
        let sample = |seconds, cpu| Sample { units: 8, seconds, cpu_seconds: Some(cpu) };
        let rate = Rate::from_samples(&[sample(4.0, 2.0), sample(1.0, 0.5), sample(2.0, 1.0)]);
        let expected = Rate { per_second: 4.0, lowest: 2.0, highest: 8.0, cpu_us_per_unit: Some(62_500.0) };
        assert_eq!(rate, expected);
    }
}
