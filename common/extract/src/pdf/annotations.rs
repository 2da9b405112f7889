//! Annotations: what their authors wrote. Text typed onto the page is shown on it, so it is text of the page; comments are not shown until
//! somebody opens them, so they are counted.

use hayro_interpret::hayro_syntax::object::dict::keys::{ANNOTS, AP, F, N, RECT, SUBTYPE};
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Rect as PdfRect, String as PdfString};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, Rect};

use super::fields::{UNSEEN, write};
use super::glyph::{Glyph, GlyphStyle};
use super::text_string::text_string;

/// Kinds of annotations whose contents are a comment (ISO 32000-2, table 171).
const COMMENTED: [&[u8]; 13] = [
    b"Text",
    b"Highlight",
    b"Underline",
    b"Squiggly",
    b"StrikeOut",
    b"Caret",
    b"Square",
    b"Circle",
    b"Line",
    b"Polygon",
    b"PolyLine",
    b"Ink",
    b"Stamp",
];
/// Most annotations of a page that are read, and most characters of the text typed onto it; limits the work. Chosen, not measured.
const MAX_ANNOTATIONS: usize = 5_000;
const MAX_CHARS: usize = 20_000;
/// Size of text typed onto the page, in points, and width of its characters in ems: as viewers show it by default.
const EM: f64 = 10.0;
const WIDTH_EM: f64 = 0.5;

/// Adds the text typed onto the page that has no appearance of its own, as viewers do. Returns the number of comments. `upright` transforms
/// to page space.
pub(super) fn read(page: &Page<'_>, upright: Affine, glyphs: &mut Vec<Glyph>) -> usize {
    let Some(annotations) = page.raw().get::<Array<'_>>(ANNOTS) else {
        return 0;
    };
    let (mut comments, mut chars_left) = (0, MAX_CHARS);
    for annotation in annotations.iter::<Dict<'_>>().take(MAX_ANNOTATIONS) {
        let (Some(kind), Some(text)) = (annotation.get::<Name<'_>>(SUBTYPE), contents(&annotation)) else {
            continue;
        };
        if COMMENTED.contains(&kind.as_ref()) {
            comments += 1;
            continue;
        }
        let has_appearance = annotation.get::<Dict<'_>>(AP).is_some_and(|ap| ap.contains_key(N));
        if kind.as_ref() == b"FreeText"
            && !has_appearance
            && let Some(rect) = annotation.get::<PdfRect>(RECT)
        {
            let rect = upright.transform_rect_bbox(Rect::new(rect.x0, rect.y0, rect.x1, rect.y1));
            let kept: String = text.chars().take(chars_left).collect();
            chars_left -= kept.chars().count();
            write(&wrap_lines(&kept, (rect.width() / (WIDTH_EM * EM)) as usize), rect, GlyphStyle::default(), glyphs);
        }
    }
    comments
}

/// What an annotation that is shown says.
fn contents(annotation: &Dict<'_>) -> Option<String> {
    let is_seen = annotation.get::<u32>(F).unwrap_or(0) & UNSEEN == 0;
    let text = annotation.get::<PdfString<'_>>(b"Contents").map(|s| text_string(s.as_bytes()));
    text.filter(|text| is_seen && text.chars().any(|c| c.is_alphanumeric()))
}

/// The lines of a text that is `width` characters wide.
fn wrap_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.split(['\r', '\n']).filter(|part| !part.trim().is_empty()) {
        let mut line = String::new();
        for word in part.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let table: [(&str, usize, &[&str]); 4] = [
            ("one two three", 7, &["one two", "three"]),
            ("one two three", 6, &["one", "two", "three"]),
            ("one\r\n\ntwo", 20, &["one", "two"]),
            ("unbreakable", 3, &["unbreakable"]),
        ];
        for (text, width, want) in table {
            assert_eq!(wrap_lines(text, width), want, "{width}");
        }
    }
}
