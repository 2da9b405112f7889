//! [`extract`]: one document, from bytes to canonical text, and every way it can fail.

use precis_proto::DocumentFormat;
use precis_proto::extraction::HtmlMode;
use precis_text::{CanonicalText, Leaf, hiding_marks};

use super::attached::{self, AttachedText, AttachmentBudget, Refusal};
use super::fields::{Properties, properties_remark};
use super::limits::{ExtractLimits, Hint};
use super::package::{self, Package, PackageError};
use super::pdf::{self, PdfError, PdfLimits, PdfProperties, PdfWarning, RecognizedPage};
use super::sniff::{self, TextKind};
use super::{
    asciidoc, captions, charset, delimited, fields, html, json, mail, markdown, mbox, mediawiki, older_office, org,
    plain, plain_title, rst, rtf, tex, titles, xml,
};

/// MIME type of a text that is already canonical, as the archive stores it. Such a text is used unchanged, including its pages, if it
/// really is canonical, and is read like any other text otherwise.
pub const CANONICAL_TYPE: &str = "text/x-precis-canonical";

/// A document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedDocument {
    /// Content type of the document: the [`DocumentFormat::mime`] of its format.
    pub content_type: &'static str,
    /// The document's own title, if it has one.
    pub title: Option<String>,
    /// Its text; never blank.
    pub text: CanonicalText,
    /// Remarks for the reader, as lower-case sentences without full stop; empty if there is nothing to report.
    pub remarks: Vec<String>,
    /// Characters left out by the limits. Unread pages are estimated at the mean length of the pages read, and a remark says so; 0 only if
    /// nothing was left out.
    pub chars_cut: u64,
    /// The pages, from 1, that have pictures and no text of their own: a scan. In order.
    pub picture_pages: Vec<usize>,
}

/// Why a document gives no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// Larger than `max_bytes`.
    #[error("a document of {bytes} bytes is larger than {limit}")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The format is not supported.
    #[error("a document that looks like {looks_like} is not supported")]
    Unsupported {
        /// A short name of the format.
        looks_like: &'static str,
    },
    /// A password is required.
    #[error("the document is encrypted")]
    Encrypted,
    /// The format is supported, but the document is damaged.
    #[error("the document cannot be read: {reason}")]
    Broken {
        /// The reason.
        reason: String,
    },
    /// The document is readable, but contains no text.
    #[error("the document holds no text")]
    Empty,
    /// A PDF whose pages hold no text, though they may show some.
    #[error(
        "the PDF has no text layer: a scan? Set ocr = \"tesseract\" to recognize its text, or use `ocrmypdf scan.pdf text.pdf`"
    )]
    NoTextLayer {
        /// The pages, from 1, that have pictures.
        picture_pages: Vec<usize>,
    },
}

impl ExtractError {
    /// Stable code: the label in metrics and in a source's failure.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "too_large",
            Self::Unsupported { .. } => "unsupported",
            Self::Encrypted => "encrypted",
            Self::Broken { .. } => "unreadable",
            Self::Empty => "empty",
            Self::NoTextLayer { .. } => "no_text_layer",
        }
    }
}

/// The output of a format's reader, before the limits and checks that apply to all formats.
struct FormatOutput {
    format: DocumentFormat,
    title: Option<String>,
    text: CanonicalText,
    remarks: Vec<String>,
    /// The text that the reader itself left out.
    cut: Truncation,
    /// The pages that have pictures and no text of their own.
    picture_pages: Vec<usize>,
}

impl FormatOutput {
    /// A text of `leaves` from which the reader left nothing out. Code at its top that is a header of fields is read as one.
    fn whole(
        format: DocumentFormat,
        title: Option<String>,
        leaves: &[Leaf],
        remarks: impl IntoIterator<Item = String>,
    ) -> Self {
        let with_header = fields::code_header(leaves);
        let title = with_header.as_deref().and_then(plain_title::title).or(title);
        let text = CanonicalText::from_leaves(with_header.as_deref().unwrap_or(leaves));
        Self {
            format,
            title,
            text,
            remarks: remarks.into_iter().collect(),
            cut: Truncation::default(),
            picture_pages: Vec::new(),
        }
    }

