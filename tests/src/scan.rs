//! Scans made by hand: PDFs whose pages are pictures of lines of text, without any text.
//!
//! The letters are those of an ordinary PDF, drawn as ink on a page of 300 dots an inch.

use std::fmt::Write;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Shape};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, SoftMask, interpret_page,
};

use crate::documents::{pdf_of_contents, text_at};

/// Pixels of the picture: a strip of a page, as wide as its lines are long.
const WIDTH: usize = 2_400;
const HEIGHT: usize = 900;
/// Pixels for each point: 300 dots an inch.
const SCALE: f64 = 300.0 / 72.0;
/// Height of the page, in points.
const PAGE_HEIGHT: f64 = 792.0;

/// A PDF of a page for each of `pages`, which are lines separated by line ends; each page is one picture.
///
/// # Panics
/// If the lines cannot be drawn.
#[must_use]
pub fn scanned(pages: &[&str]) -> Vec<u8> {
    pdf_of_contents(&pages.iter().map(|lines| picture_of(lines)).collect::<Vec<_>>())
}

/// The operators that draw the picture of `lines`, whose ink are the zeros of its bits.
#[must_use]
pub fn picture_of(lines: &str) -> String {
    let ink = drawn(lines);
    let mut hex = String::with_capacity(WIDTH * HEIGHT / 4);
    for byte in ink.chunks(8) {
        let bits = byte.iter().fold(0_u8, |bits, is_ink| bits << 1 | u8::from(!is_ink));
        write!(hex, "{bits:02x}").expect("memory takes it");
    }
    let (width, height) = (WIDTH as f64 / SCALE, HEIGHT as f64 / SCALE);
    let bottom = PAGE_HEIGHT - height;
    format!("q {width} 0 0 {height} 0 {bottom} cm BI /W {WIDTH} /H {HEIGHT} /BPC 1 /CS /G /F /AHx ID {hex}> EI Q\n")
}

fn drawn(lines: &str) -> Vec<bool> {
    let place = |(n, line): (usize, &str)| text_at(20.0, PAGE_HEIGHT - 30.0 - 16.0 * n as f64, line);
    let typed = pdf_of_contents(&[lines.lines().enumerate().map(place).collect()]);
    let pdf = Pdf::new(typed).expect("a PDF");
    let page = &pdf.pages()[0];
    let cache = InterpreterCache::new();
    let upright = Affine::scale(SCALE) * Affine::new(page.initial_transform(true).as_coeffs());
    let bounds = Rect::new(0.0, 0.0, WIDTH as f64, HEIGHT as f64);
    let mut ink = Ink(vec![false; WIDTH * HEIGHT]);
    interpret_page(
        page,
        &mut Context::new(upright, bounds, &cache, page.xref(), InterpreterSettings::default()),
        &mut ink,
    );
    ink.0
}

/// The pixels that letters cover.
struct Ink(Vec<bool>);

impl Ink {
    fn fill(&mut self, outline: &BezPath) {
        let around = outline.bounding_box();
        let span = |from: f64, to: f64, end: usize| from.max(0.0) as usize..(to.max(0.0).ceil() as usize).min(end);
        for y in span(around.y0, around.y1, HEIGHT) {
            for x in span(around.x0, around.x1, WIDTH) {
                if outline.contains(Point::new(x as f64 + 0.5, y as f64 + 0.5)) {
                    self.0[y * WIDTH + x] = true;
                }
            }
        }
    }
}

impl<'a> Device<'a> for Ink {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        for glyph in run.glyphs() {
            if let Glyph::Outline(letter) = &**glyph {
                self.fill(&(props.transform * glyph.transform() * letter.outline()));
            }
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
