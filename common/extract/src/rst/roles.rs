//! The visible text of interpreted text, by its role.

use super::delimiters::unescaped;
use crate::runs::{Position, placed};

/// Roles whose text is shown as typed, including backslashes.
const RAW: [&str; 3] = ["code", "math", "raw"];
/// Roles whose text contains no target, so that angle brackets in it are literal.
const WITHOUT_TARGET: [&str; 10] =
    ["command", "emphasis", "file", "kbd", "literal", "option", "program", "samp", "strong", "title-reference"];

/// The visible text of `inside` in the role `role`.
pub(super) fn shown(role: &str, inside: &str) -> String {
    let role = role.to_lowercase();
    if RAW.contains(&role.as_str()) {
        return inside.to_owned();
    }
    match role.as_str() {
        "sup" | "superscript" => return placed(&unescaped(inside), Position::Raised),
        "sub" | "subscript" => return placed(&unescaped(inside), Position::Lowered),
        _ => {}
    }
    if WITHOUT_TARGET.contains(&role.as_str()) {
        return unescaped(inside);
    }
    // A PEP or RFC number contains no angle bracket, so a target may follow the title directly.
    let is_number = role.starts_with("pep") || role.starts_with("rfc");
    if let Some((title, _)) = split_target(inside, is_number).filter(|(title, _)| !title.is_empty()) {
        return unescaped(title);
    }
    let text = unescaped(inside);
    match role.as_str() {
        "pep" | "pep-reference" => format!("PEP {}", text.trim_start_matches('0')),
        "rfc" | "rfc-reference" => format!("RFC {text}"),
        // A tilde shows only the last part of a dotted name; an exclamation mark suppresses the link.
        _ => match text.strip_prefix('~') {
            Some(name) => name.rsplit('.').next().unwrap_or(name).to_owned(),
            None => text.strip_prefix('!').map_or(text.clone(), str::to_owned),
        },
    }
}

/// The text of a reference: its title, or the address if it has none.
pub(super) fn titled(inside: &str) -> String {
    match split_target(inside, false) {
        Some(("", target)) => unescaped(target),
        Some((title, _)) => unescaped(title),
        None => unescaped(inside),
    }
}

/// Title and target of `title <target>`; also of `title<target>` if `is_tight`.
fn split_target(inside: &str, is_tight: bool) -> Option<(&str, &str)> {
    let (title, target) = inside.strip_suffix('>')?.rsplit_once('<')?;
    let is_set_apart = is_tight || title.is_empty() || title.ends_with(char::is_whitespace);
    (is_set_apart && !target.trim().is_empty()).then(|| (title.trim_end(), target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_shows_its_text_and_no_target() {
        for (role, inside, want) in [
            ("pep", "0008", "PEP 8"),
            ("rfc", "2119#section-4", "RFC 2119#section-4"),
            ("ref", "the *text* <label>", "the *text*"),
            ("c:func", "!Py_X", "Py_X"),
            ("samp", "list <n>", "list <n>"),
            ("class", "list<int>", "list<int>"),
            ("PEP", "484", "PEP 484"),
            ("doc", "<>", "<>"),
            ("pep", "PEP 646<646#not>", "PEP 646"),
        ] {
            assert_eq!(shown(role, inside), want, "{role} {inside}");
        }
        assert_eq!((titled("a <b>"), titled("<b>"), titled("a\\<b>")), ("a".into(), "b".into(), "a<b>".into()));
    }
}
