//! MDX: imports and exports, components, expressions between braces. It has no code by indentation.

use std::collections::HashSet;
use std::ops::Range;

use super::edit::{Edit, Group, paragraph};
use super::jsx::{JsxTag, Scan, braces, tag};
use super::limits::MAX_TAG_BYTES;
use super::page::{Line, Page};

/// Attributes that a component shows.
const SHOWN: [&str; 7] = ["title", "label", "summary", "header", "caption", "description", "alt"];
/// Elements of HTML that have blocks as content. Those of tables and lists are parsed with it.
const CONTAINERS: [&str; 9] = ["div", "p", "details", "section", "aside", "figure", "center", "article", "main"];
/// What may follow the word with which an export begins.
const EXPORTED: [&str; 9] = ["default ", "const ", "let ", "var ", "function ", "async ", "class ", "{", "*"];

/// Whether a page whose name does not say so holds JavaScript: it begins with imports, and a component of an imported name is in it.
pub(super) fn uses_imports(page: &Page<'_>) -> bool {
    let (mut names, mut behind) = (HashSet::new(), page.front_matter_end);
    for line in page.lines.iter().filter(|line| !line.text().is_empty()) {
        if line.start < behind {
            continue;
        }
        let Some(import) = statement(page, line) else { break };
        behind = import.end;
        let clause = page.source[import].split(['"', '\'']).next().unwrap_or_default();
        names.extend(clause.split(|c: char| !c.is_alphanumeric() && !"_$".contains(c)));
    }
    let is_imported = |tag: JsxTag<'_>| {
        tag.is_component() && tag.name.split('.').next().is_some_and(|name| !name.is_empty() && names.contains(name))
    };
    !names.is_empty() && page.marks("<").any(|at| page.closed(|| tag(page.source, at)).is_some_and(is_imported))
}

/// What is indented, which is no code.
pub(super) fn indented(page: &Page<'_>) -> Vec<Group> {
    let ranges = page.is_mdx.then_some(&page.indented).into_iter().flatten();
    ranges.map(|range| without_indentation(page, range)).collect()
}

/// Statements, and components on lines of their own.
pub(super) fn blocks(page: &Page<'_>) -> Vec<Group> {
    if !page.is_mdx {
        return Vec::new();
    }
    let mut groups = Vec::new();
    // Tags inside a block of HTML may stand in a code fence, which is known only once the tags before it are gone.
    let (mut behind, mut html) = (0, page.html.iter().peekable());
    for (at, line) in page.lines.iter().enumerate() {
        while html.next_if(|block| block.end <= line.body).is_some() {}
        let is_inside = html.peek().is_some_and(|block| block.start < line.body);
        let is_next = at > 0 && page.lines[at - 1].next == line.start && behind == line.start;
        if line.body < behind || page.is_opaque(line.body) || (is_inside && !is_next) {
            continue;
        }
        if let Some(range) = statement(page, line) {
            behind = page.line_at(range.end.saturating_sub(1)).map_or(range.end, |last| last.next);
            groups.push(Group::left_out(range.clone(), "", &page.source[range]));
        } else if let Some((end, group)) = tags(page, line) {
            behind = page.line_at(end.saturating_sub(1)).map_or(end, |last| last.next);
            groups.extend(group);
        } else if let Some(title) = summary(line.text()) {
            behind = line.next;
            groups.push(Group::of(vec![Edit::title(line, title)]));
        }
    }
    groups
}

/// Components inside lines, and expressions.
pub(super) fn inline(page: &Page<'_>) -> Vec<Group> {
    if !page.is_mdx {
        return Vec::new();
    }
    let gap = || String::from(page.gap);
    let component = |at: usize| {
        let tag = page.closed(|| tag(page.source, at))?;
        let range = at..tag.end;
        match (tag.is_component(), tag.is_empty) {
            (true, true) => Some(Group::left_out(range.clone(), gap(), &page.source[range])),
            (true, false) => Some(Group::of(vec![Edit::new(range, "")])),
            (false, _) => tag.is_computed.then(|| Group::of(vec![Edit::new(range, tag.html())])),
        }
    };
    let expression = |at: usize| {
        let range = at..page.closed(|| braces(page.source, at))?;
        let inside = page.source[at + 1..range.end - 1].trim();
        let quote = inside.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let text = quote.and_then(|quote| inside[1..].strip_suffix(quote));
        Some(match text.filter(|text| !text.contains(['"', '\'', '`', '\\', '$'])) {
            Some(text) => Group::of(vec![Edit::new(range, text)]),
            None if inside.starts_with("/*") && inside.ends_with("*/") => {
                Group::comment(range.clone(), gap(), &page.source[range])
            }
            None if is_alone(page, &range) => Group::left_out(range.clone(), gap(), &page.source[range]),
            None => Group::value(range),
        })
    };
    let mut groups: Vec<Group> = page.marks("<").filter_map(component).collect();
    groups.extend(page.marks("{").filter_map(expression));
    groups
}

