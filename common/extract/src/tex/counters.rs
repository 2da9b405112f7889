//! [`Counters`]: numbers that TeX computes: of sections, items and notes.

use super::super::ordinal::{OrdinalStyle, format_ordinal};

/// The units of a document, from the largest.
const UNITS: [&str; 7] = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];
/// The index of chapters and of sections among them.
const CHAPTER: usize = 1;
const SECTION: usize = 2;

/// Counted so far.
#[derive(Debug, Default)]
pub(super) struct Counters {
    units: [u32; UNITS.len()],
    /// Whether the class has chapters.
    pub(super) has_chapters: bool,
    /// Whether units are numbered: a part of a document does not say with which number it begins.
    pub(super) is_document: bool,
    is_appendix: bool,
    pub(super) notes: u32,
    equations: u32,
}

/// The index of the unit `name` among the units; `None` if it is none.
pub(super) fn unit(name: &str) -> Option<usize> {
    UNITS.iter().position(|unit| *unit == name)
}

impl Counters {
    /// The level of a heading of `unit`: 1 for parts, chapters and, where there are none, sections.
    pub(super) fn level(&self, unit: usize) -> u8 {
        let first = if self.has_chapters { CHAPTER } else { SECTION };
        u8::try_from(unit.saturating_sub(first)).unwrap_or(u8::MAX).saturating_add(1)
    }

    /// The number of the next `unit`; empty if it has none.
    pub(super) fn next(&mut self, unit: usize) -> String {
        let first = if self.has_chapters { CHAPTER } else { SECTION };
        // As the standard classes do: three numbers deep, and parts apart from the rest.
        if !self.is_document || unit > first + 2 || (unit == CHAPTER && !self.has_chapters) {
            return String::new();
        }
        self.units[unit] += 1;
        if unit == 0 {
            return format_ordinal(i64::from(self.units[0]), OrdinalStyle::Roman);
        }
        self.units[unit + 1..].fill(0);
        let style =
            |at: usize| if at == first && self.is_appendix { OrdinalStyle::Letters } else { OrdinalStyle::Figures };
        let numbers: Vec<String> =
            (first..=unit).map(|at| format_ordinal(i64::from(self.units[at]), style(at))).collect();
        numbers.join(".")
    }

    /// What follows is the appendix.
    pub(super) fn begin_appendix(&mut self) {
        self.is_appendix = true;
        let first = if self.has_chapters { CHAPTER } else { SECTION };
        self.units[first..].fill(0);
    }

    /// The number of the next equation; empty if the document does not say.
    pub(super) fn equation(&mut self) -> String {
        self.equations += 1;
        match (self.is_document, self.has_chapters) {
            (false, _) => String::new(),
            (true, true) => format!("{}.{}", self.units[CHAPTER], self.equations),
            (true, false) => self.equations.to_string(),
        }
    }
}

/// The mark of item `number` of a numbered list, as the standard classes write it `depth` lists deep, from 1.
pub(super) fn item(number: u32, depth: usize) -> String {
    let number = i64::from(number);
    match depth {
        1 => format!("{}.", format_ordinal(number, OrdinalStyle::Figures)),
        2 => format!("({})", format_ordinal(number, OrdinalStyle::SmallLetters)),
        3 => format!("{}.", format_ordinal(number, OrdinalStyle::SmallRoman)),
        _ => format!("{}.", format_ordinal(number, OrdinalStyle::Letters)),
    }
}

/// The mark of item `number` as `label` writes it: `(\alph{enumi})`, `\roman*.`.
pub(super) fn item_mark(label: &str, number: u32) -> String {
    let mut mark = label.to_owned();
    for (name, style) in [
        ("arabic", OrdinalStyle::Figures),
        ("alph", OrdinalStyle::SmallLetters),
        ("Alph", OrdinalStyle::Letters),
        ("roman", OrdinalStyle::SmallRoman),
        ("Roman", OrdinalStyle::Roman),
    ] {
        let Some((before, behind)) = mark.split_once(&format!("\\{name}")) else { continue };
        let behind = match behind.trim_start().strip_prefix('{') {
            Some(counter) => counter.split_once('}').map_or("", |(_, behind)| behind),
            None => {
                let behind = behind.trim_start_matches('*');
                let counter = behind.trim_start().strip_prefix("enum");
                counter.map_or(behind, |rest| rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()))
            }
        };
        mark = format!("{before}{}{behind}", format_ordinal(i64::from(number), style));
    }
    mark.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_numbered_within_those_above_them() {
        let of = |has_chapters: bool, names: &[&str]| {
            let mut counters = Counters { has_chapters, is_document: true, ..Counters::default() };
            let number = |name: &&str| match *name {
                "appendix" => {
                    counters.begin_appendix();
                    String::new()
                }
                name => counters.next(unit(name).expect("a unit")),
            };
            names.iter().map(number).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            of(false, &["section", "subsection", "subsubsection", "paragraph", "section", "subsection"]),
            "1 1.1 1.1.1  2 2.1"
        );
        assert_eq!(
            of(true, &["part", "chapter", "section", "subsection", "subsubsection", "chapter", "section"]),
            "I 1 1.1 1.1.1  2 2.1"
        );
        assert_eq!(of(false, &["section", "appendix", "section", "subsection"]), "1  A A.1");
    }

    #[test]
    fn labels_of_items_are_those_that_the_document_writes() {
        for (label, want) in [
            ("(\\alph{enumi})", "(c)"),
            ("\\roman*.", "iii."),
            ("§\\arabic* ", "§3"),
            ("\\Roman enumi)", "III)"),
            ("-", "-"),
        ] {
            assert_eq!(item_mark(label, 3), want, "{label}");
        }
    }

    #[test]
    fn items_are_numbered_as_the_standard_classes_do() {
        assert_eq!([1, 2, 3, 4].map(|depth| item(2, depth)), ["2.", "(b)", "ii.", "B."]);
    }
}