    /// A text kept as it is, with a remark about invisible characters.
    fn as_typed(
        format: DocumentFormat,
        title: Option<String>,
        leaves: &[Leaf],
        remarks: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut output = Self::whole(format, title, leaves, remarks);
        output.remarks.extend(unseen(&output.text));
        output
    }
}

/// Characters left out.
#[derive(Debug, Clone, Copy, Default)]
struct Truncation {
    chars: u64,
    /// Whether `chars` includes an estimate for pages that were not read.
    is_estimate: bool,
    /// Number of pages of the document, read or not, if it has pages.
    pages: Option<usize>,
}

/// Extracts the text of the document `bytes`.
///
/// The content decides the format; `hint` distinguishes kinds of text and names an encoding. `mode` only applies to HTML. A text beyond
/// `limits` is cut, with a remark.
///
/// # Errors
/// The [`ExtractError`] that explains why there is no text; the size is checked before any byte is read.
pub fn extract(
    bytes: &[u8],
    hint: &Hint<'_>,
    mode: HtmlMode,
    limits: &ExtractLimits,
) -> Result<ExtractedDocument, ExtractError> {
    extract_recognized(bytes, hint, mode, limits, &[])
}

/// As [`extract`], with the text that another program recognized on pages that have pictures and no text.
///
/// # Errors
/// As [`extract`].
pub fn extract_recognized(
    bytes: &[u8],
    hint: &Hint<'_>,
    mode: HtmlMode,
    limits: &ExtractLimits,
    recognized: &[RecognizedPage],
) -> Result<ExtractedDocument, ExtractError> {
    within(bytes, hint, mode, limits, recognized, &mut AttachmentBudget::new(limits))
}

/// Extracts a document that may lie inside another one, and whose attachments take from `budget`.
fn within(
    bytes: &[u8],
    hint: &Hint<'_>,
    mode: HtmlMode,
    limits: &ExtractLimits,
    recognized: &[RecognizedPage],
    budget: &mut AttachmentBudget,
) -> Result<ExtractedDocument, ExtractError> {
    if bytes.len() > limits.max_bytes {
        return Err(ExtractError::TooLarge { bytes: bytes.len(), limit: limits.max_bytes });
    }
    if bytes.is_empty() {
        return Err(ExtractError::Empty);
    }
    // Before the content is examined: an archived text that looks like HTML or a message must stay as it is.
    let mut draft = match canonical(bytes, hint) {
        Some(draft) => draft,
        None if DocumentFormat::Pdf.begins(bytes) => extract_pages(bytes, limits, recognized)?,
        None => text(bytes, hint, &mut |inner, hint| attachment(inner, hint, mode, limits, budget), mode)?,
    };
    if draft.text.is_blank() {
        return Err(ExtractError::Empty);
    }
    draft.remarks.extend(opened_parts_remark(&draft.text));
    draft.title = titles::telling(draft.title.take(), &draft.text);
    Ok(cut(draft, limits))
}

/// The error for a document that begins with `head` and is refused whatever follows; `None` if the whole document must be read to decide.
/// Never refuses what [`extract`] reads, so a collector of documents can check the head first and skip the rest of an image.
#[must_use]
pub fn refused_by_head(head: &[u8]) -> Option<ExtractError> {
    if head.is_empty() || DocumentFormat::Pdf.begins(head) || sniff::is_package(head) {
        return None;
    }
    sniff::binary_format(head).map(|looks_like| ExtractError::Unsupported { looks_like })
}

/// The text as it is, if the hint declares it canonical and canonicalizing it changes nothing.
fn canonical(bytes: &[u8], hint: &Hint<'_>) -> Option<FormatOutput> {
    if hint.mime() != CANONICAL_TYPE {
        return None;
    }
    let archived = std::str::from_utf8(bytes).ok()?;
    let marks = u32::try_from(archived.matches("\n\n---PAGE ").count()).ok()?;
    let text = match marks {
        0 => CanonicalText::from_plain(archived),
        _ => {
            let text = CanonicalText::parse_archived(archived, marks + 1).ok()?;
            let pages: Vec<String> = text.pages().iter().map(|page| text.slice(page.range).to_owned()).collect();
            CanonicalText::from_pages(&pages)
        }
    };
    let is_canonical = text.as_str() == archived;
    is_canonical.then(|| FormatOutput {
        format: DocumentFormat::PlainText,
        title: None,
        text,
        remarks: Vec::new(),
        cut: Truncation::default(),
        picture_pages: Vec::new(),
    })
}

