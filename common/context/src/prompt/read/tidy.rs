//! Tidies a model's text: removes control characters and bullets, and cuts it to length.

/// Trimmed; line ends as `\n`; control characters left out.
pub(super) fn tidy(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.trim().chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// On one line: white space collapsed to single spaces, control characters left out.
pub(super) fn tidy_line(text: &str) -> String {
    tidy(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A point without a leading bullet.
pub(super) fn strip_bullet(point: &str) -> &str {
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

/// Whether a statement has at least two letters or digits, which is no obstacle for a CJK word.
pub(super) fn says_something(statement: &str) -> bool {
    statement.chars().filter(|c| c.is_alphanumeric()).nth(1).is_some()
}
