//! Many callers at once, as fast as they are answered; or calls at a rate, however fast these are answered.

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

/// Calls per second of `callers` that make `each` calls one after the other. `caller` returns a caller, whose calls are numbered.
///
/// # Errors
/// Of the first call that fails.
pub async fn closed<F>(callers: usize, each: usize, caller: impl Fn(usize) -> F) -> Result<f64, String>
where
    F: Future<Output = Result<(), String>> + Send + 'static,
{
    let begun = Instant::now();
    let mut all = JoinSet::new();
    for n in 0..callers {
        all.spawn(caller(n));
    }
    while let Some(done) = all.join_next().await {
        done.map_err(|e| e.to_string())??;
    }
    Ok((callers * each) as f64 / begun.elapsed().as_secs_f64())
}

/// The 95th percentile of how long calls take that begin at `per_second`, in milliseconds from when each was due: a call that has to wait
/// for a free caller has waited.
///
/// # Errors
/// Of the first call that fails.
pub async fn paced<F>(per_second: f64, calls: usize, call: impl Fn(usize) -> F) -> Result<f64, String>
where
    F: Future<Output = Result<(), String>> + Send + 'static,
{
    let begun = Instant::now();
    let mut all = JoinSet::new();
    for n in 0..calls {
        let due = begun + Duration::from_secs_f64(n as f64 / per_second);
        tokio::time::sleep_until(due.into()).await;
        let calling = call(n);
        all.spawn(async move { calling.await.map(|()| due.elapsed()) });
    }
    let mut taken = Vec::with_capacity(calls);
    while let Some(done) = all.join_next().await {
        taken.push(done.map_err(|e| e.to_string())??.as_secs_f64() * 1e3);
    }
    Ok(percentile(&mut taken, 0.95))
}

/// The `share` of `values` that is not greater; 0 of none.
#[must_use]
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share).ceil() as usize;
    values.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_value_that_was_measured() {
        let mut values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!((percentile(&mut values, 0.95), percentile(&mut values, 0.5)), (95.0, 50.0));
        assert_eq!((percentile(&mut [7.0], 0.95), percentile(&mut [], 0.95)), (7.0, 0.0));
    }
}
