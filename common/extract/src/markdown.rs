//! Markdown to leaves: the text of the rendered page, so that no markup is ever quoted.
//!
//! Link targets are dropped; link texts, code and alternative texts are kept. Text hidden by HTML is left out, also Markdown between hiding
//! tags, and so are invisible characters. Front matter is not part of the text. The parser yields a flat list of events, so nesting costs
//! no stack.

use precis_proto::BlockKind;
use precis_text::{Leaf, hiding_marks, normalize, table_fill, visible};
use pulldown_cmark::{Event, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use super::html;
use super::table::Leaves;
use hiding::Hiding;

mod hiding;

/// A page and its title.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkdownText {
    /// `title:` of the front matter, otherwise the first heading.
    pub(super) title: Option<String>,
    /// Its text.
    pub(super) leaves: Vec<Leaf>,
    /// Number of characters hidden in the rendered page, without white space.
    pub(super) hidden: u64,
}

/// Leaves of `source` (CommonMark with tables, footnotes, strike-through, task lists and YAML front matter).
pub(super) fn read(source: &str) -> MarkdownText {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut page = MarkdownReader::default();
    let source = table_fill::bounded(source);
    for event in Parser::new_ext(&source, options) {
        page.take(event);
    }
    page.end_block();
    let title = page.front_title.or(page.heading).map(|title| normalize(&visible(&title)));
    MarkdownText { title: title.filter(|title| !title.is_empty()), leaves: page.leaves.finish(), hidden: page.hidden }
}

#[derive(Default)]
struct MarkdownReader {
    leaves: Leaves,
    /// Text of the block being read.
    text: String,
    /// Kinds of the open blocks, outermost first.
    kinds: Vec<BlockKind>,
    /// Level of the heading being read.
    level: u8,
    /// Number of open footnotes.
    notes: usize,
    /// Number of the next item of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// Marker of each open item, until its first leaf takes it.
    markers: Vec<Option<String>>,
    /// Cells of the row being read.
    cells: Vec<String>,
    front_title: Option<String>,
    heading: Option<String>,
    in_front_matter: bool,
    /// HTML block being collected; it arrives one line at a time.
    html: Option<String>,
    hiding: Hiding,
    /// Characters hidden so far.
    hidden: u64,
}

