//! Groups quotes by the things a question compares, or by source if it names none.

use precis_proto::compare::{ComparedBy, ComparedRow, Comparison};
use precis_proto::response::Citation;
use precis_text::statement::of_citation;

use crate::question::elements::{ComparedElement, ComparisonElements, comparison_elements};

/// A statement that may go into a comparison table.
#[derive(Debug, Clone, Copy)]
pub struct ComparableStatement<'a> {
    /// Its text.
    pub text: &'a str,
    /// The title of its source.
    pub title: &'a str,
    /// The id of its source.
    pub source: &'a str,
}

/// Rows: names with the indexes of their statements, in the order given.
pub type Rows = Vec<(String, Vec<usize>)>;

/// Assigns statements to rows; `None` if fewer than two rows would have a statement.
///
/// A statement goes into the row of the only thing it mentions, or the thing in the title of its source. Statements about several things
/// are left out; so are those not about the aspect asked for, if any statement is. Sources are the rows only if the question names no
/// things.
#[must_use]
pub fn assign(compared: &ComparisonElements, statements: &[ComparableStatement<'_>]) -> Option<(ComparedBy, Rows)> {
    let (by, rows) = match compared.elements.is_empty() {
        true => (ComparedBy::Source, by_source(statements)),
        false => (ComparedBy::Element, by_element(compared, statements)),
    };
    has_two_filled(&rows).then_some((by, rows))
}

fn has_two_filled(rows: &[(String, Vec<usize>)]) -> bool {
    rows.iter().filter(|(_, held)| !held.is_empty()).count() > 1
}

fn by_element(compared: &ComparisonElements, statements: &[ComparableStatement<'_>]) -> Rows {
    let mut rows: Rows = compared.elements.iter().map(|e| (e.name.clone(), Vec::new())).collect();
    let is_told = |statement: &ComparableStatement<'_>| compared.aspect.is_in(&[statement.text, statement.title]);
    // If no statement matches the aspect, the documents use other words for it, so all statements count.
    let is_any = statements.iter().any(is_told);
    for (at, statement) in statements.iter().enumerate().filter(|(_, statement)| !is_any || is_told(statement)) {
        if let Some(row) = row_of(&compared.elements, statement) {
            rows[row].1.push(at);
        }
    }
    rows
}

/// The row of a statement. If the things are not names, the source's title decides before the text: an amendment mentions its contract.
fn row_of(elements: &[ComparedElement], statement: &ComparableStatement<'_>) -> Option<usize> {
    let held = |text: &str| -> Vec<usize> {
        elements.iter().enumerate().filter(|(_, element)| element.is_in(text)).map(|(row, _)| row).collect()
    };
    match (&held(statement.text)[..], &held(statement.title)[..]) {
        ([said], _) if elements[*said].is_name() => Some(*said),
        (said, [titled]) if said.is_empty() || elements.iter().all(|element| !element.is_name()) => Some(*titled),
        ([said], _) => Some(*said),
        _ => None,
    }
}

fn by_source(statements: &[ComparableStatement<'_>]) -> Rows {
    let mut rows: Vec<(&str, String, Vec<usize>)> = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        match rows.iter_mut().find(|(source, ..)| *source == statement.source) {
            Some((.., held)) => held.push(at),
            None => {
                let title = if statement.title.trim().is_empty() { statement.source } else { statement.title.trim() };
                rows.push((statement.source, title.to_owned(), vec![at]));
            }
        }
    }
    rows.into_iter().map(|(_, name, held)| (name, held)).collect()
}

/// The citations of a report grouped by the things `query` compares; `None` if it compares nothing or fewer than two rows would be filled.
#[must_use]
pub fn comparison(query: &str, citations: &[Citation]) -> Option<Comparison> {
    let compared = comparison_elements(query)?;
    let placed = |c: &'_ Citation| -> (String, String) { (c.title.clone(), c.source_id.to_string()) };
    let names: Vec<(String, String)> = citations.iter().map(placed).collect();
    let said: Vec<_> = citations.iter().map(of_citation).collect();
    let statements: Vec<ComparableStatement<'_>> = citations
        .iter()
        .zip(&names)
        .zip(&said)
        .map(|((_, (title, source)), text)| ComparableStatement { text, title, source })
        .collect();
    let (by, rows) = assign(&compared, &statements)?;
    let row = |(name, held): (String, Vec<usize>)| ComparedRow {
        name,
        citations: held.into_iter().map(|at| citations[at].n).collect(),
    };
    Some(Comparison { by, rows: rows.into_iter().map(row).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(query: &str, statements: &[(&str, &str)]) -> Option<(ComparedBy, Rows)> {
        let placed: Vec<ComparableStatement<'_>> =
            statements.iter().map(|(title, text)| ComparableStatement { text, title, source: title }).collect();
        assign(&comparison_elements(query).expect("a comparison"), &placed)
    }

    fn row(name: &str, held: &[usize]) -> (String, Vec<usize>) {
        (name.to_owned(), held.to_vec())
    }

    #[test]
    fn statements_stand_by_the_thing_they_speak_of_or_by_their_source() {
        let query = "Compare Alpha and Beta";
        let contracts = [
            ("x.pdf", "Alpha gives 30 days of notice."),
            ("beta.pdf", "Notice is 60 days."),
            ("x.pdf", "Alpha and Beta are contracts."),
            ("y.pdf", "Prices rise."),
        ];
        let want = vec![row("Alpha", &[0]), row("Beta", &[1])];
        assert_eq!(rows(query, &contracts), Some((ComparedBy::Element, want)));
        let want = vec![row("x.pdf", &[0, 2]), row("beta.pdf", &[1]), row("y.pdf", &[3])];
        assert_eq!(rows("Compare the contracts", &contracts), Some((ComparedBy::Source, want)));
        let strangers = [("x.pdf", "It rains."), ("y.pdf", "Prices rise.")];
        assert_eq!(rows(query, &strangers), None);
    }

    #[test]
    fn the_source_title_decides_between_two_common_things() {
        let statements = [
            ("Framework contract", "The cap is 5 % of the contract value."),
            ("Amendment no. 2", "The cap is 10 % of the contract value."),
            ("minutes.txt", "The cap of the contract was read out."),
            ("letter.txt", "The amendment changes the contract."),
        ];
        let want = vec![row("contract", &[0, 2]), row("amendment", &[1])];
        let found = rows("Compare the cap in the contract and in the amendment.", &statements);
        assert_eq!(found, Some((ComparedBy::Element, want)));
    }

    #[test]
    fn irrelevant_text_appears_in_no_row() {
        let query = "How does the incubation period differ between children and adults?";
        let others = [("x", "Children die of pneumonia."), ("x", "Severe illness occurs in older adults.")];
        assert!(rows(query, &others).is_some(), "nobody speaks of it in these words");
        let incubation = ("x", "The incubation period is five days.");
        assert_eq!(rows(query, &[others[0], others[1], incubation]), None);
        let of_each = [("x", "In children incubation took six days."), ("x", "In adults the incubation took five.")];
        let want = vec![row("children", &[1]), row("adults", &[2])];
        assert_eq!(rows(query, &[others[0], of_each[0], of_each[1]]), Some((ComparedBy::Element, want)));
    }

    #[test]
    fn one_row_is_no_comparison() {
        assert_eq!(rows("Compare Alpha and Beta", &[("x.pdf", "Alpha gives notice."), ("x.pdf", "Alpha ends.")]), None);
        assert_eq!(rows("Compare Alpha and Beta", &[]), None);
    }
}
