//! Numbers, letters and Roman numerals at the start of list items.

use crate::ordinal::{OrdinalStyle, written};

/// Longest number, in digits, and longest Roman numeral, in letters.
const MAX_DIGITS: usize = 9;
const MAX_ROMAN: usize = 8;

/// The characters around the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Brackets,
    Bracket,
    Stop,
}

/// An enumerator at the start of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Enumerator {
    /// Its length in bytes.
    pub(super) bytes: usize,
    frame: Frame,
    /// Its possible values: a letter may also be a Roman numeral.
    values: Vec<(OrdinalStyle, i64)>,
    /// Whether it is `#`, which continues the numbering.
    is_auto: bool,
}

impl Enumerator {
    /// The enumerator at the start of `view`; `None` unless white space or nothing follows it.
    pub(super) fn at(view: &str) -> Option<Self> {
        let (body, open) = view.strip_prefix('(').map_or((view, 0), |body| (body, 1));
        let bytes = body.bytes().take(MAX_DIGITS + 1).take_while(|b| b.is_ascii_alphanumeric() || *b == b'#').count();
        let (core, rest) = body.split_at(bytes);
        let frame = match (open, rest.bytes().next()?) {
            (1, b')') => Frame::Brackets,
            (0, b')') => Frame::Bracket,
            (0, b'.') => Frame::Stop,
            _ => return None,
        };
        let values = values(core);
        let is_auto = core == "#";
        let is_apart = rest.len() == 1 || rest[1..].starts_with(' ');
        (is_apart && (is_auto || !values.is_empty())).then_some(Self {
            bytes: open + bytes + 1,
            frame,
            values,
            is_auto,
        })
    }

    /// Whether the item continues the list of the item `before`.
    pub(super) fn follows(&self, before: &Self) -> bool {
        let is_next = |(style, value): &(OrdinalStyle, i64)| before.values.contains(&(*style, value - 1));
        self.frame == before.frame && (self.is_auto || self.values.iter().any(is_next))
    }

    /// The marker as shown; the value of `#` follows from the item `before` in its list.
    pub(super) fn resolve(mut self, before: Option<&Self>) -> (String, Self) {
        let standing = before.filter(|before| self.follows(before));
        self.values = match (standing, self.is_auto) {
            (Some(before), true) => before.values.iter().map(|(style, value)| (*style, value + 1)).collect(),
            (Some(before), false) => {
                self.values.into_iter().filter(|(style, value)| before.values.contains(&(*style, value - 1))).collect()
            }
            (None, true) => vec![(OrdinalStyle::Figures, 1)],
            (None, false) => first_reading(self.values),
        };
        let number = self.values.first().map_or(String::new(), |(style, value)| written(*value, *style));
        let marker = match self.frame {
            Frame::Brackets => format!("({number})"),
            Frame::Bracket => format!("{number})"),
            Frame::Stop => format!("{number}."),
        };
        (marker, self)
    }
}

/// Resolves the first number of a list: `i` begins Roman numerals, any other letter begins letters.
fn first_reading(values: Vec<(OrdinalStyle, i64)>) -> Vec<(OrdinalStyle, i64)> {
    let is_roman = |style: &OrdinalStyle| matches!(style, OrdinalStyle::Roman | OrdinalStyle::SmallRoman);
    let begins_roman = values.iter().any(|(style, value)| is_roman(style) && *value == 1);
    match values.len() {
        2 => values.into_iter().filter(|(style, _)| is_roman(style) == begins_roman).collect(),
        _ => values,
    }
}

fn values(core: &str) -> Vec<(OrdinalStyle, i64)> {
    if !core.is_empty() && core.bytes().all(|b| b.is_ascii_digit()) {
        return core
            .parse()
            .ok()
            .filter(|_| core.len() <= MAX_DIGITS)
            .map(|n| (OrdinalStyle::Figures, n))
            .into_iter()
            .collect();
    }
    let is_small = core.bytes().all(|b| b.is_ascii_lowercase());
    if core.is_empty() || !(is_small || core.bytes().all(|b| b.is_ascii_uppercase())) {
        return Vec::new();
    }
    let (letters, roman) = match is_small {
        true => (OrdinalStyle::SmallLetters, OrdinalStyle::SmallRoman),
        false => (OrdinalStyle::Letters, OrdinalStyle::Roman),
    };
    let lower = core.to_ascii_lowercase();
    let letter = lower.bytes().next().filter(|_| lower.len() == 1).map(|b| (letters, i64::from(b - b'a') + 1));
    let numeral = numeral(&lower).map(|value| (roman, value));
    letter.into_iter().chain(numeral).collect()
}

/// The value of a Roman numeral up to 89; larger ones could be words, such as `did.` and `mix.`.
fn numeral(lower: &str) -> Option<i64> {
    let is_short = lower.len() <= MAX_ROMAN && lower.bytes().all(|b| b"ivxl".contains(&b));
    is_short.then(|| (1..90).find(|&value| written(value, OrdinalStyle::SmallRoman) == lower)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_letters_and_numerals_are_told_apart_by_their_list() {
        for (lines, want) in [
            (&["1. a", "2. b", "#. c"][..], &["1.", "2.", "3."][..]),
            (&["(i) a", "(ii) b", "(#) c"], &["(i)", "(ii)", "(iii)"]),
            (&["h) a", "i) b", "j) c"], &["h)", "i)", "j)"]),
            (&["#. a", "#. b"], &["1.", "2."]),
            (&["C. a", "D. b"], &["C.", "D."]),
            (&["1. a", "3. b", "I. c"], &["1.", "3.", "I."]),
            (&["7.", "8. x"], &["7.", "8."]),
        ] {
            let mut before = None;
            let found: Vec<String> = lines
                .iter()
                .map(|line| {
                    let (marker, standing) = Enumerator::at(line).expect("one").resolve(before.as_ref());
                    before = Some(standing);
                    marker
                })
                .collect();
            assert_eq!(found, want, "{lines:?}");
        }
    }

    #[test]
    fn words_are_no_numbers() {
        for line in [
            "did. x",
            "mix. x",
            "1.5 x",
            "(1. x",
            "1 x",
            "a.b",
            "(see) x",
            "# x",
            ". x",
            "",
            "1234567890. x",
            "é. x",
            "Ab. x",
        ] {
            assert_eq!(Enumerator::at(line), None, "{line}");
        }
    }
}
