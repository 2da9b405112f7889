//! The properties of a file: title, author and date of creation, from its information dictionary and its XMP metadata.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{DateTime, Dict, Stream};

use super::super::package::{Markup, walk};
use super::text_string::{text_string, title};

/// Largest XMP metadata that are read, in bytes: real ones have a few thousand, those with pictures far more.
const MAX_XMP_BYTES: usize = 1024 * 1024;

/// What a file says about itself. The information dictionary comes before the XMP metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PdfProperties {
    /// The title, trimmed; `None` if absent or blank.
    pub title: Option<String>,
    /// The author or authors as written, trimmed; `None` if absent or blank.
    pub author: Option<String>,
    /// The day the document was made, which may be that of a copy.
    pub created: Option<PdfDate>,
}

/// A day in the calendar of a file. Months and days that the file does not state are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PdfDate {
    /// The year, from 0 to 9999.
    pub year: u16,
    /// The month, from 1 to 12.
    pub month: u8,
    /// The day of the month, from 1 to 31.
    pub day: u8,
}

/// The properties of a document.
pub(super) fn properties(pdf: &Pdf) -> PdfProperties {
    let information = pdf.metadata();
    let text = |bytes: &Option<Box<[u8]>>| bytes.as_deref().map(text_string).and_then(|text| title(&text));
    let mut found = PdfProperties {
        title: text(&information.title),
        author: text(&information.author),
        created: information.creation_date.as_ref().map(day),
    };
    if found.title.is_none() || found.author.is_none() || found.created.is_none() {
        let xmp = xmp(pdf).unwrap_or_default();
        found.title = found.title.or(xmp.title);
        found.author = found.author.or(xmp.author);
        found.created = found.created.or(xmp.created);
    }
    found
}

fn day(date: &DateTime) -> PdfDate {
    PdfDate { year: date.year, month: date.month, day: date.day }
}

fn xmp(pdf: &Pdf) -> Option<PdfProperties> {
    let page = pdf.pages().first()?;
    let catalog = page.xref().get::<Dict<'_>>(page.xref().root_id())?;
    let bytes = catalog.get::<Stream<'_>>(b"Metadata")?.decoded_data().ok()?;
    (bytes.len() <= MAX_XMP_BYTES).then(|| parse_xmp(&bytes))
}

/// Reads `dc:title`, the list of `dc:creator`, and `xmp:CreateDate`, which is an element or an attribute.
fn parse_xmp(bytes: &[u8]) -> PdfProperties {
    let (mut name, mut date) = (String::new(), None::<String>);
    let (mut titles, mut creators): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    walk(bytes, |event| match event {
        Markup::Open(element) => {
            date = date.take().or_else(|| element.attribute("CreateDate"));
            if matches!(element.name.as_str(), "title" | "creator" | "CreateDate") {
                name = element.name.clone();
            }
        }
        Markup::Close(closed) if closed == name => name.clear(),
        Markup::Close(_) => {}
        Markup::Text(text) if !text.trim().is_empty() => match name.as_str() {
            "title" => titles.push(text),
            "creator" => creators.push(text),
            "CreateDate" => date = date.take().or(Some(text)),
            _ => {}
        },
        Markup::Text(_) => {}
    });
    PdfProperties {
        title: titles.first().and_then(|text| title(text)),
        author: title(&creators.iter().map(|name| name.trim()).collect::<Vec<_>>().join(", ")),
        created: date.as_deref().and_then(iso_day),
    }
}

/// The day of a date such as `2025-06-30T12:00:00Z`, `2025-06` or `2025`.
fn iso_day(text: &str) -> Option<PdfDate> {
    let mut parts = text.trim().split('T').next().unwrap_or_default().split('-');
    let year = parts.next()?.parse().ok().filter(|year| *year <= 9999)?;
    let mut part = |most: u8| match parts.next() {
        None => Some(1),
        Some(part) => part.parse().ok().filter(|number| (1..=most).contains(number)),
    };
    Some(PdfDate { year, month: part(12)?, day: part(31)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xmp_metadata_name_title_authors_and_date() {
        let xmp = "<x:xmpmeta><rdf:RDF><rdf:Description><dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Fees</rdf:li></rdf:Alt></dc:title>\
                   <dc:creator><rdf:Seq><rdf:li>Ida Lund</rdf:li><rdf:li>Cem Kaya</rdf:li></rdf:Seq></dc:creator>\
                   <xmp:CreateDate>2025-06-30T12:00:00Z</xmp:CreateDate></rdf:Description></rdf:RDF></x:xmpmeta>";
        let want = PdfProperties {
            title: Some("Fees".into()),
            author: Some("Ida Lund, Cem Kaya".into()),
            created: Some(PdfDate { year: 2025, month: 6, day: 30 }),
        };
        assert_eq!(parse_xmp(xmp.as_bytes()), want);
        let short = "<rdf:Description xmp:CreateDate='2024-05'/>";
        assert_eq!(parse_xmp(short.as_bytes()).created, Some(PdfDate { year: 2024, month: 5, day: 1 }));
        assert_eq!(parse_xmp(b"<rdf:Description"), PdfProperties::default());
    }

    #[test]
    fn days_outside_of_a_calendar_are_rejected() {
        for (text, is_day) in [
            ("2025-12-31", true),
            ("2025-13-01", false),
            ("2025-12-32", false),
            ("2025-00-01", false),
            ("10000", false),
            ("9999", true),
            ("soon", false),
        ] {
            assert_eq!(iso_day(text).is_some(), is_day, "{text}");
        }
    }
}
