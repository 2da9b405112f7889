//! The statements of a draft, one run of inline text after another, put before a reviewer who may change them.
//!
//! A statement is the sentences up to and with the next citation; those behind the last citation of a run are a statement without
//! one. It owns where statements begin and end, and refuses to know what is right.

use std::ops::Range;

use super::glyph::{Glyph, bracketed};
use crate::sentences::of_block;

/// Sentences with the findings cited behind the last of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// As they are written, trimmed, never empty.
    pub(crate) sentences: Vec<String>,
    /// Ids as they are written, in order; empty where nothing is cited.
    pub(crate) ids: Vec<u32>,
}

/// What becomes of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// It stands as it is.
    Keep,
    /// This stands in its place.
    Replace(String),
    /// It goes.
    Remove,
    /// It stands with these words behind it.
    Mark(String),
}

/// What becomes of a statement: a ruling for each of its sentences, and other findings to cite in place of its own, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rulings {
    pub(crate) sentences: Vec<Ruling>,
    pub(crate) ids: Option<Vec<u32>>,
}

/// Who decides over statements.
pub(crate) trait Review {
    /// Whether `mark`, as `[12]` or `[3, 4]`, between `before` and `after` is one that the quoted document itself has there.
    fn is_of_source(&self, before: &str, mark: &str, after: &str) -> bool;
    /// Whether a finding has this id.
    fn is_known(&self, id: u32) -> bool;
    /// Decides; as many rulings as sentences.
    fn rule(&mut self, said: &Said) -> Rulings;
}

/// Keeps everything.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoReview;

impl Review for NoReview {
    fn is_of_source(&self, _: &str, _: &str, _: &str) -> bool {
        false
    }

    fn is_known(&self, _: u32) -> bool {
        true
    }

    fn rule(&mut self, said: &Said) -> Rulings {
        Rulings { sentences: vec![Ruling::Keep; said.sentences.len()], ids: None }
    }
}

/// A citation in a run.
struct Cite {
    /// Byte of the text it stands at.
    at: usize,
    glyphs: Range<usize>,
    ids: Vec<u32>,
}

/// A run as text, with where its bytes come from.
struct Run {
    text: String,
    /// For each glyph that gave text, where that starts.
    starts: Vec<(usize, usize)>,
    cites: Vec<Cite>,
}

/// `row` after `review`; bracketed numbers that are not citations become ordinary characters.
pub(super) fn reviewed(mut row: Vec<Glyph>, review: &mut dyn Review) -> Vec<Glyph> {
    let run = read(&mut row, review);
    if run.text.trim().is_empty() {
        return row;
    }
    let sentences = pieces(&run);
    if sentences.is_empty() {
        return row;
    }
    let mut out = Vec::with_capacity(row.len());
    let mut first = 0;
    for last in 0..sentences.len() {
        if sentences[last].cites.is_empty() && last + 1 < sentences.len() {
            continue;
        }
        let group = &sentences[first..=last];
        first = last + 1;
        let ids: Vec<u32> =
            group.iter().flat_map(|piece| piece.cites.clone()).flat_map(|n| run.cites[n].ids.clone()).collect();
        let said = Said { sentences: group.iter().map(|piece| piece.text.to_owned()).collect(), ids };
        let rulings = if said.sentences.iter().all(|text| text.is_empty()) {
            Rulings { sentences: vec![Ruling::Keep; group.len()], ids: None }
        } else {
            review.rule(&said)
        };
        write(&row, &run, group, &rulings, &mut out);
    }
    out
}

fn read(row: &mut [Glyph], review: &dyn Review) -> Run {
    let mut run = Run { text: String::new(), starts: Vec::new(), cites: Vec::new() };
    let mut at = 0;
    while at < row.len() {
        if let Some(found) = bracketed(&row[at..]) {
            let end = at + found.len;
            let one = found.numbers.len() == 1;
            let mark = format!("[{}]", found.numbers.join(", "));
            let after: String = row[end..].iter().take(AFTER).filter_map(letter).collect();
            // The last mark of a run is a citation whatever it looks like: a statement keeps one.
            let is_last = || (end..row.len()).all(|at| bracketed(&row[at..]).is_none());
            if !is_last() && review.is_of_source(&run.text, &mark, &after) {
                row[at] = Glyph::Char('[');
                row[end - 1] = Glyph::Char(']');
            } else {
                let ids: Vec<u32> =
                    found.numbers.iter().filter_map(|n| n.parse().ok()).filter(|id| review.is_known(*id)).collect();
                // A list whose members are not all findings is an interval or the like, and text.
                if one || ids.len() == found.numbers.len() {
                    run.cites.push(Cite { at: run.text.len(), glyphs: at..end, ids });
                    at = end;
                    continue;
                }
            }
        }
        let start = run.text.len();
        match &row[at] {
            Glyph::Char(c) => run.text.push(*c),
            Glyph::Open => run.text.push('['),
            Glyph::Close => run.text.push(']'),
            Glyph::Code(code) => run.text.push_str(code),
            Glyph::Break => run.text.push(' '),
            Glyph::MarkupStart(_) | Glyph::MarkupEnd(_) | Glyph::Cite(_) => {}
        }
        if run.text.len() > start {
            run.starts.push((start, at));
        }
        at += 1;
    }
    run
}

