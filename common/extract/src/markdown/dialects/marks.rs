//! Marks inside lines: keys, insertions, deletions and notes to the author, and icons.

use super::edit::{Edit, Group};
use super::page::Page;

/// What marks do to the text between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It is shown.
    Shown,
    /// It is struck out.
    Struck,
    /// Only the author sees it.
    Comment,
}

/// Marks of Critic Markup and of GitLab around a text.
const AROUND: [(&str, &str, Effect); 8] = [
    ("{++", "++}", Effect::Shown),
    ("{==", "==}", Effect::Shown),
    ("{--", "--}", Effect::Struck),
    ("{>>", "<<}", Effect::Comment),
    ("{+ ", " +}", Effect::Shown),
    ("[+ ", " +]", Effect::Shown),
    ("{- ", " -}", Effect::Struck),
    ("[- ", " -]", Effect::Struck),
];
/// Around the names of keys.
const KEYS: &str = "++";
/// Sets of icons that have names in Python-Markdown: `:material-account:`.
const ICON_SETS: [&str; 4] = [":material-", ":octicons-", ":fontawesome-", ":simple-"];

/// All marks.
pub(super) fn inline(page: &Page<'_>) -> Vec<Group> {
    let mut groups: Vec<Group> = AROUND.iter().flat_map(|marks| around(page, *marks)).collect();
    groups.extend(keys(page));
    groups.extend(ICON_SETS.iter().flat_map(|set| icons(page, set)));
    groups
}

fn around(page: &Page<'_>, (open, close, effect): (&'static str, &'static str, Effect)) -> Vec<Group> {
    let mut behind = 0;
    let marked = |at: usize| {
        let inside = page.between(at, open, close).filter(|_| at >= behind)?;
        let text = &page.source[inside.clone()];
        if text.trim().is_empty() || text.contains("\n\n") {
            return None;
        }
        behind = inside.end + close.len();
        let (before, after) = if effect == Effect::Struck { ("<del>", "</del>") } else { ("", "") };
        Some(match effect {
            Effect::Comment => Group::comment(at..behind, page.gap, &page.source[at..behind]),
            Effect::Shown | Effect::Struck => {
                Group::of(vec![Edit::new(at..inside.start, before), Edit::new(inside.end..behind, after)])
            }
        })
    };
    page.marks(open).filter_map(marked).collect()
}

/// Names of keys without the marks around them. Signs behind a word are those of a language or an operator.
fn keys(page: &Page<'_>) -> Vec<Group> {
    let mut behind = 0;
    let is_key = |key: &str| {
        let is_name = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        is_name || (key.len() > 2 && key.starts_with('"') && key.ends_with('"'))
    };
    let pressed = |at: usize| {
        let inside = page.between(at, KEYS, KEYS).filter(|_| at >= behind)?;
        let is_behind_word = page.source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '+');
        let is_before_word =
            page.source[inside.end + KEYS.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '+');
        if is_behind_word || is_before_word || !page.source[inside.clone()].split('+').all(is_key) {
            return None;
        }
        behind = inside.end + KEYS.len();
        Some(Group::of(vec![Edit::new(at..inside.start, ""), Edit::new(inside.end..behind, "")]))
    };
    page.marks(KEYS).filter_map(pressed).collect()
}

/// Icons, with the attributes behind them.
fn icons(page: &Page<'_>, set: &'static str) -> Vec<Group> {
    let icon = |at: usize| {
        let name = &page.source[at + set.len()..];
        let length = name.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))?;
        let end = at + set.len() + length + 1;
        let attributes = page.source[end - 1..].strip_prefix(':')?.strip_prefix('{').and_then(|rest| rest.find('}'));
        let end = attributes.map_or(end, |length| end + length + 2);
        (length > 0).then(|| Group::left_out(at..end, page.gap, &page.source[at..end]))
    };
    page.marks(set).filter_map(icon).collect()
}
