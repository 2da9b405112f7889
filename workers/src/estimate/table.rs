//! The estimate of a session as a table.

use crate::cli::numbers::group_digits;
use precis_door::Estimate;

/// The heading of each column.
const HEADING: [&str; 8] =
    ["phase", "role", "most calls", "requests", "most tokens", "most $", "likely tokens", "likely $"];
/// What stands for a number that is not known.
const NONE: &str = "-";

/// Returns the table, with a line for the sums and a line for each thing that is not known.
#[must_use]
pub fn table(found: &Estimate) -> String {
    let mut rows = vec![HEADING.map(str::to_owned)];
    for row in &found.phases {
        rows.push([
            row.phase.as_str().to_owned(),
            row.role.as_str().to_owned(),
            group_digits(row.most.calls),
            group_digits(row.most.requests.saturating_add(row.most.searches)),
            group_digits(row.most.tokens()),
            dollars(row.most.usd),
            number(row.likely.map(|likely| likely.tokens())),
            dollars(row.likely.and_then(|likely| likely.usd)),
        ]);
    }
    rows.push([
        "all".to_owned(),
        String::new(),
        String::new(),
        String::new(),
        group_digits(found.most_tokens),
        dollars(found.most_usd),
        number(found.likely_tokens),
        dollars(found.likely_usd),
    ]);
    format!("{}{}", align_columns(&rows), remarks(found))
}

/// What the table does not say.
fn remarks(found: &Estimate) -> String {
    let mut said = String::from("No model was called, and nothing was searched.\n");
    if found.phases.is_empty() && found.not_counted.is_empty() {
        said.push_str("Only the built-in model is used: it costs nothing.\n");
    }
    if found.most_tokens > 0 && found.max_spend_usd.is_none() && found.max_spend_tokens.is_none() {
        said.push_str(
            "The most counts every repeat that may happen. A ceiling is lower: max_spend_usd, max_spend_tokens.\n",
        );
    }
    if !found.without_price.is_empty() {
        let models = found.without_price.join(", ");
        said.push_str(&format!("Without a price, so their dollars are not known: {models}. Name it in [prices], or as usd_per_call of its search provider.\n"));
    }
    if !found.not_counted.is_empty() {
        said.push_str(&format!("Vectors are not counted: those of {}.\n", found.not_counted.join(", ")));
    }
    let searches = found.phases.iter().map(|row| row.most.searches).sum::<u64>();
    if searches > 0 {
        said.push_str(&format!("Requests to search providers, at most: {}.\n", group_digits(searches)));
    }
    if found.unread_sources > 0 {
        said.push_str(&format!("Sources of unknown length: {}.\n", found.unread_sources));
    }
    if found.unreadable_sources > 0 {
        said.push_str(&format!("Sources that cannot be read, and cost nothing: {}.\n", found.unreadable_sources));
    }
    said
}

fn number(n: Option<u64>) -> String {
    n.map_or_else(|| NONE.to_owned(), group_digits)
}

fn dollars(usd: Option<f64>) -> String {
    usd.map_or_else(|| NONE.to_owned(), |usd| format!("{usd:.4}"))
}

/// The rows in columns: words to the left, numbers to the right.
fn align_columns(rows: &[[String; 8]]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0);
    let cell = |at: usize, text: &String| match at {
        0 | 1 => format!("{text:<width$}", width = width(at)),
        _ => format!("{text:>width$}", width = width(at)),
    };
    let line = |row: &[String; 8]| {
        let cells: Vec<String> = row.iter().enumerate().map(|(at, text)| cell(at, text)).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use precis_proto::Phase;
    use precis_proto::task::Role;

    use super::*;
    use precis_door::{EstimateRow, Figures};

    #[test]
    fn what_is_not_known_is_a_dash_and_is_said_below() {
        let most = Figures { calls: 1, requests: 12, input_tokens: 1_000, output_tokens: 500, searches: 60, usd: None };
        let row = |role, most| EstimateRow { phase: Phase::Synthesis, role, models: Vec::new(), most, likely: None };
        let found = Estimate {
            phases: vec![row(Role::Synthesis, Figures { searches: 0, ..most }), row(Role::Research, most)],
            most_tokens: 3_000,
            most_usd: Some(2.5),
            likely_tokens: None,
            likely_usd: None,
            max_spend_usd: Some(2.5),
            max_spend_tokens: None,
            without_price: vec!["a:m".to_owned()],
            not_counted: vec!["house:v".to_owned()],
            unread_sources: 2,
            unreadable_sources: 3,
        };
        let shown = table(&found);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].ends_with("1        12        1,500       -              -         -"), "{shown}");
        assert!(lines[3].starts_with("all") && lines[3].contains("2.5000"), "{shown}");
        for said in [
            "a:m",
            "not counted: those of house:v",
            "search providers, at most: 60",
            "unknown length: 2",
            "cannot be read, and cost nothing: 3",
            "No model was called",
        ] {
            assert!(shown.contains(said), "{said}: {shown}");
        }
    }
}
