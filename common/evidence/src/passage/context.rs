//! What the quotes of a passage need beside themselves to keep their meaning.

use std::collections::HashMap;

use precis_proto::finding::{Needed, Unit};
use precis_proto::quote_context::{ContextRange, ContextRole};
use precis_proto::{BlockKind, CharRange};
use precis_text::CanonicalText;

use super::units::units_of;
use crate::needs::{NeededRange, Needs, UnitNeeds};

/// What a quote of the characters `range` of `text` needs beside itself, in the order of the text.
#[must_use]
pub fn context_of(text: &CanonicalText, range: CharRange) -> Vec<ContextRange> {
    let blocks = text.leaf_blocks();
    let mut needs = Needs::new(text, &blocks);
    let first = blocks.partition_point(|block| block.end <= range.start);
    let mut found: Vec<ContextRange> = Vec::new();
    for at in (first..blocks.len()).take_while(|at| blocks[*at].start < range.end) {
        let units =
            units_of(text, &blocks[at]).into_iter().filter(|unit| unit.start < range.end && range.start < unit.end);
        for needed in units.flat_map(|unit| needs.of(at, unit).ranges).collect::<Vec<_>>() {
            let at = needed.at.map(|at| at.saturating_sub(range.start));
            let context = ContextRange { at, ..needed.context(text) };
            let is_inside = range.contains(&needed.range) && needed.at.is_none();
            if !is_inside && !found.contains(&context) {
                found.push(context);
            }
        }
    }
    found
}

/// What the units in `span` of a passage need of its `context` beside themselves, in the order of the text.
#[must_use]
pub fn needed_context(passage: &str, context: &[ContextRange], units: &[Unit], span: CharRange) -> Vec<ContextRange> {
    let inside: String = passage.chars().skip(span.start).take(span.len()).collect();
    let mut found: Vec<ContextRange> = Vec::new();
    for unit in units.iter().filter(|unit| unit.start < span.end && span.start < unit.end) {
        for need in &unit.needs {
            let Some(range) = usize::try_from(need.of).ok().and_then(|of| context.get(of)) else { continue };
            let at = need.at.map(|at| (unit.start + at).saturating_sub(span.start));
            // A question within the quote is part of it.
            let is_inside = at.is_none() && !range.text.is_empty() && inside.contains(&range.text);
            if !is_inside && !found.iter().any(|known| known.locator == range.locator && known.at == at) {
                found.push(ContextRange { at, ..range.clone() });
            }
        }
    }
    found.sort_by_key(|range| (range.locator, range.at));
    found
}

/// The ranges that the units of a passage need, each once.
#[derive(Default)]
pub(super) struct PassageContext {
    pub(super) ranges: Vec<ContextRange>,
    known: HashMap<(ContextRole, CharRange), u32>,
}

impl PassageContext {
    /// A unit with what it needs, its place still open.
    pub(super) fn unit(&mut self, text: &CanonicalText, unit: CharRange, needs: UnitNeeds) -> Unit {
        let ranges = needs.ranges.iter();
        let within = |at: usize| at.saturating_sub(unit.start);
        let needed = ranges.map(|one| Needed { of: self.index(text, one), at: one.at.map(within) }).collect();
        let list = needs.list.iter().map(|one| self.index(text, one)).collect();
        let open = Unit::new(unit, 0, BlockKind::Paragraph);
        Unit { needs: needed, list, more_items: needs.more_items, ..open }
    }

    fn index(&mut self, text: &CanonicalText, needed: &NeededRange) -> u32 {
        let next = u32::try_from(self.ranges.len()).unwrap_or(u32::MAX);
        let of = *self.known.entry((needed.role, needed.range)).or_insert(next);
        if of == next {
            self.ranges.push(needed.context(text));
        }
        of
    }
}
