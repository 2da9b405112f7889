//! The inventory text for a supervisor. Lines are shown whole or not at all, since a cut line would be read as a fact.

use precis_proto::research::{Inventory, InventoryLine};
use precis_proto::task::INVENTORY_CHARS;

/// Most characters of a title.
const TITLE_CHARS: usize = 60;
/// Most characters of a domain.
const DOMAIN_CHARS: usize = 40;
/// Most characters of the facets that a source covers.
const COVERS_CHARS: usize = 60;

/// Most characters of the topics.
const TOPICS_CHARS: usize = 90;

/// The inventory as text of at most [`INVENTORY_CHARS`] characters: counts, the `topics` if not empty, one line per source as far as there
/// is room, and how many more there are.
#[must_use]
pub fn inventory_text(inventory: &Inventory, topics: &str) -> String {
    let mut text =
        format!("{} sources, {} domains, {} data points", inventory.sources, inventory.domains, inventory.data_points);
    if !topics.is_empty() {
        text.push_str("\ntopics: ");
        text.push_str(&cut(topics, TOPICS_CHARS));
    }
    let all = (inventory.sources as usize).max(inventory.lines.len());
    let mut shown = 0;
    for line in &inventory.lines {
        let line = shown_line(line);
        // Unless this is the last source, the "and … more" line must still fit after it.
        let left = all - shown - 1;
        let behind = if left == 0 { 0 } else { more(left).chars().count() + 1 };
        if text.chars().count() + 1 + line.chars().count() + behind > INVENTORY_CHARS {
            break;
        }
        text.push('\n');
        text.push_str(&line);
        shown += 1;
    }
    if shown < all {
        text.push('\n');
        text.push_str(&more(all - shown));
    }
    text
}

fn more(left: usize) -> String {
    format!("and {left} more")
}

fn shown_line(line: &InventoryLine) -> String {
    let mut text =
        format!("[{}] {} | {}", line.n, cut(&line.title, TITLE_CHARS), cut(place(&line.r#where), DOMAIN_CHARS));
    if !line.covers.is_empty() {
        text.push_str(" | covers ");
        text.push_str(&cut(&line.covers.join(", "), COVERS_CHARS));
    }
    text
}

/// The text on one line of at most `chars` characters; a longer one is cut after a word and ends in an ellipsis.
fn cut(text: &str, chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= chars {
        return line;
    }
    let end = line.char_indices().nth(chars - 1).map_or(line.len(), |(at, _)| at);
    let word = if line[end..].starts_with(' ') { Some(end) } else { line[..end].rfind(' ') };
    // A single long word is cut inside.
    format!("{}…", line[..word.unwrap_or(end)].trim_end_matches([',', ' ']))
}

/// The host of an address or the folder of a path; the whole path if it has no folder.
fn place(document: &str) -> &str {
    match domain(document) {
        "" => document,
        domain => domain,
    }
}

/// The host of an address or the folder of a path; empty if the path has no folder.
pub(super) fn domain(document: &str) -> &str {
    match document.split_once("://") {
        Some((_, rest)) => rest.split('/').next().unwrap_or(rest),
        None => document.rsplit_once('/').map_or("", |(folder, _)| folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory(lines: usize, sources: u32) -> Inventory {
        let line = |n: usize| InventoryLine {
            n: n as u32,
            title: format!("{n:0>40}"),
            r#where: format!("https://a.example/{n}"),
            covers: vec!["q1.f1".into()],
        };
        Inventory { sources, domains: 1, lines: (1..=lines).map(line).collect(), data_points: 7 }
    }

    #[test]
    fn an_inventory_is_whole_lines_and_says_how_many_more_there_are() {
        let small = inventory_text(&inventory(2, 2), "");
        let line = |n: usize| format!("[{n}] {n:0>40} | a.example | covers q1.f1");
        assert_eq!(small, format!("2 sources, 1 domains, 7 data points\n{}\n{}", line(1), line(2)));
        let with = inventory_text(&inventory(2, 2), "q1: ships, q2: roads");
        let topics = "2 sources, 1 domains, 7 data points\ntopics: q1: ships, q2: roads\n";
        assert_eq!(with, format!("{topics}{}\n{}", line(1), line(2)));
        let full = inventory_text(&inventory(40, 60), &"ships and roads ".repeat(40));
        assert!(full.chars().count() <= INVENTORY_CHARS && full.contains("\nand 5"), "{full}");
        let large = inventory_text(&inventory(40, 60), "");
        assert!(large.chars().count() <= INVENTORY_CHARS);
        let lines: Vec<&str> = large.lines().collect();
        let shown = lines.len() - 2;
        assert!(shown > 3, "{large}");
        assert_eq!(lines[shown + 1], format!("and {} more", 60 - shown));
        assert!((1..=shown).all(|n| lines[n] == line(n)), "{large}");
        assert_eq!(inventory_text(&Inventory::default(), ""), "0 sources, 0 domains, 0 data points");
        assert_eq!(inventory_text(&inventory(0, 3), "").lines().last(), Some("and 3 more"));
    }

    #[test]
    fn a_line_fits_at_the_limit_and_not_above_it() {
        let line =
            |title: usize| InventoryLine { n: 1, title: "é".repeat(title), r#where: "a".into(), covers: Vec::new() };
        let text = |lines: &[InventoryLine]| {
            let (sources, lines) = (lines.len() as u32, lines.to_vec());
            inventory_text(&Inventory { sources, domains: 0, lines, data_points: 0 }, "")
        };
        let chars = |lines: &[InventoryLine]| text(lines).chars().count();
        let full = [line(58), line(58), line(58), line(58), line(58), line(58)];
        let left = INVENTORY_CHARS - chars(&full) - (shown_line(&line(0)).chars().count() + 1);
        for (title, shown) in [(left - 1, 7), (left, 7), (left + 1, 6)] {
            assert!(title < TITLE_CHARS, "it is not cut: {title}");
            let lines = [&full[..], &[line(title)]].concat();
            let text = text(&lines);
            assert!(text.chars().count() <= INVENTORY_CHARS);
            assert_eq!(text.lines().filter(|line| line.starts_with('[')).count(), shown, "{text}");
            assert_eq!(text.ends_with("and 1 more"), shown == 6, "{text}");
        }
    }

    #[test]
    fn a_title_is_cut_at_a_word() {
        for (title, want) in [
            ("short", "short"),
            (&"ab ".repeat(20), "ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab"),
            (&"ab ".repeat(21), "ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab ab…"),
            (&"é".repeat(59), &"é".repeat(59)),
            (&"é".repeat(60), &"é".repeat(60)),
            (&"é".repeat(61), &format!("{}…", "é".repeat(59))),
        ] {
            let cut = cut(title, TITLE_CHARS);
            assert_eq!(cut, want);
            assert!(cut.chars().count() <= TITLE_CHARS, "{cut}");
        }
    }
}
