//! How much a whole text has to do with a question, before anything is chosen from it.

use std::collections::BTreeSet;

use crate::terms::{query_terms, terms};
use crate::text::CanonicalText;

/// Share of the question's distinct terms that the text holds, 0 to 1; 0 for a question without terms.
#[must_use]
pub fn relevance(text: &CanonicalText, query: &str) -> f64 {
    let wanted = query_terms(query);
    if wanted.is_empty() {
        return 0.0;
    }
    let held: BTreeSet<String> = terms(text.as_str()).into_iter().collect();
    wanted.iter().filter(|term| held.contains(*term)).count() as f64 / wanted.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_is_the_share_of_the_questions_terms_that_the_text_holds() {
        let text = CanonicalText::from_plain("Granite cools slowly below the surface.");
        for (query, expected) in
            [("granite surface", 1.0), ("granite volcano", 0.5), ("ocean volcano", 0.0), ("the", 0.0), ("", 0.0)]
        {
            assert!((relevance(&text, query) - expected).abs() < 1e-9, "{query}");
        }
    }
}
