//! Words of a model made tidy: no control characters, no bullets, no more than is kept.

/// Trimmed; line ends as `\n`; control characters left out.
pub(super) fn tidy(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.trim().chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// White space collapsed to single blanks; control characters left out.
pub(super) fn tidy_line(text: &str) -> String {
    tidy(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A point without the bullet a model put before it.
pub(super) fn unlisted(point: &str) -> &str {
    let point = point.trim();
    ["- ", "* ", "• "].iter().find_map(|b| point.strip_prefix(b)).unwrap_or(point)
}

/// At most `chars` characters of `text`.
pub(super) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => text[..end].trim_end().to_owned(),
        None => text.to_owned(),
    }
}

/// Whether a statement holds more than marks: two letters or digits at least, which one CJK word has too.
pub(super) fn says_something(statement: &str) -> bool {
    statement.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some()
}