impl MarkdownReader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) if self.in_front_matter => self.front_title = front_title(&text),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                if self.hiding.is_on() {
                    self.hidden += text.chars().filter(|c| !c.is_whitespace()).count() as u64;
                } else {
                    self.text.push_str(&text);
                }
            }
            Event::Html(html) => match &mut self.html {
                Some(block) => block.push_str(&html),
                None => self.html_block(&html),
            },
            // The text between inline tags arrives in events of its own.
            Event::InlineHtml(tag) => {
                self.hiding.take_inline(&tag);
                if tag.to_ascii_lowercase().starts_with("<br") {
                    self.text.push(' ');
                }
            }
            Event::SoftBreak | Event::HardBreak => self.text.push('\n'),
            Event::Rule => self.end_block(),
            Event::TaskListMarker(is_done) => {
                if let Some(marker) = self.markers.last_mut() {
                    *marker = Some(if is_done { "[x]" } else { "[ ]" }.to_owned());
                }
            }
            Event::FootnoteReference(_) => {}
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
            Tag::FootnoteDefinition(_) => self.notes += 1,
            Tag::List(start) => self.lists.push(*start),
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
            Tag::MetadataBlock(MetadataBlockKind::YamlStyle | MetadataBlockKind::PlusesStyle) => {
                self.in_front_matter = true
            }
            Tag::HtmlBlock => self.html = Some(String::new()),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        if matches!(tag, TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell) {
            self.hiding.end_of_lines();
        }
        match tag {
            TagEnd::Image => self.text.push('\n'),
            TagEnd::TableCell => {
                let cell = self.text_of_block();
                self.cells.push(cell);
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                let cells = std::mem::take(&mut self.cells);
                self.leaves.push_row(tag == TagEnd::TableHead, &cells);
            }
            TagEnd::HtmlBlock => {
                let block = self.html.take().unwrap_or_default();
                self.html_block(&block);
            }
            TagEnd::Heading(_) if self.heading.is_none() => self.heading = Some(self.text.clone()),
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
            TagEnd::FootnoteDefinition => self.notes = self.notes.saturating_sub(1),
            TagEnd::List(_) => drop(self.lists.pop()),
            TagEnd::Table => self.leaves.close_table(),
            TagEnd::MetadataBlock(_) => self.in_front_matter = false,
            _ => {}
        }
    }

    fn html_block(&mut self, block: &str) {
        self.end_block();
        let shown = self.hiding.take_block(block);
        let (mut leaves, hidden) = html::fragment(shown);
        self.hidden += hidden;
        for leaf in leaves.iter_mut().filter(|leaf| leaf.kind == BlockKind::Paragraph) {
            *leaf = self.leaf(std::mem::take(&mut leaf.text));
        }
        self.leaves.extend(leaves);
    }

    fn end_block(&mut self) {
        let text = self.text_of_block();
        if !text.is_empty() {
            let leaf = self.leaf(text);
            self.leaves.push(leaf);
        }
    }

    fn text_of_block(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        self.hidden += hiding_marks(&text) as u64;
        normalize(&visible(&text))
    }

    /// A leaf with `text`, of the kind of the innermost open block.
    fn leaf(&mut self, text: String) -> Leaf {
        let kind = self.kinds.last().copied().unwrap_or_default();
        let mut leaf = Leaf::new(kind, text);
        match kind {
            BlockKind::Heading => leaf.level = Some(self.level),
            BlockKind::ListItem => {
                leaf.level = Some(u8::try_from(self.lists.len()).unwrap_or(u8::MAX).max(1));
                leaf.marker = self.markers.last_mut().and_then(Option::take);
            }
            _ => {}
        }
        if self.notes > 0 && kind != BlockKind::Code {
            leaf = Leaf { marker: leaf.marker, ..Leaf::new(BlockKind::Footnote, leaf.text) };
        }
        leaf
    }
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

