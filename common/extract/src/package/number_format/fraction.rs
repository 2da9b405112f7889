//! Numbers as fractions: `# ?/?`, `?/8`.

use super::digits::literal;
use super::token::Token;

/// Most places of a denominator that count; the format has seven.
const MAX_PLACES: usize = 7;

/// `number`, at least 0, in the places of `tokens`, whose slash is at `at`; `None` if no denominator follows.
pub(super) fn placed_as_fraction(number: f64, tokens: &[Token], at: usize) -> Option<String> {
    let is_digit = |token: &&Token| matches!(token, Token::Digit(_));
    let numerators = tokens[..at].iter().rev().take_while(is_digit).count();
    let places = tokens[at + 1..].iter().take_while(is_digit).count();
    let fixed = FixedDenominator::read(&tokens[at + 1..]);
    if numerators == 0 || (places == 0 && fixed.is_none()) {
        return None;
    }
    let before = &tokens[..at - numerators];
    let has_whole = before.iter().any(|token| matches!(token, Token::Digit(_)));
    let mut whole = if has_whole { number.trunc() } else { 0.0 };
    let of = number - whole;
    let (mut numerator, denominator) = match &fixed {
        Some(FixedDenominator { value, .. }) => ((of * *value as f64).round() as u64, *value),
        None => nearest(of, 10u64.pow(u32::try_from(places.min(MAX_PLACES)).unwrap_or(1)) - 1),
    };
    if has_whole && numerator == denominator {
        (whole, numerator) = (whole + 1.0, 0);
    }
    let head: String = before.iter().take_while(|token| !is_digit(token)).map(literal).collect();
    let (skipped, rest) = fixed.map_or((places, ""), |fixed| (fixed.tokens, fixed.rest));
    let tail: String = tokens[at + 1 + skipped..].iter().map(literal).collect();
    let fraction = if has_whole && numerator == 0 { String::new() } else { format!("{numerator}/{denominator}") };
    let whole = if has_whole && (whole > 0.0 || numerator == 0) { format!("{whole} ") } else { String::new() };
    Some(format!("{head}{whole}{fraction}{rest}{tail}"))
}

/// A denominator that stands in the code.
struct FixedDenominator<'t> {
    value: u64,
    /// Number of tokens it takes.
    tokens: usize,
    /// What follows it in the last of these tokens.
    rest: &'t str,
}

impl<'t> FixedDenominator<'t> {
    /// Reads the digits at the start of `tokens`, of which the first is no place of a digit: `100` is a text and two places.
    fn read(tokens: &'t [Token]) -> Option<Self> {
        let (mut digits, mut taken, mut rest) = (String::new(), 0, "");
        for token in tokens {
            match token {
                Token::Literal(text) => {
                    rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
                    digits.push_str(&text[..text.len() - rest.len()]);
                }
                Token::Digit('0') if !digits.is_empty() => digits.push('0'),
                _ => break,
            }
            taken += 1;
            if !rest.is_empty() {
                break;
            }
        }
        let value = digits.parse().ok().filter(|value| *value > 0)?;
        Some(Self { value, tokens: taken, rest })
    }
}

/// The fraction next to `number` with a denominator of at most `most`, by continued fractions.
fn nearest(number: f64, most: u64) -> (u64, u64) {
    let (mut before, mut last) = ((0u64, 1u64), (1u64, 0u64));
    let mut rest = number;
    loop {
        let step = rest.floor();
        let next = (next_of(step, last.0, before.0), next_of(step, last.1, before.1));
        let (Some(numerator), Some(denominator)) = next else { return last };
        if denominator > most {
            return between(number, most, before, last);
        }
        (before, last) = (last, (numerator, denominator));
        let part = rest - step;
        if part < 1e-9 {
            return last;
        }
        rest = 1.0 / part;
    }
}

fn next_of(step: f64, last: u64, before: u64) -> Option<u64> {
    (step < 1e15).then(|| (step as u64).checked_mul(last)?.checked_add(before)).flatten()
}

/// The better one of the last fraction and the one with the largest denominator between it and the one before it.
fn between(number: f64, most: u64, before: (u64, u64), last: (u64, u64)) -> (u64, u64) {
    let steps = (most - before.1) / last.1.max(1);
    let other = (steps.saturating_mul(last.0).saturating_add(before.0), steps * last.1 + before.1);
    let away = |of: (u64, u64)| (number - of.0 as f64 / of.1 as f64).abs();
    if other.1 > 0 && away(other) < away(last) { other } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_nearest_fraction_of_its_places() {
        for (number, most, want) in [
            (0.75, 9, (3, 4)),
            (0.0, 9, (0, 1)),
            (0.3, 9, (2, 7)),
            (0.3, 99, (3, 10)),
            (0.333, 9, (1, 3)),
            (0.99, 9, (1, 1)),
            (0.05, 9, (0, 1)),
            (std::f64::consts::PI, 99, (311, 99)),
        ] {
            assert_eq!(nearest(number, most), want, "{number} {most}");
        }
    }
}
