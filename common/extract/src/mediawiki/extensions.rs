//! Tags of MediaWiki whose content is not wikitext, or stands elsewhere: typed text, code, formulas, notes; and comments.

use std::collections::HashMap;

use super::attributes::{escaped, rewritten, value_of};
use super::pieces::{Piece, Pieces};
use crate::runs::visible_chars;
use crate::tex;

/// Longest tag, in bytes; chosen: it bounds the search for its end.
const MAX_TAG_BYTES: usize = 2_000;

/// What becomes of a tag with its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagUse {
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

/// The pieces of a page, and what of it is not shown.
#[derive(Debug, Default)]
pub(super) struct Extensions {
    pub(super) pieces: Pieces,
    /// Texts of notes by name.
    pub(super) notes: HashMap<String, String>,
    /// Number of characters in comments and in what is for other pages.
    pub(super) hidden: u64,
    /// Number of instructions to programs.
    pub(super) programs: u64,
}

/// A start or end tag.
struct Tag<'s> {
    name: &'static str,
    tag_use: TagUse,
    attributes: &'s str,
    is_end: bool,
    is_empty: bool,
    /// Position behind it.
    end: usize,
}

/// A text being read.
struct Scan<'s> {
    source: &'s str,
    lower: String,
    /// For each name, where its next end tag was found: a search never begins before it again.
    ends: HashMap<&'static str, Option<usize>>,
    out: String,
}

impl Extensions {
    /// `source` with marks in place of pieces, and without comments. A tag that is not closed goes alone. Recursion ends: content never
    /// contains the end tag of what is around it.
    pub(super) fn take(&mut self, source: &str) -> String {
        let lower = source.to_ascii_lowercase();
        let mut scan = Scan { source, lower, ends: HashMap::new(), out: String::new() };
        let mut at = 0;
        while let Some(found) = source[at..].find('<') {
            let start = at + found;
            scan.out.push_str(&source[at..start]);
            at = match source[start..].strip_prefix("<!--") {
                Some(comment) => self.comment(&mut scan, comment),
                None => match scan.tag(start) {
                    Some(tag) => self.tag(&mut scan, &tag, start),
                    None => {
                        scan.out.push('<');
                        start + 1
                    }
                },
            };
        }
        scan.out + &source[at..]
    }

    /// Leaves a comment out, with its line if nothing else is on it; returns the position behind it.
    fn comment(&mut self, scan: &mut Scan<'_>, comment: &str) -> usize {
        let (inside, behind) = comment.split_once("-->").unwrap_or((comment, ""));
        self.hidden += visible_chars(inside);
        let is_blank = |c: char| c == ' ' || c == '\t';
        let before = scan.out.trim_end_matches(is_blank);
        let rest = behind.trim_start_matches(is_blank);
        let is_alone = (before.is_empty() || before.ends_with('\n')) && rest.starts_with('\n');
        if !is_alone {
            return scan.source.len() - behind.len();
        }
        scan.out.truncate(before.len());
        scan.source.len() - rest.len() + 1
    }

    /// Takes a tag with its content; returns the position behind it.
    fn tag(&mut self, scan: &mut Scan<'_>, tag: &Tag<'_>, start: usize) -> usize {
        if tag.tag_use == TagUse::CodeOfLines {
            return self.code_of_lines(scan, tag, start);
        }
        let is_whole = tag.is_end || tag.is_empty || tag.tag_use == TagUse::Around;
        let close = if is_whole { None } else { scan.close(tag.name, tag.end) };
        let inside = close.map(|close| &scan.source[tag.end..close]);
        match (tag.tag_use, inside) {
            (TagUse::Note, _) if !tag.is_end && (tag.is_empty || inside.is_some()) => {
                let mark = self.note(tag, inside);
                scan.out.push_str(&mark);
            }
            (TagUse::Notes, _) if !tag.is_end => {
                // The notes in it stand nowhere else; what is between them is not shown.
                inside.map(|inside| self.take(inside));
                let mark = self.pieces.put(Piece::Notes);
                scan.out.push_str(&mark);
            }
            (_, None) => {}
            (TagUse::ForOthers, Some(inside)) => self.hidden += visible_chars(inside),
            (TagUse::Program, Some(_)) => self.programs += 1,
            (TagUse::Poem, Some(inside)) => {
                let lines: Vec<String> = self.take(inside.trim()).lines().map(|line| line.trim().to_owned()).collect();
                scan.out.push_str(&format!("\n<div>\n{}\n</div>\n", lines.join("<br>\n")));
            }
            (TagUse::Gallery, Some(inside)) => {
                let pictures = gallery(&self.take(inside));
                scan.out.push_str(&pictures);
            }
            (_, Some(inside)) => {
                let mark = self.pieces.put(piece(tag, inside));
                scan.out.push_str(&mark);
            }
        }
        close.map_or(tag.end, |close| scan.behind(close))
    }

    /// Takes `<code>` if it is all of several lines.
    fn code_of_lines(&mut self, scan: &mut Scan<'_>, tag: &Tag<'_>, start: usize) -> usize {
        let begins = scan.out.is_empty() || scan.out.ends_with('\n');
        let close = if tag.is_end || !begins { None } else { scan.close(tag.name, tag.end) };
        let is_of_lines = |close: &usize| {
            let behind = &scan.source[scan.behind(*close)..];
            let ends = behind.is_empty() || behind.starts_with('\n');
            ends && scan.source[tag.end..*close].contains('\n')
        };
        let Some(close) = close.filter(is_of_lines) else {
            scan.out.push_str(&scan.source[start..tag.end]);
            return tag.end;
        };
        let mark = self.pieces.put(Piece::Block(format!("<pre>{}</pre>", typed(&scan.source[tag.end..close]))));
        scan.out.push_str(&mark);
        scan.behind(close)
    }

