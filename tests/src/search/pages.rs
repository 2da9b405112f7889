//! What a scripted search server finds.

use std::collections::BTreeSet;
use std::sync::Arc;

/// A page of the world that is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What is searched, and shown as its snippet.
    pub text: String,
    /// The day it was published, as `2024-02-29`.
    pub published: Option<String>,
}

impl Page {
    /// A page without a date.
    #[must_use]
    pub fn new(url: &str, title: &str, text: &str) -> Self {
        Self { url: url.to_owned(), title: title.to_owned(), text: text.to_owned(), published: None }
    }
}

/// Finds at most so many pages for a query, best first.
pub type Engine = Arc<dyn Fn(&str, usize) -> Vec<Page> + Send + Sync>;

/// An engine over `pages` that ranks them by the words they share with the query; pages that share none are not found.
#[must_use]
pub fn ranked(pages: Vec<Page>) -> Engine {
    let held: Vec<BTreeSet<String>> =
        pages.iter().map(|page| words(&format!("{} {}", page.title, page.text))).collect();
    Arc::new(move |query, most| {
        let asked = words(query);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (at, held) in held.iter().enumerate() {
            let shared = held.intersection(&asked).count();
            if shared > 0 {
                found.push((usize::MAX - shared, at));
            }
        }
        found.sort_unstable();
        found.into_iter().take(most).map(|(_, at)| pages[at].clone()).collect()
    })
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(str::to_lowercase).collect()
}
