//! Recognizes the format of a document from its bytes; the sender's hint only decides between kinds of text.

use precis_proto::DocumentFormat;
use precis_proto::document_format::PACKAGE;

use super::limits::Hint;
use super::{captions, json, older_office, tex, xml};

/// Bytes of a text searched for its first tag, which may follow prologues and comments.
const TAG_SEARCH_BYTES: usize = 4096;

/// Bytes searched for control characters.
const CONTROL_SEARCH_BYTES: usize = 512;

/// Kinds of text documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Html,
    Markdown,
    /// reStructuredText.
    Rst,
    /// Values separated by commas or the like; by tabs if `is_tabs`.
    Delimited {
        is_tabs: bool,
    },
    /// Captions (WebVTT).
    WebVtt,
    /// Captions (SubRip).
    SubRip,
    Notebook,
    Json,
    Org,
    AsciiDoc,
    MediaWiki,
    /// TeX in the manner of LaTeX.
    Tex,
    Xml,
    Plain,
}

impl TextKind {
    /// The kinds that a hint can name, in the order in which they are checked.
    const NAMED: [Self; 14] = [
        Self::Markdown,
        Self::Rst,
        Self::Html,
        Self::Delimited { is_tabs: false },
        Self::Delimited { is_tabs: true },
        Self::WebVtt,
        Self::SubRip,
        Self::Notebook,
        Self::Json,
        Self::Org,
        Self::AsciiDoc,
        Self::MediaWiki,
        Self::Tex,
        Self::Xml,
    ];

    /// Returns the document format of this kind.
    pub(super) fn format(self) -> DocumentFormat {
        match self {
            Self::Html => DocumentFormat::Html,
            Self::Markdown => DocumentFormat::Markdown,
            Self::Rst => DocumentFormat::Rst,
            Self::Delimited { is_tabs: false } => DocumentFormat::Csv,
            Self::Delimited { is_tabs: true } => DocumentFormat::Tsv,
            Self::WebVtt => DocumentFormat::WebVtt,
            Self::SubRip => DocumentFormat::SubRip,
            Self::Notebook => DocumentFormat::Notebook,
            Self::Json => DocumentFormat::Json,
            Self::Org => DocumentFormat::Org,
            Self::AsciiDoc => DocumentFormat::AsciiDoc,
            Self::MediaWiki => DocumentFormat::MediaWiki,
            Self::Tex => DocumentFormat::Tex,
            Self::Xml => DocumentFormat::Xml,
            Self::Plain => DocumentFormat::PlainText,
        }
    }
}

/// Whether the bytes begin like a ZIP archive.
pub(super) fn is_package(bytes: &[u8]) -> bool {
    bytes.starts_with(PACKAGE)
}

/// The name of a known binary format, recognized by its signature. A signature that could be a word only counts if control characters
/// follow: a text may begin with `GIF89a`.
pub(super) fn binary_format(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(CONTROL_SEARCH_BYTES)];
    let has_controls = head.iter().any(|&byte| byte < b'\t' || (0x0e..0x1b).contains(&byte));
    let at = |offset: usize, magic: &[u8]| {
        let is_word = magic.iter().all(u8::is_ascii_graphic);
        (has_controls || !is_word) && bytes.get(offset..).is_some_and(|tail| tail.starts_with(magic))
    };
    if at(0, PACKAGE) {
        return Some(zip_format(bytes));
    }
    if at(0, b"RIFF") {
        return Some(if at(8, b"WEBP") { "webp" } else { "riff media" });
    }
    if let Some(older) = older_office::looks_like(bytes) {
        return Some(older);
    }
    let markup = bytes.starts_with(b"%!PS-").then_some("postscript");
    markup.or_else(|| SIGNATURES.iter().find(|(offset, magic, _)| at(*offset, magic)).map(|(_, _, name)| *name))
}

