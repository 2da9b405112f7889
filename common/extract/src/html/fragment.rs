//! A piece of HTML without a page around it.

use dom_query::Document;
use precis_text::Leaf;

use super::hidden::{self, HidingBelief};
use super::{nesting_limit, walk};
use crate::runs::LeftOut;

/// The visible text of a piece of HTML, and what it does not say.
pub(crate) fn fragment(source: &str) -> (Vec<Leaf>, LeftOut) {
    let document = Document::fragment(nesting_limit::bounded(source).as_ref());
    let removed = hidden::prune(&document, HidingBelief::All);
    let (leaves, struck) = walk::leaves(&document.root(), true);
    (leaves, LeftOut { hidden: removed.chars, struck })
}
