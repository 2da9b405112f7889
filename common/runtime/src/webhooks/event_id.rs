//! The id of an event, which is the same for every attempt and every repeat: a receiver knows by it what it has seen. Pure.

use precis_proto::ids::sha256_hex;

/// Digits of an id: enough that no two events share one.
const DIGITS: usize = 32;

/// Returns the id of an event: `msg_` and a part of the hash of its `parts`, which name it.
#[must_use]
pub fn event_id(parts: &[&str]) -> String {
    // Length before each part, so that no two lists of parts are the same text.
    let named: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    format!("msg_{}", &sha256_hex(named.as_bytes())[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_follows_from_the_parts_alone() {
        assert_eq!(event_id(&["a", "b"]), event_id(&["a", "b"]));
        assert_ne!(event_id(&["a", "b"]), event_id(&["ab", ""]));
        assert_ne!(event_id(&["a", "b"]), event_id(&["b", "a"]));
        let id = event_id(&["session.finished", "a session with . and spaces"]);
        assert_eq!((id.len(), id.contains('.')), (36, false), "{id}");
    }
}
