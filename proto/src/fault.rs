//! Describes the fault of an invalid message body to its sender: the position and the name of a field, but no value.

use serde::de::DeserializeOwned;

use crate::envelope::json_fault;

/// Longest field name repeated in a message, in characters: the sender may choose any name.
const MAX_NAME_CHARS: usize = 60;

/// A fault of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyFault {
    /// What is wrong; contains names of fields, but no values.
    pub message: String,
    /// Position of the fault as a JSON pointer (RFC 6901); empty for the body as a whole.
    pub pointer: String,
}

/// Returns why `body` is not a `T`; `None` if it is one. Parses the body a second time, so it is called for invalid bodies only.
#[must_use]
pub fn body_fault<T: DeserializeOwned>(body: &[u8]) -> Option<BodyFault> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let error = match serde_path_to_error::deserialize::<_, T>(&mut json) {
        Ok(_) => {
            let error = json.end().err()?;
            return Some(BodyFault { message: json_fault(&error), pointer: String::new() });
        }
        Err(error) => error,
    };
    let (pointer, fault) = (pointer(error.path()), error.into_inner());
    let message = field_fault_message(&fault.to_string()).unwrap_or_else(|| json_fault(&fault));
    // A syntax error has no position in the tree; its message gives line and column.
    let pointer = if fault.is_data() { pointer } else { String::new() };
    Some(BodyFault { message, pointer })
}

/// Returns the message of a fault about a field, with the known fields; a long field name is cut.
fn field_fault_message(text: &str) -> Option<String> {
    let (text, _) = text.rsplit_once(" at line ")?;
    let rest = ["unknown field `", "missing field `", "duplicate field `"];
    let (kind, rest) = rest.into_iter().find_map(|kind| Some((kind, text.strip_prefix(kind)?)))?;
    let (name, known) = match rest.rsplit_once("`, expected ") {
        // The list of known fields never contains this separator; the name of the field, chosen by the sender, may.
        Some((name, known)) => (name, format!(", expected {known}")),
        None => (rest.strip_suffix('`')?, String::new()),
    };
    let short: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
    Some(format!("{kind}{short}`{known}"))
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                // `~` is escaped first: otherwise the `~` of an escaped `/` would be escaped again.
                let short: String = key.chars().take(MAX_NAME_CHARS).collect();
                pointer.push_str(&format!("/{}", short.replace('~', "~0").replace('/', "~1")));
            }
            Segment::Unknown => {}
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::request::ResearchRequest;

    fn fault_of(change: impl FnOnce(&mut Value)) -> Option<(String, String)> {
        let mut body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [{ "source_id": "a", "content": "x" }] });
        change(&mut body);
        let fault = body_fault::<ResearchRequest>(body.to_string().as_bytes())?;
        Some((fault.message, fault.pointer))
    }

    #[test]
    fn an_unknown_field_is_named_with_its_place() {
        assert_eq!(fault_of(|_| ()), None);
        type FaultCase<'a> = (&'a dyn Fn(&mut Value), &'a str, &'a str);
        let table: [FaultCase<'_>; 6] = [
            (
                &|b| b["provider"] = json!("x"),
                "unknown field `provider`, expected one of `schema_version`",
                "/provider",
            ),
            (&|b| b["sources"][0]["contents"] = json!("x"), "unknown field `contents`", "/sources/0/contents"),
            (&|b| b["options"] = json!({ "model": 1 }), "unknown field `model`", "/options/model"),
            (&|b| b["a/b~c"] = json!(1), "unknown field `a/b~c`", "/a~1b~0c"),
            (&|b| b["sources"][0] = json!({}), "missing field `source_id`", "/sources/0"),
            (&|b| b["query"] = json!({ "secret": 1 }), "Data fault at line 1 column", "/query"),
        ];
        for (change, words, pointer) in table {
            let (message, place) = fault_of(change).expect(words);
            assert!(message.starts_with(words) && !message.contains("secret"), "{message}");
            assert_eq!(place, pointer);
        }
    }

    #[test]
    fn a_long_name_is_cut_and_invalid_json_has_a_line() {
        let long = "x".repeat(MAX_NAME_CHARS + 1);
        let (message, pointer) = fault_of(|b| b[&long] = json!(1)).expect("unknown");
        assert!(message.contains(&format!("`{}`", &long[1..])) && pointer.len() == MAX_NAME_CHARS + 1, "{message}");
        let forged = format!("x`, expected {long}");
        let (message, _) = fault_of(|b| b[&forged] = json!(1)).expect("unknown");
        assert!(!message.contains(&long) && message.contains("`schema_version`"), "{message}");
        let fault = body_fault::<ResearchRequest>(b"{\"query\": nope}").expect("no JSON");
        assert_eq!((fault.message.as_str(), fault.pointer.as_str()), ("Syntax fault at line 1 column 12", ""));
    }
}
