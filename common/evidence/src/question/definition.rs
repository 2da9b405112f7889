//! Recognizes questions for a definition, and sentences that give one.
//!
//! By surface form only: the opening of the question, and a copula soon after a word of the question near the start of the sentence. Such
//! sentences get a bonus; nothing is excluded.

use precis_language::definition::{
    before_unspaced_copula, has_ending, is_article as is_article_word, is_copula, opening,
};
use precis_language::question_shape::has_joint;
use precis_text::terms;

/// Words at the start of a sentence in which its subject is searched.
const OPENING: usize = 10;
/// Words after the subject in which the copula is searched.
const REACH: usize = 4;

/// Most words of a subject: "What is the optimal window for treatment?" asks for more than what a thing is.
const SUBJECT_WORDS: usize = 4;
/// Most words between an article and the name after it: "the microtubule severing enzyme KATNAL1".
const KIND_WORDS: usize = 4;

/// How explicitly a sentence defines something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Says {
    /// It does not.
    Nothing,
    /// In passing, before the name: "the enzyme X".
    Beside,
    /// Explicitly: "X is a gene", "X, a gene".
    Plainly,
}

/// The subject of a question for a definition: "EGR1" in "What is EGR1?".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DefinitionSubject {
    terms: Vec<String>,
}

impl DefinitionSubject {
    /// The subject of `query`; `None` if it asks for something else, or for something about its subject.
    pub(super) fn of_question(query: &str) -> Option<Self> {
        let lower = query.trim().to_lowercase();
        let mut rest =
            lower[opening(&lower)?..].split_whitespace().map(bare).filter(|word| !word.is_empty()).peekable();
        rest.next_if(|word| is_article_word(word));
        let rest: Vec<String> = rest.collect();
        let is_content = |word: &String| !terms::terms(word).is_empty();
        let is_subject = (1..=SUBJECT_WORDS).contains(&rest.len()) && rest.iter().all(is_content);
        is_subject.then(|| Self { terms: rest.iter().flat_map(|word| terms::terms(word)).collect() })
    }

    /// Whether `name` is it, and nothing more.
    pub(super) fn is_named_by(&self, name: &str) -> bool {
        terms::terms(name) == self.terms
    }

    /// How explicitly `sentence` defines it.
    pub(super) fn is_said_by(&self, sentence: &str) -> Says {
        let written: Vec<&str> = sentence.split_whitespace().collect();
        let words: Vec<String> = written.iter().copied().map(bare).collect();
        let opening = &words[..words.len().min(OPENING)];
        let holds = |wanted: &String| opening.iter().flat_map(|word| terms::terms(word)).any(|term| &term == wanted);
        if !self.terms.iter().all(holds) {
            return Says::Nothing;
        }
        let is_last = |word: &String| terms::terms(word).last() == self.terms.last();
        let is_article = |at: usize| words.get(at).is_some_and(|word| is_article_word(word));
        let mut said = Says::Nothing;
        for at in (0..opening.len()).filter(|at| is_last(&words[*at])) {
            let by_copula = (at + 1..=at + REACH)
                .any(|copula| words.get(copula).is_some_and(|word| is_copula(word)) && is_article(copula + 1));
            let opens = written.get(at + 1).is_some_and(|next| next.starts_with('('));
            let by_apposition = (written[at].ends_with(',') || opens) && is_article(at + 1);
            if by_copula || by_apposition {
                return Says::Plainly;
            }
            let kind = |article: usize| {
                let between = &words[article + 1..at];
                let is_kind = |(n, word): (usize, &String)| {
                    let as_written = written[article + 1 + n];
                    !terms::terms(word).is_empty() && as_written.chars().all(|c| c.is_lowercase() || c == '-')
                };
                is_article(article) && !between.is_empty() && between.iter().enumerate().all(is_kind)
            };
            // Only for a single name: in "the dose of drug" the words before it are not its kind.
            if self.terms.len() == 1 && (at.saturating_sub(KIND_WORDS + 1)..at).any(kind) {
                said = Says::Beside;
            }
        }
        said
    }
}

