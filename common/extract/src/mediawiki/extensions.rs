//! Tags of MediaWiki whose content is not wikitext, or stands elsewhere: typed text, code, formulas, notes; and comments.

use std::collections::HashMap;

use super::attributes::{escape, rewrite, value_of};
use super::pieces::{Piece, Pieces};
use super::tags::{Scan, Tag, TagUse};
use crate::runs::visible_chars;
use crate::tex;

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

impl Extensions {
    /// `source` with marks in place of pieces, and without comments. A tag that is not closed goes alone. Recursion ends: content never
    /// contains the end tag of what is around it.
    pub(super) fn take(&mut self, source: &str) -> String {
        let mut scan = Scan::new(source);
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
        // A note in a note: the end tag is that of the inner one, and the author forgot the other.
        let is_forgotten = |close: &usize| tag.tag_use == TagUse::Note && scan.has_note(tag.end..*close);
        let close = close.filter(|close| !is_forgotten(close));
        let inside = close.map(|close| &scan.source[tag.end..close]);
        match (tag.tag_use, inside) {
            (TagUse::Note, _) if !tag.is_end && (tag.is_empty || inside.is_some() || is_named(tag)) => {
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
        let mark = self.pieces.put(Piece::Block(format!("<pre>{}</pre>", show_typed(&scan.source[tag.end..close]))));
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

/// Whether a note has a name, so that its text may stand elsewhere.
fn is_named(tag: &Tag<'_>) -> bool {
    value_of(tag.attributes, "name").is_some_and(|name| !name.is_empty())
}

/// A tag with content that is typed, program text or a formula.
fn piece(tag: &Tag<'_>, inside: &str) -> Piece {
    match tag.tag_use {
        TagUse::Formula => Piece::Inline(format!("<math><mi>{}</mi></math>", escape(&tex::formula(inside)))),
        TagUse::Code if value_of(tag.attributes, "inline").is_some() => {
            Piece::Inline(format!("<code>{}</code>", escape(inside)))
        }
        TagUse::Code => Piece::Block(format!("<pre>{}</pre>", escape(inside))),
        TagUse::Typed => Piece::Block(format!("<pre{}>{}</pre>", rewrite(tag.attributes), show_typed(inside))),
        _ => Piece::Inline(show_typed(inside)),
    }
}

/// Typed text: references to characters are shown as these, and no markup applies.
fn show_typed(inside: &str) -> String {
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
            ("a<ref name=b>c <ref>d</ref>e <ref>f", "ac e f"),
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
        for tag in ["<ref>", "<pre>", "<code>\n", "<!--", "<nowiki>", "<references>", "<poem>", "<ref></code>\n<code>"]
        {
            assert!(without_marks(&extensions.take(&tag.repeat(100_000))).len() < 3_000_000, "{tag}");
        }
    }
}
