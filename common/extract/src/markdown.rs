//! Markdown to leaves: the text of the rendered page, so that no markup is ever quoted.
//!
//! Link targets are kept beside the text; link texts, code and alternative texts are kept. Text hidden by HTML is left out, also Markdown between hiding
//! tags, and so are invisible characters. Front matter is header fields. The parser yields a flat list of events, so nesting costs
//! no stack.

use precis_proto::BlockKind;
use precis_text::{Leaf, hiding_marks, table_fill};
use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Tag, TagEnd};

use super::fields::{FrontMatter, front_matter};
use super::runs::{LeftOut, Marks, Position, RunText, Words, visible_chars};
use super::table::Leaves;
use super::{html, line_items, plain_title};
use block_content::BlockContent;
use dialects::{Values, chars_of_values, without_directives};
use hiding::Hiding;
use options::events;

mod block_content;
mod dialects;
mod hiding;
mod options;

/// A page and its title.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkdownText {
    /// That of the front matter, otherwise the first heading, unless it is one of several sections.
    pub(super) title: Option<String>,
    /// Its text.
    pub(super) leaves: Vec<Leaf>,
    /// What it does not say.
    pub(super) left_out: LeftOut,
}

/// Leaves of `source` (CommonMark with tables, footnotes, strike-through, task lists, front matter in YAML or TOML, and the directives of
/// site generators). `is_mdx` if the type of the document says that it may hold JavaScript.
pub(super) fn read(source: &str, is_mdx: bool) -> MarkdownText {
    let plain = without_directives(source, is_mdx);
    let (gap, values, left_out) = (plain.gap, plain.values, plain.left_out);
    let mut page = MarkdownReader { gap, values, left_out, ..MarkdownReader::default() };
    let source = table_fill::limit_tables(&plain.text);
    for (event, _) in events(&source, Options::empty()) {
        page.take(event);
    }
    page.end_block();
    let title = page.front_title.or_else(|| page.headings.title());
    let mut left_out = page.left_out;
    left_out += page.leaves.left_out();
    MarkdownText { title: title.filter(|title| !title.is_empty()), leaves: page.leaves.finish(), left_out }
}

/// Least items of a table of contents.
const LEAST_CONTENTS: usize = 3;
/// The name under which Markdown's own strike-through is kept among the open inline elements.
const STRUCK: &str = "~~";
/// Inline elements of HTML that raise, lower or strike their text.
const INLINE: [&str; 5] = ["sup", "sub", "s", "strike", "del"];

#[derive(Default)]
struct MarkdownReader {
    leaves: Leaves,
    /// Text of the block being read.
    text: RunText,
    /// Inline elements that are open: strike-through, and those of HTML that raise, lower or strike.
    open: Vec<&'static str>,
    /// Notes and links in the cells of the row being read, and whether words of it are struck out.
    row: Leaf,
    /// Kinds of the open blocks, outermost first.
    kinds: Vec<BlockKind>,
    /// Level of the heading being read.
    level: u8,
    /// Label of each open footnote, until its first leaf takes it.
    notes: Vec<Option<String>>,
    /// Number of the next item of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// Marker of each open item, until its first leaf takes it.
    markers: Vec<Option<String>>,
    /// Cells of the row being read.
    cells: Vec<String>,
    front_title: Option<String>,
    headings: Headings,
    /// The front matter being read, and its notation.
    front_matter: Option<(FrontMatter, String)>,
    /// HTML block being collected; it arrives one line at a time.
    html: Option<String>,
    hiding: Hiding,
    /// Number of elements that strike out the blocks between pieces of HTML.
    struck_blocks: usize,
    /// What was left out so far by pieces of HTML, and directives.
    left_out: LeftOut,
    /// The character that stands for a directive that was left out.
    gap: Option<char>,
    /// Expressions that stay.
    values: Values,
    /// What the block being read is made of.
    content: BlockContent,
    /// Number of leaves before the outermost list that is open.
    list_start: usize,
    /// Indexes of the items of that list that are links to other places of the site and nothing else.
    linked_items: Vec<usize>,
}