fn front_title(yaml: &str) -> Option<String> {
    let value = yaml.lines().find_map(|line| line.strip_prefix("title:"))?;
    Some(value.trim().trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use precis_text::CanonicalText;

    use super::*;

    fn text(source: &str) -> String {
        CanonicalText::from_leaves(&read(source).leaves).as_str().to_owned()
    }

    #[test]
    fn markup_and_link_targets_go_and_words_stay() {
        let table = [
            ("**Bold** and *it*_al_ic", "Bold and it_al_ic"),
            ("See [the paper](https://a.b/c \"t\") now", "See the paper now"),
            ("![a cat](cat.png) sits", "a cat sits"),
            ("# A\n\ntext\n* one\n* two", "A text one two"),
            ("`x * y` and\n\n```rust\nlet a = 1; // **no**\n```\nend", "x * y and let a = 1; // **no** end"),
            ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
            ("a<br>b <span>c</span>", "a b c"),
            ("<p align=center>Hi &amp; <b>you</b></p>\n\nnext", "Hi & you next"),
            ("<!-- gone -->\n\nkept", "kept"),
            ("5 &lt; 6 \\* 7", "5 < 6 * 7"),
            ("- [x] done[^1]\n\n[^1]: note", "done note"),
            ("a < b and ---", "a < b and ---"),
            ("- Second **task**\n  - nested *one*", "Second task nested one"),
            ("- a\n  <div>b</div>", "a b"),
        ];
        for (source, want) in table {
            assert_eq!(text(source), want, "{source:?}");
        }
    }

    #[test]
    fn blocks_are_those_of_the_rendered_page() {
        let shown = |leaf: &Leaf| {
            let number = leaf.level.map(u32::from).or(leaf.table).map_or(String::new(), |number| number.to_string());
            let marker = leaf.marker.clone().unwrap_or_default();
            let cells: Vec<&str> = leaf.cells.iter().map(|cell| &leaf.text[cell.clone()]).collect();
            let text = if cells.is_empty() { leaf.text.clone() } else { cells.join("|") };
            format!("{}{number}{} {marker}: {text}", leaf.kind.as_str(), if leaf.is_header { "h" } else { "" })
        };
        for (source, want) in [
            ("# A *b*\n\nText\nmore.\n\n---\n## C", &["heading1 : A b", "paragraph : Text more.", "heading2 : C"][..]),
            (
                "3. a\n1. b\n   - c\n\n   d\n",
                &["list_item1 3.: a", "list_item1 4.: b", "list_item2 -: c", "list_item1 : d"],
            ),
            ("- [x] a\n- [ ] b", &["list_item1 [x]: a", "list_item1 [ ]: b"]),
            (
                "|a|b|\n|-|-|\n|1||\n\n|c|\n|-|\n|3|",
                &["table_row1h : a|b", "table_row1 : 1|", "table_row2h : c", "table_row2 : 3"],
            ),
            (
                "> q\n>\n> - r\n\n```\nx\n```\nz[^1]\n\n[^1]: n",
                &["quotation : q", "list_item1 -: r", "code : x", "paragraph : z", "footnote : n"],
            ),
            (
                "<h2>H</h2><p>p</p>\n\n|a|b|\n|-|-|\n\n<table><tr><td>1<td>2</table>",
                &["heading2 : H", "paragraph : p", "table_row1h : a|b", "table_row2 : 1|2"],
            ),
            ("- a\n\n  <div>b</div>", &["list_item1 -: a", "list_item1 : b"]),
        ] {
            let found: Vec<String> = read(source).leaves.iter().map(shown).collect();
            assert_eq!(found, want, "{source}");
        }
    }

    #[test]
    fn what_html_hides_is_left_out_with_the_markdown_in_it() {
        let table = [
            ("kept <span style=\"display:none\">gone *gone* `gone`</span> too", "kept too"),
            ("kept <b hidden>gone <b>gone</b> gone</b> too", "kept too"),
            ("kept <i aria-hidden=true>gone\n\ntoo", "kept too"),
            ("# kept <i hidden>gone\n\ntoo", "kept too"),
            ("kept\n\n<div hidden>\n\ngone\n\n* gone\n\n</div>\n\ntoo", "kept too"),
            ("<div hidden>\n<div>\n\ngone\n\n</div>\n\ngone\n\n</div> kept\n\ntoo", "kept too"),
            ("<div style='visibility: hidden'>gone</div>\n\nkept", "kept"),
            ("<div hidden>\n\ngone <i hidden>gone</i> gone\n\n</div>\n\nkept", "kept"),
            ("<p hidden>gone\n\nkept", "kept"),
            ("<input hidden>\n\nkept", "kept"),
            ("<div>\n\nkept\n\n</div>", "kept"),
            ("a <input hidden> b", "a b"),
            ("`<span hidden>` kept", "<span hidden> kept"),
            ("ke\u{200b}pt\u{e0041} \u{2066}too", "kept too"),
        ];
        for (source, want) in table {
            assert_eq!(text(source), want, "{source:?}");
        }
        assert_eq!(read("# A\u{200b} ti\u{e0041}tle").title.as_deref(), Some("A title"));
    }

    #[test]
    fn the_title_is_the_front_matters_or_the_first_heading() {
        let table = [
            ("---\ntitle: \"From *front*\"\ndate: x\n---\n# Heading\n", Some("From *front*"), "Heading"),
            ("text\n\n## The *first*\n\n# Second", Some("The first"), "text The first Second"),
            ("only text", None, "only text"),
        ];
        for (source, title, want) in table {
            assert_eq!((read(source).title.as_deref(), text(source).as_str()), (title, want));
        }
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        assert!(text(&format!("{} deep", ">".repeat(20_000))).ends_with("deep"));
        assert!(text(&format!("{}x{}", "[".repeat(20_000), "](y)".repeat(20_000))).contains('x'));
        assert!(text(&"*a **b ".repeat(10_000)).contains('b'));
    }
}
