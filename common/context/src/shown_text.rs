//! A range of an archived text as it is shown to a model: its blocks on lines of their own.
//!
//! What is shown has the words of the range in their order, so that words which a model copies from it are found in the range again.

use precis_language::script::is_unspaced;
use precis_proto::block::CodeLine;
use precis_proto::{Block, BlockKind, CharRange};
use precis_text::CanonicalText;

/// Most columns that a line of code is indented. Chosen: no wider code is read by indentation.
const MOST_INDENT: u32 = 40;
/// Between the cells of a row.
const CELLS: &str = " | ";

/// The characters of `range` with each block, and each row of a table, on its own line.
///
/// ```
/// use precis_context::shown_text::shown_text;
/// use precis_proto::{BlockKind, CharRange};
/// use precis_text::{CanonicalText, Leaf};
///
/// let leaves = [Leaf::new(BlockKind::Paragraph, "Fees:"), Leaf::row(1, false, &["base", "5"])];
/// let text = CanonicalText::from_leaves(&leaves);
/// assert_eq!(shown_text(&text, CharRange::new(0, text.chars())), "Fees:\n| base | 5 |");
/// ```
#[must_use]
pub fn shown_text(text: &CanonicalText, range: CharRange) -> String {
    let blocks = text.blocks();
    let first = blocks.partition_point(|block| block.end <= range.start);
    let held: Vec<&Block> = blocks[first..].iter().take_while(|block| block.start < range.end).collect();
    if held.is_empty() {
        return text.slice(range).to_owned();
    }
    let mut lines: Vec<String> = Vec::with_capacity(held.len());
    let mut at = range.start;
    for block in held {
        let part = CharRange::new(block.start.max(range.start), block.end.min(range.end));
        // Separators of pages belong to no block.
        let between = text.slice(CharRange::new(at, part.start)).trim();
        lines.extend((!between.is_empty()).then(|| between.to_owned()));
        lines.push(line(text, block, part));
        at = part.end;
    }
    let rest = text.slice(CharRange::new(at, range.end)).trim();
    lines.extend((!rest.is_empty()).then(|| rest.to_owned()));
    lines.join("\n")
}

/// The `part` of a block that is shown.
fn line(text: &CanonicalText, block: &Block, part: CharRange) -> String {
    let words = text.slice(part).trim();
    let is_whole = part == block.range();
    match block.kind {
        BlockKind::TableRow if is_whole && block.cells.len() > 1 => {
            let cells: Vec<&str> = block.cells.iter().map(|cell| text.slice(*cell).trim()).collect();
            format!("| {} |", cells.join(CELLS))
        }
        BlockKind::ListItem if part.start == block.start => {
            let marker = block.marker.as_deref().unwrap_or("-");
            let indent = "  ".repeat(usize::from(block.level.unwrap_or(1).clamp(1, 8) - 1));
            match text.slice(block.range()).starts_with(marker) {
                true => format!("{indent}{words}"),
                false => format!("{indent}{marker} {words}"),
            }
        }
        BlockKind::Code if is_whole && !block.lines.is_empty() => code(text, block),
        _ => words.to_owned(),
    }
}

/// A block of code in its lines.
fn code(text: &CanonicalText, block: &Block) -> String {
    let ends = block.lines.iter().skip(1).map(|line| line.start).chain([block.end]);
    let line = |(line, end): (&CodeLine, usize)| {
        let words = text.slice(CharRange::new(line.start, end.max(line.start))).trim_end();
        match words.is_empty() {
            true => String::new(),
            false => format!("{}{words}", " ".repeat(line.indent.min(MOST_INDENT) as usize)),
        }
    };
    block.lines.iter().zip(ends).map(line).collect::<Vec<_>>().join("\n")
}

