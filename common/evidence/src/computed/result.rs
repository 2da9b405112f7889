//! The operation of a plan on the rows of its table, and whether a result holds by the cells it names.

use std::cmp::Ordering;

use precis_language::aggregate;
use precis_proto::computed::{Computed, ComputedCell, ComputedOperation, ComputedRow, NotComputed};

use super::cell::{CellNumber, decimal_mark, number};
use super::decimal::Decimal;
use super::grid::Grid;
use super::named_text::NamedText;
use super::plan::Plan;

/// Most rows that are computed over: each stands in the report. Chosen, not measured.
pub(super) const MOST_ROWS: usize = 500;
/// Decimals that an average has beyond those of its numbers.
const FURTHER_PLACES: u32 = 2;
/// Least rows of which numbers in a row tell only the rows apart, or one may be the sum of the others.
const LEAST_TOLD_APART: usize = 3;
/// The unit of shares, which have no sum.
const SHARE: &str = "%";

/// The answer of `plan`; `None` if it would mean nothing.
pub(super) fn result(plan: &Plan, grid: &Grid<'_>, named: &NamedText<'_>) -> Option<Computed> {
    let computed = Computed {
        operation: plan.operation,
        source_id: named.source_id.clone(),
        source_text_hash: named.text.hash().to_string(),
        head: plan.value.and_then(|column| grid.locate(*grid.heads[column].last()?)),
        number: None,
        unit: String::new(),
        not_computed: None,
        rows: Vec::new(),
    };
    let stopped = |row: usize, reason: NotComputed| {
        Some(Computed {
            rows: vec![computed_row(plan, grid, row, None)],
            not_computed: Some(reason),
            ..computed.clone()
        })
    };
    if plan.rows.len() > MOST_ROWS {
        return stopped(plan.rows[0], NotComputed::TooManyRows);
    }
    let Some(column) = plan.value else {
        let rows = plan.rows.iter().map(|row| computed_row(plan, grid, *row, None)).collect();
        return Some(Computed { number: Some(plan.rows.len().to_string()), rows, ..computed });
    };
    let mut numbers: Vec<CellNumber> = Vec::new();
    for row in &plan.rows {
        match &grid.numbers[*row][column] {
            Some(number) if numbers.first().is_none_or(|first| first.unit == number.unit) => {
                numbers.push(number.clone())
            }
            Some(_) => return stopped(*row, NotComputed::SeveralUnits),
            None => return stopped(*row, NotComputed::NotANumber),
        }
    }
    let unit = numbers.first()?.unit.clone();
    if plan.operation == ComputedOperation::Sum && unit == SHARE {
        return None;
    }
    let all: Vec<CellNumber> = grid.numbers.iter().flatten().flatten().cloned().collect();
    let marks = (aggregate::decimal_mark(grid.language), plan.decimal_mark);
    let mark = match decimal_mark(&all, &numbers, marks) {
        Ok(mark) => mark,
        Err(reason) => return stopped(plan.rows[0], reason),
    };
    let mut values: Vec<Decimal> = Vec::new();
    for (number, row) in numbers.iter().zip(&plan.rows) {
        match number.value(mark) {
            Some(value) => values.push(value),
            None => return stopped(*row, NotComputed::NotANumber),
        }
    }
    if are_ordinals(&values) || has_hidden_sum(&values) {
        return None;
    }
    let result = apply(plan.operation, &values)?;
    let total = plan.total.and_then(|row| Some((row, grid.numbers[row][column].as_ref()?.value(mark)?)));
    if let Some((row, total)) = total {
        let is_sum = Decimal::sum(&values).is_some_and(|sum| total.compare(sum) == Some(Ordering::Equal));
        // A company may be called Total: a row is left out only if it is what its name says.
        if !is_sum && (plan.operation == ComputedOperation::Sum || !is_mean(total, &values)) {
            return stopped(row, NotComputed::OtherTotal);
        }
    }
    let is_extreme = matches!(plan.operation, ComputedOperation::Highest | ComputedOperation::Lowest);
    let row = |(row, value): (&usize, &Decimal)| {
        let is_result = is_extreme && value.compare(result) == Some(Ordering::Equal);
        ComputedRow { is_result, ..computed_row(plan, grid, *row, Some(*value)) }
    };
    let rows = plan.rows.iter().zip(&values).map(row).collect();
    Some(Computed { number: Some(result.to_string()), unit, rows, ..computed })
}

/// Whether `total` is the mean of `values`, as exact as it is given.
fn is_mean(total: Decimal, values: &[Decimal]) -> bool {
    let mean = Decimal::sum(values).and_then(|sum| sum.divide(values.len(), FURTHER_PLACES + total.places));
    mean.is_some_and(|mean| mean.is_rounded_to(total))
}

