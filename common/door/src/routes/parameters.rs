//! The query of an address: known parameters, each once.

use std::collections::BTreeMap;

use crate::problem::Problem;

/// Reads `query`, whose parameters must be among `known`.
///
/// # Errors
/// 400 for an unknown one, and for one that is given twice.
pub(super) fn read(query: Option<&str>, known: &[&str]) -> Result<BTreeMap<String, String>, Problem> {
    let mut given = BTreeMap::new();
    for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if !known.contains(&name.as_ref()) {
            let detail = format!("a parameter is not known; expected {}", in_words(known));
            return Err(Problem::invalid("unknown_parameter", detail));
        }
        if given.insert(name.to_string(), value.into_owned()).is_some() {
            return Err(Problem::invalid("repeated_parameter", format!("the parameter `{name}` is given twice")));
        }
    }
    Ok(given)
}

fn in_words(known: &[&str]) -> String {
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_is_known_and_given_once() {
        let code = |query: Option<&str>| read(query, &["limit", "cursor"]).map_err(|problem| problem.code);
        assert_eq!(code(None), Ok(BTreeMap::new()));
        assert_eq!(code(Some("limit=5&cursor=a%2Fb")).expect("known")["cursor"], "a/b");
        assert_eq!(code(Some("colour=red")), Err("unknown_parameter".to_owned()));
        assert_eq!(code(Some("limit=5&limit=6")), Err("repeated_parameter".to_owned()));
    }
}
