//! Tags `{% name arguments %}` and values `{{ expression }}` of Liquid and its relatives (Jekyll, GitBook, Jinja, Vue).

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use super::arguments::{arguments, name_length, quoted};
use super::edit::{Edit, Group, paragraph};
use super::page::Page;
use super::values::{BRACES, is_value};

/// What becomes of the content of a tag that is closed.
enum Content {
    /// Shown as it was typed.
    Raw,
    Comment,
    Code,
}

/// Tags whose content is not read as the rest of the page.
const CONTENT: [(&str, Content); 4] =
    [("raw", Content::Raw), ("verbatim", Content::Raw), ("comment", Content::Comment), ("highlight", Content::Code)];
/// Begins the name of the tag that closes another one.
const END: &str = "end";
/// Arguments that a page shows, of tags with content.
const TITLES: [&str; 4] = ["title", "label", "summary", "caption"];

#[derive(Debug, Clone)]
struct LiquidTag<'s> {
    range: Range<usize>,
    name: &'s str,
    arguments: &'s str,
}

/// Tags whose content is code, a comment or shown as typed.
pub(super) fn blocks(page: &Page<'_>) -> Vec<Group> {
    let tags = tags(page);
    let mut ends = ends(&tags);
    let (mut groups, mut behind) = (Vec::new(), 0);
    for open in &tags {
        let Some((_, content)) = CONTENT.iter().find(|(name, _)| *name == open.name) else { continue };
        if open.range.start < behind {
            continue;
        }
        let Some(close) = next_end(&mut ends, open).cloned() else { continue };
        behind = close.end;
        let inside = open.range.end..close.start;
        let whole = open.range.start..close.end;
        groups.push(match content {
            Content::Comment => Group::comment(whole.clone(), String::from(page.gap), &page.source[whole]),
            Content::Raw => {
                let braces = page.marks("{").filter(|at| inside.contains(at)).map(|at| Edit::new(at..at, "\\"));
                let tags = [open.range.clone(), close.clone()].map(|tag| Edit::new(tag, ""));
                Group::of(braces.chain(tags).collect())
            }
            Content::Code => match (page.line_of(&open.range), page.line_of(&close)) {
                (Some(first), Some(last)) => {
                    let fence = fence(&page.source[inside]);
                    let of_line = |line: &super::page::Line<'_>| Edit::new(line.body..line.end, fence.clone());
                    Group::of(vec![of_line(first), of_line(last)])
                }
                _ => continue,
            },
        });
    }
    groups
}

/// Tags, which are left out except for the titles of those with content, and values, which stay.
pub(super) fn inline(page: &Page<'_>) -> Vec<Group> {
    let gap = String::from(page.gap);
    let tags = tags(page);
    let mut ends = ends(&tags);
    let of_tag = |tag: &LiquidTag<'_>| {
        let is_closed = tag.name.starts_with(END) || next_end(&mut ends, tag).is_some();
        let title = || quoted(&arguments(tag.arguments)?, &TITLES).map(str::to_owned);
        match title().filter(|_| is_closed).zip(page.line_of(&tag.range)) {
            Some((title, line)) => Group::of(vec![Edit::new(tag.range.clone(), paragraph(line.prefix(), &title))]),
            None if is_closed => Group::of(vec![Edit::new(tag.range.clone(), gap.clone())]),
            None => Group::left_out(tag.range.clone(), gap.clone(), &page.source[tag.range.clone()]),
        }
    };
    let mut groups: Vec<Group> = tags.iter().map(of_tag).collect();
    groups.extend(values(page).map(Group::value));
    groups
}

/// A fence longer than any row of backquotes in `code`.
pub(super) fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// The tags in prose.
fn tags<'s>(page: &Page<'s>) -> Vec<LiquidTag<'s>> {
    let mut behind = 0;
    let tag = |at: usize| {
        let inside = page.between(at, "{%", "%}").filter(|_| at >= behind)?;
        let text = page.source[inside.clone()].trim_matches('-').trim();
        let name = &text[..name_length(text, ".:")];
        let ends_well = text[name.len()..].chars().next().is_none_or(|c| c.is_whitespace() || c == '(');
        behind = inside.end + 2;
        (!name.is_empty() && ends_well).then(|| LiquidTag { range: at..behind, name, arguments: &text[name.len()..] })
    };
    page.marks("{%").filter_map(tag).collect()
}

/// The values in prose. Three braces are no value.
fn values<'p>(page: &'p Page<'_>) -> impl Iterator<Item = Range<usize>> + 'p {
    page.marks(BRACES.0).filter_map(|at| {
        let inside = page.between(at, BRACES.0, BRACES.1)?;
        is_value(&page.source[inside.clone()]).then_some(at..inside.end + BRACES.1.len())
    })
}

/// Where the tags stand that close the others, by name.
fn ends<'s>(tags: &[LiquidTag<'s>]) -> HashMap<&'s str, VecDeque<Range<usize>>> {
    let mut ends: HashMap<&str, VecDeque<Range<usize>>> = HashMap::new();
    for tag in tags {
        if let Some(name) = tag.name.strip_prefix(END) {
            ends.entry(name).or_default().push_back(tag.range.clone());
        }
    }
    ends
}

/// The next tag that closes `open`; those before it are dropped, since tags are asked for in order.
fn next_end<'e>(ends: &'e mut HashMap<&str, VecDeque<Range<usize>>>, open: &LiquidTag<'_>) -> Option<&'e Range<usize>> {
    let of_name = ends.get_mut(open.name)?;
    while of_name.front().is_some_and(|end| end.start < open.range.end) {
        of_name.pop_front();
    }
    of_name.front()
}
