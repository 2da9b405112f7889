//! Editions of one document: titles that are the same but for a date, and which of them is newer.

use std::cmp::Ordering;
use std::ops::Range;

use precis_text::terms;

use super::date::{PartialDate, dates};

/// Range of four-digit numbers that are taken for years in a title.
const YEARS: std::ops::RangeInclusive<u32> = 1_900..=2_199;

/// What a title says of its document: which one, and of when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edition {
    /// The terms of the title without its date.
    work: Vec<String>,
    date: PartialDate,
    /// The date as written.
    pub written: String,
}

impl Edition {
    /// The edition that `title` names; `None` if it has no date, or nothing beside it.
    #[must_use]
    pub fn of_title(title: &str) -> Option<Self> {
        let (range, date) = last_date(title)?;
        let around = format!("{} {}", &title[..range.start], &title[range.end..]);
        let work = terms::terms(&around);
        let written = title[range].to_owned();
        (!work.is_empty()).then_some(Self { work, date, written })
    }

    /// Whether both are of one document, and which is older; `None` if they are not, or of one date.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let order = (self.work == other.work).then(|| self.date.compare(other.date))??;
        (order != Ordering::Equal && self.date.conflicts(other.date)).then_some(order)
    }
}

/// Whether two titles name editions of one document.
pub(super) fn are_editions(a: &str, b: &str) -> bool {
    Edition::of_title(a).zip(Edition::of_title(b)).is_some_and(|(a, b)| a.compare(&b).is_some())
}

/// The last date of `title`, else its last year, with its bytes.
fn last_date(title: &str) -> Option<(Range<usize>, PartialDate)> {
    if let Some(last) = dates(title).into_iter().rfind(|dated| dated.date.year.is_some()) {
        return Some((last.range, last.date));
    }
    let is_digit = |c: char| c.is_ascii_digit();
    let mut years = title.match_indices(is_digit).filter_map(|(at, _)| {
        let is_start = !title[..at].ends_with(is_digit) && !title[..at].ends_with(['.', ',']);
        let run = title[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(title.len() - at);
        let year: u32 = title[at..at + run].parse().ok()?;
        (is_start && run == 4 && YEARS.contains(&year)).then_some((at..at + run, year))
    });
    let (range, year) = years.next_back()?;
    Some((range, PartialDate { year: Some(year), month: None, day: None }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_that_differ_in_their_date_alone_are_editions_in_order() {
        for (a, b, want) in [
            ("Staff handbook, January 2019", "Staff handbook, January 2025", Some(Ordering::Less)),
            ("handbook-2025.md", "handbook-2019.md", Some(Ordering::Greater)),
            ("Price list 2024-03-01", "Price list 2024-05-01", Some(Ordering::Less)),
            ("Price list 2024", "Price list 2024-05-01", None),
            ("Staff handbook 2019", "Board handbook 2025", None),
            ("Staff handbook", "Staff handbook 2025", None),
            ("2019", "2025", None),
            ("Rule 19999 of 2025", "Rule 19998 of 2026", None),
        ] {
            let order = Edition::of_title(a).zip(Edition::of_title(b)).and_then(|(a, b)| a.compare(&b));
            assert_eq!(order, want, "{a} / {b}");
        }
    }
}
