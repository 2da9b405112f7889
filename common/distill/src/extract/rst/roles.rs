//! What a reader sees of interpreted text, by the role it has.

use super::delimiters::unescaped;

/// Roles whose text is shown as it is typed, backslashes too.
const RAW: [&str; 3] = ["code", "math", "raw"];
/// Roles whose text names no other place: angle brackets in it are text.
const WITHOUT_TARGET: [&str; 12] = [
    "command",
    "emphasis",
    "file",
    "kbd",
    "literal",
    "option",
    "program",
    "samp",
    "strong",
    "sub",
    "sup",
    "title-reference",
];

/// `inside` as `role` shows it.
pub(super) fn shown(role: &str, inside: &str) -> String {
    let role = role.to_lowercase();
    if RAW.contains(&role.as_str()) {
        return inside.to_owned();
    }
    if WITHOUT_TARGET.contains(&role.as_str()) {
        return unescaped(inside);
    }
    // A number is followed by no angle bracket of its own: a target may stand right behind the title.
    let is_number = role.starts_with("pep") || role.starts_with("rfc");
    if let Some((title, _)) = split_target(inside, is_number).filter(|(title, _)| !title.is_empty()) {
        return unescaped(title);
    }
    let text = unescaped(inside);
    match role.as_str() {
        "pep" | "pep-reference" => format!("PEP {}", text.trim_start_matches('0')),
        "rfc" | "rfc-reference" => format!("RFC {text}"),
        // Of a dotted name behind a tilde only the last part is shown; behind an exclamation mark it is no link.
        _ => match text.strip_prefix('~') {
            Some(name) => name.rsplit('.').next().unwrap_or(name).to_owned(),
            None => text.strip_prefix('!').map_or(text.clone(), str::to_owned),
        },
    }
}

/// The text of a reference: its title, or the address where it has none.
pub(super) fn titled(inside: &str) -> String {
    match split_target(inside, false) {
        Some(("", target)) => unescaped(target),
        Some((title, _)) => unescaped(title),
        None => unescaped(inside),
    }
}

/// Title and target of `title <target>`; of `title<target>` too where that `is_tight`.
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
