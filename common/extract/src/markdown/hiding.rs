//! Tracks HTML elements that hide the Markdown between their tags. Text within a single piece of HTML is handled by the HTML reader.

use super::super::html;

/// Elements without content, and those closed by the next paragraph or sibling: they hide nothing behind their own piece of HTML.
const SELF_ENDING: [&str; 22] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "p",
    "li", "dt", "dd", "td", "th", "tr", "option",
];

/// The hidden element that is open, if any.
#[derive(Debug, Default)]
pub(super) struct Hiding {
    open: Option<OpenTag>,
}

#[derive(Debug)]
struct OpenTag {
    name: String,
    /// Number of open elements with this name, including itself.
    depth: usize,
    /// Whether it began within lines of text, whose end closes it.
    is_inline: bool,
}

impl Hiding {
    /// Whether text at this position is hidden.
    pub(super) fn is_on(&self) -> bool {
        self.open.is_some()
    }

    /// Processes a tag within lines of text.
    pub(super) fn take_inline(&mut self, tag: &str) {
        self.take(tag, true);
    }

    /// Ends a paragraph, heading or cell, which closes the elements opened in it.
    pub(super) fn end_of_lines(&mut self) {
        self.open.take_if(|open| open.is_inline);
    }

    /// Processes a block of HTML and returns the part outside of elements hidden before; elements that the block itself hides are included.
    pub(super) fn take_block<'b>(&mut self, block: &'b str) -> &'b str {
        let mut shown = if self.is_on() { "" } else { block };
        let mut rest = block;
        while let Some(start) = rest.find('<') {
            let Some(end) = rest[start..].find('>').map(|end| start + end + 1) else { break };
            let was_on = self.is_on();
            let is_comment = rest[start..].starts_with("<!--");
            let end =
                if is_comment { rest[start..].find("-->").map_or(rest.len(), |end| start + end + 3) } else { end };
            if !is_comment {
                self.take(&rest[start..end], false);
            }
            rest = &rest[end..];
            if was_on && !self.is_on() && shown.is_empty() {
                shown = rest;
            }
        }
        shown
    }

    fn take(&mut self, tag: &str, is_inline: bool) {
        let is_end = tag.starts_with("</");
        let name = name(tag);
        match &mut self.open {
            Some(open) if open.name == name && is_end => {
                open.depth -= 1;
                if open.depth == 0 {
                    self.open = None;
                }
            }
            Some(open) if open.name == name => open.depth += 1,
            Some(_) => {}
            None if is_end || name.is_empty() || SELF_ENDING.contains(&name.as_str()) => {}
            None if may_hide(tag) && html::hides_its_content(tag) => {
                self.open = Some(OpenTag { name, depth: 1, is_inline })
            }
            None => {}
        }
    }
}

/// The lower-case name of a tag; empty if it has none.
fn name(tag: &str) -> String {
    let tag = tag.trim_start_matches(['<', '/']);
    let end = tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(tag.len());
    tag[..end].to_ascii_lowercase()
}

/// Whether a tag contains a word that may hide it; most tags do not and need no parser.
fn may_hide(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    tag.contains("hidden") || tag.contains("style")
}
