//! Definitions that a page may use anywhere: targets, substitutions and the numbers of notes.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use precis_text::normalize;

use super::delimiters::unescaped;

/// Most characters inserted by all substitutions together: a page of ten megabytes could ask for any number. Chosen, not measured.
const MAX_SUBSTITUTED: usize = 1_000_000;
/// Symbols of auto-symbol notes, in order (docutils).
const SIGNS: [char; 10] = ['*', '†', '‡', '§', '¶', '#', '♠', '♥', '♦', '♣'];

/// The definitions of a page.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    substitutions: HashMap<String, String>,
    targets: HashSet<String>,
    has_anonymous: bool,
    /// Numbers of auto-numbered notes with a label.
    labels: HashMap<String, usize>,
    /// Numbers of auto-numbered notes without a label.
    unlabelled: Vec<usize>,
    /// Numbers of notes shown so far, without a label and with a symbol; and of the references to them.
    notes: [Cell<usize>; 2],
    references: [Cell<usize>; 2],
    /// Number of characters inserted so far.
    substituted: Cell<usize>,
}

impl Definitions {
    /// Adds the names defined within a line: `_`name`` and `` `name <address>`_ ``.
    pub(super) fn embedded(&mut self, text: &str) {
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

    /// Adds the target whose name is at the start of `rest`.
    pub(super) fn explicit_target(&mut self, rest: &str) {
        if rest.starts_with("_:") || rest == "_" {
            self.has_anonymous = true;
            return;
        }
        let name = match rest.strip_prefix('`') {
            Some(quoted) => quoted.split_once('`').map(|(name, _)| name),
            None => rest.split_once(": ").map(|(name, _)| name).or_else(|| rest.strip_suffix(':')),
        };
        self.targets.extend(name.map(|name| key(&unescaped(name))));
    }

    /// Adds a name defined by a title or a note.
    pub(super) fn target(&mut self, name: &str) {
        self.targets.insert(key(name));
    }

    /// Records that there is an anonymous target.
    pub(super) fn anonymous_target(&mut self) {
        self.has_anonymous = true;
    }

    /// Sets the replacement for `|name|`, unless there already is one.
    pub(super) fn substitute(&mut self, name: String, shown: String) {
        self.substitutions.entry(name).or_insert(shown);
    }

    /// Assigns the lowest free numbers to the notes without a number of their own.
    pub(super) fn number(&mut self, labels: &[&str]) {
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

    /// Whether `name` followed by an underscore is a reference.
    pub(super) fn is_target(&self, name: &str, is_anonymous: bool) -> bool {
        if is_anonymous { self.has_anonymous } else { self.targets.contains(&key(name)) }
    }

    /// The replacement for `|name|`; `None` if there is none, or if the limit is reached.
    pub(super) fn substitution(&self, name: &str) -> Option<String> {
        let text = self.substitutions.get(&normalize(name))?;
        let total = self.substituted.get() + text.len();
        if total > MAX_SUBSTITUTED {
            return None;
        }
        self.substituted.set(total);
        Some(text.clone())
    }

    /// The mark shown at a note with this label.
    pub(super) fn note(&self, label: &str) -> String {
        self.mark(label, &self.notes)
    }

    /// The mark shown at a reference to a note.
    pub(super) fn note_referred(&self, label: &str) -> String {
        self.mark(label, &self.references)
    }

    fn mark(&self, label: &str, counts: &[Cell<usize>; 2]) -> String {
        let next = |count: &Cell<usize>| count.replace(count.get() + 1);
        match label {
            "#" => self.unlabelled.get(next(&counts[0])).map_or(label.to_owned(), usize::to_string),
            "*" => {
                let nth = next(&counts[1]);
                // From the eleventh note on the symbols are doubled, and so on, up to four times.
                SIGNS[nth % SIGNS.len()].to_string().repeat((nth / SIGNS.len() + 1).min(4))
            }
            _ => match label.strip_prefix('#') {
                Some(name) => self.labels.get(&key(name)).map_or(label.to_owned(), usize::to_string),
                None => label.to_owned(),
            },
        }
    }
}

/// Whether `text` is an underline or a separator: a single ASCII punctuation character, repeated.
pub(super) fn is_adornment(text: &str) -> bool {
    text.bytes().next().is_some_and(|mark| mark.is_ascii_punctuation() && text.bytes().all(|byte| byte == mark))
}

/// Normalizes a name, which ignores case and white space.
fn key(name: &str) -> String {
    normalize(name).to_lowercase()
}
