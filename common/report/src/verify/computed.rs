//! Checks what was computed against the archived cells it rests on.

use precis_evidence::computed::holds;
use precis_proto::response::ReportData;
use precis_text::locate::slice;

use super::archive::{ArchivedTexts, hex_of};
use super::mismatch::Mismatch;

/// Recomputes each answer from its cells, and compares each cell with its archived text; a missing text has already been reported.
pub(super) fn check(data: &ReportData, texts: &ArchivedTexts<'_>, mismatches: &mut Vec<Mismatch>) {
    for (one, n) in data.computed.iter().zip(1_usize..) {
        let row = data.sources.iter().find(|row| row.source_id == one.source_id);
        let hash = row.and_then(|row| row.source_text_hash.as_deref());
        if !holds(one) || hash.map(hex_of) != Some(hex_of(&one.source_text_hash)) {
            mismatches.push(Mismatch::Computed { n });
        }
        let Some(text) = texts.get(hex_of(&one.source_text_hash)) else { continue };
        let is_there = |text: &str, cell: &precis_proto::computed::ComputedCell| {
            slice(text, &cell.locator).is_some_and(|found| found == cell.text)
        };
        let other = one.cells().find(|cell| !text.as_deref().is_some_and(|text| is_there(text, cell)));
        mismatches.extend(other.map(|cell| Mismatch::ComputedCell { n, locator: cell.locator }));
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::computed::{Computed, ComputedCell, ComputedOperation, ComputedRow};

    use super::super::{ArchiveReader, Verification, archive};
    use super::*;
    use crate::sample;

    fn lines(forge: impl FnOnce(&mut Computed)) -> Vec<String> {
        let (report, texts) = sample::response();
        let mut data = report.data.expect("a report");
        let row = data.sources.iter().find(|row| row.source_id.as_str() == "hostile").expect("a source").clone();
        let at = sample::HOSTILE.chars().position(|c| c == '7').expect("a number");
        let locator = format!("char:{at}-{}", at + 1).parse().expect("a locator");
        let cell = ComputedCell { locator, text: "7".to_owned() };
        let number = Some("7".to_owned());
        let row_used = ComputedRow {
            labels: Vec::new(),
            chosen_by: Vec::new(),
            value: Some(cell),
            number: number.clone(),
            is_result: false,
        };
        let mut one = Computed {
            operation: ComputedOperation::Sum,
            source_id: row.source_id,
            source_text_hash: row.source_text_hash.expect("a hash"),
            head: None,
            number,
            unit: String::new(),
            not_computed: None,
            rows: vec![row_used],
        };
        forge(&mut one);
        data.computed = vec![one];
        let mut found = Verification::default();
        let read = |hex: &str| texts.get(hex).cloned();
        let reader = ArchiveReader { text: &read, blocks: &|_| None };
        let texts = archive::texts(&data, reader.text, &mut found);
        check(&data, &texts, &mut found.mismatches);
        found.mismatches.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_forged_part_of_a_computed_answer_is_found() {
        assert_eq!(lines(|_| {}), [""; 0]);
        assert!(lines(|one| one.number = Some("8".to_owned()))[0].contains("does not follow"));
        assert!(lines(|one| one.rows[0].number = Some("8".to_owned()))[0].contains("does not follow"));
        let moved = lines(|one| {
            let cell = one.rows[0].value.as_mut().expect("a cell");
            cell.locator = "char:0-1".parse().expect("a locator");
        });
        assert!(moved[0].contains("no such cell"), "{moved:?}");
        let other = lines(|one| one.source_id = sample::id("paged"));
        assert!(other[0].contains("does not follow"), "{other:?}");
    }
}
