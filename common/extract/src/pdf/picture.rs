//! The pictures on a page, drawn as one: what a program that recognizes text is shown of a page without a text layer.
//!
//! Only pictures are drawn, in grey: a scan is one picture, or several strips and layers. Lines, letters and clips are not.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::font::GlyphRun;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps, InterpreterCache,
    InterpreterSettings, LumaData, Paint, SoftMask, interpret_page,
};

/// Dots an inch: what the authors of tesseract recommend.
const DOTS_PER_INCH: f64 = 300.0;
/// Points an inch, as PDF measures.
const POINTS_PER_INCH: f64 = 72.0;
/// Most pixels of a picture; a larger page is drawn with fewer dots an inch. Chosen: a page of A3 fits.
const MAX_PIXELS: f64 = 18_000_000.0;
/// Most samples of a picture along each side of a pixel, where the picture is finer than the page is drawn.
const MAX_SAMPLES: u32 = 4;
const WHITE: u8 = 255;

/// The pictures of page `number`, counted from 1, as an image file (PGM, one byte for each pixel); `None` if the page cannot be read or
/// is without extent.
#[must_use]
pub fn page_picture(bytes: &[u8], number: usize) -> Option<Vec<u8>> {
    // The engine may panic on a damaged file.
    catch_unwind(AssertUnwindSafe(|| {
        let pdf = Pdf::new(bytes.to_vec()).ok()?;
        let page = pdf.pages().get(number.checked_sub(1)?)?;
        Some(draw(page)?.into_pgm())
    }))
    .ok()
    .flatten()
}

fn draw(page: &Page<'_>) -> Option<Canvas> {
    let (width, height) = page.render_dimensions();
    let (width, height) = (f64::from(width), f64::from(height));
    if !(width * height).is_finite() || width < 1.0 || height < 1.0 {
        return None;
    }
    let scale = (DOTS_PER_INCH / POINTS_PER_INCH).min((MAX_PIXELS / (width * height)).sqrt());
    let mut canvas = Canvas::new((width * scale) as usize, (height * scale) as usize)?;
    let upright = Affine::scale(scale) * Affine::new(page.initial_transform(true).as_coeffs());
    let bounds = Rect::new(0.0, 0.0, width * scale, height * scale);
    let cache = InterpreterCache::new();
    let mut context = Context::new(upright, bounds, &cache, page.xref(), InterpreterSettings::default());
    interpret_page(page, &mut context, &mut canvas);
    Some(canvas)
}

/// A grey picture, white at first.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Option<Self> {
        let count = width.checked_mul(height).filter(|count| *count > 0)?;
        Some(Self { width, height, pixels: vec![WHITE; count] })
    }

    fn into_pgm(self) -> Vec<u8> {
        let mut file = format!("P5\n{} {}\n{WHITE}\n", self.width, self.height).into_bytes();
        file.extend(self.pixels);
        file
    }

    /// Draws a source of `width` × `height` samples, which `to_page` places; `at` returns the grey and the opacity of a sample, both from
    /// 0 to 255.
    fn paint(&mut self, width: u32, height: u32, to_page: Affine, at: impl Fn(usize, usize) -> (u8, u8)) {
        let (w, h) = (f64::from(width), f64::from(height));
        let on_page = to_page.transform_rect_bbox(Rect::new(0.0, 0.0, w, h));
        let determinant = to_page.determinant();
        if !determinant.is_normal() || !on_page.is_finite() {
            return;
        }
        let to_source = to_page.inverse();
        // Samples of the source along the side of a pixel.
        let samples = (determinant.abs().sqrt().recip().ceil() as u32).clamp(1, MAX_SAMPLES);
        let columns = span(on_page.x0, on_page.x1, self.width);
        for y in span(on_page.y0, on_page.y1, self.height) {
            for x in columns.clone() {
                let (mut grey, mut opacity) = (0_u32, 0_u32);
                for sample in 0..samples * samples {
                    let part = |n: u32| (f64::from(n) + 0.5) / f64::from(samples);
                    let place = Point::new(x as f64 + part(sample % samples), y as f64 + part(sample / samples));
                    let from = to_source * place;
                    if from.x >= 0.0 && from.y >= 0.0 && from.x < w && from.y < h {
                        let (of_sample, seen) = at(from.x as usize, from.y as usize);
                        grey += u32::from(of_sample) * u32::from(seen);
                        opacity += u32::from(seen);
                    }
                }
                let all = samples * samples * u32::from(WHITE);
                let pixel = &mut self.pixels[y * self.width + x];
                let below = u32::from(*pixel) * (all - opacity);
                *pixel = u8::try_from((grey + below) / all).unwrap_or(WHITE);
            }
        }
    }

    fn paint_raster(&mut self, image: &ImageData, alpha: Option<&LumaData>, transform: Affine) {
        let (width, height) = (image.width(), image.height());
        let (sx, sy) = image.scale_factors();
        let to_page = transform * Affine::scale_non_uniform(f64::from(sx), f64::from(sy));
        let grey = |x: usize, y: usize| {
            let at = y * width as usize + x;
            match image {
                ImageData::Luma(luma) => luma.data.get(at).copied().unwrap_or(WHITE),
                ImageData::Rgb(rgb) => rgb.data.get(3 * at..3 * at + 3).map_or(WHITE, |c| luminance(c[0], c[1], c[2])),
            }
        };
        let opacity = |x: usize, y: usize| {
            let Some(alpha) = alpha else { return WHITE };
            // The mask may have another resolution.
            let scaled = |n: usize, of: u32, to: u32| n * to as usize / (of as usize).max(1);
            let at = scaled(y, height, alpha.height) * alpha.width as usize + scaled(x, width, alpha.width);
            alpha.data.get(at).copied().unwrap_or(WHITE)
        };
        self.paint(width, height, to_page, |x, y| (grey(x, y), opacity(x, y)));
    }

    fn paint_stencil(&mut self, stencil: &LumaData, paint: &Paint<'_>, transform: Affine) {
        let (sx, sy) = stencil.scale_factors;
        let to_page = transform * Affine::scale_non_uniform(f64::from(sx), f64::from(sy));
        let ink = match paint {
            Paint::Color(color) => {
                let [red, green, blue, _] = color.to_rgba().to_rgba8();
                luminance(red, green, blue)
            }
            Paint::Pattern(_) => 0,
        };
        let opacity = |x: usize, y: usize| stencil.data.get(y * stencil.width as usize + x).copied().unwrap_or(0);
        self.paint(stencil.width, stencil.height, to_page, |x, y| (ink, opacity(x, y)));
    }
}

