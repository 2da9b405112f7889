//! Reads the characters of one page: runs hayro's interpreter within limits and survives its panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::content::TypedIter;
use hayro_interpret::hayro_syntax::object::dict::keys::CONTENTS;
use hayro_interpret::hayro_syntax::object::{Array, Stream};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, RenderContent, interpret, interpret_page};

use super::char_mapping::drop_implausible;
use super::collection::Collections;
use super::device::{GlyphCollector, PageOverLimit};
use super::glyph::Glyph;
use super::outcome::PdfLimits;
use super::rulings::Rulings;
use super::strikes::leave_out_struck;
use super::{annotations, fields};

/// How far a page was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadExtent {
    Whole,
    OverLimit,
    Broken,
}

/// What to do with characters whose code alone is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guesses {
    /// Keep them if they read like text.
    Judged,
    /// Keep them all, because there is no other text.
    Kept,
}

/// The characters of a page, in drawing order.
pub(super) struct PageGlyphs {
    pub(super) glyphs: Vec<Glyph>,
    /// The lines drawn on the page.
    pub(super) rulings: Rulings,
    pub(super) reading: ReadExtent,
    /// Number of characters left out because their meaning is unknown.
    pub(super) unmapped: usize,
    /// Number of characters left out because they are drawn without ink, or covered.
    pub(super) hidden: usize,
    /// Number of comments on the page, which are not read.
    pub(super) comments: usize,
    /// Number of characters left out because they are struck out.
    pub(super) struck: usize,
    /// Whether the page has pictures.
    pub(super) has_pictures: bool,
}

/// Reads one page. Characters found before a limit or fault are kept.
pub(super) fn read<'a>(
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
    collections: &mut Collections,
    limits: &PdfLimits,
    guesses: Guesses,
) -> PageGlyphs {
    collections.learn(page);
    let mut collector = GlyphCollector::new(collections, limits.max_page_glyphs, limits.max_page_operations);
    let mut comments = 0;
    // Unwind safe: the collector is plain data, and the caller drops the cache after a fault.
    let outcome = catch_unwind(AssertUnwindSafe(|| draw(page, cache, limits, &mut collector, &mut comments)));
    let reading = match outcome {
        Ok(true) => ReadExtent::Whole,
        Ok(false) => ReadExtent::OverLimit,
        Err(cause) if cause.is::<PageOverLimit>() => ReadExtent::OverLimit,
        Err(_) => ReadExtent::Broken,
    };
    collector.judge_backgrounds();
    let GlyphCollector { mut glyphs, mut unmapped, has_pictures, rulings, covers, .. } = collector;
    // While the characters are in the order in which the boxes count them.
    let covered = covers.hide(&mut glyphs, has_pictures);
    if guesses == Guesses::Judged {
        unmapped += drop_implausible(&mut glyphs);
    }
    // Before hidden text is judged: characters outside of the page would count as visible text.
    keep_on_page(&mut glyphs, page);
    let hidden = drop_hidden(&mut glyphs, has_pictures) + covered;
    let struck = leave_out_struck(&mut glyphs, &rulings);
    PageGlyphs { glyphs, rulings, reading, unmapped, hidden, comments, struck, has_pictures }
}

/// Draws content and annotations, and counts comments. Returns false if the content exceeds the limit and was cut.
fn draw<'a>(
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
    limits: &PdfLimits,
    collector: &mut GlyphCollector,
    comments: &mut usize,
) -> bool {
    let upright = Affine::new(page.initial_transform(true).as_coeffs());
    let (width, height) = page.render_dimensions();
    let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let settings = InterpreterSettings { render_content: RenderContent::ANNOTATIONS, ..InterpreterSettings::default() };
    let mut context = Context::new(upright, bounds, cache, page.xref(), settings);
    // The content is decoded here rather than by the page, which would keep it while the document is open.
    let (content, whole) = content(page, limits.max_content_bytes);
    interpret(TypedIter::new(&content), page.resources(), &mut context, collector);
    let drawn = collector.glyphs.len();
    interpret_page(page, &mut context, collector);
    fields::fill(page, upright, drawn, &mut collector.glyphs);
    *comments = annotations::read(page, upright, &mut collector.glyphs);
    whole
}

/// The decoded content streams, joined, and whether they fit. The engine decodes a stream entirely or not at all, so a stream that expands
/// without end must be stopped by the limits of the process.
fn content(page: &Page<'_>, max_bytes: usize) -> (Vec<u8>, bool) {
    let mut out = Vec::new();
    let mut add = |stream: Stream<'_>| {
        if out.len() <= max_bytes
            && let Ok(data) = stream.decoded_data()
        {
            out.extend_from_slice(&data);
            // A token may end at the end of its stream.
            out.push(b'\n');
        }
    };
    if let Some(stream) = page.raw().get::<Stream<'_>>(CONTENTS) {
        add(stream);
    } else if let Some(streams) = page.raw().get::<Array<'_>>(CONTENTS) {
        streams.iter::<Stream<'_>>().for_each(&mut add);
    }
    let whole = out.len() <= max_bytes.saturating_add(1);
    out.truncate(max_bytes);
    (out, whole)
}

/// Drops characters drawn without ink on a page that also has visible text, and returns their number. The text of a scan lies without ink
/// over its picture, perhaps with a visible stamp: if there is a picture and most characters are without ink, they are the text.
fn drop_hidden(glyphs: &mut Vec<Glyph>, has_pictures: bool) -> usize {
    let hidden = glyphs.iter().filter(|glyph| glyph.is_unseen).count();
    let seen = glyphs.len() - hidden;
    if hidden == 0 || seen == 0 || (has_pictures && hidden >= seen) {
        return 0;
    }
    glyphs.retain(|glyph| !glyph.is_unseen);
    hidden
}

/// Drops glyphs outside of the page, which nobody sees.
fn keep_on_page(glyphs: &mut Vec<Glyph>, page: &Page<'_>) {
    let (width, height) = page.render_dimensions();
    let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height)).inflate(1.0, 1.0);
    glyphs.retain(|g| bounds.contains(g.start) || bounds.contains(g.end));
}
