//! The limits of one extraction, and the hint that came with the document.

use precis_proto::DocumentFormat;

/// The limits of one extraction. A document beyond `max_bytes` is refused; the other limits cut it, with a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractLimits {
    /// Largest document, in bytes; checked before anything else.
    pub max_bytes: usize,
    /// Longest canonical text, in characters.
    pub max_chars: usize,
    /// Most pages read of a paged document.
    pub max_pages: usize,
}

impl Default for ExtractLimits {
    /// 16 MiB, 4,000,000 characters, 2,000 pages: what the longest books and codes of law have.
    fn default() -> Self {
        Self { max_bytes: 16 * 1024 * 1024, max_chars: 4_000_000, max_pages: 2_000 }
    }
}

/// The sender's information about a document. The content takes precedence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hint<'a> {
    /// MIME type with parameters, as in a `Content-Type` header.
    pub content_type: Option<&'a str>,
    /// File name or address; its extension is used.
    pub name: &'a str,
}

impl<'a> Hint<'a> {
    /// Whether the document is a PDF according to its type or name.
    #[must_use]
    pub fn is_pdf(&self) -> bool {
        DocumentFormat::Pdf.has_ending(&self.ending()) || DocumentFormat::Pdf.has_mime(&self.mime())
    }

    /// The MIME type in lower case without parameters; empty if there is none.
    pub(super) fn mime(&self) -> String {
        self.content_type.unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase()
    }

    /// The `charset` parameter, without quotes.
    pub(super) fn charset(&self) -> Option<&'a str> {
        let mut parameters = self.content_type?.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
        let (_, value) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
        Some(value.trim().trim_matches(['"', '\'']))
    }

    /// The extension of the name in lower case, ignoring query and fragment of an address; empty if there is none.
    pub(super) fn ending(&self) -> String {
        let path = self.name.split(['?', '#']).next().unwrap_or("");
        let file = path.rsplit(['/', '\\']).next().unwrap_or("");
        file.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_yields_its_type_charset_and_ending() {
        let hint = Hint {
            content_type: Some("Text/HTML; x=y; Charset=\"ISO-8859-2\""),
            name: "https://a.b/c.d/READ.Me.MD?v=1.0#x.txt",
        };
        assert_eq!(
            (hint.mime().as_str(), hint.charset(), hint.ending().as_str()),
            ("text/html", Some("ISO-8859-2"), "md")
        );
        let none = Hint { content_type: None, name: "https://a.b/c" };
        assert_eq!((none.mime().as_str(), none.charset(), none.ending().as_str()), ("", None, ""));
    }
}
