//! Looks for words that must not be told, through everything that is told, and says at the end all places where they stand.

use std::collections::BTreeSet;
use std::path::Path;

/// Characters before a word that are shown where it was found.
const SHOWN: usize = 200;

/// What was looked through, and what was found.
#[derive(Debug, Default)]
pub struct Silence {
    looked: BTreeSet<String>,
    found: Vec<String>,
}

impl Silence {
    /// Looks for `words` in `text`, which `who` tells.
    pub fn look(&mut self, who: &str, text: &str, words: &[&str]) {
        self.looked.insert(who.to_owned());
        for word in words {
            if let Some(at) = text.find(word) {
                let from = text[..at].char_indices().rev().nth(SHOWN).map_or(0, |(at, _)| at);
                self.found.push(format!("{who} tells {word}: {}", &text[from..at + word.len()]));
            }
        }
    }

    /// Looks for `words` in every file below `dir`.
    pub fn look_into(&mut self, dir: &Path, words: &[&str]) {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => self.look_into(&path, words),
                path => {
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    self.look(&path.display().to_string(), &String::from_utf8_lossy(&bytes), words);
                }
            }
        }
    }

    /// Whether no word was found so far.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.found.is_empty()
    }

    /// Ends the search, which must have looked at each of `tellers`.
    ///
    /// # Panics
    /// If a word was found, with all places, or if one of `tellers` told nothing.
    pub fn end(self, tellers: &[&str]) {
        let Self { looked, found } = self;
        for teller in tellers {
            assert!(looked.iter().any(|who| who.starts_with(teller)), "{teller} told nothing: {looked:?}");
        }
        assert!(found.is_empty(), "{}", found.join("\n\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_every_word_is_found() {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(dir.path().join("below")).expect("a directory");
        std::fs::write(dir.path().join("below/file"), b"\xff key").expect("a file");
        let mut silence = Silence::default();
        silence.look("a log", "é the key, the door", &["key", "door", "lock"]);
        silence.look_into(dir.path(), &["key"]);
        assert_eq!(silence.found.len(), 3, "{:?}", silence.found);
        assert!(silence.found[0].starts_with("a log tells key: "), "{}", silence.found[0]);
    }

    #[test]
    #[should_panic(expected = "a metric told nothing")]
    fn who_was_not_looked_at_is_not_silent() {
        let mut silence = Silence::default();
        silence.look("a log", "", &[]);
        silence.end(&["a log", "a metric"]);
    }
}
