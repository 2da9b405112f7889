//! Classifies elements: inline or block, and the kind of block. By names, roles and the few class names shared by page generators; style
//! sheets are not considered.

use dom_query::Element;

/// How an element takes part in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// Inside a line, without separation.
    Inline,
    /// Inside a line, separated by a space.
    Apart,
    /// A line break.
    Break,
    /// A block of its own.
    Block,
}

/// The flow of the elements called `name`.
pub(super) fn flow(name: &str) -> Flow {
    match name {
        "br" => Flow::Break,
        "a" | "abbr" | "acronym" | "b" | "bdi" | "bdo" | "big" | "cite" | "code" | "data" | "del" | "dfn" | "em"
        | "font" | "i" | "ins" | "kbd" | "label" | "mark" | "math" | "mi" | "mn" | "mo" | "nobr" | "q" | "rb"
        | "rt" | "ruby" | "s" | "samp" | "small" | "span" | "strike" | "strong" | "sub" | "sup" | "time" | "tt"
        | "u" | "var" | "wbr" => Flow::Inline,
        "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center" | "dd" | "details"
        | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "h1"
        | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "listing"
        | "main" | "menu" | "nav" | "ol" | "optgroup" | "option" | "p" | "plaintext" | "pre" | "search" | "section"
        | "select" | "summary" | "table" | "tbody" | "td" | "textarea" | "tfoot" | "th" | "thead" | "tr" | "ul"
        | "xmp" => Flow::Block,
        _ => Flow::Apart,
    }
}

/// The role of a block, which decides the kind of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockRole {
    /// No role of its own.
    Plain,
    Heading(u8),
    List {
        is_ordered: bool,
    },
    /// An item with a marker, or a term or description without one.
    Item {
        is_marked: bool,
    },
    Quotation,
    Caption,
    Code,
    Field,
    Table,
    TableHead,
    Row,
    Cell {
        is_header: bool,
    },
}

/// The part of the page that a block forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// Notes.
    Footnotes,
    /// References.
    References,
    /// Menus and other content repeated on each page of a site.
    Furniture,
    /// The header of a page or of an article, depending on its position.
    Head,
    /// The footer of a page or of an article.
    Foot,
    /// A menu, or text next to the main text, depending on its links.
    Aside,
    /// A part of the page with its own header and footer.
    Article,
}

/// The role of a block.
pub(super) fn role(element: &Element) -> BlockRole {
    match element.name.local.as_ref() {
        "h1" => BlockRole::Heading(1),
        "h2" => BlockRole::Heading(2),
        "h3" => BlockRole::Heading(3),
        "h4" => BlockRole::Heading(4),
        "h5" => BlockRole::Heading(5),
        "h6" => BlockRole::Heading(6),
        "ol" => BlockRole::List { is_ordered: true },
        "ul" | "menu" | "dir" | "dl" => BlockRole::List { is_ordered: false },
        "li" => BlockRole::Item { is_marked: true },
        "dt" | "dd" => BlockRole::Item { is_marked: false },
        "blockquote" => BlockRole::Quotation,
        "caption" | "figcaption" | "legend" => BlockRole::Caption,
        "pre" | "listing" | "xmp" | "plaintext" => BlockRole::Code,
        "select" | "option" | "optgroup" | "textarea" => BlockRole::Field,
        "table" => BlockRole::Table,
        "thead" => BlockRole::TableHead,
        "tr" => BlockRole::Row,
        "th" => BlockRole::Cell { is_header: true },
        "td" => BlockRole::Cell { is_header: false },
        _ if attribute(element, "role") == Some("heading") => {
            let level = attribute(element, "aria-level").and_then(|level| level.trim().parse().ok());
            // ARIA 1.2 treats a heading without a level as level 2.
            BlockRole::Heading(level.unwrap_or(2).clamp(1, 6))
        }
        _ => BlockRole::Plain,
    }
}

/// The part of the page formed by a block, by its attributes or otherwise its name.
pub(super) fn region(element: &Element) -> Option<Region> {
    let by_attribute = element.attrs.iter().find_map(|attribute| {
        let words = || attribute.value.split_ascii_whitespace();
        match attribute.name.local.as_ref() {
            "role" | "epub:type" => words().find_map(by_role),
            "class" => words().find_map(by_class),
            _ => None,
        }
    });
    by_attribute.or_else(|| match element.name.local.as_ref() {
        "nav" => Some(Region::Furniture),
        "header" => Some(Region::Head),
        "footer" => Some(Region::Foot),
        "aside" => Some(Region::Aside),
        "article" | "main" | "section" | "blockquote" | "figure" | "fieldset" | "details" | "dialog" | "td" | "th" => {
            Some(Region::Article)
        }
        _ => None,
    })
}

fn by_role(word: &str) -> Option<Region> {
    Some(match word {
        "doc-footnote" | "doc-endnote" | "doc-endnotes" | "footnote" | "endnote" | "footnotes" | "endnotes" => {
            Region::Footnotes
        }
        "doc-biblioentry" | "doc-bibliography" | "biblioentry" | "bibliography" => Region::References,
        "navigation" | "menu" | "menubar" | "tablist" | "toolbar" | "search" => Region::Furniture,
        "banner" => Region::Head,
        "contentinfo" => Region::Foot,
        "complementary" => Region::Aside,
        "main" | "article" => Region::Article,
        _ => return None,
    })
}

/// Class names that page generators use for notes and references: pandoc, Sphinx, MediaWiki, Hugo, citeproc.
fn by_class(word: &str) -> Option<Region> {
    match word {
        "footnotes" | "footnote" | "endnotes" | "footnote-list" => Some(Region::Footnotes),
        "references" | "reflist" | "ref-list" | "bibliography" | "csl-bib-body" => Some(Region::References),
        _ => None,
    }
}

/// The value of the attribute `name`.
pub(super) fn attribute<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    let found = element.attrs.iter().find(|attribute| *attribute.name.local == *name);
    found.map(|attribute| attribute.value.as_ref())
}
