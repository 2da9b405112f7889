//! A report's Markdown as HTML in which each citation is a link to its quote, and nothing else is a link.
//!
//! The parser's HTML passes a sanitizer as a last wall; what comes before it already leaves out links, images and raw HTML.

use std::collections::{BTreeMap, HashMap, HashSet};

use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd, html};

use super::glyph::{Glyph, bracketed, options, push_text};

/// Quotes and lists nest this deep on the page; deeper ones lose their indentation, not their text.
const MAX_DEPTH: usize = 16;

/// A report's body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Body {
    /// Text of the heading that opens the report, where one does; it is not repeated in `html`.
    pub(super) title: Option<String>,
    /// Safe to stand in a page; headings from `h2` down.
    pub(super) html: String,
    /// How often each citation stands in the text; the places have the ids `r{n}-{k}`, `k` from 1.
    pub(super) places: BTreeMap<u32, usize>,
}

/// Renders `markdown`; numbers that are not `known` citations stay text.
pub(super) fn body(markdown: &str, known: &dyn Fn(u32) -> bool) -> Body {
    let mut writer = Writer {
        known,
        body: Body::default(),
        out: Vec::new(),
        row: Vec::new(),
        nested: Vec::new(),
        title: None,
        code: false,
    };
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        match event {
            Event::Text(text) if !writer.code => push_text(&mut writer.row, markdown, &range, &text),
            event => {
                writer.flush();
                writer.event(event);
            }
        }
    }
    writer.flush();
    let mut html = String::new();
    html::push_html(&mut html, writer.out.into_iter());
    Body { html: sanitizer().clean(&html).to_string(), ..writer.body }
}

struct Writer<'k, 'e> {
    known: &'k dyn Fn(u32) -> bool,
    body: Body,
    out: Vec<Event<'e>>,
    /// Text since the last event of another kind.
    row: Vec<Glyph>,
    /// Open quotes, lists and items, and whether each was written.
    nested: Vec<bool>,
    /// Text of the opening heading while it is open.
    title: Option<String>,
    /// Inside a code block.
    code: bool,
}

impl<'e> Writer<'_, 'e> {
    fn event(&mut self, event: Event<'e>) {
        self.code = match &event {
            Event::Start(Tag::CodeBlock(_)) => true,
            Event::End(TagEnd::CodeBlock) => false,
            _ => self.code,
        };
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) | Event::End(TagEnd::Link | TagEnd::Image) => {}
            Event::Start(Tag::HtmlBlock) => self.out.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => self.out.push(Event::End(TagEnd::Paragraph)),
            Event::Html(text) | Event::InlineHtml(text) => self.out.push(Event::Text(text)),
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. })
                if self.out.is_empty() && self.body.title.is_none() =>
            {
                self.title = Some(String::new());
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) if self.title.is_some() => {
                self.body.title = self.title.take()
            }
            Event::Start(Tag::Heading { level: HeadingLevel::H1, id, classes, attrs }) => {
                self.out.push(Event::Start(Tag::Heading { level: HeadingLevel::H2, id, classes, attrs }));
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
                self.out.push(Event::End(TagEnd::Heading(HeadingLevel::H2)))
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::Item) => {
                self.nested.push(self.nested.len() < MAX_DEPTH);
                self.out.extend(Some(event).filter(|_| self.nested.last() == Some(&true)));
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item) => {
                self.out.extend(Some(event).filter(|_| self.nested.last() == Some(&true)));
                self.nested.pop();
            }
            Event::Start(Tag::Table(_)) => {
                let scroll = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">";
                self.out.extend([Event::InlineHtml(scroll.into()), event]);
            }
            Event::End(TagEnd::Table) => self.out.extend([event, Event::InlineHtml("</div>".into())]),
            Event::Code(code) if self.title.is_some() => self.title.iter_mut().for_each(|t| t.push_str(&code)),
            Event::Start(_) | Event::End(_) if self.title.is_some() => {}
            event => self.out.push(event),
        }
    }

    /// Ends a piece of text: citations become links, the rest stays text.
    fn flush(&mut self) {
        let row = std::mem::take(&mut self.row);
        let (mut text, mut at) = (String::new(), 0);
        while at < row.len() {
            let cited = bracketed(&row[at..]).and_then(|b| Some((self.number(&b.numbers)?, b.len)));
            if let Some((n, len)) = cited {
                // A number stays with the word it proves: no space, no line break between them.
                text.truncate(text.trim_end_matches(' ').len());
                self.text(&mut text);
                self.cite(n);
                at += len;
                continue;
            }
            match &row[at] {
                Glyph::Char(c) => text.push(*c),
                Glyph::Open => text.push('['),
                Glyph::Close => text.push(']'),
                Glyph::MarkupStart(_) | Glyph::MarkupEnd(_) | Glyph::Code(_) | Glyph::Break | Glyph::Cite(_) => {}
            }
            at += 1;
        }
        self.text(&mut text);
    }

    fn number(&self, numbers: &[String]) -> Option<u32> {
        let [number] = numbers else { return None };
        number.parse().ok().filter(|n| (self.known)(*n))
    }

    fn text(&mut self, text: &mut String) {
        let text = super::words::visible(&std::mem::take(text));
        match &mut self.title {
            Some(title) => title.push_str(&text),
            None if text.is_empty() => {}
            None => self.out.push(Event::Text(text.into())),
        }
    }

    fn cite(&mut self, n: u32) {
        if self.title.is_some() {
            return;
        }
        let place = self.body.places.entry(n).or_default();
        *place += 1;
        let link = format!("<a class=\"cite\" href=\"#q{n}\" id=\"r{n}-{place}\" aria-label=\"Quote {n}\">[{n}]</a>");
        self.out.push(Event::InlineHtml(link.into()));
    }
}

const TAGS: [&str; 25] = [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];
/// Elements whose text decides in which direction it runs.
const BLOCKS: [&str; 10] = ["blockquote", "h2", "h3", "h4", "h5", "h6", "li", "p", "td", "th"];

fn sanitizer() -> Builder<'static> {
    let attributes = HashMap::from([
        ("a", HashSet::from(["class", "href", "id", "aria-label"])),
        ("div", HashSet::from(["class", "tabindex", "role", "aria-label"])),
        ("ol", HashSet::from(["start"])),
        ("td", HashSet::from(["style"])),
        ("th", HashSet::from(["style"])),
    ]);
    let direction = BLOCKS.iter().map(|tag| (*tag, HashMap::from([("dir", "auto")]))).collect();
    let mut builder = Builder::empty();
    builder
        .tags(TAGS.into_iter().collect())
        .tag_attributes(attributes)
        .set_tag_attribute_values(direction)
        .filter_style_properties(HashSet::from(["text-align"]))
        .url_schemes(HashSet::new())
        .url_relative(UrlRelative::PassThrough)
        .attribute_filter(|_, name, value| (name != "href" || value.starts_with("#q")).then(|| value.into()))
        .link_rel(None);
    builder
}
