//! Which tags are MediaWiki's own, and where they begin and end.

use std::collections::HashMap;

/// Longest tag, in bytes; chosen: it bounds the search for its end.
const MAX_TAG_BYTES: usize = 2_000;

/// What becomes of a tag with its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagUse {
    /// Shown as typed, in lines.
    Typed,
    /// Program text.
    Code,
    /// Program text if it has lines; otherwise it is an element of HTML.
    CodeOfLines,
    /// Text without markup.
    Unmarked,
    Formula,
    Note,
    Notes,
    /// Wikitext whose lines are lines of the page.
    Poem,
    Gallery,
    /// Only the content matters, which is wikitext.
    Around,
    /// For pages that include this one.
    ForOthers,
    /// Instructions to a program that draws or searches.
    Program,
}

/// The tags by name: those of MediaWiki and of the extensions that come with it or with Wikipedia.
const TAGS: [(&str, TagUse); 32] = [
    ("pre", TagUse::Typed),
    ("syntaxhighlight", TagUse::Code),
    ("source", TagUse::Code),
    ("code", TagUse::CodeOfLines),
    ("nowiki", TagUse::Unmarked),
    ("math", TagUse::Formula),
    ("chem", TagUse::Formula),
    ("ce", TagUse::Formula),
    ("ref", TagUse::Note),
    ("references", TagUse::Notes),
    ("poem", TagUse::Poem),
    ("gallery", TagUse::Gallery),
    ("noinclude", TagUse::Around),
    ("onlyinclude", TagUse::Around),
    ("translate", TagUse::Around),
    ("languages", TagUse::Around),
    ("tvar", TagUse::Around),
    ("section", TagUse::Around),
    ("templatestyles", TagUse::Around),
    ("indicator", TagUse::Around),
    ("includeonly", TagUse::ForOthers),
    ("templatedata", TagUse::ForOthers),
    ("timeline", TagUse::Program),
    ("score", TagUse::Program),
    ("graph", TagUse::Program),
    ("chart", TagUse::Program),
    ("hiero", TagUse::Program),
    ("imagemap", TagUse::Program),
    ("inputbox", TagUse::Program),
    ("maplink", TagUse::Program),
    ("mapframe", TagUse::Program),
    ("categorytree", TagUse::Program),
];

/// A start or end tag.
pub(super) struct Tag<'s> {
    pub(super) name: &'static str,
    pub(super) tag_use: TagUse,
    pub(super) attributes: &'s str,
    pub(super) is_end: bool,
    pub(super) is_empty: bool,
    /// Position behind it.
    pub(super) end: usize,
}

/// A text being read.
pub(super) struct Scan<'s> {
    pub(super) source: &'s str,
    lower: String,
    /// For each name, where its next end tag was found: a search never begins before it again.
    ends: HashMap<&'static str, Option<usize>>,
    pub(super) out: String,
}

impl<'s> Scan<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, lower: source.to_ascii_lowercase(), ends: HashMap::new(), out: String::new() }
    }

    /// The tag of the table at a position.
    pub(super) fn tag(&self, start: usize) -> Option<Tag<'s>> {
        let is_end = self.source[start + 1..].starts_with('/');
        let from = start + 1 + usize::from(is_end);
        let length = self.lower[from..].find(|c: char| !c.is_ascii_alphanumeric())?;
        let (name, tag_use) = TAGS.into_iter().find(|(name, _)| *name == &self.lower[from..from + length])?;
        let rest = &self.source[from + length..];
        let near = &rest[..rest.floor_char_boundary(MAX_TAG_BYTES)];
        let close = near.find('>').filter(|_| rest.starts_with(|c: char| c.is_whitespace() || c == '/' || c == '>'))?;
        let attributes = rest[..close].trim_end_matches('/');
        Some(Tag {
            name,
            tag_use,
            attributes,
            is_end,
            is_empty: rest[..close].ends_with('/'),
            end: from + length + close + 1,
        })
    }

    /// Where the first end tag of `name` from `at` on begins.
    pub(super) fn close(&mut self, name: &'static str, at: usize) -> Option<usize> {
        match self.ends.get(name) {
            Some(None) => return None,
            Some(Some(known)) if *known >= at => return Some(*known),
            _ => {}
        }
        let close = format!("</{name}");
        let is_whole = |at: &usize| !self.lower[at + close.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
        let found = self.lower[at..].match_indices(&close).map(|(found, _)| at + found).find(is_whole);
        self.ends.insert(name, found);
        found
    }

    /// Whether a note begins in a part of the text.
    pub(super) fn has_note(&self, part: std::ops::Range<usize>) -> bool {
        let text = &self.lower[part];
        text.match_indices("<ref").any(|(at, note)| text[at + note.len()..].starts_with([' ', '>', '/', '\n']))
    }

    /// The position behind the end tag that begins at `close`.
    pub(super) fn behind(&self, close: usize) -> usize {
        let rest = &self.source[close..];
        let near = &rest[..rest.floor_char_boundary(MAX_TAG_BYTES)];
        close + near.find('>').map_or(near.len(), |end| end + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::extensions::Extensions;
    use super::super::pieces::without_marks;
    use super::*;

    #[test]
    fn a_tag_ends_within_so_many_bytes() {
        for (bytes, is_tag) in [(MAX_TAG_BYTES - 1, true), (MAX_TAG_BYTES, true), (MAX_TAG_BYTES + 1, false)] {
            let source = format!("<ref{}>a</ref>", " ".repeat(bytes - 1));
            assert_eq!(without_marks(&Extensions::default().take(&source)).is_empty(), is_tag, "{bytes}");
        }
    }
}
