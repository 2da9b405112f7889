//! What a researcher has been shown: documents with their numbers, and the passages that later ones are compared with.

use std::collections::BTreeMap;

use precis_proto::fidelity::FidelityLevel;
use precis_proto::research::{Hit, NumberBlock, SeenDocument};
use precis_proto::task::SummarizeTask;
use precis_text::tokens;

use super::outcome::{Novelty, ResultView};
use super::results::EXCERPT_CHARS;
use crate::extractive;
use crate::novelty::{PassageNovelty, Shingles, novelty};

/// Longest passage that is shown whole, in characters; a longer one is shown as summary and best sentences. Chosen, not measured.
const SHORT_CHARS: usize = 300;
/// Tokens for summary and excerpts of a longer passage.
const SUMMARY_TOKENS: u64 = 160;

/// Documents with their numbers, and passages that were shown or found in earlier rounds.
#[derive(Debug)]
pub struct SeenResults {
    numbers: BTreeMap<String, u32>,
    block: NumberBlock,
    /// Count of the block's numbers that are taken.
    taken: u32,
    passages: Vec<Shingles>,
}

impl SeenResults {
    /// The state at the start of a directive: documents `seen` in earlier rounds; new documents get numbers from `block`.
    #[must_use]
    pub fn new(seen: &[SeenDocument], block: NumberBlock) -> Self {
        let numbers = seen.iter().map(|one| (one.document.clone(), one.number)).collect();
        let passages = seen.iter().flat_map(|one| &one.passages).map(|text| Shingles::new(text)).collect();
        Self { numbers, block, taken: 0, passages }
    }

    /// The documents among `hits` of a search for `query`, at most `most`, each with its best passage, best first. Novelty compares a
    /// passage with all earlier ones, whatever document they are from.
    pub fn show(&mut self, query: &str, hits: &[Hit], most: usize) -> Vec<ResultView> {
        let mut shown: Vec<&str> = Vec::new();
        let mut views = Vec::new();
        for hit in hits.iter().filter(|hit| !hit.document.is_empty()) {
            if shown.len() == most {
                break;
            }
            if shown.contains(&hit.document.as_str()) {
                continue;
            }
            shown.push(&hit.document);
            let passage = Shingles::new(&hit.text);
            let novelty = match novelty(&passage, self.passages.iter().enumerate()) {
                PassageNovelty::New => Novelty::New,
                PassageNovelty::Related => Novelty::Related,
                PassageNovelty::Duplicate(_) => Novelty::Duplicate,
            };
            self.passages.push(passage);
            let (summary, excerpts) = summary_and_excerpts(query, hit);
            views.push(ResultView {
                number: self.number(&hit.document).to_string(),
                title: hit.title.clone(),
                address: hit.address.clone().unwrap_or_else(|| hit.document.clone()),
                published: hit.published.clone().unwrap_or_default(),
                novelty,
                summary,
                text: hit.text.clone(),
                excerpts,
            });
        }
        views
    }

    /// The number of a document; assigns one if it has none.
    pub fn number(&mut self, document: &str) -> u32 {
        if let Some(known) = self.numbers.get(document) {
            return *known;
        }
        let number = self.block.first + self.block.step * self.taken;
        self.taken += 1;
        self.numbers.insert(document.to_owned(), number);
        number
    }

    /// The document with this number; `None` if the text is not a number or no document has it.
    #[must_use]
    pub fn document(&self, number: &str) -> Option<&str> {
        let number: u32 = number.parse().ok()?;
        self.numbers.iter().find(|(_, n)| **n == number).map(|(document, _)| document.as_str())
    }

    /// The number of each document.
    #[must_use]
    pub fn into_numbers(self) -> BTreeMap<String, u32> {
        self.numbers
    }
}

/// A summary and excerpts of a passage. A short passage is its own excerpt, without a summary; for a longer one both are verbatim
/// sentences that the built-in model selects for `query`.
fn summary_and_excerpts(query: &str, hit: &Hit) -> (String, Vec<String>) {
    if hit.text.chars().count() <= SHORT_CHARS {
        return (String::new(), vec![hit.text.clone()]);
    }
    let task = SummarizeTask {
        level: FidelityLevel::KeyPoints,
        query: query.to_owned(),
        title: hit.title.clone(),
        text: hit.text.clone(),
        target_tokens: SUMMARY_TOKENS,
    };
    let summarized = extractive::summarize(&task, &tokens::count);
    let mut excerpts: Vec<String> =
        summarized.key_points.into_iter().filter(|point| *point != summarized.summary).collect();
    if excerpts.is_empty() {
        excerpts.push(hit.text.chars().take(EXCERPT_CHARS).collect());
    }
    (summarized.summary, excerpts)
}

