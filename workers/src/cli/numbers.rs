//! Numbers as people read them.

/// Formats `n` with its digits in groups of three.
pub(crate) fn group_digits(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns `n` with its noun, such as `1 source` and `2,000 sources`.
pub(crate) fn count_with_noun(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", group_digits(n as u64), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_nouns_agree() {
        for (n, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(group_digits(n), expected);
        }
        assert_eq!(count_with_noun(1, "source"), "1 source");
        assert_eq!(count_with_noun(2_000, "source"), "2,000 sources");
    }
}
