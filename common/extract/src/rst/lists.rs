//! Lists: bullets, numbers, fields, options, and terms with their definitions.

use precis_proto::BlockKind;

use super::blocks::{BlockReader, Scope};
use super::enumerators::Enumerator;
use super::lines::{Lines, Region};
use crate::plain::ended;

/// Fields at the head of a page that are settings of Sphinx and never shown.
const SETTINGS: [&str; 5] = ["orphan", "nosearch", "no-search", "nocomments", "tocdepth"];

impl BlockReader<'_> {
    pub(super) fn bullet_item(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let (bullet, body) = bullet_body(self.lines, region, at)?;
        // The style of a page decides how bullets look, so ASCII bullets are all shown alike.
        let marker = if bullet.is_ascii() { "-" } else { bullet };
        self.item(body, Some(marker.to_owned()), scope);
        Some(body.end)
    }

    pub(super) fn numbered_items(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let mut next = Enumerator::at(self.lines.view(region, at)).filter(|number| self.is_item(region, at, number));
        next.as_ref()?;
        let (mut end, mut before): (usize, Option<Enumerator>) = (at, None);
        while let Some(number) = next.take() {
            let body = item_body(self.lines, region, end, number.bytes);
            let (marker, number) = number.resolve(before.as_ref());
            self.item(body, Some(marker), scope);
            end = body.end;
            if let Some(start) = self.lines.text_from(region, end) {
                next = Enumerator::at(self.lines.view(region, start))
                    .filter(|next| next.follows(&number) && self.is_item(region, start, next));
                end = if next.is_some() { start } else { end };
            }
            before = Some(number);
        }
        Some(end)
    }

    /// Whether a number begins an item: the line below it is blank, indented, or the next item.
    fn is_item(&self, region: Region, at: usize, number: &Enumerator) -> bool {
        self.lines.text_at(region, at + 1).is_none_or(|below| {
            let resolved = number.clone().resolve(None).1;
            below.starts_with(' ')
                || Enumerator::at(below).is_some_and(|next| next.follows(&resolved) || next.follows(number))
        })
    }

    fn item(&mut self, body: Region, marker: Option<String>, scope: Scope) {
        self.markers.push(marker);
        let inner = Scope { lists: scope.lists.saturating_add(1), ..scope.inside(BlockKind::ListItem) };
        self.blocks(body, inner);
        self.markers.pop();
    }

    /// `:name: value`.
    pub(super) fn field(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let view = self.lines.view(region, at);
        let (name, bytes) = field_name(view)?;
        let body = self.lines.body(region, at, bytes);
        let is_head = scope.depth == 0 && self.leaves.len() == 0;
        if !(is_head && SETTINGS.contains(&name)) {
            let name = self.shown(name);
            let inner = scope.inside(BlockKind::FormField);
            self.flush_prefix(inner);
            self.prefix = Some((BlockKind::FormField, format!("{name}:")));
            self.blocks(body, inner);
            self.flush_prefix(inner);
        }
        Some(body.end.max(at + 1))
    }

    /// An option of a command with its description.
    pub(super) fn option(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let view = self.lines.view(region, at);
        let bytes = view.find("  ").unwrap_or(view.len());
        let options = &view[..bytes];
        if !view.starts_with(['-', '+', '/']) || !options.split(", ").all(is_option) {
            return None;
        }
        let body = self.lines.body(region, at, bytes);
        if body.is_empty() {
            return None;
        }
        self.term(options.to_owned(), body, scope);
        Some(body.end)
    }

    /// The term on line `at` with the definition below it.
    pub(super) fn definition(&mut self, region: Region, at: usize, scope: Scope) -> usize {
        let term = self.shown(self.lines.view(region, at));
        let Some(body) = self.lines.indented(region, at + 1) else { return at + 1 };
        self.term(term, body, scope);
        body.end
    }

    fn term(&mut self, term: String, body: Region, scope: Scope) {
        self.flush_prefix(scope);
        let inner = Scope { lists: scope.lists.saturating_add(1), ..scope.inside(BlockKind::ListItem) };
        self.markers.push(None);
        self.push(term, inner);
        self.blocks(body, inner);
        self.markers.pop();
    }
}

