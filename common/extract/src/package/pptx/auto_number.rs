//! [`AutoNumbers`]: numbers of paragraphs on slides, which are computed when a slide is shown.

use std::collections::BTreeMap;

use super::super::super::ordinal::{OrdinalStyle, format_ordinal};
use super::super::markup::XmlElement;

/// How far the numbered paragraphs of a text have been counted.
#[derive(Debug, Default)]
pub(super) struct AutoNumbers {
    /// The scheme and the last number at each depth.
    counted: BTreeMap<u8, (String, i64)>,
    /// The scheme of the paragraph being read, and its first number.
    open: Option<(String, i64)>,
}

impl AutoNumbers {
    /// Begins a paragraph.
    pub(super) fn begin(&mut self) {
        self.open = None;
    }

    /// Takes the numbering of the paragraph.
    pub(super) fn open(&mut self, element: &XmlElement<'_>) {
        let start = element.attribute("startAt").and_then(|start| start.parse::<i32>().ok()).map_or(1, i64::from);
        self.open = Some((element.attribute("type").unwrap_or_default(), start));
    }

    /// The number of the paragraph, which has words and is at `depth`; `None` if it has none.
    pub(super) fn next(&mut self, depth: u8) -> Option<String> {
        self.counted.retain(|counted, _| *counted <= depth);
        let Some((scheme, start)) = self.open.take() else {
            self.counted.remove(&depth);
            return None;
        };
        let last = self.counted.get(&depth).filter(|(before, _)| *before == scheme);
        let number = last.map_or(start, |(_, last)| last.saturating_add(1));
        let marker = marker(&scheme, number);
        self.counted.insert(depth, (scheme, number));
        Some(marker)
    }
}

/// A number in a scheme: `alphaLcParenR` is `a)`.
fn marker(scheme: &str, number: i64) -> String {
    let style = match scheme {
        scheme if scheme.starts_with("alphaLc") => OrdinalStyle::SmallLetters,
        scheme if scheme.starts_with("alphaUc") => OrdinalStyle::Letters,
        scheme if scheme.starts_with("romanLc") => OrdinalStyle::SmallRoman,
        scheme if scheme.starts_with("romanUc") => OrdinalStyle::Roman,
        _ => OrdinalStyle::Figures,
    };
    let number = format_ordinal(number, style);
    match scheme {
        scheme if scheme.ends_with("ParenBoth") => format!("({number})"),
        scheme if scheme.ends_with("ParenR") => format!("{number})"),
        scheme if scheme.ends_with("Period") => format!("{number}."),
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_within_a_depth_and_a_scheme() {
        let mut numbers = AutoNumbers::default();
        for (scheme, start, depth, want) in [
            ("arabicPeriod", 3, 0, "3."),
            ("alphaLcParenR", 1, 1, "a)"),
            ("alphaLcParenR", 1, 1, "b)"),
            ("arabicPeriod", 3, 0, "4."),
            ("alphaLcParenR", 1, 1, "a)"),
            ("romanUcParenBoth", 1, 0, "(I)"),
            ("", 1, 0, ""),
            ("romanUcParenBoth", 1, 0, "(I)"),
            ("arabicPlain", 2, 0, "2"),
        ] {
            numbers.open = (!scheme.is_empty()).then(|| (scheme.to_owned(), start));
            assert_eq!(numbers.next(depth).unwrap_or_default(), want, "{scheme} {depth}");
        }
    }
}
