//! What the directives of docutils and Sphinx show, by name.

/// How the parts of a directive are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirectiveKind {
    /// Nothing is shown.
    Dropped,
    /// The content is in another file or in a program.
    Elsewhere,
    /// The content stays as typed.
    Code,
    /// Arguments and content are one text that stays as typed.
    WholeCode,
    /// Like code, but with inline markup.
    ParsedCode,
    /// An image: its alternative text.
    Image,
    /// An image with a caption and a legend.
    Figure,
    /// A table with its title above it.
    Table,
    /// A table typed as comma-separated values.
    CsvTable,
    /// A table typed as a list of lists.
    ListTable,
    /// A box with this label.
    Admonition(&'static str),
    /// A heading outside of the sections.
    Rubric,
    /// The content is a quotation.
    Quotation,
    /// HTML, or content for other output formats only.
    Raw,
    /// The content; the arguments are settings.
    Container,
    /// The content, preceded by this label and a version.
    Versioned(&'static str),
    /// The signature of a program element, and its description.
    Signature,
    /// Arguments and content are text.
    Text,
}

/// The kind of the directive called `name`; all parts of an unknown one are text.
pub(super) fn kind(name: &str) -> DirectiveKind {
    use DirectiveKind::*;
    let name = name.to_lowercase();
    match name.as_str() {
        "contents"
        | "sectnum"
        | "section-numbering"
        | "meta"
        | "highlight"
        | "highlightlang"
        | "toctree"
        | "index"
        | "default-role"
        | "role"
        | "title"
        | "header"
        | "footer"
        | "target-notes"
        | "default-domain"
        | "currentmodule"
        | "module"
        | "py:module"
        | "py:currentmodule"
        | "tabularcolumns"
        | "testsetup"
        | "testcleanup"
        | "acks-setup"
        | "restructuredtext-test-directive"
        | "sectionauthor"
        | "codeauthor"
        | "moduleauthor" => Dropped,
        "include" | "literalinclude" | "automodule" | "autoclass" | "autofunction" | "automethod" | "autoattribute"
        | "autodata" | "autoexception" | "autosummary" => Elsewhere,
        "code" | "code-block" | "sourcecode" | "doctest" | "testcode" | "testoutput" | "prompt" | "ipython"
        | "console" | "graphviz" | "digraph" | "graph" | "mermaid" | "uml" => Code,
        "math" | "productionlist" => WholeCode,
        "parsed-literal" => ParsedCode,
        "image" => Image,
        "figure" => Figure,
        "table" => Table,
        "csv-table" => CsvTable,
        "list-table" | "flat-table" => ListTable,
        "attention" => Admonition("Attention"),
        "caution" => Admonition("Caution"),
        "danger" => Admonition("Danger"),
        "error" => Admonition("Error"),
        "hint" => Admonition("Hint"),
        "important" => Admonition("Important"),
        "note" => Admonition("Note"),
        "seealso" => Admonition("See also"),
        "tip" => Admonition("Tip"),
        "todo" => Admonition("Todo"),
        "warning" => Admonition("Warning"),
        "rubric" => Rubric,
        "epigraph" | "highlights" | "pull-quote" => Quotation,
        "raw" => Raw,
        "class" | "rst-class" | "compound" | "container" | "only" | "ifconfig" | "hlist" | "glossary" | "tab-set"
        | "grid" | "acks" | "cssclass" | "details" => Container,
        "versionadded" => Versioned("Added in version"),
        "versionchanged" => Versioned("Changed in version"),
        "deprecated" => Versioned("Deprecated since version"),
        "deprecated-removed" => Versioned("Deprecated since version"),
        "versionremoved" => Versioned("Removed in version"),
        _ if is_signature(&name) => Signature,
        _ => Text,
    }
}

/// Whether the directive describes a program element: it names a domain, or belongs to the Python domain, which needs no name.
fn is_signature(name: &str) -> bool {
    let domains = ["c:", "cpp:", "js:", "py:", "rst:"];
    let things = [
        "function",
        "method",
        "classmethod",
        "staticmethod",
        "attribute",
        "property",
        "data",
        "exception",
        "decorator",
        "decoratormethod",
        "option",
        "cmdoption",
        "envvar",
        "program",
        "opcode",
        "describe",
        "object",
        "confval",
    ];
    domains.iter().any(|domain| name.starts_with(domain)) || things.contains(&name)
}
