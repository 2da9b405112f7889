//! Tags of JSX and JavaScript between braces.

use super::limits::MAX_TAG_BYTES;

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JsxTag<'s> {
    /// Empty for a fragment.
    pub(super) name: &'s str,
    pub(super) is_end: bool,
    /// Whether it is closed in itself.
    pub(super) is_empty: bool,
    /// Names with their values between quotes.
    pub(super) attributes: Vec<(&'s str, &'s str)>,
    /// Whether it has attributes that JavaScript computes.
    pub(super) is_computed: bool,
    pub(super) end: usize,
}

impl JsxTag<'_> {
    /// Whether it is no element of HTML.
    pub(super) fn is_component(&self) -> bool {
        self.name.is_empty() || self.name.contains('.') || self.name.starts_with(|c: char| c.is_ascii_uppercase())
    }

    /// The tag as HTML, without what is computed.
    pub(super) fn html(&self) -> String {
        let attributes: String = self.attributes.iter().map(|(name, value)| format!(" {name}=\"{value}\"")).collect();
        let (open, close) = (if self.is_end { "</" } else { "<" }, if self.is_empty { " />" } else { ">" });
        format!("{open}{}{attributes}{close}", self.name)
    }
}

/// The tag at a byte.
pub(super) fn tag(source: &str, at: usize) -> Option<JsxTag<'_>> {
    let limit = source.floor_char_boundary(at + MAX_TAG_BYTES);
    let text = &source[..limit];
    let mut next = at + 1;
    let is_end = text.get(next..)?.starts_with('/');
    next += usize::from(is_end);
    let name = identifier(&text[next..]);
    next += name.len();
    let mut tag = JsxTag { name, is_end, is_empty: false, attributes: Vec::new(), is_computed: false, end: 0 };
    loop {
        let rest = text.get(next..)?;
        let trimmed = rest.trim_start();
        let has_space = trimmed.len() < rest.len();
        next += rest.len() - trimmed.len();
        if trimmed.starts_with('>') {
            tag.end = next + 1;
            return Some(tag);
        }
        if trimmed.starts_with("/>") && !is_end {
            (tag.is_empty, tag.end) = (true, next + 2);
            return Some(tag);
        }
        if !has_space || tag.name.is_empty() {
            return None;
        }
        if trimmed.starts_with('{') {
            tag.is_computed = true;
            next = braces(text, next)?;
            continue;
        }
        let name = identifier(trimmed);
        let value = trimmed[name.len()..].trim_start();
        if name.is_empty() {
            return None;
        }
        let Some(value) = value.strip_prefix('=').map(str::trim_start) else {
            tag.attributes.push((name, ""));
            next += name.len();
            continue;
        };
        next = text.len() - value.len();
        match value.chars().next()? {
            quote @ ('"' | '\'') => {
                let length = value[1..].find(quote)?;
                tag.attributes.push((name, &value[1..=length]));
                next += length + 2;
            }
            '{' => {
                tag.is_computed = true;
                next = braces(text, next)?;
            }
            _ => return None,
        }
    }
}

/// The name with which `text` begins, of a tag or an attribute.
fn identifier(text: &str) -> &str {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$')) {
        return "";
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | ':' | '-');
    &text[..text.find(|c: char| !is_part(c)).unwrap_or(text.len())]
}

/// The end of the text between braces that begins at a byte, as JavaScript is written.
pub(super) fn braces(source: &str, at: usize) -> Option<usize> {
    let mut code = Scan::new(source.get(..source.floor_char_boundary(at + MAX_TAG_BYTES))?, at);
    while let Some(depth) = code.step() {
        if depth == 0 {
            return Some(code.at);
        }
    }
    None
}

/// Steps through JavaScript: strings, templates and comments are one step each.
#[derive(Debug)]
pub(super) struct Scan<'s> {
    source: &'s str,
    /// The next byte.
    pub(super) at: usize,
    depth: usize,
}

impl<'s> Scan<'s> {
    pub(super) fn new(source: &'s str, at: usize) -> Self {
        Self { source, at, depth: 0 }
    }

    /// Takes a step; returns the number of open brackets behind it. `None` at the end, or if something is not closed.
    pub(super) fn step(&mut self) -> Option<usize> {
        let rest = self.source.get(self.at..)?;
        let first = rest.chars().next()?;
        let length = match first {
            '"' | '\'' | '`' => string_length(rest, first)?,
            '/' if rest.starts_with("/*") => rest.find("*/")? + 2,
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '{' | '(' | '[' => {
                self.depth += 1;
                1
            }
            '}' | ')' | ']' => {
                self.depth = self.depth.checked_sub(1)?;
                1
            }
            _ => first.len_utf8(),
        };
        self.at += length;
        Some(self.depth)
    }
}

/// The length of the string with which `text` begins, with its quotes. Between quotes other than backquotes there is no end of a line; such
/// a quote is an apostrophe of the text of a tag.
fn string_length(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' if quote != '`' => return Some(1),
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    (quote != '`').then_some(1)
}
