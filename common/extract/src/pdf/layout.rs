//! Turns the characters of a page into rows, and rows without furniture into blocks: separates directions, then forms words, rows, columns
//! and paragraphs.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::columns::{ColumnPiece, PagePieces, reading_order};
use super::furniture::Furniture;
use super::glyph::{Glyph, PlacedGlyph};
use super::gutter::Gutter;
use super::line::Line;
use super::page_block::{PageBlock, PageRows};
use super::paragraphs::paragraphs;
use super::rows::{RuledRow, rows};
use super::rulings::Rulings;
use super::words::words;
use super::{accents, drop_caps, flow, overprint, ruled, table};

/// Most gutters of a document that are searched for on all its pages; limits the work.
const MAX_KNOWN: usize = 16;

/// The rows of a page; empty if it has no characters.
pub(super) fn page_rows(mut glyphs: Vec<Glyph>, rulings: &Rulings) -> PageRows {
    overprint::suppress(&mut glyphs);
    // Tables with lines are looked for in upright text only.
    let is_upright = |angle: u16| angle == 0;
    let directions = by_direction(glyphs).into_iter().map(|(angle, glyphs)| {
        let mut words = words(&accents::compose(glyphs));
        drop_caps::join(&mut words);
        let tables = if is_upright(angle) { ruled::take(&mut words, rulings) } else { Vec::new() };
        let mut page = rows(words);
        ruled::insert(&mut page, tables);
        page
    });
    let mut directions = directions.filter(|rows| !rows.is_empty());
    PageRows { main: directions.next().unwrap_or_default(), turned: directions.collect() }
}

impl PageRows {
    /// Number of characters in the rows, without the spaces between segments.
    pub(super) fn chars(&self) -> usize {
        self.turned.iter().chain([&self.main]).flatten().flatten().map(|s| s.len).sum()
    }
}

/// The pieces of the pages in reading order, one list for each direction of a page. A page is read a second time if one of its rows may
/// belong to columns that other pages show more clearly.
pub(super) fn pieces(pages: Vec<PageRows>) -> Vec<Vec<Vec<ColumnPiece>>> {
    let first: Vec<PagePieces> = pages.iter().map(|page| reading_order(page.main.clone(), &[])).collect();
    let mut known: Vec<Gutter> = Vec::new();
    for gutter in first.iter().flat_map(|reading| &reading.gutters) {
        if known.len() < MAX_KNOWN && !known.iter().any(|k| (k.hi - gutter.hi).abs() < 2.0) {
            known.push(*gutter);
        }
    }
    let fits = |reading: &PagePieces| reading.gaps.iter().any(|(gap, em)| known.iter().any(|g| g.matches(*gap, *em)));
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
pub(super) fn blocks(directions: Vec<Vec<ColumnPiece>>, furniture: Furniture) -> Vec<PageBlock> {
    let mut out: Vec<PageBlock> =
        furniture.head.into_iter().filter_map(Line::from_row).map(PageBlock::Furniture).collect();
    let mut tables = 0;
    for pieces in directions {
        let mut text = read(pieces, &mut tables);
        flow::join(&mut text);
        out.extend(text);
    }
    out.extend(furniture.foot.into_iter().filter_map(Line::from_row).map(PageBlock::Furniture));
    out
}

fn read(pieces: Vec<ColumnPiece>, tables: &mut usize) -> Vec<PageBlock> {
    let mut out = Vec::new();
    let mut after_table = false;
    for piece in pieces {
        let is_table = matches!(piece, ColumnPiece::Table(_));
        match piece {
            ColumnPiece::Lines(lines) => out.extend(stacked_blocks(lines, tables)),
            ColumnPiece::Numbers(line) => out.push(PageBlock::Furniture(line)),
            ColumnPiece::Table(table) => {
                // Adjacent table pieces belong to one table.
                *tables += usize::from(!after_table);
                out.extend(table.rows.into_iter().map(|row| PageBlock::Row(row, *tables)));
            }
        }
        after_table = is_table;
    }
    out
}

/// The paragraphs among the lines of a column, and the tables with lines between them.
fn stacked_blocks(lines: Vec<Line>, tables: &mut usize) -> Vec<PageBlock> {
    let mut out = Vec::new();
    let table = |line: &Line| line.ruled.as_ref().map(|row| row.table);
    for lines in lines.chunk_by(|a, b| table(a) == table(b)) {
        let ruled: Vec<Rc<RuledRow>> = lines.iter().filter_map(|line| line.ruled.clone()).collect();
        if ruled.is_empty() {
            out.extend(paragraphs(lines.to_vec()).into_iter().map(PageBlock::Paragraph));
            continue;
        }
        *tables += 1;
        out.extend(table::read_ruled(&ruled).rows.into_iter().map(|row| PageBlock::Row(row, *tables)));
    }
    out
}

/// The characters of each direction, which is an angle. The direction of most characters comes first.
fn by_direction(glyphs: Vec<Glyph>) -> Vec<(u16, Vec<PlacedGlyph>)> {
    let mut groups: BTreeMap<u16, (usize, Vec<PlacedGlyph>)> = BTreeMap::new();
    for (i, glyph) in glyphs.iter().enumerate() {
        groups.entry(glyph.angle).or_insert((i, Vec::new())).1.push(glyph.place());
    }
    let mut groups: Vec<(u16, (usize, Vec<PlacedGlyph>))> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (first, _))| *first);
    // A stable sort: directions other than the main one keep their order.
    let most = groups.iter().map(|(_, (_, glyphs))| glyphs.len()).max().unwrap_or(0);
    groups.sort_by_key(|(_, (_, glyphs))| glyphs.len() != most);
    groups.into_iter().map(|(angle, (_, glyphs))| (angle, glyphs)).collect()
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
        let text = |block: PageBlock| match block {
            PageBlock::Paragraph(p) => p.lines.into_iter().map(|l| l.text).collect::<Vec<_>>().join(" "),
            other => panic!("{other:?}"),
        };
        blocks(pieces(vec![page_rows(glyphs, &Rulings::default())]).remove(0), Furniture::default())
            .into_iter()
            .map(text)
            .collect()
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
