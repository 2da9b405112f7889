//! [`SheetPlan`]: what a sheet says about its cells apart from them: merged areas, hidden columns, and rows that name columns.

use std::collections::{BTreeMap, BTreeSet};

use super::super::markup::{Markup, XmlElement, walk};
use super::place::{CellArea, area};

/// Most merged areas kept of a sheet. Chosen: forms have a few hundred.
const MAX_AREAS: usize = 10_000;
/// Most columns of a sheet.
const MAX_COLUMNS: usize = 16_384;

/// The plan of a sheet.
#[derive(Debug, Default)]
pub(in super::super) struct SheetPlan {
    /// Merged areas by their first row.
    pub(in super::super) merged: BTreeMap<u32, Vec<CellArea>>,
    /// Rows that name the columns, from 0.
    pub(in super::super) header_rows: BTreeSet<u32>,
    /// Hidden columns.
    hidden: BTreeSet<usize>,
    areas: usize,
}

impl SheetPlan {
    /// Reads the plan from the sheet's part.
    pub(super) fn read(part: &[u8]) -> Self {
        let mut plan = Self::default();
        walk(part, |event| {
            if let Markup::Open(element) = event {
                plan.take(&element);
            }
        });
        plan
    }

    fn take(&mut self, element: &XmlElement<'_>) {
        let reference = || element.attribute("ref").and_then(|reference| area(&reference));
        match element.name.as_str() {
            "col" if is_on(element, "hidden") => {
                let number = |name: &str| element.attribute(name).and_then(|number| number.parse::<usize>().ok());
                self.hide(number("min").unwrap_or(1).saturating_sub(1), number("max").unwrap_or(0));
            }
            "mergeCell" => {
                if let Some(area) = reference() {
                    self.merge(area);
                }
            }
            // A list that can be filtered begins with the names of its columns.
            "autoFilter" => self.header_rows.extend(reference().map(|area| area.first.row)),
            _ => {}
        }
    }

    /// Hides the columns from `first` up to `end`, which is not one of them.
    pub(in super::super) fn hide(&mut self, first: usize, end: usize) {
        // Ranges are in order; going on from the last one keeps a sheet from naming columns again and again.
        let first = first.max(self.hidden.last().map_or(0, |column| column + 1));
        self.hidden.extend(first..end.min(MAX_COLUMNS));
    }

    /// Takes a merged area.
    pub(in super::super) fn merge(&mut self, area: CellArea) {
        if self.areas < MAX_AREAS {
            self.areas += 1;
            self.merged.entry(area.first.row).or_default().push(area);
        }
    }

    /// Takes a table's part: its first row names the columns unless it says that it has no such row.
    pub(super) fn take_table(&mut self, part: &[u8]) {
        walk(part, |event| {
            if let Markup::Open(element) = event
                && element.name == "table"
                && element.attribute("headerRowCount").as_deref() != Some("0")
            {
                let found = element.attribute("ref").and_then(|reference| area(&reference));
                self.header_rows.extend(found.map(|area| area.first.row));
            }
        });
    }

    pub(in super::super) fn is_hidden(&self, column: usize) -> bool {
        self.hidden.contains(&column)
    }

    /// The place of `column` among those that are shown.
    pub(in super::super) fn visible_column(&self, column: usize) -> usize {
        column - self.hidden.range(..column).count()
    }
}

/// Whether an attribute is set.
pub(super) fn is_on(element: &XmlElement<'_>, name: &str) -> bool {
    matches!(element.attribute(name).as_deref(), Some("1" | "true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_areas_are_kept_up_to_a_number() {
        for (given, kept) in [(MAX_AREAS - 1, MAX_AREAS - 1), (MAX_AREAS, MAX_AREAS), (MAX_AREAS + 1, MAX_AREAS)] {
            let plan = SheetPlan::read(format!("<x>{}</x>", "<mergeCell ref='A1:B2'/>".repeat(given)).as_bytes());
            assert_eq!(plan.merged[&0].len(), kept, "{given}");
        }
    }

    #[test]
    fn hidden_columns_are_those_of_the_format() {
        for (last, hidden) in
            [(MAX_COLUMNS - 1, MAX_COLUMNS - 2), (MAX_COLUMNS, MAX_COLUMNS - 1), (MAX_COLUMNS + 1, MAX_COLUMNS - 1)]
        {
            let plan = SheetPlan::read(format!("<cols><col min='2' max='{last}' hidden='1'/></cols>").as_bytes());
            assert_eq!(plan.hidden.len(), hidden, "{last}");
            assert!(plan.is_hidden(1) && !plan.is_hidden(0));
        }
    }
}
