//! The digits of a number, rounded as workbooks round, and their places in a code.

use super::token::Token;

/// Digits of the precision of a workbook.
const PRECISION: usize = 15;

/// A number in 15 digits, the precision of a workbook: 0.1 + 0.2 is 0.3.
pub(in super::super) fn shortest(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    rounded.to_string()
}

/// The digits of `number`, at least 0, before and behind the point, rounded half up to `decimals`; before the point without leading zeros.
pub(super) fn round_digits(number: f64, decimals: usize) -> (String, String) {
    let text = format!("{number:.*e}", PRECISION - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    // All digits that are shown, and one more that decides about rounding.
    let decimals_kept = i32::try_from(decimals).unwrap_or(i32::MAX - 400);
    let first = point.min(0);
    let at = |place: i32| usize::try_from(place).ok().and_then(|place| digits.get(place)).copied().unwrap_or(0);
    let mut shown: Vec<u8> = (first..point + decimals_kept).map(at).collect();
    if at(point + decimals_kept) >= 5 && point + decimals_kept >= 0 {
        carry(&mut shown);
    }
    let split = shown.len().saturating_sub(decimals);
    let text = |digits: &[u8]| digits.iter().map(|digit| char::from(b'0' + digit)).collect::<String>();
    let mut behind = text(&shown[split..]);
    while behind.len() < decimals {
        behind.insert(0, '0');
    }
    (text(&shown[..split]).trim_start_matches('0').to_owned(), behind)
}

/// Adds one to the last digit.
fn carry(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < 9 {
            *digit += 1;
            return;
        }
        *digit = 0;
    }
    digits.insert(0, 1);
}

/// `number`, at least 0, in the places of `tokens`.
pub(super) fn place_digits(number: f64, tokens: &[Token]) -> String {
    let is_digit = |token: &Token| matches!(token, Token::Digit(_));
    let point = tokens.iter().position(|token| *token == Token::Point).unwrap_or(tokens.len());
    let (before, behind) = tokens.split_at(point);
    let last = before.iter().rposition(is_digit);
    let first = before.iter().position(is_digit).unwrap_or(0);
    let is_comma = |token: &&Token| **token == Token::Comma;
    let thousands = before.iter().skip(last.map_or(0, |last| last + 1)).take_while(is_comma).count()
        + behind.iter().rposition(is_digit).map_or(0, |last| behind[last + 1..].iter().take_while(is_comma).count());
    let is_grouped = last.is_some_and(|last| before[first..last].contains(&Token::Comma));
    let percents = tokens.iter().filter(|token| **token == Token::Percent).count();
    let scale = 10f64.powi(2 * i32::try_from(percents).unwrap_or(0) - 3 * i32::try_from(thousands).unwrap_or(0));
    let decimals = behind.iter().filter(|token| is_digit(token)).count();
    let (whole, part) = round_digits(number * scale, decimals);
    format!("{}{}", before_point(before, &whole, is_grouped), behind_point(behind, &part))
}

/// The digits before the point, from the right; those without a place stand at the first place.
fn before_point(tokens: &[Token], whole: &str, is_grouped: bool) -> String {
    let mut digits: Vec<char> = whole.chars().collect();
    let mut places_left = tokens.iter().filter(|token| matches!(token, Token::Digit(_))).count();
    let (mut out, mut count) = (Vec::new(), 0);
    for token in tokens.iter().rev() {
        match token {
            Token::Digit(place) => {
                places_left -= 1;
                let here = if places_left == 0 { digits.len().max(1) } else { 1 };
                for _ in 0..here {
                    let Some(digit) = digits.pop().or_else(|| unused_place(*place)) else { continue };
                    if is_grouped && count > 0 && count % 3 == 0 && digit != ' ' {
                        out.push(',');
                    }
                    out.push(digit);
                    count += 1;
                }
            }
            other => out.extend(literal(other).chars().rev()),
        }
    }
    out.iter().rev().collect()
}

/// What a place shows that no digit fills.
fn unused_place(place: char) -> Option<char> {
    match place {
        '0' => Some('0'),
        '?' => Some(' '),
        _ => None,
    }
}

fn behind_point(tokens: &[Token], part: &str) -> String {
    let significant = part.trim_end_matches('0').len();
    let (mut out, mut digits) = (String::new(), part.char_indices());
    for token in tokens {
        match token {
            Token::Digit(place) => {
                let Some((at, digit)) = digits.next() else { continue };
                out.extend(if at < significant { Some(digit) } else { unused_place(*place) });
            }
            Token::Point => out.push('.'),
            other => out.push_str(literal(other)),
        }
    }
    out
}

/// What a token shows that has nothing to do with digits.
pub(super) fn literal(token: &Token) -> &str {
    match token {
        Token::Literal(text) | Token::Letter(text) => text,
        Token::Percent => "%",
        Token::Slash => "/",
        Token::Digit(_)
        | Token::Point
        | Token::Comma
        | Token::Exponent { .. }
        | Token::General
        | Token::Text
        | Token::Date(..)
        | Token::Elapsed(..)
        | Token::HalfDay => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_half_up_in_the_precision_of_a_workbook() {
        for (number, decimals, whole, part) in [
            (0.0, 0, "", ""),
            (0.0, 2, "", "00"),
            (1.005, 2, "1", "01"),
            (2.5, 0, "3", ""),
            (0.5, 0, "1", ""),
            (0.05, 1, "", "1"),
            (0.004, 2, "", "00"),
            (0.0004, 2, "", "00"),
            (999.995, 2, "1000", "00"),
            (1e15, 0, "1000000000000000", ""),
            (0.1 + 0.2, 3, "", "300"),
        ] {
            assert_eq!(round_digits(number, decimals), (whole.to_owned(), part.to_owned()), "{number} {decimals}");
        }
    }
}
