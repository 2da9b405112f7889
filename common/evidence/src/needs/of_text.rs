//! What goes with the units of one text.

use std::collections::{BTreeMap, HashMap};

use precis_proto::quote_context::ContextRole;
use precis_proto::{Block, BlockKind, CharRange};
use precis_text::CanonicalText;

use super::blocks::{Blocks, NeededRange, UnitNeeds};
use super::{asked, columns, heading, items, lead_in};

/// What goes with the units of a text, found for each block when it is first asked for.
pub(crate) struct Needs<'t> {
    blocks: Blocks<'t>,
    known: BTreeMap<usize, Vec<NeededRange>>,
    lead_ins: lead_in::LeadIns,
    /// The header rows of each table.
    heads: HashMap<u32, Vec<usize>>,
    /// Whether a heading limits what is below it.
    limiting: HashMap<usize, bool>,
}

impl<'t> Needs<'t> {
    pub(crate) fn new(text: &'t CanonicalText, blocks: &'t [Block]) -> Self {
        Self {
            blocks: Blocks { text, all: blocks },
            known: BTreeMap::new(),
            lead_ins: lead_in::LeadIns::default(),
            heads: columns::heads(blocks),
            limiting: HashMap::new(),
        }
    }

    /// What goes with `unit`, which is a unit of the block at `at`.
    pub(crate) fn of(&mut self, at: usize, unit: CharRange) -> UnitNeeds {
        let blocks = self.blocks;
        if !self.known.contains_key(&at) {
            let found = self.of_block(at);
            self.known.insert(at, found);
        }
        let mut ranges = self.known.get(&at).cloned().unwrap_or_default();
        ranges.extend(asked::within_block(blocks, at, unit));
        let items = items::of(blocks, at, unit);
        if !items.ranges.is_empty() {
            let before = lead_in::limit_before(blocks, at, unit);
            ranges.extend(before.map(|range| NeededRange::new(ContextRole::LeadIn, range)));
        }
        ranges.extend(items.ranges);
        ranges.retain(|one| match one.at {
            Some(at) => unit.start <= at && at < unit.end,
            None => one.range.end <= unit.start || unit.end <= one.range.start,
        });
        ranges.sort_by_key(|one| (one.range.start, one.at));
        ranges.dedup();
        UnitNeeds { ranges, list: items::siblings(blocks, at), more_items: items.more }
    }

    /// What goes with each unit of the block at `at`.
    fn of_block(&mut self, at: usize) -> Vec<NeededRange> {
        let blocks = self.blocks;
        if matches!(blocks.all[at].kind, BlockKind::Heading | BlockKind::Furniture | BlockKind::Field) {
            return Vec::new();
        }
        let mut found = self.lead_ins.of(blocks, at);
        found.extend(asked::of(blocks, at));
        found.extend(heading::of(blocks, &mut self.limiting, at, !found.is_empty()));
        found.extend(columns::of(blocks, &self.heads, at));
        found
    }
}
