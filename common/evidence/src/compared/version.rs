//! Parses the version that a sentence states for a thing: that it is, requires or runs.

use std::ops::Range;

use precis_language::version::{has_one_version, is_version_word, unspaced_version};
use precis_language::words::tokens;

/// Most numbers of a version.
const MOST_PARTS: usize = 5;
/// The numbers of a version, most significant first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VersionNumber(Vec<u64>);

impl VersionNumber {
    /// Whether a thing cannot have both: `3.11` is a less precise `3.11.2` and does not differ.
    pub(super) fn differs(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a != b)
    }
}

/// The version that `value` begins with.
pub(super) fn leading_version(value: &str) -> Option<(VersionNumber, Range<usize>)> {
    let from = value.len() - value.trim_start_matches(['v', 'V']).len();
    let digits = value[from..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len() - from);
    let written = value[from..from + digits].trim_end_matches('.');
    let end = from + written.len();
    // `3.x`, `2-beta` and `1.2rc1` are not plain versions.
    let is_open =
        value[end..].trim_start_matches('.').starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '+');
    let parts: Option<Vec<u64>> = written.split('.').map(|part| part.parse().ok()).collect();
    let parts = parts.filter(|parts| parts.len() <= MOST_PARTS && !is_open)?;
    Some((VersionNumber(parts), 0..end))
}

/// The version that `sentence` states for its subject.
pub(super) fn stated_version(sentence: &str) -> Option<(VersionNumber, Range<usize>)> {
    let lower: Vec<(usize, String)> = tokens(sentence, &[]).map(|run| (run.range.start, run.lower())).collect();
    let verb = lower.iter().skip(1).position(|(_, word)| has_one_version(word)).map(|at| at + 1);
    if let Some(verb) = verb {
        let is_told = lower[..verb].iter().any(|(_, word)| is_version_word(word));
        for (n, (at, word)) in lower.iter().enumerate().skip(verb + 1) {
            let is_marked = is_version_word(&lower[n - 1].1) || (word.starts_with('v') && word.len() > 1);
            let is_next = is_told && n == verb + 1;
            if let Some((version, range)) = leading_version(&sentence[*at..]).filter(|_| is_marked || is_next) {
                return Some((version, *at..*at + range.end));
            }
        }
        return None;
    }
    let mark = unspaced_version(sentence)?;
    let (version, range) = leading_version(sentence[mark..].trim_start())?;
    let at = mark + (sentence[mark..].len() - sentence[mark..].trim_start().len());
    Some((version, at..at + range.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_where_a_thing_has_one_at_a_time() {
        for (sentence, want) in [
            ("The current version of Brem is 3.11.", Some("3.11")),
            ("Brem requires Python version 3.8 or newer.", Some("3.8")),
            ("Brem runs v2.0.1.", Some("v2.0.1")),
            ("Die aktuelle Version ist 4.", Some("4")),
            ("La versión actual es 2.4.", Some("2.4")),
            ("Brem的最新版本是3.2。", Some("3.2")),
            ("Version 2.0 is stable.", None),
            ("Brem supports version 3.8.", None),
            ("The version is unknown, and 3 people use it.", None),
            ("Its price is 3.50 euros.", None),
            ("The version is 3.x.", None),
            ("", None),
        ] {
            assert_eq!(stated_version(sentence).map(|(_, range)| &sentence[range]), want, "{sentence}");
        }
        let read = |text: &str| leading_version(text).expect("a version").0;
        assert!(!read("3.11").differs(&read("3.11.2")) && read("3.11").differs(&read("3.12")));
        assert!(leading_version("1.2.3.4.5").is_some() && leading_version("1.2.3.4.5.6").is_none());
    }
}
