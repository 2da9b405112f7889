//! The lead-ins of an item: the sentence that announces its list, of each list that it is in, and the heading of a list without one.

use precis_language::limiting::limits;
use precis_proto::quote_context::ContextRole;
use precis_proto::{Block, BlockKind, CharRange};
use precis_text::{CanonicalText, sentences};

use super::needed_range::NeededRange;

/// Blocks looked at before an item to find its lead-in. A list may have thousands of items. Chosen, not measured.
const MOST_BLOCKS: usize = 2_000;
/// Most characters of a lead-in.
pub(super) const MOST_CHARS: usize = 600;

/// The lead-ins of the block at `at`, outermost first; empty unless it is an item of a list.
pub(super) fn above(text: &CanonicalText, blocks: &[Block], at: usize) -> Vec<NeededRange> {
    let mut found = Vec::new();
    let own = &blocks[at];
    if own.kind != BlockKind::ListItem {
        return found;
    }
    let mut level = depth(own);
    for before in blocks[at.saturating_sub(MOST_BLOCKS)..at].iter().rev() {
        match before.kind {
            BlockKind::ListItem if depth(before) >= level => {}
            BlockKind::ListItem => {
                level = depth(before);
                found.extend(last_sentence(text, before).map(lead_in));
            }
            BlockKind::Paragraph | BlockKind::Quotation | BlockKind::FormField => {
                found.extend(last_sentence(text, before).filter(|range| announces(text.slice(*range))).map(lead_in));
                if found.iter().all(|one: &NeededRange| one.range.start < before.start) {
                    found.extend(heading(text, blocks, before.start, own, &found));
                }
                break;
            }
            BlockKind::Heading => {
                found.extend(heading(text, blocks, before.end, own, &found));
                break;
            }
            BlockKind::Code
            | BlockKind::Caption
            | BlockKind::Furniture
            | BlockKind::Footnote
            | BlockKind::TableRow
            | BlockKind::Field
            | BlockKind::Reference => {}
        }
    }
    found.reverse();
    found
}

fn lead_in(range: CharRange) -> NeededRange {
    NeededRange { role: ContextRole::LeadIn, range, at: None }
}

fn depth(item: &Block) -> u8 {
    item.level.unwrap_or(1)
}

/// The heading above the character `at`, if an item needs it: it limits what is below it, or the item has no lead-in and is no sentence.
fn heading(
    text: &CanonicalText,
    blocks: &[Block],
    at: usize,
    item: &Block,
    found: &[NeededRange],
) -> Option<NeededRange> {
    let end = blocks.partition_point(|block| block.end <= at);
    let block = blocks[..end].iter().rev().find(|block| block.kind == BlockKind::Heading)?;
    let range = block.range();
    let is_alone = found.is_empty() && !sentences::is_whole(text.slice(item.range()));
    let is_needed = range.len() <= MOST_CHARS && (is_alone || limits(text.slice(range)));
    is_needed.then_some(NeededRange { role: ContextRole::Heading, range, at: None })
}

/// Whether a sentence leads into what follows: it ends with a colon or dash, or does not end at all, or limits what follows.
fn announces(sentence: &str) -> bool {
    let sentence = sentence.trim_end();
    !sentence.ends_with(['.', '。', '!', '！', '?', '？']) || limits(sentence)
}

/// The last sentence of a block, whole if it is short enough.
fn last_sentence(text: &CanonicalText, block: &Block) -> Option<CharRange> {
    let last = sentences::of_block(text.slice(block.range())).pop()?;
    let range = CharRange::new(block.start + last.start, block.start + last.end);
    (range.len() <= MOST_CHARS).then_some(range)
}

#[cfg(test)]
mod tests {
    use precis_text::Leaf;

    use super::*;

    fn item(level: u8, text: &str) -> Leaf {
        Leaf { level: Some(level), marker: Some("-".to_owned()), ..Leaf::new(BlockKind::ListItem, text) }
    }

    fn needed(leaves: &[Leaf]) -> Vec<String> {
        let text = CanonicalText::from_leaves(leaves);
        let blocks = text.leaf_blocks();
        let found = above(&text, &blocks, blocks.len() - 1);
        found.iter().map(|one| format!("{}: {}", one.role.as_str(), text.slice(one.range))).collect()
    }

    #[test]
    fn an_item_has_the_lead_ins_of_all_lists_it_is_in() {
        let heading = |text: &str| Leaf { level: Some(2), ..Leaf::new(BlockKind::Heading, text) };
        let lead = Leaf::new(BlockKind::Paragraph, "We insure boats. We do not insure:");
        assert_eq!(needed(&[lead.clone(), item(1, "cash"), item(1, "keys")]), ["lead_in: We do not insure:"]);
        let nested = [lead, item(1, "fire"), item(1, "theft of"), item(2, "keys"), item(2, "cash")];
        assert_eq!(needed(&nested), ["lead_in: We do not insure:", "lead_in: theft of"]);
        assert_eq!(needed(&[heading("Not covered"), item(1, "keys"), item(1, "cash")]), ["heading: Not covered"]);
        assert_eq!(needed(&[heading("Covered"), item(1, "The keys are covered.")]), [""; 0]);
        assert_eq!(needed(&[heading("Covered"), item(1, "keys")]), ["heading: Covered"]);
        let told = Leaf::new(BlockKind::Paragraph, "We insure boats.");
        assert_eq!(needed(&[heading("Not covered"), told, item(1, "keys")]), ["heading: Not covered"]);
        assert_eq!(needed(&[Leaf::new(BlockKind::Paragraph, "Alone.")]), [""; 0]);
    }
}
