//! Blocks of Python-Markdown, whose content is indented by four columns: `!!! note "Title"`, `??? note`, `=== "Tab"`.

use super::edit::{Edit, Group};
use super::page::{Line, Page};

/// Marks of a block with a name and, in quotes, a title.
const ADMONITIONS: [&str; 3] = ["!!!", "???+", "???"];
/// Marks of a block with a title only.
const TABS: [&str; 3] = ["===!", "===+", "==="];
/// The indentation of the content.
const INDENT: usize = 4;

/// Blocks with content. What follows a block begins a new one.
pub(super) fn blocks(page: &Page<'_>) -> Vec<Group> {
    let (mut groups, mut behind) = (Vec::new(), 0);
    for (at, line) in page.lines.iter().enumerate() {
        let Some(title) = head(line.text()).filter(|_| at >= behind && !page.is_opaque(line.body)) else { continue };
        let (end, mut edits) = content(page, at + 1, line.prefix());
        if edits.is_empty() {
            continue;
        }
        behind = end;
        edits.insert(0, Edit::title(line, title));
        if let Some(next) = page.lines.get(end).filter(|next| !next.text().is_empty()) {
            edits.push(Edit::new(next.start..next.start, format!("{}\n", line.prefix())));
        }
        groups.push(Group::of(edits));
    }
    groups
}

/// The end of the lines that are blank or indented behind `prefix`, and the removal of their indentation.
fn content(page: &Page<'_>, start: usize, prefix: &str) -> (usize, Vec<Edit>) {
    let (mut end, mut edits, mut kept) = (start, Vec::new(), 0);
    for (at, line) in page.lines.iter().enumerate().skip(start) {
        // A blank line of a quotation inside the content is part of it.
        let is_quoted = line.prefix().get(prefix.len()..).is_some_and(|behind| behind.contains('>'));
        let is_blank = line.text().is_empty() && !is_quoted;
        if let Some(columns) = indentation(line, prefix) {
            let from = line.start + prefix.len();
            edits.push(Edit::new(from..from + columns, ""));
        } else if !is_blank {
            break;
        }
        if !is_blank {
            (end, kept) = (at + 1, edits.len());
        }
    }
    // Blank lines behind the content do not belong to it.
    edits.truncate(kept);
    (end, edits)
}

/// The number of bytes that indent a line of the content behind `prefix`.
fn indentation(line: &Line<'_>, prefix: &str) -> Option<usize> {
    let rest = line.prefix().strip_prefix(prefix)?;
    match rest.starts_with('\t') {
        true => Some(1),
        false => rest.get(..INDENT).filter(|indent| indent.trim_matches(' ').is_empty()).map(str::len),
    }
}

/// The title in the first line of a block, which may be empty.
fn head(text: &str) -> Option<&str> {
    let mark = |marks: &[&str]| marks.iter().find_map(|mark| text.strip_prefix(mark)?.strip_prefix(' '));
    let (rest, has_name) = match mark(&ADMONITIONS) {
        Some(rest) => (rest.trim(), true),
        None => (mark(&TABS)?.trim(), false),
    };
    let (names, title) = match rest.find('"') {
        Some(at) => (&rest[..at], Some(rest[at + 1..].strip_suffix('"')?)),
        None => (rest, None),
    };
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    let are_names = names.split_whitespace().all(is_name);
    let is_head = if has_name { are_names && !names.is_empty() } else { names.is_empty() && title.is_some() };
    is_head.then(|| title.unwrap_or_default())
}
