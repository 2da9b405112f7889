//! What is done with fractions, each in one order that no width of a processor changes.
//!
//! A sum has eight lanes: number `i` goes to lane `i mod 8`, and the lanes are added pairwise at the end. `exp` and `erf` are made of
//! sums, products and quotients only, which every processor rounds in the same way; those of a system's library differ.
//! Everything here is inlined into its caller, which is compiled for the processor: see `with_wide_floats`.

/// Lanes of a sum.
const LANES: usize = 8;
/// Added and subtracted, this rounds a fraction of less than 2^22 to the next whole number, ties to the even one.
const TO_WHOLE: f32 = 12_582_912.0;

#[inline(always)]
fn sum_lanes(lanes: [f32; LANES]) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// The sum of `part` of every number. The count of numbers is a multiple of eight, or the rest is added to the first lanes.
#[inline(always)]
pub(crate) fn sum(values: &[f32], part: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let (eights, rest) = values.as_chunks::<LANES>();
    for eight in eights {
        for at in 0..LANES {
            lanes[at] += part(eight[at]);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane += part(*value);
    }
    sum_lanes(lanes)
}

/// The largest of `part` of every number; `least` if there is none. Of what is no number it may give either.
#[inline(always)]
pub(crate) fn largest(values: &[f32], least: f32, part: impl Fn(f32) -> f32) -> f32 {
    let larger = |a: f32, b: f32| if b > a { b } else { a };
    let mut lanes = [least; LANES];
    let (eights, rest) = values.as_chunks::<LANES>();
    for eight in eights {
        for at in 0..LANES {
            lanes[at] = larger(lanes[at], part(eight[at]));
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane = larger(*lane, part(*value));
    }
    lanes.into_iter().fold(least, larger)
}

/// `e^x`, for `x` from -87 to 88 and held to these; relative error below 3e-7 (a test).
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + TO_WHOLE;
    let whole = shifted - TO_WHOLE;
    // ln 2 in two parts, the first of so few bits that its product is exact.
    let rest = (x - whole * 0.693_359_4) - whole * -2.121_944_4e-4;
    // e^rest for |rest| <= ln 2 / 2: the coefficients of Cephes' expf.
    let series = ((((1.987_569_1e-4 * rest + 1.398_2e-3) * rest + 8.333_452e-3) * rest + 4.166_579_6e-2) * rest
        + 1.666_666_5e-1)
        * rest
        + 0.5;
    let value = (series * rest) * rest + rest + 1.0;
    let exponent = (shifted.to_bits() as i32).wrapping_sub(TO_WHOLE.to_bits() as i32).wrapping_add(127);
    value * f32::from_bits((exponent as u32) << 23)
}

/// The error function; absolute error below 5e-7 (a test). Formula 7.1.26 of Abramowitz and Stegun.
#[inline(always)]
pub(crate) fn erf(x: f32) -> f32 {
    let far = if x < 0.0 { -x } else { x };
    let t = 1.0 / (1.0 + 0.327_591_1 * far);
    let series = ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_72) * t + 0.254_829_6) * t;
    let value = 1.0 - series * exp(-(far * far));
    if x < 0.0 { -value } else { value }
}

/// `x · Φ(x)`: what a layer puts between its two matrices.
#[inline(always)]
pub(crate) fn gelu(values: &mut [f32]) {
    for value in values {
        *value = 0.5 * *value * (1.0 + erf(*value * std::f32::consts::FRAC_1_SQRT_2));
    }
}

/// Takes the mean from each number, divides by the deviation, and applies `gain` and `shift`.
#[inline(always)]
pub(crate) fn normalize(values: &mut [f32], gain: &[f32], shift: &[f32], epsilon: f32) {
    let count = values.len() as f32;
    let mean = sum(values, |value| value) / count;
    let variance = sum(values, |value| (value - mean) * (value - mean)) / count;
    let by = 1.0 / (variance + epsilon).sqrt();
    for ((value, gain), shift) in values.iter_mut().zip(gain).zip(shift) {
        *value = (*value - mean) * by * gain + shift;
    }
}

/// Numbers as whole ones from minus `most` to `most`, and by what to multiply these.
#[inline(always)]
pub(crate) fn to_whole(values: &[f32], most: i32, whole: &mut [i16]) -> f32 {
    let furthest = largest(values, 0.0, |value| if value < 0.0 { -value } else { value });
    let by = if furthest > 0.0 { most as f32 / furthest } else { 0.0 };
    for (whole, value) in whole.iter_mut().zip(values) {
        // What is no number becomes some number within the bounds, and the vector is refused at the end.
        let bits = (*value * by + TO_WHOLE).to_bits() as i32;
        *whole = bits.wrapping_sub(TO_WHOLE.to_bits() as i32).clamp(-most, most) as i16;
    }
    furthest / most as f32
}

/// Weights of a sum that is one: `e^(x - largest)` over their sum.
#[inline(always)]
pub(crate) fn softmax(values: &mut [f32]) {
    let most = largest(values, f32::MIN, |value| value);
    for value in values.iter_mut() {
        *value = exp(*value - most);
    }
    let by = 1.0 / sum(values, |value| value);
    for value in values {
        *value *= by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_that_of_the_library_within_its_error() {
        for step in -8700..=8800 {
            let x = step as f32 / 100.0;
            let (ours, exact) = (f64::from(exp(x)), f64::from(x).exp());
            assert!(((ours - exact) / exact).abs() < 3e-7, "{x}: {ours} {exact}");
        }
        assert_eq!((exp(0.0), exp(-1000.0), exp(1000.0)), (1.0, exp(-87.0), exp(88.0)));
    }

    #[test]
    fn the_error_function_has_its_known_values() {
        // Table 7.1 of Abramowitz and Stegun.
        for (x, value) in
            [(0.0, 0.0), (0.1, 0.112_462_92), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (4.0, 1.0)]
        {
            assert!((erf(x) - value).abs() < 5e-7, "{x}: {}", erf(x));
            assert_eq!(erf(-x), -erf(x));
        }
    }

    #[test]
    fn what_is_normalized_has_mean_zero_and_deviation_one() {
        let mut values: Vec<f32> = (0..96).map(|at| ((at * 37) % 41) as f32).collect();
        normalize(&mut values, &[1.0; 96], &[0.0; 96], 1e-12);
        assert!(sum(&values, |value| value).abs() < 1e-4);
        assert!((sum(&values, |value| value * value) / 96.0 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn whole_numbers_are_the_nearest_ones() {
        let mut whole = [0_i16; 4];
        let by = to_whole(&[1.0, -2.0, 0.5, 0.0], 127, &mut whole);
        assert_eq!(whole, [64, -127, 32, 0]);
        assert!((by - 2.0 / 127.0).abs() < 1e-9);
        assert_eq!(to_whole(&[0.0; 4], 127, &mut whole), 0.0);
        assert_eq!(whole, [0; 4]);
        to_whole(&[f32::NAN, f32::INFINITY, 1.0, -1.0], 127, &mut whole);
        assert!(whole.iter().all(|value| value.abs() <= 127));
    }

    #[test]
    fn weights_add_up_to_one() {
        let mut values = [1.0, 2.0, 3.0, -80.0, 0.0];
        softmax(&mut values);
        assert!((values.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(values[2] > values[1] && values[3] < 1e-30);
    }
}
