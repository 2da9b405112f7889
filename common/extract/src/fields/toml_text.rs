//! TOML as names and values.

use toml::{Table, Value};

/// Deepest nesting of tables and arrays that is written; the parser has a limit of its own.
const MAX_DEPTH: usize = 16;

/// The entries of `source`, each value on one line; `None` if it is damaged.
pub(super) fn entries(source: &str) -> Option<Vec<(String, String)>> {
    let table: Table = source.parse().ok()?;
    Some(table.iter().map(|(name, value)| (name.clone(), render_value(value, MAX_DEPTH))).collect())
}

fn render_value(value: &Value, depth: usize) -> String {
    let joined = |parts: Vec<String>| {
        let said: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        said.join(", ")
    };
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(is) => is.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(_) | Value::Table(_) if depth == 0 => String::new(),
        Value::Array(values) => joined(values.iter().map(|value| render_value(value, depth - 1)).collect()),
        Value::Table(table) => {
            joined(table.iter().map(|(name, value)| format!("{name}: {}", render_value(value, depth - 1))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_on_one_line() {
        let found = entries("a = 'b'\nc = 2018-04-20\nd = [1, 2.5, true]\n[e]\nf = 'g'\nh = ['i']").expect("TOML");
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, [("a", "b"), ("c", "2018-04-20"), ("d", "1, 2.5, true"), ("e", "f: g, h: i")]);
        assert_eq!(entries("a = "), None);
    }
}
