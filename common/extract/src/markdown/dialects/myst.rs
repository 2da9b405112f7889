//! MyST: directives in code fences (```` ```{note} ````), roles (`` {ref}`text <target>` ``), targets (`(name)=`) and comments (`% …`).

use super::arguments::name_length;
use super::edit::{Edit, Group};
use super::page::{Line, Page};
use crate::directive_names::{Shown, shown, version_label};
use crate::field_line::field_name;
use crate::roles;

/// Options of a directive that a page shows.
const SHOWN_OPTIONS: [&str; 2] = ["caption", "alt"];

/// Most bytes of the name of a role, with its braces; chosen.
const MAX_ROLE_BYTES: usize = 64;

/// The options of a directive: lines `:name: value`, or YAML between lines of hyphens.
#[derive(Debug)]
pub(super) struct Options<'s> {
    /// Index of the line behind them.
    pub(super) end: usize,
    /// The text among them that a page shows.
    pub(super) text: &'s str,
}

impl<'s> Options<'s> {
    /// The options in the first of the `lines` of the page.
    pub(super) fn read(page: &Page<'s>, lines: std::ops::Range<usize>) -> Self {
        let (mut options, mut end) = (Vec::new(), lines.start);
        let mut texts = page.lines[lines].iter().map(Line::text);
        let first = texts.clone().next().unwrap_or_default();
        let yaml = (first == "---").then(|| texts.clone().skip(1).position(|text| text == "---")).flatten();
        if let Some(length) = yaml {
            options.extend(texts.skip(1).take(length).filter_map(|text| text.split_once(':')));
            end += length + 2;
        } else {
            while let Some(option) = texts.next().and_then(option) {
                options.push(option);
                end += 1;
            }
        }
        let is_shown = |(name, _): &&(&str, &str)| SHOWN_OPTIONS.contains(name);
        let text = options.iter().find(is_shown).map_or("", |(_, value)| value.trim().trim_matches('"'));
        Self { end, text }
    }
}

/// The name and the value in a line `:name: value`.
fn option(text: &str) -> Option<(&str, &str)> {
    let (name, bytes) = field_name(text)?;
    (name_length(name, "") == name.len()).then(|| (name, &text[bytes..]))
}

/// The name between the braces with which `text` begins, and the rest.
pub(super) fn brace_name(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('{')?;
    let (name, rest) = rest.split_at(name_length(rest, ":.+"));
    rest.strip_prefix('}').filter(|_| !name.is_empty()).map(|rest| (name, rest))
}

/// Directives in fences whose name is known: others are code of other programs.
pub(super) fn blocks(page: &Page<'_>) -> Vec<Group> {
    let directives = page.fenced.iter().filter_map(|(range, info)| {
        let (name, arguments) = brace_name(info.trim())?;
        let title = version_label(name).map(|label| format!("{label} {}", arguments.trim()));
        directive(page, range, shown(name)?, title.as_deref().unwrap_or(arguments.trim()))
    });
    let mut groups: Vec<Group> = directives.collect();
    let prose = || page.lines.iter().filter(|line| !page.is_opaque(line.body));
    let is_target = |line: &&Line<'_>| {
        let name = line.text().strip_prefix('(').and_then(|rest| rest.strip_suffix(")="));
        name.is_some_and(|name| !name.is_empty() && !name.contains(['(', ')']))
    };
    let blank = |line: &Line<'_>| Group::left_out(line.body..line.end, "", line.text());
    groups.extend(prose().filter(is_target).map(blank));
    if groups.is_empty() && !page.source.contains("{eval-rst}") && roles(page).next().is_none() {
        return groups;
    }
    // In a page that has none of these a line may begin with a percent sign.
    let is_break = |line: &&Line<'_>| line.text() == "+++" || line.text().starts_with("+++ ");
    groups.extend(prose().filter(is_break).map(blank));
    let comments = prose().filter(|line| line.text() == "%" || line.text().starts_with("% "));
    groups.extend(comments.map(|line| Group::comment(line.body..line.end, "", line.text())));
    groups
}

fn directive(page: &Page<'_>, range: &std::ops::Range<usize>, is: Shown, arguments: &str) -> Option<Group> {
    let (start, end) = (page.line_index(range.start), page.line_index(range.end.saturating_sub(1)));
    let (first, last) = (page.lines.get(start)?, page.lines.get(end)?);
    let sign = &first.text()[..1];
    let is_closed = end > start && last.text().starts_with(sign) && last.text().trim_start_matches(sign).is_empty();
    if !is_closed {
        return None;
    }
    let options = Options::read(page, start + 1..end);
    let blank = |title: &str| {
        let lines = page.lines[start + 1..options.end].iter().chain([last]);
        Group::of([Edit::title(first, title)].into_iter().chain(lines.map(Edit::blank)).collect())
    };
    match is {
        Shown::Nothing => {
            let whole = first.body..last.end;
            Some(Group::left_out(whole.clone(), "", &page.source[whole]))
        }
        Shown::Content => Some(blank(options.text)),
        Shown::Titled => Some(blank(if arguments.is_empty() { options.text } else { arguments })),
        Shown::Code if options.end == start + 1 => None,
        Shown::Code => {
            let title = super::edit::paragraph(first.prefix(), options.text);
            let options = page.lines[start + 1].start..page.lines[options.end - 1].next;
            Some(Group::of(vec![Edit::new(first.body..first.body, title), Edit::new(options, "")]))
        }
    }
}

/// Roles without their names and targets.
pub(super) fn inline(page: &Page<'_>) -> Vec<Group> {
    let role = |(name, span): (std::ops::Range<usize>, &std::ops::Range<usize>)| {
        let text = &page.source[span.clone()];
        let ticks = text.len() - text.trim_start_matches('`').len();
        let inside = text.get(ticks..text.len().saturating_sub(ticks)).unwrap_or_default();
        let role = brace_name(&page.source[name.clone()]).map_or("", |(name, _)| name);
        let marks = roles::element(role);
        let mut edits = vec![Edit::new(name, marks.map_or(String::new(), |element| format!("<{element}>")))];
        edits.extend(marks.map(|element| Edit::new(span.end..span.end, format!("</{element}>"))));
        // A title needs no space before its target here.
        let text = roles::shown(role, inside, true).text;
        if text != inside {
            edits.push(Edit::new(span.start + ticks..span.end - ticks, text));
        }
        Group::of(edits)
    };
    roles(page).map(role).collect()
}

/// The names of roles, each directly before the code that is its text.
fn roles<'p>(page: &'p Page<'_>) -> impl Iterator<Item = (std::ops::Range<usize>, &'p std::ops::Range<usize>)> + 'p {
    page.spans.iter().filter_map(|span| {
        let before = &page.source[..span.start];
        let near = before.floor_char_boundary(before.len().saturating_sub(MAX_ROLE_BYTES));
        let open = near + before.ends_with('}').then(|| before[near..].rfind('{'))??;
        let (_, rest) = brace_name(&before[open..])?;
        (rest.is_empty() && !super::page::is_escaped(before, open)).then_some((open..span.start, span))
    })
}
