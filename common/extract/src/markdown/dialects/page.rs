//! [`Page`]: what the CommonMark parser finds in a source.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Tag, TagEnd};

use super::limits::{MAX_TAG_BYTES, MAX_UNCLOSED};
use crate::markdown::options::events;

/// Elements of HTML whose content is not Markdown.
const RAW_ELEMENTS: [&str; 5] = ["<!--", "<pre", "<script", "<style", "<textarea"];

/// A source and its structure. Positions are bytes of the source.
#[derive(Debug)]
pub(super) struct Page<'s> {
    pub(super) source: &'s str,
    /// Whether it may hold JavaScript.
    pub(super) is_mdx: bool,
    /// Stands for an inline directive that is left out.
    pub(super) gap: char,
    pub(super) lines: Vec<Line<'s>>,
    /// Code, formulas, comments and front matter, in order.
    opaque: Vec<Range<usize>>,
    /// Where the front matter ends; 0 if there is none.
    pub(super) front_matter_end: usize,
    /// Code between fences, with what stands behind the first of them.
    pub(super) fenced: Vec<(Range<usize>, String)>,
    /// Blocks of HTML, in order.
    pub(super) html: Vec<Range<usize>>,
    /// Code by indentation.
    pub(super) indented: Vec<Range<usize>>,
    /// Code inside lines, with its backquotes.
    pub(super) spans: Vec<Range<usize>>,
    /// Links and pictures, in order.
    links: Vec<Range<usize>>,
    /// Where links, emphasis and code end.
    pub(super) inline_ends: HashSet<usize>,
    /// Where paragraphs begin.
    pub(super) paragraphs: HashSet<usize>,
    /// Number of directives so far that have no end.
    unclosed: Cell<usize>,
}

/// A line of the source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'s> {
    source: &'s str,
    pub(super) start: usize,
    /// Behind the indentation and the marks of quotations.
    pub(super) body: usize,
    /// Without the end of the line and white space before it.
    pub(super) end: usize,
    /// The beginning of the next line.
    pub(super) next: usize,
}

impl<'s> Line<'s> {
    /// Its indentation and marks of quotations.
    pub(super) fn prefix(&self) -> &'s str {
        &self.source[self.start..self.body]
    }

    /// What stands behind its prefix.
    pub(super) fn text(&self) -> &'s str {
        &self.source[self.body..self.end]
    }
}

impl<'s> Page<'s> {
    pub(super) fn new(source: &'s str, is_mdx: bool, gap: char) -> Self {
        let mut page = Self {
            source,
            is_mdx,
            gap,
            lines: lines(source),
            opaque: Vec::new(),
            front_matter_end: 0,
            fenced: Vec::new(),
            html: Vec::new(),
            indented: Vec::new(),
            spans: Vec::new(),
            links: Vec::new(),
            inline_ends: HashSet::new(),
            paragraphs: HashSet::new(),
            unclosed: Cell::new(0),
        };
        let mut code_element = None;
        for (event, range) in events(source, Options::ENABLE_MATH) {
            page.take(&event, range, &mut code_element);
        }
        join(&mut page.opaque);
        join(&mut page.links);
        page
    }