/// The bullet on line `at`, and the body of its item.
pub(super) fn bullet_body<'p>(lines: &'p Lines<'p>, region: Region, at: usize) -> Option<(&'p str, Region)> {
    let view = lines.view(region, at);
    let bullet = view.chars().next().filter(|c| "-+*•‣⁃".contains(*c))?;
    let bytes = bullet.len_utf8();
    let is_apart = view.len() == bytes || view[bytes..].starts_with(' ');
    is_apart.then(|| (&view[..bytes], item_body(lines, region, at, bytes)))
}

/// The body of the item on line `at`, behind a marker of `marker` bytes.
///
/// Adjacent lines with slightly wrong indentation belong to the item, because its sentence continues there.
fn item_body(lines: &Lines<'_>, region: Region, at: usize, marker: usize) -> Region {
    let mut body = lines.body(region, at, marker);
    if body.start > at {
        return body;
    }
    let view = lines.view(region, at);
    let columns = view[..marker].chars().count() + view[marker..].len() - view[marker..].trim_start().len();
    let known = region.column + columns;
    // More indented lines are a definition or the continuation of a sentence; a continuation begins in lower case.
    let goes_on = |below: &str| below.starts_with(' ') && below.trim_start().starts_with(char::is_lowercase);
    let is_below = lines.text_at(region, at + 1).is_some_and(goes_on);
    if body.column > known && (!is_below || view.ends_with("::")) {
        body.column = known;
    }
    let is_one_piece = lines.block_end(body, at) == body.end;
    while let Some(line) = lines.text_at(region, body.end).filter(|_| is_one_piece) {
        let last = lines.view(body, body.end - 1);
        if ended(last) || begins_block(line) {
            break;
        }
        body.end += 1;
    }
    body
}

/// Whether `line` begins a new block although no blank line precedes it.
fn begins_block(line: &str) -> bool {
    line.starts_with("..") || line.starts_with(|c: char| "-+*•‣⁃:|=_".contains(c)) || Enumerator::at(line).is_some()
}

/// The name of the field at the start of `view`, and the number of bytes before its value.
pub(super) fn field_name(view: &str) -> Option<(&str, usize)> {
    let rest = view.strip_prefix(':').filter(|rest| !rest.starts_with([' ', ':']))?;
    let mut is_escaped = false;
    for (at, c) in rest.char_indices() {
        if c == ':' && !is_escaped {
            match rest[at + 1..].bytes().next() {
                None | Some(b' ') if !rest[..at].ends_with(' ') => return Some((&rest[..at], at + 2)),
                None | Some(b' ' | b'`') => return None,
                Some(_) => {}
            }
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    None
}

/// Whether `text` is a command-line option: `-a`, `-f FILE`, `--long=VALUE`, `/V`.
fn is_option(text: &str) -> bool {
    let is_word = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let is_value = |text: &str| is_word(text) || (text.starts_with('<') && text.ends_with('>') && text.len() > 2);
    let (name, value) = text.split_once([' ', '=']).map_or((text, None), |(name, value)| (name, Some(value)));
    let is_name = match name.strip_prefix("--").or_else(|| name.strip_prefix('/')) {
        Some(long) => is_word(long),
        None => name.strip_prefix(['-', '+']).is_some_and(|short| short.len() == 1 && is_word(short)),
    };
    is_name && value.is_none_or(is_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_end_at_a_colon_before_a_space() {
        for (view, want) in [
            (":a: b", Some(("a", 3))),
            (":a b:", Some(("a b", 5))),
            (":a\\: b: c", Some(("a\\: b", 7))),
            (":py:x: y", Some(("py:x", 6))),
            (":role:`x` y", None),
            (":: x", None),
            (": x", None),
            (":a :", None),
            (":a", None),
        ] {
            assert_eq!(field_name(view), want, "{view}");
        }
    }

    #[test]
    fn options_are_those_of_commands() {
        for (text, want) in [
            ("-a", true),
            ("-f FILE", true),
            ("--long=<a b>", true),
            ("/V", true),
            ("-", false),
            ("-ab", false),
            ("--", false),
            ("- a", false),
        ] {
            assert_eq!(is_option(text), want, "{text}");
        }
    }
}
