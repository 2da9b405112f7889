//! The characters of one page to its text: directions apart, then words, rows, columns and paragraphs.

use std::collections::BTreeMap;

use super::accents;
use super::columns::{Line, reading_order};
use super::glyph::{Glyph, Placed};
use super::overprint;
use super::rows::rows;
use super::words::words;

/// Lines this many times further apart than usual begin a paragraph.
const PARAGRAPH_LEADING: f64 = 1.35;
/// Lines further apart than this many ems begin a paragraph whatever is usual.
const PARAGRAPH_EM: f64 = 2.0;

/// The text of a page: lines end in `\n`, paragraphs in `\n\n`. The direction most of the text is written in comes first, the others
/// follow in the order they were first drawn. Empty when there are no characters.
pub(super) fn page_text(mut glyphs: Vec<Glyph>) -> String {
    overprint::suppress(&mut glyphs);
    let mut blocks: Vec<String> = Vec::new();
    for glyphs in by_direction(glyphs) {
        let text = direction_text(glyphs);
        if !text.is_empty() {
            blocks.push(text);
        }
    }
    blocks.join("\n\n")
}

fn by_direction(glyphs: Vec<Glyph>) -> Vec<Vec<Placed>> {
    let mut groups: BTreeMap<u16, (usize, Vec<Placed>)> = BTreeMap::new();
    for (i, glyph) in glyphs.iter().enumerate() {
        groups.entry(glyph.angle).or_insert((i, Vec::new())).1.push(glyph.placed());
    }
    let mut groups: Vec<(usize, Vec<Placed>)> = groups.into_values().collect();
    groups.sort_by_key(|(first, _)| *first);
    // A stable sort: directions other than the main one keep their order.
    let most = groups.iter().map(|(_, glyphs)| glyphs.len()).max().unwrap_or(0);
    groups.sort_by_key(|(_, glyphs)| glyphs.len() != most);
    groups.into_iter().map(|(_, glyphs)| glyphs).collect()
}

fn direction_text(glyphs: Vec<Placed>) -> String {
    let glyphs = accents::compose(glyphs);
    let lines = reading_order(rows(words(&glyphs)));
    let usual = usual_leading(&lines);
    let mut out = String::new();
    let mut last: Option<&Line> = None;
    for line in &lines {
        if let Some(last) = last {
            out.push_str(if begins_paragraph(last, line, usual) { "\n\n" } else { "\n" });
        }
        out.push_str(&line.text);
        last = Some(line);
    }
    out
}

fn begins_paragraph(last: &Line, line: &Line, usual: f64) -> bool {
    let step = line.v - last.v;
    let em = last.em.max(line.em);
    line.begins_block || step < 0.0 || step > PARAGRAPH_EM * em || (step > PARAGRAPH_LEADING * usual && step > 1.3 * em)
}

/// The median distance between two lines of a block, in points.
fn usual_leading(lines: &[Line]) -> f64 {
    let mut steps: Vec<f64> =
        lines.windows(2).filter(|p| !p[1].begins_block).map(|p| p[1].v - p[0].v).filter(|s| *s > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use hayro_interpret::kurbo::{Point, Vec2};

    use super::*;

    fn write(text: &str, x: f64, y: f64, along: Vec2, angle: u16) -> Vec<Glyph> {
        let start = Point::new(x, y);
        let at = |i: usize| start + along * i as f64;
        text.chars()
            .enumerate()
            .map(|(i, ch)| Glyph { ch, guessed: false, start: at(i), end: at(i + 1), em: 10.0, angle })
            .collect()
    }

    #[test]
    fn a_wider_step_begins_a_paragraph() {
        let glyphs = [("one", 10.0), ("two", 22.0), ("three", 34.0), ("four", 56.0)];
        let glyphs = glyphs.into_iter().flat_map(|(t, y)| write(t, 0.0, y, Vec2::new(5.0, 0.0), 0)).collect();
        assert_eq!(page_text(glyphs), "one\ntwo\nthree\n\nfour");
    }

    #[test]
    fn turned_text_follows_the_upright_text() {
        let mut glyphs = write("margin note", 5.0, 300.0, Vec2::new(0.0, -5.0), 270);
        glyphs.extend(write("the body of the page", 30.0, 100.0, Vec2::new(5.0, 0.0), 0));
        assert_eq!(page_text(glyphs), "the body of the page\n\nmargin note");
    }
}
