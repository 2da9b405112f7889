//! A whole document: opens it and reads its pages within the limits.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::InterpreterCache;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};

use super::collection::Collections;
use super::layout::page_rows;
use super::leaves::leaves;
use super::outcome::{CharBudget, PdfError, PdfLimits, PdfText, PdfWarning};
use super::page::{self, Guesses, ReadExtent};
use super::page_block::PageRows;
use super::properties::properties;
use super::recognized::RecognizedPage;

/// Number of pages that share the interpreter's cache of fonts and colours: most documents use the same few throughout, and others must not
/// let the cache grow.
const CACHED_PAGES: usize = 32;
/// Bytes from the start in which a header may begin, as PDF readers have always accepted.
const HEADER_RANGE: usize = 1024;

/// Extracts the text of a PDF, page by page, in reading order.
///
/// Pages are read one at a time; only the text of each is kept. The same bytes with the same limits give the same result.
///
/// # Errors
///
/// `NotPdf` for other bytes, `Encrypted` if the empty password does not open the file, `Broken` if no page can be reached, `NoText` if
/// there are pages but no text on them. A page that cannot be read to its end is a warning, not an error.
pub fn extract(bytes: &[u8], limits: &PdfLimits) -> Result<PdfText, PdfError> {
    extract_recognized(bytes, limits, &[])
}

/// As [`extract`], with the text that was recognized on pages without text. Where a page has text, what was recognized on it is ignored.
///
/// # Errors
///
/// As [`extract`].
pub fn extract_recognized(
    bytes: &[u8],
    limits: &PdfLimits,
    recognized: &[RecognizedPage],
) -> Result<PdfText, PdfError> {
    if !looks_like_pdf(bytes) {
        return Err(PdfError::NotPdf);
    }
    // The engine may panic on a damaged file.
    let text = catch_unwind(AssertUnwindSafe(|| read_document(bytes, limits, recognized)))
        .unwrap_or_else(|_| Err(PdfError::Broken("the file's structure cannot be read".into())))?;
    match text.pages.iter().all(Vec::is_empty) {
        true => Err(PdfError::NoText { pictures: text.pictures }),
        false => Ok(text),
    }
}

fn looks_like_pdf(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEADER_RANGE)];
    let has = |haystack: &[u8], mark: &[u8]| haystack.windows(mark.len()).any(|w| w == mark);
    has(head, b"%PDF-") || (has(bytes, b"endobj") && has(bytes, b" obj"))
}

fn read_document(bytes: &[u8], limits: &PdfLimits, recognized: &[RecognizedPage]) -> Result<PdfText, PdfError> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(_) => PdfError::Encrypted,
        LoadPdfError::Invalid => PdfError::Broken("no page tree found".into()),
    })?;
    let page_count = pdf.pages().len();
    if page_count == 0 {
        return Err(PdfError::Broken("the document has no pages".into()));
    }
    let mut text = PdfText { properties: properties(&pdf), page_count, ..PdfText::default() };
    read_pages(&pdf, limits, Guesses::Judged, recognized, &mut text);
    let left_out = text.warnings.iter().any(|w| matches!(w, PdfWarning::UnmappedGlyphs { .. }));
    if text.pages.iter().all(Vec::is_empty) && left_out && recognized.is_empty() {
        text = PdfText { properties: text.properties, page_count, ..PdfText::default() };
        read_pages(&pdf, limits, Guesses::Kept, &[], &mut text);
        text.warnings.push(PdfWarning::CodesOnly);
    }
    Ok(text)
}

fn read_pages(pdf: &Pdf, limits: &PdfLimits, guesses: Guesses, recognized: &[RecognizedPage], text: &mut PdfText) {
    let mut budget = CharBudget::new(limits);
    let mut rows: Vec<PageRows> = Vec::new();
    let mut chars = 0;
    let mut cache = InterpreterCache::new();
    let mut collections = Collections::default();
    for (i, page) in pdf.pages().iter().take(limits.max_pages).enumerate() {
        let number = i + 1;
        if i % CACHED_PAGES == 0 {
            cache = InterpreterCache::new();
        }
        let read = page::read(page, &cache, &mut collections, limits, guesses);
        match read.reading {
            ReadExtent::Whole => {}
            ReadExtent::OverLimit => text.warnings.push(PdfWarning::GlyphsLimited { page: number }),
            ReadExtent::Broken => {
                text.warnings.push(PdfWarning::PageBroken { page: number });
                // State left by the fault must not reach the next page.
                cache = InterpreterCache::new();
            }
        }
        if read.unmapped > 0 {
            text.warnings.push(PdfWarning::UnmappedGlyphs { page: number, count: read.unmapped });
        }
        if read.hidden > 0 {
            text.warnings.push(PdfWarning::Hidden { page: number, count: read.hidden });
        }
        if read.struck > 0 {
            text.warnings.push(PdfWarning::Struck { page: number, count: read.struck });
        }
        if read.comments > 0 {
            text.warnings.push(PdfWarning::Comments { page: number, count: read.comments });
        }
        if read.glyphs.is_empty() && read.has_pictures {
            text.pictures.push(number);
        }
        let page = page_rows(read.glyphs, &read.rulings);
        chars += page.chars();
        rows.push(page);
        // Later pages would be cut anyway.
        if chars > limits.max_chars {
            break;
        }
    }
    let recognized = |number: usize| recognized.iter().find(|page| page.page == number);
    for (i, mut page) in leaves(rows).into_iter().enumerate() {
        if page.is_empty()
            && let Some(recognized) = recognized(i + 1)
        {
            page = recognized.leaves();
        }
        if !text.push_page(page, &mut budget) {
            break;
        }
    }
    let is_textless = |number: &&usize| text.pages.get(**number - 1).is_some_and(Vec::is_empty);
    let pages: Vec<usize> = text.pictures.iter().filter(is_textless).copied().collect();
    if !pages.is_empty() {
        text.warnings.push(PdfWarning::Pictures { pages });
    }
    text.close(&budget);
}
