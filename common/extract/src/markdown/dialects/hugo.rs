//! Shortcodes of Hugo: `{{< name arguments >}}` and `{{% name arguments %}}`, which are closed by `{{< /name >}}` if they have content.

use std::collections::HashMap;

use super::arguments::{Argument, arguments, name_length, quoted};
use super::edit::{Edit, Group, paragraph};
use super::limits::MAX_TAG_BYTES;
use super::page::{Page, has_blank_line};

/// Marks around a shortcode.
const AROUND: [(&str, &str); 2] = [("{{<", ">}}"), ("{{%", "%}}")];
/// Arguments that a page shows above the content of any shortcode.
const TITLES: [&str; 5] = ["title", "label", "summary", "caption", "header"];
/// Shortcodes whose `name`, or whose first argument if it is quoted, is their title.
const NAMED: [&str; 4] = ["tab", "details", "expand", "accordion"];
/// Arguments that a page shows in place of a shortcode without content.
const TEXTS: [&str; 4] = ["text", "caption", "title", "alt"];

#[derive(Debug)]
struct Shortcode<'s> {
    range: std::ops::Range<usize>,
    is_end: bool,
    name: &'s str,
    arguments: Vec<Argument<'s>>,
}

/// Shortcodes, which are left out except for what they show.
pub(super) fn inline(page: &Page<'_>) -> Vec<Group> {
    let codes = shortcodes(page);
    let mut last_end = HashMap::new();
    for code in codes.iter().filter(|code| code.is_end) {
        last_end.insert(code.name, code.range.start);
    }
    let gap = String::from(page.gap);
    let of_code = |code: &Shortcode<'_>| {
        let is_closed = code.is_end || last_end.get(code.name).is_some_and(|end| *end > code.range.start);
        let shown = if is_closed { title(code) } else { quoted(&code.arguments, &TEXTS) };
        match (shown, page.line_of(&code.range)) {
            (Some(shown), Some(line)) => {
                Group::of(vec![Edit::new(code.range.clone(), paragraph(line.prefix(), shown))])
            }
            (Some(shown), None) if !is_closed => Group::of(vec![Edit::new(code.range.clone(), shown)]),
            _ if is_closed => Group::of(vec![Edit::new(code.range.clone(), gap.clone())]),
            _ => Group::left_out(code.range.clone(), gap.clone(), &page.source[code.range.clone()]),
        }
    };
    codes.iter().map(of_code).collect()
}

fn title<'s>(code: &Shortcode<'s>) -> Option<&'s str> {
    let own = || NAMED.contains(&code.name).then(|| quoted(&code.arguments, &["", "name"])).flatten();
    quoted(&code.arguments, &TITLES).or_else(own)
}

/// The shortcodes in prose, in order.
fn shortcodes<'s>(page: &Page<'s>) -> Vec<Shortcode<'s>> {
    let of_kind = |(open, close): (&'static str, &'static str)| {
        page.marks(open)
            .filter_map(move |at| page.closed(|| shortcode(page.source, at, open, close)))
            .collect::<Vec<_>>()
    };
    let mut found: Vec<Shortcode<'s>> = AROUND.into_iter().flat_map(of_kind).collect();
    found.sort_by_key(|code| code.range.start);
    found
}

/// The shortcode at a byte. `{{</* … */>}}` shows a shortcode as it is typed and is none.
fn shortcode<'s>(source: &'s str, at: usize, open: &str, close: &str) -> Option<Shortcode<'s>> {
    let start = at + open.len();
    let limited = source.get(start..source.floor_char_boundary(at + MAX_TAG_BYTES))?;
    let length = end(limited, close)?;
    let text = limited[..length].trim();
    if text.contains(open) || has_blank_line(text) {
        return None;
    }
    let (is_end, text) = text.strip_prefix('/').map_or((false, text), |rest| (true, rest.trim_start()));
    let name = &text[..name_length(text, "./")];
    let ends_well = text[name.len()..].chars().next().is_none_or(|c| c.is_whitespace() || c == '/');
    let arguments = arguments(text[name.len()..].trim_end_matches('/'))?;
    let range = at..start + length + close.len();
    (!name.is_empty() && ends_well).then(|| Shortcode { range, is_end, name: name.trim_end_matches('/'), arguments })
}

/// Where the mark `close` stands outside of quotes.
fn end(text: &str, close: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| match (quote, c) {
        (Some(open), _) if open == c => {
            quote = None;
            None
        }
        (Some(_), _) => None,
        (None, '"' | '`') => {
            quote = Some(c);
            None
        }
        (None, _) => text[at..].starts_with(close).then_some(at),
    })
}
