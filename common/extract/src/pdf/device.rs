//! Receives the drawing calls of hayro's interpreter and keeps the characters, each with its meaning and its place on the page, and the
//! straight lines. Ignores everything else and makes no decisions about words or lines.

use hayro_interpret::font::{GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::WritingMode;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::kurbo::{BezPath, Rect};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

use super::backgrounds::Backgrounds;
use super::bidi;
use super::char_mapping::{guess, readable};
use super::collection::Collections;
use super::covers::Covers;
use super::drawn_glyph::{DrawnGlyph, GlyphExtent, GlyphText, LastScale, is_bold};
use super::glyph::{Glyph, GlyphStyle, direction};
use super::rulings::{Rulings, only_box};
use super::text_string::text_string;

/// Payload that ends a page early. The interpreter cannot be stopped otherwise than by unwinding, which calls no panic hook.
#[derive(Debug)]
pub(super) struct PageOverLimit;

/// The characters of one page, in drawing order.
#[derive(Debug)]
pub(super) struct GlyphCollector<'c> {
    collections: &'c Collections,
    pub(super) glyphs: Vec<Glyph>,
    /// Number of glyphs without a known meaning.
    pub(super) unmapped: usize,
    max_glyphs: usize,
    operations_left: usize,
    /// The open marked contents: the text that replaces their glyphs, and the index where those begin.
    marked: Vec<Option<(Vec<char>, usize)>>,
    last_scale: LastScale,
    /// Whether the run being read is drawn without ink.
    is_unseen: bool,
    /// Index of the first of the glyphs just drawn without ink, if nothing else was drawn since: a following clip may fill them.
    unfilled: Option<usize>,
    /// Whether the page has pictures.
    pub(super) has_pictures: bool,
    /// The lines drawn on the page.
    pub(super) rulings: Rulings,
    /// The boxes that may cover characters drawn before.
    pub(super) covers: Covers,
    /// What is drawn behind the characters to come.
    backgrounds: Backgrounds,
    /// Whether characters were drawn without ink.
    has_inkless: bool,
    /// Number of characters in the colour of what is behind them.
    swallowed: usize,
}

impl<'c> GlyphCollector<'c> {
    pub(super) fn new(collections: &'c Collections, max_glyphs: usize, max_operations: usize) -> Self {
        Self {
            collections,
            glyphs: Vec::new(),
            unmapped: 0,
            max_glyphs,
            operations_left: max_operations,
            marked: Vec::new(),
            last_scale: LastScale::default(),
            is_unseen: false,
            unfilled: None,
            has_pictures: false,
            rulings: Rulings::default(),
            covers: Covers::default(),
            backgrounds: Backgrounds::default(),
            has_inkless: false,
            swallowed: 0,
        }
    }

    /// Takes characters in the colour of what is behind them for seen, if they are most of the page: then it is the background that was
    /// not understood.
    pub(super) fn judge_backgrounds(&mut self) {
        if !self.has_inkless && self.swallowed * 2 > self.glyphs.len() {
            self.glyphs.iter_mut().for_each(|glyph| glyph.is_unseen = false);
        }
    }

    /// Counts `n` operations; ends the page if its limit is exceeded.
    fn count(&mut self, n: usize) {
        if n > self.operations_left {
            end_page();
        }
        self.operations_left -= n;
    }

    fn push(&mut self, glyph: Glyph) {
        if self.glyphs.len() >= self.max_glyphs {
            end_page();
        }
        self.glyphs.push(glyph);
    }

    fn keep_run(&mut self, run: &GlyphRun<'_, '_>, props: &DrawProps<'_>, mode: &DrawMode) {
        let (to_page, is_inkless) = (props.transform, matches!(mode, DrawMode::Invisible));
        let ink = self.backgrounds.suspect(props, mode);
        let draw = |g: &PositionedGlyph<'_>| DrawnGlyph::new(g, to_page * g.transform(), self.collections);
        let drawn: Vec<DrawnGlyph> = run.glyphs().iter().map(draw).collect();
        let vertical = run.writing_mode() == WritingMode::Vertical;
        let scale = self.last_scale.of(&drawn);
        let style = GlyphStyle { bold: run.glyphs().first().is_some_and(|g| is_bold(g)), field: false };
        for glyph in drawn {
            if let Some(run) = glyph.run(scale, vertical) {
                let middle = run.middle();
                self.is_unseen = is_inkless || ink.is_some_and(|ink| self.backgrounds.swallows(ink, middle));
                self.swallowed += usize::from(self.is_unseen && !is_inkless);
                self.keep_glyph(glyph.text, &run, style);
            }
        }
    }

