//! Prepares XHTML for an HTML parser, which does not know self-closing tags. Without this, `<script src="x"/>` would swallow the page.

/// Elements that are empty in HTML too.
const VOID: [&str; 14] =
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Whether `source` declares itself as XML.
pub(super) fn is_xml(source: &str) -> bool {
    source.trim_start_matches('\u{feff}').trim_start().starts_with("<?xml")
}

/// `source` with each self-closing tag that HTML does not know written as a pair of tags.
pub(crate) fn expand_self_closing(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("/>") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let name = before.rfind('<').map(|start| name_of(&before[start + 1..])).unwrap_or_default();
        out.push_str(before);
        if name.is_empty() || VOID.contains(&name.to_ascii_lowercase().as_str()) {
            out.push_str("/>");
        } else {
            out.push_str("></");
            out.push_str(name);
            out.push('>');
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The tag name at the start of `tag`; empty if it is not an opening tag, or if the tag has already ended.
fn name_of(tag: &str) -> &str {
    let end = tag.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ':' | '-' | '_')).unwrap_or(tag.len());
    let is_open = !tag[end..].contains('>');
    if is_open && tag.starts_with(|c: char| c.is_ascii_alphabetic()) { &tag[..end] } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_elements_are_written_out_unless_html_knows_them() {
        for (source, want) in [
            ("<script src='x'/><p>a<br/>b</p>", "<script src='x'></script><p>a<br/>b</p>"),
            ("<title/>", "<title></title>"),
            ("<svg:g a=\"b\" />x", "<svg:g a=\"b\" ></svg:g>x"),
            ("a /> b", "a /> b"),
            ("<p>1/>2", "<p>1/>2"),
            ("</p/>", "</p/>"),
            ("<IMG/>", "<IMG/>"),
            ("", ""),
        ] {
            assert_eq!(expand_self_closing(source), want, "{source}");
        }
    }
}