impl MarkdownReader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                match &mut self.front_matter {
                    Some((_, source)) => source.push_str(&text),
                    None => self.push(&text),
                }
            }
            Event::Html(html) => match &mut self.html {
                Some(block) => block.push_str(&html),
                None => self.html_block(&html),
            },
            // The text between inline tags arrives in events of its own.
            Event::InlineHtml(tag) => {
                self.hiding.take_inline(&tag);
                self.take_inline(&tag);
            }
            Event::SoftBreak | Event::HardBreak => self.text.space('\n'),
            Event::Rule => self.end_block(),
            Event::TaskListMarker(is_done) => {
                if let Some(marker) = self.markers.last_mut() {
                    *marker = Some(if is_done { "[x]" } else { "[ ]" }.to_owned());
                }
            }
            Event::FootnoteReference(label) => {
                self.text.note(&self.values.restored(&label));
                self.content.says_more = true;
            }
        }
    }

    /// Appends text, with white space where a directive was left out.
    fn push(&mut self, text: &str) {
        let parts = self.gap.map_or_else(|| vec![text], |gap| text.split(gap).collect());
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                self.text.space(' ');
            }
            for (piece, is_value) in self.values.pieces(part) {
                self.text.push(piece, self.marks());
                self.content.add(piece, is_value);
            }
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        if is_block(&tag.to_end()) {
            self.end_block();
        }
        match tag {
            Tag::Heading { level, .. } => {
                self.level = *level as u8;
                self.kinds.push(BlockKind::Heading);
            }
            Tag::BlockQuote(_) => self.kinds.push(BlockKind::Quotation),
            Tag::CodeBlock(_) => self.kinds.push(BlockKind::Code),
            Tag::FootnoteDefinition(label) => self.notes.push(Some(self.values.restored(label))),
            Tag::Strikethrough => self.open.push(STRUCK),
            Tag::Image { .. } => self.content.open_picture(),
            Tag::Link { dest_url, .. } => {
                self.content.open_link(dest_url);
                self.text.begin_link(&self.values.restored(dest_url));
            }
            Tag::List(start) => {
                if self.lists.is_empty() {
                    (self.list_start, self.linked_items) = (self.leaves.len(), Vec::new());
                }
                self.lists.push(*start);
            }
            Tag::Item => {
                self.kinds.push(BlockKind::ListItem);
                let number = self.lists.last_mut().and_then(Option::as_mut);
                let marker = number.map_or_else(
                    || "-".to_owned(),
                    |next| {
                        let marker = format!("{next}.");
                        *next = next.saturating_add(1);
                        marker
                    },
                );
                self.markers.push(Some(marker));
            }
            Tag::Table(_) => self.leaves.open_table(),
            Tag::MetadataBlock(kind) => {
                let notation = match kind {
                    MetadataBlockKind::YamlStyle => FrontMatter::Yaml,
                    MetadataBlockKind::PlusesStyle => FrontMatter::Toml,
                };
                self.front_matter = Some((notation, String::new()));
            }
            Tag::HtmlBlock => self.html = Some(String::new()),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        if matches!(tag, TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell) {
            self.hiding.end_of_lines();
            self.open.clear();
        }
        match tag {
            TagEnd::Image => {
                self.text.space('\n');
                self.content.close_picture();
            }
            TagEnd::Link => {
                self.content.close_link();
                self.text.end_link();
            }
            TagEnd::Strikethrough => self.end_inline(STRUCK),
            TagEnd::TableCell => {
                let Words { text, notes, links, left_out, .. } = self.words();
                self.row.notes.extend(notes);
                self.row.links.extend(links);
                self.row.is_struck |= left_out.struck > 0;
                self.cells.push(text);
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                self.leaves.push_row(tag == TagEnd::TableHead, &cells);
                let Leaf { notes, links, is_struck, .. } = std::mem::take(&mut self.row);
                if let Some(leaf) = self.leaves.last() {
                    (leaf.notes, leaf.links, leaf.is_struck) = (notes, links, is_struck);
                }
            }
            TagEnd::HtmlBlock => {
                let block = self.html.take().unwrap_or_default();
                self.html_block(&block);
            }
            TagEnd::Heading(level) => self.headings.take(level, &self.text),
            _ => {}
        }
        if !is_block(&tag) {
            return;
        }
        self.end_block();
        match tag {
            TagEnd::Heading(_) | TagEnd::BlockQuote(_) | TagEnd::CodeBlock => drop(self.kinds.pop()),
            TagEnd::Item => {
                self.kinds.pop();
                self.markers.pop();
            }
            TagEnd::FootnoteDefinition => drop(self.notes.pop()),
            TagEnd::List(_) => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.end_contents();
                }
            }
            TagEnd::Table => self.leaves.close_table(),
            TagEnd::MetadataBlock(_) => self.end_front_matter(),
            _ => {}
        }
    }

    /// Ends the outermost list: if it is a table of contents, its items are references.
    fn end_contents(&mut self) {
        let start = self.list_start;
        let items = self.leaves.len() - start;
        let is_announced = start > 0 && self.leaves.since(start - 1)[0].text.trim_end().ends_with([':', '：']);
        if items < LEAST_CONTENTS || is_announced || !self.linked_items.iter().copied().eq(start..start + items) {
            return;
        }
        for leaf in self.leaves.since(start) {
            (leaf.kind, leaf.level) = (BlockKind::Reference, None);
        }
    }

    fn end_front_matter(&mut self) {
        let Some((notation, source)) = self.front_matter.take() else { return };
        let leaves = front_matter(&source, notation);
        self.left_out.hidden += hiding_marks(&source) as u64;
        self.front_title = plain_title::title(&leaves);
        self.leaves.extend(leaves);
    }

    fn html_block(&mut self, block: &str) {
        self.end_block();
        let without_gaps = self.gap.map(|gap| block.replace(gap, " "));
        let block = self.values.restored_in_html(without_gaps.as_deref().unwrap_or(block));
        let shown = self.hiding.take_block(&block);
        let (mut leaves, left_out) = html::fragment(shown);
        self.left_out += left_out;
        if self.gap.is_some() {
            leaves.retain(|leaf| {
                let chars = if leaf.kind == BlockKind::Paragraph { chars_of_values(&leaf.text) } else { 0 };
                self.left_out.directives += chars;
                chars == 0
            });
        }
        let (opened, closed) = struck_tags(shown);
        if self.struck_blocks > 0 {
            // Until the end of the part that an earlier piece strikes out.
            self.left_out.struck += leaves.drain(..).map(|leaf| visible_chars(&leaf.text)).sum::<u64>();
        }
        self.struck_blocks = (self.struck_blocks + opened).saturating_sub(closed);
        for leaf in leaves.iter_mut().filter(|leaf| leaf.kind == BlockKind::Paragraph) {
            *leaf = self.place(std::mem::take(leaf));
        }
        self.leaves.extend(leaves);
    }

    fn end_block(&mut self) {
        if self.kinds.last() == Some(&BlockKind::Code) {
            let text = std::mem::take(&mut self.text);
            if let Some(leaf) = self.leaves.leaf(BlockKind::Code, text) {
                let leaf = self.place(leaf);
                self.leaves.push(leaf);
            }
            return;
        }
        let content = std::mem::take(&mut self.content);
        let Words { text, notes, links, left_out, lines } = self.words();
        if text.is_empty() {
            return;
        }
        let is_prose = self.notes.is_empty() && matches!(self.kinds.last(), None | Some(BlockKind::Quotation));
        if is_prose && content.value_chars > 0 && !content.says_more {
            // What a template puts there is a part of the page, not of the text.
            self.left_out.directives += content.value_chars;
            return;
        }
        let leaf = Leaf { notes, links, is_struck: left_out.struck > 0, ..Leaf::new(BlockKind::Paragraph, text) };
        let mut leaf = self.place(leaf);
        if is_prose && content.is_of_pictures() {
            leaf.kind = BlockKind::Caption;
        }
        if leaf.kind == BlockKind::ListItem && content.is_of_links() {
            self.linked_items.push(self.leaves.len());
        }
        line_items::split(leaf, &lines).into_iter().for_each(|leaf| self.leaves.push(leaf));
    }

    fn words(&mut self) -> Words {
        self.leaves.block_words(std::mem::take(&mut self.text))
    }

    /// What the inline elements around a text say about it.
    fn marks(&self) -> Marks {
        let positions = || {
            self.open.iter().filter_map(|name| match *name {
                "sup" => Some(Position::Raised),
                "sub" => Some(Position::Lowered),
                _ => None,
            })
        };
        Marks {
            position: positions().next().unwrap_or_default(),
            inner: positions().skip(1).last().unwrap_or_default(),
            is_struck: self.struck_blocks > 0
                || self.open.iter().any(|name| [STRUCK, "s", "strike", "del"].contains(name)),
            is_hidden: self.hiding.is_on(),
            is_note: false,
        }
    }

    /// Takes an inline tag of HTML. Such elements end with their block at the latest.
    fn take_inline(&mut self, tag: &str) {
        let tag = tag.to_ascii_lowercase();
        let name = tag.trim_start_matches(['<', '/']);
        let name = &name[..name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len())];
        if name == "br" {
            self.text.space(' ');
        }
        let Some(known) = INLINE.iter().find(|known| **known == name) else { return };
        match tag.starts_with("</") {
            true => self.end_inline(known),
            false => self.open.push(known),
        }
    }

    fn end_inline(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|open| *open == name) {
            self.open.truncate(at);
        } else if matches!(name, "s" | "strike" | "del") {
            // It ends what an earlier piece of HTML began.
            self.struck_blocks = self.struck_blocks.saturating_sub(1);
        }
    }

    /// `leaf`, of the kind and place of the innermost open block.
    fn place(&mut self, mut leaf: Leaf) -> Leaf {
        let kind = self.kinds.last().copied().unwrap_or_default();
        leaf.kind = kind;
        match kind {
            BlockKind::Heading => leaf.level = Some(self.level),
            BlockKind::ListItem => {
                leaf.level = Some(u8::try_from(self.lists.len()).unwrap_or(u8::MAX).max(1));
                leaf.marker = self.markers.last_mut().and_then(Option::take);
            }
            _ => {}
        }
        if let Some(label) = self.notes.last_mut().filter(|_| kind != BlockKind::Code) {
            (leaf.kind, leaf.level) = (BlockKind::Footnote, None);
            leaf.marker = label.take().or(leaf.marker);
        }
        leaf
    }
}

