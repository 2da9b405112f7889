//! Page furniture: lines at the top and bottom of pages that recur on other pages, and page numbers. Removed before columns are detected,
//! because a running head spans columns it does not belong to.
//!
//! A line recurs if the same words are at the same place of another page; only a number in it may count up with the pages. Furniture is no
//! row of a table, is at most a small share of a page, and is never all that a page says.

#[cfg(test)]
mod laws;
mod page_number;
mod recurrence;
mod table_edge;

use page_number::{is_page_number, page_number};
use recurrence::Recurrences;

use super::page_block::PageRows;
use super::rows::{SegmentRow, row_text};
use super::stripes::height;

/// Rows examined at each end of a page.
const EDGE_ROWS: usize = 4;
/// Distance, in ems, that separates furniture from text.
const GAP_EM: f64 = 1.45;
/// Distance, in ems, that separates a page number which fits no other page from text.
const LONE_GAP_EM: f64 = 2.5;
/// Adjacent lines longer than this are running text, even if pages are alike.
const LONG: usize = 60;
/// Largest share of a page's rows that is furniture: two copies of one page, or forms that differ in a few words, recur whole. Real pages
/// have up to three rows of furniture to ten of text; a page may have [`ALWAYS`] whatever its length. Chosen, not measured.
const MAX_SHARE: f64 = 1.0 / 3.0;
/// Rows of furniture that a page may have however short it is: one at each end.
const ALWAYS: usize = 2;

/// The rows at the top and bottom of a page that are not part of its text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Furniture {
    pub(super) head: Vec<SegmentRow>,
    pub(super) foot: Vec<SegmentRow>,
}

/// Removes the furniture from the main rows of each page, which are sorted from the top, and returns it.
pub(super) fn take(pages: &mut [PageRows]) -> Vec<Furniture> {
    let mut recurrences = Recurrences::new(pages.len());
    for (number, page) in pages.iter().enumerate() {
        let usual = usual_em(&page.main);
        edges(page.main.len()).for_each(|(is_head, k)| recurrences.learn(number, is_head, &page.main[k], usual));
    }
    let pages = pages.iter_mut().map(|page| &mut page.main).enumerate();
    pages.map(|(number, rows)| PageEdges { rows, number, recurrences: &recurrences }.counts().split(rows)).collect()
}

/// The numbers of furniture rows at the two ends of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EdgeCounts {
    head: usize,
    foot: usize,
}

impl EdgeCounts {
    fn split(self, rows: &mut Vec<SegmentRow>) -> Furniture {
        let foot = rows.split_off(rows.len() - self.foot);
        let body = rows.split_off(self.head);
        Furniture { head: std::mem::replace(rows, body), foot }
    }

    /// At most the share of furniture that a page of `rows` rows may have: the innermost rows of the longer end are text.
    fn within_share(mut self, rows: usize) -> Self {
        let most = ((rows as f64 * MAX_SHARE) as usize).max(ALWAYS);
        while self.head + self.foot > most {
            let longer = if self.head > self.foot { &mut self.head } else { &mut self.foot };
            *longer -= 1;
        }
        self
    }
}

/// The two ends of a page.
struct PageEdges<'p> {
    rows: &'p [SegmentRow],
    /// Number of the page, from 0.
    number: usize,
    recurrences: &'p Recurrences,
}

