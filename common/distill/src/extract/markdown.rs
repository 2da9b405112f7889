//! Markdown to plain text: what a reader of the rendered page sees, so that no markup is ever quoted.
//!
//! Link targets go, link texts, code and alternative texts stay; what its HTML hides is left out, also where Markdown stands between the
//! tags, and so are characters that show nothing. The parser yields a flat list of events, so nesting
//! costs no stack.

use pulldown_cmark::{Event, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use super::html;
use hiding::Hiding;

mod hiding;

/// A page and its title.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MarkdownText {
    /// `title:` of the front matter, else the first heading.
    pub(super) title: Option<String>,
    /// Not yet canonical.
    pub(super) text: String,
}

/// Plain text of `source` (CommonMark with tables, footnotes, strike-through, task lists and YAML front matter).
pub(super) fn plain(source: &str) -> MarkdownText {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut page = Page::default();
    for event in Parser::new_ext(source, options) {
        page.take(event);
    }
    let title = page.front_title.or(page.heading).map(|title| crate::text::normalize(&html::visible(&title)));
    MarkdownText { title: title.filter(|title| !title.is_empty()), text: html::visible(&page.text) }
}

#[derive(Default)]
struct Page {
    text: String,
    front_title: Option<String>,
    heading: Option<String>,
    /// Where the heading being read began in `text`.
    heading_start: Option<usize>,
    in_front_matter: bool,
    /// HTML block being collected: its parts come one line at a time.
    html: Option<String>,
    hiding: Hiding,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) if self.in_front_matter => self.front_title = front_title(&text),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                if !self.hiding.is_on() {
                    self.text.push_str(&text);
                }
            }
            Event::Html(html) => match &mut self.html {
                Some(block) => block.push_str(&html),
                None => self.html_block(&html),
            },
            // The text between inline tags arrives by itself.
            Event::InlineHtml(tag) => {
                self.hiding.take_inline(&tag);
                if tag.to_ascii_lowercase().starts_with("<br") {
                    self.text.push(' ');
                }
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.text.push('\n'),
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { .. } if self.heading.is_none() => self.heading_start = Some(self.text.len()),
            Tag::MetadataBlock(MetadataBlockKind::YamlStyle | MetadataBlockKind::PlusesStyle) => {
                self.in_front_matter = true
            }
            Tag::HtmlBlock => self.html = Some(String::new()),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Superscript
            | TagEnd::Subscript => {
                return;
            }
            TagEnd::Heading(_) => {
                self.hiding.end_of_lines();
                if let Some(start) = self.heading_start.take() {
                    self.heading = Some(self.text[start..].to_owned());
                }
            }
            TagEnd::MetadataBlock(_) => self.in_front_matter = false,
            TagEnd::HtmlBlock => {
                let block = self.html.take().unwrap_or_default();
                self.html_block(&block);
            }
            TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell => self.hiding.end_of_lines(),
            _ => {}
        }
        self.text.push('\n');
    }

    fn html_block(&mut self, block: &str) {
        let shown = self.hiding.take_block(block);
        self.text.push_str(&html::fragment_text(shown));
    }
}

fn front_title(yaml: &str) -> Option<String> {
    let value = yaml.lines().find_map(|line| line.strip_prefix("title:"))?;
    Some(value.trim().trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        crate::text::normalize(&plain(source).text)
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
        ];
        for (source, want) in table {
            assert_eq!(text(source), want, "{source:?}");
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
        assert_eq!(plain("# A\u{200b} ti\u{e0041}tle").title.as_deref(), Some("A title"));
    }

    #[test]
    fn the_title_is_the_front_matters_or_the_first_heading() {
        let table = [
            ("---\ntitle: \"From *front*\"\ndate: x\n---\n# Heading\n", Some("From *front*"), "Heading"),
            ("text\n\n## The *first*\n\n# Second", Some("The first"), "text The first Second"),
            ("only text", None, "only text"),
        ];
        for (source, title, want) in table {
            assert_eq!((plain(source).title.as_deref(), text(source).as_str()), (title, want));
        }
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        assert!(text(&format!("{} deep", ">".repeat(20_000))).ends_with("deep"));
        assert!(text(&format!("{}x{}", "[".repeat(20_000), "](y)".repeat(20_000))).contains('x'));
        assert!(text(&"*a **b ".repeat(10_000)).contains('b'));
    }
}
