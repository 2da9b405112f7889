//! Quotes as the page shows them: within their surroundings, expandable under the statement, and in the list of all quotes.

use std::collections::BTreeMap;

use precis_language::labels::{Label, LabelLanguage};
use precis_proto::response::{Citation, ReportData};

use crate::rendering::body::{CitationNotes, escape_html};
use crate::rendering::context::QuoteContext;
use crate::rendering::frame::{name, place, with_copies};
use crate::rendering::source_fate::copies;
use crate::rendering::words::{group_digits, visible, web_address};
use crate::verify::hex_of;

/// A quote within its surroundings, ready for the page.
#[derive(Debug, Clone)]
pub(super) struct QuotedPassage {
    pub(super) n: u32,
    /// Short name of its source.
    pub(super) name: String,
    /// `page 28`, or that it is from the file's properties; empty if the text has no pages.
    pub(super) page: String,
    pub(super) before: String,
    pub(super) text: String,
    pub(super) after: String,
}

impl QuotedPassage {
    pub(super) fn new(c: &Citation, context: Option<&QuoteContext>, t: LabelLanguage) -> Self {
        let cut = |inside: bool| if inside { "… " } else { "" };
        let before = context.map_or(String::new(), |x| cut(x.starts_inside).to_owned() + &visible(&x.before));
        let after = context.map_or(String::new(), |x| visible(&x.after) + cut(x.ends_inside).trim_end());
        let page = place(c, t);
        let text = visible(context.map_or(&c.text, |x| &x.quote));
        Self { n: c.n, name: visible(&name(c)), page, before, text, after }
    }
}

/// The quotes by citation number, for the notes in the report's body.
pub(super) struct NumberedQuotes<'p> {
    pub(super) passages: &'p BTreeMap<u32, QuotedPassage>,
    pub(super) t: LabelLanguage,
}

impl CitationNotes for NumberedQuotes<'_> {
    fn is_known(&self, n: u32) -> bool {
        self.passages.contains_key(&n)
    }

    fn source(&self, n: u32) -> String {
        self.passages.get(&n).map_or(String::new(), |passage| passage.name.clone())
    }

    fn passage(&self, n: u32) -> String {
        let Some(QuotedPassage { name, page, before, text, after, .. }) = self.passages.get(&n) else {
            return String::new();
        };
        let page = if page.is_empty() { String::new() } else { format!(", {}", escape_html(page)) };
        format!(
            "<details class=\"passage\"><summary>[{n}] <bdi>{}</bdi>{page}</summary><blockquote class=\"context\">{}<mark>{}</mark>{}</blockquote></details>",
            escape_html(name),
            escape_html(before),
            escape_html(text),
            escape_html(after)
        )
    }

    fn more(&self, count: usize) -> String {
        self.t.fill(Label::More, &[&group_digits(count as u64)])
    }
}

#[derive(Debug)]
pub(super) struct QuoteView {
    pub(super) passage: QuotedPassage,
    pub(super) title: String,
    /// The headings above it, each behind a ` › `; empty if there are none.
    pub(super) above: String,
    /// The path of its source, unless the title is the path, with the number of copies.
    pub(super) path: String,
    /// Row number of its source.
    pub(super) source: Option<usize>,
    pub(super) locator: String,
    pub(super) hash: String,
    /// Address of its source's text, relative to the page.
    pub(super) archived: Option<String>,
    /// The ids of its citations in the report.
    pub(super) places: Vec<String>,
    pub(super) url: Option<String>,
}

impl QuoteView {
    /// Builds the view without the places in the report.
    pub(super) fn new(
        c: &Citation,
        passage: QuotedPassage,
        archived: &BTreeMap<String, String>,
        data: &ReportData,
        t: LabelLanguage,
    ) -> Self {
        let title = if c.title.trim().is_empty() { c.source_id.as_str() } else { &c.title };
        let row = data.sources.iter().find(|row| row.source_id == c.source_id);
        let path = row.and_then(|row| row.path.as_deref()).filter(|path| *path != title).unwrap_or_default();
        let copies = with_copies(copies(data, &c.source_id), t);
        Self {
            path: format!("{}{copies}", visible(path)).trim_start().to_owned(),
            passage,
            title: visible(title),
            above: c.headings.iter().map(|heading| format!(" › {}", visible(heading))).collect(),
            source: data.sources.iter().position(|s| s.source_id == c.source_id).map(|at| at + 1),
            locator: c.locator.to_string(),
            hash: hex_of(&c.source_text_hash).chars().take(12).collect(),
            archived: archived.get(hex_of(&c.source_text_hash)).cloned(),
            places: Vec::new(),
            url: web_address(c.url.as_deref()).map(str::to_owned),
        }
    }
}

/// The ids of the citations of quote `n` in the report; `places` gives their count by number.
pub(super) fn places(n: u32, places: &BTreeMap<u32, usize>) -> Vec<String> {
    (1..=places.get(&n).copied().unwrap_or(0)).map(|k| format!("r{n}-{k}")).collect()
}