/// Offset, bytes there, name. Formats that would otherwise be read as text, or that the refusal should name.
const SIGNATURES: [(usize, &[u8], &str); 35] = [
    (0, b"\x89PNG\r\n\x1a\n", "png"),
    (0, b"\xff\xd8\xff", "jpeg"),
    (0, b"GIF87a", "gif"),
    (0, b"GIF89a", "gif"),
    (0, b"II*\0", "tiff"),
    (0, b"MM\0*", "tiff"),
    (0, b"\0\0\x01\0", "icon"),
    (4, b"ftypavif", "avif"),
    (4, b"ftyphei", "heif"),
    // After the two above, which begin with it too.
    (4, b"ftyp", "mp4"),
    (0, b"\x1a\x45\xdf\xa3", "matroska"),
    (0, b"OggS", "ogg"),
    (0, b"ID3", "mp3"),
    (0, b"fLaC", "flac"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"PK\x07\x08", "zip"),
    (0, b"\x1f\x8b", "gzip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\0", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!\x1a\x07", "rar"),
    (257, b"ustar", "tar"),
    (0, b"\x7fELF", "elf"),
    (0, b"\xcf\xfa\xed\xfe", "mach-o"),
    (0, b"\xca\xfe\xba\xbe", "java class"),
    (0, b"\0asm", "wasm"),
    (0, b"SQLite format 3\0", "sqlite"),
    (0, b"PAR1", "parquet"),
    (0, b"wOFF", "font"),
    (0, b"wOF2", "font"),
    (0, b"OTTO\0", "font"),
    (0, b"\0\x01\0\0\0", "font"),
    (0, b"AT&TFORM", "djvu"),
    (60, b"BOOKMOBI", "mobi"),
];

/// The format inside a ZIP archive, recognized by the names in its first entries.
fn zip_format(bytes: &[u8]) -> &'static str {
    if let Some(format) = DocumentFormat::from_package(bytes) {
        return format.label();
    }
    let head = &bytes[..bytes.len().min(TAG_SEARCH_BYTES)];
    let holds = |name: &[u8]| head.windows(name.len()).any(|window| window == name);
    let inside: [(&[u8], &str); 2] = [(b"vnd.oasis.opendocument", "opendocument"), (b"META-INF/MANIFEST.MF", "jar")];
    inside.iter().find(|(name, _)| holds(name)).map_or("zip", |(_, format)| format)
}

/// The kind of `text`. A complete HTML document is HTML whatever the hint is; a fragment is HTML unless the hint names Markdown,
/// reStructuredText or plain text. Markdown, reStructuredText and tables are never guessed. Text that no hint names otherwise is what its
/// first characters, or all of it, can only be: captions, JSON, LaTeX, XML.
pub(super) fn text_kind(text: &str, hint: &Hint<'_>) -> TextKind {
    let (mime, ending) = (hint.mime(), hint.ending());
    let first = first_tag(text);
    if matches!(first.as_deref(), Some("!doctype html" | "html" | "head" | "body")) {
        return TextKind::Html;
    }
    let may_go_by_ending = mime.is_empty() || mime == TextKind::Plain.format().mime();
    let is_named = |kind: &TextKind| {
        let format = kind.format();
        format.has_mime(&mime) || (may_go_by_ending && format.has_ending(&ending))
    };
    if let Some(kind) = TextKind::NAMED.into_iter().find(is_named) {
        return kind;
    }
    if let Some(kind) = by_content(text) {
        return kind;
    }
    let plain = !mime.is_empty() || !matches!(ending.as_str(), "" | "php" | "asp" | "aspx" | "jsp" | "cgi");
    if !plain && first.is_some_and(|name| FRAGMENT_TAGS.contains(&name.as_str())) {
        TextKind::Html
    } else {
        TextKind::Plain
    }
}

/// The kind that `text` can only be.
fn by_content(text: &str) -> Option<TextKind> {
    if captions::is_vtt(text) {
        return Some(TextKind::WebVtt);
    }
    if captions::is_srt(text) {
        return Some(TextKind::SubRip);
    }
    if json::is_notebook(text) {
        return Some(TextKind::Notebook);
    }
    if json::is_json(text) {
        return Some(TextKind::Json);
    }
    if tex::is_tex(text) {
        return Some(TextKind::Tex);
    }
    xml::is_xml(text).then_some(TextKind::Xml)
}

/// Elements that may begin an HTML fragment (WHATWG MIME sniffing, 7.1, and the usual containers).
const FRAGMENT_TAGS: [&str; 26] = [
    "a", "article", "b", "br", "center", "div", "em", "font", "footer", "h1", "h2", "h3", "header", "iframe", "img",
    "main", "meta", "nav", "ol", "p", "script", "section", "span", "style", "table", "ul",
];

