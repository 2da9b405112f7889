//! Names of the directives and roles of docutils and Sphinx, which reStructuredText and MyST share, by what a page shows of them.

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

/// Roles that raise, lower or strike out their text, with the element of HTML that does the same.
const MARKING_ROLES: [(&str, &str); 6] =
    [("sup", "sup"), ("superscript", "sup"), ("sub", "sub"), ("subscript", "sub"), ("del", "del"), ("strike", "del")];

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

/// The element of HTML that does to its text what the role called `name` does: `sup`, `sub` or `del`.
pub(super) fn element(name: &str) -> Option<&'static str> {
    MARKING_ROLES.iter().find(|(role, _)| *role == name).map(|(_, element)| *element)
}
