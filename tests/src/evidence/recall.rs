//! Recall: the share of questions for which a ranking puts an answer among its best passages.

use std::collections::BTreeMap;

use precis_evidence::meaning::Sense;
use precis_evidence::ranking::{RankedChunk, Ranker, rank, rank_sensed, rank_widely};
use precis_text::CanonicalText;

use super::set::{Kind, Language, Question};

/// Passages a question is given: what a digest carries.
pub const AT: usize = 5;

/// A way of choosing passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// As a digest's evidence is chosen.
    Digest(Ranker),
    /// As further passages are chosen where there is room.
    Wide(Ranker),
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Digest(Ranker::Overlap),
        Self::Digest(Ranker::Bm25),
        Self::Wide(Ranker::Overlap),
        Self::Wide(Ranker::Bm25),
    ];

    /// For a heading.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Digest(Ranker::Overlap) => "overlap",
            Self::Digest(Ranker::Bm25) => "bm25",
            Self::Wide(Ranker::Overlap) => "wide overlap",
            Self::Wide(Ranker::Bm25) => "wide bm25",
        }
    }

    fn choose(self, text: &CanonicalText, question: &str, most: usize) -> Vec<RankedChunk> {
        match self {
            Self::Digest(ranker) => rank(text, question, ranker, 400, most),
            Self::Wide(ranker) => rank_widely(text, question, ranker, 400, most),
        }
    }
}

/// Questions asked, and those whose answer was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Answered among the best.
    pub found: usize,
    /// Asked.
    pub asked: usize,
}

impl Found {
    /// The share found, 0 to 1; 0 where nothing was asked.
    #[must_use]
    pub fn recall(self) -> f64 {
        if self.asked == 0 { 0.0 } else { self.found as f64 / self.asked as f64 }
    }

    /// Counts one more question.
    pub fn add(&mut self, is_found: bool) {
        self.asked += 1;
        self.found += usize::from(is_found);
    }
}

/// Counts by language and kind; the language `all` sums the others.
pub type Figures = BTreeMap<(String, Kind), Found>;

/// What `method` finds of `set` among its best `at` passages.
#[must_use]
pub fn measure(set: &[Language], method: Method, at: usize) -> Figures {
    let mut figures = Figures::new();
    for_each(
        set,
        |text, asked| method.choose(text, asked, at),
        |language, asked, is_found| {
            count(&mut figures, language, asked, is_found);
        },
    );
    figures
}

/// What a digest finds of `set` by words and by meaning among its best `at` passages.
#[must_use]
pub fn measure_sensed(set: &[Language], sense: Sense<'_>, at: usize) -> Figures {
    let mut figures = Figures::new();
    let by = (Ranker::Bm25, Some(sense));
    for_each(
        set,
        |text, asked| rank_sensed(text, asked, by, 400, at),
        |language, asked, is_found| {
            count(&mut figures, language, asked, is_found);
        },
    );
    figures
}

fn count(figures: &mut Figures, language: &Language, asked: &Question, is_found: bool) {
    for name in [language.language.as_str(), "all"] {
        figures.entry((name.to_owned(), asked.kind)).or_default().add(is_found);
    }
}

/// The questions that `method` finds no answer to, each with its language.
#[must_use]
pub fn missed(set: &[Language], method: Method) -> Vec<(String, String)> {
    let mut missed = Vec::new();
    for_each(
        set,
        |text, asked| method.choose(text, asked, AT),
        |language, asked, is_found| {
            if !is_found {
                missed.push((asked.question.clone(), language.language.clone()));
            }
        },
    );
    missed
}

fn for_each(
    set: &[Language],
    choose: impl Fn(&CanonicalText, &str) -> Vec<RankedChunk>,
    mut report: impl FnMut(&Language, &Question, bool),
) {
    for language in set {
        let texts: Vec<CanonicalText> = language.documents.iter().map(|document| document.text()).collect();
        for asked in &language.questions {
            let chosen = choose(&texts[asked.document], &asked.question);
            let mut pages = chosen.iter().filter_map(|chunk| chunk.locator.page);
            let is_found = pages.any(|page| asked.answers.contains(&(page as usize - 1)));
            report(language, asked, is_found);
        }
    }
}