/// The text of the document `bytes` inside another one.
fn attachment(
    bytes: &[u8],
    hint: &Hint<'_>,
    mode: HtmlMode,
    limits: &ExtractLimits,
    budget: &mut AttachmentBudget,
) -> Result<AttachedText, Refusal> {
    let inner = budget.open(limits)?;
    let found = within(bytes, hint, mode, &inner, &[], budget);
    budget.close(found.as_ref().ok().map(|found| &found.text));
    let found = found.map_err(|error| match error {
        ExtractError::Unsupported { .. } | ExtractError::Empty => Refusal::OtherFormat,
        ExtractError::TooLarge { .. }
        | ExtractError::Encrypted
        | ExtractError::Broken { .. }
        | ExtractError::NoTextLayer { .. } => Refusal::Unread(error.to_string()),
    })?;
    Ok(AttachedText {
        format: DocumentFormat::from_mime(found.content_type).unwrap_or(DocumentFormat::PlainText),
        leaves: attached::leaves_of(&found.text),
        remarks: found.remarks,
        chars_cut: found.chars_cut,
    })
}

fn text(
    bytes: &[u8],
    hint: &Hint<'_>,
    read_document: mail::ReadDocument<'_>,
    mode: HtmlMode,
) -> Result<FormatOutput, ExtractError> {
    if older_office::is_encrypted(bytes) {
        return Err(ExtractError::Encrypted);
    }
    if let Some(refused) = refused_by_head(bytes) {
        return Err(refused);
    }
    if let Some(looks_like) = sniff::binary_format(bytes) {
        if let Some(package) = Package::open(bytes).filter(|_| sniff::is_package(bytes)) {
            return extract_package(package, looks_like);
        }
        return Err(ExtractError::Unsupported { looks_like });
    }
    if DocumentFormat::Rtf.begins(bytes) {
        let read = rtf::read(bytes).map_err(|reason| ExtractError::Broken { reason })?;
        let remarks = read.unread.into_iter().chain(read.left_out.remarks());
        return Ok(FormatOutput::whole(DocumentFormat::Rtf, read.title, &read.leaves, remarks));
    }
    if mbox::is_mbox(bytes) {
        let read = mbox::read(bytes, read_document);
        let remarks = read.remarks.into_iter().chain(read.left_out.remarks());
        let whole = FormatOutput::whole(DocumentFormat::Mbox, None, &read.leaves, remarks);
        return Ok(FormatOutput { cut: Truncation { chars: read.chars_cut, ..Truncation::default() }, ..whole });
    }
    // Before decoding: each part of a message has an encoding of its own.
    if let Some(read) = mail::is_mail(bytes, hint).then(|| mail::read(bytes, read_document)).flatten() {
        let remarks = read.remarks.into_iter().chain(read.left_out.remarks());
        let whole = FormatOutput::whole(DocumentFormat::Email, read.title, &read.leaves, remarks);
        return Ok(FormatOutput { cut: Truncation { chars: read.chars_cut, ..Truncation::default() }, ..whole });
    }
    let decoded = charset::decode(bytes, hint.charset())
        .map_err(|charset::NotText| ExtractError::Unsupported { looks_like: "binary data" })?;
    let kind = sniff::text_kind(&decoded, hint);
    let mut draft = match kind {
        TextKind::Html => {
            let page = html::page_text(&decoded, mode);
            let fell_back =
                page.fell_back.then(|| "no main content stands out: kept the full text of the page".to_owned());
            let remarks = fell_back.into_iter().chain(page.left_out.remarks());
            let remarks = remarks
                .chain(around([page.around.comments, page.around.others, page.around.beside]))
                .chain(page.unapplied);
            let leaves = [page.fields, page.leaves].concat();
            FormatOutput::whole(kind.format(), page.title, &leaves, remarks)
        }
        TextKind::Markdown => {
            let page = markdown::read(&decoded, hint.ending() == "mdx");
            FormatOutput::whole(kind.format(), page.title, &page.leaves, page.left_out.remarks())
        }
        TextKind::Rst => {
            let page = rst::read(&decoded);
            let remarks = page.left_out.remarks().chain(elsewhere(page.elsewhere));
            FormatOutput::whole(kind.format(), page.title, &page.leaves, remarks)
        }
        TextKind::Delimited { is_tabs } => {
            let (leaves, remark) = delimited::leaves(&decoded, is_tabs);
            FormatOutput::as_typed(kind.format(), None, &leaves, remark)
        }
        TextKind::WebVtt | TextKind::SubRip => {
            let read = captions::read(&decoded);
            let remarks = read.remarks.into_iter().chain(read.left_out.remarks());
            FormatOutput::whole(kind.format(), read.title, &read.leaves, remarks)
        }
        TextKind::Notebook | TextKind::Json => {
            let read = json::read(&decoded);
            let remarks = read.remarks.into_iter().chain(read.left_out.remarks());
            FormatOutput::whole(kind.format(), read.title, &read.leaves, remarks)
        }
        TextKind::Org => {
            let read = org::read(&decoded);
            let unread =
                (read.unread > 0).then(|| format!("drawers and blocks for one exporter are not read: {}", read.unread));
            let remarks = read.left_out.remarks().chain(unread);
            FormatOutput::whole(kind.format(), read.title, &read.leaves, remarks)
        }
        TextKind::AsciiDoc => {
            let read = asciidoc::read(&decoded);
            let remarks = read.left_out.remarks().chain(elsewhere(read.elsewhere));
            FormatOutput::whole(kind.format(), read.title, &read.leaves, remarks)
        }
        TextKind::MediaWiki => {
            let read = mediawiki::read(&decoded);
            let remarks = read.left_out.remarks().chain(elsewhere(read.elsewhere));
            FormatOutput::whole(kind.format(), read.title, &read.leaves, remarks)
        }
        TextKind::Tex => {
            let read = tex::read(&decoded);
            let remarks = read.remarks.into_iter().chain(read.left_out.remarks()).chain(elsewhere(read.elsewhere));
            FormatOutput::whole(kind.format(), read.title, &read.leaves, remarks)
        }
        TextKind::Xml => {
            let read = xml::read(&decoded);
            let remarks = read.remarks.into_iter().chain(read.left_out.remarks());
            FormatOutput::whole(kind.format(), read.title, &read.leaves, remarks)
        }
        TextKind::Plain => {
            let mut leaves = plain::leaves(&decoded);
            fields::at_the_top(&mut leaves);
            FormatOutput::as_typed(kind.format(), plain_title::title(&leaves), &leaves, None)
        }
    };
    draft.remarks.extend(charset::remarks(&decoded));
    Ok(draft)
}

