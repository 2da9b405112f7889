//! What a line of an Org document is, by its first characters.

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OrgLine<'a> {
    Blank,
    /// Without stars, priority and tags.
    Headline {
        stars: usize,
        is_comment: bool,
        text: &'a str,
    },
    /// `#+name: value`, the name in lower case.
    Keyword {
        name: String,
        value: &'a str,
    },
    /// `#+begin_name`.
    Begin(&'a str),
    /// The first line of a drawer.
    Drawer,
    Comment(&'a str),
    /// `: text`.
    Fixed(&'a str),
    /// The definition of a note.
    Note(&'a str),
    Separator,
    Row(Vec<String>),
    /// The line between rows.
    Rule,
    Item {
        indent: usize,
        marker: String,
        text: String,
    },
    Text {
        indent: usize,
        text: &'a str,
    },
}

/// What `line` is.
pub(super) fn of(line: &str) -> OrgLine<'_> {
    let text = line.trim();
    let indent = line.len() - line.trim_start().len();
    if text.is_empty() {
        return OrgLine::Blank;
    }
    if let Some(headline) = headline(line) {
        return headline;
    }
    if let Some(rest) = text.strip_prefix("#+") {
        if rest.get(..6).is_some_and(|begin| begin.eq_ignore_ascii_case("begin_")) {
            return OrgLine::Begin(rest[6..].split_whitespace().next().unwrap_or_default());
        }
        if let Some((name, value)) = rest.split_once(':') {
            let name = name.split('[').next().unwrap_or_default().to_ascii_lowercase();
            return OrgLine::Keyword { name, value: value.trim() };
        }
    }
    if text == "#" || text.starts_with("# ") {
        return OrgLine::Comment(text.trim_start_matches('#'));
    }
    if let Some(fixed) = text.strip_prefix(':').filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
        return OrgLine::Fixed(fixed);
    }
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    if text.strip_prefix(':').and_then(|rest| rest.strip_suffix(':')).is_some_and(is_name) {
        return OrgLine::Drawer;
    }
    if text.starts_with('|') {
        let cells = || text.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        return if text.starts_with("|-") { OrgLine::Rule } else { OrgLine::Row(cells()) };
    }
    if text.len() >= 5 && text.bytes().all(|b| b == b'-') {
        return OrgLine::Separator;
    }
    if let Some((_, note)) = line.strip_prefix("[fn:").and_then(|rest| rest.split_once("] ")) {
        return OrgLine::Note(note);
    }
    item(indent, text).unwrap_or(OrgLine::Text { indent, text })
}

fn headline(line: &str) -> Option<OrgLine<'_>> {
    let text = line.trim_start_matches('*');
    let stars = line.len() - text.len();
    let mut text = text.strip_prefix(' ').filter(|_| stars > 0)?.trim();
    let is_comment = text == "COMMENT" || text.starts_with("COMMENT ");
    if let Some((before, tags)) = text.rsplit_once(" :") {
        let is_tag = |tag: &str| !tag.is_empty() && tag.chars().all(|c| c.is_alphanumeric() || "_@#%".contains(c));
        if tags.strip_suffix(':').is_some_and(|tags| tags.split(':').all(is_tag)) {
            text = before.trim_end();
        }
    }
    Some(OrgLine::Headline { stars, is_comment, text })
}

/// A list item: a bullet, or a number or letter with `.` or `)`; a box stands in place of its bullet.
fn item(indent: usize, text: &str) -> Option<OrgLine<'_>> {
    let (bullet, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let number = bullet.strip_suffix(['.', ')']).filter(|number| {
        !number.is_empty()
            && (number.bytes().all(|b| b.is_ascii_digit()) || (number.len() == 1 && bullet.ends_with(')')))
    });
    let is_item = matches!(bullet, "-" | "+") || (bullet == "*" && indent > 0) || number.is_some();
    if !is_item {
        return None;
    }
    let rest = rest.trim_start();
    let rest =
        rest.strip_prefix("[@").and_then(|rest| rest.split_once(']')).map_or(rest, |(_, rest)| rest.trim_start());
    let boxed = ["[ ]", "[X]", "[-]"].into_iter().find(|mark| rest.starts_with(mark));
    let text = boxed.map_or(rest, |mark| rest[mark.len()..].trim_start());
    let text = match text.split_once(" ::") {
        Some((term, about)) => format!("{term}:{about}"),
        None => text.to_owned(),
    };
    Some(OrgLine::Item { indent, marker: boxed.unwrap_or(bullet).to_owned(), text })
}
