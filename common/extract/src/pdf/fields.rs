//! Values of form fields without a drawn appearance: viewers show them, so they are text of the page.

use hayro_interpret::hayro_syntax::object::dict::keys::{ANNOTS, AP, F, N, RECT, SUBTYPE};
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, Rect as PdfRect, String as PdfString};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, Point, Rect};

use super::char_mapping::readable;
use super::glyph::{Glyph, GlyphStyle};
use super::text_string::text_string;

/// Annotation flags (ISO 32000-2, table 167): hidden, no view.
pub(super) const UNSEEN: u32 = 1 << 1 | 1 << 5;
/// Field flags (ISO 32000-2, tables 231 and 233): password, combo box.
const PASSWORD: u32 = 1 << 13;
const COMBO: u32 = 1 << 17;
/// Most parents searched for an inherited entry.
const MAX_PARENTS: usize = 8;
/// Most fields per page whose drawn values are located; limits the work. Chosen, not measured.
const MAX_FIELDS: usize = 400;
/// Largest size of text that is not drawn, in points.
const MAX_EM: f64 = 10.0;

/// Adds the values of the page's fields without an appearance, or of all fields if the document asks to redraw them, unless something is
/// drawn inside their rectangle. Also marks the values drawn by annotations, which are the glyphs after the first `content`. `upright`
/// transforms to page space.
pub(super) fn fill(page: &Page<'_>, upright: Affine, content: usize, glyphs: &mut Vec<Glyph>) {
    let Some(annotations) = page.raw().get::<Array<'_>>(ANNOTS) else {
        return;
    };
    let all = wants_appearances(page);
    let drawn = glyphs.len();
    let mut shown_values: Vec<Rect> = Vec::new();
    for field in annotations.iter::<Dict<'_>>() {
        let Some(rect) = field.get::<PdfRect>(RECT).filter(|_| is_seen_field(&field)) else {
            continue;
        };
        let rect = upright.transform_rect_bbox(Rect::new(rect.x0, rect.y0, rect.x1, rect.y1));
        let empty = !glyphs[..drawn].iter().any(|g| g.ch != ' ' && rect.contains(g.start));
        let has_appearance = field.get::<Dict<'_>>(AP).is_some_and(|ap| ap.contains_key(N));
        if empty && (all || !has_appearance) {
            write(&shown(&field), rect, GlyphStyle { field: true, ..GlyphStyle::default() }, glyphs);
        } else if !empty && shown_values.len() < MAX_FIELDS {
            shown_values.push(rect);
        }
    }
    for glyph in glyphs.iter_mut().take(drawn).skip(content) {
        glyph.style.field = shown_values.iter().any(|rect| rect.contains(glyph.start));
    }
}

fn is_seen_field(annotation: &Dict<'_>) -> bool {
    annotation.get::<Name<'_>>(SUBTYPE).as_deref() == Some(b"Widget")
        && annotation.get::<u32>(F).unwrap_or(0) & UNSEEN == 0
}

fn wants_appearances(page: &Page<'_>) -> bool {
    let catalog = page.xref().get::<Dict<'_>>(page.xref().root_id());
    let form = catalog.and_then(|c| c.get::<Dict<'_>>(b"AcroForm"));
    form.and_then(|f| f.get::<bool>(b"NeedAppearances")).unwrap_or(false)
}

/// The lines shown by a field: the value of a text field or combo box, or the choices of a list.
fn shown(field: &Dict<'_>) -> Vec<String> {
    let flags = match inherited(field, b"Ff") {
        Some(Object::Number(n)) => n.as_i64() as u32,
        _ => 0,
    };
    let Some(Object::Name(kind)) = inherited(field, b"FT") else {
        return Vec::new();
    };
    match kind.as_ref() {
        b"Tx" if flags & PASSWORD == 0 => value(field).split(['\r', '\n']).map(str::to_owned).collect(),
        b"Ch" if flags & COMBO != 0 => vec![value(field)],
        b"Ch" => match inherited(field, b"Opt") {
            Some(Object::Array(options)) => options.iter::<Object<'_>>().filter_map(choice).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn value(field: &Dict<'_>) -> String {
    match inherited(field, b"V") {
        Some(Object::String(s)) => text_string(s.as_bytes()),
        _ => String::new(),
    }
}

/// The text of a choice, which is a string or a pair of the submitted and the shown value.
fn choice(option: Object<'_>) -> Option<String> {
    match option {
        Object::String(s) => Some(text_string(s.as_bytes())),
        Object::Array(pair) => pair.iter::<PdfString<'_>>().nth(1).map(|s| text_string(s.as_bytes())),
        _ => None,
    }
}

fn inherited<'a>(field: &Dict<'a>, key: &[u8]) -> Option<Object<'a>> {
    let mut field = field.clone();
    for _ in 0..MAX_PARENTS {
        if let Some(value) = field.get::<Object<'a>>(key) {
            return Some(value);
        }
        field = field.get::<Dict<'a>>(b"Parent")?;
    }
    None
}

/// Writes the lines into the rectangle, from its left edge and vertically centred; every character is half an em wide.
pub(super) fn write(lines: &[String], rect: Rect, style: GlyphStyle, glyphs: &mut Vec<Glyph>) {
    let em = (rect.height() / lines.len().max(1) as f64).min(MAX_EM);
    if em <= 0.0 {
        return;
    }
    let top = rect.y0 + 0.5 * (rect.height() - em * lines.len() as f64);
    for (row, line) in lines.iter().enumerate() {
        let at = |column: usize| Point::new(rect.x0 + 0.5 * em * column as f64, top + em * (row as f64 + 0.8));
        for (column, ch) in readable(line.chars()).unwrap_or_default().into_iter().enumerate() {
            glyphs.push(Glyph {
                ch,
                guessed: false,
                is_unseen: false,
                start: at(column),
                end: at(column + 1),
                em,
                angle: 0,
                style,
            });
        }
    }
}
