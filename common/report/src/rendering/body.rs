//! Renders a report's Markdown as HTML in which each citation links to its quote and nothing else is a link.
//!
//! The writer drops links, images and raw HTML; the sanitizer behind it is the last line of defence.

use std::collections::{BTreeMap, HashMap, HashSet};

use ammonia::{Builder, UrlRelative};
use precis_text::table_fill;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd, html};

use crate::draft::inline::{Inline, bracketed_numbers, options, push_text};

/// Deepest nesting of quotes and lists on the page; deeper ones lose their indentation, not their text.
const MAX_DEPTH: usize = 16;

/// Most citation numbers shown after a statement; the rest become one link to the first number not shown.
pub(super) const MOST_NUMBERS: usize = 3;

/// What the page shows next to the citations of a report.
pub(super) trait CitationNotes {
    /// Whether a quote with this number exists; an unknown number stays plain text.
    fn is_known(&self, n: u32) -> bool;
    /// The name of the source of quote `n`.
    fn source(&self, n: u32) -> String;
    /// A `<details>` element with the passage of quote `n`, escaped; placed at the end of the block that cites it.
    fn passage(&self, n: u32) -> String;
    /// The text of the link that stands for `count` numbers not shown.
    fn more(&self, count: usize) -> String;
}

/// A report's body as HTML.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ReportBody {
    /// Text of the level-1 heading that opens the report, if any; left out of `opening` and `html`.
    pub(super) title: Option<String>,
    /// Everything before the first heading, or before the first list that follows other text. Sanitized HTML.
    pub(super) opening: String,
    /// The rest as sanitized HTML; headings from `h2` down.
    pub(super) html: String,
    /// How often each citation occurs in the text; the occurrences have the ids `r{n}-{k}`, `k` from 1.
    pub(super) places: BTreeMap<u32, usize>,
}

/// Renders `markdown`, with the notes of `beside` at its citations.
pub(super) fn body(markdown: &str, beside: &dyn CitationNotes) -> ReportBody {
    let bounded = table_fill::limit_tables(markdown);
    let markdown = &*bounded;
    let mut writer = BodyWriter {
        beside,
        body: ReportBody::default(),
        out: Vec::new(),
        row: Vec::new(),
        nested: Vec::new(),
        cited: Vec::new(),
        opening: None,
        title: None,
        code: false,
    };
    // Adjacent text events are collected first: the parser splits a citation such as `[3]` into several.
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
    let rest = writer.out.split_off(writer.opening.unwrap_or(writer.out.len()));
    let rendered = |events: Vec<Event<'_>>| {
        let mut html = String::new();
        html::push_html(&mut html, events.into_iter());
        sanitizer().clean(&html).to_string()
    };
    ReportBody { opening: rendered(writer.out), html: rendered(rest), ..writer.body }
}

struct BodyWriter<'k, 'e> {
    beside: &'k dyn CitationNotes,
    body: ReportBody,
    out: Vec<Event<'e>>,
    /// Text since the last event of another kind.
    row: Vec<Inline>,
    /// Open quotes, lists and items, and whether the start of each was written.
    nested: Vec<bool>,
    /// Numbers shown in the open block, each once; their passages go to its end.
    cited: Vec<u32>,
    /// Index in `out` of the first heading, or of the first list that follows other text.
    opening: Option<usize>,
    /// Text of the opening heading while it is open.
    title: Option<String>,
    /// Inside a code block.
    code: bool,
}

