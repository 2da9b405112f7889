//! Numbers, percentages and lengths of CSS, and the functions that calculate with them: `calc()`, `min()`, `max()` and `clamp()`
//! (CSS Values and Units 4, 10).

use cssparser::{Delimiter, Parser, Token};

use super::css_tokens::{in_block, until};

/// Pixels per unit, at the default text and screen size of browsers: 16 px, 1,280 by 800.
const UNITS: [(&str, f32); 20] = [
    ("rem", 16.0),
    ("px", 1.0),
    ("pt", 4.0 / 3.0),
    ("pc", 16.0),
    ("in", 96.0),
    ("cm", 37.8),
    ("mm", 3.78),
    ("q", 0.945),
    ("vw", 12.8),
    ("svw", 12.8),
    ("lvw", 12.8),
    ("dvw", 12.8),
    ("vh", 8.0),
    ("svh", 8.0),
    ("lvh", 8.0),
    ("dvh", 8.0),
    ("vmin", 8.0),
    ("vmax", 12.8),
    ("ch", 8.0),
    ("ex", 8.0),
];
/// Pixels of an `em` where the two are compared.
pub(super) const EM_PX: f32 = 16.0;
/// Deepest nesting of functions and brackets that is calculated. Recursion costs stack.
const MAX_DEPTH: usize = 16;

/// The value of a number, a percentage, a length, or a calculation with them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    Number(f32),
    /// 1 is 100 %.
    Percent(f32),
    /// The sum of pixels and of multiples of the size of the surrounding text.
    Length {
        px: f32,
        em: f32,
    },
}

/// The quantity that `value` is; `None` if it is none or is not understood.
///
/// A minimum of which one part is not understood is that of the others: the true one is not greater.
pub(super) fn quantity(value: &str) -> Option<Quantity> {
    let mut parser = Parser::new(value);
    let found = term(&mut parser, 0)?;
    parser.is_exhausted().then_some(found).filter(|found| found.is_finite())
}

/// Terms joined by `+` and `-`.
fn sum(parser: &mut Parser<'_>, depth: usize) -> Option<Quantity> {
    let mut total = product(parser, depth)?;
    while let Ok(token) = parser.next().cloned() {
        let sign = match token {
            Token::Delim('+') => 1.0,
            Token::Delim('-') => -1.0,
            _ => return None,
        };
        total = total.plus(product(parser, depth)?.times(sign))?;
    }
    Some(total)
}

/// Terms joined by `*` and `/`.
fn product(parser: &mut Parser<'_>, depth: usize) -> Option<Quantity> {
    let mut total = term(parser, depth)?;
    loop {
        let before = parser.state();
        match parser.next().cloned() {
            Ok(Token::Delim('*')) => {
                total = match (total, term(parser, depth)?) {
                    (total, Quantity::Number(n)) => total.times(n),
                    (Quantity::Number(n), other) => other.times(n),
                    _ => return None,
                };
            }
            Ok(Token::Delim('/')) => {
                let Quantity::Number(n) = term(parser, depth)? else { return None };
                total = total.times(1.0 / n);
            }
            _ => {
                parser.reset(&before);
                return Some(total);
            }
        }
    }
}

fn term(parser: &mut Parser<'_>, depth: usize) -> Option<Quantity> {
    match parser.next().ok()?.clone() {
        Token::Number { value, .. } => Some(Quantity::Number(value)),
        Token::Percentage { unit_value, .. } => Some(Quantity::Percent(unit_value)),
        Token::Dimension { value, unit, .. } => length(value, &unit),
        _ if depth >= MAX_DEPTH => None,
        Token::ParenthesisBlock if depth > 0 => in_block(parser, |inside| sum(inside, depth + 1))?,
        Token::Function(name) => {
            let name = name.to_ascii_lowercase();
            in_block(parser, |inside| function(&name, inside, depth + 1))?
        }
        _ => None,
    }
}

fn length(value: f32, unit: &str) -> Option<Quantity> {
    let unit = unit.to_ascii_lowercase();
    if unit == "em" {
        return Some(Quantity::Length { px: 0.0, em: value });
    }
    let (_, px) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(Quantity::Length { px: value * px, em: 0.0 })
}

