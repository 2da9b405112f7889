//! What the generators of sites write into Markdown, rewritten to CommonMark before it is read.
//!
//! A directive is structure: its name, arguments and fences are not said; its title and its content are. Directives without content are
//! left out and counted; an expression whose value is filled in stays as it is written. What the parser finds to be code is never rewritten,
//! and a directive that is not closed stays text.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `page` | what the CommonMark parser finds: code, paragraphs, links, and the lines |
//! | `limits` | numbers that bound time |
//! | `edit` | changes of the source, all or nothing for the parts of one directive |
//! | `arguments` | names with quoted values |
//! | `expression` | the expressions that templates replace |
//! | `values` | tokens that stand for expressions while the page is parsed |
//! | `liquid` | tags and values: Jekyll, Liquid, Jinja, GitBook, Vue |
//! | `hugo` | shortcodes |
//! | `colons` | blocks between colons or slashes: Docusaurus, VitePress, Pandoc, MyST, Python-Markdown |
//! | `indented` | blocks by indentation: Python-Markdown |
//! | `myst` | directives in code fences, roles, targets, comments |
//! | `attributes` | attribute lists of Kramdown, Pandoc and Python-Markdown |
//! | `wiki` | links, embeds, callouts, comments and tables of contents in brackets |
//! | `marks` | keys, insertions and icons |
//! | `mdx`, `jsx` | imports, components and expressions of JavaScript |

use std::borrow::Cow;

use crate::runs::LeftOut;
use edit::{Group, apply};
use limits::MAX_PASSES;
use page::Page;
pub(super) use values::{Values, chars_of_values};

mod arguments;
mod attributes;
mod colons;
mod edit;
mod expression;
mod hugo;
mod indented;
mod jsx;
#[cfg(test)]
mod laws;
mod limits;
mod liquid;
mod marks;
mod mdx;
mod myst;
mod page;
#[cfg(test)]
mod tests;
mod values;
mod wiki;

/// Characters that no text holds (Unicode's noncharacters). One stands for an inline directive that was left out, one for an expression.
const GAPS: std::ops::RangeInclusive<char> = '\u{fdd0}'..='\u{fdef}';

/// Texts without which a page has no directive; most pages have none of them.
const TRACES: [&str; 22] = [
    "{",
    "[[",
    "[!",
    "[+ ",
    "[- ",
    "[toc]",
    "[TOC]",
    "::",
    "!!! ",
    "??? ",
    "???+ ",
    "===",
    "/// ",
    "++",
    "%%",
    "8<",
    ":material-",
    ":octicons-",
    ":fontawesome-",
    ":simple-",
    ")=",
    "import ",
];
/// Finds the directives of some syntaxes.
type Family = fn(&Page<'_>) -> Vec<Group>;
/// Blocks, of which those further up are rewritten first: a fence inside a component, and all that is indented, is known only then.
const BLOCKS: [&[Family]; 4] = [
    &[mdx::blocks],
    &[mdx::indented],
    &[indented::blocks],
    &[liquid::blocks, colons::blocks, myst::blocks, wiki::blocks],
];
/// Directives inside lines.
const INLINE: [&[Family]; 1] =
    [&[attributes::inline, hugo::inline, liquid::inline, myst::inline, wiki::inline, marks::inline, mdx::inline]];

/// A page without directives.
#[derive(Debug)]
pub(super) struct PlainPage<'s> {
    pub(super) text: Cow<'s, str>,
    /// The character that stands for an inline directive that was left out.
    pub(super) gap: Option<char>,
    /// Expressions that stay.
    pub(super) values: Values,
    pub(super) left_out: LeftOut,
}

/// `source` without directives; `is_mdx` if its type says that it may hold JavaScript.
pub(super) fn without_directives(source: &str, is_mdx: bool) -> PlainPage<'_> {
    let values = Values::default();
    let mut plain = PlainPage { text: Cow::Borrowed(source), gap: None, values, left_out: LeftOut::default() };
    if !is_mdx && !TRACES.iter().any(|trace| source.contains(trace)) {
        return plain;
    }
    let mut free = GAPS.filter(|gap| !source.contains(*gap));
    let (Some(gap), Some(mark)) = (free.next(), free.next()) else { return plain };
    plain.values = Values::new(mark);
    let is_mdx = is_mdx || mdx::uses_imports(&Page::new(source, false, gap));
    for tiers in [&BLOCKS[..], &INLINE[..]] {
        for _ in 0..MAX_PASSES {
            let page = Page::new(&plain.text, is_mdx, gap);
            let of_tier = |tier: &&[Family]| {
                let groups = tier.iter().flat_map(|family| family(&page)).collect();
                apply(page.source, groups, &mut plain.values)
            };
            let Some((text, left_out)) = tiers.iter().find_map(of_tier) else { break };
            (plain.text, plain.gap) = (Cow::Owned(text), Some(gap));
            plain.left_out += left_out;
        }
    }
    if let Cow::Owned(text) = &plain.text {
        plain.text = Cow::Owned(edit::clear_gap_lines(text, gap));
    }
    plain
}
