//! What a section of a document is for, by the whole of its heading.

use precis_proto::BlockKind;
use precis_proto::finding::Unit;

/// Headings of an abstract, lower case.
const ABSTRACTS: [&str; 12] = [
    "abstract",
    "summary",
    "overview",
    "introduction",
    "zusammenfassung",
    "überblick",
    "einleitung",
    "résumé",
    "resumen",
    "introducción",
    "摘要",
    "概要",
];

/// Headings of sections that give reasons, lower case.
const REASONS: [&str; 24] = [
    "motivation",
    "motivations",
    "motivation and rationale",
    "rationale",
    "rationale and goals",
    "reasons",
    "reasoning",
    "why",
    "purpose",
    "justification",
    "gründe",
    "begründung",
    "beweggründe",
    "anlass",
    "zweck",
    "raisons",
    "motifs",
    "motivación",
    "razones",
    "justificación",
    "motivazione",
    "motivação",
    "动机",
    "动因",
];

/// Whether a passage is part of its document's abstract: it is under such a heading, or begins with one.
#[must_use]
pub fn is_abstract(headings: &[String], text: &str, units: &[Unit]) -> bool {
    own_heading(headings, text, units).is_some_and(|heading| ABSTRACTS.contains(&heading.as_str()))
}

/// Whether a passage is part of a section that gives reasons: one of the headings above it is of that kind, or it begins with one.
pub(super) fn gives_reasons(headings: &[String], text: &str, units: &[Unit]) -> bool {
    let above = headings.iter().map(|heading| bare(heading)).chain(own_heading(headings, text, units));
    above.into_iter().any(|heading| REASONS.contains(&heading.as_str()))
}

/// The heading that a passage begins with or, without one, the lowest above it.
fn own_heading(headings: &[String], text: &str, units: &[Unit]) -> Option<String> {
    let first = units.first().filter(|unit| unit.kind == BlockKind::Heading);
    let begins_with =
        first.map(|unit| text.chars().skip(unit.start).take(unit.end.saturating_sub(unit.start)).collect::<String>());
    begins_with.as_deref().or(headings.last().map(String::as_str)).map(bare)
}

/// A heading in lower case, without its number and marks around it.
fn bare(heading: &str) -> String {
    heading.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_known_by_its_heading() {
        for (headings, begins_with, is_short, is_reasoned) in [
            (vec!["PEP 572", "Abstract"], None, true, false),
            (vec!["1. Introduction"], None, true, false),
            (vec!["Abstract", "Details"], None, false, false),
            (vec!["Abstract syntax"], None, false, false),
            (vec![], None, false, false),
            (vec![], Some("Abstract"), true, false),
            (vec!["Abstract"], Some("Details"), false, false),
            (vec!["PEP 703", "2. Motivation"], None, false, true),
            (vec!["Rationale", "Locks"], None, false, true),
            (vec![], Some("Begründung"), false, true),
            (vec!["Motivation of the authors"], None, false, false),
        ] {
            let headings: Vec<String> = headings.into_iter().map(str::to_owned).collect();
            let text = format!("{} Salt is old.", begins_with.unwrap_or_default());
            let unit = |end| Unit { start: 0, end, block: 0, kind: BlockKind::Heading, head_end: None };
            let units: Vec<Unit> = begins_with.iter().map(|heading| unit(heading.chars().count())).collect();
            let found = (is_abstract(&headings, &text, &units), gives_reasons(&headings, &text, &units));
            assert_eq!(found, (is_short, is_reasoned), "{headings:?} {begins_with:?}");
        }
    }
}
