//! Joins lines and repairs words hyphenated at line ends. A hyphen is only removed between lower-case letters; a compound that the document
//! writes with a hyphen elsewhere keeps it.

use std::collections::BTreeSet;

use super::line::{begins_wide, ends_wide};

/// Most compounds remembered; limits the memory. Chosen, not measured.
const MAX_COMPOUNDS: usize = 20_000;

/// Joins the lines of a document, using its hyphenated compounds.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    compounds: BTreeSet<String>,
}

impl Joiner {
    /// Joins lines and repairs hyphenated words: `exam-` and `ple` become `example`; `well-` and `known` become `well-known` if the
    /// document contains that compound. Lines in a script without spaces are joined directly; all others stay on separate lines.
    pub(super) fn join<'t>(&self, lines: impl Iterator<Item = &'t str>) -> String {
        let mut out = String::new();
        for line in lines {
            match self.seam(&out, line) {
                Seam::Line if out.is_empty() => {}
                Seam::Line => out.push('\n'),
                Seam::Kept => {}
                Seam::Mended => out.truncate(out.len() - 1),
            }
            out.push_str(line);
        }
        out
    }

    /// Records the hyphenated compounds of a text.
    pub(super) fn learn(&mut self, text: &str) {
        for word in text.split_whitespace().filter(|w| w.contains('-')) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.contains('-') && self.compounds.len() < MAX_COMPOUNDS {
                self.compounds.insert(word.to_lowercase());
            }
        }
    }

    fn seam(&self, text: &str, next: &str) -> Seam {
        if ends_wide(text) && begins_wide(next) {
            return Seam::Kept;
        }
        let Some(head) = text.strip_suffix('-') else {
            return Seam::Line;
        };
        let before = head.rsplit(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap_or_default();
        let after: &str = next.split(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap_or_default();
        let (Some(last), Some(first)) = (before.chars().next_back(), after.chars().next()) else {
            return Seam::Line;
        };
        if !last.is_alphanumeric() || !first.is_alphanumeric() {
            return Seam::Line;
        }
        let compound = format!("{before}-{after}").to_lowercase();
        // Hyphenation never separates a single letter, so these are compounds: `n-dimensional`, `e-mail`.
        let single = before.chars().nth(1).is_none();
        if single || before.contains('-') || self.compounds.contains(&compound) {
            return Seam::Kept;
        }
        if last.is_lowercase() && first.is_lowercase() {
            return Seam::Mended;
        }
        Seam::Kept
    }
}

/// The separator between two lines.
enum Seam {
    Line,
    /// Nothing: the line ends with a hyphen that is kept, or in a script without spaces.
    Kept,
    /// Nothing, and the hyphen is removed.
    Mended,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_words_are_mended_where_that_is_safe() {
        let table = [
            ("an exam-\nple of it", "an example of it"),
            ("a well-known fact is well-\nknown", "a well-known fact is well-known"),
            ("state-of-the-\nart work", "state-of-the-art work"),
            ("COVID-\n19 cases", "COVID-19 cases"),
            ("Smith-\nJones", "Smith-Jones"),
            ("a dash -\nthen more", "a dash -\nthen more"),
            ("a list:\n- item", "a list:\n- item"),
            ("an n-\ndimensional space", "an n-dimensional space"),
            ("中文\n换行", "中文换行"),
            ("한국어\n문장", "한국어\n문장"),
            ("ends in a cut-", "ends in a cut-"),
            ("", ""),
        ];
        for (given, want) in table {
            let mut joiner = Joiner::default();
            given.lines().for_each(|line| joiner.learn(line));
            assert_eq!(joiner.join(given.lines()), want, "{given:?}");
        }
    }

    #[test]
    fn a_compound_of_the_document_is_remembered() {
        let mut joiner = Joiner::default();
        joiner.learn("long-term plans");
        assert_eq!(joiner.join("in the long-\nterm view".lines()), "in the long-term view");
    }
}
