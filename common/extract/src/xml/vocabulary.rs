//! What the elements of widespread standards are: DocBook 5 and JATS 1.3 (both have `article`), TEI P5, RSS 2 and Atom (RFC 4287); and what others take from HTML.

use super::super::runs::{Marks, Position};

/// A family of documents whose elements are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// DocBook and JATS.
    Article,
    Tei,
    /// RSS and Atom.
    Feed,
    /// Any other.
    Unknown,
}

/// What an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementRole {
    Section,
    Title,
    /// A number or name before a title, an item or a caption.
    Label,
    Paragraph,
    Item,
    Table,
    HeaderRows,
    Row,
    Cell,
    HeaderCell,
    Code,
    Quotation,
    Footnote,
    Caption,
    Reference,
    /// Not text: style sheets and scripts.
    Skipped,
    Other,
}

impl Vocabulary {
    /// The family of a document with the root element `root`.
    pub(super) fn of_root(root: &str) -> Self {
        match root {
            "article" | "book" | "chapter" | "section" | "part" | "appendix" | "preface" | "sect1" | "refentry"
            | "book-part-wrapper" => Self::Article,
            "TEI" | "teiCorpus" | "TEI.2" => Self::Tei,
            "rss" | "feed" | "RDF" => Self::Feed,
            _ => Self::Unknown,
        }
    }

    /// What the element `name` is.
    pub(super) fn role(self, name: &str) -> ElementRole {
        if matches!(name, "style" | "script") {
            return ElementRole::Skipped;
        }
        match self {
            Self::Article => article(name),
            Self::Tei => tei(name),
            Self::Feed => feed(name),
            Self::Unknown => borrowed(name),
        }
    }
}

fn article(name: &str) -> ElementRole {
    match name {
        "sec" | "section" | "sect1" | "sect2" | "sect3" | "sect4" | "sect5" | "chapter" | "part" | "appendix"
        | "app" | "preface" | "abstract" | "trans-abstract" | "ref-list" | "bibliography" | "glossary" | "ack"
        | "refsect1" | "refsect2" | "refsection" | "book-part" => ElementRole::Section,
        "title" | "article-title" | "refname" => ElementRole::Title,
        "label" => ElementRole::Label,
        "p" | "para" | "simpara" | "formalpara" | "disp-formula" => ElementRole::Paragraph,
        "list-item" | "listitem" | "member" | "def-item" | "varlistentry" | "step" => ElementRole::Item,
        "table" | "informaltable" => ElementRole::Table,
        "thead" => ElementRole::HeaderRows,
        "tr" | "row" => ElementRole::Row,
        "td" | "entry" => ElementRole::Cell,
        "th" => ElementRole::HeaderCell,
        "programlisting" | "screen" | "literallayout" | "preformat" | "synopsis" => ElementRole::Code,
        "disp-quote" | "blockquote" | "verse-group" | "epigraph" => ElementRole::Quotation,
        "fn" | "footnote" | "table-wrap-foot" => ElementRole::Footnote,
        "caption" => ElementRole::Caption,
        "mixed-citation" | "element-citation" | "biblioentry" | "bibliomixed" | "citation" => ElementRole::Reference,
        _ => ElementRole::Other,
    }
}

fn tei(name: &str) -> ElementRole {
    match name {
        "div" | "div1" | "div2" | "div3" | "div4" | "div5" => ElementRole::Section,
        "head" | "title" => ElementRole::Title,
        "p" | "ab" | "l" | "sp" | "opener" | "closer" => ElementRole::Paragraph,
        "item" => ElementRole::Item,
        "table" => ElementRole::Table,
        "row" => ElementRole::Row,
        "cell" => ElementRole::Cell,
        "eg" | "egXML" => ElementRole::Code,
        "quote" | "epigraph" => ElementRole::Quotation,
        "note" => ElementRole::Footnote,
        "figDesc" => ElementRole::Caption,
        "bibl" | "biblStruct" | "biblFull" => ElementRole::Reference,
        _ => ElementRole::Other,
    }
}

fn feed(name: &str) -> ElementRole {
    match name {
        "item" | "entry" => ElementRole::Section,
        "title" => ElementRole::Title,
        "description" | "summary" | "content" | "encoded" | "subtitle" => ElementRole::Paragraph,
        _ => ElementRole::Other,
    }
}

/// Elements that vocabularies take from HTML.
fn borrowed(name: &str) -> ElementRole {
    match name {
        "p" | "ul" | "ol" | "dl" => ElementRole::Paragraph,
        "li" | "dt" | "dd" => ElementRole::Item,
        "table" => ElementRole::Table,
        "thead" => ElementRole::HeaderRows,
        "tr" => ElementRole::Row,
        "td" => ElementRole::Cell,
        "th" => ElementRole::HeaderCell,
        "pre" => ElementRole::Code,
        "blockquote" => ElementRole::Quotation,
        "caption" => ElementRole::Caption,
        _ => ElementRole::Other,
    }
}

/// The marks of the text of an element inside a sentence (JATS, DocBook, HTML).
pub(super) fn marks(name: &str) -> Marks {
    match name {
        "sup" | "superscript" => Marks { position: Position::Raised, ..Marks::default() },
        "sub" | "subscript" => Marks { position: Position::Lowered, ..Marks::default() },
        "strike" | "del" => Marks { is_struck: true, ..Marks::default() },
        _ => Marks::default(),
    }
}
