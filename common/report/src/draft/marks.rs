//! The lexical form of citations in a finished report: `[n]` with plain decimal digits and an unescaped opening bracket.
//!
//! Finding them needs no Markdown parser, so a reader's script finds the same marks: [`super::citations::cite`] escapes every other
//! bracket, even if Markdown does not require it.

use std::ops::Range;

/// A citation mark in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Byte range of the mark, brackets included.
    pub range: Range<usize>,
    /// Its number; `u32::MAX` if the digits exceed the type.
    pub n: u32,
}

/// All marks of `markdown`, in order.
#[must_use]
pub fn marks(markdown: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    let mut escaped = false;
    for (at, c) in markdown.char_indices() {
        if c == '[' && !escaped {
            found.extend(mark_at(markdown, at));
        }
        escaped = c == '\\' && !escaped;
    }
    found
}

fn mark_at(markdown: &str, at: usize) -> Option<Mark> {
    let digits = markdown[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
    let end = at + 1 + digits;
    let closes = digits > 0 && markdown[end..].starts_with(']');
    closes.then(|| Mark { range: at..end + 1, n: markdown[at + 1..end].parse().unwrap_or(u32::MAX) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unescaped_number_in_brackets_is_a_mark() {
        let cases: [(&str, &[u32]); 9] = [
            ("a [1].", &[1]),
            ("[1][22]", &[1, 22]),
            ("\\[1\\]", &[]),
            ("\\\\[1]", &[1]),
            ("\\\\\\[1\\]", &[]),
            ("[a] [] [1 ] [ 1]", &[]),
            ("[[7]]", &[7]),
            ("二[3]", &[3]),
            ("[99999999999]", &[u32::MAX]),
        ];
        for (markdown, want) in cases {
            let got: Vec<u32> = marks(markdown).iter().map(|m| m.n).collect();
            assert_eq!(got, want, "{markdown}");
        }
    }
}
