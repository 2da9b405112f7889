//! Queries as they are compared: two that ask for the same words are one.

use super::entity::key;
use crate::terms::query_terms;

/// A query as it is compared with others: its terms in order, or, where it has none, its letters.
pub(super) fn normal(query: &str) -> String {
    let mut terms = query_terms(query);
    terms.sort_unstable();
    let normal = terms.join(" ");
    if normal.is_empty() { key(query) } else { normal }
}
