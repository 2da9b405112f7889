//! Names of the directives of docutils and Sphinx, which reStructuredText and MyST share, by what a page shows of them.

/// Directives that show nothing: settings, and what a program makes of other parts of the page.
pub(super) const DROPPED: &str = "contents sectnum section-numbering meta highlight highlightlang toctree index default-role role title header \
    footer target-notes default-domain currentmodule module py:module py:currentmodule tabularcolumns testsetup testcleanup \
    sectionauthor codeauthor moduleauthor";
/// Directives whose content is in another file or in a program.
pub(super) const ELSEWHERE: &str = "include literalinclude automodule autoclass autofunction automethod autoattribute autodata autoexception \
    autosummary";
/// Directives whose content stays as typed.
pub(super) const CODE: &str =
    "code code-block sourcecode doctest testcode testoutput prompt ipython console graphviz digraph graph mermaid uml";
/// Directives with a label above their text.
pub(super) const ADMONITIONS: &str = "attention caution danger error hint important note seealso tip todo warning";
/// Directives with settings as arguments.
pub(super) const CONTAINERS: &str =
    "class rst-class compound container only ifconfig hlist glossary tab-set grid acks cssclass details";
/// Directives of the Python domain, which needs no name: their arguments are code, as those of all domains.
pub(super) const SIGNATURES: &str = "function method classmethod staticmethod attribute property data exception decorator decoratormethod option \
    cmdoption envvar program opcode describe object confval";

/// Directives of MyST with content whose arguments are a title, or the beginning of the content.
const TITLED: &str = "admonition dropdown tab-item tab card grid-item-card margin sidebar topic rubric epigraph highlights \
    pull-quote versionadded versionchanged versionremoved deprecated aside list-table table exercise solution proof theorem lemma \
    definition example remark";
/// Directives of MyST with content whose arguments are addresses or numbers.
const SETTINGS: &str = "image figure figure-md grid-item";
/// Directives of MyST whose content stays as typed, besides those of docutils.
const TYPED: &str = "code-cell math eval-rst";

/// Directives about a version, which is their first argument, and what a page shows before it.
const VERSIONED: [(&str, &str); 4] = [
    ("versionadded", "Added in version"),
    ("versionchanged", "Changed in version"),
    ("versionremoved", "Removed in version"),
    ("deprecated", "Deprecated since version"),
];

/// What a page shows of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    /// The content, as it was typed.
    Code,
    /// The content.
    Content,
    /// The arguments and the content.
    Titled,
}

/// What a page shows of the directive called `name`; `None` if the name is not known.
pub(super) fn shown(name: &str) -> Option<Shown> {
    let is_in = |names: &str| names.split_whitespace().any(|known| known == name);
    [
        (DROPPED, Shown::Nothing),
        (ELSEWHERE, Shown::Nothing),
        (CODE, Shown::Code),
        (TYPED, Shown::Code),
        (ADMONITIONS, Shown::Titled),
        (TITLED, Shown::Titled),
        (CONTAINERS, Shown::Content),
        (SETTINGS, Shown::Content),
    ]
    .into_iter()
    .find_map(|(names, shown)| is_in(names).then_some(shown))
}

/// What a page shows before the version that the directive called `name` is about; `None` if it is about none.
pub(super) fn version_label(name: &str) -> Option<&'static str> {
    VERSIONED.iter().find(|(known, _)| name.starts_with(known)).map(|(_, label)| *label)
}