    fn keep_glyph(&mut self, text: GlyphText, run: &GlyphExtent, style: GlyphStyle) {
        let whole = Glyph {
            ch: ' ',
            guessed: false,
            is_unseen: self.is_unseen,
            start: run.start,
            end: run.start + run.advance,
            em: run.em,
            angle: direction(run.along),
            style,
        };
        match text {
            GlyphText::One(ch) => self.push(Glyph { ch, ..whole }),
            GlyphText::Known(text) => self.spread(&text, &whole),
            GlyphText::Code(code) => match guess(code) {
                Some(ch) => self.push(Glyph { ch, guessed: true, ..whole }),
                None => self.unmapped += 1,
            },
        }
    }

    /// Divides the extent of `whole` evenly among the characters of `text`.
    fn spread(&mut self, text: &[char], whole: &Glyph) {
        let text = bidi::visual(text);
        let (advance, parts) = (whole.end - whole.start, text.len() as f64);
        let at = |k: usize| whole.start + advance * (k as f64 / parts);
        for (i, ch) in text.into_iter().enumerate() {
            self.push(Glyph { ch, start: at(i), end: at(i + 1), ..*whole });
        }
    }

    fn close_marked(&mut self) {
        let Some(Some((text, from))) = self.marked.pop() else {
            return;
        };
        let covered = self.glyphs.get(from..).unwrap_or_default();
        let (Some(first), Some(last)) = (covered.first().copied(), covered.last().copied()) else {
            return;
        };
        let a_line = covered.iter().all(|g| g.angle == first.angle && (g.place().v - first.place().v).abs() < first.em);
        // A replacement text for several lines has no single place, so the glyphs' own meaning is kept.
        if !a_line || text.len() > 4 * covered.len() + 8 {
            return;
        }
        self.glyphs.truncate(from);
        self.spread(&text, &Glyph { end: last.end, guessed: false, ..first });
    }
}

/// Unwinds out of the interpreter, which offers no other exit, without a panic: no hook runs, nothing is printed. Caught in `page`.
fn end_page() -> ! {
    std::panic::resume_unwind(Box::new(PageOverLimit))
}

impl<'a> Device<'a> for GlyphCollector<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.count(1);
        self.unfilled = None;
        self.rulings.add_path(path, &props, mode);
        self.covers.add_path(path, &props, mode, self.glyphs.len());
        self.backgrounds.add_path(path, &props, mode);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.count(1);
        self.rulings.add_rect(rect, &props, mode);
        self.covers.add_rect(rect, &props, mode, self.glyphs.len());
        self.backgrounds.add_rect(rect, &props, mode);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.count(1);
        self.covers.push_clip(only_box(&clip.path));
        self.backgrounds.push_clip(only_box(&clip.path));
        // Letters used as a clip path are reported as drawn without ink, but the following drawing fills them.
        let from = self.unfilled.take().unwrap_or(self.glyphs.len());
        self.glyphs.iter_mut().skip(from).for_each(|glyph| glyph.is_unseen = false);
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.count(1);
        self.covers.push_clip(Some(*rect));
        self.backgrounds.push_clip(Some(*rect));
    }

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, blend_mode: BlendMode) {
        self.count(1);
        let is_opaque = opacity >= 1.0 && mask.is_none() && blend_mode == BlendMode::Normal;
        self.covers.push_group(is_opaque);
        self.backgrounds.push_group(is_opaque);
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.count(run.glyphs().len().max(1));
        let is_inkless = matches!(mode, DrawMode::Invisible);
        self.has_inkless |= is_inkless;
        self.unfilled = is_inkless.then(|| self.unfilled.unwrap_or(self.glyphs.len()));
        self.keep_run(run, &props, mode);
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.count(1);
        let pixels = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        self.backgrounds.add_picture(props.transform.transform_rect_bbox(pixels));
        (self.unfilled, self.has_pictures) = (None, true);
    }

    fn pop_clip(&mut self) {
        self.covers.pop_clip();
        self.backgrounds.pop_clip();
    }

    fn pop_transparency_group(&mut self) {
        self.covers.pop_group();
        self.backgrounds.pop_group();
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        self.count(1);
        let actual = properties.and_then(|p| p.get::<PdfString<'_>>(b"ActualText"));
        let text = actual.map(|s| (readable(text_string(s.as_bytes()).chars()).unwrap_or_default(), self.glyphs.len()));
        self.marked.push(text);
    }

    fn end_marked_content(&mut self) {
        self.close_marked();
    }
}