/// Lower-case name of the first tag, if only a byte order mark, white space, comments and XML prologues precede it; for a document type,
/// `!doctype` and its name.
fn first_tag(text: &str) -> Option<String> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    let budget = text.len().saturating_sub(TAG_SEARCH_BYTES);
    loop {
        let skipped = if let Some(tail) = rest.strip_prefix("<!--") {
            tail.split_once("-->")?.1
        } else if let Some(tail) = rest.strip_prefix("<?") {
            tail.split_once('>')?.1
        } else {
            break;
        };
        rest = skipped.trim_start();
        if rest.len() < budget {
            return None;
        }
    }
    let inner = rest.strip_prefix('<')?;
    let name: String = inner.chars().take(16).take_while(|c| c.is_ascii_alphanumeric() || *c == '!').collect();
    let name = name.to_ascii_lowercase();
    if name != "!doctype" {
        let ended = inner[name.len()..].starts_with(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
        return (ended && !name.is_empty()).then_some(name);
    }
    let kind: String = inner[name.len()..].trim_start().chars().take_while(char::is_ascii_alphanumeric).collect();
    Some(format!("{name} {}", kind.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_formats_are_named() {
        let table: [(&[u8], Option<&str>); 12] = [
            (b"\x89PNG\r\n\x1a\n....", Some("png")),
            (b"\xff\xd8\xff\xe0", Some("jpeg")),
            (b"PK\x03\x04......word/document.xml", Some("docx")),
            (b"PK\x03\x04......a.txt", Some("zip")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("webp")),
            (b"RIFF\x01", Some("riff media")),
            (b"GIF89a\x01\0", Some("gif")),
            (b"GIF89a is a format", None),
            (b"ID3 and BZh are words", None),
            (b"{\\rtf1", None),
            (b"PK is a shop", None),
            (b"", None),
        ];
        for (bytes, want) in table {
            assert_eq!(binary_format(bytes), want, "{bytes:?}");
        }
    }

    #[test]
    fn content_decides_what_is_html_and_the_hint_what_is_markdown() {
        let table = [
            ("<!DOCTYPE html><p>x", "text/plain", "a.txt", TextKind::Html),
            ("\u{feff} <?xml version='1.0'?>\n<!-- x --><HTML lang=en>", "", "", TextKind::Html),
            ("<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\">", "", "x.md", TextKind::Html),
            ("<div>x</div>", "", "page", TextKind::Html),
            ("<div>x</div>", "text/plain", "page", TextKind::Plain),
            ("<div align=center>x</div>\n\n# T", "", "README.md", TextKind::Markdown),
            ("# Title", "text/markdown; charset=utf-8", "", TextKind::Markdown),
            ("# Title", "", "", TextKind::Plain),
            ("Title\n=====", "text/x-rst", "", TextKind::Rst),
            ("Title\n=====", "text/prs.fallenstein.rst; charset=utf-8", "a.txt", TextKind::Rst),
            ("Title\n=====", "text/plain", "a/B.RST", TextKind::Rst),
            ("<div>x</div>", "", "a.rest", TextKind::Rst),
            ("Title\n=====", "", "a.txt", TextKind::Plain),
            ("Hello <b>you</b>", "text/html", "", TextKind::Html),
            ("a,b", "text/plain", "x.CSV", TextKind::Delimited { is_tabs: false }),
            ("a,b", "text/csv; header=present", "x", TextKind::Delimited { is_tabs: false }),
            ("a,b", "", "x.tsv", TextKind::Delimited { is_tabs: true }),
            ("a,b", "", "x.txt", TextKind::Plain),
            ("a < b", "", "", TextKind::Plain),
            ("<- back", "", "", TextKind::Plain),
            ("<stdio.h>", "", "", TextKind::Plain),
            ("<?xml version='1.0'?><rss>", "application/xml", "feed.xml", TextKind::Xml),
            ("<?xml version='1.0'?><svg>", "", "a.txt", TextKind::Xml),
            ("<rss>", "text/xml", "", TextKind::Xml),
            ("* Head", "", "a.org", TextKind::Org),
            ("= Head", "", "a.adoc", TextKind::AsciiDoc),
            ("= Head =", "", "a.mediawiki", TextKind::MediaWiki),
            ("<div>x</div>", "text/plain", "a.wiki", TextKind::MediaWiki),
            ("Words", "text/x-tex", "", TextKind::Tex),
            ("% x\n\\documentclass{article}", "", "a.txt", TextKind::Tex),
            ("<p>in a text file", "", "notes.txt", TextKind::Plain),
            ("WEBVTT\n\n00:01.000 --> 00:02.000\nx", "text/plain", "a.txt", TextKind::WebVtt),
            ("WEBVTTS", "", "", TextKind::Plain),
            ("WEBVTT is a format.\nIt has cues.\n", "", "a.txt", TextKind::Plain),
            ("1\n00:10 --> 00:20 we walk\n\nThen we stop.\n", "", "a.txt", TextKind::Plain),
            ("<?xml is how it begins. Then words.\n", "", "a.txt", TextKind::Plain),
            ("1\n00:00:01,000 --> 00:00:02,000\nx", "", "", TextKind::SubRip),
            ("1\nof 2 --> 3", "", "", TextKind::Plain),
            ("x", "application/x-subrip", "", TextKind::SubRip),
            ("{\"a\": 1}", "", "a.txt", TextKind::Json),
            ("{\"a\": 1", "", "a.jsonl", TextKind::Json),
            ("{\"nbformat\": 4, \"cells\": []}", "", "", TextKind::Notebook),
            ("{\"a\": 1}", "text/markdown", "", TextKind::Markdown),
            ("<!-- never closed", "", "", TextKind::Plain),
            ("", "", "", TextKind::Plain),
        ];
        for (text, mime, name, want) in table {
            let hint = Hint { content_type: (!mime.is_empty()).then_some(mime), name };
            assert_eq!(text_kind(text, &hint), want, "{text:?} {mime} {name}");
        }
    }
}