    fn take(&mut self, event: &Event<'_>, range: Range<usize>, code_element: &mut Option<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                self.fenced.push((range.clone(), info.to_string()));
                self.opaque.push(range);
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                self.indented.push(range.clone());
                self.opaque.push(range);
            }
            Event::Start(Tag::MetadataBlock(_)) => {
                self.front_matter_end = range.end;
                self.opaque.push(range);
            }
            Event::InlineMath(_) | Event::DisplayMath(_) => self.opaque.push(range),
            Event::Start(Tag::HtmlBlock) => {
                self.opaque.extend(is_raw(&self.source[range.clone()]).then(|| range.clone()));
                self.html.push(range);
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => self.links.push(range),
            Event::Start(Tag::Paragraph) => self.paragraphs.extend([range.start]),
            Event::Code(_) => {
                self.inline_ends.insert(range.end);
                self.spans.push(range.clone());
                self.opaque.push(range);
            }
            Event::InlineHtml(tag) if tag.starts_with("<!--") => self.opaque.push(range),
            Event::InlineHtml(tag) if tag.starts_with("<code") => *code_element = Some(range.start),
            Event::InlineHtml(tag) if tag.starts_with("</code") => {
                self.opaque.extend(code_element.take().map(|start| start..range.end));
            }
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => {
                self.inline_ends.extend([range.end])
            }
            Event::End(_) => *code_element = None,
            _ => {}
        }
    }

    /// Whether a byte is code, or another text that is no prose.
    pub(super) fn is_opaque(&self, at: usize) -> bool {
        is_in(&self.opaque, at)
    }

    /// Whether a byte belongs to a link or a picture.
    pub(super) fn is_link(&self, at: usize) -> bool {
        is_in(&self.links, at)
    }

    /// What stands between the mark `open` at a byte and the next mark `close`, within [`MAX_TAG_BYTES`] with both marks. Neither a second
    /// `open` nor a blank line stands between them: the first would then be a mark without an end, which is text.
    pub(super) fn between(&self, at: usize, open: &str, close: &str) -> Option<Range<usize>> {
        let start = at + open.len();
        self.closed(|| {
            let text = self.source.get(start..self.source.floor_char_boundary(at + MAX_TAG_BYTES))?;
            let inside = &text[..text.find(close)?];
            let is_one = !inside.contains(open) && !has_blank_line(inside);
            is_one.then(|| start..start + inside.len())
        })
    }

    /// What `read` finds of a directive, unless too many had no end.
    pub(super) fn closed<T>(&self, read: impl FnOnce() -> Option<T>) -> Option<T> {
        let found = if self.unclosed.get() < MAX_UNCLOSED { read() } else { None };
        self.unclosed.set(self.unclosed.get() + usize::from(found.is_none()));
        found
    }

    /// Positions at which `mark` stands in prose without a backslash before it.
    pub(super) fn marks<'p>(&'p self, mark: &'p str) -> impl Iterator<Item = usize> + 'p {
        let is_mark = |at: &usize| !self.is_opaque(*at) && !is_escaped(self.source, *at);
        self.source.match_indices(mark).map(|(at, _)| at).filter(is_mark)
    }

    /// The line around a byte.
    pub(super) fn line_at(&self, at: usize) -> Option<&Line<'s>> {
        self.lines.get(self.line_index(at))
    }

    /// The index of the line around a byte.
    pub(super) fn line_index(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.next <= at)
    }

    /// The line of which `range` is all, without white space.
    pub(super) fn line_of(&self, range: &Range<usize>) -> Option<&Line<'s>> {
        self.line_at(range.start).filter(|line| line.body == range.start && line.end == range.end)
    }
}

/// Whether a paragraph ends within `text`: a line that is neither its first nor its last is blank.
pub(super) fn has_blank_line(text: &str) -> bool {
    let inner = text.split_once('\n').and_then(|(_, behind)| behind.rsplit_once('\n')).map(|(inner, _)| inner);
    inner.is_some_and(|inner| inner.split('\n').any(|line| line.trim().is_empty()))
}

/// Whether an odd number of backslashes stands before a byte.
pub(super) fn is_escaped(source: &str, at: usize) -> bool {
    let before = &source.as_bytes()[..at];
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Sorts ranges and joins those that overlap or touch.
fn join(ranges: &mut Vec<Range<usize>>) {
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, kept| {
        let joins = next.start <= kept.end;
        kept.end = if joins { kept.end.max(next.end) } else { kept.end };
        joins
    });
}

/// Whether a byte is in one of `ranges`, which are in order.
fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let before = ranges.partition_point(|range| range.start <= at);
    before.checked_sub(1).is_some_and(|last| at < ranges[last].end)
}

fn is_raw(html: &str) -> bool {
    let html = html.trim_start();
    RAW_ELEMENTS.iter().any(|begin| html.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin)))
}

fn lines(source: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in source.split_inclusive('\n') {
        let text = line.trim_end();
        let body = text.len() - text.trim_start_matches([' ', '\t', '>']).len();
        found.push(Line { source, start, body: start + body, end: start + text.len(), next: start + line.len() });
        start += line.len();
    }
    found
}