#[cfg(test)]
mod tests {
    use precis_proto::CharRange;

    use super::*;

    const BLOCK: NumberBlock = NumberBlock { first: 3, step: 2 };
    const ROCK: &str =
        "Granite cools slowly below the surface, and its crystals grow large enough to be seen by the naked eye.";
    const ALIKE: &str = "Granite cools slowly below the surface, and its crystals grow for years, as many a student of rocks has learned early.";

    fn hit(document: &str, text: &str) -> Hit {
        Hit {
            document: document.to_owned(),
            title: "A title".to_owned(),
            range: CharRange::new(0, text.chars().count()),
            text: text.to_owned(),
            score: 1.0,
            ..Hit::default()
        }
    }

    fn shown(seen: &mut SeenResults, hits: &[Hit]) -> Vec<(String, Novelty)> {
        seen.show("granite", hits, 10).into_iter().map(|view| (view.number, view.novelty)).collect()
    }

    #[test]
    fn result_novelty_depends_on_text_and_not_on_site() {
        let mut seen = SeenResults::new(&[], BLOCK);
        let site = |n: usize, text: &str| hit(&format!("https://one.example/{n}"), text);
        let first =
            [site(1, ROCK), site(2, "A treaty was signed in the spring of that year."), site(3, ALIKE), site(4, ROCK)];
        let want = [("3", Novelty::New), ("5", Novelty::New), ("7", Novelty::Related), ("9", Novelty::Duplicate)];
        assert_eq!(shown(&mut seen, &first), want.map(|(n, novelty)| (n.to_owned(), novelty)));
        // Another passage of a document that was shown is new; the same one is not.
        let again = [
            site(1, "The mill was closed in 2003, and its wheel stands in the museum."),
            site(2, first[1].text.as_str()),
        ];
        let want = [("3", Novelty::New), ("5", Novelty::Duplicate)];
        assert_eq!(shown(&mut seen, &again), want.map(|(n, novelty)| (n.to_owned(), novelty)));
    }

    #[test]
    fn an_earlier_document_keeps_its_number_and_its_passages_are_old() {
        let earlier =
            SeenDocument { document: "a.md".to_owned(), address: None, number: 1, passages: vec![ROCK.to_owned()] };
        let mut seen = SeenResults::new(&[earlier], BLOCK);
        let found = shown(&mut seen, &[hit("b.md", "Basalt cools fast."), hit("a.md", ROCK), hit("c.md", ALIKE)]);
        let want = [("3", Novelty::New), ("1", Novelty::Duplicate), ("5", Novelty::Related)];
        assert_eq!(found, want.map(|(n, novelty)| (n.to_owned(), novelty)));
        assert_eq!((seen.document("1"), seen.document("5"), seen.document("x")), (Some("a.md"), Some("c.md"), None));
        assert_eq!(seen.number("b.md"), 3);
        assert_eq!(seen.into_numbers().len(), 3);
    }

    #[test]
    fn a_long_passage_has_a_summary_and_excerpts_that_stand_in_it() {
        let filler = "The museum opens at nine and closes at five on every day of the week but Monday. ";
        for (chars, is_summed_up) in [(SHORT_CHARS - 1, false), (SHORT_CHARS, false), (SHORT_CHARS + 1, true)] {
            let text: String = format!("{ROCK} {}", filler.repeat(9)).chars().take(chars).collect();
            let mut seen = SeenResults::new(&[], BLOCK);
            let views = seen.show("how granite cools", &[hit("a.md", &text)], 10);
            assert_eq!(!views[0].summary.is_empty(), is_summed_up, "{chars}: {views:?}");
            let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(!views[0].excerpts.is_empty(), "{chars}");
            assert!(views[0].excerpts.iter().all(|excerpt| spaced(&text).contains(&spaced(excerpt))), "{views:?}");
            if is_summed_up {
                assert!(views[0].summary.starts_with("Granite cools"), "{views:?}");
            }
        }
    }

    #[test]
    fn no_more_documents_are_shown_than_asked_for_and_each_once() {
        let hits: Vec<Hit> =
            (0..6).map(|n| hit(&format!("{}.md", n / 2), &format!("Passage number {n} of many."))).collect();
        for (most, want) in [(0, 0), (2, 2), (3, 3), (4, 3)] {
            assert_eq!(SeenResults::new(&[], BLOCK).show("q", &hits, most).len(), want, "{most}");
        }
        let nameless = [hit("", "No document.")];
        assert!(SeenResults::new(&[], BLOCK).show("q", &nameless, 9).is_empty());
    }
}
