//! Normalizes queries for comparison: two with the same terms are equal.

use precis_text::terms::query_terms;

use super::entity::key;

/// The normalized form of a query: its terms sorted, or its lower-case text if it has no terms.
pub fn normal(query: &str) -> String {
    let mut terms = query_terms(query);
    terms.sort_unstable();
    let normal = terms.join(" ");
    if normal.is_empty() { key(query) } else { normal }
}