/// The remarks about what stands around an article: characters of readers' comments, of dialogs, banners and the like, and of all else.
fn around([comments, others, beside]: [usize; 3]) -> impl Iterator<Item = String> {
    let of = [
        (comments, "readers' comments"),
        (others, "dialogs, banners, log-in forms and boxes around the article"),
        (beside, "paragraphs, lists and links beside the article"),
    ];
    of.into_iter().filter(|(chars, _)| *chars > 0).map(|(chars, what)| match chars {
        1 => format!("left out 1 character of {what}"),
        _ => format!("left out {chars} characters of {what}"),
    })
}

/// The remark about `times` texts that a page includes from elsewhere.
fn elsewhere(times: u64) -> Option<String> {
    match times {
        0 => None,
        1 => Some("1 text that the page takes from elsewhere is not read".to_owned()),
        _ => Some(format!("{times} texts that the page takes from elsewhere are not read")),
    }
}

/// The remark about invisible characters in a text that is kept as it is.
fn unseen(text: &CanonicalText) -> Option<String> {
    match hiding_marks(text.as_str()) {
        0 => None,
        1 => Some("1 character of the text shows nothing; no model is shown it".to_owned()),
        marks => Some(format!("{marks} characters of the text show nothing; no model is shown them")),
    }
}

/// The remark about parts of a page that its readers see only once they open them.
fn opened_parts_remark(text: &CanonicalText) -> Option<String> {
    let closed = text.blocks().iter().filter(|block| block.is_collapsed);
    let chars: usize = closed.map(|block| block.range().len()).sum();
    (chars > 0).then(|| format!("{chars} characters are shown only after a control of the page opens them"))
}

