//! Changes of the source of a page.

use std::collections::BTreeMap;
use std::ops::Range;

use super::page::Line;
use super::values::Values;
use crate::runs::{LeftOut, visible_chars};

/// A part of the source and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) with: String,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, with: impl Into<String>) -> Self {
        Self { range, with: with.into() }
    }

    /// Leaves the line blank, inside the blocks that it is in.
    pub(super) fn blank(line: &Line<'_>) -> Self {
        Self::new(line.body..line.end, "")
    }

    /// A paragraph of `title` in place of the line, which is left blank if there is none.
    pub(super) fn title(line: &Line<'_>, title: &str) -> Self {
        Self::new(line.body..line.end, paragraph(line.prefix(), title))
    }
}

/// The changes that rewrite one directive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) edits: Vec<Edit>,
    pub(super) left_out: LeftOut,
    /// Whether what is changed is an output expression, which stays.
    is_value: bool,
}

impl Group {
    /// An output expression, which is shown as it is written.
    pub(super) fn value(range: Range<usize>) -> Self {
        Self { edits: vec![Edit::new(range, "")], is_value: true, ..Self::default() }
    }

    /// A directive whose content stays.
    pub(super) fn of(edits: Vec<Edit>) -> Self {
        Self { edits, ..Self::default() }
    }

    /// `with` in place of a directive without content: `text`, which is counted.
    pub(super) fn left_out(range: Range<usize>, with: impl Into<String>, text: &str) -> Self {
        let left_out = LeftOut { directives: visible_chars(text), ..LeftOut::default() };
        Self { edits: vec![Edit::new(range, with)], left_out, is_value: false }
    }

    /// `with` in place of a comment.
    pub(super) fn comment(range: Range<usize>, with: impl Into<String>, text: &str) -> Self {
        let left_out = LeftOut { hidden: visible_chars(text), ..LeftOut::default() };
        Self { edits: vec![Edit::new(range, with)], left_out, is_value: false }
    }
}

/// `source` with the changes of all groups, except those that change the same place as a group that begins before them; output expressions
/// are added to `values`. `None` if nothing changes.
pub(super) fn apply(source: &str, mut groups: Vec<Group>, values: &mut Values) -> Option<(String, LeftOut)> {
    groups.retain(|group| !group.edits.is_empty());
    groups.sort_by_key(|group| group.edits.iter().map(|edit| edit.range.start).min());
    let (mut taken, mut left_out) = (BTreeMap::<usize, Edit>::new(), LeftOut::default());
    for group in groups {
        let is_free = |edit: &Edit| {
            let before = taken.range(..edit.range.end.max(edit.range.start + 1)).next_back();
            before
                .is_none_or(|(_, before)| before.range.end <= edit.range.start && before.range.start < edit.range.start)
        };
        if group.edits.iter().all(is_free) {
            left_out += group.left_out;
            let is_value = group.is_value;
            let shown = |edit: Edit| match is_value {
                true => Edit { with: values.add(&source[edit.range.clone()]), ..edit },
                false => edit,
            };
            taken.extend(group.edits.into_iter().map(shown).map(|edit| (edit.range.start, edit)));
        }
    }
    if taken.is_empty() {
        return None;
    }
    let (mut out, mut at) = (String::with_capacity(source.len()), 0);
    for edit in taken.into_values() {
        out.push_str(&source[at..edit.range.start]);
        out.push_str(&edit.with);
        at = edit.range.end;
    }
    out.push_str(&source[at..]);
    Some((out, left_out))
}

/// A paragraph of one line between blank lines, each behind `prefix`; empty if there is no text. It begins no other block.
pub(super) fn paragraph(prefix: &str, text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let number = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_marker = text[number..].starts_with(['.', ')']) && number > 0;
    let bullet = ["* ", "- ", "+ "].iter().any(|bullet| text.starts_with(bullet));
    let (head, rest) = match is_marker {
        true => (&text[..number], &text[number..]),
        false => ("", text),
    };
    let begins_block = is_marker || bullet || text.starts_with(['#', '>', '=', '~', '|']) || text.starts_with(":::");
    let escape = if begins_block { "\\" } else { "" };
    format!("\n{prefix}{head}{escape}{rest}\n{prefix}")
}

/// `text` in which a line of nothing but gaps is blank, or missing if it stands between rows of a table.
pub(super) fn clear_gap_lines(text: &str, gap: char) -> String {
    let is_gap = |line: &str| {
        let rest = line.trim_start_matches(['>', ' ', '\t']).trim_end();
        !rest.is_empty() && rest.chars().all(|c| c == gap || c.is_whitespace())
    };
    let is_row = |line: Option<&&str>| line.is_some_and(|line| line.trim_start().starts_with('|'));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        if !is_gap(line) {
            out.push_str(line);
        } else if !is_row(at.checked_sub(1).and_then(|before| lines.get(before))) || !is_row(lines.get(at + 1)) {
            out.push_str(&line[..line.len() - line.trim_start_matches(['>', ' ', '\t']).len()]);
            out.push('\n');
        }
    }
    out
}
