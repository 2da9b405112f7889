//! Lines `:name: value`: fields of reStructuredText, options of directives there and in MyST, attributes of AsciiDoc.

/// The name of the field at the start of `line`, and the number of bytes before its value.
pub(super) fn field_name(line: &str) -> Option<(&str, usize)> {
    let rest = line.strip_prefix(':').filter(|rest| !rest.starts_with([' ', ':']))?;
    let is_end =
        |at: &usize| !rest[..*at].ends_with('\\') && matches!(rest.as_bytes().get(at + 1), None | Some(b' ' | b'`'));
    let end = rest.match_indices(':').map(|(at, _)| at).find(is_end)?;
    (!rest[end + 1..].starts_with('`') && !rest[..end].ends_with(' ')).then_some((&rest[..end], end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_end_at_a_colon_before_a_space() {
        for (line, want) in [
            (":a: b", Some(("a", 3))),
            (":a b:", Some(("a b", 5))),
            (":a\\: b: c", Some(("a\\: b", 7))),
            (":py:x: y", Some(("py:x", 6))),
            (":role:`x` y", None),
            (":: x", None),
            (": x", None),
            (":a :", None),
            (":a", None),
        ] {
            assert_eq!(field_name(line), want, "{line}");
        }
    }
}
