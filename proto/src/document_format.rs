//! The document formats that are read: one table of their names, media types, file extensions and first bytes.
//!
//! Sniffing, help texts, remedies, metric labels and the fetcher all use this table, so that no format can be missing in one of them. It
//! does not define how a format is read.

/// The first bytes of every package (a ZIP archive with at least one entry).
pub const PACKAGE: &[u8] = b"PK\x03\x04";
/// Bytes of a package searched for the name of a part: enough for the names of its first entries.
const PACKAGE_SEARCH_BYTES: usize = 4_096;

/// The row of a format in the table.
struct FormatFacts {
    /// The common name, as written inside a sentence.
    name: &'static str,
    /// The metric label; several formats may share one.
    label: &'static str,
    /// Media types in lower case without parameters; the first is the one Precis writes.
    mimes: &'static [&'static str],
    /// File extensions in lower case.
    endings: &'static [&'static str],
    signature: Signature,
}

/// The first bytes by which a format is recognized.
enum Signature {
    /// These bytes at the very start.
    Start(&'static [u8]),
    /// These bytes at the start of a line, within the given number of bytes.
    Line(&'static [u8], usize),
    /// The bytes of a package, then the name or content of a part that no other format has.
    Package(&'static [u8]),
    /// No signature: later content, a part of a package or the sender's hint decides.
    None,
}

/// Generates the enum, the list of its variants and their rows from one table.
macro_rules! formats {
    ($(#[$about:meta])* $name:ident { $($(#[doc = $doc:literal])+ $variant:ident => $facts:expr,)+ }) => {
        $(#[$about])*
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $name {
            /// Every format, in the order in which lists show them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            const fn facts(self) -> &'static FormatFacts {
                match self {
                    $(Self::$variant => &$facts,)+
                }
            }
        }
    };
}

formats! {
    /// A document format that Precis reads.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    DocumentFormat {
        /// PDF (ISO 32000). Readers accept a header anywhere in the first 1,024 bytes (ISO 32000-1,
        /// implementation note 13).
        Pdf => FormatFacts {
            name: "PDF",
            label: "pdf",
            mimes: &["application/pdf"],
            endings: &["pdf"],
            signature: Signature::Line(b"%PDF-", 1_024),
        },
        /// HTML and XHTML.
        Html => FormatFacts {
            name: "HTML",
            label: "html",
            mimes: &["text/html", "application/xhtml+xml"],
            endings: &["html", "htm", "xhtml"],
            signature: Signature::None,
        },
        /// Markdown.
        Markdown => FormatFacts {
            name: "Markdown",
            label: "markdown",
            mimes: &["text/markdown", "text/x-markdown"],
            endings: &["md", "markdown", "mdown", "mkd", "mdx"],
            signature: Signature::None,
        },
        /// reStructuredText.
        Rst => FormatFacts {
            name: "reStructuredText",
            label: "rst",
            mimes: &["text/x-rst", "text/prs.fallenstein.rst"],
            endings: &["rst", "rest"],
            signature: Signature::None,
        },
        /// Word processing documents (ECMA-376).
        Docx => FormatFacts {
            name: "DOCX",
            label: "docx",
            mimes: &["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
            endings: &["docx"],
            signature: Signature::Package(b"word/"),
        },
        /// OpenDocument text; a part with the media type distinguishes it from other OpenDocument kinds.
        Odt => FormatFacts {
            name: "ODT",
            label: "odt",
            mimes: &["application/vnd.oasis.opendocument.text"],
            endings: &["odt"],
            signature: Signature::None,
        },
        /// OpenDocument sheets; told like texts.
        Ods => FormatFacts {
            name: "ODS",
            label: "ods",
            mimes: &["application/vnd.oasis.opendocument.spreadsheet"],
            endings: &["ods"],
            signature: Signature::None,
        },
        /// OpenDocument presentations; told like texts.
        Odp => FormatFacts {
            name: "ODP",
            label: "odp",
            mimes: &["application/vnd.oasis.opendocument.presentation"],
            endings: &["odp"],
            signature: Signature::None,
        },
        /// Rich Text.
        Rtf => FormatFacts {
            name: "RTF",
            label: "rtf",
            mimes: &["text/rtf"],
            endings: &["rtf"],
            signature: Signature::Start(b"{\\rtf"),
        },
        /// Workbooks (ECMA-376).
        Xlsx => FormatFacts {
            name: "XLSX",
            label: "xlsx",
            mimes: &["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
            endings: &["xlsx"],
            signature: Signature::Package(b"xl/"),
        },
        /// Presentations (ECMA-376).
        Pptx => FormatFacts {
            name: "PPTX",
            label: "pptx",
            mimes: &["application/vnd.openxmlformats-officedocument.presentationml.presentation"],
            endings: &["pptx"],
            signature: Signature::Package(b"ppt/"),
        },
        /// Books (EPUB 2 and 3).
        Epub => FormatFacts {
            name: "EPUB",
            label: "epub",
            mimes: &["application/epub+zip"],
            endings: &["epub"],
            signature: Signature::Package(b"application/epub+zip"),
        },
        /// Values separated by commas or similar characters.
        Csv => FormatFacts {
            name: "CSV",
            label: "csv",
            mimes: &["text/csv", "application/csv"],
            endings: &["csv"],
            signature: Signature::None,
        },
        /// Values separated by tabs.
        Tsv => FormatFacts {
            name: "TSV",
            label: "csv",
            mimes: &["text/tab-separated-values"],
            endings: &["tsv"],
            signature: Signature::None,
        },
        /// An e-mail message (RFC 5322).
        Email => FormatFacts {
            name: "e-mail",
            label: "email",
            mimes: &["message/rfc822"],
            endings: &["eml"],
            signature: Signature::None,
        },
        /// Mailboxes (RFC 4155).
        Mbox => FormatFacts {
            name: "mbox",
            label: "email",
            mimes: &["application/mbox"],
            endings: &["mbox"],
            signature: Signature::None,
        },
        /// Captions of films and talks (WebVTT, W3C).
        WebVtt => FormatFacts {
            name: "WebVTT",
            label: "captions",
            mimes: &["text/vtt"],
            endings: &["vtt"],
            signature: Signature::None,
        },
        /// Captions of films and talks (SubRip).
        SubRip => FormatFacts {
            name: "SubRip",
            label: "captions",
            mimes: &["application/x-subrip", "text/srt"],
            endings: &["srt"],
            signature: Signature::None,
        },
        /// Jupyter notebooks (nbformat 3 and 4).
        Notebook => FormatFacts {
            name: "Jupyter notebooks",
            label: "notebook",
            mimes: &["application/x-ipynb+json"],
            endings: &["ipynb"],
            signature: Signature::None,
        },
        /// JSON (RFC 8259) and JSON Lines.
        Json => FormatFacts {
            name: "JSON",
            label: "json",
            mimes: &["application/json", "text/json", "application/ld+json", "application/x-ndjson", "application/jsonl"],
            endings: &["json", "jsonl", "ndjson", "geojson", "jsonld"],
            signature: Signature::None,
        },
        /// AsciiDoc documents (the language of Asciidoctor).
        AsciiDoc => FormatFacts {
            name: "AsciiDoc",
            label: "asciidoc",
            mimes: &["text/asciidoc", "text/x-asciidoc"],
            endings: &["adoc", "asciidoc"],
            signature: Signature::None,
        },
        /// Wikitext (the language of MediaWiki).
        MediaWiki => FormatFacts {
            name: "MediaWiki",
            label: "mediawiki",
            mimes: &["text/x-wiki", "text/mediawiki"],
            endings: &["mediawiki", "wiki", "wikitext"],
            signature: Signature::None,
        },
        /// Org documents (Org mode 9).
        Org => FormatFacts {
            name: "Org",
            label: "org",
            mimes: &["text/org", "text/x-org"],
            endings: &["org"],
            signature: Signature::None,
        },
        /// TeX sources in the manner of LaTeX.
        Tex => FormatFacts {
            name: "LaTeX",
            label: "tex",
            mimes: &["application/x-tex", "text/x-tex", "application/x-latex"],
            endings: &["tex", "latex", "ltx"],
            signature: Signature::None,
        },
        /// XML (also DocBook, JATS, TEI, RSS and Atom) that is no other format.
        Xml => FormatFacts {
            name: "XML",
            label: "xml",
            mimes: &["application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/tei+xml", "application/jats+xml"],
            endings: &["xml", "rss", "atom", "nxml", "dbk"],
            signature: Signature::None,
        },
        /// Any other text, in any encoding.
        PlainText => FormatFacts {
            name: "plain text",
            label: "text",
            mimes: &["text/plain"],
            endings: &["txt"],
            signature: Signature::None,
        },
    }
}

impl DocumentFormat {
    /// Returns the common name, as written inside a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the metric label; CSV and TSV share one.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.facts().label
    }

    /// Returns the media type that Precis writes for it.
    #[must_use]
    pub const fn mime(self) -> &'static str {
        self.facts().mimes[0]
    }

    /// Returns all its media types, in lower case without parameters; never empty.
    #[must_use]
    pub fn mimes(self) -> &'static [&'static str] {
        self.facts().mimes
    }

    /// Returns its file extensions, in lower case; never empty.
    #[must_use]
    pub fn endings(self) -> &'static [&'static str] {
        self.facts().endings
    }

    /// Whether `mime`, in lower case without parameters, is one of its media types.
    #[must_use]
    pub fn has_mime(self, mime: &str) -> bool {
        self.mimes().contains(&mime)
    }

    /// Whether `ending`, in lower case, is one of its file extensions.
    #[must_use]
    pub fn has_ending(self, ending: &str) -> bool {
        self.endings().contains(&ending)
    }

    /// Returns the format of a media type, in lower case without parameters; `None` if the table does not contain it.
    #[must_use]
    pub fn from_mime(mime: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.has_mime(mime))
    }

