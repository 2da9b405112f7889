//! Page furniture: lines at the top and bottom of pages that recur on other pages, and page numbers. Removed before columns are detected,
//! because a running head spans columns it does not belong to.

use foldhash::HashMap;
use precis_language::heading::numbers_page;

use super::page_block::PageRows;
use super::rows::SegmentRow;

/// Rows examined at each end of a page.
const EDGE_ROWS: usize = 4;
/// Largest distance, in points, of recurring rows on different pages.
const SAME_PLACE: f64 = 8.0;
/// Pages up to which a document is short: there a row must recur on two pages, in longer ones on three.
const SHORT_DOCUMENT: usize = 5;
/// Distance, in ems, that separates furniture from text.
const GAP_EM: f64 = 1.45;
/// Adjacent lines longer than this are running text, even if pages are alike.
const LONG: usize = 60;

/// The rows at the top and bottom of a page that are not part of its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Furniture {
    pub(super) head: Vec<SegmentRow>,
    pub(super) foot: Vec<SegmentRow>,
}

/// The form in which rows are compared: position (top or bottom) and text with its digits replaced.
type FurnitureKey = (bool, String);

/// Removes the furniture from the main rows of each page, which are sorted from the top, and returns it.
pub(super) fn take(pages: &mut [PageRows]) -> Vec<Furniture> {
    let mut places: HashMap<FurnitureKey, Vec<f64>> = HashMap::default();
    for rows in pages.iter().map(|page| &page.main) {
        for (is_head, k) in edges(rows.len()) {
            places.entry((is_head, pattern(&rows[k]))).or_default().push(height(&rows[k]));
        }
    }
    places.values_mut().for_each(|places| places.sort_by(f64::total_cmp));
    let needed = if pages.len() > SHORT_DOCUMENT { 3 } else { 2 };
    pages
        .iter_mut()
        .map(|page| &mut page.main)
        .map(|rows| {
            let comes_again = |is_head: bool, k: usize| {
                let at = height(&rows[k]);
                let near = places.get(&(is_head, pattern(&rows[k]))).map_or(0, |all| {
                    all.partition_point(|p| *p <= at + SAME_PLACE) - all.partition_point(|p| *p < at - SAME_PLACE)
                });
                near >= needed
            };
            let head = count(rows, true, &comes_again);
            let foot = count(rows, false, &comes_again).min(rows.len() - head);
            let foot = rows.split_off(rows.len() - foot);
            let body = rows.split_off(head);
            Furniture { head: std::mem::replace(rows, body), foot }
        })
        .collect()
}

/// The rows to examine of a page with `len` rows.
fn edges(len: usize) -> impl Iterator<Item = (bool, usize)> {
    let n = EDGE_ROWS.min(len);
    (0..n).map(|k| (true, k)).chain((len - n..len).map(|k| (false, k)))
}

/// Number of furniture rows at one end: the largest number of candidates behind which the next row is set apart.
fn count(rows: &[SegmentRow], is_head: bool, comes_again: &dyn Fn(bool, usize) -> bool) -> usize {
    let at = |n: usize| if is_head { n } else { rows.len() - 1 - n };
    let mut found = 0;
    for n in 0..EDGE_ROWS.min(rows.len()) {
        let k = at(n);
        if !(comes_again(is_head, k) || is_page_number(&text(&rows[k])) || is_blank(&rows[k])) {
            break;
        }
        let inner = (n + 1 < rows.len()).then(|| &rows[at(n + 1)]);
        if inner.is_none_or(|inner| is_apart(&rows[k], inner)) {
            found = n + 1;
        } else if inner.is_some_and(|inner| is_long(&rows[k]) && is_long(inner)) {
            break;
        }
    }
    found
}

fn is_long(row: &SegmentRow) -> bool {
    text(row).chars().count() > LONG
}

fn is_blank(row: &SegmentRow) -> bool {
    row.iter().all(|s| !s.text.chars().any(char::is_alphanumeric))
}

fn is_apart(a: &SegmentRow, b: &SegmentRow) -> bool {
    let em = a.iter().chain(b).map(|s| s.em).fold(0.0, f64::max);
    (height(a) - height(b)).abs() > GAP_EM * em
}

fn height(row: &SegmentRow) -> f64 {
    row.first().map_or(0.0, |s| s.v)
}

fn text(row: &SegmentRow) -> String {
    row.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The text with each run of digits replaced by one sign.
fn pattern(row: &SegmentRow) -> String {
    let mut out = String::new();
    for c in text(row).chars() {
        match c.is_numeric() {
            true if out.ends_with('#') => {}
            true => out.push('#'),
            false => out.push(c),
        }
    }
    out
}

/// Whether a line is only a page number: `12`, `- 12 -`, `xiv`, `Page 3 of 7`, `3/7`.
fn is_page_number(text: &str) -> bool {
    let is_sign = |c: char| matches!(c, '-' | '–' | '—' | '|' | '/' | '•' | '.' | '[' | ']' | '(' | ')');
    let mut numbers = 0;
    for word in text.split(|c: char| c.is_whitespace() || c == '/').filter(|w| !w.is_empty()) {
        let bare = word.trim_matches(is_sign);
        let roman = !bare.is_empty() && bare.len() <= 6 && bare.chars().all(|c| "ivxl".contains(c));
        if bare.is_empty() || numbers_page(&word.to_lowercase()) {
            continue;
        }
        if !(roman || (bare.len() <= 4 && bare.bytes().all(|b| b.is_ascii_digit()))) {
            return false;
        }
        numbers += 1;
    }
    (1..=2).contains(&numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_told_from_text() {
        for number in ["3", "- 12 -", "xiv", "Page 3 of 7", "3/7", "[4]", "Seite 2 von 3"] {
            assert!(is_page_number(number), "{number}");
        }
        for text in ["", "page", "Chapter 3", "12,345", "1 2 3", "20201231", "of the"] {
            assert!(!is_page_number(text), "{text}");
        }
    }
}
