//! What a page defines anywhere for use elsewhere: targets, substitutions and the numbers of notes.
//!
//! Found line by line before the page is read, since a definition may stand behind its use.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::inline;
use super::lines::{Lines, Region};
use crate::text::normalize;

/// Most characters that substitutions put in altogether: a page of ten megabytes could ask for any number. Chosen, not measured.
const MAX_SUBSTITUTED: usize = 1_000_000;
/// Marks of notes that are numbered by signs, in their order (docutils).
const SIGNS: [char; 10] = ['*', '†', '‡', '§', '¶', '#', '♠', '♥', '♦', '♣'];

/// The definitions of a page.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    substitutions: HashMap<String, String>,
    targets: HashSet<String>,
    has_anonymous: bool,
    /// Numbers of notes that have a label.
    labels: HashMap<String, usize>,
    /// Numbers of notes without one.
    unlabelled: Vec<usize>,
    /// How many notes without a label were shown, and how many references to them; likewise of signs.
    notes: [Cell<usize>; 2],
    references: [Cell<usize>; 2],
    /// Characters put in so far.
    substituted: Cell<usize>,
}

impl Definitions {
    /// Those of the page with these lines.
    pub(super) fn of(lines: &Lines<'_>) -> Self {
        let mut found = Self::default();
        let (mut labels, mut replaced) = (Vec::new(), Vec::new());
        let whole = lines.region();
        let mut before = "";
        for (at, line) in lines.all().enumerate() {
            let text = line.trim_start();
            found.embedded(text);
            if text.starts_with("__ ") {
                found.has_anonymous = true;
            }
            if is_adornment(text) && !before.is_empty() {
                found.targets.insert(key(&before.replace(['`', '*'], "")));
            }
            if let Some(rest) = text.strip_prefix(".. ").map(str::trim_start) {
                match rest.chars().next() {
                    Some('[') => labels.extend(rest[1..].split_once(']').map(|(label, _)| label)),
                    Some('_') => found.explicit_target(&rest[1..]),
                    Some('|') => {
                        // Seen from where the line begins, so that what stands further in belongs to it.
                        let column = line.len() - text.len();
                        let region = Region { start: at, first: column, column, ..whole };
                        let skip = text.len() - rest.len();
                        replaced.extend(substitution_on(lines, region, skip));
                    }
                    _ => {}
                }
            }
            before = text;
        }
        found.targets.extend(labels.iter().map(|label| key(label.trim_start_matches('#'))));
        found.number(&labels);
        // Names in a replacement stay as they are: replacing them too could grow without bound.
        for (name, source) in replaced {
            let shown = normalize(&inline::shown(&source, &found));
            found.substitutions.entry(name).or_insert(shown);
        }
        found
    }

    /// Names that stand in a line: `_`name`` and `` `name <address>`_ ``.
    fn embedded(&mut self, text: &str) {
        for (at, _) in text.match_indices(">`_") {
            let name = text[..at].rsplit_once('<').map(|(head, _)| head.trim_end());
            let name = name.and_then(|head| head.rsplit_once('`'));
            self.targets.extend(name.map(|(_, name)| key(name)));
        }
        for (at, _) in text.match_indices("_`") {
            let name = text[at + 2..].split_once('`');
            self.targets.extend(name.map(|(name, _)| key(name)));
        }
    }

    /// The target whose name begins `rest`.
    fn explicit_target(&mut self, rest: &str) {
        if rest.starts_with("_:") || rest == "_" {
            self.has_anonymous = true;
            return;
        }
        let name = match rest.strip_prefix('`') {
            Some(quoted) => quoted.split_once('`').map(|(name, _)| name),
            None => rest.split_once(": ").map(|(name, _)| name).or_else(|| rest.strip_suffix(':')),
        };
        self.targets.extend(name.map(|name| key(&inline::unescaped(name))));
    }

    /// Gives the notes that have no number of their own the lowest that are free.
    fn number(&mut self, labels: &[&str]) {
        let taken: HashSet<usize> = labels.iter().filter_map(|label| label.parse().ok()).collect();
        let mut free = (1..).filter(|number| !taken.contains(number));
        for label in labels.iter().filter_map(|label| label.strip_prefix('#')) {
            let number = free.next().unwrap_or_default();
            match label {
                "" => self.unlabelled.push(number),
                _ => drop(self.labels.entry(key(label)).or_insert(number)),
            }
        }
    }

    /// Whether `name` with an underscore behind it is a reference.
    pub(super) fn is_target(&self, name: &str, is_anonymous: bool) -> bool {
        if is_anonymous { self.has_anonymous } else { self.targets.contains(&key(name)) }
    }

    /// What stands for `|name|`; `None` where nothing does.
    pub(super) fn substitution(&self, name: &str) -> Option<String> {
        let text = self.substitutions.get(&normalize(name))?;
        let total = self.substituted.get() + text.len();
        if total > MAX_SUBSTITUTED {
            return None;
        }
        self.substituted.set(total);
        Some(text.clone())
    }

