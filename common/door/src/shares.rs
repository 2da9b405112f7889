//! How a bound of dollars is split over the sessions of a batch. Pure.

/// Millionths of a dollar.
const MICRO: f64 = 1e6;

/// Returns what each of `count` sessions may spend, in US dollars: equal shares in millionths, and the rest to the first ones. Their sum is at
/// most `max_usd`, which is finite and not negative.
pub(crate) fn shares(max_usd: f64, count: usize) -> Vec<f64> {
    // Rounded down; a bound too large for whole millionths is larger than anything that is spent.
    let micros = (max_usd * MICRO).floor().clamp(0.0, u64::MAX as f64) as u64;
    // A product that was rounded up must not add a millionth.
    let micros = if micros as f64 / MICRO > max_usd { micros.saturating_sub(1) } else { micros };
    let of = count.max(1) as u64;
    let (share, rest) = (micros / of, micros % of);
    (0..count as u64).map(|place| dollars(share + u64::from(place < rest))).collect()
}

/// The number of dollars that workers, which round up, take for so many millionths and not for one more.
fn dollars(micros: u64) -> f64 {
    let mut usd = micros as f64 / MICRO;
    while (usd * MICRO).ceil() as u64 > micros {
        usd = usd.next_down();
    }
    usd
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What workers make of a bound: whole millionths, rounded up.
    fn micros(usd: f64) -> u64 {
        (usd * MICRO).ceil() as u64
    }

    #[test]
    fn shares_are_equal_and_the_rest_goes_to_the_first_ones() {
        for (max_usd, count, expected) in [
            (0.0, 2, vec![0, 0]),
            (1.0, 3, vec![333_334, 333_333, 333_333]),
            (0.000_002, 3, vec![1, 1, 0]),
            (0.000_001_9, 1, vec![1]),
            (5.0, 1, vec![5_000_000]),
            (1.0, 0, vec![]),
        ] {
            let found: Vec<u64> = shares(max_usd, count).into_iter().map(micros).collect();
            assert_eq!(found, expected, "{max_usd} {count}");
        }
    }

    #[test]
    fn the_sum_stays_within_a_millionth_below_the_bound() {
        let mut seed = 7_u64;
        for round in 0..20_000_u64 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let max_usd = (seed >> 11) as f64 / (1_u64 << 53) as f64 * 10_f64.powi((round % 9) as i32 - 4);
            let count = 1 + (seed % 100) as usize;
            let given = shares(max_usd, count);
            let sum: u64 = given.iter().copied().map(micros).sum();
            assert!(sum as f64 / MICRO <= max_usd, "{max_usd} over {count}: {sum}");
            assert!((sum + 1) as f64 / MICRO >= max_usd, "{max_usd} over {count}: {sum}");
            let (least, most) = (micros(given[count - 1]), micros(given[0]));
            assert!(most - least <= 1 && given.len() == count, "{max_usd} over {count}");
        }
    }
}
