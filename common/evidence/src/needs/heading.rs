//! The headings without which a block says something else: those that deny, exclude, except or set a condition, and the one above a block
//! that is no sentence and that nothing else announces.

use std::collections::HashMap;

use precis_language::limiting::limits;
use precis_proto::quote_context::ContextRole;
use precis_proto::{Block, BlockKind};
use precis_text::sentences::is_whole;

use super::blocks::{Blocks, MOST_CHARS, NeededRange};

/// Most blocks between a block and the headings above it that are looked at. A section of more is a document. Chosen, not measured.
const MOST_BLOCKS: usize = 400;

/// The headings that the block at `at` needs, outermost first. `is_led` tells whether something else goes with it already.
pub(super) fn of(blocks: Blocks<'_>, limiting: &mut HashMap<usize, bool>, at: usize, is_led: bool) -> Vec<NeededRange> {
    let is_sentence = is_whole(blocks.text_at(at)) && blocks.all[at].kind != BlockKind::TableRow;
    let mut found = Vec::new();
    let mut below = u8::MAX;
    for other in (at.saturating_sub(MOST_BLOCKS)..at).rev() {
        let heading = &blocks.all[other];
        if heading.kind != BlockKind::Heading || level(heading) >= below || heading.range().len() > MOST_CHARS {
            continue;
        }
        let is_lowest = below == u8::MAX;
        below = level(heading);
        // Headings further up are those of the whole document; a sentence says what it says without them.
        let is_asked = (is_lowest || (!is_sentence && other > 0))
            && *limiting.entry(other).or_insert_with(|| limits(blocks.text_at(other)));
        if is_asked || (is_lowest && (!is_sentence || is_step(&blocks.all[at])) && !is_led && other > 0) {
            found.push(NeededRange::new(ContextRole::Heading, heading.range()));
        }
        if below <= 1 || is_sentence {
            break;
        }
    }
    found.reverse();
    found
}

/// Whether a block is a numbered item: what its steps lead to stands in the heading.
fn is_step(block: &Block) -> bool {
    let marker = block.marker.as_deref().unwrap_or_default();
    block.kind == BlockKind::ListItem && marker.starts_with(|c: char| c.is_ascii_digit())
}

fn level(heading: &Block) -> u8 {
    heading.level.unwrap_or(1)
}
