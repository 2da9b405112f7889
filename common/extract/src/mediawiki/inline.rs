//! Markup inside a block, as HTML: links give their words, elements of HTML stay, switches and emphasis go.

use super::attributes::rewrite;
use super::links::{PageLink, address_link, page_link};
use super::quotes::without_emphasis;

/// Deepest nesting of links and captions that is followed; deeper ones are text. Chosen: a caption has links, and nothing is in these.
pub(super) const MAX_DEPTH: usize = 8;
/// Longest tag, in bytes; chosen: it bounds the search for its end.
const MAX_TAG_BYTES: usize = 2_000;

/// Elements of HTML that wikitext may have, and those that other renderers allow.
const ELEMENTS: &str = "a abbr b bdi bdo big blockquote br caption center cite code col colgroup data dd del details dfn div dl dt em \
    figcaption figure font h1 h2 h3 h4 h5 h6 hr i img ins kbd li link mark meta ol p pre q rb rp rt rtc ruby s samp small span strike \
    strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr";
/// Elements that say nothing without attributes: `<data>` alone stands for something to be put there.
const WITH_ATTRIBUTES: &str = "a data img link meta";
/// Elements that end a paragraph.
const BLOCKS: &str = "blockquote caption center dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre summary table tbody td \
    tfoot th thead tr ul";
/// Switches, between two underscores on each side.
const SWITCHES: &str = "NOTOC FORCETOC TOC NOEDITSECTION NEWSECTIONLINK NONEWSECTIONLINK NOGALLERY HIDDENCAT EXPECTUNUSEDCATEGORY INDEX NOINDEX \
    STATICREDIRECT NOGLOBAL DISAMBIG NOCONTENTCONVERT NOCC NOTITLECONVERT NOTC ARCHIVEDTALK";

/// The HTML of a block's text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct InlineHtml {
    pub(super) html: String,
    /// HTML of the captions of its pictures.
    pub(super) captions: Vec<String>,
    /// Categories of the page.
    pub(super) categories: Vec<String>,
}

/// The HTML of `text`, which may have several lines.
pub(super) fn html(text: &str) -> InlineHtml {
    let mut out = InlineHtml::default();
    let lines: Vec<String> = text.split('\n').map(without_emphasis).collect();
    out.scan(&lines.join("\n"), 0);
    out
}

/// Whether `line` has the tag of an element that ends a paragraph.
pub(super) fn has_block_tag(line: &str) -> bool {
    line.match_indices('<').any(|(at, _)| element(&line[at..]).is_some_and(|element| is_among(element.name, BLOCKS)))
}

impl InlineHtml {
    fn scan(&mut self, text: &str, depth: usize) {
        let ends = closings(text);
        let mut at = 0;
        while let Some(found) = text[at..].find(['<', '>', '[', '_']) {
            self.html.push_str(&text[at..at + found]);
            at += found;
            let rest = &text[at..];
            let link = ends.binary_search_by_key(&at, |(start, _)| *start).ok().map(|nth| ends[nth].1);
            let taken = match (rest.as_bytes()[0], link) {
                (b'<', _) => self.tag(rest),
                (b'[', Some(end)) => self.link(text, at, end, depth),
                (b'[', None) => self.address(rest, depth),
                (b'_', _) => switch_length(rest),
                _ => None,
            };
            at += taken.unwrap_or_else(|| {
                self.html.push_str(match rest.as_bytes()[0] {
                    b'<' => "&lt;",
                    b'>' => "&gt;",
                    b'[' => "[",
                    _ => "_",
                });
                1
            });
        }
        self.html.push_str(&text[at..]);
    }

    /// Writes a tag of HTML anew; returns its length.
    fn tag(&mut self, rest: &str) -> Option<usize> {
        let element = element(rest)?;
        let (slash, attributes) = if element.is_end { ("/", String::new()) } else { ("", rewrite(element.attributes)) };
        self.html.push_str(&format!("<{slash}{}{attributes}>", element.name));
        Some(element.length)
    }

    /// Writes what the link between two positions shows; returns its length.
    fn link(&mut self, text: &str, start: usize, end: usize, depth: usize) -> Option<usize> {
        match page_link(&text[start + 2..end - 2])? {
            PageLink::Words(words) => self.words(words, depth),
            PageLink::Picture("") => {}
            PageLink::Picture(caption) => {
                let outer = std::mem::take(&mut self.html);
                self.words(caption, depth);
                let caption = std::mem::replace(&mut self.html, outer);
                self.captions.push(caption);
            }
            PageLink::Category(name) => self.categories.push(name.to_owned()),
            PageLink::Language(words) => {
                let is_blank = |c: char| c == ' ' || c == '\t';
                let before = text[..start].trim_end_matches(is_blank);
                let behind = text[end..].trim_start_matches(is_blank);
                let is_alone =
                    (before.is_empty() || before.ends_with('\n')) && (behind.is_empty() || behind.starts_with('\n'));
                if !is_alone {
                    self.words(words, depth);
                }
            }
        }
        Some(end - start)
    }

    fn address(&mut self, rest: &str, depth: usize) -> Option<usize> {
        let (words, length) = address_link(rest)?;
        self.words(words, depth);
        Some(length)
    }