/// Whether `query` asks for a definition.
pub fn is_asked(query: &str) -> bool {
    let lower = query.trim().to_lowercase();
    // "What are the properties of …" asks for properties.
    if has_joint(&lower) {
        return false;
    }
    opening(&lower).is_some() || has_ending(&lower)
}

/// Whether `sentence` defines a subject whose words `is_subject` recognizes.
pub fn is_given(sentence: &str, is_subject: &dyn Fn(&str) -> bool) -> bool {
    if let Some(head) = before_unspaced_copula(sentence) {
        return terms::terms(head).iter().any(|term| is_subject(term));
    }
    let words: Vec<String> = sentence.split_whitespace().take(OPENING + REACH).map(bare).collect();
    let subject = words.iter().take(OPENING).position(|word| is_subject(word));
    let behind = |at: usize| words[at + 1..].iter().take(REACH).any(|word| is_copula(word));
    // Try each word of the subject, since the last one is closest to the copula.
    subject.is_some_and(|first| (first..words.len().min(OPENING)).any(|at| is_subject(&words[at]) && behind(at)))
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_questions_are_distinguished_from_others() {
        for (query, asked) in [
            ("What is a topological space?", true),
            ("Was ist ein topologischer Raum?", true),
            ("機械学習とは何ですか", true),
            ("How does it work?", false),
            ("What are the properties of matrices?", false),
            ("", false),
        ] {
            assert_eq!(is_asked(query), asked, "{query}");
        }
    }

    #[test]
    fn the_kind_of_a_thing_is_stated_next_to_it() {
        use Says::{Beside, Nothing, Plainly};
        for (query, sentence, want) in [
            ("What is EGR1?", "EGR1 is a transcription factor that can be induced by numerous signals.", Plainly),
            ("What is EGR1?", "In cells, EGR1, a transcription factor, rises.", Plainly),
            ("What is EGR1?", "Levels of EGR1 (a transcription factor) rise.", Plainly),
            ("What is EGR1?", "EGR1 is upregulated in infected cells.", Nothing),
            ("What is EGR1?", "The role of EGR1 is unclear.", Nothing),
            ("What is EGR1?", "EGR2 is a transcription factor.", Nothing),
            ("What is KATNAL1?", "Currently the microtubule severing enzyme KATNAL1 is poorly characterised.", Beside),
            ("What is KATNAL1?", "The Drosophila KATNAL1 is poorly characterised.", Nothing),
            ("What is the topological space?", "A topological space is a set of points.", Plainly),
            ("What is the topological space?", "A space is a set of points.", Nothing),
            ("Was ist ein Stausee?", "Ein Stausee ist ein künstlicher See.", Plainly),
            ("Was ist ein Stausee?", "Der Stausee ist leer.", Nothing),
        ] {
            let subject = DefinitionSubject::of_question(query).expect(query);
            assert_eq!(subject.is_said_by(sentence), want, "{query} {sentence}");
        }
        for query in ["What is the optimal window for treatment?", "Who wrote it?", "What is?", "What is of the?", ""] {
            assert_eq!(DefinitionSubject::of_question(query), None, "{query}");
        }
    }

    #[test]
    fn a_definition_has_its_subject_early_and_a_copula_behind_it() {
        let is_subject = |word: &str| ["matrix", "hermitian", "機械"].contains(&word);
        for (sentence, given) in [
            ("In mathematics, a Hermitian matrix (or self-adjoint matrix) is a square matrix.", true),
            ("機械学習とはデータから学ぶ方法である。", true),
            ("The sum is shown for a Hermitian matrix.", false),
            ("Nothing here is one.", false),
        ] {
            assert_eq!(is_given(sentence, &is_subject), given, "{sentence}");
        }
    }
}
