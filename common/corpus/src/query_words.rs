//! The words of a question to search for.

use precis_text::terms::{for_each_word, is_term, literals, query_terms};

use crate::limits::MAX_QUERY_TERMS;

/// The words of a question to search for.
pub(crate) struct QueryWords {
    pub(crate) terms: Vec<String>,
    /// The other words: they only decide between similar chunks.
    pub(crate) function_words: Vec<String>,
    pub(crate) literals: Vec<String>,
}

impl QueryWords {
    pub(crate) fn new(query: &str) -> Self {
        let mut terms = query_terms(query);
        let literals = literals(query);
        let mut function_words: Vec<String> = Vec::new();
        let normal = precis_text::normalize(query);
        for_each_word(&normal, |word| {
            if !terms.iter().chain(&function_words).any(|held| held == word) {
                function_words.push(word.to_owned());
            }
        });
        // `C++` can only be found by its letter, which is too short to be a term otherwise.
        for literal in &literals {
            for_each_word(literal, |word| {
                if !is_term(word) && !terms.iter().any(|held| held == word) {
                    terms.push(word.to_owned());
                }
            });
        }
        function_words.retain(|word| !terms.contains(word));
        terms.truncate(MAX_QUERY_TERMS);
        function_words.truncate(MAX_QUERY_TERMS);
        Self { terms, function_words, literals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_terms_are_searched_as_the_limit_says() {
        for (given, taken) in [
            (MAX_QUERY_TERMS - 1, MAX_QUERY_TERMS - 1),
            (MAX_QUERY_TERMS, MAX_QUERY_TERMS),
            (MAX_QUERY_TERMS + 1, MAX_QUERY_TERMS),
        ] {
            let query: String = (0..given).map(|n| format!("word{n} ")).collect();
            assert_eq!(QueryWords::new(&query).terms.len(), taken);
        }
    }

    #[test]
    fn a_question_is_searched_by_terms_and_symbols_by_letters() {
        let asked = QueryWords::new("What is C++ in the WHO?");
        assert_eq!((asked.terms, asked.literals), (vec!["who".to_owned(), "c".to_owned()], vec!["c++".to_owned()]));
        assert_eq!(asked.function_words, ["what", "is", "in", "the"]);
    }
}
