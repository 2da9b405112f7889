//! What a section of a document is for, by the whole of its heading.

use precis_language::heading::{heads_abstract, heads_reasons};
use precis_proto::BlockKind;
use precis_proto::finding::Unit;

/// Whether some of a passage is part of its document's abstract.
#[must_use]
pub fn holds_abstract(headings: &[String], text: &str, units: &[Unit]) -> bool {
    let mut said = units.iter().filter(|unit| unit.kind != BlockKind::Heading);
    said.any(|unit| into_abstract(headings, text, units, unit.start).is_some())
}

/// How many characters the place `at` of a passage is behind the heading of its document's abstract, or behind the beginning of the passage
/// if that heading is above it; `None` if it is in no abstract.
pub fn into_abstract(headings: &[String], text: &str, units: &[Unit], at: usize) -> Option<usize> {
    let (heading, end) = heading_at(headings, text, units, at)?;
    heads_abstract(&heading).then(|| at.saturating_sub(end))
}

/// Whether the place `at` of a passage is in a section that gives reasons: one of the headings above the passage is of that kind, or the
/// last one before the place.
pub fn gives_reasons(headings: &[String], text: &str, units: &[Unit], at: usize) -> bool {
    let own = heading_at(headings, text, units, at).map(|(heading, _)| heading);
    let above = headings.iter().map(|heading| bare(heading)).chain(own);
    above.into_iter().any(|heading| heads_reasons(&heading))
}

/// The last heading before the place `at` of a passage, with its end; without one, the lowest above the passage, with the beginning.
fn heading_at(headings: &[String], text: &str, units: &[Unit], at: usize) -> Option<(String, usize)> {
    let own = units.iter().take_while(|unit| unit.start <= at).filter(|unit| unit.kind == BlockKind::Heading).last();
    let of = |unit: &Unit| {
        let heading: String = text.chars().skip(unit.start).take(unit.end.saturating_sub(unit.start)).collect();
        (bare(&heading), unit.end)
    };
    own.map(of).or_else(|| headings.last().map(|heading| (bare(heading), 0)))
}

/// A heading in lower case, without its number and marks around it.
fn bare(heading: &str) -> String {
    heading.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_belongs_to_the_last_heading_before_it() {
        for (headings, within, is_short, is_reasoned) in [
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
            for before in ["", "Author: Ada. "] {
                let text = format!("{before}{} Salt is old.", within.unwrap_or_default());
                let at = |part: &str| text[..text.find(part).expect("is there")].chars().count();
                let unit = |part: &str, kind| Unit {
                    start: at(part),
                    end: at(part) + part.chars().count(),
                    block: 0,
                    kind,
                    head_end: None,
                    depth: (kind == BlockKind::Heading).then_some(0),
                    needs: Vec::new(),
                    list: Vec::new(),
                    more_items: 0,
                    place: None,
                    recognized: None,
                };
                let first = Some(before.trim()).filter(|part| !part.is_empty() && within.is_some());
                let first = first.map(|part| unit(part, BlockKind::FormField));
                let heading = within.map(|heading| unit(heading, BlockKind::Heading));
                let last = unit("Salt is old.", BlockKind::Paragraph);
                let units: Vec<Unit> = first.into_iter().chain(heading).chain([last]).collect();
                let place = at("Salt");
                let found = (
                    into_abstract(&headings, &text, &units, place).is_some(),
                    gives_reasons(&headings, &text, &units, place),
                );
                assert_eq!(found, (is_short, is_reasoned), "{headings:?} {before:?} {within:?}");
                assert!(holds_abstract(&headings, &text, &units) >= is_short);
            }
        }
    }
}
