//! Exact decimal numbers: sums and comparisons without rounding.

use std::cmp::Ordering;
use std::fmt;

/// Most digits of a number: with more, sums over the most rows could overflow.
const MOST_DIGITS: usize = 24;

/// A decimal number: `digits` with the last `places` of them behind the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: i128,
    pub(super) places: u32,
}

impl Decimal {
    /// Reads `-12.50`; `None` if it is anything else, or too long.
    pub(super) fn parse(plain: &str) -> Option<Self> {
        let bare = plain.strip_prefix('-').unwrap_or(plain);
        let (whole, decimals) = bare.split_once('.').unwrap_or((bare, ""));
        let is_plain =
            !whole.is_empty() && bare.bytes().all(|b| b.is_ascii_digit() || b == b'.') && !decimals.contains('.');
        if !is_plain || whole.len() + decimals.len() > MOST_DIGITS || bare.ends_with('.') {
            return None;
        }
        let digits: i128 = format!("{whole}{decimals}").parse().ok()?;
        let sign = if plain.starts_with('-') { -1 } else { 1 };
        Some(Self { digits: sign * digits, places: u32::try_from(decimals.len()).ok()? })
    }

    pub(super) const NOTHING: Self = Self { digits: 0, places: 0 };

    /// Whether `next` is one more.
    pub(super) fn is_followed_by(self, next: Self) -> bool {
        let one = Self { digits: 1, places: 0 };
        Self::sum(&[self, one]).and_then(|sum| sum.compare(next)) == Some(Ordering::Equal)
    }

    pub(super) fn whole(number: usize) -> Option<Self> {
        Some(Self { digits: i128::try_from(number).ok()?, places: 0 })
    }

    /// Multiplied by a power of ten.
    pub(super) fn shift(self, exponent: u32) -> Option<Self> {
        let places = self.places.saturating_sub(exponent);
        let digits = self.digits.checked_mul(10_i128.checked_pow(exponent.saturating_sub(self.places))?)?;
        Some(Self { digits, places })
    }

    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        let places = self.places.max(other.places);
        Some(self.scaled_digits(places)?.cmp(&other.scaled_digits(places)?))
    }

    /// The sum of `numbers`; 0 if there are none.
    pub(super) fn sum(numbers: &[Self]) -> Option<Self> {
        let places = numbers.iter().map(|number| number.places).max().unwrap_or(0);
        let add = |sum: i128, number: &Self| sum.checked_add(number.scaled_digits(places)?);
        Some(Self { digits: numbers.iter().try_fold(0, add)?, places })
    }

    /// A `count`th of it, rounded half away from zero to `further` more decimals.
    pub(super) fn divide(self, count: usize, further: u32) -> Option<Self> {
        let count = i128::try_from(count).ok().filter(|count| *count > 0)?;
        let digits = self.digits.checked_mul(10_i128.checked_pow(further)?)?;
        let rounded = (digits.abs() + count / 2) / count;
        Some(Self { digits: rounded * digits.signum(), places: self.places + further })
    }

    /// Whether `other`, with fewer decimals, is this number rounded.
    pub(super) fn is_rounded_to(self, other: Self) -> bool {
        let step = self.places.checked_sub(other.places).and_then(|places| 10_i128.checked_pow(places));
        let difference = other.scaled_digits(self.places).and_then(|digits| self.digits.checked_sub(digits));
        let twice = difference.and_then(|difference| difference.abs().checked_mul(2));
        step.zip(twice).is_some_and(|(step, twice)| twice <= step)
    }

    fn scaled_digits(self, places: u32) -> Option<i128> {
        self.digits.checked_mul(10_i128.checked_pow(places.checked_sub(self.places)?)?)
    }
}

/// `-12.50`: as many decimals as it has.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = usize::try_from(self.places).unwrap_or(usize::MAX);
        let digits = format!("{:0>width$}", self.digits.unsigned_abs(), width = places + 1);
        let (whole, decimals) = digits.split_at(digits.len() - places);
        let sign = if self.digits < 0 { "-" } else { "" };
        if decimals.is_empty() { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{decimals}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn numbers_are_added_compared_and_divided_exactly() {
        assert_eq!(
            Decimal::sum(&[of("0.1"), of("0.20"), of("-3")]).map(|sum| sum.to_string()),
            Some("-2.70".to_owned())
        );
        assert_eq!(of("1.50").compare(of("1.5")), Some(Ordering::Equal));
        assert_eq!(of("-1").compare(of("0.5")), Some(Ordering::Less));
        assert_eq!(of("10").divide(3, 2).map(|mean| mean.to_string()), Some("3.33".to_owned()));
        assert_eq!(of("-0.5").divide(2, 1).map(|mean| mean.to_string()), Some("-0.25".to_owned()));
        assert_eq!(of("1.25").shift(6).map(|number| number.to_string()), Some("1250000".to_owned()));
        assert_eq!(of("1.25").shift(1).map(|number| number.to_string()), Some("12.5".to_owned()));
        assert!(["", "-", "1.", ".5", "1,5", "1.2.3", "x"].iter().all(|text| Decimal::parse(text).is_none()));
        for (digits, fits) in [(MOST_DIGITS - 1, true), (MOST_DIGITS, true), (MOST_DIGITS + 1, false)] {
            assert_eq!(Decimal::parse(&"9".repeat(digits)).is_some(), fits, "{digits}");
        }
    }
}
