//! Blocks between lines of three or more colons, with the name of what they are behind the first line: `:::note[Title]` of Docusaurus and
//! Starlight, `::: details Title` of VitePress, `::: {.warning}` of Pandoc, `:::{note} Title` of MyST; and between lines of slashes, as in
//! `/// note | Title` of Python-Markdown.

use super::arguments::{arguments, name_length, quoted};
use super::edit::{Edit, Group, paragraph};
use super::liquid::fence;
use super::myst::{Options, brace_name};
use super::page::{Line, Page};
use crate::directive_names::{Shown, shown, version_label};

/// Signs of which a fence is made.
const SIGNS: [char; 2] = [':', '/'];
/// Fewest signs of a fence.
const FENCE: usize = 3;

/// The first line of a block.
#[derive(Debug)]
struct Opening<'s> {
    sign: char,
    length: usize,
    /// Index of the line.
    line: usize,
    title: Option<&'s str>,
    /// The name between braces, whose directive may have options.
    name: Option<&'s str>,
}

/// What a line of signs is.
enum Fence<'s> {
    Open(Opening<'s>),
    Close { sign: char, length: usize },
}

/// Blocks that are closed.
pub(super) fn blocks(page: &Page<'_>) -> Vec<Group> {
    let (mut groups, mut open) = (Vec::new(), SIGNS.map(|_| Vec::<Opening<'_>>::new()));
    for (at, line) in page.lines.iter().enumerate().filter(|(_, line)| !page.is_opaque(line.body)) {
        let code = open[0].last().filter(|opening| opening.is_code()).map(|opening| opening.length);
        let of = |sign: char| usize::from(sign != SIGNS[0]);
        match fence_line(line, at) {
            Some(Fence::Open(opening)) if code.is_none() => open[of(opening.sign)].push(opening),
            Some(Fence::Close { sign, length }) if code.is_none_or(|code| code == length) => {
                let closed = open[of(sign)].pop();
                groups.extend(closed.map(|opening| block(page, &opening, at)));
            }
            _ => groups.extend(leaf(line)),
        }
    }
    groups
}

impl Opening<'_> {
    fn is_code(&self) -> bool {
        self.name.is_some_and(|name| matches!(shown(name), Some(Shown::Code)))
    }
}

fn block(page: &Page<'_>, opening: &Opening<'_>, end: usize) -> Group {
    let (first, last) = (&page.lines[opening.line], &page.lines[end]);
    let inside = opening.line + 1..end;
    let Some(name) = opening.name else {
        return Group::of(vec![Edit::title(first, opening.title.unwrap_or_default()), Edit::blank(last)]);
    };
    let options = Options::read(page, inside.clone());
    let options_blank = page.lines[inside.start..options.end].iter().map(Edit::blank);
    match shown(name) {
        Some(Shown::Nothing) => {
            let whole = first.body..last.end;
            Group::left_out(whole.clone(), "", &page.source[whole])
        }
        Some(Shown::Code) => {
            let (start, end) = (page.lines[options.end.min(end)].start, last.start);
            let fence = fence(page.source.get(start..end).unwrap_or_default());
            let edits = [Edit::new(first.body..first.end, fence.clone()), Edit::new(last.body..last.end, fence)];
            // Blank lines would be lines of the code.
            let options = (options.end > inside.start).then(|| Edit::new(page.lines[inside.start].start..start, ""));
            Group::of(edits.into_iter().chain(options).collect())
        }
        Some(Shown::Content) => {
            Group::of([Edit::blank(first), Edit::blank(last)].into_iter().chain(options_blank).collect())
        }
        Some(Shown::Titled) | None => {
            let title = opening.title.unwrap_or_default();
            let title = version_label(name).map_or(title.to_owned(), |label| format!("{label} {title}"));
            let title = Edit::title(first, &title);
            Group::of([title, Edit::blank(last)].into_iter().chain(options_blank).collect())
        }
    }
}

/// A directive on one line, `::name[label]{attributes}`.
fn leaf(line: &Line<'_>) -> Option<Group> {
    let rest = line.text().strip_prefix("::").filter(|rest| !rest.starts_with(':'))?;
    let (name, rest) = rest.split_at(name_length(rest, ""));
    let (label, rest) = label(rest);
    let is_all = rest.is_empty() || (rest.starts_with('{') && rest.find('}') == Some(rest.len() - 1));
    if name.is_empty() || !is_all || (label.is_none() && rest.is_empty()) {
        return None;
    }
    let range = line.body..line.end;
    Some(match label {
        Some(label) => Group::of(vec![Edit::new(range, paragraph(line.prefix(), label))]),
        None => Group::left_out(range, "", line.text()),
    })
}

fn fence_line<'s>(line: &Line<'s>, at: usize) -> Option<Fence<'s>> {
    let text = line.text();
    let sign = text.chars().next().filter(|sign| SIGNS.contains(sign))?;
    let rest = text.trim_start_matches(sign);
    let length = text.len() - rest.len();
    let rest = rest.trim();
    if length < FENCE {
        return None;
    }
    if rest.is_empty() {
        return Some(Fence::Close { sign, length });
    }
    let opening = |title, name| Some(Fence::Open(Opening { sign, length, line: at, title, name }));
    if let Some((name, rest)) = brace_name(rest).filter(|_| sign == ':') {
        return opening(Some(rest.trim()), Some(name));
    }
    if rest.starts_with('{') {
        let end = rest.find('}')?;
        let is_end = rest[end + 1..].trim().chars().all(|c| c == sign);
        return opening(attribute_title(&rest[..=end]), None).filter(|_| is_end);
    }
    let (_, rest) = rest.split_at(Some(name_length(rest, "")).filter(|length| *length > 0)?);
    let (label, rest) = label(rest);
    let rest = rest.trim_end_matches(sign).trim();
    if label.is_none() && sign == '/' {
        return opening(rest.strip_prefix('|').map(str::trim), None)
            .filter(|_| rest.is_empty() || rest.starts_with('|'));
    }
    let (rest, attributes) = match rest.find('{').filter(|_| rest.ends_with('}')) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let rest = Some(rest.trim()).filter(|rest| !rest.is_empty());
    opening(label.or(rest).or_else(|| attribute_title(attributes)), None)
}

/// The text in brackets with which `text` begins, and the rest.
fn label(text: &str) -> (Option<&str>, &str) {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match depth {
            0 if at > 0 => return (Some(&text[1..at]), &text[at + 1..]),
            0 => break,
            _ => {}
        }
    }
    (None, text)
}

/// The title among attributes in braces.
fn attribute_title(braces: &str) -> Option<&str> {
    let inside = braces.strip_prefix('{')?.strip_suffix('}')?;
    quoted(&arguments(inside)?, &["title", "label"])
}
