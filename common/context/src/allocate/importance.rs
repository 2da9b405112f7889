//! Rates the importance of a source from what is known before it is summarized.

use precis_proto::Timestamp;
use precis_proto::source::Quality;

/// Age at which a source counts half as recent as a new one, in milliseconds: one year. Chosen, not measured.
const HALF_LIFE_MS: f64 = 365.0 * 24.0 * 3_600.0 * 1_000.0;

/// Importance from quality (40 %), confidence (30 %), recency (15 %) and relevance (15 %), each 0 to 1.
///
/// The quality of a source weighs more than its relevance: a good source that answers in other words matters, a bad one that repeats the
/// question does not. Chosen, not measured. Unknown confidence and recency count as 0.5.
#[must_use]
pub fn priority(quality: Quality, confidence: Option<f64>, recency: Option<f64>, relevance: f64) -> f64 {
    let quality = match quality {
        Quality::High => 1.0,
        Quality::Medium => 0.7,
        Quality::Low => 0.4,
    };
    0.4 * quality + 0.3 * unit(confidence.unwrap_or(0.5)) + 0.15 * unit(recency.unwrap_or(0.5)) + 0.15 * unit(relevance)
}

/// How recent a publication is at the time `now`, 0 to 1: halved every year. A date in the future counts as new; `None` if the date of
/// publication is unknown.
#[must_use]
pub fn recency(published_at: Option<Timestamp>, now: Timestamp) -> Option<f64> {
    let age = now.0.saturating_sub(published_at?.0).max(0) as f64;
    Some(0.5_f64.powf(age / HALF_LIFE_MS))
}

fn unit(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importance_is_the_weighted_sum_of_the_specification() {
        let cases = [
            (Quality::High, Some(1.0), Some(1.0), 1.0, 1.0),
            (Quality::Medium, Some(0.9), Some(0.0), 0.0, 0.28 + 0.27),
            (Quality::Low, None, None, 0.0, 0.16 + 0.15 + 0.075),
            (Quality::Low, Some(7.0), Some(-3.0), f64::NAN, 0.16 + 0.3),
        ];
        for (quality, confidence, recency, relevance, expected) in cases {
            let found = priority(quality, confidence, recency, relevance);
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn recency_halves_every_year() {
        let year = HALF_LIFE_MS as i64;
        let at = |ms: i64| recency(Some(Timestamp(ms)), Timestamp(2 * year)).expect("it is dated");
        assert!((at(year) - 0.5).abs() < 1e-9 && (at(0) - 0.25).abs() < 1e-9);
        assert_eq!((at(2 * year), at(9 * year)), (1.0, 1.0));
        assert_eq!(recency(None, Timestamp(0)), None);
        assert!(recency(Some(Timestamp(i64::MIN)), Timestamp(i64::MAX)).is_some_and(|r| r >= 0.0));
    }
}