fn function(name: &str, inside: &mut Parser<'_>, depth: usize) -> Option<Quantity> {
    if matches!(name, "calc" | "-webkit-calc" | "-moz-calc") {
        return sum(inside, depth);
    }
    let mut values = Vec::new();
    while !inside.is_exhausted() {
        values.push(until(inside, Delimiter::Comma, |part| sum(part, depth)).flatten());
    }
    match (name, &values[..]) {
        ("min", _) => least(values.into_iter().flatten()),
        ("max", _) => greatest(values),
        ("clamp", [low, middle, high]) => greatest([*low, least([*middle, *high].into_iter().flatten())]),
        _ => None,
    }
}

/// The least of `values`; `None` if there is none or if they cannot be compared.
fn least(mut values: impl Iterator<Item = Quantity>) -> Option<Quantity> {
    let first = values.next()?;
    values.try_fold(first, |best, next| Some(if next.size(best)? < best.size(next)? { next } else { best }))
}

/// The greatest of `values`; `None` if one is not understood or if they cannot be compared.
fn greatest(values: impl IntoIterator<Item = Option<Quantity>>) -> Option<Quantity> {
    let mut values = values.into_iter();
    let first = values.next()??;
    values.try_fold(first, |best, next| {
        let next = next?;
        Some(if next.size(best)? > best.size(next)? { next } else { best })
    })
}

impl Quantity {
    fn times(self, n: f32) -> Self {
        match self {
            Self::Number(value) => Self::Number(value * n),
            Self::Percent(value) => Self::Percent(value * n),
            Self::Length { px, em } => Self::Length { px: px * n, em: em * n },
        }
    }

    /// The sum; `None` if it has no single unit.
    fn plus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Some(Self::Number(a + b)),
            (Self::Percent(a), Self::Percent(b)) => Some(Self::Percent(a + b)),
            (Self::Length { px: a, em: c }, Self::Length { px: b, em: d }) => {
                Some(Self::Length { px: a + b, em: c + d })
            }
            _ => None,
        }
    }

    /// What decides between this and `other`; `None` if they are of different kinds.
    fn size(self, other: Self) -> Option<f32> {
        match (self, other) {
            (Self::Number(n), Self::Number(_)) | (Self::Percent(n), Self::Percent(_)) => Some(n),
            (Self::Length { px, em }, Self::Length { .. }) => Some(px + em * EM_PX),
            _ => None,
        }
    }

    fn is_finite(self) -> bool {
        match self {
            Self::Number(n) | Self::Percent(n) => n.is_finite(),
            Self::Length { px, em } => px.is_finite() && em.is_finite(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_calculated() {
        let px = |px| Some(Quantity::Length { px, em: 0.0 });
        for (value, want) in [
            ("-9999px", px(-9999.0)),
            ("2rem", px(32.0)),
            (".5", Some(Quantity::Number(0.5))),
            ("50%", Some(Quantity::Percent(0.5))),
            ("-2EM", Some(Quantity::Length { px: 0.0, em: -2.0 })),
            ("calc(1px + 2px)", px(3.0)),
            ("calc(5px - (2 * 2px + 1px))", px(0.0)),
            ("calc(10px / 4 - 1em)", Some(Quantity::Length { px: 2.5, em: -1.0 })),
            ("min(0px, 16px)", px(0.0)),
            ("min(0px, 5vmoon, 50%)", None),
            ("min(0px, 5vmoon)", px(0.0)),
            ("max(0px, 1em, 12px)", Some(Quantity::Length { px: 0.0, em: 1.0 })),
            ("max(0px, 5vmoon)", None),
            ("clamp(0px, 50vmoon, 1px)", px(1.0)),
            ("clamp(0px, -3px, 1px)", px(0.0)),
            ("calc(min(3px, 2px) * max(1, 2))", px(4.0)),
            ("calc(1px 2px)", None),
            ("calc(1px -1px)", None),
            ("calc(1px / 0)", None),
            ("calc(1px + 1)", None),
            ("1px + 2px", None),
            ("(1px)", None),
            ("auto", None),
            ("", None),
        ] {
            assert_eq!(quantity(value), want, "{value}");
        }
    }

    #[test]
    fn nesting_is_calculated_up_to_a_depth() {
        for (depth, is_read) in [(MAX_DEPTH - 1, true), (MAX_DEPTH, true), (MAX_DEPTH + 1, false)] {
            let value = format!("{}1px{}", "calc(".repeat(depth), ")".repeat(depth));
            assert_eq!(quantity(&value).is_some(), is_read, "{depth}");
        }
    }
}
