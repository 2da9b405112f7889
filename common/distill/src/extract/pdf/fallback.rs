//! The second engine, lopdf: used only if the first finds no text, because it ignores layout.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lopdf::{Document, LoadOptions};
use precis_proto::BlockKind;

use crate::text::Leaf;

use super::outcome::{CharBudget, PdfLimits, PdfText, PdfWarning};
use super::text_string::{text_string, title};

/// The text according to lopdf; `None` if it cannot read the file or finds no text either.
pub(super) fn opinion(bytes: &[u8], limits: &PdfLimits) -> Option<PdfText> {
    // A panic here means no second opinion: the error of the first engine stands.
    catch_unwind(AssertUnwindSafe(|| read(bytes, limits))).ok().flatten()
}

fn read(bytes: &[u8], limits: &PdfLimits) -> Option<PdfText> {
    let options = LoadOptions {
        password: Some(String::new()),
        max_decompressed_size: Some(limits.max_content_bytes),
        ..LoadOptions::default()
    };
    let document = Document::load_mem_with_options(bytes, options).ok()?;
    let numbers: Vec<u32> = document.get_pages().into_keys().collect();
    let mut text = PdfText {
        title: info_title(&document),
        page_count: numbers.len(),
        warnings: vec![PdfWarning::SecondOpinion],
        ..PdfText::default()
    };
    let mut budget = CharBudget::new(limits);
    for number in numbers.into_iter().take(limits.max_pages) {
        let page = document.extract_text_with_limit(&[number], limits.max_content_bytes).unwrap_or_default();
        let page = page.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
        let page = if page.is_empty() { Vec::new() } else { vec![Leaf::new(BlockKind::Paragraph, page)] };
        if !text.push_page(page, &mut budget) {
            break;
        }
    }
    text.close(&budget);
    text.pages.iter().any(|p| p.iter().any(|leaf| leaf.text.chars().any(char::is_alphanumeric))).then_some(text)
}

fn info_title(document: &Document) -> Option<String> {
    let info = document.trailer.get(b"Info").ok()?;
    let (_, info) = document.dereference(info).ok()?;
    let (_, raw) = document.dereference(info.as_dict().ok()?.get(b"Title").ok()?).ok()?;
    title(&text_string(raw.as_str().ok()?))
}