/// Characters of `text` that equal `words`, apart from white space, bars between cells, and quotation marks or a list marker around them;
/// `None` if there are none.
#[must_use]
pub fn found_in(text: &str, words: &str) -> Option<CharRange> {
    let (flat, places) = flatten(text);
    let wanted = words.trim();
    let is_mark = |c: char| matches!(c, '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '「' | '」' | '`');
    let bare = wanted.trim_matches(is_mark).trim();
    // First as written: marks may be part of the text.
    [wanted, bare, strip_marker(bare)].into_iter().find_map(|wanted| {
        let (wanted, _) = flatten(wanted);
        let wanted = wanted.trim();
        let start = (!wanted.is_empty()).then(|| whole_words(&flat, wanted))??;
        let first = flat[..start].chars().count();
        let last = first + wanted.chars().count() - 1;
        Some(CharRange::new(*places.get(first)?, *places.get(last)? + 1))
    })
}

/// The first byte at which `flat` has `wanted` without cutting a word or a figure: `costs 1` is not in `costs 12 million`.
fn whole_words(flat: &str, wanted: &str) -> Option<usize> {
    let is_within = |a: Option<char>, b: Option<char>| {
        a.zip(b).is_some_and(|(a, b)| a.is_alphanumeric() && b.is_alphanumeric() && !is_unspaced(a) && !is_unspaced(b))
    };
    let is_in_figure = |rest: &str| {
        let mut rest = rest.chars();
        matches!(rest.next(), Some('.' | ',')) && rest.next().is_some_and(|c| c.is_ascii_digit())
    };
    flat.match_indices(wanted).map(|(at, _)| at).find(|at| {
        let behind = &flat[at + wanted.len()..];
        let last = wanted.chars().next_back();
        // A figure is the same without the zeros before it.
        let before = match wanted.starts_with(|c: char| c.is_ascii_digit()) {
            true => flat[..*at].trim_end_matches('0'),
            false => &flat[..*at],
        };
        let is_cut = is_within(before.chars().next_back(), wanted.chars().next())
            || is_within(last, behind.chars().next())
            || (last.is_some_and(|c| c.is_ascii_digit()) && is_in_figure(behind));
        !is_cut
    })
}

/// `words` without the marker of a list item.
fn strip_marker(words: &str) -> &str {
    words.strip_prefix(['-', '*', '•']).map_or(words, str::trim_start)
}

/// `text` with white space and bars as single spaces, and for each of its characters the place in `text`.
fn flatten(text: &str) -> (String, Vec<usize>) {
    let (mut flat, mut places) = (String::with_capacity(text.len()), Vec::new());
    for (at, c) in text.chars().enumerate() {
        let c = if c.is_whitespace() || c == '|' { ' ' } else { c };
        if c != ' ' || !flat.ends_with(' ') {
            flat.push(c);
            places.push(at);
        }
    }
    (flat, places)
}

#[cfg(test)]
mod tests {
    use precis_text::Leaf;

    use super::*;

    #[test]
    fn words_and_figures_are_found_whole() {
        for (text, words, want) in [
            ("The tunnel costs 12 million.", "costs 1", false),
            ("The tunnel costs 12 million.", "costs 12", true),
            ("It costs 1.5 million, then 1 million.", "costs 1", false),
            ("It costs 1, then 2.", "costs 1", true),
            ("No bridges, one bridge here.", "bridge here", true),
            ("No bridges.", "No bridge", false),
            ("Seen on 2024-02-13.", "2-13", true),
            ("Seen 12 times.", "2 times", false),
            ("隧道花费一千万。", "花费一", true),
        ] {
            assert_eq!(found_in(text, words).is_some(), want, "{words} in {text}");
        }
    }

    fn text() -> CanonicalText {
        let item = |marker: Option<&str>, level, words: &str| Leaf {
            marker: marker.map(str::to_owned),
            level: Some(level),
            ..Leaf::new(BlockKind::ListItem, words)
        };
        CanonicalText::from_leaves(&[
            Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Fees") },
            Leaf::new(BlockKind::Paragraph, "They rise. They fall."),
            item(None, 1, "the base fee"),
            item(Some("a)"), 2, "a) the tip"),
            Leaf::row(1, true, &["name", "fee"]),
            Leaf::row(1, false, &["base", "5 gwei"]),
        ])
    }

    #[test]
    fn every_block_has_a_line_and_no_word_is_lost() {
        let text = text();
        let whole = shown_text(&text, CharRange::new(0, text.chars()));
        let want = "Fees\nThey rise. They fall.\n- the base fee\n  a) the tip\n| name | fee |\n| base | 5 gwei |";
        assert_eq!(whole, want);
        let words = |text: &str| {
            let plain = |word: &&str| !matches!(*word, "|" | "-");
            text.split_whitespace().filter(plain).collect::<Vec<_>>().join(" ")
        };
        for start in 0..text.chars() {
            for end in start..=text.chars() {
                let range = CharRange::new(start, end);
                assert_eq!(words(&shown_text(&text, range)), words(text.slice(range)), "{start} {end}");
            }
        }
    }

    #[test]
    fn text_a_model_copies_is_found_in_the_source() {
        let text = text();
        let whole = text.as_str();
        for (copied, want) in [
            ("They rise.\n They  fall.", Some("They rise. They fall.")),
            ("| base | 5 gwei |", Some("base 5 gwei")),
            ("“the base fee”", Some("the base fee")),
            ("- the base fee", Some("the base fee")),
            ("`5 gwei`", Some("5 gwei")),
            ("They sink.", None),
            ("", None),
            (" | ", None),
        ] {
            let found = found_in(whole, copied).map(|range| text.slice(range));
            assert_eq!(found, want, "{copied}");
        }
    }

    #[test]
    fn code_is_shown_in_its_lines() {
        let source = "if x:\n    return 1\n\nprint(x)";
        let leaf = Leaf { lines: precis_text::code_lines(source), ..Leaf::new(BlockKind::Code, source) };
        let text = CanonicalText::from_leaves(&[leaf]);
        let shown = shown_text(&text, CharRange::new(0, text.chars()));
        assert_eq!(shown, source);
        assert_eq!(shown_text(&text, CharRange::new(0, 5)), "if x:", "a part of it is one line");
    }

    #[test]
    fn pages_and_texts_without_blocks_are_shown_as_they_are() {
        let plain = CanonicalText::parse_archived("One two.", 0).expect("a text");
        assert_eq!(shown_text(&plain, CharRange::new(4, 8)), "two.");
        let pages = CanonicalText::from_pages(&["One.".to_owned(), "Two.".to_owned()]);
        let shown = shown_text(&pages, CharRange::new(0, pages.chars()));
        assert_eq!(shown, "One.\n\n---PAGE 2---\n\nTwo.");
    }
}