    /// Keeps a note; returns its mark. A name leads to the first text under it.
    fn note(&mut self, tag: &Tag<'_>, inside: Option<&str>) -> String {
        let name = value_of(tag.attributes, "name").filter(|name| !name.is_empty());
        let text = inside.map(|inside| self.take(inside)).filter(|text| !text.trim().is_empty());
        if let Some((name, text)) = name.as_ref().zip(text.as_ref()) {
            self.notes.entry(name.clone()).or_insert_with(|| text.clone());
        }
        self.pieces.put(Piece::Note(name, text))
    }
}

impl<'s> Scan<'s> {
    /// The tag of the table at a position.
    fn tag(&self, start: usize) -> Option<Tag<'s>> {
        let is_end = self.source[start + 1..].starts_with('/');
        let from = start + 1 + usize::from(is_end);
        let length = self.lower[from..].find(|c: char| !c.is_ascii_alphanumeric())?;
        let (name, tag_use) = TAGS.into_iter().find(|(name, _)| *name == &self.lower[from..from + length])?;
        let rest = &self.source[from + length..];
        let near = &rest[..rest.floor_char_boundary(MAX_TAG_BYTES)];
        let close = near.find('>').filter(|_| rest.starts_with(|c: char| c.is_whitespace() || c == '/' || c == '>'))?;
        let attributes = rest[..close].trim_end_matches('/');
        Some(Tag { name, tag_use, attributes, is_end, is_empty: rest[..close].ends_with('/'), end: from + length + close + 1 })
    }

    /// Where the first end tag of `name` from `at` on begins.
    fn close(&mut self, name: &'static str, at: usize) -> Option<usize> {
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

    /// The position behind the end tag that begins at `close`.
    fn behind(&self, close: usize) -> usize {
        let rest = &self.source[close..];
        let near = &rest[..rest.floor_char_boundary(MAX_TAG_BYTES)];
        close + near.find('>').map_or(near.len(), |end| end + 1)
    }
}

/// A tag with content that is typed, program text or a formula.
fn piece(tag: &Tag<'_>, inside: &str) -> Piece {
    match tag.tag_use {
        TagUse::Formula => {
            Piece::Inline(format!("<math><mi>{}</mi></math>", escaped(&tex::formula(inside))))
        }
        TagUse::Code if value_of(tag.attributes, "inline").is_some() => {
            Piece::Inline(format!("<code>{}</code>", escaped(inside)))
        }
        TagUse::Code => Piece::Block(format!("<pre>{}</pre>", escaped(inside))),
        TagUse::Typed => Piece::Block(format!("<pre{}>{}</pre>", rewritten(tag.attributes), typed(inside))),
        _ => Piece::Inline(typed(inside)),
    }
}

/// Typed text: references to characters are shown as these, and no markup applies.
fn typed(inside: &str) -> String {
    inside.replace("<nowiki>", "").replace("</nowiki>", "").replace('<', "&lt;").replace('>', "&gt;")
}

/// The pictures of a gallery as pictures of the page.
fn gallery(inside: &str) -> String {
    let picture = |line: &str| match line.split('|').next().is_some_and(|name| name.contains(':')) {
        true => format!("\n[[{line}]]\n"),
        false => format!("\n[[File:{line}]]\n"),
    };
    inside.lines().map(str::trim).filter(|line| !line.is_empty()).map(picture).collect()
}

#[cfg(test)]
mod tests {
    use super::super::pieces::without_marks;
    use super::*;

    #[test]
    fn what_is_no_wikitext_is_taken_out() {
        for (source, want) in [
            ("a<!-- b -->c", "ac"),
            ("a\n <!-- b --> \nc", "a\nc"),
            ("a<!-- b", "a"),
            ("a <nowiki>[[b]]</nowiki> <pre>c</pre> <bytes>", "a   <bytes>"),
            ("a<Ref name=b>c</REF>d<ref name=\"b\" />e</ref>", "ade"),
            ("a<noinclude>b</noinclude><includeonly>c</includeonly>", "ab"),
            ("a<pre>b", "ab"),
            ("a <code>b\nc</code>", "a <code>b\nc</code>"),
            ("<code>b\nc</code>\nd", "\nd"),
            ("<pre", "<pre"),
            ("<score>c4</score>", ""),
        ] {
            assert_eq!(without_marks(&Extensions::default().take(source)), want, "{source}");
        }
    }

    #[test]
    fn tags_without_end_cost_one_search() {
        let mut extensions = Extensions::default();
        for tag in ["<ref>", "<pre>", "<code>\n", "<!--", "<nowiki>", "<references>", "<poem>", "<ref></code>\n<code>"] {
            assert!(without_marks(&extensions.take(&tag.repeat(100_000))).len() < 3_000_000, "{tag}");
        }
    }

    #[test]
    fn a_tag_ends_within_so_many_bytes() {
        for (bytes, is_tag) in [(MAX_TAG_BYTES - 1, true), (MAX_TAG_BYTES, true), (MAX_TAG_BYTES + 1, false)] {
            let source = format!("<ref{}>a</ref>", " ".repeat(bytes - 1));
            assert_eq!(without_marks(&Extensions::default().take(&source)).is_empty(), is_tag, "{bytes}");
        }
    }
}
