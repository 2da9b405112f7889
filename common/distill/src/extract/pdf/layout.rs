//! The characters of one page to its rows, and rows without furniture to blocks: directions apart, then words, rows, columns, paragraphs.

use std::collections::BTreeMap;

use super::accents;
use super::columns::{Piece, Reading, reading_order};
use super::flow;
use super::furniture::Furniture;
use super::glyph::{Glyph, Placed};
use super::gutters::Gutter;
use super::line::Line;
use super::overprint;
use super::paragraphs::{Paragraph, paragraphs};
use super::rows::{Row, rows};
use super::table::TableRow;
use super::words::words;

/// Gutters of a document that are looked for on all its pages, at most: a bound on the work.
const MAX_KNOWN: usize = 16;

/// The rows of a page: the direction most of the text is written in, and the others in the order they were first drawn.
#[derive(Debug, Default)]
pub(super) struct PageRows {
    pub(super) main: Vec<Row>,
    pub(super) turned: Vec<Vec<Row>>,
}

/// A piece of a page that is one leaf of its text, before it is known what kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    Paragraph(Paragraph),
    /// A row of the page's table of this number.
    Row(TableRow, usize),
    Furniture(Line),
}

/// The rows of a page. Empty when there are no characters.
pub(super) fn page_rows(mut glyphs: Vec<Glyph>) -> PageRows {
    overprint::suppress(&mut glyphs);
    let mut directions =
        by_direction(glyphs).into_iter().map(|glyphs| rows(words(&accents::compose(glyphs)))).filter(|r| !r.is_empty());
    PageRows { main: directions.next().unwrap_or_default(), turned: directions.collect() }
}

impl PageRows {
    /// Characters of the rows, without the spaces between segments.
    pub(super) fn chars(&self) -> usize {
        self.turned.iter().chain([&self.main]).flatten().flatten().map(|s| s.len).sum()
    }
}

/// The pieces of the pages in reading order, a list for each direction of a page. Pages are read twice where a row may belong to columns
/// that other pages show more clearly.
pub(super) fn pieces(pages: Vec<PageRows>) -> Vec<Vec<Vec<Piece>>> {
    let first: Vec<Reading> = pages.iter().map(|page| reading_order(page.main.clone(), &[])).collect();
    let mut known: Vec<Gutter> = Vec::new();
    for gutter in first.iter().flat_map(|reading| &reading.gutters) {
        if known.len() < MAX_KNOWN && !known.iter().any(|k| (k.hi - gutter.hi).abs() < 2.0) {
            known.push(*gutter);
        }
    }
    let fits = |reading: &Reading| reading.gaps.iter().any(|(gap, em)| known.iter().any(|g| g.matches(*gap, *em)));
    pages
        .into_iter()
        .zip(first)
        .map(|(page, reading)| {
            let main = if fits(&reading) { reading_order(page.main, &known).pieces } else { reading.pieces };
            std::iter::once(main).chain(page.turned.into_iter().map(|rows| reading_order(rows, &[]).pieces)).collect()
        })
        .collect()
}

/// The blocks of a page in reading order: head, text, turned text, foot.
pub(super) fn blocks(directions: Vec<Vec<Piece>>, furniture: Furniture) -> Vec<Block> {
    let mut out: Vec<Block> = furniture.head.into_iter().filter_map(Line::from_row).map(Block::Furniture).collect();
    let mut tables = 0;
    for pieces in directions {
        let mut text = read(pieces, &mut tables);
        flow::join(&mut text);
        out.extend(text);
    }
    out.extend(furniture.foot.into_iter().filter_map(Line::from_row).map(Block::Furniture));
    out
}

fn read(pieces: Vec<Piece>, tables: &mut usize) -> Vec<Block> {
    let mut out = Vec::new();
    let mut after_table = false;
    for piece in pieces {
        let is_table = matches!(piece, Piece::Table(_));
        match piece {
            Piece::Lines(lines) => out.extend(paragraphs(lines).into_iter().map(Block::Paragraph)),
            Piece::Numbers(line) => out.push(Block::Furniture(line)),
            Piece::Table(table) => {
                // Rows that nothing stands between are of one table.
                *tables += usize::from(!after_table);
                out.extend(table.rows.into_iter().map(|row| Block::Row(row, *tables)));
            }
        }
        after_table = is_table;
    }
    out
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

#[cfg(test)]
mod tests {
    use hayro_interpret::kurbo::{Point, Vec2};

    use super::*;

    fn write(text: &str, x: f64, y: f64, along: Vec2, angle: u16) -> Vec<Glyph> {
        let start = Point::new(x, y);
        let at = |i: usize| start + along * i as f64;
        text.chars()
            .enumerate()
            .map(|(i, ch)| Glyph {
                ch,
                guessed: false,
                is_unseen: false,
                start: at(i),
                end: at(i + 1),
                em: 10.0,
                angle,
                style: Default::default(),
            })
            .collect()
    }

    fn texts(glyphs: Vec<Glyph>) -> Vec<String> {
        let text = |block: Block| match block {
            Block::Paragraph(p) => p.lines.into_iter().map(|l| l.text).collect::<Vec<_>>().join(" "),
            other => panic!("{other:?}"),
        };
        blocks(pieces(vec![page_rows(glyphs)]).remove(0), Furniture::default()).into_iter().map(text).collect()
    }

    #[test]
    fn a_wider_step_begins_a_paragraph() {
        let glyphs = [("one", 10.0), ("two", 22.0), ("three", 34.0), ("four", 56.0)];
        let glyphs = glyphs.into_iter().flat_map(|(t, y)| write(t, 0.0, y, Vec2::new(5.0, 0.0), 0)).collect();
        assert_eq!(texts(glyphs), ["one two three", "four"]);
    }

    #[test]
    fn turned_text_follows_the_upright_text() {
        let mut glyphs = write("margin note", 5.0, 300.0, Vec2::new(0.0, -5.0), 270);
        glyphs.extend(write("the body of the page", 30.0, 100.0, Vec2::new(5.0, 0.0), 0));
        assert_eq!(texts(glyphs), ["the body of the page", "margin note"]);
    }
}