    /// Returns the format of a package by its first entries; `None` if the bytes are not a package or one of another kind.
    #[must_use]
    pub fn from_package(bytes: &[u8]) -> Option<Self> {
        let is_package = |format: &Self| matches!(format.facts().signature, Signature::Package(_));
        Self::ALL.iter().copied().filter(is_package).find(|format| format.begins(bytes))
    }

    /// Whether `bytes` begin with the signature of this format; always `false` for a format without one.
    #[must_use]
    pub fn begins(self, bytes: &[u8]) -> bool {
        let finds = |head: &[u8], mark: &[u8]| head.windows(mark.len()).any(|window| window == mark);
        match self.facts().signature {
            Signature::Start(mark) => bytes.starts_with(mark),
            Signature::Line(mark, within) => {
                let head = &bytes[..bytes.len().min(within)];
                let mut places = head.windows(mark.len()).enumerate().filter(|(_, window)| *window == mark);
                places.any(|(at, _)| at == 0 || !head[at - 1].is_ascii_graphic())
            }
            Signature::Package(part) => {
                bytes.starts_with(PACKAGE) && finds(&bytes[..bytes.len().min(PACKAGE_SEARCH_BYTES)], part)
            }
            Signature::None => false,
        }
    }

    /// Returns the names of all formats as a list inside a sentence, the last two joined by `joint` (`and`, `or`).
    #[must_use]
    pub fn list(joint: &str) -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
        let (last, others) = names.split_last().expect("the table has formats");
        format!("{} {joint} {last}", others.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_pdf_header_counts_within_1024_bytes_at_a_line_start() {
        let is_pdf = |bytes: &[u8]| DocumentFormat::Pdf.begins(bytes);
        assert!(is_pdf(b"%PDF-1.7\n"));
        assert!(is_pdf(b"\n\n%PDF-1.7"));
        assert!(is_pdf(&[&[0; 1019], &b"%PDF-"[..]].concat()));
        assert!(!is_pdf(&[&[0; 1020], &b"%PDF-"[..]].concat()));
        assert!(!is_pdf(b"a file begins with `%PDF-1.7`"));
        assert!(!is_pdf(b"%PDF"));
        assert!(!is_pdf(b""));
    }

    #[test]
    fn a_package_is_recognized_by_a_part_in_its_first_bytes() {
        let package = |padding: usize| [PACKAGE, &vec![b'.'; padding], b"word/"].concat();
        assert!(DocumentFormat::Docx.begins(&package(0)));
        assert!(DocumentFormat::Docx.begins(&package(PACKAGE_SEARCH_BYTES - 9)));
        assert!(!DocumentFormat::Docx.begins(&package(PACKAGE_SEARCH_BYTES - 8)));
        assert!(!DocumentFormat::Xlsx.begins(&package(0)));
        assert!(!DocumentFormat::Docx.begins(b"word/"));
        assert_eq!(DocumentFormat::from_package(&package(0)), Some(DocumentFormat::Docx));
        assert_eq!(DocumentFormat::from_package(b"PK\x03\x04\n%PDF-1.7"), None);
        assert!(DocumentFormat::Rtf.begins(b"{\\rtf1") && !DocumentFormat::Rtf.begins(b" {\\rtf1"));
    }

    #[test]
    fn no_two_formats_share_a_name_a_media_type_or_an_ending() {
        let of: [fn(DocumentFormat) -> Vec<&'static str>; 3] =
            [|f| vec![f.name()], |f| f.mimes().to_vec(), |f| f.endings().to_vec()];
        for of in of {
            let all: Vec<&str> = DocumentFormat::ALL.iter().flat_map(|format| of(*format)).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
            assert!(DocumentFormat::ALL.iter().all(|format| !of(*format).is_empty()));
        }
    }

    #[test]
    fn the_list_is_one_sentence_part() {
        let list = DocumentFormat::list("or");
        assert!(list.starts_with("PDF, HTML, ") && list.ends_with("XML or plain text"), "{list}");
    }
}
