//! How much text each element of a page holds, and how much of it is of links: found in one pass, because pages nest as they like.

use std::collections::HashMap;

use dom_query::{Document, NodeId, NodeRef};

/// Numbers of characters without white space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextSize {
    pub(super) chars: usize,
    /// Those of links.
    pub(super) linked: usize,
}

/// The sizes of all elements of a page.
#[derive(Debug, Default)]
pub(super) struct TextSizes {
    by_node: HashMap<NodeId, TextSize>,
    all: usize,
}

impl TextSizes {
    pub(super) fn of(document: &Document) -> Self {
        let mut sizes = Self::default();
        let root = document.root();
        // The elements around the place, each with its size so far and whether it is a link or in one.
        let mut open: Vec<(NodeId, TextSize, bool)> = Vec::new();
        let mut node = root;
        loop {
            if node.is_text() {
                let chars = node.text().chars().filter(|c| !c.is_whitespace()).count();
                if let Some((_, size, is_link)) = open.last_mut() {
                    size.chars += chars;
                    size.linked += if *is_link { chars } else { 0 };
                }
            } else {
                let is_link = node.has_name("a") || open.last().is_some_and(|(.., is_link)| *is_link);
                open.push((node.id, TextSize::default(), is_link));
                if let Some(child) = node.first_child().filter(|_| !is_unread(&node)) {
                    node = child;
                    continue;
                }
            }
            loop {
                if !node.is_text() {
                    sizes.close(&mut open);
                }
                if node.id == root.id {
                    sizes.all = sizes.of_node(&root).chars;
                    return sizes;
                }
                if let Some(next) = node.next_sibling() {
                    node = next;
                    break;
                }
                let Some(parent) = node.parent() else { return sizes };
                node = parent;
            }
        }
    }

    fn close(&mut self, open: &mut Vec<(NodeId, TextSize, bool)>) {
        let Some((id, size, _)) = open.pop() else { return };
        self.by_node.insert(id, size);
        if let Some((_, around, _)) = open.last_mut() {
            around.chars += size.chars;
            around.linked += size.linked;
        }
    }

    pub(super) fn of_node(&self, node: &NodeRef<'_>) -> TextSize {
        self.by_node.get(&node.id).copied().unwrap_or_default()
    }

    /// Characters of the whole page.
    pub(super) fn all(&self) -> usize {
        self.all
    }
}

/// Whether the text in `node` is none of the page.
fn is_unread(node: &NodeRef<'_>) -> bool {
    ["script", "style", "template", "head"].into_iter().any(|name| node.has_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_an_element_is_that_of_all_in_it() {
        let page = "<head><title>no</title></head><body><div>ab <p>c <a>d<b>e</b></a></p></div><script>no</script>f";
        let document = Document::from(page);
        let sizes = TextSizes::of(&document);
        let of = |name: &str| sizes.of_node(document.select(name).nodes().first().expect("there"));
        let size = |chars, linked| TextSize { chars, linked };
        assert_eq!([of("div"), of("p"), of("a"), of("script")], [size(5, 2), size(3, 2), size(2, 2), size(0, 0)]);
        assert_eq!(sizes.all(), 6);
    }
}
