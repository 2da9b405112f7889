//! The set as another program's ranking reads it: the terms of each passage and of each question, one object a line.
//!
//! With the terms given, what is compared is the ranking alone.

use precis_text::terms::{query_terms, terms};
use serde_json::json;

use super::set::Language;

/// One line per question: `{language, kind, question, passages: [[term]], terms: [term], answers: [index]}`.
#[must_use]
pub fn lines(set: &[Language]) -> Vec<String> {
    let mut lines = Vec::new();
    for language in set {
        for asked in &language.questions {
            let passages = &language.documents[asked.document].passages;
            let line = json!({
                "language": language.language,
                "kind": asked.kind.to_string(),
                "question": asked.question,
                "passages": passages.iter().map(|passage| terms(passage)).collect::<Vec<_>>(),
                "terms": query_terms(&asked.question),
                "answers": asked.answers,
            });
            lines.push(line.to_string());
        }
    }
    lines
}
