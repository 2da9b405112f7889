//! Converts an HTML tree to leaves. Iterative, so deep nesting costs no stack.

use dom_query::{NodeData, NodeRef};
use precis_text::Leaf;

use super::blocks::Blocks;

/// The leaves of `root` and everything below it, without invisible characters, and the number of characters that are struck out.
/// `is_article` tells that the tree is an article without the page around it.
pub(super) fn leaves(root: &NodeRef<'_>, is_article: bool) -> (Vec<Leaf>, u64) {
    let mut blocks = Blocks::new(root.id, is_article);
    let mut node = *root;
    loop {
        enter(&node, &mut blocks);
        if let Some(child) = node.first_child() {
            node = child;
            continue;
        }
        // Climb to the next node in document order, or to the root.
        loop {
            leave(&node, &mut blocks);
            if node.id == root.id {
                return blocks.finish();
            }
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            let Some(parent) = node.parent() else { return blocks.finish() };
            node = parent;
        }
    }
}

fn enter(node: &NodeRef<'_>, blocks: &mut Blocks) {
    node.query_or((), |inner| match &inner.data {
        NodeData::Text { contents } => blocks.text(contents),
        NodeData::Element(element) => blocks.open(node, element),
        _ => {}
    });
}

fn leave(node: &NodeRef<'_>, blocks: &mut Blocks) {
    if let Some(element) = node.element_ref() {
        blocks.close(node.id, element.name.local.as_ref());
    }
}