impl PageEdges<'_> {
    fn counts(&self) -> EdgeCounts {
        let head = self.count(true, |k| self.is_furniture(true, k));
        let foot = self.count(false, |k| self.is_furniture(false, k)).min(self.rows.len() - head);
        let found = EdgeCounts { head, foot }.within_share(self.rows.len());
        let body = &self.rows[found.head..self.rows.len() - found.foot];
        if body.iter().any(has_letters) || found == (EdgeCounts { head: 0, foot: 0 }) {
            return found;
        }
        // Nothing would be left of the page, so only its number is no text.
        let is_number = |k: usize| is_page_number(&row_text(&self.rows[k])) && self.is_furniture(k == 0, k);
        let head = self.count(true, is_number);
        EdgeCounts { head, foot: self.count(false, is_number).min(self.rows.len() - head) }
    }

    /// Number of furniture rows at one end: the largest number of candidates behind which the next row is set apart.
    fn count(&self, is_head: bool, is_furniture: impl Fn(usize) -> bool) -> usize {
        let rows = self.rows;
        let at = |n: usize| if is_head { n } else { rows.len() - 1 - n };
        let mut found = 0;
        for n in 0..EDGE_ROWS.min(rows.len()) {
            let k = at(n);
            if !is_furniture(k) {
                break;
            }
            let inner = (n + 1 < rows.len()).then(|| &rows[at(n + 1)]);
            if inner.is_none_or(|inner| is_apart(&rows[k], inner, GAP_EM)) {
                found = n + 1;
            } else if inner.is_some_and(|inner| is_long(&rows[k]) && is_long(inner)) {
                break;
            }
        }
        found
    }

    fn is_furniture(&self, is_head: bool, k: usize) -> bool {
        let row = &self.rows[k];
        if table_edge::is_table_row(self.rows, k, is_head) {
            return false;
        }
        is_blank(row) || self.recurrences.recurs(self.number, is_head, row) || self.is_lone_number(is_head, k)
    }

    /// Whether the row is a page number: other pages are counted by it, or it alone is far off the text at the end of a page.
    fn is_lone_number(&self, is_head: bool, k: usize) -> bool {
        let Some(number) = page_number(&row_text(&self.rows[k])) else {
            return false;
        };
        let (outermost, inner) = if is_head { (0, k + 1) } else { (self.rows.len() - 1, k.wrapping_sub(1)) };
        let is_lone =
            || k == outermost && self.rows.get(inner).is_none_or(|inner| is_apart(&self.rows[k], inner, LONE_GAP_EM));
        number.is_labelled || self.recurrences.counts_pages(self.number, number.value) || is_lone()
    }
}

/// The rows to examine of a page with `len` rows.
fn edges(len: usize) -> impl Iterator<Item = (bool, usize)> {
    let n = EDGE_ROWS.min(len);
    (0..n).map(|k| (true, k)).chain((len - n..len).map(|k| (false, k)))
}

/// The size of most rows of a page.
fn usual_em(rows: &[SegmentRow]) -> f64 {
    let mut sizes: Vec<f64> = rows.iter().flatten().map(|s| s.em).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
}

fn is_long(row: &SegmentRow) -> bool {
    row_text(row).chars().count() > LONG
}

fn is_blank(row: &SegmentRow) -> bool {
    row.iter().all(|s| !s.text.chars().any(char::is_alphanumeric))
}

fn has_letters(row: &SegmentRow) -> bool {
    row.iter().any(|s| s.text.chars().any(char::is_alphabetic))
}

fn is_apart(a: &SegmentRow, b: &SegmentRow, gap_em: f64) -> bool {
    let em = a.iter().chain(b).map(|s| s.em).fold(0.0, f64::max);
    (height(a) - height(b)).abs() > gap_em * em
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn furniture_is_a_small_share_of_a_page() {
        let table = [
            // Rows of the page, candidates at both ends; then what is taken.
            (1, (1, 0), (1, 0)),
            (4, (2, 2), (1, 1)),
            (6, (1, 2), (1, 1)),
            (8, (1, 1), (1, 1)),
            (9, (2, 2), (2, 1)),
            (11, (3, 0), (3, 0)),
            (12, (2, 2), (2, 2)),
        ];
        for (rows, (head, foot), (kept_head, kept_foot)) in table {
            let found = EdgeCounts { head, foot }.within_share(rows);
            assert_eq!(found, EdgeCounts { head: kept_head, foot: kept_foot }, "{rows} rows");
        }
    }
}
