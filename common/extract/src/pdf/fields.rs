//! Values of form fields: those without a drawn appearance, which viewers show, so that they are text of the page; and the states of boxes
//! and lists, which viewers draw as shapes that are no text.

use hayro_interpret::hayro_syntax::object::dict::keys::{ANNOTS, AP, F, N, RECT, SUBTYPE};
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Rect as PdfRect};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, Point, Rect};

use super::char_mapping::readable;
use super::field_values::{field_lines, states};
use super::glyph::{Glyph, GlyphStyle};

/// Annotation flags (ISO 32000-2, table 167): hidden, no view.
pub(super) const UNSEEN: u32 = 1 << 1 | 1 << 5;
/// Most fields per page whose drawn values are located; limits the work. Chosen, not measured.
const MAX_FIELDS: usize = 400;
/// Largest size of text that is not drawn, in points.
const MAX_EM: f64 = 10.0;

/// Adds the values of the page's fields without an appearance, or of all fields if the document asks to redraw them, unless something is
/// drawn inside their rectangle. Also marks the values drawn by annotations, which are the glyphs after the first `content`, and puts the
/// states of boxes and lists in the place of what is drawn for them. `upright` transforms to page space.
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
        if let Some(states) = states(&field) {
            // Blanked, not removed: the boxes that cover characters know them by their number.
            let drawn_state = glyphs[..drawn].iter_mut().skip(content).filter(|g| rect.contains(g.start));
            drawn_state.for_each(|g| g.ch = ' ');
            write(&states, rect, GlyphStyle { field: true, ..GlyphStyle::default() }, glyphs);
            continue;
        }
        let empty = !glyphs[..drawn].iter().any(|g| g.ch != ' ' && rect.contains(g.start));
        let has_appearance = field.get::<Dict<'_>>(AP).is_some_and(|ap| ap.contains_key(N));
        if empty && (all || !has_appearance) {
            write(&field_lines(&field), rect, GlyphStyle { field: true, ..GlyphStyle::default() }, glyphs);
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
