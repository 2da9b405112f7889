//! The labelled set: documents of short passages, questions, and which passages answer them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use precis_text::CanonicalText;
use precis_text::terms::{query_terms, terms};
use serde::Deserialize;

/// How many content words a question shares with the passage that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Two or more.
    Two,
    /// One.
    One,
    /// None: the question is asked in other words, or in other forms of the same.
    None,
}

impl Kind {
    /// All of them, the easiest first.
    pub const ALL: [Self; 3] = [Self::Two, Self::One, Self::None];

    /// The kind of a question that shares `words` content words with its answer.
    #[must_use]
    pub fn from_shared_words(words: usize) -> Self {
        match words {
            0 => Self::None,
            1 => Self::One,
            _ => Self::Two,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Two => "two+",
            Self::One => "one",
            Self::None => "none",
        })
    }
}

/// The questions of one language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// Its code: `en`.
    pub language: String,
    /// What is read.
    pub documents: Vec<Document>,
    /// What is asked, of the first document unless it says otherwise.
    pub questions: Vec<Question>,
}

/// A document. Each passage becomes a page, so that it is a chunk of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// For people.
    pub title: String,
    /// In order.
    pub passages: Vec<String>,
}

/// A question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// As its author meant it; [`check`] holds it against the words.
    pub kind: Kind,
    /// The words.
    pub question: String,
    /// Which document, from 0.
    #[serde(default)]
    pub document: usize,
    /// Passages any of which answers it, from 0.
    pub answers: Vec<usize>,
}

impl Document {
    /// The document as evidence is chosen from it.
    #[must_use]
    pub fn text(&self) -> CanonicalText {
        CanonicalText::from_pages(&self.passages)
    }
}

/// Where the set of this repository lies.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/evidence")
}

/// Reads every `*.json` of `folder`, in the order of the languages.
///
/// # Errors
/// Names the file that cannot be read, is not a set, or contradicts itself.
pub fn read(folder: &Path) -> Result<Vec<Language>, String> {
    let listed = fs::read_dir(folder).map_err(|e| format!("list {}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    files.iter().map(|file| read_one(file).map_err(|fault| format!("{}: {fault}", file.display()))).collect()
}

fn read_one(file: &Path) -> Result<Language, String> {
    let bytes = fs::read(file).map_err(|e| e.to_string())?;
    let language: Language = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    check(&language)?;
    Ok(language)
}

/// Whether each question names passages that exist, and is of the kind it claims by the words of its answers.
///
/// # Errors
/// The first question at fault, in words.
pub fn check(language: &Language) -> Result<(), String> {
    for asked in &language.questions {
        let document = language.documents.get(asked.document);
        let passages: Option<Vec<&String>> =
            asked.answers.iter().map(|&answer| document?.passages.get(answer)).collect();
        let passages = passages.filter(|found| !found.is_empty());
        let passages = passages.ok_or_else(|| format!("`{}` names a passage that is not there", asked.question))?;
        let wanted = query_terms(&asked.question);
        let shared = |passage: &&String| {
            let held = terms(passage);
            wanted.iter().filter(|term| held.contains(term)).count()
        };
        let most = passages.iter().map(shared).max().unwrap_or_default();
        if Kind::from_shared_words(most) != asked.kind {
            return Err(format!("`{}` shares {most} words with its answer, not {}", asked.question, asked.kind));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(kind: Kind, question: &str, answers: Vec<usize>) -> Language {
        let passages = vec!["Granite cools slowly.".to_owned(), "Whales eat krill.".to_owned()];
        Language {
            language: "en".to_owned(),
            documents: vec![Document { title: String::new(), passages }],
            questions: vec![Question { kind, question: question.to_owned(), document: 0, answers }],
        }
    }

    #[test]
    fn a_question_is_of_the_kind_that_its_words_say() {
        for (kind, question, answers, is_right) in [
            (Kind::Two, "How slowly does granite cool?", vec![0], true),
            (Kind::One, "How does granite form?", vec![0], true),
            (Kind::None, "What do these animals feed on?", vec![1], true),
            (Kind::One, "What do whales eat?", vec![1], false),
            (Kind::None, "What do whales feed on?", vec![0, 1], false),
            (Kind::None, "What?", vec![2], false),
            (Kind::None, "What?", vec![], false),
        ] {
            assert_eq!(check(&language(kind, question, answers)).is_ok(), is_right, "{question}");
        }
    }
}