/// Glyphs behind a mark that are looked at.
const AFTER: usize = 120;

fn letter(glyph: &Glyph) -> Option<char> {
    match glyph {
        Glyph::Char(c) => Some(*c),
        Glyph::Break => Some(' '),
        Glyph::Open => Some('['),
        Glyph::Close => Some(']'),
        Glyph::Code(_) | Glyph::Cite(_) | Glyph::MarkupStart(_) | Glyph::MarkupEnd(_) => None,
    }
}

/// A sentence of a run.
struct Piece<'r> {
    text: &'r str,
    glyphs: Range<usize>,
    /// Positions of its citations.
    cites: Vec<usize>,
}

/// A range parted at the citations behind which a new sentence begins, though no end mark says so: a heading, an item, a label.
fn parted(run: &Run, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = range.start;
    for cite in run.cites.iter().filter(|cite| range.start < cite.at && cite.at < range.end) {
        let next = run.text[cite.at..range.end].trim_start();
        let begins = next.starts_with(|c: char| c.is_alphanumeric() && !c.is_lowercase());
        let says = |text: &str| text.contains(char::is_alphanumeric);
        if begins && cite.at > from && says(&run.text[from..cite.at]) {
            found.push(from..cite.at);
            from = range.end - next.len();
        }
    }
    found.push(from..range.end);
    found
}

/// The sentences of a run; together they are all of its glyphs.
fn pieces(run: &Run) -> Vec<Piece<'_>> {
    let bytes: Vec<usize> = run.text.char_indices().map(|(at, _)| at).chain([run.text.len()]).collect();
    let ranges: Vec<Range<usize>> =
        of_block(&run.text).into_iter().flat_map(|range| parted(run, bytes[range.start]..bytes[range.end])).collect();
    // A citation belongs to the last sentence that begins before it.
    let owner = |cite: &Cite| ranges.iter().rposition(|range| range.start < cite.at).unwrap_or(0);
    let glyph_of =
        |byte: usize| run.starts[run.starts.partition_point(|(start, _)| *start < byte).min(run.starts.len() - 1)].1;
    let mut found: Vec<Piece<'_>> = Vec::with_capacity(ranges.len());
    let mut from = 0;
    for (n, range) in ranges.iter().enumerate() {
        let to = ranges.get(n + 1).map_or(usize::MAX, |next| glyph_of(next.start));
        let cites = run.cites.iter().enumerate().filter(|(_, cite)| owner(cite) == n).map(|(at, _)| at).collect();
        found.push(Piece { text: run.text[range.clone()].trim(), glyphs: from..to, cites });
        from = to;
    }
    found
}

fn write(row: &[Glyph], run: &Run, group: &[Piece<'_>], rulings: &Rulings, out: &mut Vec<Glyph>) {
    let stands = rulings.sentences.iter().any(|ruling| *ruling != Ruling::Remove);
    let mut others = rulings.ids.clone();
    for (piece, ruling) in group.iter().zip(&rulings.sentences) {
        let glyphs = piece.glyphs.start..piece.glyphs.end.min(row.len());
        let cite_at = |at: usize| piece.cites.iter().map(|n| &run.cites[*n]).find(|cite| cite.glyphs.start == at);
        let last = glyphs.clone().rev().find(|at| {
            let is_cited = piece.cites.iter().any(|n| run.cites[*n].glyphs.contains(at));
            !is_cited && matches!(&row[*at], Glyph::Char(c) if !c.is_whitespace()) || matches!(row[*at], Glyph::Code(_))
        });
        if let Ruling::Replace(text) = ruling {
            out.extend(text.chars().map(Glyph::Char));
        }
        let ends_open = glyphs.clone().next_back().is_some_and(|at| row[at] == Glyph::Char(' '));
        let mut at = glyphs.start;
        while at < glyphs.end {
            if let Some(cite) = cite_at(at) {
                at = cite.glyphs.end;
                if stands {
                    if !matches!(ruling, Ruling::Keep)
                        && !matches!(out.last(), None | Some(Glyph::Char(' ') | Glyph::Close | Glyph::Break))
                    {
                        out.push(Glyph::Char(' '));
                    }
                    match &mut others {
                        Some(ids) => ids.drain(..).for_each(|id| cite_glyphs(id, out)),
                        None => out.extend(row[cite.glyphs.clone()].iter().cloned()),
                    }
                }
                continue;
            }
            let glyph = &row[at];
            let is_markup = matches!(glyph, Glyph::MarkupStart(_) | Glyph::MarkupEnd(_));
            if is_markup || matches!(ruling, Ruling::Keep | Ruling::Mark(_)) {
                out.push(glyph.clone());
            }
            if let (Ruling::Mark(words), true) = (ruling, last == Some(at)) {
                out.extend(format!(" ({words})").chars().map(Glyph::Char));
            }
            at += 1;
        }
        if matches!(ruling, Ruling::Replace(_)) && ends_open {
            out.push(Glyph::Char(' '));
        }
    }
}

fn cite_glyphs(id: u32, out: &mut Vec<Glyph>) {
    out.push(Glyph::Open);
    out.extend(id.to_string().chars().map(Glyph::Char));
    out.push(Glyph::Close);
}
