//! The estimate of a session as a table.

use crate::cli::numbers::group_digits;
use precis_door::Estimate;
use precis_door::Figures;

/// The heading of each column.
const HEADING: [&str; 8] =
    ["phase", "role", "most calls", "requests", "most tokens", "most $", "likely tokens", "likely $"];
/// What stands for a number that nothing but the ceiling bounds, or that is not known.
const NONE: &str = "-";

/// Returns the table, with a line for the sums and a line for each thing that is not known.
#[must_use]
pub fn table(found: &Estimate) -> String {
    let mut rows = vec![HEADING.map(str::to_owned)];
    for row in &found.phases {
        let count = |of: fn(&Figures) -> u64| number(row.most.as_ref().map(of));
        rows.push([
            row.phase.as_str().to_owned(),
            row.role.as_str().to_owned(),
            count(|most| most.calls),
            count(|most| most.requests),
            number(row.most.map(|most| most.tokens())),
            dollars(row.most.and_then(|most| most.usd)),
            number(row.likely.map(|likely| likely.tokens())),
            dollars(row.likely.and_then(|likely| likely.usd)),
        ]);
    }
    rows.push([
        "all".to_owned(),
        String::new(),
        String::new(),
        String::new(),
        number(found.most_tokens),
        dollars(found.most_usd),
        number(found.likely_tokens),
        dollars(found.likely_usd),
    ]);
    format!("{}{}", align_columns(&rows), remarks(found))
}

/// What the table does not say.
fn remarks(found: &Estimate) -> String {
    let mut said = String::from("No model was called, and nothing was searched.\n");
    if found.phases.is_empty() {
        said.push_str("Only the built-in model is used: it costs nothing.\n");
    }
    if found.most_tokens.is_some_and(|most| most > 0)
        && found.max_spend_usd.is_none()
        && found.max_spend_tokens.is_none()
    {
        said.push_str(
            "The most counts every repeat that may happen. A ceiling is lower: max_spend_usd, max_spend_tokens.\n",
        );
    }
    if !found.without_price.is_empty() {
        let models = found.without_price.join(", ");
        said.push_str(&format!("Without a price, so their dollars are not known: {models}. Name it in [prices].\n"));
    }
    if found.phases.iter().any(|row| row.most.is_none()) {
        let ceiling = match (found.max_spend_usd, found.max_spend_tokens) {
            (None, None) => "none is set: set max_spend_usd or max_spend_tokens",
            _ => "it is the most of all",
        };
        said.push_str(&format!("Nothing but the ceiling of the session bounds a row without a most ({ceiling}).\n"));
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
    use precis_door::EstimateRow;

    #[test]
    fn what_is_not_known_is_a_dash_and_is_said_below() {
        let most = Figures { calls: 1, requests: 12, input_tokens: 1_000, output_tokens: 500, usd: None };
        let row = |role, most| EstimateRow { phase: Phase::Synthesis, role, models: Vec::new(), most, likely: None };
        let found = Estimate {
            phases: vec![row(Role::Synthesis, Some(most)), row(Role::Research, None)],
            most_tokens: None,
            most_usd: Some(2.5),
            likely_tokens: None,
            likely_usd: None,
            max_spend_usd: Some(2.5),
            max_spend_tokens: None,
            without_price: vec!["a:m".to_owned()],
            unread_sources: 2,
            unreadable_sources: 3,
        };
        let shown = table(&found);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].ends_with("1        12        1,500       -              -         -"), "{shown}");
        assert!(lines[3].starts_with("all") && lines[3].contains("2.5000"), "{shown}");
        for said in [
            "a:m",
            "it is the most of all",
            "unknown length: 2",
            "cannot be read, and cost nothing: 3",
            "No model was called",
        ] {
            assert!(shown.contains(said), "{said}: {shown}");
        }
    }
}