/// The pixels between two coordinates, within `end`.
fn span(from: f64, to: f64, end: usize) -> std::ops::Range<usize> {
    let inside = |n: f64| (n.max(0.0) as usize).min(end);
    inside(from.floor())..inside(to.ceil())
}

/// The weights are those of ITU-R BT.601, in 256ths.
fn luminance(red: u8, green: u8, blue: u8) -> u8 {
    let sum = 77 * u32::from(red) + 150 * u32::from(green) + 29 * u32::from(blue);
    u8::try_from(sum / 256).unwrap_or(WHITE)
}

impl<'a> Device<'a> for Canvas {
    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        match image {
            Image::Raster(raster) => {
                raster.with_rgba(|data, alpha| self.paint_raster(&data, alpha.as_ref(), props.transform), None)
            }
            Image::Stencil(stencil) => {
                stencil.with_stencil(|data, paint| self.paint_stencil(&data, paint, props.transform), None)
            }
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}
    fn draw_glyph_run(&mut self, _: &GlyphRun<'_, 'a>, _: DrawProps<'a>, _: &DrawMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::super::fixture::pdf;
    use super::*;

    /// The pixel of a picture at a part of its width and height.
    fn pixel(picture: &[u8], x: f64, y: f64) -> u8 {
        let head = b"P5\n2550 3300\n255\n";
        assert_eq!(&picture[..head.len()], head, "a page of 612 by 792 points");
        picture[head.len() + (y * 3300.0) as usize * 2550 + (x * 2550.0) as usize]
    }

    #[test]
    fn pictures_stand_where_the_page_has_them_in_grey() {
        let half = "q 306 0 0 792 0 0 cm BI /W 2 /H 1 /BPC 8 /CS /RGB /F /AHx ID 000000ff0000> EI Q\n";
        let stencil = "q 0 g 306 0 0 396 306 0 cm BI /W 1 /H 1 /IM true /BPC 1 /F /AHx ID 00> EI Q\n";
        let picture = page_picture(&pdf(&[half.to_owned() + stencil]), 1).expect("a page");
        for (x, y, grey) in [(0.1, 0.5, 0), (0.4, 0.5, 76), (0.75, 0.75, 0), (0.75, 0.25, WHITE)] {
            assert_eq!(pixel(&picture, x, y), grey, "{x} {y}");
        }
    }

    #[test]
    fn what_is_no_page_has_no_picture() {
        let document = pdf(&[String::new()]);
        assert!(page_picture(&document, 0).is_none() && page_picture(&document, 2).is_none());
        assert!(page_picture(b"no pdf", 1).is_none());
        assert_eq!(pixel(&page_picture(&document, 1).expect("a page"), 0.5, 0.5), WHITE);
    }

    #[test]
    fn a_page_beyond_the_pixels_is_drawn_with_fewer_dots() {
        for (points, is_whole) in [(1_018.0, true), (1_019.0, false)] {
            let scale = (DOTS_PER_INCH / POINTS_PER_INCH).min((MAX_PIXELS / (points * points)).sqrt());
            assert_eq!(scale == DOTS_PER_INCH / POINTS_PER_INCH, is_whole, "{points}");
        }
    }
}
