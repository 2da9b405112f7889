//! Markers of list items: the numbers that a browser shows, which are not in the text.

use dom_query::Element;

use super::super::ordinal::{OrdinalStyle, written};
use super::roles::attribute;

/// An open list.
#[derive(Debug)]
pub(super) enum OpenList {
    Bullets,
    Numbers { next: i64, step: i64, style: OrdinalStyle },
}

impl OpenList {
    /// Creates the list begun by `element`.
    pub(super) fn from_element(element: &Element, is_ordered: bool) -> Self {
        if !is_ordered {
            return Self::Bullets;
        }
        let start = attribute(element, "start").and_then(number);
        let is_reversed = attribute(element, "reversed").is_some();
        let style = match attribute(element, "type").map(str::trim) {
            Some("a") => OrdinalStyle::SmallLetters,
            Some("A") => OrdinalStyle::Letters,
            Some("i") => OrdinalStyle::SmallRoman,
            Some("I") => OrdinalStyle::Roman,
            _ => OrdinalStyle::Figures,
        };
        // A reversed list without start counts down from the number of its items, which is not known yet.
        match (start, is_reversed) {
            (None, true) => Self::Bullets,
            (start, _) => Self::Numbers { next: start.unwrap_or(1), step: if is_reversed { -1 } else { 1 }, style },
        }
    }

    /// The marker of the next item, `element`.
    pub(super) fn marker(&mut self, element: &Element) -> String {
        match self {
            Self::Bullets => "-".to_owned(),
            Self::Numbers { next, step, style } => {
                let value = attribute(element, "value").and_then(number).unwrap_or(*next);
                *next = value.saturating_add(*step);
                format!("{}.", written(value, *style))
            }
        }
    }
}

fn number(text: &str) -> Option<i64> {
    text.trim().parse::<i32>().ok().map(i64::from)
}
