//! References of cells: `AB12`, `A1:D3`.

/// Row and column of a cell, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct CellPlace {
    pub(in super::super) row: u32,
    pub(in super::super) column: usize,
}

/// Cells between two places, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct CellArea {
    pub(in super::super) first: CellPlace,
    pub(in super::super) last: CellPlace,
}

/// The place that `reference` names; dollar signs are ignored.
pub(in super::super) fn place(reference: &str) -> Option<CellPlace> {
    let digits = reference.trim_start_matches(|c: char| c == '$' || c.is_ascii_alphabetic());
    let row: u32 = digits.parse().ok()?;
    Some(CellPlace { row: row.checked_sub(1)?, column: column(reference)? })
}

/// The area that `reference` names; one cell is an area too.
pub(in super::super) fn area(reference: &str) -> Option<CellArea> {
    let (first, last) = reference.split_once(':').unwrap_or((reference, reference));
    let (first, last) = (place(first)?, place(last)?);
    (first.row <= last.row && first.column <= last.column).then_some(CellArea { first, last })
}

/// The reference of a place: `AB12`.
pub(in super::super) fn reference(place: CellPlace) -> String {
    let (mut letters, mut left) = (Vec::new(), place.column + 1);
    while left > 0 {
        let letter = u8::try_from((left - 1) % 26).unwrap_or(0);
        letters.push(char::from(b'A' + letter));
        left = (left - 1) / 26;
    }
    let column: String = letters.iter().rev().collect();
    format!("{column}{}", place.row.saturating_add(1))
}

/// The column of a reference, from 0: `AB12` is in column 27.
pub(in super::super) fn column(reference: &str) -> Option<usize> {
    // Three letters reach the last column of the format; more could overflow.
    let letters = reference.bytes().filter(|byte| *byte != b'$').take_while(u8::is_ascii_alphabetic).take(3);
    letters
        .map(|letter| usize::from(letter.to_ascii_uppercase() - b'A') + 1)
        .reduce(|all, one| all * 26 + one)?
        .checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_rows_and_columns() {
        for (reference, want) in [
            ("A1", Some((0, 0))),
            ("AB12", Some((11, 27))),
            ("$C$3", Some((2, 2))),
            ("XFD1048576", Some((1_048_575, 16_383))),
            ("A0", None),
            ("12", None),
            ("A", None),
            ("", None),
        ] {
            let found = place(reference);
            assert_eq!(found.map(|place| (place.row, place.column)), want, "{reference}");
            let written = found.map(super::reference);
            assert!(written.is_none_or(|written| written == reference.replace('$', "")), "{reference}");
        }
        assert_eq!(area("B2:C4").map(|area| (area.first.column, area.last.row)), Some((1, 3)));
        assert_eq!(area("C4:B2"), None);
    }
}