impl<'e> BodyWriter<'_, 'e> {
    fn event(&mut self, event: Event<'e>) {
        self.observe(&event);
        match event {
            Event::End(TagEnd::Paragraph) => {
                self.out.push(event);
                self.passages();
            }
            Event::End(TagEnd::TableCell) => {
                self.cited.clear();
                self.out.push(event);
            }
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
                self.passages();
                self.nested.push(self.nested.len() < MAX_DEPTH);
                self.out.extend(Some(event).filter(|_| self.nested.last() == Some(&true)));
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item) => {
                self.passages();
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

    /// Records whether `event` is within code, and where the opening of the report ends if it ends here.
    fn observe(&mut self, event: &Event<'e>) {
        self.code = match event {
            Event::Start(Tag::CodeBlock(_)) => true,
            Event::End(TagEnd::CodeBlock) => false,
            _ => self.code,
        };
        if matches!(event, Event::Start(Tag::Heading { .. }))
            && self.nested.is_empty()
            && !(self.out.is_empty() && self.body.title.is_none())
        {
            self.opening.get_or_insert(self.out.len());
        }
        // A list that follows other text holds the points of the answer; a list that comes first is the answer itself.
        if matches!(event, Event::Start(Tag::List(_)))
            && self.nested.is_empty()
            && self.out.first().is_some_and(|first| !matches!(first, Event::Start(Tag::List(_))))
        {
            self.opening.get_or_insert(self.out.len());
        }
    }

    /// Writes the passages of the quotes that the block cites, at a place where a `<details>` element is allowed.
    fn passages(&mut self) {
        for n in std::mem::take(&mut self.cited) {
            self.out.push(Event::InlineHtml(self.beside.passage(n).into()));
        }
    }

    /// Ends a piece of text: citations become links, the rest stays text.
    fn flush(&mut self) {
        let row = std::mem::take(&mut self.row);
        let (mut text, mut at) = (String::new(), 0);
        while at < row.len() {
            let (numbers, len) = self.group(&row[at..]);
            if !numbers.is_empty() {
                // Keeps a number on the line of the word it proves: no space between them, so no line break either.
                text.truncate(text.trim_end_matches(' ').len());
                self.text(&mut text);
                at += len;
                self.cite(&numbers, &row[at..]);
                continue;
            }
            match &row[at] {
                Inline::Char(c) => text.push(*c),
                Inline::Open => text.push('['),
                Inline::Close => text.push(']'),
                Inline::MarkupStart(_) | Inline::MarkupEnd(_) | Inline::Code(_) | Inline::Break | Inline::Cite(_) => {}
            }
            at += 1;
        }
        self.text(&mut text);
    }

    /// The adjacent citation numbers at the start of `row`, and how many inlines they take.
    fn group(&self, row: &[Inline]) -> (Vec<u32>, usize) {
        let (mut numbers, mut len) = (Vec::new(), 0);
        let mut from = 0;
        while let Some(next) = row.get(from..).and_then(bracketed_numbers) {
            let Some(n) = self.number(&next.numbers) else { break };
            numbers.push(n);
            len = from + next.len;
            from = len + row[len..].iter().take_while(|g| **g == Inline::Char(' ')).count();
        }
        (numbers, len)
    }

    fn number(&self, numbers: &[String]) -> Option<u32> {
        let [number] = numbers else { return None };
        number.parse().ok().filter(|n| self.beside.is_known(*n))
    }

    fn text(&mut self, text: &mut String) {
        let text = super::words::visible(&std::mem::take(text));
        match &mut self.title {
            Some(title) => title.push_str(&text),
            None if text.is_empty() => {}
            None => self.out.push(Event::Text(text.into())),
        }
    }

    /// Writes the links of a group of numbers, then the names of their sources unless `rest`, the text behind them, starts with one.
    fn cite(&mut self, numbers: &[u32], rest: &[Inline]) {
        if self.title.is_some() {
            return;
        }
        let shown = &numbers[..numbers.len().min(MOST_NUMBERS)];
        for n in shown {
            self.link(*n, &format!("[{n}]"), &format!("Quote {n}"));
            if !self.cited.contains(n) {
                self.cited.push(*n);
            }
        }
        if let Some(next) = numbers.get(MOST_NUMBERS) {
            let more = self.beside.more(numbers.len() - MOST_NUMBERS);
            self.out.push(Event::Text(" ".into()));
            self.link(*next, &escape_html(&more), &escape_html(&more));
        }
        let mut names: Vec<String> = Vec::new();
        for name in shown.iter().map(|n| self.beside.source(*n)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let rest: String = rest.iter().filter_map(|g| if let Inline::Char(c) = g { Some(*c) } else { None }).collect();
        if !names.iter().any(|name| rest.trim_start().starts_with(&format!("({name}"))) {
            let names =
                names.iter().map(|name| format!("<bdi>{}</bdi>", escape_html(name))).collect::<Vec<_>>().join("; ");
            self.out.push(Event::InlineHtml(format!("<span class=\"from\"> ({names})</span>").into()));
        }
    }

    fn link(&mut self, n: u32, text: &str, label: &str) {
        let place = self.body.places.entry(n).or_default();
        *place += 1;
        let link = format!("<a class=\"cite\" href=\"#q{n}\" id=\"r{n}-{place}\" aria-label=\"{label}\">{text}</a>");
        self.out.push(Event::InlineHtml(link.into()));
    }
}

/// Escapes text for HTML content and for quoted attribute values.
pub(super) fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

const TAGS: [&str; 30] = [
    "a",
    "bdi",
    "blockquote",
    "br",
    "code",
    "del",
    "details",
    "div",
    "em",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];
/// Elements that take their writing direction from their text (`dir="auto"`).
const BLOCKS: [&str; 10] = ["blockquote", "h2", "h3", "h4", "h5", "h6", "li", "p", "td", "th"];

fn sanitizer() -> Builder<'static> {
    let attributes = HashMap::from([
        ("a", HashSet::from(["class", "href", "id", "aria-label"])),
        ("div", HashSet::from(["class", "tabindex", "role", "aria-label"])),
        ("blockquote", HashSet::from(["class"])),
        ("details", HashSet::from(["class"])),
        ("ol", HashSet::from(["start"])),
        ("span", HashSet::from(["class"])),
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
