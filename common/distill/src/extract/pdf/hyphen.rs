//! Mends words cut at line ends. A cut is mended only between lower-case letters; a compound that the document writes with its hyphen
//! elsewhere keeps it.

use std::collections::BTreeSet;

/// Compounds remembered, at most; a bound on memory, chosen, not measured.
const MAX_COMPOUNDS: usize = 20_000;

/// Joins pages of one document, remembering its hyphenated compounds from page to page.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    compounds: BTreeSet<String>,
}

impl Joiner {
    /// The page with its cut words mended: `exam-\nple` is `example`, `well-\nknown` is `well-known` where the document has that
    /// compound, and everything else stays on two lines.
    pub(super) fn join(&mut self, page: &str) -> String {
        self.learn(page);
        let lines: Vec<&str> = page.split('\n').collect();
        let mut out = String::with_capacity(page.len());
        for (i, line) in lines.iter().enumerate() {
            let Some(next) = lines.get(i + 1) else {
                out.push_str(line);
                break;
            };
            match self.seam(line, next) {
                Seam::None => {
                    out.push_str(line);
                    out.push('\n');
                }
                Seam::Hyphen => out.push_str(line),
                Seam::Nothing => out.push_str(&line[..line.len() - 1]),
            }
        }
        out
    }

    fn learn(&mut self, page: &str) {
        for word in page.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric())) {
            if word.contains('-') && self.compounds.len() < MAX_COMPOUNDS {
                self.compounds.insert(word.to_lowercase());
            }
        }
    }

    fn seam(&self, line: &str, next: &str) -> Seam {
        let Some(head) = line.strip_suffix('-') else {
            return Seam::None;
        };
        let before = head.rsplit(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap_or_default();
        let after: &str = next.split(|c: char| !(c.is_alphanumeric() || c == '-')).next().unwrap_or_default();
        let (Some(last), Some(first)) = (before.chars().next_back(), after.chars().next()) else {
            return Seam::None;
        };
        if !last.is_alphanumeric() || !first.is_alphanumeric() {
            return Seam::None;
        }
        let compound = format!("{before}-{after}").to_lowercase();
        if before.contains('-') || self.compounds.contains(&compound) {
            return Seam::Hyphen;
        }
        if last.is_lowercase() && first.is_lowercase() {
            return Seam::Nothing;
        }
        Seam::Hyphen
    }
}

/// What stands between two lines after mending.
enum Seam {
    None,
    Hyphen,
    Nothing,
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
            ("last para-\n\ngraph", "last para-\n\ngraph"),
            ("ends in a cut-", "ends in a cut-"),
            ("", ""),
        ];
        for (given, want) in table {
            assert_eq!(Joiner::default().join(given), want, "{given:?}");
        }
    }

    #[test]
    fn a_compound_of_an_earlier_page_is_remembered() {
        let mut joiner = Joiner::default();
        joiner.join("long-term plans");
        assert_eq!(joiner.join("in the long-\nterm view"), "in the long-term view");
    }
}
