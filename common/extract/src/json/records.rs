//! Lists of objects as tables, where the objects have the same names.

use super::value::JsonValue;

/// Most columns of a table; objects with more names are sections. Chosen, not measured.
const MAX_COLUMNS: usize = 32;
/// At least one in this many cells must have a value: objects with different names are no table.
const ONE_CELL_IN: usize = 2;

/// The rows of the table that `items` form, the names first; `None` if they are no table.
pub(super) fn table(items: &[JsonValue]) -> Option<Vec<Vec<String>>> {
    let mut names: Vec<&str> = Vec::new();
    let mut cells = 0;
    for item in items {
        let JsonValue::Object(members) = item else { return None };
        for (name, value) in members {
            cell(value)?;
            cells += 1;
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        if names.len() > MAX_COLUMNS {
            return None;
        }
    }
    // One object is a section; one name a list.
    if items.len() < 2 || names.is_empty() || cells * ONE_CELL_IN < names.len() * items.len() {
        return None;
    }
    let row = |item: &JsonValue| names.iter().map(|name| item.get(name).and_then(cell).unwrap_or_default()).collect();
    let header = names.iter().map(|name| (*name).to_owned()).collect();
    Some(std::iter::once(header).chain(items.iter().map(row)).collect())
}

/// A value that fits a cell: one that is no list and no object, or a list of such.
fn cell(value: &JsonValue) -> Option<String> {
    match value {
        JsonValue::Literal(text) | JsonValue::Text(text) => Some(text.clone()),
        JsonValue::List(items) => Some(items.iter().map(JsonValue::scalar).collect::<Option<Vec<_>>>()?.join(", ")),
        JsonValue::Object(members) if members.is_empty() => Some(String::new()),
        JsonValue::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(names: &[Vec<String>]) -> Vec<JsonValue> {
        let member = |name: &String| (name.clone(), JsonValue::Literal("1".to_owned()));
        names.iter().map(|names| JsonValue::Object(names.iter().map(member).collect())).collect()
    }

    #[test]
    fn objects_of_mostly_the_same_few_names_are_a_table() {
        let names = |names: &str| names.chars().map(String::from).collect::<Vec<_>>();
        for (given, is_table) in [
            (vec!["ab", "ab"], true),
            (vec!["ab", "ac"], true),
            (vec!["ab", "cd"], true),
            (vec!["ab", "cd", "ef"], false),
            (vec!["ab"], false),
            (vec!["", ""], false),
        ] {
            let given: Vec<Vec<String>> = given.into_iter().map(names).collect();
            assert_eq!(table(&objects(&given)).is_some(), is_table, "{given:?}");
        }
        for (columns, is_table) in [(MAX_COLUMNS - 1, true), (MAX_COLUMNS, true), (MAX_COLUMNS + 1, false)] {
            let names: Vec<String> = (0..columns).map(|n| n.to_string()).collect();
            assert_eq!(table(&objects(&[names.clone(), names])).is_some(), is_table, "{columns}");
        }
    }
}