/// The tags and comments that are all of one or more lines, and what takes their place; nothing if they stand alone already.
fn tags(page: &Page<'_>, line: &Line<'_>) -> Option<(usize, Option<Group>)> {
    let (mut at, mut group, mut with) = (line.body, Group::default(), String::new());
    let mut has_component = false;
    loop {
        let rest = page.source.get(at..)?;
        let start = at + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let rest = &page.source[start..];
        if rest.starts_with('<') {
            let tag = page.closed(|| tag(page.source, start))?;
            at = tag.end;
            has_component |= tag.is_component() || tag.is_computed;
            match tag.is_component() {
                true => {
                    let title = shown(&tag);
                    if tag.is_empty && title.is_empty() {
                        group.left_out += Group::left_out(start..at, "", &page.source[start..at]).left_out;
                    }
                    title.iter().for_each(|title| with.push_str(&paragraph(line.prefix(), title)));
                }
                false if CONTAINERS.contains(&tag.name) => {
                    with.push_str(&format!("\n{0}{1}\n{0}", line.prefix(), tag.html()));
                }
                false => return None,
            }
        } else if rest.starts_with("{/*") {
            at = page.closed(|| braces(page.source, start))?;
            has_component = true;
            group.left_out += Group::comment(start..at, "", &page.source[start..at]).left_out;
        } else if rest.is_empty() || rest.starts_with(['\n', '\r']) {
            break;
        } else {
            return None;
        }
    }
    if at == line.body {
        return None;
    }
    let last = page.line_index(at - 1);
    let index = page.line_index(line.start);
    let is_blank = |at: Option<usize>| at.and_then(|at| page.lines.get(at)).is_none_or(|line| line.text().is_empty());
    if !has_component && is_blank(index.checked_sub(1)) && is_blank(Some(last + 1)) {
        return Some((at, None));
    }
    // The paragraph before or behind the tags is another one.
    let is_single = with.matches('<').count() == 1 && !has_component;
    if is_single {
        with = format!("\n{0}{1}\n{0}", line.prefix(), &page.source[line.body..at]);
    }
    group.edits.push(Edit::new(line.body..at, with));
    Some((at, Some(group)))
}

/// Whether `range` is all of the lines that it is on.
fn is_alone(page: &Page<'_>, range: &Range<usize>) -> bool {
    let begins = page.line_at(range.start).is_some_and(|line| line.body == range.start);
    begins && page.line_at(range.end - 1).is_some_and(|line| line.end == range.end)
}

/// The text of a summary on one line, which is Markdown.
fn summary(text: &str) -> Option<&str> {
    text.strip_prefix("<summary>")?.strip_suffix("</summary>")
}

/// The texts that a component shows.
fn shown<'s>(tag: &JsxTag<'s>) -> Vec<&'s str> {
    let texts = tag.attributes.iter().filter(|(name, value)| SHOWN.contains(name) && !value.trim().is_empty());
    texts.map(|(_, value)| *value).collect()
}

/// The removal of the four columns that indent a code block.
fn without_indentation(page: &Page<'_>, range: &Range<usize>) -> Group {
    let lines = page.line_index(range.start)..=page.line_index(range.end.saturating_sub(1));
    let edits = page.lines[lines].iter().filter(|line| !line.text().is_empty()).map(|line| {
        let prefix = line.prefix();
        let blank = prefix.len() - prefix.trim_end_matches([' ', '\t']).len();
        let columns = if prefix.ends_with('\t') { 1 } else { blank.min(4) };
        Edit::new(line.body - columns..line.body, "")
    });
    Group::of(edits.filter(|edit| !edit.range.is_empty()).collect())
}

/// The import or export that begins with a line and ends with one.
fn statement(page: &Page<'_>, line: &Line<'_>) -> Option<Range<usize>> {
    if !line.prefix().is_empty() || page.is_opaque(line.body) {
        return None;
    }
    let text = &page.source[line.start..page.source.floor_char_boundary(line.start + MAX_TAG_BYTES)];
    let end = match text.split_once(' ')? {
        ("import", _) => page.closed(|| import_end(text))?,
        ("export", rest) if page.is_mdx && EXPORTED.iter().any(|word| rest.starts_with(word)) => {
            page.closed(|| export_end(text))?
        }
        _ => return None,
    };
    Some(line.start..line.start + end)
}

/// Where an import ends: with the line of the first quote.
fn import_end(text: &str) -> Option<usize> {
    let quote = text.find(['"', '\''])?;
    let end = text[quote..].find('\n').map_or(text.len(), |length| quote + length);
    is_import(&text[..end]).then_some(end)
}

/// Whether `text` is one import: `import a, { b as c } from "d";` or `import "d"`.
fn is_import(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("import ") else { return false };
    let rest = rest.trim().trim_end_matches(';').trim_end();
    let Some(quote) = rest.chars().next_back().filter(|c| matches!(c, '"' | '\'')) else { return false };
    let Some((clause, name)) = rest[..rest.len() - 1].rsplit_once(quote) else { return false };
    let clause = clause.trim();
    let is_clause = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_$*,{}".contains(c);
    let names = clause.strip_suffix("from").map_or(clause.is_empty(), |names| names.ends_with([' ', '}', '\n']));
    names && clause.chars().all(is_clause) && !name.is_empty() && !name.contains(char::is_whitespace)
}

/// Where an export ends: at the end of a line, with all brackets closed, before a blank line or another statement.
fn export_end(text: &str) -> Option<usize> {
    let mut code = Scan::new(text, 0);
    loop {
        let rest = &text[code.at..];
        let depth = if rest.is_empty() { 0 } else { code.step()? };
        let next = &text[code.at..];
        let is_line_end = rest.is_empty() || (depth == 0 && rest.starts_with('\n'));
        let follows = ["import ", "export ", "\n", "\r\n"].iter().any(|begin| next.starts_with(begin));
        if is_line_end && (next.is_empty() || follows) {
            return Some(text.len() - rest.len());
        }
    }
}