    /// Writes words of a link, which may have markup.
    fn words(&mut self, words: &str, depth: usize) {
        if depth < MAX_DEPTH {
            return self.scan(words, depth + 1);
        }
        let plain = words.replace("[[", "").replace("]]", "");
        self.html.push_str(&plain.replace('<', "&lt;").replace('>', "&gt;"));
    }
}

/// A tag of an element that wikitext may have.
struct ElementTag<'t> {
    name: &'t str,
    is_end: bool,
    attributes: &'t str,
    length: usize,
}

fn element(rest: &str) -> Option<ElementTag<'_>> {
    let inner = rest.strip_prefix('<')?;
    let (is_end, named) = inner.strip_prefix('/').map_or((false, inner), |named| (true, named));
    let name = &named[..named.find(|c: char| !c.is_ascii_alphanumeric())?];
    if !is_among(&name.to_ascii_lowercase(), ELEMENTS) {
        return None;
    }
    let behind = &named[name.len()..];
    let near = &behind[..behind.floor_char_boundary(MAX_TAG_BYTES)];
    let is_tag = behind.starts_with(|c: char| c.is_whitespace() || c == '/' || c == '>');
    let end = near.find(['>', '<']).filter(|end| is_tag && near[*end..].starts_with('>'))?;
    let length = rest.len() - behind.len() + end + 1;
    let attributes = behind[..end].trim_end_matches('/');
    let is_word = !is_end && attributes.trim().is_empty() && is_among(name, WITH_ATTRIBUTES);
    (!is_word).then_some(ElementTag { name, is_end, attributes, length })
}

fn is_among(name: &str, names: &str) -> bool {
    names.split_ascii_whitespace().any(|known| known.eq_ignore_ascii_case(name))
}

/// The length of the switch that `rest` begins with.
fn switch_length(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("__")?;
    let name = inner[..inner.floor_char_boundary(40)].split_once("__")?.0;
    is_among(name, SWITCHES).then_some(name.len() + 4)
}

/// For each two brackets that are closed, where they begin and where the closing ones end; in order. One pass.
fn closings(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut open, mut closed, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(found) = text[at..].find(['[', ']']) {
        let start = at + found;
        let run = bytes[start..].iter().take_while(|byte| **byte == bytes[start]).count();
        at = start + run;
        // Of three opening brackets, the last two belong together; of three closing ones, the first two.
        match bytes[start] {
            b'[' => open.extend((0..run / 2).map(|pair| start + run % 2 + 2 * pair)),
            _ => closed.extend((0..run / 2).map_while(|pair| Some((open.pop()?, start + 2 * pair + 2)))),
        }
    }
    closed.sort_unstable();
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_elements_and_words() {
        for (text, want) in [
            ("a [[b|'''c''']] [https://d.e f] [[g]]s [1]", "a c f gs [1]"),
            ("[[a|b\nc]] [[[https://a.b c]]] [[[d]]]", "b\nc [c] [d]"),
            ("x < y > z <bytes> <B class=a>b</b><br/>", "x &lt; y &gt; z &lt;bytes&gt; <B class=\"a\">b</b><br>"),
            ("<data> <data value=1>x</data>", "&lt;data&gt; <data value=\"1\">x</data>"),
            ("__TOC__ __init__ _a_", " __init__ _a_"),
            ("[[de:A]] b [[0,1],[2]]", "de:A b [[0,1],[2]]"),
            ("[[de:A]]", ""),
            ("[[a [[b]] c", "[[a b c"),
            ("&amp; &lt;b&gt;", "&amp; &lt;b&gt;"),
        ] {
            assert_eq!(html(text).html, want, "{text}");
        }
        let found = html("[[File:a.png|thumb|The [[dam|old dam]]]][[Category:Dams]]");
        assert_eq!((found.captions, found.categories), (vec!["The old dam".to_owned()], vec!["Dams".to_owned()]));
    }

    #[test]
    fn lines_of_marks_end() {
        for text in ["[[", "]]", "[[a|", "[http://a ", "<b ", "__", "[[a]]", "<", "'''[[a|''"] {
            assert!(html(&text.repeat(100_000)).html.len() < 3_000_000, "{text}");
        }
        assert_eq!(html(&format!("{}a{}", "[[b|".repeat(100_000), "]]".repeat(100_000))).html.matches('a').count(), 1);
    }

    #[test]
    fn links_inside_each_other_are_followed_to_a_depth() {
        for (depth, is_read) in [(MAX_DEPTH, true), (MAX_DEPTH + 1, true), (MAX_DEPTH + 2, false)] {
            let text = format!("{}x{}", "[[a|".repeat(depth), "]]".repeat(depth));
            assert_eq!(html(&text).html == "x", is_read, "{depth}");
        }
    }

    #[test]
    fn a_tag_ends_within_so_many_bytes() {
        for (bytes, is_tag) in [(MAX_TAG_BYTES - 1, true), (MAX_TAG_BYTES, true), (MAX_TAG_BYTES + 1, false)] {
            assert_eq!(html(&format!("<b{}>", " ".repeat(bytes - 1))).html == "<b>", is_tag, "{bytes}");
        }
    }
}
