//! What was computed from tables, in lines without a citation mark: the result, and the rows it rests on.

use precis_language::labels::{Label, LabelLanguage};
use precis_proto::computed::{Computed, ComputedCell, ComputedOperation, ComputedRow, NotComputed};
use precis_proto::response::ReportData;

use super::words::{group_digits, visible};
use crate::draft::inline_writer::literal_within;

/// Most rows that are shown; the rest are counted, and stand in the data.
const MOST_SHOWN: usize = 40;
/// Most results of a highest or a lowest number that are named in the line.
const MOST_NAMED: usize = 5;

/// A computed answer as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ComputedText {
    /// Operation, column and result, or why there is none.
    pub(super) line: String,
    /// How many rows, and of which document.
    pub(super) from: String,
    /// The rows, each as its cells.
    pub(super) rows: Vec<String>,
}

impl ComputedText {
    pub(super) fn new(one: &Computed, data: &ReportData, labels: LabelLanguage) -> Self {
        let what = labels.say(operation(one.operation));
        let what = one.head.as_ref().map_or_else(|| what.to_owned(), |head| format!("{what}, {}", flat(head)));
        let line = match (&one.number, one.not_computed) {
            (Some(number), _) => labels.fill(Label::Computed, &[&format!("{what}: {}", result(one, number))]),
            (None, reason) => {
                let why = reason.map_or("", |reason| labels.say(not_computed(reason)));
                labels.fill(Label::NotComputed, &[&format!("{what}: {why}")])
            }
        };
        let row = data.sources.iter().find(|row| row.source_id == one.source_id);
        let document = row.map_or("", |row| row.path.as_deref().unwrap_or(&row.title));
        let from = labels.fill(Label::ComputedFrom, &[&group_digits(one.rows.len() as u64), document]);
        let mut rows: Vec<String> = one.rows.iter().take(MOST_SHOWN).map(cells).collect();
        if let Some(more) = one.rows.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
            rows.push(labels.fill(Label::More, &[&group_digits(more as u64)]));
        }
        Self { line, from, rows }
    }

    /// The same without characters that hide or reorder text.
    pub(super) fn visible(self) -> Self {
        let rows = self.rows.iter().map(|row| visible(row)).collect();
        Self { line: visible(&self.line), from: visible(&self.from), rows }
    }

    /// One line of Markdown.
    pub(super) fn markdown(&self) -> String {
        format!(
            "**{}** {}: {}",
            literal_within(&self.line),
            literal_within(&self.from),
            literal_within(&self.rows.join("; "))
        )
    }
}

/// The result as its cells write it, with their rows; a sum or an average with its unit.
fn result(one: &Computed, number: &str) -> String {
    let extreme: Vec<&ComputedRow> = one.rows.iter().filter(|row| row.is_result).collect();
    let Some(value) = extreme.first().and_then(|row| row.value.as_ref()) else {
        return format!("{} {}", with_groups(number), one.unit).trim().to_owned();
    };
    let labels: Vec<String> =
        extreme.iter().take(MOST_NAMED).map(|row| row_name(row)).filter(|name| !name.is_empty()).collect();
    let more = if extreme.len() > MOST_NAMED { ", …" } else { "" };
    match labels.is_empty() {
        true => flat(value),
        false => format!("{} ({}{more})", flat(value), labels.join("; ")),
    }
}

fn row_name(row: &ComputedRow) -> String {
    row.labels.iter().map(flat).collect::<Vec<_>>().join(", ")
}

fn cells(row: &ComputedRow) -> String {
    row.labels.iter().chain(&row.chosen_by).chain(&row.value).map(flat).collect::<Vec<_>>().join(" · ")
}

fn flat(cell: &ComputedCell) -> String {
    cell.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A plain decimal number with commas between its groups of three.
fn with_groups(number: &str) -> String {
    let (whole, decimals) = number.split_once('.').map_or((number, ""), |(whole, decimals)| (whole, decimals));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let whole = digits.parse().map_or_else(|_| digits.to_owned(), group_digits);
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{decimals}")
}

fn operation(operation: ComputedOperation) -> Label {
    match operation {
        ComputedOperation::Highest => Label::Highest,
        ComputedOperation::Lowest => Label::Lowest,
        ComputedOperation::Sum => Label::Sum,
        ComputedOperation::Average => Label::Average,
        ComputedOperation::Count => Label::RowCount,
    }
}

fn not_computed(reason: NotComputed) -> Label {
    match reason {
        NotComputed::NotANumber => Label::NotANumber,
        NotComputed::TwoReadings => Label::TwoReadings,
        NotComputed::SeveralUnits => Label::SeveralUnits,
        NotComputed::OtherTotal => Label::OtherTotal,
        NotComputed::TooManyRows => Label::TooManyRows,
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::{CharRange, Locator};

    use super::*;
    use crate::sample;

    fn cell(text: &str) -> ComputedCell {
        ComputedCell { locator: Locator { page: None, range: CharRange::new(0, text.len()) }, text: text.to_owned() }
    }

    fn row(label: &str, value: &str, is_result: bool) -> ComputedRow {
        let (labels, value, number) = (vec![cell(label)], Some(cell(value)), Some(value.replace(',', "")));
        ComputedRow { labels, chosen_by: Vec::new(), value, number, is_result }
    }

    #[test]
    fn a_computed_answer_is_one_line_with_the_rows_it_rests_on() {
        let (data, _) = sample::report();
        let rows = vec![row("Vik", "23,100", true), row("Holm", "950", false)];
        let one = Computed {
            operation: ComputedOperation::Highest,
            source_id: data.sources[0].source_id.clone(),
            source_text_hash: String::new(),
            head: Some(cell("Population")),
            number: Some("23100".to_owned()),
            unit: String::new(),
            not_computed: None,
            rows,
        };
        let text = ComputedText::new(&one, &data, LabelLanguage::English);
        assert_eq!(text.line, "Computed: highest, Population: 23,100 (Vik)");
        assert_eq!(text.rows, ["Vik · 23,100", "Holm · 950"]);
        let sum = Computed { operation: ComputedOperation::Sum, number: Some("-1234567.5".to_owned()), ..one.clone() };
        let sum = Computed { rows: vec![row("Vik", "-1,234,567.5", false)], unit: "EUR".to_owned(), ..sum };
        assert_eq!(
            ComputedText::new(&sum, &data, LabelLanguage::English).line,
            "Computed: sum, Population: -1,234,567.5 EUR"
        );
        let not = Computed { number: None, not_computed: Some(NotComputed::TwoReadings), ..one.clone() };
        let line = ComputedText::new(&not, &data, LabelLanguage::English).line;
        assert_eq!(line, "Not computed: highest, Population: a number of the column has two readings");
        for (count, shown) in
            [(MOST_SHOWN - 1, MOST_SHOWN - 1), (MOST_SHOWN, MOST_SHOWN), (MOST_SHOWN + 1, MOST_SHOWN + 1)]
        {
            let many = Computed { rows: vec![row("Vik", "1", false); count], ..one.clone() };
            let rows = ComputedText::new(&many, &data, LabelLanguage::English).rows;
            assert_eq!((rows.len(), rows.last().is_some_and(|row| row == "and 1 more")), (shown, count > MOST_SHOWN));
        }
    }
}