/// Numbers of start and end tags in `html` of elements that strike out their content.
fn struck_tags(html: &str) -> (usize, usize) {
    let html = html.to_ascii_lowercase();
    let count = |begin: &str| {
        let names = ["s", "strike", "del"];
        let is_end = |rest: &str| rest.starts_with(|c: char| c == '>' || c.is_whitespace());
        let is_tag = |(at, _): &(usize, &str)| {
            let rest = &html[at + begin.len()..];
            names.iter().any(|name| rest.strip_prefix(name).is_some_and(is_end))
        };
        html.match_indices(begin).filter(is_tag).count()
    };
    (count("<"), count("</"))
}

/// Whether the element is a block.
fn is_block(tag: &TagEnd) -> bool {
    !matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::Superscript
            | TagEnd::Subscript
    )
}

/// The first heading, and whether another one of its level follows.
#[derive(Debug, Default)]
struct Headings {
    first: Option<(HeadingLevel, String)>,
    is_one_of_several: bool,
}

impl Headings {
    fn take(&mut self, level: HeadingLevel, text: &RunText) {
        match &self.first {
            None => self.first = Some((level, text.clone().words().text)),
            Some((first, _)) => self.is_one_of_several |= level == *first,
        }
    }

    /// The first heading. A section among others of its level is not the title of the page, unless the level is that of titles.
    fn title(self) -> Option<String> {
        let (level, text) = self.first?;
        (level == HeadingLevel::H1 || !self.is_one_of_several).then_some(text)
    }
}

#[cfg(test)]
mod tests;
