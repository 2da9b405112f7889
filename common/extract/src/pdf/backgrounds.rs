//! What lies behind the characters of a page: text in the colour of its background is seen by nobody.
//!
//! Only what is certain counts: the page itself, which is white, and boxes of one opaque colour. Behind pictures, patterns, shadings and other
//! shapes, and behind more than [`MAX_FILLS`] of anything, a character is taken to be seen.

use hayro_interpret::kurbo::{BezPath, Point, Rect, Shape};
use hayro_interpret::{BlendMode, DrawMode, DrawProps, Paint};

use super::rulings::{only_box, upright_box};

/// Most backgrounds kept of a page; limits the work. Chosen, not measured.
const MAX_FILLS: usize = 1_000;
/// Largest difference of two channels of one colour, of 255, that no eye tells apart.
const SAME: u8 = 6;
const WHITE: Colour = [u8::MAX; 3];
/// Lines thinner than this, in points, are no background.
const THIN: f64 = 2.0;

type Colour = [u8; 3];

/// The backgrounds of a page, while it is drawn.
#[derive(Debug, Default)]
pub(super) struct Backgrounds {
    /// Where something was drawn, in order: a box of one colour, or `None` for anything else.
    fills: Vec<(Rect, Option<Colour>)>,
    /// Whether more was drawn than is kept.
    is_over: bool,
    /// Open transparency groups that are not opaque.
    thin_groups: Vec<bool>,
    /// The open clips: a box, or `None` for any other shape.
    clips: Vec<Option<Rect>>,
}

impl Backgrounds {
    pub(super) fn push_group(&mut self, is_opaque: bool) {
        self.thin_groups.push(!is_opaque);
    }

    pub(super) fn pop_group(&mut self) {
        self.thin_groups.pop();
    }

    pub(super) fn push_clip(&mut self, clip: Option<Rect>) {
        self.clips.push(clip);
    }

    pub(super) fn pop_clip(&mut self) {
        self.clips.pop();
    }

    pub(super) fn add_path(&mut self, path: &BezPath, props: &DrawProps<'_>, mode: &DrawMode) {
        let on_page = props.transform * path;
        self.add(on_page.bounding_box(), only_box(&on_page), props, mode);
    }

    pub(super) fn add_rect(&mut self, rect: &Rect, props: &DrawProps<'_>, mode: &DrawMode) {
        let around = props.transform.transform_rect_bbox(*rect);
        self.add(around, upright_box(rect, props.transform), props, mode);
    }

    /// Adds a picture, which may show anything.
    pub(super) fn add_picture(&mut self, around: Rect) {
        self.push(around, None);
    }

    fn add(&mut self, around: Rect, filled: Option<Rect>, props: &DrawProps<'_>, mode: &DrawMode) {
        let width = match mode {
            DrawMode::Invisible => return,
            DrawMode::Fill(_) => 0.0,
            DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) => f64::from(stroke.line_width),
        };
        let width = width * props.transform.determinant().abs().sqrt();
        let around = around.inflate(width / 2.0, width / 2.0);
        if around.width().min(around.height()) < THIN {
            return;
        }
        let colour = filled.and_then(|_| match mode {
            DrawMode::Fill(_) | DrawMode::FillAndStroke(..) => self.opaque(props),
            DrawMode::Stroke(_) | DrawMode::Invisible => None,
        });
        if let DrawMode::Stroke(_) = mode
            && width < THIN
        {
            // A thin frame leaves what is inside as it was.
            return;
        }
        self.push(around, colour);
    }

    fn push(&mut self, around: Rect, colour: Option<Colour>) {
        let mut around = around;
        let mut colour = colour;
        for clip in &self.clips {
            match clip {
                Some(clip) => around = around.intersect(*clip),
                None => colour = None,
            }
        }
        if self.fills.len() >= MAX_FILLS {
            self.is_over = true;
        } else if around.width() > 0.0 && around.height() > 0.0 {
            self.fills.push((around, colour));
        }
    }

    /// The colour of an opaque paint.
    fn opaque(&self, props: &DrawProps<'_>) -> Option<Colour> {
        let is_normal = props.soft_mask.is_none() && props.blend_mode == BlendMode::Normal;
        solid(&props.paint).filter(|_| is_normal && !self.thin_groups.contains(&true))
    }

    /// The colour of text, if it may be that of a background; `None` if it is certainly seen.
    pub(super) fn suspect(&self, props: &DrawProps<'_>, mode: &DrawMode) -> Option<Colour> {
        let is_filled = matches!(mode, DrawMode::Fill(_));
        let ink = solid(&props.paint).filter(|_| is_filled && !self.is_over)?;
        let is_there = |fill: &(Rect, Option<Colour>)| fill.1.is_some_and(|colour| is_same(colour, ink));
        (is_same(WHITE, ink) || self.fills.iter().any(is_there)).then_some(ink)
    }

    /// Whether a character of this ink cannot be told from what is behind `middle`.
    pub(super) fn swallows(&self, ink: Colour, middle: Point) -> bool {
        let behind = self.fills.iter().rev().find(|(around, _)| around.contains(middle));
        behind.map_or(Some(WHITE), |(_, colour)| *colour).is_some_and(|colour| is_same(colour, ink))
    }
}

fn solid(paint: &Paint<'_>) -> Option<Colour> {
    match paint {
        Paint::Color(color) => {
            let [red, green, blue, opacity] = color.to_rgba().to_rgba8();
            (opacity == u8::MAX).then_some([red, green, blue])
        }
        Paint::Pattern(_) => None,
    }
}

fn is_same(one: Colour, other: Colour) -> bool {
    one.iter().zip(other).all(|(a, b)| a.abs_diff(b) <= SAME)
}
