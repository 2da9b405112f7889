//! Lines, what they begin with, and the lines inside a block: those around it without the columns before them.

use crate::plain::ends_text;

/// Columns between two tab stops (docutils' default).
const TAB_COLUMNS: usize = 8;
/// Longest name of a role, a directive, a label or a substitution, in bytes; chosen, not measured.
pub(super) const MAX_NAME_BYTES: usize = 128;
/// Longest number of an item, in digits or letters.
const MAX_NUMBER_BYTES: usize = 9;

/// `source` with spaces in place of its tabs, and without white space at the end of its lines.
pub(super) fn expand_tabs(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    for line in source.lines().map(str::trim_end) {
        let mut column = 0;
        for c in line.chars() {
            let width = if c == '\t' { TAB_COLUMNS - column % TAB_COLUMNS } else { 1 };
            let c = if matches!(c, '\t' | '\u{b}' | '\u{c}') { ' ' } else { c };
            out.extend(std::iter::repeat_n(c, width));
            column += width;
        }
        out.push('\n');
    }
    out
}

/// Number of spaces before the text of `line`.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The index of the first blank line from `at` on.
pub(super) fn block_end(lines: &[&str], at: usize) -> usize {
    lines[at..].iter().position(|line| line.is_empty()).map_or(lines.len(), |length| at + length)
}

/// The text of `lines`, without the spaces around each.
pub(super) fn join_lines(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

/// The indented lines from `at` on, blank ones between and before them included, seen from their least indentation or from column `most`, and
/// the index behind the last; no lines and `at` if there are none.
pub(super) fn indented_lines<'a>(lines: &[&'a str], at: usize, most: usize) -> (Vec<&'a str>, usize) {
    let below = lines.get(at..).unwrap_or_default();
    let length = below.iter().take_while(|line| line.is_empty() || line.starts_with(' ')).count();
    let end = below[..length].iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let column = below[..end].iter().filter(|line| !line.is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    (below[..end].iter().map(|line| line.get(column.min(most)..).unwrap_or_default()).collect(), at + end)
}

/// The lines of the construct on line `at`, whose text begins behind `skip` bytes: the rest of that line and the indented lines below. Then
/// the index behind them.
pub(super) fn body<'a>(lines: &[&'a str], at: usize, skip: usize) -> (Vec<&'a str>, usize) {
    body_from(lines, at, skip, usize::MAX)
}

fn body_from<'a>(lines: &[&'a str], at: usize, skip: usize, most: usize) -> (Vec<&'a str>, usize) {
    let rest = lines[at].get(skip..).unwrap_or_default().trim_start();
    let (mut body, end) = indented_lines(lines, at + 1, if rest.is_empty() { usize::MAX } else { most });
    if !rest.is_empty() {
        body.insert(0, rest);
    }
    (body, end)
}

/// The lines of the list item on line `at` behind a marker of `marker` bytes, and the index behind them. Adjacent lines with too little
/// indentation belong to it, because its sentence continues there; so do such with too much, in lower case.
pub(super) fn item<'a>(lines: &[&'a str], at: usize, marker: usize) -> (Vec<&'a str>, usize) {
    let goes_on = |below: &&str| below.starts_with(' ') && below.trim_start().starts_with(char::is_lowercase);
    let is_sentence = lines.get(at + 1).is_some_and(goes_on) && !lines[at].ends_with("::");
    let column = lines[at][..marker].chars().count() + indent(&lines[at][marker..]);
    let (mut body, mut end) = body_from(lines, at, marker, if is_sentence { usize::MAX } else { column });
    let begins = |line: &str| line.starts_with(|c: char| "-+*•‣⁃:|=_.".contains(c)) || number(line).is_some();
    let is_one_piece = lines[at].len() > marker && !body.contains(&"");
    while let Some(line) = lines.get(end).filter(|line| is_one_piece && !line.is_empty() && !begins(line)) {
        if ends_text(lines[end - 1]) {
            break;
        }
        body.push(line.trim_start());
        end += 1;
    }
    (body, end)
}

/// The bullet at the start of `line`.
pub(super) fn bullet(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|c| "-+*•‣⁃".contains(*c))?;
    let (bullet, rest) = line.split_at(mark.len_utf8());
    (rest.is_empty() || rest.starts_with(' ')).then_some(bullet)
}

