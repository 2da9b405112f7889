//! Numbers joined by points, such as versions, decimals and dates: `1.40.0`, `0.05`, `12.03.2020`.
//!
//! Their single numbers are in most texts; only together they tell one version from another.

/// The ranges of bytes of `text` that are two or more numbers joined by points, in order.
///
/// A letter before or behind them does not matter (`v1.2`, `2.0beta`), and a point at the end belongs to the sentence.
pub(super) fn ranges(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let point = (from..bytes.len()).find(|at| joins(bytes, *at))?;
        let digits = bytes[from..point].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = point;
        while bytes.get(end).is_some_and(u8::is_ascii_digit) || joins(bytes, end) {
            end += 1;
        }
        from = end;
        Some(point - digits..end)
    })
}

/// Whether there is a point at `at` with a digit on either side.
fn joins(bytes: &[u8], at: usize) -> bool {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    bytes.get(at) == Some(&b'.') && at > 0 && is_digit(at - 1) && is_digit(at + 1)
}

/// Whether a term is a number or numbers joined by points.
pub(super) fn is_number(term: &str) -> bool {
    term.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether `long` is the number `short` with more behind a point: `1.40.0` and `1.40`.
pub(super) fn is_more_exact(long: &str, short: &str) -> bool {
    short.contains('.') && long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_joined_by_points_are_found_whole() {
        let table: [(&str, &[&str]); 11] = [
            ("", &[]),
            (".", &[]),
            ("tokio 1.40", &["1.40"]),
            ("v1.40.0, then 2.0beta.", &["1.40.0", "2.0"]),
            ("It ended in 1940. 1941 was worse.", &[]),
            ("on 12.03.2020.", &["12.03.2020"]),
            ("1..2 .5 5. a.1", &[]),
            ("1.2..3.4", &["1.2", "3.4"]),
            ("1.2.3.4.", &["1.2.3.4"]),
            ("é1.5é", &["1.5"]),
            ("1,000.5", &["000.5"]),
        ];
        for (text, want) in table {
            let found: Vec<&str> = ranges(text).map(|range| &text[range]).collect();
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn a_number_with_more_behind_a_point_is_more_exact() {
        for (long, short, want) in [
            ("1.40.0", "1.40", true),
            ("1.40", "1.40.0", false),
            ("1.40", "1.4", false),
            ("1.40", "1", false),
            ("1.40", "1.40", false),
            ("2.1.40", "1.40", false),
        ] {
            assert_eq!(is_more_exact(long, short), want, "{long} {short}");
        }
    }
}
