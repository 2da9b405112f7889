//! Reads a number as it is written: digits with marks between groups and before decimals.
//!
//! `1.200` may mean 1200 or 1.2: both readings are kept, and whoever needs one must know what decides.

/// One reading of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenNumber {
    /// All its digits, without marks.
    pub(crate) digits: String,
    /// How many of them are decimals.
    pub(crate) places: usize,
    /// The mark before the decimals, or between the groups, that is a point or a comma; the one that decides how others are read.
    pub(crate) decimal: Option<char>,
    /// The point or comma between groups.
    pub(crate) group: Option<char>,
}

impl WrittenNumber {
    /// The number with a point before its decimals and nothing between groups.
    pub(crate) fn plain(&self) -> String {
        match self.digits.split_at(self.digits.len() - self.places) {
            (whole, "") => whole.to_owned(),
            (whole, decimals) => format!("{whole}.{decimals}"),
        }
    }
}

/// The readings of `text`: one, or two if its mark may be either; none if it is not a plain number.
pub(crate) fn readings(text: &str) -> Vec<WrittenNumber> {
    let is_digit = |c: char| c.is_ascii_digit();
    if !text.starts_with(is_digit) || !text.ends_with(is_digit) {
        return Vec::new();
    }
    let is_group = |c: char| matches!(c, '\'' | '’' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    if marks.iter().any(|c| !is_group(*c) && !matches!(c, '.' | ',')) {
        return Vec::new();
    }
    let pieces: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    let grouped = |pieces: &[&str]| {
        (1..=3).contains(&pieces[0].len()) && !pieces[0].starts_with('0') && pieces[1..].iter().all(|p| p.len() == 3)
    };
    let (head, tail) = pieces.split_at(pieces.len() - 1);
    let Some(last) = marks.last().copied() else {
        return vec![WrittenNumber { digits: text.to_owned(), places: 0, decimal: None, group: None }];
    };
    let stop = |mark: Option<&char>| mark.copied().filter(|mark| matches!(mark, '.' | ','));
    let is_decimal = matches!(last, '.' | ',') && marks.iter().filter(|c| **c == last).count() == 1;
    let digits = pieces.concat();
    let mut found = Vec::new();
    if is_decimal && (head.len() == 1 || grouped(head)) {
        let group = stop(marks.first().filter(|_| head.len() > 1));
        found.push(WrittenNumber { digits: digits.clone(), places: tail[0].len(), decimal: Some(last), group });
    }
    if marks.windows(2).all(|pair| pair[0] == pair[1]) && grouped(&pieces) {
        found.push(WrittenNumber { digits, places: 0, decimal: None, group: stop(Some(&last)) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_as_many_readings_as_its_marks_allow() {
        for (text, want) in [
            ("12", &["12"][..]),
            ("1,234,567", &["1234567"]),
            ("1.234,50", &["1234.50"]),
            ("1.200", &["1.200", "1200"]),
            ("0.200", &["0.200"]),
            ("12 000", &[]),
            ("12\u{202f}000", &["12000"]),
            ("1,23,456", &[]),
            ("1.2.3", &[]),
            ("12.", &[]),
            ("", &[]),
        ] {
            assert_eq!(readings(text).iter().map(WrittenNumber::plain).collect::<Vec<_>>(), want, "{text}");
        }
    }
}
