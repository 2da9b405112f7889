//! Which column, which rows and which labels of a table a question means.

use std::collections::BTreeSet;
use std::ops::Range;

use precis_language::aggregate::{is_neutral, is_rank, measure};
use precis_language::script::is_unspaced;
use precis_language::unit::unit;
use precis_proto::computed::ComputedOperation;

use super::asked::{Asked, AskedWord, is_form, overlaps};
use super::choice::{Choice, choices, chosen_rows};
use super::grid::{Grid, head_words, is_year};
use super::sums::{sums_stand_apart, sums_up};

/// Most further cells that name a row if the question asks for none of them.
const FURTHER_LABELS: usize = 2;

/// What to compute from a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) operation: ComputedOperation,
    /// The mark before decimals in the language of the question, if it is known.
    pub(super) decimal_mark: Option<char>,
    /// The column of the numbers; none for a count.
    pub(super) value: Option<usize>,
    /// The columns that name the rows: the one that is asked for, else the first ones of words.
    pub(super) labels: Vec<usize>,
    /// The columns whose cells choose the rows.
    pub(super) choosing: Vec<usize>,
    pub(super) rows: Vec<usize>,
    /// The row that sums up all others, if no row was left out.
    pub(super) total: Option<usize>,
}

/// The plan of `asked` for `grid`; `None` if a word of the question is left over, or if there are two.
pub(super) fn plan(asked: &Asked, grid: &Grid<'_>) -> Option<Plan> {
    let choices = choices(asked, grid)?;
    if asked.operation == ComputedOperation::Count {
        return build_plan(asked, grid, &choices, None);
    }
    let mut found: Vec<(usize, Plan)> = Vec::new();
    for column in grid.columns() {
        let Some(ranges) = value_ranges(asked, grid, column) else { continue };
        let is_chosen =
            choices.iter().flat_map(|choice| &choice.ranges).any(|own| ranges.iter().any(|r| overlaps(own, r)));
        if is_chosen {
            return None;
        }
        found.extend(build_plan(asked, grid, &choices, Some((column, &ranges))).map(|plan| (ranges.len(), plan)));
    }
    let most = found.iter().map(|(matched, _)| *matched).max()?;
    found.retain(|(matched, _)| *matched == most);
    let is_one = found.len() == 1;
    found.pop().map(|(_, plan)| plan).filter(|_| is_one)
}

/// The bytes of the question that name the column of the numbers; `None` if it is another column, or its head says more than is asked.
fn value_ranges(asked: &Asked, grid: &Grid<'_>, column: usize) -> Option<Vec<Range<usize>>> {
    let words = head_words(&grid.head(column));
    if !grid.is_numeric(column) || words.iter().any(|word| is_rank(word)) {
        return None;
    }
    let is_measured = |word: &String| asked.measure.is_some() && measure(word) == asked.measure;
    let is_said = |word: &String| {
        is_neutral(word, grid.language)
            || unit(word, grid.language).is_some()
            || is_measured(word)
            || !asked.naming(std::slice::from_ref(word)).is_empty()
    };
    let ranges = asked.naming(&words);
    let is_meant = !ranges.is_empty() || words.iter().any(is_measured);
    (is_meant && words.iter().all(is_said)).then_some(ranges)
}

/// The plan with the numbers in `value`; `None` if a word of the question is left over, or the rows do not fit.
fn build_plan(
    asked: &Asked,
    grid: &Grid<'_>,
    choices: &[Choice],
    value: Option<(usize, &Vec<Range<usize>>)>,
) -> Option<Plan> {
    let choosing: Vec<usize> = choices.iter().map(|choice| choice.column).collect();
    let cells: Vec<Range<usize>> = choices.iter().flat_map(|choice| choice.ranges.clone()).collect();
    let mut spent = cells.clone();
    spent.extend(value.iter().flat_map(|(_, ranges)| ranges.iter().cloned()));
    let value = value.map(|(column, _)| column);
    for column in &choosing {
        spent.extend(asked.naming(&head_words(&grid.head(*column))));
    }
    let before = spent.clone();
    let is_open = |range: &Range<usize>| !before.iter().any(|own| overlaps(own, range));
    let mut labels: Vec<usize> = Vec::new();
    for column in grid.columns().filter(|column| Some(*column) != value && !choosing.contains(column)) {
        let ranges: Vec<Range<usize>> =
            asked.naming(&head_words(&grid.head(column))).into_iter().filter(is_open).collect();
        if !ranges.is_empty() && (!grid.is_numeric(column) || grid.has_years(column)) {
            labels.push(column);
            spent.extend(ranges);
        }
    }
    spent.extend(asked.naming(&grid.names));
    if !asked.is_spent_with(&spent) || asks_for_one_of_years(asked, grid, &before) {
        return None;
    }
    let label = match labels[..] {
        [] => default_label(grid, value, &choosing),
        [one] => Some(one),
        _ => return None,
    };
    let rows = chosen_rows(grid, choices, label)?;
    if !sums_stand_apart(grid, label) || !is_asked_of(asked, grid, value, &cells) {
        return None;
    }
    let (rows, totals): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(|row| !sums_up(grid, *row, label));
    // One row alone is looked up, not computed.
    let is_unnamed = |row: &usize| label.is_some_and(|label| grid.cell(*row, label).is_empty());
    if rows.len() < 2
        || rows.iter().any(is_unnamed)
        || !is_told_apart(asked, grid, &rows, (label, !labels.is_empty()), &cells)
    {
        return None;
    }
    let mut named: Vec<usize> = label.into_iter().collect();
    if labels.is_empty() {
        let others = word_columns(grid, value, &choosing).filter(|column| Some(*column) != label);
        named.extend(others.take(FURTHER_LABELS));
    }
    let total = totals.first().copied().filter(|_| choices.is_empty() && totals.len() == 1);
    Some(Plan {
        operation: asked.operation,
        decimal_mark: asked.decimal_mark,
        value,
        labels: named,
        choosing,
        rows,
        total,
    })
}

