//! Plain text to leaves: by blank lines, numbering, underlines and fields, read line by line.
//!
//! A line break inside a paragraph ends nothing: a border that cuts a sentence could cut off its "not". So a number or bullet only begins
//! an item if the text before it has ended, or if it continues a list.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::marker::{Family, Marker, marker};

/// Longest isolated line that is a heading, in characters; chosen, not measured.
const MAX_HEADING_CHARS: usize = 100;
/// Least length of an underline.
const MIN_UNDERLINE: usize = 3;
/// Longest field name, in characters.
const MAX_FIELD_CHARS: usize = 40;

/// The leaves of `source`, in order. Together they hold all of its words.
pub(super) fn leaves(source: &str) -> Vec<Leaf> {
    read(source, PlainReader::default())
}

/// The leaves of a message, in which short lines stand on their own: greetings, answers, names. Only what is underlined is a heading.
pub(super) fn message_leaves(source: &str) -> Vec<Leaf> {
    read(source, PlainReader { is_message: true, ..PlainReader::default() })
}

fn read(source: &str, mut reader: PlainReader) -> Vec<Leaf> {
    let lines: Vec<&str> = source.lines().collect();
    let mut paragraph: Vec<&str> = Vec::new();
    for line in &lines {
        if line.trim().is_empty() {
            reader.paragraph(&std::mem::take(&mut paragraph));
        } else {
            paragraph.push(line);
        }
    }
    reader.paragraph(&paragraph);
    reader.finish()
}

#[derive(Default)]
struct PlainReader {
    leaves: Vec<Leaf>,
    /// Characters that underline headings, in order of appearance: the first one marks the highest level.
    underlines: Vec<char>,
    /// Whether an isolated line is no heading.
    is_message: bool,
}

impl PlainReader {
    fn paragraph(&mut self, lines: &[&str]) {
        match lines {
            [] => {}
            [over, title, under, rest @ ..] if is_underline(over) && is_underline(under) && !is_underline(title) => {
                self.furniture(over);
                self.push_title(title, under);
                self.paragraph(rest);
            }
            [title, under, rest @ ..] if is_underline(under) && !is_underline(title) => {
                self.push_title(title, under);
                self.paragraph(rest);
            }
            [line] if is_underline(line) => self.furniture(line),
            _ if are_fields(lines) => self.fields(lines),
            [line] if is_heading(line) && !self.is_message => {
                let level = marker(line).map_or(1, |marker| marker.depth);
                self.leaves.push(Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, *line) });
            }
            _ => self.running(lines),
        }
    }

    fn furniture(&mut self, line: &str) {
        self.leaves.push(Leaf::new(BlockKind::Furniture, line));
    }

    fn push_title(&mut self, title: &str, under: &str) {
        let mark = under.trim().chars().next().unwrap_or('=');
        let known = self.underlines.iter().position(|c| *c == mark);
        let at = known.unwrap_or_else(|| {
            self.underlines.push(mark);
            self.underlines.len() - 1
        });
        let level = u8::try_from(at + 1).unwrap_or(6).min(6);
        self.leaves.push(Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, title) });
        self.furniture(under);
    }

    fn fields(&mut self, lines: &[&str]) {
        let indent = indent(lines[0]);
        for line in lines {
            match self.leaves.last_mut() {
                Some(field) if self::indent(line) > indent => {
                    field.text.push('\n');
                    field.text.push_str(line);
                }
                _ => self.leaves.push(Leaf::new(BlockKind::FormField, *line)),
            }
        }
    }

    /// Adds lines that form one paragraph, or a list.
    fn running(&mut self, lines: &[&str]) {
        let mut last: Option<Marker<'_>> = None;
        for (n, line) in lines.iter().enumerate() {
            let found = marker(line).filter(|marker| match (&last, n) {
                (_, 0) => true,
                (Some(before), _) => marker.follows(before) || ends_text(lines[n - 1]),
                (None, _) => ends_text(lines[n - 1]),
            });
            match found {
                Some(marker) => {
                    let depth = u8::try_from(indent(line) / 2 + 1).unwrap_or(u8::MAX).max(marker.depth);
                    let kind = BlockKind::ListItem;
                    let (level, text) = (Some(depth), Some(marker.text.to_owned()));
                    self.leaves.push(Leaf { level, marker: text, ..Leaf::new(kind, *line) });
                    last = Some(marker);
                }
                None if n == 0 => self.leaves.push(Leaf::new(BlockKind::Paragraph, *line)),
                None => {
                    if let Some(leaf) = self.leaves.last_mut() {
                        leaf.text.push('\n');
                        leaf.text.push_str(line);
                    }
                }
            }
        }
    }

    fn finish(self) -> Vec<Leaf> {
        self.leaves
    }
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).count()
}