/// Whether the numbers only tell the rows apart: whole numbers, each the next one of another.
fn are_ordinals(values: &[Decimal]) -> bool {
    let mut sorted: Vec<Decimal> = values.to_vec();
    sorted.sort_by(|a, b| a.compare(*b).unwrap_or(Ordering::Equal));
    let is_next = |pair: &[Decimal]| pair[0].is_followed_by(pair[1]);
    values.len() >= LEAST_TOLD_APART && sorted.windows(2).all(is_next)
}

/// Whether one number is the sum of all others, as in a row that sums them up without a name that says so.
fn has_hidden_sum(values: &[Decimal]) -> bool {
    let sum = Decimal::sum(values).and_then(|sum| sum.divide(2, 1));
    let is_half = |value: &Decimal| sum.is_some_and(|half| value.compare(half) == Some(Ordering::Equal));
    let is_nothing = |value: &Decimal| value.compare(Decimal::NOTHING) == Some(Ordering::Equal);
    values.len() >= LEAST_TOLD_APART && !values.iter().all(is_nothing) && values.iter().any(is_half)
}

fn computed_row(plan: &Plan, grid: &Grid<'_>, row: usize, value: Option<Decimal>) -> ComputedRow {
    let cell = |column: usize| grid.locate(grid.rows[row][column]);
    ComputedRow {
        labels: plan.labels.iter().filter_map(|column| cell(*column)).collect(),
        chosen_by: plan.choosing.iter().filter_map(|column| cell(*column)).collect(),
        value: plan.value.and_then(cell),
        number: value.map(|value| value.to_string()),
        is_result: false,
    }
}

fn apply(operation: ComputedOperation, values: &[Decimal]) -> Option<Decimal> {
    let extreme = |wanted: Ordering| {
        let mut best = *values.first()?;
        for value in &values[1..] {
            if value.compare(best)? == wanted {
                best = *value;
            }
        }
        Some(best)
    };
    match operation {
        ComputedOperation::Highest => extreme(Ordering::Greater),
        ComputedOperation::Lowest => extreme(Ordering::Less),
        ComputedOperation::Sum => Decimal::sum(values),
        ComputedOperation::Average => Decimal::sum(values)?.divide(values.len(), FURTHER_PLACES),
        ComputedOperation::Count => Decimal::whole(values.len()),
    }
}

/// Whether the result follows from the numbers of its rows, and each number is one that its cell may mean.
#[must_use]
pub fn holds(computed: &Computed) -> bool {
    let Some(said) = &computed.number else { return computed.not_computed.is_some() && computed.rows.len() == 1 };
    if computed.not_computed.is_some() || computed.rows.is_empty() {
        return false;
    }
    if computed.operation == ComputedOperation::Count {
        let is_bare = |row: &ComputedRow| row.value.is_none() && row.number.is_none() && !row.is_result;
        return *said == computed.rows.len().to_string() && computed.rows.iter().all(is_bare);
    }
    let values: Option<Vec<Decimal>> = computed.rows.iter().map(|row| read(row, &computed.unit)).collect();
    let Some(values) = values else { return false };
    let Some(result) = apply(computed.operation, &values) else { return false };
    let is_extreme = matches!(computed.operation, ComputedOperation::Highest | ComputedOperation::Lowest);
    let is_marked = |(row, value): (&ComputedRow, &Decimal)| {
        row.is_result == (is_extreme && value.compare(result) == Some(Ordering::Equal))
    };
    let is_all = computed.rows.iter().zip(&values).all(is_marked);
    *said == result.to_string() && is_all && are_in_order(&computed.rows)
}

/// Whether the numbers stand in the order of the text, each in a row of its own, and no row has the name of a later one.
fn are_in_order(rows: &[ComputedRow]) -> bool {
    let place = |cell: &ComputedCell| (cell.locator.page, cell.locator.range.start);
    rows.windows(2).all(|pair| {
        let (own, next) = (pair[0].value.as_ref().map(place), pair[1].value.as_ref().map(place));
        let named = pair[0].labels.iter().chain(&pair[0].chosen_by).map(place);
        own < next && named.map(Some).all(|label| label < next)
    })
}

/// The number of a row, if its cell may mean it.
fn read(row: &ComputedRow, unit: &str) -> Option<Decimal> {
    let said = Decimal::parse(row.number.as_ref()?)?;
    let text = &row.value.as_ref()?.text;
    // The language of the text decides only some words for units and scales; any that gives the number will do.
    let languages = precis_language::detect(text).known;
    let cell = number(text, languages).or_else(|| number(text, None))?;
    let may_be = [None, Some('.'), Some(',')].into_iter().any(|mark| cell.value(mark) == Some(said));
    // A cell without a unit has that of its head.
    (may_be && (cell.unit == unit || cell.unit.is_empty())).then_some(said)
}
