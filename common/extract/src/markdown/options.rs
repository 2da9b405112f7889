//! How the parser is asked to read.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// What is read besides CommonMark.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);
/// What is read besides at the top of a document only: the parser takes text between any two rules for front matter.
const AT_TOP: Options =
    Options::ENABLE_YAML_STYLE_METADATA_BLOCKS.union(Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS);

/// The events of `source`, with their places; `more` is read besides.
pub(super) fn events(source: &str, more: Options) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    let top = Some(top_len(source)).filter(|len| is_metadata(&source[..*len])).unwrap_or(0);
    let (front, rest) = source.split_at(top);
    let front = Parser::new_ext(front, OPTIONS | AT_TOP | more).into_offset_iter();
    front.chain(
        Parser::new_ext(rest, OPTIONS | more)
            .into_offset_iter()
            .map(move |(event, range)| (event, range.start + top..range.end + top)),
    )
}

/// The length of what may be front matter: all up to the line that closes the marks in the first line; 0 without such marks.
fn top_len(source: &str) -> usize {
    let mut lines = source.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| matches!(line.trim_end(), "---" | "+++")) else { return 0 };
    let closes =
        |line: &str| line.trim_end() == first.trim_end() || (first.starts_with('-') && line.trim_end() == "...");
    let mut len = first.len();
    for line in lines {
        len += line.len();
        if closes(line) {
            return len;
        }
    }
    0
}

/// Whether `top` is front matter: between two rules may stand any text, whose links are named further down.
fn is_metadata(top: &str) -> bool {
    let first = Parser::new_ext(top, OPTIONS | AT_TOP).next();
    matches!(first, Some(Event::Start(Tag::MetadataBlock(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_top_of_a_document_is_front_matter() {
        for (source, want) in [
            ("---\na: b\n---\nText\n", "---\na: b\n---\n"),
            ("---\na: b\n...\nText\n", "---\na: b\n...\n"),
            ("+++\na = 1\n+++\n", "+++\na = 1\n+++\n"),
            ("Text\n\n---\na: b\n---\n", ""),
            ("\n---\na: b\n---\n", ""),
            ("---\na: b\n", ""),
            ("", ""),
        ] {
            assert_eq!(&source[..top_len(source)], want, "{source:?}");
        }
    }

    #[test]
    fn text_between_rules_at_the_top_is_read_with_all_that_follows() {
        let source = "---\n\nSee [a][b].\n\n---\n\n[b]: x.md\n";
        let is_link =
            |event: &Event<'_>| matches!(event, Event::Start(Tag::Link { dest_url, .. }) if &**dest_url == "x.md");
        assert!(events(source, Options::empty()).any(|(event, _)| is_link(&event)));
    }

    #[test]
    fn places_are_those_of_the_whole_source() {
        let source = "---\na: b\n---\n# Title\n";
        let heading = events(source, Options::empty())
            .find(|(event, _)| matches!(event, Event::Text(text) if &**text == "Title"));
        assert_eq!(heading.map(|(_, range)| &source[range]), Some("Title"));
    }
}
