//! Limits and results of an extraction: text, warnings, errors.

use precis_text::Leaf;

use super::properties::PdfProperties;

/// The limits of one extraction. Every limit keeps the beginning and gives a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PdfLimits {
    /// Pages read, from the first. Default 500 (extraction limits of the digest specification).
    pub max_pages: usize,
    /// Unicode scalar values kept over all pages, from the first. Default 500,000 (same source).
    pub max_chars: usize,
    /// Characters placed on one page, before layout. Default 200,000: a dense page of fine print has 20,000; chosen, not measured.
    pub max_page_glyphs: usize,
    /// Drawing calls of any kind on one page. Limits forms that draw further forms. Default 5,000,000: chosen, not measured.
    pub max_page_operations: usize,
    /// Bytes of one page's decoded content. Default 64 MiB: chosen, not measured.
    pub max_content_bytes: usize,
}

impl Default for PdfLimits {
    fn default() -> Self {
        Self {
            max_pages: 500,
            max_chars: 500_000,
            max_page_glyphs: 200_000,
            max_page_operations: 5_000_000,
            max_content_bytes: 64 * 1024 * 1024,
        }
    }
}

/// The text of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfText {
    /// What the file says about itself.
    pub properties: PdfProperties,
    /// The leaves of each page read, in reading order; pages in page order, some possibly empty.
    pub pages: Vec<Vec<Leaf>>,
    /// Number of pages of the document, including those beyond the limit.
    pub page_count: usize,
    /// Unicode scalar values left out by the limits: exact for the last page read; each unread page is estimated at the mean of the pages
    /// read. 0 only if nothing was left out.
    pub chars_cut: u64,
    /// Everything that was left out or read differently, in order of occurrence.
    pub warnings: Vec<PdfWarning>,
    /// The pages, from 1, that have pictures and no text of their own, in order.
    pub pictures: Vec<usize>,
}

/// The characters that a document may still have.
#[derive(Debug)]
pub(super) struct CharBudget {
    max: usize,
    left: usize,
    /// Number of characters of the pages read, including cut ones.
    seen: u64,
}

impl CharBudget {
    pub(super) fn new(limits: &PdfLimits) -> Self {
        Self { max: limits.max_chars, left: limits.max_chars, seen: 0 }
    }
}

impl PdfText {
    /// Adds a page, or as much of its beginning as the budget allows. Returns false, and adds a warning, if something was cut.
    pub(super) fn push_page(&mut self, mut page: Vec<Leaf>, budget: &mut CharBudget) -> bool {
        let counts: Vec<usize> = page.iter().map(|leaf| leaf.text.chars().count()).collect();
        let count: usize = counts.iter().sum();
        budget.seen += count as u64;
        if count <= budget.left {
            budget.left -= count;
            self.pages.push(page);
            return true;
        }
        self.chars_cut += (count - budget.left) as u64;
        for (leaf, count) in page.iter_mut().zip(counts) {
            if count > budget.left {
                leaf.text = leaf.text.chars().take(budget.left).collect();
                let end = leaf.text.len();
                leaf.cells.retain(|cell| cell.start < end);
                leaf.cells.iter_mut().for_each(|cell| cell.end = cell.end.min(end));
            }
            budget.left = budget.left.saturating_sub(count);
        }
        page.retain(|leaf| !leaf.text.is_empty());
        self.pages.push(page);
        self.warnings.push(PdfWarning::CharsLimited { kept: budget.max });
        false
    }

    /// Accounts for the pages after the last one read, with a warning if there are any.
    pub(super) fn close(&mut self, budget: &CharBudget) {
        let read = self.pages.len();
        let unread = self.page_count.saturating_sub(read);
        if unread > 0 {
            self.warnings.push(PdfWarning::PagesLimited { total: self.page_count, kept: read });
            let estimate = budget.seen.saturating_mul(unread as u64).div_ceil(read.max(1) as u64);
            self.chars_cut = self.chars_cut.saturating_add(estimate);
        }
    }

    /// Whether pages were left unread, so that their length is an estimate.
    #[must_use]
    pub fn has_unread_pages(&self) -> bool {
        self.pages.len() < self.page_count
    }
}

/// Warnings for the reader of the text. Pages are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdfWarning {
    /// The document has more pages than were read, because of the page limit or because the text reached its limit.
    #[error("read {kept} of {total} pages")]
    PagesLimited {
        /// Pages of the document.
        total: usize,
        /// Pages read.
        kept: usize,
    },
    /// The text exceeds the limit of characters.
    #[error("kept the first {kept} characters")]
    CharsLimited {
        /// Unicode scalar values kept.
        kept: usize,
    },
    /// A page exceeds a limit for glyphs, drawing calls or content; its beginning is kept.
    #[error("page {page} is over the limit of one page, its beginning was kept")]
    GlyphsLimited {
        /// The page, from 1.
        page: usize,
    },
    /// A page could not be read to its end; the text found before is kept.
    #[error("page {page} is broken, its beginning was kept")]
    PageBroken {
        /// The page, from 1.
        page: usize,
    },
    /// Characters of a page have no known meaning and were left out.
    #[error("page {page} holds {count} characters without a known meaning")]
    UnmappedGlyphs {
        /// The page, from 1.
        page: usize,
        /// Characters left out.
        count: usize,
    },
    /// Comments on a page were not read.
    #[error("{}", comments(*count, *page))]
    Comments {
        /// The page, from 1.
        page: usize,
        /// Annotations whose contents are a comment.
        count: usize,
    },
    /// Struck characters were left out.
    #[error("left out {count} characters that are struck out on page {page}")]
    Struck {
        /// The page, from 1.
        page: usize,
        /// Characters left out, without spaces.
        count: usize,
    },
    /// Characters drawn without ink or covered by a box, next to visible ones, were left out.
    #[error("left out {count} characters that page {page} hides from its readers")]
    Hidden {
        /// The page, from 1.
        page: usize,
        /// Characters left out.
        count: usize,
    },
    /// Pages that show pictures and have no text.
    #[error("{}", pictures(pages))]
    Pictures {
        /// The pages, from 1.
        pages: Vec<usize>,
    },
    /// The file does not define its characters, and their codes do not read like text. The codes are returned as they are: usable for
    /// search in a file known to be like this, hardly for quotes.
    #[error("the text is character codes without a known meaning")]
    CodesOnly,
}

fn comments(count: usize, page: usize) -> String {
    match count {
        1 => format!("1 comment on page {page} is not read"),
        _ => format!("{count} comments on page {page} are not read"),
    }
}

/// Most page numbers named in one warning.
const MOST_NAMED: usize = 10;

fn pictures(pages: &[usize]) -> String {
    let mut named: Vec<String> = pages.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    if pages.len() > MOST_NAMED {
        named.push("…".to_owned());
    }
    let named = named.join(", ");
    match pages.len() {
        1 => format!("page {named} shows pictures and has no text"),
        count => format!("{count} pages show pictures and have no text: {named}"),
    }
}

/// Why a document has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// The bytes are not a PDF: they contain none of its marks.
    #[error("read pdf: not a pdf")]
    NotPdf,
    /// The file needs a password, or is encrypted by an unsupported method.
    #[error("read pdf: encrypted, the empty password does not open it")]
    Encrypted,
    /// The file is a PDF, but none of its pages can be reached.
    #[error("read pdf: broken: {0}")]
    Broken(String),
    /// The pages contain no text: images, drawings or nothing.
    #[error("read pdf: no extractable text")]
    NoText {
        /// The pages, from 1, that have pictures.
        pictures: Vec<usize>,
    },
}