/// Whether the cells of the label tell the rows apart as far as the question needs it: the highest of a thing that has several rows may be
/// the highest of their sums, and what is counted must have one row each.
fn is_told_apart(
    asked: &Asked,
    grid: &Grid<'_>,
    rows: &[usize],
    (label, is_asked): (Option<usize>, bool),
    cells: &[Range<usize>],
) -> bool {
    let is_distinct = |column: usize| {
        let mut known = BTreeSet::new();
        rows.iter().all(|row| !grid.cell(*row, column).is_empty() && known.insert(grid.cell(*row, column)))
    };
    match asked.operation {
        ComputedOperation::Highest | ComputedOperation::Lowest => !is_asked || label.is_some_and(is_distinct),
        // A thing with a row for each of several years has no sum over them.
        ComputedOperation::Sum | ComputedOperation::Average => {
            label.is_none_or(is_distinct)
                || !grid.columns().any(|column| rows.iter().all(|row| is_year(grid.cell(*row, column))))
        }
        ComputedOperation::Count => {
            let Some(counted) = asked.counted_word(cells) else { return false };
            let own = |column: usize| -> Vec<String> {
                head_words(&grid.head(column)).into_iter().filter(|word| !is_neutral(word, grid.language)).collect()
            };
            let names = |column: usize| own(column).iter().any(|word| is_same(word, &counted.lower));
            let is_named_so = |column: usize| own(column).iter().all(|word| is_same(word, &counted.lower));
            // Another column than the label: its cells may be of fewer things than there are rows.
            let is_of_others = grid.columns().any(|column| Some(column) != label && names(column));
            // A row with nothing but a name, among others, is a note or a heading.
            let filled = |row: &usize| grid.columns().filter(|column| !grid.cell(*row, *column).is_empty()).count();
            let is_note = |row: &usize| filled(row) == 1 && rows.iter().any(|other| filled(other) > 1);
            if rows.iter().any(is_note) {
                return false;
            }
            let is_label = label.is_some_and(|label| !grid.is_numeric(label) && (!is_asked || is_named_so(label)));
            !is_of_others && is_label && label.is_some_and(is_distinct)
        }
    }
}

/// Whether the question names a year that stands only in what names the table, with another one: its rows may be of either.
fn asks_for_one_of_years(asked: &Asked, grid: &Grid<'_>, spent: &[Range<usize>]) -> bool {
    let years: BTreeSet<&String> = grid.names.iter().filter(|name| is_year(name)).collect();
    let is_named =
        |word: &AskedWord| years.contains(&word.lower) && !spent.iter().any(|own| overlaps(own, &word.range));
    years.len() > 1 && asked.words().iter().any(is_named)
}

fn is_same(head: &str, counted: &str) -> bool {
    is_form(head, counted) || (head.starts_with(is_unspaced) && counted.contains(head))
}

/// Whether what the question asks for beside the operation is the column of the numbers: the highest of another thing in "the most
/// districts", the sum of another in "how many members in total".
fn is_asked_of(asked: &Asked, grid: &Grid<'_>, value: Option<usize>, cells: &[Range<usize>]) -> bool {
    let Some(value) = value else { return true };
    let is_extreme = matches!(asked.operation, ComputedOperation::Highest | ComputedOperation::Lowest);
    let beside = if is_extreme && !asked.asks_for_amount() { asked.beside() } else { asked.counted_word(cells) };
    let words = head_words(&grid.head(value));
    let is_measured = asked.measure.is_some() && words.iter().any(|word| measure(word) == asked.measure);
    let is_years = (0..grid.rows.len()).all(|row| is_year(grid.cell(row, value)));
    // A column headed by a year has the numbers that the table is about.
    let is_of_year = !words.is_empty() && words.iter().all(|word| is_year(word));
    let is_named = |word: &AskedWord| {
        word.lower.starts_with(is_unspaced)
            || words.iter().any(|own| is_form(own, &word.lower) && (is_extreme || !is_plural_of(&word.lower, own)))
            || (is_of_year && grid.names.iter().any(|name| is_form(name, &word.lower)))
    };
    !is_years && (is_measured || beside.is_none_or(is_named))
}

/// Whether `many` is a longer form of `one`: "episodes" are counted, while the numbers below "Episode" tell them apart.
fn is_plural_of(many: &str, one: &str) -> bool {
    many.chars().count() > one.chars().count()
}

/// The columns of words that choose nothing and are no places in an order.
fn word_columns<'g>(
    grid: &'g Grid<'_>,
    value: Option<usize>,
    choosing: &'g [usize],
) -> impl Iterator<Item = usize> + 'g {
    let is_free = move |column: &usize| Some(*column) != value && !choosing.contains(column);
    let is_order = |column: usize| {
        let words = head_words(&grid.head(column));
        words.is_empty() || words.iter().any(|word| is_rank(word))
    };
    grid.columns().filter(is_free).filter(move |column| !grid.is_numeric(*column) && !is_order(*column))
}

/// The first column of words that chooses nothing; else the first of years.
fn default_label(grid: &Grid<'_>, value: Option<usize>, choosing: &[usize]) -> Option<usize> {
    let is_free = |column: &usize| Some(*column) != value && !choosing.contains(column);
    let mut words = word_columns(grid, value, choosing);
    words.next().or_else(|| grid.columns().filter(is_free).find(|column| grid.has_years(*column)))
}
