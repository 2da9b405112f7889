//! Items that a writer set on lines of their own inside one paragraph.
//!
//! CommonMark knows no list of `(a)`, `i.` or `2.` inside a paragraph, and none that is indented by four characters: it renders such lines as one
//! run of text. Laws, by-laws and contracts are written so. An item that is glued to the next one loses where it ends.
//!
//! Nothing is guessed: a line begins an item only if its marker goes on from one before it, or a later line goes on from it.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::marker::{Family, Marker, marker};

/// Most lines from an item to the one that goes on from it: work stays linear. Chosen, not measured.
const MOST_LINES: usize = 400;

/// `leaf` as it is, or as its items and what stands before them, in order; together they have its text but for bullets. `starts` are the byte positions of
/// its text at which its lines begin, behind the first one. A leaf with notes stays whole, since nothing tells to which line they belong.
pub(super) fn split(leaf: Leaf, starts: &[usize]) -> Vec<Leaf> {
    let is_running = matches!(leaf.kind, BlockKind::Paragraph | BlockKind::ListItem);
    if !is_running || !leaf.notes.is_empty() || starts.is_empty() {
        return vec![leaf];
    }
    let ends = starts.iter().copied().chain([leaf.text.len()]);
    let lines: Vec<&str> =
        [0].iter().chain(starts).zip(ends).map(|(start, end)| leaf.text[*start..end].trim_end()).collect();
    let items = items(&lines);
    if items.is_empty() {
        return vec![leaf];
    }
    let outer = leaf.level.filter(|_| leaf.kind == BlockKind::ListItem).unwrap_or(0);
    let before = lines[..items[0].line].join(" ");
    let mut found = Vec::new();
    if !before.trim().is_empty() {
        found.push(Leaf { text: before, ..leaf.clone() });
    }
    for (n, item) in items.iter().enumerate() {
        let end = items.get(n + 1).map_or(lines.len(), |next| next.line);
        // A bullet is markup; a number is what a reader refers to.
        let text = lines[item.line..end].join(" ");
        let text = if item.is_bullet { text[item.marker.len()..].trim_start().to_owned() } else { text };
        let own = if found.is_empty() { leaf.clone() } else { Leaf { marker: None, ..leaf.clone() } };
        found.push(Leaf {
            kind: BlockKind::ListItem,
            level: Some(outer.saturating_add(item.depth)),
            marker: own.marker.or_else(|| Some(item.marker.to_owned())),
            text,
            ..leaf.clone()
        });
    }
    found
}

/// A line that begins an item.
struct LineItem<'a> {
    line: usize,
    marker: &'a str,
    is_bullet: bool,
    /// Number of lists that it stands in, from 1.
    depth: u8,
}

fn items<'a>(lines: &[&'a str]) -> Vec<LineItem<'a>> {
    let marks: Vec<Option<Marker<'a>>> = lines.iter().map(|line| marker(line)).collect();
    let mut open: Vec<Marker<'a>> = Vec::new();
    let mut items = Vec::new();
    for (line, mark) in marks.iter().enumerate() {
        let Some(mark) = mark else { continue };
        let own_list = open.iter().rposition(|before| mark.follows(before));
        let goes_on = || marks[line + 1..].iter().take(MOST_LINES).flatten().any(|later| later.follows(mark));
        match own_list {
            Some(at) => open.truncate(at),
            // A dash that no other line begins with is one between words.
            None if goes_on() => open.retain(|before| before.family != mark.family || mark.family == Family::Letter),
            None => continue,
        }
        open.push(*mark);
        let depth = u8::try_from(open.len()).unwrap_or(u8::MAX);
        items.push(LineItem { line, marker: mark.text, is_bullet: mark.family == Family::Bullet, depth });
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<Leaf> {
        let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        split(Leaf::new(BlockKind::Paragraph, text.replace('\n', " ")), &starts)
    }

    fn shown(text: &str) -> Vec<String> {
        let leaves = pieces(text);
        let level = |leaf: &Leaf| leaf.level.map_or("p".to_owned(), |level| level.to_string());
        leaves.iter().map(|leaf| format!("{} {}", level(leaf), leaf.text)).collect()
    }

    #[test]
    fn lines_that_go_on_from_each_other_are_items() {
        for (text, want) in [
            (
                "Not allowed:\n(a) dogs,\n(b) fires\nand smoke.",
                &["p Not allowed:", "1 (a) dogs,", "1 (b) fires and smoke."][..],
            ),
            (
                "i. The seat.\ni. It has\n- one\n- two\ni. End.",
                &["1 i. The seat.", "1 i. It has", "2 one", "2 two", "1 i. End."],
            ),
            ("(a) a\n(i) b\n(ii) c\n(b) d", &["1 (a) a", "2 (i) b", "2 (ii) c", "1 (b) d"]),
            ("(g) a\n(h) b\n(i) c", &["1 (g) a", "1 (h) b", "1 (i) c"]),
            ("as said in\n(b) of the law", &["p as said in (b) of the law"]),
            ("a storm\n- the worst - came", &["p a storm - the worst - came"]),
            ("it has 3 rooms in\n2. Street", &["p it has 3 rooms in 2. Street"]),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn an_item_goes_on_within_so_many_lines() {
        for (lines, items) in [(MOST_LINES - 1, 2), (MOST_LINES, 2), (MOST_LINES + 1, 1)] {
            let text = format!("(a) x{}\n(b) y", "\nz".repeat(lines - 1));
            assert_eq!(shown(&text).len(), items, "{lines}");
        }
    }

    #[test]
    fn no_word_is_lost_or_moved() {
        let text = "x\n(a) y\n(i) z\n(ii) q\n(b) w\nend";
        let joined: Vec<String> = pieces(text).into_iter().map(|leaf| leaf.text).collect();
        assert_eq!(joined.join(" "), text.replace('\n', " "));
    }

    #[test]
    fn a_paragraph_with_notes_stays_whole() {
        let leaf = Leaf { notes: vec!["1".to_owned()], ..Leaf::new(BlockKind::Paragraph, "(a) x (b) y") };
        assert_eq!(split(leaf.clone(), &[6]), [leaf]);
    }
}
