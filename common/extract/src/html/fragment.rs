//! A piece of HTML without a page around it.

use dom_query::Document;
use precis_text::Leaf;

use super::hidden::{self, HidingBelief};
use super::{nesting_limit, quotations, walk};
use crate::runs::LeftOut;

/// Elements that a parser leaves out where no table is around them.
const OF_A_TABLE: [&str; 7] = ["tr", "td", "th", "tbody", "thead", "tfoot", "caption"];

/// The visible text of a piece of HTML, and what it does not say.
pub(crate) fn fragment(source: &str) -> (Vec<Leaf>, LeftOut) {
    let bounded = nesting_limit::limit_nesting(source);
    let document = match is_of_a_table(&bounded) {
        true => Document::fragment(format!("<table>{bounded}</table>").as_str()),
        false => Document::fragment(bounded.as_ref()),
    };
    let removed = hidden::prune(&document, HidingBelief::All);
    quotations::write_out(&document);
    let (leaves, struck) = walk::leaves(&document.root(), true);
    (leaves, LeftOut { hidden: removed.chars, struck, ..LeftOut::default() })
}

/// Whether a piece begins inside a table.
fn is_of_a_table(source: &str) -> bool {
    let first = source.trim_start().strip_prefix('<').unwrap_or_default();
    let name = &first[..first.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(first.len())];
    OF_A_TABLE.iter().any(|part| name.eq_ignore_ascii_case(part))
}
