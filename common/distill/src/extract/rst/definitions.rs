//! What a page defines anywhere for use elsewhere: targets, substitutions and the numbers of notes.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::delimiters::unescaped;
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
    /// Names that stand in a line: `_`name`` and `` `name <address>`_ ``.
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

    /// The target whose name begins `rest`.
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

    /// A name that a title or a note defines.
    pub(super) fn target(&mut self, name: &str) {
        self.targets.insert(key(name));
    }

    /// That a target without a name stands somewhere.
    pub(super) fn anonymous_target(&mut self) {
        self.has_anonymous = true;
    }

    /// What stands for `|name|`; the first that is said counts.
    pub(super) fn substitute(&mut self, name: String, shown: String) {
        self.substitutions.entry(name).or_insert(shown);
    }

    /// Gives the notes that have no number of their own the lowest that are free.
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

/// Names are the same whatever their case and spaces.
fn key(name: &str) -> String {
    normalize(name).to_lowercase()
}
