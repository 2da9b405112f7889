//! The formats of documents that are read: one table of their names, media types, file endings and first bytes.
//!
//! Sniffing, help texts, remedies, metric labels and the fetcher take what they need from this table, so that none of them can lack a
//! format that another has. How a format is read is not known here.

/// Bytes that every package (a ZIP archive with a first entry) begins with.
pub const PACKAGE: &[u8] = b"PK\x03\x04";
/// How far into a package the name of a part is looked for, in bytes: the names of its first entries lie there.
const PACKAGE_SEARCH_BYTES: usize = 4_096;

/// What the table says of a format.
struct FormatFacts {
    /// What people call it, inside a sentence.
    name: &'static str,
    /// The label in metrics; several formats may share one.
    label: &'static str,
    /// Media types in lower case without parameters; the first is the one that is written.
    mimes: &'static [&'static str],
    /// Endings of file names in lower case.
    endings: &'static [&'static str],
    signature: Signature,
}

/// What a document of a format begins with.
enum Signature {
    /// These bytes first of all.
    Start(&'static [u8]),
    /// These bytes at the start of a line, all of them within so many bytes.
    Line(&'static [u8], usize),
    /// The bytes of a package, then the name or the content of a part that no other format has.
    Package(&'static [u8]),
    /// Nothing of its own: content further on, a part of a package or the sender's hint decides.
    None,
}

/// Makes the enum, the list of its variants and their facts from one table.
macro_rules! formats {
    ($(#[$about:meta])* $name:ident { $($(#[doc = $doc:literal])+ $variant:ident => $facts:expr,)+ }) => {
        $(#[$about])*
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $name {
            /// Every format, in the order of the list that people read.
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
    /// A format of documents that is read.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    DocumentFormat {
        /// Pages as they are printed (ISO 32000). Readers accept a header anywhere in the first 1,024 bytes (ISO 32000-1,
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
            endings: &["md", "markdown", "mdown", "mkd"],
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
        /// Text documents of OpenDocument, which a part with the media type tells from its other kinds.
        Odt => FormatFacts {
            name: "ODT",
            label: "odt",
            mimes: &["application/vnd.oasis.opendocument.text"],
            endings: &["odt"],
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
        /// Values set apart by commas or the like.
        Csv => FormatFacts {
            name: "CSV",
            label: "csv",
            mimes: &["text/csv", "application/csv"],
            endings: &["csv"],
            signature: Signature::None,
        },
        /// Values set apart by tabs.
        Tsv => FormatFacts {
            name: "TSV",
            label: "csv",
            mimes: &["text/tab-separated-values"],
            endings: &["tsv"],
            signature: Signature::None,
        },
        /// A message with its fields (RFC 5322).
        Email => FormatFacts {
            name: "e-mail",
            label: "email",
            mimes: &["message/rfc822"],
            endings: &["eml"],
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
    /// What people call it, inside a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The label in metrics. Values that commas and tabs set apart have the same one.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.facts().label
    }

    /// The media type that is written for it.
    #[must_use]
    pub const fn mime(self) -> &'static str {
        self.facts().mimes[0]
    }

    /// Every media type it is known by, in lower case without parameters; never empty.
    #[must_use]
    pub fn mimes(self) -> &'static [&'static str] {
        self.facts().mimes
    }

    /// Endings of its files, in lower case; never empty.
    #[must_use]
    pub fn endings(self) -> &'static [&'static str] {
        self.facts().endings
    }

    /// Whether `mime`, in lower case without parameters, is one of its media types.
    #[must_use]
    pub fn has_mime(self, mime: &str) -> bool {
        self.mimes().contains(&mime)
    }

    /// Whether `ending`, in lower case, is one of its endings.
    #[must_use]
    pub fn has_ending(self, ending: &str) -> bool {
        self.endings().contains(&ending)
    }

    /// The format of a media type, in lower case without parameters; `None` for one that is not in the table.
    #[must_use]
    pub fn from_mime(mime: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.has_mime(mime))
    }

    /// The format of a package by its first entries; `None` for bytes that are no package, or one of another kind.
    #[must_use]
    pub fn from_package(bytes: &[u8]) -> Option<Self> {
        let is_package = |format: &Self| matches!(format.facts().signature, Signature::Package(_));
        Self::ALL.iter().copied().filter(is_package).find(|format| format.begins(bytes))
    }

    /// Whether `bytes` begin as documents of this format do; `false` for every format that nothing at its start names.
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

    /// The names of all formats as a list inside a sentence, the last two joined by `joint` (`and`, `or`).
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
    fn a_package_is_told_by_a_part_among_its_first_bytes() {
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
        for of in [|f: DocumentFormat| vec![f.name()], |f| f.mimes().to_vec(), |f| f.endings().to_vec()] {
            let all: Vec<&str> = DocumentFormat::ALL.iter().flat_map(|format| of(*format)).collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
            assert!(DocumentFormat::ALL.iter().all(|format| !of(*format).is_empty()));
        }
    }

    #[test]
    fn the_list_is_one_sentence_part() {
        let list = DocumentFormat::list("or");
        assert!(list.starts_with("PDF, HTML, ") && list.ends_with("e-mail or plain text"), "{list}");
    }
}
