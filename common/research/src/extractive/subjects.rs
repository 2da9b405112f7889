//! What a question is about, as far as folders are called after it: `tokio` if some documents are in `tokio/`.

use precis_evidence::question::query::asking_worth;
use precis_text::terms::{query_terms, terms};

/// The terms of `query` that are in the folders of some of the `paths`, but of no more than half of them: a folder above all documents
/// names nothing. None in a question of several `parts`: the answer of one leads to documents that need not speak of what it names.
pub fn subjects<'p>(query: &str, parts: usize, paths: impl Iterator<Item = &'p str>) -> Vec<String> {
    if parts != 1 {
        return Vec::new();
    }
    let paths: Vec<Vec<String>> = paths.map(|path| terms(folders(path))).collect();
    let mut asked = query_terms(query);
    asked.retain(|term| {
        let called = paths.iter().filter(|path| path.contains(term)).count();
        let is_word = asking_worth(term) >= 1.0 && term.contains(char::is_alphabetic);
        is_word && called > 0 && 2 * called <= paths.len()
    });
    asked
}

/// The folders of a path; empty if it is a file name alone.
pub(super) fn folders(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folders, _)| folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_about_what_some_folders_are_called_after() {
        let paths =
            ["docs/tokio-1.54/changes.md", "docs/tokio-util-0.7/changes.md", "docs/mill/use.md", "docs/stone/salt.md"];
        for (query, want) in [
            ("What changed in tokio 1.54?", &["tokio"][..]),
            ("What do the docs say about the mill?", &["mill"]),
            ("Is the mill older than the stone?", &["mill", "stone"]),
            ("What is the use of salt?", &[]),
        ] {
            assert_eq!(subjects(query, 1, paths.into_iter()), want, "{query}");
            assert!(
                subjects(query, 0, paths.into_iter()).is_empty() && subjects(query, 2, paths.into_iter()).is_empty()
            );
        }
        assert!(subjects("What changed in tokio?", 1, paths[..1].iter().copied()).is_empty(), "all are");
    }
}
