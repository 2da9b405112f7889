//! Attribute lists `{: .class #id name="value" }` of Kramdown and Python-Markdown, `[text]{.class}` of Pandoc, and the extensions of
//! Kramdown, `{::comment}`.

use std::collections::HashMap;

use super::arguments::{arguments, name_length};
use super::edit::{Edit, Group};
use super::page::{Page, is_escaped};

/// Marks of lists of which Kramdown makes a table of contents.
const TABLE_OF_CONTENTS: &str = "{:toc";

/// Attribute lists behind an inline element, and on lines of their own.
pub(super) fn inline(page: &Page<'_>) -> Vec<Group> {
    let (mut groups, spans) = (extensions(page), spans(page));
    let list = |at: usize| {
        let inside = page.between(at, "{", "}")?;
        let end = inside.end + 1;
        let has_colon = page.source[inside.clone()].starts_with(':');
        let text = page.source[inside].trim_start_matches(':');
        let line = page.line_at(at)?;
        let is_line = line.body == at && line.end == end;
        let span = at.checked_sub(1).and_then(|close| spans.get(&close)).filter(|_| !page.inline_ends.contains(&at));
        let is_behind = page.inline_ends.contains(&at) || span.is_some();
        // Kramdown writes them at the beginning of an item, too.
        let is_item = has_colon && ["-", "*", "+"].contains(&page.source[line.body..at].trim());
        if !(is_line || is_behind || is_item) || text.starts_with(':') || !is_attributes(text, has_colon) {
            return None;
        }
        let mut group = Group::left_out(at..end, "", &page.source[at..end]);
        if let Some(&start) = span {
            group.edits.extend([Edit::new(start..start + 1, ""), Edit::new(at - 1..at, "")]);
        }
        if page.source[at..].starts_with(TABLE_OF_CONTENTS) {
            group.edits.extend(list_above(page, at));
        }
        Some(group)
    };
    groups.extend(page.marks("{").filter_map(list));
    groups
}

/// Whether `text` is a list of attributes, which begins a class, an identifier or a name with a value; only behind a colon also a name.
fn is_attributes(text: &str, has_colon: bool) -> bool {
    let Some(found) = arguments(text) else { return false };
    let is_attribute = |attribute: &super::arguments::Argument<'_>| match attribute.name {
        "" => {
            let name = attribute.value.trim_start_matches(['.', '#', '^']);
            let has_sign = name.len() < attribute.value.len();
            (has_colon || (has_sign && !name.is_empty())) && name_length(name, ":.") == name.len()
        }
        name => name_length(name, ":.") == name.len(),
    };
    found.iter().all(is_attribute) && (has_colon || !found.is_empty())
}

/// Where the brackets open that close before an attribute list, by where they close. A bracket closes in its paragraph.
fn spans(page: &Page<'_>) -> HashMap<usize, usize> {
    let (mut found, mut open) = (HashMap::new(), Vec::new());
    for line in &page.lines {
        if line.text().is_empty() {
            open.clear();
        }
        let brackets = line.text().match_indices(['[', ']']).map(|(at, bracket)| (line.body + at, bracket));
        for (at, bracket) in brackets.filter(|(at, _)| !page.is_opaque(*at) && !is_escaped(page.source, *at)) {
            if bracket == "[" {
                open.push(at);
            } else if let Some(start) = open.pop().filter(|_| page.source[at + 1..].starts_with('{')) {
                found.insert(at, start);
            }
        }
    }
    found
}

/// The removal of the line above, an item of the list that is replaced.
fn list_above(page: &Page<'_>, at: usize) -> Option<Edit> {
    let above = page.lines.get(page.line_index(at).checked_sub(1)?)?;
    let text = above.text().trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = ["* ", "- ", "+ ", ". ", ") "].iter().any(|mark| text.starts_with(mark));
    is_item.then(|| Edit::blank(above))
}

/// `{::name …}` with its content up to `{:/name}` or `{:/}`, or `{::name … /}`.
fn extensions(page: &Page<'_>) -> Vec<Group> {
    let mut ends = page.marks("{:/").filter_map(|at| Some(at..page.between(at, "{:/", "}")?.end + 1)).peekable();
    let extension = |at: usize| {
        let inside = page.between(at, "{::", "}")?;
        let (text, behind) = (&page.source[inside.clone()], inside.end + 1);
        let (name, rest) = text.split_at(name_length(text, ""));
        if name.is_empty() || !(rest.is_empty() || rest.starts_with([' ', '/'])) {
            return None;
        }
        if rest.ends_with('/') {
            return Some(Group::left_out(at..behind, "", &page.source[at..behind]));
        }
        while ends.next_if(|end| end.start < behind).is_some() {}
        let end = ends.peek().filter(|end| ["", name].contains(&&page.source[end.start + 3..end.end - 1]))?.clone();
        Some(match name {
            "comment" => Group::comment(at..end.end, "", &page.source[at..end.end]),
            _ => Group::of(vec![Edit::new(at..behind, ""), Edit::new(end, "")]),
        })
    };
    page.marks("{::").filter_map(extension).collect()
}