fn extract_package(package: Package<'_>, looks_like: &'static str) -> Result<FormatOutput, ExtractError> {
    let read = package::text(package).map_err(|error| match error {
        PackageError::Unknown => ExtractError::Unsupported { looks_like },
        PackageError::Encrypted => ExtractError::Encrypted,
        PackageError::Broken(reason) => ExtractError::Broken { reason },
    })?;
    let (mut leaves, properties) = (read.leaves, read.properties.without_made_up());
    let remarks = read.remarks.into_iter().chain(read.left_out.remarks()).chain(head_with(&mut leaves, &properties));
    Ok(FormatOutput::whole(read.format, properties.title, &leaves, remarks))
}

/// The properties of a PDF that somebody wrote.
fn given_properties(properties: PdfProperties) -> Properties {
    let PdfProperties { title, author, created } = properties;
    let created = created.map(|day| format!("{:04}-{:02}-{:02}", day.year, day.month, day.day));
    Properties { title, author, created, ..Properties::default() }.without_made_up()
}

/// Puts the fields of `properties` before `leaves`, if there are any: properties alone are no text. Returns the remark about those that are
/// too long.
fn head_with(leaves: &mut Vec<Leaf>, properties: &Properties) -> Option<String> {
    if leaves.is_empty() {
        return None;
    }
    let (fields, too_long) = properties.fields();
    leaves.splice(0..0, fields);
    properties_remark(too_long)
}

fn extract_pages(
    bytes: &[u8],
    limits: &ExtractLimits,
    recognized: &[RecognizedPage],
) -> Result<FormatOutput, ExtractError> {
    let bounds = PdfLimits { max_pages: limits.max_pages, max_chars: limits.max_chars, ..PdfLimits::default() };
    let mut read = pdf::extract_recognized(bytes, &bounds, recognized).map_err(|error| match error {
        PdfError::Encrypted => ExtractError::Encrypted,
        PdfError::NoText { pictures } => ExtractError::NoTextLayer { picture_pages: pictures },
        PdfError::NotPdf | PdfError::Broken(_) => ExtractError::Broken { reason: error.to_string() },
    })?;
    let properties = given_properties(std::mem::take(&mut read.properties));
    let title = properties.title.clone();
    let properties = properties.unsaid_on(read.pages.first().map_or(&[], Vec::as_slice));
    let too_long = read.pages.first_mut().and_then(|page| head_with(page, &properties));
    let text = CanonicalText::from_leaf_pages(&read.pages);
    let cut = Truncation { chars: read.chars_cut, is_estimate: read.has_unread_pages(), pages: Some(read.page_count) };
    // The number of pages kept is reported once, for the canonical text: it may end some pages before those that were read.
    let said_later =
        |warning: &&PdfWarning| matches!(warning, PdfWarning::CharsLimited { .. } | PdfWarning::PagesLimited { .. });
    let remarks = read.warnings.iter().filter(|warning| !said_later(warning)).map(ToString::to_string);
    let remarks = remarks.chain(too_long).collect();
    Ok(FormatOutput { format: DocumentFormat::Pdf, title, text, remarks, cut, picture_pages: read.pictures })
}

fn cut(draft: FormatOutput, limits: &ExtractLimits) -> ExtractedDocument {
    let FormatOutput { format, title, text: read, mut remarks, cut, picture_pages } = draft;
    let text = if read.chars() > limits.max_chars { read.truncate(limits.max_chars) } else { read.clone() };
    let chars_cut = cut.chars.saturating_add((read.chars() - text.chars()) as u64);
    let kept = text.pages().len();
    if let Some(total) = cut.pages.filter(|total| kept < *total) {
        remarks.push(PdfWarning::PagesLimited { total, kept }.to_string());
    }
    if chars_cut > 0 {
        let (kept, total) = (text.chars(), chars_cut.saturating_add(text.chars() as u64));
        remarks.push(match cut.is_estimate {
            false => format!("kept the first {kept} of {total} characters"),
            true => format!("kept the first {kept} of about {total} characters, pages not read being estimated"),
        });
    }
    ExtractedDocument { content_type: format.mime(), title, text, remarks, chars_cut, picture_pages }
}

#[cfg(test)]
mod tests;
