//! The heads of a row, each in front of its cell, and the label of a row that leaves it to the rows above.

use std::collections::HashMap;

use precis_proto::quote_context::ContextRole;
use precis_proto::{Block, BlockKind, CharRange};

use super::blocks::{Blocks, NeededRange};

/// Most cells of a row whose heads go with it; a wider row is no statement. Chosen, not measured.
const MOST_CELLS: usize = 12;
/// Most characters of the head of a column. Chosen, not measured.
const HEAD_CHARS: usize = 120;
/// Most rows looked at above a row for its label. Chosen, not measured.
const MOST_ROWS: usize = 2_000;

/// The heads and the label of the row at `at`; empty for any other block.
pub(super) fn of(blocks: Blocks<'_>, heads: &HashMap<u32, Vec<usize>>, at: usize) -> Vec<NeededRange> {
    let row = &blocks.all[at];
    if row.kind != BlockKind::TableRow || row.is_header || row.cells.len() > MOST_CELLS {
        return Vec::new();
    }
    let mut found: Vec<NeededRange> = label(blocks, at).into_iter().collect();
    for header in row.table.and_then(|table| heads.get(&table)).into_iter().flatten().map(|head| &blocks.all[*head]) {
        if header.cells.len() != row.cells.len() {
            continue;
        }
        let pairs = row.cells.iter().zip(&header.cells);
        let filled = pairs.filter(|(cell, head)| !cell.is_empty() && (1..=HEAD_CHARS).contains(&head.len()));
        found.extend(filled.map(|(cell, head)| NeededRange {
            role: ContextRole::Column,
            range: *head,
            at: Some(cell.start),
        }));
    }
    found
}

/// The rows at the top of each table that name its columns, by the number of the table.
pub(super) fn heads(blocks: &[Block]) -> HashMap<u32, Vec<usize>> {
    let mut found: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.is_header) {
        let Some(table) = block.table else { continue };
        let opens =
            at.checked_sub(1).is_none_or(|before| blocks[before].table != Some(table) || blocks[before].is_header);
        // A header that is repeated on the next page names nothing new.
        let known = found.entry(table).or_default();
        if opens && (known.is_empty() || known.last() == at.checked_sub(1).as_ref()) {
            known.push(at);
        }
    }
    found
}

/// The first cell of the nearest row above that has one, if the row at `at` has none.
fn label(blocks: Blocks<'_>, at: usize) -> Option<NeededRange> {
    let row = &blocks.all[at];
    let is_left_out = row.cells.first().is_some_and(|cell: &CharRange| cell.is_empty());
    if !is_left_out {
        return None;
    }
    let above = blocks.all[at.saturating_sub(MOST_ROWS)..at].iter().rev();
    let above = above.take_while(|block| block.table == row.table && !block.is_header);
    let cell = above.filter_map(|block| block.cells.first()).find(|cell| !cell.is_empty())?;
    (cell.len() <= HEAD_CHARS).then(|| NeededRange::new(ContextRole::RowLabel, *cell))
}
