//! Turns the blocks of a document into leaves: measures sizes over all pages, removes furniture, repairs hyphenated words, assigns kinds.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::block_kinds::{PrecedingKind, Typography, foot, kind, lines};
use super::cut_sentences::SentenceState;
use super::furniture;
use super::hyphen::Joiner;
use super::layout::{blocks, pieces};
use super::line::Line;
use super::page_block::{PageBlock, PageRows};
use super::paragraphs::Paragraph;

/// Largest distance, in ems, of edges that count as equal.
const SAME_EDGE_EM: f64 = 0.4;

/// The leaves of each page, in reading order.
pub(super) fn leaves(mut pages: Vec<PageRows>) -> Vec<Vec<Leaf>> {
    let furniture = furniture::take(&mut pages);
    let pages: Vec<Vec<PageBlock>> =
        pieces(pages).into_iter().zip(furniture).map(|(page, furniture)| blocks(page, furniture)).collect();
    let kinds = Typography::from_pages(&pages);
    let joiner = Joiner::from_lines(pages.iter().flatten().flat_map(lines).map(|line| line.text.as_str()));
    let mut maker =
        LeafBuilder { kinds, joiner, before: PrecedingKind::default(), cut: SentenceState::default(), tables: 0 };
    pages.into_iter().map(|page| maker.page(&page)).collect()
}

struct LeafBuilder {
    kinds: Typography,
    joiner: Joiner,
    before: PrecedingKind,
    cut: SentenceState,
    /// Number of tables on the pages before.
    tables: usize,
}

impl LeafBuilder {
    fn page(&mut self, page: &[PageBlock]) -> Vec<Leaf> {
        let mut out: Vec<Leaf> = Vec::with_capacity(page.len());
        let (mut tables, foot) = (0, foot(page));
        let mut edges: Vec<f64> = Vec::new();
        for (at, block) in page.iter().enumerate() {
            let found = kind(page, at, foot, &self.kinds, &mut self.before);
            let mut leaf = Leaf { kind: found.kind, level: found.level, marker: found.marker, ..Leaf::default() };
            match block {
                PageBlock::Paragraph(p) => {
                    leaf.text = self.text(&p.lines);
                    match leaf.kind {
                        BlockKind::ListItem => leaf.level = Some(depth(&mut edges, p)),
                        BlockKind::Footnote => {}
                        _ => edges.clear(),
                    }
                    self.cut.mark(&mut leaf, p);
                }
                PageBlock::Furniture(line) => leaf.text.clone_from(&line.text),
                PageBlock::Row(row, table) => {
                    tables = tables.max(*table);
                    let texts: Vec<String> = row.cells.iter().map(|cell| self.text(cell)).collect();
                    let table = u32::try_from(self.tables + table).unwrap_or(u32::MAX);
                    let row = Leaf::row(table, row.is_header, &texts);
                    leaf = if leaf.kind == BlockKind::TableRow { row } else { Leaf { text: row.text, ..leaf } };
                }
            }
            match out.last_mut().filter(|last| last.kind == BlockKind::Code && leaf.kind == BlockKind::Code) {
                Some(last) => last.text = format!("{}\n{}", last.text, leaf.text),
                None => out.push(leaf),
            }
        }
        self.tables += tables;
        out
    }

    fn text(&self, lines: &[Line]) -> String {
        self.joiner.join(lines.iter().map(|line| line.text.as_str()))
    }
}

/// The depth of a list item, from 1. `edges` are the left edges of the items that contain it.
fn depth(edges: &mut Vec<f64>, item: &Paragraph) -> u8 {
    let edge = item.lines.first().map_or(0.0, |line| line.u0);
    let em = item.lines.first().map_or(0.0, |line| line.em);
    if item.begins_column {
        edges.clear();
    }
    edges.retain(|other| *other <= edge + SAME_EDGE_EM * em);
    if edges.last().is_none_or(|last| *last < edge - SAME_EDGE_EM * em) {
        edges.push(edge);
    }
    u8::try_from(edges.len()).unwrap_or(u8::MAX)
}
