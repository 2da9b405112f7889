//! Limits markup before it reaches the parser, whose work grows with the square of the nesting and of the number of attributes of a tag.
//!
//! Tags beyond the limits are removed from the source; their text stays. The scan recognizes comments, quoted values and raw text only as
//! far as needed to find the borders of tags.

use std::borrow::Cow;

/// Deepest nesting passed on. Browsers stop at 512.
const MAX_DEPTH: usize = 512;
/// Most attributes of a tag passed on.
const MAX_ATTRIBUTES: usize = 1_000;
/// Bytes read of a tag's name; the names known here are shorter.
const MAX_NAME: usize = 16;

/// Elements that contain no others, or that a sibling closes, so that they do not add to the nesting.
const FLAT: [&str; 29] = [
    "area", "base", "body", "br", "col", "dd", "dt", "embed", "frame", "head", "hr", "html", "img", "input", "li",
    "link", "meta", "option", "optgroup", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track",
];
/// Elements whose content is not markup.
const RAW: [&str; 7] = ["script", "style", "textarea", "title", "xmp", "noembed", "noframes"];

/// `source`, or a copy without the tags that exceed the limits.
pub(super) fn limit_nesting(source: &str) -> Cow<'_, str> {
    let mut out: Option<String> = None;
    let (mut copied, mut depth, mut left_out) = (0, 0_usize, 0_usize);
    let mut at = 0;
    while let Some(tag) = next_tag(source, at) {
        at = tag.end;
        let flat = FLAT.contains(&tag.name.as_str());
        let drop = if tag.attributes > MAX_ATTRIBUTES {
            true
        } else if flat {
            false
        } else if tag.closing {
            let was_left_out = left_out > 0;
            if was_left_out {
                left_out -= 1
            } else {
                depth = depth.saturating_sub(1)
            }
            was_left_out
        } else if depth >= MAX_DEPTH {
            left_out += 1;
            true
        } else {
            depth += usize::from(!RAW.contains(&tag.name.as_str()));
            false
        };
        if drop {
            let copy = out.get_or_insert_with(|| String::with_capacity(source.len()));
            copy.push_str(&source[copied..tag.start]);
            if !copy.ends_with(' ') {
                copy.push(' ');
            }
            copied = tag.end;
        } else if !tag.closing && RAW.contains(&tag.name.as_str()) {
            at = raw_end(source, tag.end, &tag.name);
        }
    }
    match out {
        Some(mut copy) => {
            copy.push_str(&source[copied..]);
            Cow::Owned(copy)
        }
        None => Cow::Borrowed(source),
    }
}

/// A tag found in the source.
struct FoundTag {
    start: usize,
    end: usize,
    name: String,
    closing: bool,
    /// Number of attributes, as an upper bound.
    attributes: usize,
}

/// The first tag at or after `from`; comments and declarations are skipped.
fn next_tag(source: &str, from: usize) -> Option<FoundTag> {
    let bytes = source.as_bytes();
    let mut at = from;
    loop {
        let start = at + source.get(at..)?.find('<')?;
        let closing = bytes.get(start + 1) == Some(&b'/');
        let name_start = start + 1 + usize::from(closing);
        match bytes.get(name_start) {
            Some(first) if first.is_ascii_alphabetic() => {
                let ends_name = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'>' | b'/');
                let name_end = bytes[name_start..].iter().position(ends_name).map_or(bytes.len(), |n| name_start + n);
                let (end, attributes) = tag_end(bytes, name_end);
                // The beginning of a longer name is enough, even if it ends inside a character.
                let name = &bytes[name_start..name_end.min(name_start + MAX_NAME)];
                let name = String::from_utf8_lossy(name).to_ascii_lowercase();
                return Some(FoundTag { start, end, name, closing, attributes });
            }
            Some(b'!') if source[start..].starts_with("<!--") => {
                at = source[start + 4..].find("-->").map_or(source.len(), |n| start + 4 + n + 3);
            }
            _ => at = start + 1,
        }
    }
}

/// The end of the tag whose name ends at `from`, and an upper bound of its attributes.
fn tag_end(bytes: &[u8], from: usize) -> (usize, usize) {
    let (mut at, mut attributes, mut after_equals) = (from, 0, false);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'>' => return (at, attributes),
            b'"' | b'\'' if after_equals => {
                at = bytes[at..].iter().position(|&b| b == byte).map_or(bytes.len(), |n| at + n + 1);
                // The next name may follow a quoted value without white space.
                attributes += 1;
                after_equals = false;
            }
            b'=' => after_equals = true,
            b'/' => attributes += 1,
            _ if byte.is_ascii_whitespace() => attributes += 1,
            _ => after_equals = false,
        }
    }
    (bytes.len(), attributes)
}

/// The position of the end tag `name` that closes the raw text from `from` on.
fn raw_end(source: &str, from: usize, name: &str) -> usize {
    let bytes = &source.as_bytes()[from..];
    let mut at = 0;
    while let Some(n) = source[from + at..].find("</") {
        let tail = &bytes[at + n + 2..];
        if tail.len() >= name.len() && tail[..name.len()].eq_ignore_ascii_case(name.as_bytes()) {
            return from + at + n;
        }
        at += n + 2;
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_markup_is_passed_on_as_it_is() {
        let page = "<!DOCTYPE html><html><!-- <div> --><script>if (a<b) '<div>'</script><p a='>' b=\"x\">a < b</p><é";
        assert!(matches!(limit_nesting(page), Cow::Borrowed(_)));
        assert!(matches!(limit_nesting(&"<p>x<li>y<br>".repeat(5_000)), Cow::Borrowed(_)));
        assert!(matches!(limit_nesting(&"<div><b>x</b></div>".repeat(5_000)), Cow::Borrowed(_)));
    }

    #[test]
    fn nesting_beyond_the_bound_is_left_out_and_its_text_stays() {
        let nested = |depth: usize| format!("{}x{}y", "<div>".repeat(depth), "</div>".repeat(depth));
        for depth in [MAX_DEPTH - 1, MAX_DEPTH] {
            assert!(matches!(limit_nesting(&nested(depth)), Cow::Borrowed(_)), "{depth}");
        }
        let cut = limit_nesting(&nested(MAX_DEPTH + 1)).into_owned();
        assert_eq!(cut.matches("<div>").count(), MAX_DEPTH);
        assert_eq!(cut.matches("</div>").count(), MAX_DEPTH);
        assert!(cut.contains(" x ") && cut.ends_with('y'));
    }

    #[test]
    fn a_name_may_be_cut_inside_a_character() {
        for lead in ["l", "ll"] {
            let page = format!("<p>x</p></{lead}{}i>y", "»".repeat(20));
            assert_eq!(limit_nesting(&page), page);
        }
    }

    #[test]
    fn a_tag_with_too_many_attributes_is_left_out() {
        let tag = |attributes: usize| format!("<a{}>x", " b".repeat(attributes));
        assert!(matches!(limit_nesting(&tag(MAX_ATTRIBUTES - 1)), Cow::Borrowed(_)));
        assert!(matches!(limit_nesting(&tag(MAX_ATTRIBUTES)), Cow::Borrowed(_)));
        assert_eq!(limit_nesting(&tag(MAX_ATTRIBUTES + 1)), " x");
    }
}
