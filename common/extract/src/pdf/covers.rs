//! Text under an opaque box that is drawn later, as to blacken a name: nobody sees it.

use hayro_interpret::kurbo::{BezPath, Point, Rect};
use hayro_interpret::{BlendMode, DrawMode, DrawProps, Paint};

use super::glyph::{Glyph, LEFT_OUT};
use super::rulings::{boxes, upright_box};
use super::words::WORD_GAP_EM;

/// Most boxes kept of a page; limits the work. A chart has more, and covers no text.
const MAX_COVERS: usize = 1_000;
/// Smallest side of a box that covers text, in points.
const MIN_SIDE: f64 = 4.0;
/// Height of a character's middle above its baseline, in ems.
const MIDDLE_EM: f64 = 0.3;
/// Part of a character's width on each side that may stick out of a box.
const EDGE: f64 = 0.15;

/// The opaque boxes of a page, and what limits them while the page is drawn.
#[derive(Debug, Default)]
pub(super) struct Covers {
    /// Each box, with the number of characters drawn before it.
    boxes: Vec<(Rect, usize)>,
    /// The open clip paths: the box that each leaves, `None` for any other shape, which may cover anything.
    clips: Vec<Option<Rect>>,
    /// The open transparency groups: whether each is opaque.
    groups: Vec<bool>,
}

impl Covers {
    pub(super) fn push_clip(&mut self, clip: Option<Rect>) {
        self.clips.push(clip);
    }

    pub(super) fn pop_clip(&mut self) {
        self.clips.pop();
    }

    pub(super) fn push_group(&mut self, is_opaque: bool) {
        self.groups.push(is_opaque);
    }

    pub(super) fn pop_group(&mut self) {
        self.groups.pop();
    }

    /// Adds the boxes of a path that is drawn after `drawn` characters.
    pub(super) fn add_path(&mut self, path: &BezPath, props: &DrawProps<'_>, mode: &DrawMode, drawn: usize) {
        if drawn > 0 && self.is_opaque(props, mode) {
            boxes(path, props.transform, |filled| self.add(filled, drawn));
        }
    }

    /// Adds a rectangle that is drawn after `drawn` characters.
    pub(super) fn add_rect(&mut self, rect: &Rect, props: &DrawProps<'_>, mode: &DrawMode, drawn: usize) {
        if drawn > 0
            && self.is_opaque(props, mode)
            && let Some(filled) = upright_box(rect, props.transform)
        {
            self.add(filled, drawn);
        }
    }

    fn is_opaque(&self, props: &DrawProps<'_>, mode: &DrawMode) -> bool {
        let is_filled = matches!(mode, DrawMode::Fill(_) | DrawMode::FillAndStroke(..));
        let is_solid = match &props.paint {
            Paint::Color(color) => color.to_rgba().to_rgba8()[3] == u8::MAX,
            Paint::Pattern(_) => false,
        };
        let is_normal = props.soft_mask.is_none() && props.blend_mode == BlendMode::Normal;
        is_filled && is_solid && is_normal && self.groups.iter().all(|is_opaque| *is_opaque)
    }

    fn add(&mut self, mut filled: Rect, drawn: usize) {
        for clip in &self.clips {
            let Some(clip) = clip else {
                return;
            };
            filled = filled.intersect(*clip);
        }
        if filled.width() >= MIN_SIDE && filled.height() >= MIN_SIDE && self.boxes.len() < MAX_COVERS {
            self.boxes.push((filled, drawn));
        }
    }

    /// Leaves out the words under later boxes, and returns the number of their characters. The boxes of a scan lie between its text and its
    /// picture: on a page with pictures, most of the text is not covered to be hidden. Neither is all text of a page.
    pub(super) fn hide(&self, glyphs: &mut [Glyph], has_pictures: bool) -> usize {
        let covered = self.covered_glyphs(glyphs);
        let count = covered.iter().filter(|is_covered| **is_covered).count();
        let seen = glyphs.iter().filter(|glyph| !glyph.is_unseen && glyph.ch != ' ').count().saturating_sub(count);
        if seen == 0 || (has_pictures && count >= seen) {
            return 0;
        }
        for (glyph, _) in glyphs.iter_mut().zip(&covered).filter(|(_, is_covered)| **is_covered) {
            glyph.ch = LEFT_OUT;
        }
        count
    }

    /// Whether each character is part of a word under a later box.
    fn covered_glyphs(&self, glyphs: &[Glyph]) -> Vec<bool> {
        let mut covered = vec![false; glyphs.len()];
        for (filled, drawn) in &self.boxes {
            let mut from = 0;
            for word in glyphs[..(*drawn).min(glyphs.len())].chunk_by(is_one_word) {
                // A box drawn by hand reaches into the words beside those that it covers.
                let under = word.iter().filter(|glyph| is_under(glyph, *filled)).count();
                if under * 2 > word.len() && word[0].ch != ' ' && !word[0].is_unseen {
                    covered[from..from + word.len()].fill(true);
                }
                from += word.len();
            }
        }
        covered
    }
}

fn is_one_word(a: &Glyph, b: &Glyph) -> bool {
    a.ch != ' ' && b.ch != ' ' && a.angle == b.angle && a.end.distance(b.start) < WORD_GAP_EM * a.em
}

fn is_under(glyph: &Glyph, filled: Rect) -> bool {
    let (sin, cos) = f64::from(glyph.angle).to_radians().sin_cos();
    let up = Point::new(sin * MIDDLE_EM * glyph.em, -cos * MIDDLE_EM * glyph.em).to_vec2();
    let inside = |part: f64| filled.contains(glyph.start.lerp(glyph.end, part) + up);
    inside(EDGE) && inside(1.0 - EDGE)
}
