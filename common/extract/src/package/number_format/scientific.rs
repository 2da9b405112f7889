//! Numbers with an exponent: `0.00E+00`.

use super::digits::{literal, place_digits};
use super::token::Token;

/// `number`, at least 0, in the places of `tokens`, whose exponent is at `at`.
pub(super) fn placed_with_exponent(number: f64, tokens: &[Token], at: usize, shows_plus: bool) -> String {
    let mantissa = &tokens[..at];
    let is_digit = |token: &&Token| matches!(token, Token::Digit(_));
    // With several places before the point, the exponent is a multiple of their number.
    let step = mantissa.iter().take_while(|token| **token != Token::Point).filter(is_digit).count().max(1);
    let step = i32::try_from(step).unwrap_or(1);
    let decimals = mantissa.iter().skip_while(|token| **token != Token::Point).filter(is_digit).count();
    let power = |number: f64| {
        let text = format!("{number:.*e}", decimals.min(14));
        text.split_once('e').and_then(|(_, power)| power.parse::<i32>().ok()).unwrap_or(0)
    };
    let power = if number == 0.0 { 0 } else { power(number) };
    let power = power - power.rem_euclid(step);
    let sign = match power {
        power if power < 0 => "-",
        _ if shows_plus => "+",
        _ => "",
    };
    let places = tokens[at..].iter().filter(is_digit).count();
    let tail: String = tokens[at + 1..].iter().map(literal).collect();
    // In two steps: a single power of ten may be beyond what a number can be.
    let scaled = number / 10f64.powi(power / 2) / 10f64.powi(power - power / 2);
    format!("{}E{sign}{:0places$}{tail}", place_digits(scaled, mantissa), power.abs())
}