/// Whether `line` is an underline or a separator: a single character, repeated.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    let Some(mark) = line.chars().next().filter(|c| "=-~^\"'`*#+_:.".contains(*c)) else { return false };
    line.len() >= MIN_UNDERLINE && line.chars().all(|c| c == mark)
}

/// Whether the text ends at `line`: it ends a sentence, or announces what follows.
pub(super) fn ends_text(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches(['"', '\'', '”', '’', '»', ')', ']']);
    line.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '：', '；', '؟', '۔', '।', '…'])
}

/// Whether an isolated `line` is a heading: short, and without the mark that ends a sentence.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    !ends_text(line)
        && !line.ends_with([',', '，', '、', '،'])
        && line.chars().count() <= MAX_HEADING_CHARS
        && marker(line).is_none_or(|marker| marker.family != Family::Bullet)
        && line.chars().any(char::is_alphabetic)
}

/// Whether each line is `Name: value` or an indented continuation of the line before, with at least two fields.
fn are_fields(lines: &[&str]) -> bool {
    let indent = indent(lines[0]);
    let mut fields = 0;
    lines.iter().all(|line| {
        let is_field = self::indent(line) == indent && field_name(line).is_some();
        fields += usize::from(is_field);
        is_field || (self::indent(line) > indent && fields > 0)
    }) && fields >= 2
}

fn field_name(line: &str) -> Option<&str> {
    let (name, value) = line.trim().split_once(':')?;
    let is_name = name.chars().count() <= MAX_FIELD_CHARS
        && name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || " -_/".contains(c))
        && name.split_whitespace().count() <= 4;
    (is_name && (value.is_empty() || value.starts_with(char::is_whitespace))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Vec<(&'static str, String)> {
        let found = leaves(source);
        found.into_iter().map(|leaf| (leaf.kind.as_str(), precis_text::normalize(&leaf.text))).collect()
    }

    #[test]
    fn clauses_are_items_with_their_numbers() {
        let source = "GENERAL RULES\n\n1. No Federal\n   Judge may be removed.\n2. Neither House\n3. No Member State\n\nThe end. It is.";
        assert_eq!(
            read(source),
            [
                ("heading", "GENERAL RULES".to_owned()),
                ("list_item", "1. No Federal Judge may be removed.".to_owned()),
                ("list_item", "2. Neither House".to_owned()),
                ("list_item", "3. No Member State".to_owned()),
                ("paragraph", "The end. It is.".to_owned()),
            ]
        );
    }

    #[test]
    fn line_breaks_and_line_start_numbers_cut_no_sentence() {
        for source in [
            "No party shall\ndisclose confidential information.",
            "The rule does not hold for figure\n3. It holds elsewhere.",
            "Nobody may enter before\n- or after - the doors are open.",
            "It was not in\n2020. It was later.",
        ] {
            assert_eq!(read(source).len(), 1, "{source}");
        }
    }

    #[test]
    fn a_list_may_begin_inside_a_paragraph_that_announces_it() {
        let found = read("You need:\n- milk\n- eggs and\n  flour\n- (b) salt");
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["You need:", "- milk", "- eggs and flour", "- (b) salt"]);
    }

    #[test]
    fn underlined_lines_are_headings_and_underlines_are_furniture() {
        let found = leaves("Title\n=====\n\nText here.\n\nPart\n----\nMore text.\n\n=====\nOver\n=====\n");
        let found: Vec<_> = found.iter().map(|l| (l.kind.as_str(), l.text.as_str(), l.level)).collect();
        assert_eq!(found[0], ("heading", "Title", Some(1)));
        assert_eq!(found[3], ("heading", "Part", Some(2)));
        assert_eq!(found[5], ("paragraph", "More text.", None));
        assert_eq!(found[7], ("heading", "Over", Some(1)));
        assert_eq!(found.iter().filter(|f| f.0 == "furniture").count(), 4);
    }

    #[test]
    fn names_with_values_are_fields() {
        let found = read("PEP: 8\nTitle: Style Guide\nAuthor: A. B. <a at b.c>,\n        C. D.\nStatus: Active\n");
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|(kind, _)| *kind == "form_field"));
        assert_eq!(found[2].1, "Author: A. B. <a at b.c>, C. D.");
        assert_eq!(read("Note: this is a sentence.\nIt goes on here.").len(), 1);
    }
}