/// The number, letter or Roman numeral at the start of `line` with what stands around it, and without. `#` continues the numbering; longer
/// words and larger numerals are none, such as in `did.` and `mix.`.
pub(super) fn number(line: &str) -> Option<(&str, &str)> {
    let is_open = line.starts_with('(');
    let body = &line[usize::from(is_open)..];
    let (number, rest) = body.split_at(body.find(|c: char| !c.is_ascii_alphanumeric() && c != '#')?);
    let behind = rest.strip_prefix(')').or_else(|| rest.strip_prefix('.').filter(|_| !is_open))?;
    let is_roman = ["ivxl", "IVXL"].iter().any(|marks| number.chars().all(|c| marks.contains(c)));
    let is_number = number.len() == 1 || is_roman || number.bytes().all(|b| b.is_ascii_digit());
    let is_apart = behind.is_empty() || behind.starts_with(' ');
    let is_short = (1..=MAX_NUMBER_BYTES).contains(&number.len());
    (is_number && is_apart && is_short).then_some((&line[..line.len() - behind.len()], number))
}

/// The command-line options at the start of `line`, such as `-a, --all`, which two spaces set apart from their description.
pub(super) fn options(line: &str) -> Option<&str> {
    let (options, _) = line.split_once("  ").filter(|(options, _)| options.starts_with(['-', '/', '+']))?;
    let is_option = |option: &str| option.starts_with(['-', '/', '+']) && option.contains(char::is_alphanumeric);
    options.split(", ").all(is_option).then_some(options)
}

/// Length in bytes of the simple name at the start of `text`: letters and digits, with characters of `-._+:` between them.
pub(super) fn simple_name(text: &str) -> usize {
    let text = &text[..text.floor_char_boundary(MAX_NAME_BYTES)];
    let end = text.find(|c: char| !c.is_alphanumeric() && !"-._+:".contains(c)).unwrap_or(text.len());
    let name = text[..end].trim_end_matches(|c: char| !c.is_alphanumeric());
    if name.starts_with(char::is_alphanumeric) { name.len() } else { 0 }
}

/// The name of the directive at the start of `rest`, which stands behind two dots, and the line behind it.
pub(super) fn directive_name(rest: &str) -> Option<(&str, &str)> {
    let (name, behind) = rest.split_at(simple_name(rest));
    let behind = behind.trim_start().strip_prefix("::")?;
    (!name.is_empty() && (behind.is_empty() || behind.starts_with(' '))).then_some((name, behind.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_the_rest_of_a_line_and_indented_lines() {
        for (source, skip, want) in [
            ("- a\n  b\n\n  c\nd", 2, &["a", "b", "", "c"][..]),
            (".. x::\n\n     b\n   c\n\n", 6, &["", "  b", "c"]),
            (":n:   a\n\tb", 3, &["a", "b"]),
            ("- \nb", 1, &[]),
            ("..", 2, &[]),
        ] {
            let source = expand_tabs(source);
            let lines: Vec<&str> = source.lines().collect();
            assert_eq!(body(&lines, 0, skip).0, want, "{source:?}");
        }
    }

    #[test]
    fn tabs_reach_the_next_stop() {
        assert_eq!(expand_tabs("\ta\tb  \u{c}"), "        a       b\n");
    }

    #[test]
    fn numbers_are_distinguished_from_words() {
        for (line, want) in [
            ("1. x", Some("1.")),
            ("(iv) x", Some("(iv)")),
            ("#) x", Some("#)")),
            ("B.", Some("B.")),
            ("123456789. x", Some("123456789.")),
            ("12345678. x", Some("12345678.")),
            ("1234567890. x", None),
            ("did. x", None),
            ("mix. x", None),
            ("1.5 x", None),
            ("(1. x", None),
            ("(see) x", None),
            ("# x", None),
            (". x", None),
            ("é. x", None),
        ] {
            assert_eq!(number(line).map(|(text, _)| text), want, "{line}");
        }
    }

    #[test]
    fn options_are_those_of_commands() {
        for (line, want) in [
            ("-a  x", Some("-a")),
            ("-f FILE, --file=<a b>  x", Some("-f FILE, --file=<a b>")),
            ("/V  x", Some("/V")),
            ("--  x", None),
            ("-a, b  x", None),
            ("-a x", None),
        ] {
            assert_eq!(options(line), want, "{line}");
        }
    }
}