    /// The mark that a note with this label shows.
    pub(super) fn note(&self, label: &str) -> String {
        self.mark(label, &self.notes)
    }

    /// The mark that a reference to a note shows.
    pub(super) fn note_referred(&self, label: &str) -> String {
        self.mark(label, &self.references)
    }

    fn mark(&self, label: &str, counts: &[Cell<usize>; 2]) -> String {
        let next = |count: &Cell<usize>| count.replace(count.get() + 1);
        match label {
            "#" => self.unlabelled.get(next(&counts[0])).map_or(label.to_owned(), usize::to_string),
            "*" => {
                let nth = next(&counts[1]);
                // From the eleventh note on the signs are doubled; no page has so many that they would be long.
                SIGNS[nth % SIGNS.len()].to_string().repeat((nth / SIGNS.len() + 1).min(4))
            }
            _ => match label.strip_prefix('#') {
                Some(name) => self.labels.get(&key(name)).map_or(label.to_owned(), usize::to_string),
                None => label.to_owned(),
            },
        }
    }
}

/// Whether `text` underlines a title or parts two texts: one mark of ASCII punctuation, again and again.
pub(super) fn is_adornment(text: &str) -> bool {
    text.bytes().next().is_some_and(|mark| mark.is_ascii_punctuation() && text.bytes().all(|byte| byte == mark))
}

/// Name and source of the substitution that begins `skip` bytes into the first line of `region`.
fn substitution_on(lines: &Lines<'_>, region: Region, skip: usize) -> Option<(String, String)> {
    let rest = &lines.view(region, region.start)[skip + 1..];
    let (name, directive) = rest.split_once('|')?;
    let (kind, _) = directive.trim_start().split_once("::")?;
    let spaces = directive.len() - directive.trim_start().len();
    let body = lines.body(region, region.start, skip + 1 + name.len() + 1 + spaces + kind.len() + 2);
    let parts: Vec<&str> = lines.views(body.until(lines.block_end(body, body.start))).collect();
    let source = match kind {
        "replace" => parts.join("\n"),
        "unicode" => parts
            .iter()
            .flat_map(|part| part.split_whitespace())
            .take_while(|code| *code != "..")
            .map(character)
            .collect(),
        "image" => parts.iter().find_map(|part| part.trim().strip_prefix(":alt:")).unwrap_or_default().to_owned(),
        _ => return None,
    };
    Some((normalize(name), source))
}

/// The character with this code, or the text that it is.
fn character(code: &str) -> String {
    let digits = ["0x", "x", "\\x", "U+", "u", "\\u"].iter().find_map(|prefix| code.strip_prefix(prefix));
    let number = digits.map_or_else(|| code.parse().ok(), |digits| u32::from_str_radix(digits, 16).ok());
    match number.and_then(char::from_u32).filter(|c| !c.is_control()) {
        // Escaped: the text is read as markup like every other replacement.
        Some(c) => format!("\\{c}"),
        None => code.to_owned(),
    }
}

/// Names are the same whatever their case and spaces.
fn key(name: &str) -> String {
    normalize(name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_wherever_they_stand() {
        let page = "Title One\n=========\n\n- .. _Deep: u\n.. _`Quo ted`: v\n.. _esc\\: aped: w\n\n  .. |in| replace:: a\n     *b*\n\n     c\n.. |c| unicode:: 0xA9 .. x\n.. |i| image:: x.png\n   :alt: pic\n.. |d| date::\n";
        let found = Definitions::of(&Lines::new(page));
        for (name, is_known) in [("title one", true), ("quo ted", true), ("esc: aped", false), ("Other", false)] {
            assert_eq!(found.is_target(name, false), is_known, "{name}");
        }
        for (name, want) in [("in", Some("a b")), ("c", Some("©")), ("i", Some("pic")), ("d", None)] {
            assert_eq!(found.substitution(name).as_deref(), want, "{name}");
        }
    }

    #[test]
    fn notes_without_number_take_the_lowest_that_is_free() {
        let page = ".. [#a] x\n.. [1] y\n.. [#] z\n.. [*] s\n.. [3] t\n";
        let found = Definitions::of(&Lines::new(page));
        let marks: Vec<String> = ["#a", "1", "#", "*", "#none", "Cit"].map(|label| found.note(label)).to_vec();
        assert_eq!(marks, ["2", "1", "4", "*", "#none", "Cit"]);
    }

    #[test]
    fn what_is_put_in_is_bounded() {
        let long = "x".repeat(1_000);
        let page = format!(".. |a| replace:: {long}\n");
        let found = Definitions::of(&Lines::new(&page));
        let shown = inline::shown(&"|a| ".repeat(2_000), &found);
        assert!(shown.len() < MAX_SUBSTITUTED + 20_000 && shown.ends_with("|a| "), "{}", shown.len());
    }
}
