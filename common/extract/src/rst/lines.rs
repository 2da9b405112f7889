//! The lines of a page, and the regions that nested blocks consist of.
//!
//! A region is a range of lines and the column where its text begins, so nesting copies nothing.

use std::borrow::Cow;

/// Columns between two tab stops (docutils' default).
const TAB_COLUMNS: usize = 8;

/// One line without trailing white space, with its tabs as spaces.
#[derive(Debug)]
struct Line<'a> {
    text: Cow<'a, str>,
    /// Number of leading spaces.
    indent: usize,
}

/// The lines of a text.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    lines: Vec<Line<'a>>,
    /// For each line, the first non-blank one from it on, so that a run of blank lines is skipped in one step.
    next_text: Vec<usize>,
}

/// Lines that form one or more blocks, seen from a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: usize,
    /// One past the last line.
    pub(super) end: usize,
    /// Start of the first line, in bytes: behind a marker it may differ from the other lines.
    pub(super) first: usize,
    /// Start of the other lines, in bytes.
    pub(super) column: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let lines: Vec<Line<'a>> = source.lines().map(line).collect();
        let mut next_text = vec![lines.len(); lines.len() + 1];
        for at in (0..lines.len()).rev() {
            next_text[at] = if lines[at].text.is_empty() { next_text[at + 1] } else { at };
        }
        Self { lines, next_text }
    }

    /// The region of all lines.
    pub(super) fn region(&self) -> Region {
        Region { start: 0, end: self.lines.len(), first: 0, column: 0 }
    }

    /// All lines in full, including blank ones.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.text.as_ref())
    }

    /// The first non-blank line of `region` from `at` on.
    pub(super) fn text_from(&self, region: Region, at: usize) -> Option<usize> {
        self.next_text.get(at).copied().filter(|&at| at < region.end)
    }

    /// The byte at which the text of line `at` begins in `region`.
    pub(super) fn offset(&self, region: Region, at: usize) -> usize {
        match at == region.start {
            true => region.first,
            false => region.column.min(self.lines[at].indent),
        }
    }

    /// Line `at` as seen from `region`.
    pub(super) fn view(&self, region: Region, at: usize) -> &str {
        self.lines[at].text.get(self.offset(region, at)..).unwrap_or_default()
    }

    /// Line `at` as seen from `region`, if it belongs to the region and is not blank.
    pub(super) fn text_at(&self, region: Region, at: usize) -> Option<&str> {
        (at < region.end).then(|| self.view(region, at)).filter(|view| !view.is_empty())
    }

    /// Number of spaces before the text of line `at`, as seen from `region`.
    pub(super) fn indent(&self, region: Region, at: usize) -> usize {
        let view = self.view(region, at);
        view.len() - view.trim_start_matches(' ').len()
    }

    /// The index behind the last of the adjacent non-blank lines from `at` on.
    pub(super) fn block_end(&self, region: Region, at: usize) -> usize {
        (at..region.end).find(|&at| self.view(region, at).is_empty()).unwrap_or(region.end)
    }

    /// The indented lines from `at` on, including blank lines between them, as a region starting at the least indentation; `None` if the
    /// next non-blank line is not indented.
    pub(super) fn indented(&self, region: Region, at: usize) -> Option<Region> {
        let start = self.text_from(region, at).filter(|&at| self.indent(region, at) > 0)?;
        let (mut end, mut least, mut next) = (start, usize::MAX, Some(start));
        while let Some(at) = next.filter(|&at| self.indent(region, at) > 0) {
            least = least.min(self.indent(region, at));
            end = at + 1;
            next = self.text_from(region, end);
        }
        let column = region.column + least;
        Some(Region { start, end, first: column, column })
    }

    /// The body of the construct on line `at`, whose text begins after `skip` bytes: the rest of the line and the indented lines below.
    /// Empty if there is none.
    pub(super) fn body(&self, region: Region, at: usize, skip: usize) -> Region {
        let view = self.view(region, at);
        let rest = view.get(skip..).unwrap_or_default();
        let text = view.len() - rest.trim_start_matches(' ').len();
        let first = self.offset(region, at) + text;
        match (rest.trim().is_empty(), self.indented(region, at + 1)) {
            (true, Some(below)) => below,
            (true, None) => Region { start: at + 1, end: at + 1, first, column: first },
            (false, Some(below)) => Region { start: at, end: below.end, first, column: below.column },
            (false, None) => Region { start: at, end: at + 1, first, column: first },
        }
    }

    /// The lines of `region` as seen from it.
    pub(super) fn views(&self, region: Region) -> impl Iterator<Item = &str> {
        (region.start..region.end).map(move |at| self.view(region, at))
    }

    /// `region` from line `start` on.
    pub(super) fn tail(&self, region: Region, start: usize) -> Region {
        match self.lines.get(start) {
            Some(line) if start > region.start => Region { start, first: region.column.min(line.indent), ..region },
            _ => Region { start, ..region },
        }
    }
}

impl Region {
    pub(super) fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// The lines of this region before `end`.
    pub(super) fn until(self, end: usize) -> Self {
        Self { end: end.min(self.end), ..self }
    }
}

fn line(source: &str) -> Line<'_> {
    let source = source.trim_end();
    let mut text = Cow::Borrowed(source);
    if source.contains(['\t', '\u{b}', '\u{c}']) {
        let (mut expanded, mut column) = (String::with_capacity(source.len() + TAB_COLUMNS), 0);
        for c in source.chars() {
            let (c, times) = match c {
                '\t' => (' ', TAB_COLUMNS - column % TAB_COLUMNS),
                '\u{b}' | '\u{c}' => (' ', 1),
                c => (c, 1),
            };
            expanded.extend(std::iter::repeat_n(c, times));
            column += times;
        }
        text = Cow::Owned(expanded);
    }
    let indent = text.len() - text.trim_start_matches(' ').len();
    Line { text, indent }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_the_rest_of_a_line_and_what_stands_further_in() {
        for (source, skip, want) in [
            ("- a\n  b\n\n  c\nd", 2, &["a", "b", "", "c"][..]),
            (".. x::\n\n     b\n   c\n\n", 6, &["  b", "c"]),
            (":n:   a\n\tb", 3, &["a", "b"]),
            ("- \nb", 1, &[]),
            ("..", 2, &[]),
        ] {
            let lines = Lines::new(source);
            let body = lines.body(lines.region(), 0, skip);
            assert_eq!(lines.views(body).collect::<Vec<_>>(), want, "{source:?}");
        }
    }

    #[test]
    fn tabs_reach_the_next_stop() {
        let lines = Lines::new("\ta\tb  \u{c}");
        assert_eq!(lines.view(lines.region(), 0), "        a       b");
    }
}
