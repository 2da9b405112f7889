//! The table of tokens used by the model calls of a session: one line per phase, role and model.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::call::LayerUsage;
use precis_proto::task::Role;

use crate::cli::numbers::group_digits;
use crate::cli::terminal::printable;

/// Phase, role and model of one line; phase and role are empty if an older worker recorded the call.
type SpendingKey<'a> = (&'a str, &'a str, &'a str);

/// The sums of one line, in tokens.
#[derive(Debug, Default)]
struct TokenSums<'a> {
    calls: BTreeSet<&'a str>,
    kept: BTreeMap<&'a str, u64>,
    dropped: u64,
    room: BTreeMap<&'a str, u64>,
}

const LAYERS: [&str; 5] = ["L1", "L2", "L3", "L4", "L5"];

/// Returns the table: calls, tokens sent per prompt layer, tokens left out, and the share of the token budget that was used. Without
/// any counted call it is a single sentence: the built-in model uses no prompt.
#[must_use]
pub fn table(usage: &[LayerUsage]) -> String {
    let mut lines: BTreeMap<(usize, SpendingKey<'_>), TokenSums<'_>> = BTreeMap::new();
    for row in usage {
        let phase = row.phase.map_or("", |phase| phase.as_str());
        let line = (phase, row.role.map_or("", Role::as_str), row.provider.as_str());
        let place = row.phase.map_or(usize::MAX, |phase| phase as usize);
        let sums = lines.entry((place, line)).or_default();
        sums.calls.insert(&row.call_key);
        *sums.kept.entry(&row.layer).or_default() += row.kept;
        sums.dropped += row.dropped;
        let room = sums.room.entry(&row.call_key).or_default();
        *room = row.budget.max(*room);
    }
    if lines.is_empty() {
        return "no prompt was sent: only the built-in model was used\n".to_owned();
    }
    let mut rows = vec![heading()];
    rows.extend(lines.iter().map(|((_, line), sums)| cells(*line, sums)));
    printable(&align_columns(&rows))
}

fn heading() -> Vec<String> {
    let words =
        ["phase", "role", "model", "calls", "L1 rules", "L2 context", "L3 evidence", "L4 history", "L5 question"];
    words.into_iter().chain(["left out", "budget used"]).map(str::to_owned).collect()
}

fn cells(line: SpendingKey<'_>, sums: &TokenSums<'_>) -> Vec<String> {
    let kept: u64 = sums.kept.values().sum();
    let room: u64 = sums.room.values().sum();
    let layers =
        LAYERS.map(|layer| sums.kept.get(layer).map_or_else(|| "-".to_owned(), |tokens| group_digits(*tokens)));
    let share = if room == 0 { "-".to_owned() } else { format!("{:.0} %", kept as f64 * 100.0 / room as f64) };
    let mut cells =
        vec![line.0.to_owned(), line.1.to_owned(), line.2.to_owned(), group_digits(sums.calls.len() as u64)];
    cells.extend(layers);
    cells.extend([group_digits(sums.dropped), share]);
    cells
}

/// Aligns the columns: the first three to the left, the numbers to the right.
fn align_columns(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cell = |(at, cell): (usize, &String)| match at < 3 {
            true => format!("{cell:<width$}", width = widths[at]),
            false => format!("{cell:>width$}", width = widths[at]),
        };
        let line = row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use precis_proto::Phase;

    use super::*;

    fn row(call: &str, phase: Phase, layer: &str, budget: u64, kept: u64, dropped: u64) -> LayerUsage {
        LayerUsage {
            call_key: call.to_owned(),
            phase: Some(phase),
            role: Some(Role::Compression),
            provider: "a:b".to_owned(),
            layer: layer.to_owned(),
            estimated: kept + dropped,
            budget,
            kept,
            dropped,
        }
    }

    #[test]
    fn the_calls_of_a_phase_are_one_line_of_summed_layers() {
        let usage = [
            row("2", Phase::Synthesis, "L1", 4_000, 100, 0),
            row("1", Phase::Compression, "L1", 4_000, 200, 0),
            row("1", Phase::Compression, "L3", 3_000, 1_800, 700),
            row("3", Phase::Compression, "L3", 4_000, 1_000, 0),
        ];
        let text = table(&usage);
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect()).collect();
        assert_eq!(lines[1], ["compression", "compression", "a:b", "2", "200", "-", "2,800", "-", "-", "700", "38 %"]);
        assert_eq!(lines[2][0], "synthesis");
        assert_eq!(table(&[]), "no prompt was sent: only the built-in model was used\n");
    }
}
