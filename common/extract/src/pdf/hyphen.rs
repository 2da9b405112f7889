//! Joins lines and repairs words hyphenated at line ends. A hyphen is only removed between lower-case letters. Whether it belongs to the word
//! is decided by what the document shows: how it writes the word elsewhere, and how its other lines are broken.

use std::collections::BTreeMap;

use precis_language::heading::joins_list;

use super::line::{begins_wide, ends_wide};

/// Most broken words compared with the rest of the document; limits the memory. Chosen, not measured.
const MAX_BROKEN: usize = 20_000;

/// Joins the lines of a document, using the words it contains.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    /// How often the document has each word that a line may break: whole, and with its hyphen.
    words: BTreeMap<String, usize>,
    /// Whether the document breaks lines only at hyphens that belong to their words.
    keeps_hyphens: bool,
}

impl Joiner {
    /// Learns from the lines of a document, in reading order, how it writes the words that its lines break.
    pub(super) fn from_lines<'t>(lines: impl Iterator<Item = &'t str> + Clone) -> Self {
        let mut joiner = Self::default();
        let broken = lines.clone().zip(lines.clone().skip(1)).filter_map(|(line, next)| BrokenWord::at(line, next));
        for word in broken.take(MAX_BROKEN) {
            joiner.words.insert(word.whole(), 0);
            joiner.words.insert(word.with_hyphen(), 0);
        }
        if joiner.words.is_empty() {
            return joiner;
        }
        for word in lines.clone().flat_map(str::split_whitespace) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            if let Some(times) = joiner.words.get_mut(&word) {
                *times += 1;
            }
        }
        let (mut kept, mut mended, mut unknown) = (0, 0, 0);
        for (line, next) in lines.clone().zip(lines.skip(1)) {
            match BrokenWord::at(line, next).map(|word| joiner.evidence(&word)) {
                Some(Evidence::Compound | Evidence::List) => kept += 1,
                Some(Evidence::Hyphenated) => mended += 1,
                Some(Evidence::None) => unknown += 1,
                None => {}
            }
        }
        joiner.keeps_hyphens = mended == 0 && unknown <= kept;
        joiner
    }

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

    fn seam(&self, text: &str, next: &str) -> Seam {
        if ends_wide(text) && begins_wide(next) {
            return Seam::Kept;
        }
        let Some(word) = BrokenWord::at(text, next) else {
            return Seam::Line;
        };
        match self.evidence(&word) {
            Evidence::List => Seam::Line,
            Evidence::Compound => Seam::Kept,
            Evidence::Hyphenated => Seam::Mended,
            Evidence::None if self.keeps_hyphens => Seam::Kept,
            Evidence::None => Seam::Mended,
        }
    }

    fn evidence(&self, word: &BrokenWord<'_>) -> Evidence {
        if word.is_address() {
            return Evidence::Compound;
        }
        let times = |form: String| self.words.get(&form).copied().unwrap_or(0);
        let (whole, hyphenated) = (times(word.whole()), times(word.with_hyphen()));
        if !word.is_lower_case() || word.has_single_letter() || word.before.contains('-') || hyphenated > whole {
            return Evidence::Compound;
        }
        if whole > 0 {
            return Evidence::Hyphenated;
        }
        // "pre- and post-war": a part of a compound that another word completes.
        if joins_list(word.next_token) { Evidence::List } else { Evidence::None }
    }
}

/// A word whose line ends behind a hyphen.
struct BrokenWord<'t> {
    /// Its letters and hyphens at the end of the line, without the last hyphen, and at the start of the next.
    before: &'t str,
    after: &'t str,
    /// What stands there up to white space.
    token: &'t str,
    next_token: &'t str,
}

impl<'t> BrokenWord<'t> {
    /// The word broken between two lines, if the first one ends with a hyphen between letters or digits.
    fn at(line: &'t str, next: &'t str) -> Option<Self> {
        let head = line.strip_suffix('-')?;
        let is_part = |c: char| c.is_alphanumeric() || c == '-';
        let before = head.rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
        let after = next.split(|c: char| !is_part(c)).next().unwrap_or_default();
        let is_whole = before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric);
        let token = head.rsplit(char::is_whitespace).next().unwrap_or_default();
        let next_token = next.split(char::is_whitespace).next().unwrap_or_default();
        is_whole.then_some(Self { before, after, token, next_token })
    }

    fn whole(&self) -> String {
        format!("{}{}", self.before, self.after).to_lowercase()
    }

    fn with_hyphen(&self) -> String {
        format!("{}-{}", self.before, self.after).to_lowercase()
    }

    fn is_lower_case(&self) -> bool {
        self.before.ends_with(char::is_lowercase) && self.after.starts_with(char::is_lowercase)
    }

    /// Hyphenation never separates a single letter, so these are compounds: `n-dimensional`, `e-mail`.
    fn has_single_letter(&self) -> bool {
        self.before.chars().nth(1).is_none()
    }

    /// Whether it is part of an address, which is never hyphenated.
    fn is_address(&self) -> bool {
        let is_part = |token: &str| token.contains('@') || token.contains("://") || token.contains("www.");
        is_part(self.token) || is_part(self.next_token)
    }
}

/// What the document says about a broken word.
enum Evidence {
    /// Its hyphen belongs to it.
    Compound,
    /// The hyphen stands for a part that a later word has: a space follows.
    List,
    /// The document has the word without a hyphen.
    Hyphenated,
    None,
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
            ("write to info-\ndesk@example.org", "write to info-desk@example.org"),
            ("see https://example.org/a-\nlong-way", "see https://example.org/a-long-way"),
            ("pre-\nand post-war rooms", "pre-\nand post-war rooms"),
            ("a thou-\nsand, not a thousand", "a thousand, not a thousand"),
            ("", ""),
        ];
        for (given, want) in table {
            let joiner = Joiner::from_lines(given.lines());
            assert_eq!(joiner.join(given.lines()), want, "{given:?}");
        }
    }

    #[test]
    fn a_compound_of_the_document_is_remembered() {
        let lines = ["long-term plans", "in the long-", "term view"];
        assert_eq!(Joiner::from_lines(lines.into_iter()).join(lines[1..].iter().copied()), "in the long-term view");
    }

    #[test]
    fn lines_broken_only_at_hyphens_of_their_words_keep_all_of_them() {
        let at_hyphens = ["the lease of 2019-", "2021 and the self-", "service desk"];
        let joined = |lines: &[&'static str]| Joiner::from_lines(lines.iter().copied()).join(lines.iter().copied());
        assert_eq!(joined(&at_hyphens), "the lease of 2019-2021 and the self-service desk");
        let hyphenated = ["a example of 2019-", "2021 is an exam-", "ple of a self-", "service desk"];
        assert_eq!(joined(&hyphenated), "a example of 2019-2021 is an example of a selfservice desk");
    }
}
