//! Which rows recur on other pages: the same words at the same place, and the same numbers except one that counts the pages.

use foldhash::HashMap;
use precis_language::heading::numbers_page;

use super::super::paragraphs::ends_sentence;
use super::super::rows::{LineSegment, SegmentRow, row_text};
use super::super::stripes::height;
use super::page_number::page_number;

/// Largest distance, in points, of recurring rows on different pages.
const SAME_PLACE: f64 = 8.0;
/// Pages up to which a document is short: there a row must recur on two pages, in longer ones on three.
const SHORT_DOCUMENT: usize = 5;
/// Pages that show that a number within a line counts them: on two pages it may be chance, as with the years of two reports.
const COUNTED: usize = 3;
/// Numbers of a row that may count the pages; limits the work.
const MAX_NUMBERS: usize = 16;
/// Largest size of a row with a number among its words that counts, relative to the page's usual size: larger ones are headings.
const HEADING: f64 = 1.12;
/// Steps of a number from page to page: two where two printed pages are one page of the file.
const STEPS: [i64; 2] = [1, 2];

/// What must be equal on all pages: the end of the page, the words, and the numbers relative to the page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RecurrenceKey {
    is_head: bool,
    words: String,
    numbers: Vec<i64>,
    /// The number that counts the pages, and its step.
    counting: Option<(usize, i64)>,
}

/// The rows at the ends of all pages.
pub(super) struct Recurrences {
    /// Number of pages on which a row must recur.
    needed: usize,
    /// The heights of the rows of each key, ascending once looked up.
    places: HashMap<RecurrenceKey, Vec<f64>>,
    /// Number of rows at the ends of pages with a number that differs as much from the page's place in the file.
    offsets: HashMap<i64, usize>,
}

impl Recurrences {
    pub(super) fn new(pages: usize) -> Self {
        let needed = if pages > SHORT_DOCUMENT { 3 } else { 2 };
        Self { needed, places: HashMap::default(), offsets: HashMap::default() }
    }

    /// Remembers a row of page `page`, whose usual size is `usual`.
    pub(super) fn learn(&mut self, page: usize, is_head: bool, row: &SegmentRow, usual: f64) {
        let (at, is_large) = (height(row), row.iter().any(|s| s.em > HEADING * usual));
        for key in keys(page, is_head, row) {
            if !is_large || key.counting.is_none_or(|(number, _)| stands_apart(row, number)) {
                self.places.entry(key).or_default().push(at);
            }
        }
        let number = page_number(&row_text(row)).map(|number| number.value);
        if let Some(number) = number.or_else(|| row.iter().find_map(lone_number)) {
            *self.offsets.entry(offset(page, number)).or_default() += 1;
        }
    }

    /// Whether the row of page `page` recurs on enough other pages.
    pub(super) fn recurs(&self, page: usize, is_head: bool, row: &SegmentRow) -> bool {
        let at = height(row);
        keys(page, is_head, row).into_iter().any(|key| {
            let needed = match key.counting {
                None => self.needed,
                Some((number, _)) if self.is_page_number_of(page, row, number) => 2,
                Some((number, _)) if stands_apart(row, number) => self.needed,
                Some(_) => COUNTED.max(self.needed),
            };
            let places = self.places.get(&key).map_or(&[][..], Vec::as_slice);
            places.iter().filter(|place| (*place - at).abs() <= SAME_PLACE).take(needed).count() >= needed
        })
    }

    /// Whether number `at` of the row is alone in its segment and counts the pages as the numbers of other pages do.
    fn is_page_number_of(&self, page: usize, row: &SegmentRow, at: usize) -> bool {
        let number = segment_of(row, at).and_then(|(segment, _)| lone_number(segment));
        number.is_some_and(|number| self.counts_pages(page, number))
    }

    /// Whether other pages are counted by numbers that fit `number` on page `page`.
    pub(super) fn counts_pages(&self, page: usize, number: u64) -> bool {
        self.offsets.get(&offset(page, number)).is_some_and(|pages| *pages >= 2)
    }
}

fn offset(page: usize, number: u64) -> i64 {
    number as i64 - page as i64
}

