//! What a page defines anywhere and uses anywhere: substitutions, which are found before the page is read, and the marks of notes.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use precis_text::normalize;

use super::lines::{indent, join_lines};

/// Most characters inserted by all substitutions together: a page of ten megabytes could ask for any number. Chosen, not measured.
const MAX_SUBSTITUTED: usize = 1_000_000;

/// The definitions of a page.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    substitutions: HashMap<String, String>,
    /// Numbers of the notes that have none of their own, by label; the third note without a label has the label `3 `.
    numbers: HashMap<String, usize>,
    /// Numbers of notes without a label so far, and of references to them.
    notes: Cell<usize>,
    references: Cell<usize>,
    /// Number of characters inserted so far.
    substituted: Cell<usize>,
}

impl Definitions {
    /// The definitions of the page consisting of `lines`; `shown` gives the words of the source of a replacement.
    pub(super) fn of(lines: &[&str], shown: fn(&str) -> String) -> Self {
        let (mut found, mut labels) = (Self::default(), Vec::new());
        for (at, line) in lines.iter().enumerate() {
            let Some(rest) = line.trim_start().strip_prefix(".. ") else { continue };
            labels.extend(
                rest.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(label, _)| label),
            );
            let Some((name, directive)) = rest.trim_start().strip_prefix('|').and_then(|rest| rest.split_once('|'))
            else {
                continue;
            };
            let is_inside = |below: &&&str| below.is_empty() || indent(below) > indent(line);
            let below: Vec<&str> = lines[at + 1..].iter().take_while(is_inside).copied().collect();
            if let Some(source) = replacement(directive, &below) {
                found.substitutions.entry(normalize(name)).or_insert_with(|| shown(&source));
            }
        }
        found.number(&labels);
        found
    }

    /// Assigns the lowest free numbers to the notes without a number of their own.
    fn number(&mut self, labels: &[&str]) {
        let taken: HashSet<usize> = labels.iter().filter_map(|label| label.parse().ok()).collect();
        let mut free = (1..).filter(|number| !taken.contains(number));
        let mut unlabelled = 0;
        for label in labels.iter().filter_map(|label| label.strip_prefix('#')) {
            unlabelled += usize::from(label.is_empty());
            let key = if label.is_empty() { format!("{unlabelled} ") } else { label.to_lowercase() };
            let next = free.next().unwrap_or_default();
            self.numbers.entry(key).or_insert(next);
        }
    }

    /// The replacement for `|name|`; `None` if there is none, or if the limit is reached.
    pub(super) fn substitution(&self, name: &str) -> Option<&str> {
        let text = self.substitutions.get(&normalize(name))?;
        let total = self.substituted.get() + text.len();
        (total <= MAX_SUBSTITUTED).then(|| {
            self.substituted.set(total);
            text.as_str()
        })
    }

    /// The mark shown at a note with this label, or at a reference to it.
    pub(super) fn note(&self, label: &str, is_reference: bool) -> String {
        let Some(name) = label.strip_prefix('#') else { return format!("[{label}]") };
        let shown = if is_reference { &self.references } else { &self.notes };
        let key =
            if name.is_empty() { format!("{} ", shown.replace(shown.get() + 1) + 1) } else { name.to_lowercase() };
        format!("[{}]", self.numbers.get(&key).map_or_else(|| label.to_owned(), usize::to_string))
    }
}

/// The source of what a substitution directive with the lines `below` puts in.
fn replacement(directive: &str, below: &[&str]) -> Option<String> {
    let (kind, rest) = directive.trim_start().split_once("::")?;
    let alternative = || below.iter().find_map(|line| line.trim().strip_prefix(":alt:")).unwrap_or_default();
    match kind {
        "replace" => format!("{rest}\n{}", join_lines(below)).trim_start().split("\n\n").next().map(str::to_owned),
        "unicode" => Some(rest.split_whitespace().take_while(|code| *code != "..").map(character).collect()),
        "image" => Some(alternative().to_owned()),
        _ => None,
    }
}

/// The character with this code, escaped since the text is read as markup; the text itself if it is not a code.
fn character(code: &str) -> String {
    let digits = ["0x", "x", "\\x", "U+", "u", "\\u"].iter().find_map(|prefix| code.strip_prefix(prefix));
    let number = digits.map_or_else(|| code.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok());
    let found = number.and_then(char::from_u32).filter(|c| !c.is_control());
    found.map_or_else(|| code.to_owned(), |c| format!("\\{c}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(page: &str) -> Definitions {
        Definitions::of(&page.lines().collect::<Vec<_>>(), |source| normalize(&source.replace(['*', '\\'], "")))
    }

    #[test]
    fn definitions_are_found_wherever_they_stand() {
        let page = "- x\n\n  .. |in| replace:: a\n     *b*\n\n     c\n.. |c| unicode:: 0xA9 .. x\n.. |i| image:: x.png\n   :alt: pic\n.. |d| date::\n.. |below| replace::\n\n   e\n";
        let found = of(page);
        for (name, want) in
            [("in", Some("a b")), ("c", Some("©")), ("i", Some("pic")), ("d", None), ("below", Some("e"))]
        {
            assert_eq!(found.substitution(name), want, "{name}");
        }
    }

    #[test]
    fn notes_without_number_take_the_lowest_that_is_free() {
        let found = of(".. [#a] x\n.. [1] y\n.. [#] z\n.. [*] s\n.. [3] t\n.. [#] u\n");
        for is_reference in [false, true] {
            let marks = ["#a", "1", "#", "*", "#none", "Cit", "#"].map(|label| found.note(label, is_reference));
            assert_eq!(marks, ["[2]", "[1]", "[4]", "[*]", "[#none]", "[Cit]", "[5]"]);
        }
    }

    #[test]
    fn what_is_put_in_is_bounded() {
        for (most, is_put_in) in [(MAX_SUBSTITUTED - 1, true), (MAX_SUBSTITUTED, true), (MAX_SUBSTITUTED + 1, false)] {
            let found = of(&format!(".. |a| replace:: {}\n.. |b| replace:: b\n", "x".repeat(most - 1)));
            let put_in = [found.substitution("a"), found.substitution("b")];
            assert_eq!(put_in.map(|text| text.is_some()), [true, is_put_in], "{most}");
        }
    }
}
