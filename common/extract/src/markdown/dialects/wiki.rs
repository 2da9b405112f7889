//! What stands in double brackets, `[[page|text]]` and `![[embed]]`, callouts `> [!note] Title`, tables of contents and comments, as in
//! Obsidian, GitHub and GitLab.

use super::edit::{Edit, Group, paragraph};
use super::page::{Line, Page};

/// Paragraphs of which a table of contents is made.
const CONTENTS: [&str; 5] = ["[TOC]", "[toc]", "[[TOC]]", "[[toc]]", "[[_TOC_]]"];
/// Around a comment of Obsidian.
const COMMENT: &str = "%%";

/// Callouts, whose title is a paragraph of its own, tables of contents, includes of files and comments that are lines.
pub(super) fn blocks(page: &Page<'_>) -> Vec<Group> {
    let mut groups: Vec<Group> = page.lines.iter().filter_map(|line| callout(page, line)).collect();
    let prose = || page.lines.iter().filter(|line| !page.is_opaque(line.body));
    let is_contents = |line: &&Line<'_>| CONTENTS.contains(&line.text());
    let is_alone = |line: &&Line<'_>| !page.is_link(line.body);
    let contents = prose().filter(is_contents).filter(is_alone);
    groups.extend(contents.map(|line| Group::left_out(line.body..line.end, "", line.text())));
    groups.extend(comments(page));
    groups.extend(snippets(page));
    groups
}

fn callout(page: &Page<'_>, line: &Line<'_>) -> Option<Group> {
    let rest = line.text().strip_prefix("[!").filter(|_| line.prefix().contains('>'))?;
    let (name, title) = rest.split_once(']')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_ |".contains(c));
    let title = title.strip_prefix(['-', '+']).unwrap_or(title);
    let is_first = page.paragraphs.contains(&line.body);
    let ends_well = title.is_empty() || title.starts_with(' ');
    let edit = Edit::new(line.body..line.end, paragraph(line.prefix().trim_end_matches('\n'), title));
    (is_name && is_first && ends_well).then(|| Group::of(vec![edit]))
}

/// Comments that begin and end with a line.
fn comments(page: &Page<'_>) -> Vec<Group> {
    let (mut groups, mut open) = (Vec::new(), None);
    for line in page.lines.iter().filter(|line| !page.is_opaque(line.body)) {
        let text = line.text();
        match open {
            None if text == COMMENT || (text.starts_with(COMMENT) && !text[COMMENT.len()..].contains(COMMENT)) => {
                open = Some(line.body);
            }
            None if text.starts_with(COMMENT) && text.ends_with(COMMENT) => {
                groups.push(Group::comment(line.body..line.end, "", text));
            }
            Some(start) if text.ends_with(COMMENT) => {
                groups.push(Group::comment(start..line.end, "", &page.source[start..line.end]));
                open = None;
            }
            _ => {}
        }
    }
    groups
}

/// Files that Python-Markdown puts in the page: `--8<-- "file"`, or lines of names between two lines of the mark.
fn snippets(page: &Page<'_>) -> Vec<Group> {
    let (mut groups, mut open) = (Vec::new(), None);
    for line in page.lines.iter().filter(|line| !page.is_opaque(line.body)) {
        let Some(rest) = snippet(line.text()) else { continue };
        let is_file = rest.starts_with(['"', '\'', '[']) && rest.ends_with(['"', '\'', ']']);
        match open {
            _ if is_file => groups.push(Group::left_out(line.body..line.end, "", line.text())),
            None if rest.is_empty() => open = Some(line.body),
            Some(start) if rest.is_empty() => {
                groups.push(Group::left_out(start..line.end, "", &page.source[start..line.end]));
                open = None;
            }
            _ => {}
        }
    }
    groups
}

/// What stands behind a pair of scissors.
fn snippet(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches('-').strip_prefix("8<")?;
    let behind = rest.trim_start_matches('-');
    (text.starts_with('-') && behind.len() < rest.len()).then(|| behind.trim())
}

/// Links, as those of Markdown: their text, or page, leads to the page; and embeds, which are left out.
pub(super) fn inline(page: &Page<'_>) -> Vec<Group> {
    let link = |at: usize| {
        let inside = page.between(at, "[[", "]]")?;
        let text = &page.source[inside.clone()];
        let before = page.source[..at].chars().next_back();
        let behind = page.source[inside.end + 2..].chars().next();
        // `a[[1]]` is code, `[[1]](address)` and `[[1]][name]` are links.
        let is_other = before.is_some_and(char::is_alphanumeric) || matches!(behind, Some('(' | '[' | ']'));
        if text.trim().is_empty() || text.contains(['[', ']', '\n']) || is_other || page.is_link(at) {
            return None;
        }
        if before == Some('!') {
            let whole = at - 1..inside.end + 2;
            return Some(Group::left_out(whole.clone(), page.gap, &page.source[whole]));
        }
        // A bar in a table is escaped.
        let name = text.find('|').map_or(inside.start, |bar| inside.start + bar + 1);
        let target = text.split(['|', '\\']).next().unwrap_or_default().trim();
        let is_target = !target.is_empty() && !target.contains(['<', '>']);
        let (open, close) = if is_target { ("[", format!("](<{target}>)")) } else { ("", String::new()) };
        Some(Group::of(vec![Edit::new(at..name, open), Edit::new(inside.end..inside.end + 2, &close)]))
    };
    page.marks("[[").filter_map(link).collect()
}