/// The keys under which a row recurs: its numbers are all the same, or one of them counts the pages. In a sentence no number does: reports
/// on two years are alike in all but the year.
fn keys(page: usize, is_head: bool, row: &SegmentRow) -> Vec<RecurrenceKey> {
    let (words, numbers) = parts(&row_text(row));
    let is_sentence = ends_sentence(&words) && words.split_whitespace().nth(2).is_some();
    let counted = if is_sentence || numbers.len() > MAX_NUMBERS { 0 } else { numbers.len() };
    let key = |numbers, counting| RecurrenceKey { is_head, words: words.clone(), numbers, counting };
    let counting = (0..counted).flat_map(|k| STEPS.map(|step| (k, step))).map(|(k, step)| {
        let mut relative = numbers.clone();
        relative[k] -= step * page as i64;
        key(relative, Some((k, step)))
    });
    let counting: Vec<RecurrenceKey> = counting.collect();
    std::iter::once(key(numbers.clone(), None)).chain(counting).collect()
}

/// The text with a sign for each run of digits, and the runs' values. A run too long for a number remains in the text.
fn parts(text: &str) -> (String, Vec<i64>) {
    let (mut words, mut numbers, mut digits) = (String::new(), Vec::new(), String::new());
    for c in text.chars().chain([' ']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        if !digits.is_empty() {
            match digits.parse() {
                Ok(number) => {
                    words.push('#');
                    numbers.push(number);
                }
                Err(_) => words.push_str(&digits),
            }
            digits.clear();
        }
        words.push(c);
    }
    words.pop();
    (words, numbers)
}

/// Whether number `at` of a row is set off as a page number: alone in its segment, or behind a word such as "page".
fn stands_apart(row: &SegmentRow, at: usize) -> bool {
    segment_of(row, at).is_some_and(|(segment, at)| {
        let before = parts(&segment.text).0;
        let before = before.split('#').nth(at).unwrap_or_default();
        let label = before.split(|c: char| !c.is_alphanumeric() && c != '.').rfind(|word| !word.is_empty());
        lone_number(segment).is_some() || label.is_some_and(|word| numbers_page(&word.to_lowercase()))
    })
}

/// The number that a segment consists of, however many digits it has.
fn lone_number(segment: &LineSegment) -> Option<u64> {
    page_number(&segment.text).map(|number| number.value).or_else(|| segment.text.parse().ok())
}

/// The segment that holds number `at` of a row, and the number's place in it.
fn segment_of(row: &SegmentRow, mut at: usize) -> Option<(&LineSegment, usize)> {
    for segment in row {
        let count = parts(&segment.text).1.len();
        if at < count {
            return Some((segment, at));
        }
        at -= count;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(texts: &[&str]) -> SegmentRow {
        let segment = |text: &&str| LineSegment { text: (*text).to_owned(), em: 10.0, ..LineSegment::default() };
        texts.iter().map(segment).collect()
    }

    #[test]
    fn only_a_number_that_counts_the_pages_may_differ() {
        let table: [(&[&[&str]], bool); 10] = [
            (&[&["Annual report"], &["Annual report"]], true),
            (&[&["Annual report"], &["Annual account"]], false),
            (&[&["Annual report", "7"], &["Annual report", "8"]], true),
            (&[&["Annual report", "7"], &["Annual report", "9"]], true),
            (&[&["Annual report", "7"], &["Annual report", "10"]], false),
            (&[&["Report Page 1 of 2"], &["Report Page 2 of 2"]], true),
            (&[&["Report 17"], &["Report 18"]], false),
            (&[&["Report 17"], &["Report 18"], &["Report 19"]], true),
            (&[&["In 2024 the club grew."], &["In 2025 the club grew."], &["In 2026 the club grew."]], false),
            (&[&["07.02.2026", "Card", "92,00"], &["08.02.2026", "Card", "15,00"]], false),
        ];
        for (pages, want) in table {
            let mut recurrences = Recurrences::new(pages.len());
            pages.iter().enumerate().for_each(|(n, texts)| recurrences.learn(n, true, &row(texts), 10.0));
            assert_eq!(recurrences.recurs(0, true, &row(pages[0])), want, "{pages:?}");
        }
    }

    #[test]
    fn a_counted_heading_is_text() {
        let mut recurrences = Recurrences::new(3);
        for (page, text) in ["Part 1", "Part 2", "Part 3"].iter().enumerate() {
            recurrences.learn(page, true, &row(&[text]), 8.0);
        }
        assert!(!recurrences.recurs(0, true, &row(&["Part 1"])));
    }
}
