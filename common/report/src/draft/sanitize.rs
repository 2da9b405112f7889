//! Rewrites a model's Markdown from the parser's events: headings, paragraphs, lists, quotes, tables, code.
//!
//! Links and images become their text, HTML becomes text, and link definitions are dropped. Rewriting is what makes the result safe:
//! it can contain only what is written here. [`super::inline_writer`] writes each run of inline text.

use std::collections::HashMap;
use std::ops::Range;

use precis_text::{shown_text, table_fill};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, LinkType, Parser, Tag, TagEnd};

use super::forged_headings;
use super::inline::{Inline, MAX_BRACKETED, bracketed_numbers, numbers, options, push_html, push_text, shown_words};
use super::inline_writer::{EscapeContext, longest_run, looks_cited, write};
use super::numbering::CitationNumbering;
use super::review::review_row;
use super::ruling::Review;

/// Deepest nesting of quotes and lists; deeper ones lose their indentation, not their text. Chosen, not measured.
const MAX_DEPTH: usize = 8;

/// Code block languages that renderers draw or execute instead of showing the code.
const DRAWN: [&str; 8] = ["mermaid", "geojson", "topojson", "stl", "math", "plantuml", "graphviz", "dot"];

/// Rewrites `draft` and numbers its citations.
pub(super) fn sanitize(draft: &str, numbering: &mut CitationNumbering<'_>, review: &mut dyn Review) -> String {
    // Before parsing: the parser fills up short rows, so a short draft could become a huge table.
    let bounded = table_fill::limit_tables(draft);
    let draft = &*bounded;
    let mut writer = MarkdownWriter {
        numbering,
        review,
        has_removed: false,
        frames: vec![OpenBlock::new(OpenBlockKind::Root)],
        row: Vec::new(),
        links: Vec::new(),
    };
    let events: Vec<(Event<'_>, Range<usize>)> = Parser::new_ext(draft, options()).into_offset_iter().collect();
    let mut paragraphs = numbered_paragraphs(draft, &events);
    for (at, (event, range)) in events.into_iter().enumerate() {
        if let Some(number) = paragraphs.remove(&at) {
            writer.flush();
            writer.row.extend(number.chars().map(Inline::Char));
            continue;
        }
        match event {
            Event::Start(tag) => writer.start(tag),
            Event::End(tag) => writer.end(tag),
            Event::Text(text) => match writer.top().kind {
                OpenBlockKind::Code(_) => writer.top().blocks.push(text.into_string()),
                _ => push_text(&mut writer.row, draft, &range, &text),
            },
            Event::Code(code) => writer.row.push(Inline::Code(code.into_string())),
            Event::Html(html) => {
                push_html(&mut writer.row, &html);
                writer.row.push(Inline::Break);
            }
            Event::InlineHtml(html) => push_html(&mut writer.row, &html),
            Event::SoftBreak => writer.row.push(Inline::Char(' ')),
            Event::HardBreak => writer.row.push(Inline::Break),
            Event::Rule => writer.block("***".to_owned()),
            // The parser emits these only with options that are not set.
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }
    writer.flush();
    let mut blocks = std::mem::take(&mut writer.top().blocks);
    if writer.has_removed {
        blocks = without_empty_sections(blocks);
    }
    blocks.join("\n\n")
}

/// Finds lists that are not lists: paragraphs that begin with the number of a clause or a year, so the numbers do not ascend by one.
/// Returns, by event index, the text to write in place of the event: for an item its marker, for other events nothing.
fn numbered_paragraphs(draft: &str, events: &[(Event<'_>, Range<usize>)]) -> HashMap<usize, String> {
    // For each open list: the index of its start event, and those of its items with their markers.
    let mut open: Vec<(usize, Vec<(usize, &str)>)> = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    let mut found = HashMap::new();
    for (at, (event, range)) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::List(_)) => open.push((at, Vec::new())),
            Event::Start(Tag::Item) => {
                let digits = draft[range.clone()].bytes().take_while(u8::is_ascii_digit).count();
                let marker = draft.get(range.start..range.start + digits + usize::from(digits > 0)).unwrap_or("");
                if let Some((_, items)) = open.last_mut() {
                    items.push((at, marker));
                }
            }
            Event::End(TagEnd::Item) => ends.push(at),
            Event::End(TagEnd::List(_)) => {
                let Some((start, items)) = open.pop() else { continue };
                let own = ends.split_off(ends.len().saturating_sub(items.len()));
                if !is_numbered_in_order(&items) {
                    found.extend([start, at].into_iter().chain(own).map(|at| (at, String::new())));
                    found.extend(items.iter().map(|(at, marker)| (*at, format!("{marker} "))));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the markers of a list match automatic numbering: all bullets, all alike, or each one more than the last; a single item
/// must have the number 0 or 1.
fn is_numbered_in_order(items: &[(usize, &str)]) -> bool {
    let numbers: Vec<Option<u64>> =
        items.iter().map(|(_, marker)| marker.trim_end_matches(['.', ')']).parse().ok()).collect();
    if numbers.iter().all(Option::is_none) {
        return true;
    }
    let step = |step: u64| {
        numbers.windows(2).all(|pair| pair[0].zip(pair[1]).is_some_and(|(a, b)| b == a.saturating_add(step)))
    };
    match &numbers[..] {
        [Some(only)] => *only <= 1,
        _ => step(1) || (step(0) && numbers[0] <= Some(1)),
    }
}

/// `blocks` without headings that have nothing left below them; level-1 headings stay.
fn without_empty_sections(blocks: Vec<String>) -> Vec<String> {
    let level = |block: &String| block.bytes().take_while(|b| *b == b'#').count();
    let mut kept: Vec<String> = Vec::with_capacity(blocks.len());
    // From the end: a heading above headings that are themselves removed is empty too.
    for block in blocks.into_iter().rev() {
        let own = level(&block);
        let is_empty = own > 0 && kept.last().is_none_or(|next| (1..=own).contains(&level(next)));
        if !is_empty || own == 1 {
            kept.push(block);
        }
    }
    kept.reverse();
    kept
}

/// A block that is still open.
struct OpenBlock {
    kind: OpenBlockKind,
    /// Finished blocks in it: paragraphs, items, rows or cells.
    blocks: Vec<String>,
    /// Of a row: the words of its cells. Of a table: those of its head.
    words: Vec<String>,
    /// Whether it contains paragraphs, which separate list items by a blank line.
    loose: bool,
}

enum OpenBlockKind {
    Root,
    Quote,
    List(Option<u64>),
    Item,
    Code(String),
    Table(Vec<Alignment>),
    /// A row, with the number of its cells that the review emptied.
    Row {
        is_head: bool,
        emptied: usize,
    },
}

impl OpenBlock {
    fn new(kind: OpenBlockKind) -> Self {
        Self { kind, blocks: Vec::new(), words: Vec::new(), loose: false }
    }
}

struct MarkdownWriter<'n, 'f> {
    numbering: &'n mut CitationNumbering<'f>,
    /// Reviews each statement before its citations are numbered.
    review: &'n mut dyn Review,
    /// Whether the review emptied a block.
    has_removed: bool,
    /// The open blocks; never empty, because the first is the document.
    frames: Vec<OpenBlock>,
    /// Inline text of the block that is open.
    row: Vec<Inline>,
    /// Open links: where their text starts in `row`, and their label if it is a number.
    links: Vec<(usize, Option<String>)>,
}

impl MarkdownWriter<'_, '_> {
    fn top(&mut self) -> &mut OpenBlock {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn block(&mut self, text: String) {
        if !text.is_empty() {
            self.top().blocks.push(text);
        }
    }

    /// Ends the open run of inline text, if any, as a paragraph.
    fn flush(&mut self) {
        self.say_whose();
        let row = self.review_run();
        let text = write(row, self.numbering, EscapeContext::Paragraph);
        self.block(text);
    }

    /// What a cell stands under, if one is open: the head of its column and the label of its row.
    fn cell_names(&self) -> Vec<String> {
        let [.., table, row] = self.frames.as_slice() else { return Vec::new() };
        if !matches!(row.kind, OpenBlockKind::Row { is_head: false, .. }) {
            return Vec::new();
        }
        let column = table.words.get(row.words.len());
        // The label of a row stands under nothing in its row.
        [column, row.words.first()].into_iter().flatten().filter(|name| !name.is_empty()).cloned().collect()
    }

    /// Takes the open run and returns it after review.
    fn review_run(&mut self) -> Vec<Inline> {
        let row = std::mem::take(&mut self.row);
        if row.is_empty() {
            return row;
        }
        let under = self.cell_names();
        let row = review_row(row, under, self.review);
        self.has_removed |= row.iter().all(|inline| matches!(inline, Inline::Char(' ') | Inline::Break));
        row
    }

    /// Ends a cell. Heads of columns and labels of rows are no statements, unless they cite.
    fn cell(&mut self) {
        let is_first = self.top().blocks.is_empty();
        let is_label = is_first && (0..self.row.len()).all(|at| bracketed_numbers(&self.row[at..]).is_none());
        let is_head = matches!(self.top().kind, OpenBlockKind::Row { is_head: true, .. });
        let words = shown_words(&self.row);
        // Statements that are quotes are all compared.
        if !(is_head || is_label) || self.review.every_mark_ends() {
            let had_text = !self.row.is_empty();
            self.row = self.review_run();
            let is_emptied =
                had_text && self.row.iter().all(|inline| matches!(inline, Inline::Char(' ') | Inline::Break));
            if let OpenBlockKind::Row { emptied, .. } = &mut self.top().kind {
                *emptied += usize::from(is_emptied);
            }
            if is_emptied {
                self.row = vec![Inline::Char('–')];
            }
        }
        let cell = self.one_line();
        self.top().words.push(words);
        self.top().blocks.push(cell);
    }

    fn one_line(&mut self) -> String {
        let row = std::mem::take(&mut self.row);
        write(row, self.numbering, EscapeContext::Within)
    }

    /// Appends the remark "written by the model" to a heading or heading-like paragraph that imitates one of Precis' own.
    fn say_whose(&mut self) {
        let shown = self.row.iter().map(|inline| match inline {
            Inline::Char(c) => c.to_string(),
            Inline::Code(code) => code.clone(),
            _ => String::new(),
        });
        if let Some(remark) = forged_headings::remark(&shown.collect::<String>()) {
            self.row.extend(format!(" ({remark})").chars().map(Inline::Char));
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => self.row.push(Inline::MarkupStart("*")),
            Tag::Strong => self.row.push(Inline::MarkupStart("**")),
            Tag::Strikethrough => self.row.push(Inline::MarkupStart("~~")),
            Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. } => {
                let labelled = link_type == LinkType::Reference && id.bytes().all(|b| b.is_ascii_digit());
                self.links.push((self.row.len(), labelled.then(|| id.into_string())));
            }
            Tag::Paragraph => {
                self.flush();
                self.top().loose = true;
            }
            Tag::BlockQuote(_) => self.open(OpenBlockKind::Quote),
            Tag::List(first) => self.open(OpenBlockKind::List(first)),
            Tag::Item => self.open(OpenBlockKind::Item),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                let word: String =
                    info.chars().take_while(|c| c.is_ascii_alphanumeric() || "+#-".contains(*c)).collect();
                let is_drawn = DRAWN.iter().any(|drawn| word.eq_ignore_ascii_case(drawn));
                self.open(OpenBlockKind::Code(if is_drawn { String::new() } else { word }));
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => self.open(OpenBlockKind::Code(String::new())),
            Tag::Table(alignments) => self.open(OpenBlockKind::Table(alignments)),
            Tag::TableHead => self.open(OpenBlockKind::Row { is_head: true, emptied: 0 }),
            Tag::TableRow => self.open(OpenBlockKind::Row { is_head: false, emptied: 0 }),
            _ => self.flush(),
        }
    }

    fn open(&mut self, kind: OpenBlockKind) {
        self.flush();
        self.frames.push(OpenBlock::new(kind));
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.row.push(Inline::MarkupEnd("*")),
            TagEnd::Strong => self.row.push(Inline::MarkupEnd("**")),
            TagEnd::Strikethrough => self.row.push(Inline::MarkupEnd("~~")),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Heading(level) => {
                self.say_whose();
                let text = self.one_line();
                if !text.is_empty() {
                    self.block(format!("{} {text}", "#".repeat(level as usize)));
                }
            }
            TagEnd::TableCell => {
                self.cell();
            }
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::CodeBlock
            | TagEnd::Table
            | TagEnd::TableHead
            | TagEnd::TableRow => self.close(),
            _ => self.flush(),
        }
    }

    /// Ends a link, which becomes its text. If that text or the label of its target is a bracketed number, it is still a citation.
    fn end_link(&mut self) {
        let Some((start, label)) = self.links.pop() else { return };
        // The row may have been written out since the link began.
        let start = start.min(self.row.len());
        if let Some(label) = label {
            self.row.push(Inline::Open);
            self.row.extend(label.chars().map(Inline::Char));
            self.row.push(Inline::Close);
        } else if self.row.len() - start <= MAX_BRACKETED && numbers(&self.row[start..]).is_some() {
            self.row.insert(start, Inline::Open);
            self.row.push(Inline::Close);
        }
    }

    fn close(&mut self) {
        self.flush();
        if self.frames.len() < 2 {
            return;
        }
        let deep = self.frames.len() > 2 * MAX_DEPTH;
        let Some(frame) = self.frames.pop() else { return };
        let apart = if frame.loose { "\n\n" } else { "\n" };
        match frame.kind {
            OpenBlockKind::Quote | OpenBlockKind::List(_) | OpenBlockKind::Item if deep => {
                self.top().blocks.extend(frame.blocks)
            }
            OpenBlockKind::Root => {}
            OpenBlockKind::Quote => self.block(prefix_lines(&frame.blocks.join("\n\n"), "> ", "> ")),
            OpenBlockKind::Item => {
                self.top().loose |= frame.loose;
                let item = item(&frame);
                if !(self.has_removed && item.trim().is_empty()) {
                    self.top().blocks.push(item);
                }
            }
            OpenBlockKind::List(first) => {
                let list = list(first, &frame.blocks, apart, self.top().blocks.last());
                self.block(list);
            }
            OpenBlockKind::Code(info) => {
                let code = frame.blocks.concat();
                let text = self.code(&info, &code);
                self.block(text);
            }
            // What is left of a row whose cells the review emptied is its label.
            OpenBlockKind::Row { emptied, .. }
                if emptied > 0 && frame.blocks.iter().skip(1).all(|cell| is_bare(cell)) => {}
            OpenBlockKind::Row { is_head, .. } => {
                if is_head {
                    self.top().words.clone_from(&frame.words);
                }
                let row = format!("| {} |", frame.blocks.join(" | "));
                self.top().blocks.push(row);
            }
            OpenBlockKind::Table(alignments) => self.block(table(&alignments, &frame.blocks)),
        }
    }

    /// Writes a code block; code that contains what looks like a citation becomes text, as in code spans.
    fn code(&mut self, info: &str, code: &str) -> String {
        let code = shown_text(code.trim_end_matches('\n'));
        if looks_cited(&code) {
            let row: Vec<Inline> =
                code.chars().map(|c| if c == '\n' { Inline::Break } else { Inline::Char(c) }).collect();
            return write(row, self.numbering, EscapeContext::Paragraph);
        }
        // Longer than any run in the code, which would otherwise end the block.
        let fence = "`".repeat(longest_run(&code, '`').max(2) + 1);
        format!("{fence}{info}\n{code}\n{fence}")
    }
}

/// Whether a cell says nothing.
fn is_bare(cell: &str) -> bool {
    matches!(cell.trim(), "" | "–")
}

/// `text` with `first` before its first line and `rest` before the others; blank lines get no trailing space.
fn prefix_lines(text: &str, first: &str, rest: &str) -> String {
    let mut out = String::new();
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let prefix = if at == 0 { first } else { rest };
        out.push_str(if line.is_empty() { prefix.trim_end() } else { prefix });
        out.push_str(line);
    }
    out
}

/// Joins an item's blocks. In a tight list a nested list follows the text directly; anything else needs a blank line.
fn item(frame: &OpenBlock) -> String {
    let mut out = String::new();
    for (at, block) in frame.blocks.iter().enumerate() {
        let follows = !frame.loose && ["- ", "* ", "1. ", "1) "].iter().any(|marker| block.starts_with(marker));
        out.push_str(match at {
            0 => "",
            _ if follows => "\n",
            _ => "\n\n",
        });
        out.push_str(block);
    }
    out
}

/// Writes a list; its marker differs from that of a directly preceding list, which it would otherwise continue.
fn list(first: Option<u64>, items: &[String], apart: &str, before: Option<&String>) -> String {
    let before = before.map_or("", String::as_str);
    let digits = before.bytes().take_while(u8::is_ascii_digit).count();
    let mut written = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let marker = match first {
            Some(first) => {
                let dot = if digits > 0 && before[digits..].starts_with(". ") { ')' } else { '.' };
                // Markdown reads at most nine digits as the number of an item.
                format!("{}{dot} ", first.saturating_add(at as u64).min(999_999_999))
            }
            None => (if before.starts_with("- ") { "* " } else { "- " }).to_owned(),
        };
        written.push(prefix_lines(item, &marker, &" ".repeat(marker.len())));
    }
    written.join(apart)
}

fn table(alignments: &[Alignment], rows: &[String]) -> String {
    let cells: Vec<&str> = alignments
        .iter()
        .map(|a| match a {
            Alignment::None => "---",
            Alignment::Left => ":--",
            Alignment::Center => ":-:",
            Alignment::Right => "--:",
        })
        .collect();
    let mut lines = rows.to_vec();
    lines.insert(1.min(lines.len()), format!("| {} |", cells.join(" | ")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_whose_numbers_do_not_follow_one_another_is_paragraphs() {
        let list = |draft: &str| {
            let events: Vec<_> = Parser::new_ext(draft, options()).into_offset_iter().collect();
            numbered_paragraphs(draft, &events).is_empty()
        };
        for (draft, want) in [
            ("1. a\n2. b\n3. c", true),
            ("3. a\n\n4. b", true),
            ("1. a\n1. b", true),
            ("- a\n- b", true),
            ("1. a", true),
            ("3. a", false),
            ("3. a\n\n8. b", false),
            ("2019. a", false),
            ("2. a\n2. b", false),
            ("- a\n\n  3. b", false),
        ] {
            assert_eq!(list(draft), want, "{draft}");
        }
    }
}
