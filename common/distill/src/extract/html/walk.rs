//! A tree of HTML to text. Iterative: the depth of a page costs no stack.

use dom_query::{NodeData, NodeRef};

/// Elements inside a line of text; all others are set apart by a space.
const INLINE: [&str; 40] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "math", "mi", "mn", "mo", "nobr", "q", "rb", "rt", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
];

/// Text of `root` and what is below it, spaces at the boundaries of blocks, characters no reader sees left out.
pub(super) fn text(root: &NodeRef<'_>) -> String {
    let mut out = String::new();
    let mut node = *root;
    loop {
        enter(&node, &mut out);
        if let Some(child) = node.first_child() {
            node = child;
            continue;
        }
        // Climb to the next node in document order, or to the root.
        loop {
            leave(&node, &mut out);
            if node.id == root.id {
                return visible(&out);
            }
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            let Some(parent) = node.parent() else { return visible(&out) };
            node = parent;
        }
    }
}

fn enter(node: &NodeRef<'_>, out: &mut String) {
    node.query_or((), |inner| match &inner.data {
        NodeData::Text { contents } => out.push_str(contents),
        NodeData::Element(element) => set_apart(element.name.local.as_ref(), out),
        _ => {}
    });
}

fn leave(node: &NodeRef<'_>, out: &mut String) {
    if let Some(element) = node.element_ref() {
        set_apart(element.name.local.as_ref(), out);
    }
}

fn set_apart(name: &str, out: &mut String) {
    if name != "wbr" && !INLINE.contains(&name) && !out.ends_with(' ') {
        out.push(' ');
    }
}

/// `text` without the characters that show nothing: zero-width and soft-hyphen characters, direction controls, tags, and
/// variation selectors that vary nothing. Hidden text is made of them, and terms break on them.
///
/// A joiner stays where scripts or emoji need it: one, between two characters beyond Latin, Greek and Cyrillic.
pub(in crate::extract) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let keep = match c {
            '\u{200c}' | '\u{200d}' => {
                out.chars().next_back().is_some_and(takes_joiner) && chars.peek().copied().is_some_and(takes_joiner)
            }
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => {
                out.chars().next_back().is_some_and(|before| !before.is_whitespace() && !is_selector(before))
            }
            _ => !shows_nothing(c),
        };
        if keep {
            out.push(c);
        }
    }
    out
}

fn takes_joiner(c: char) -> bool {
    c >= '\u{590}' && !c.is_whitespace() && !matches!(c, '\u{200c}' | '\u{200d}') && !shows_nothing(c)
}

/// Whether `c` selects a variant of the character before it.
pub(in crate::extract) fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether `c` shows nothing wherever it stands; joiners and variation selectors, which may, are not among these.
pub(in crate::extract) fn shows_nothing(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_show_nothing_are_dropped_and_joiners_kept_where_needed() {
        let table = [
            ("co\u{ad}op\u{200b}er\u{feff}ate", "cooperate"),
            ("a\u{202e}b\u{2066}c", "abc"),
            ("x\u{e0041}\u{e0042}y", "xy"),
            ("pass\u{200d}word", "password"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("👩\u{200d}🚀", "👩\u{200d}🚀"),
            ("👩\u{200d}\u{200d}🚀", "👩\u{200d}🚀"),
            ("❤\u{fe0f}\u{fe0f} \u{fe0f}x", "❤\u{fe0f} x"),
        ];
        for (raw, want) in table {
            assert_eq!(visible(raw), want, "{raw:?}");
        }
    }
}
