//! Code as its document shows it.

use precis_proto::{Block, CharRange};

use super::CanonicalText;
use super::code_lines::MAX_INDENT;

/// The text of `block` in its lines; as it is in the text if it has none.
#[must_use]
pub fn in_lines(text: &CanonicalText, block: &Block) -> String {
    let mut out = String::new();
    for (at, line) in block.lines.iter().enumerate() {
        let end = block.lines.get(at + 1).map_or(block.end, |next| next.start);
        let words = text.slice(CharRange::new(line.start, end)).trim_end();
        if at > 0 {
            out.push('\n');
        }
        if !words.is_empty() {
            out.push_str(&" ".repeat(usize::try_from(line.indent).unwrap_or(0).min(MAX_INDENT)));
            out.push_str(words);
        }
    }
    if block.lines.is_empty() { text.slice(block.range()).to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use precis_proto::BlockKind;

    use super::super::{Leaf, code_lines, is_space, normalize};
    use super::*;

    fn rebuilt(source: &str) -> String {
        let leaf = Leaf { lines: code_lines(source), ..Leaf::new(BlockKind::Code, source) };
        let text = CanonicalText::from_leaves(&[Leaf::new(BlockKind::Paragraph, "Before."), leaf]);
        text.blocks().get(1).map(|block| in_lines(&text, block)).unwrap_or_default()
    }

    #[test]
    fn code_is_shown_in_the_lines_of_its_source() {
        for (source, want) in [
            ("one", "one"),
            ("\n\n  a {\n\n\tb\n  }\n\n", "  a {\n\n        b\n  }"),
            ("a\r\n  é  \u{3000}c\r\n", "a\n  é c"),
            ("", ""),
        ] {
            assert_eq!(rebuilt(source), want, "{source:?}");
        }
    }

    #[test]
    fn words_of_any_code_stand_in_their_lines() {
        let mut seed = 7_u64;
        for _ in 0..2_000 {
            let mut source = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                source.push_str(
                    ["\n", " ", "\t", "x", "é", "e\u{301}", "\u{301}", "{}", "\r\n", "  "][(seed >> 33) as usize % 10],
                );
            }
            let lines = |text: &str| {
                let words: Vec<String> = text.lines().map(normalize).collect();
                words.join("\n").trim_matches('\n').to_owned()
            };
            // A mark without a letter at the start of a line joins the space before it.
            if !source.lines().any(|line| line.trim_start().starts_with('\u{301}')) {
                assert_eq!(
                    lines(&rebuilt(&source)),
                    if source.trim_matches(is_space).contains('\n') { lines(&source) } else { normalize(&source) },
                    "{source:?}"
                );
            }
        }
    }
}
