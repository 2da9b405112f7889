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
        let style = style(element).unwrap_or_default();
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
                // An item may have numbers of a kind of its own.
                format!("{}.", written(value, self::style(element).unwrap_or(*style)))
            }
        }
    }
}

/// The numbers that `element` declares.
fn style(element: &Element) -> Option<OrdinalStyle> {
    Some(match attribute(element, "type")?.trim() {
        "1" => OrdinalStyle::Figures,
        "a" => OrdinalStyle::SmallLetters,
        "A" => OrdinalStyle::Letters,
        "i" => OrdinalStyle::SmallRoman,
        "I" => OrdinalStyle::Roman,
        _ => return None,
    })
}

fn number(text: &str) -> Option<i64> {
    text.trim().parse::<i32>().ok().map(i64::from)
}
