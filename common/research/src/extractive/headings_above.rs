//! What the headings above a sentence match of the question.

use precis_proto::task::TaskPassage;
use precis_text::terms;

use super::relevance::Relevance;

/// Share of the match of a heading that counts for the sentences below it. With 0.1, lists came before the prose above them, since an item
/// counts its heading as what it needs; no question of `bench-verdicts` is answered worse with 0.5.
const HEADED_SHARE: f64 = 0.5;
/// The same if the heading has a number of the question, as `1.40.0 (August 2024)` or `Article 5` have: the sentences below it are about
/// that number, and seldom repeat it.
const NUMBERED_SHARE: f64 = 0.8;
/// The same for the path of a document: in `tokio/CHANGELOG.md` few sentences say `tokio`.
const PATH_SHARE: f64 = 0.5;

/// The headings above the sentences of a passage, one after another.
///
/// The title of the document is above all of its sentences, so it does not count.
pub(super) struct HeadingsAbove<'r> {
    relevance: &'r Relevance,
    title: &'r str,
    /// What the path of the document adds to all of its sentences.
    named: Vec<f64>,
    /// For each heading, outermost first, what it adds to the sentences below it.
    met: Vec<Vec<f64>>,
}

impl<'r> HeadingsAbove<'r> {
    /// Those above the passage, outermost first.
    pub(super) fn new(passage: &'r TaskPassage, relevance: &'r Relevance) -> Self {
        let named = path_matches(&passage.path, relevance);
        let mut above = Self { relevance, title: passage.title.trim(), named, met: Vec::new() };
        passage.headings.iter().enumerate().for_each(|(depth, heading)| above.enter(heading, depth));
        above
    }

    /// Enters the section of a heading with `depth` headings above it.
    pub(super) fn enter(&mut self, heading: &str, depth: usize) {
        self.met.truncate(depth);
        let own = if heading == self.title { Vec::new() } else { terms::terms(heading) };
        let is_asked = |term: &String| term.contains(|c: char| c.is_ascii_digit()) && self.relevance.knows(term);
        let share = if own.iter().any(is_asked) { NUMBERED_SHARE } else { HEADED_SHARE };
        self.met.push(self.relevance.term_matches(&own).into_iter().map(|met| share * met).collect());
    }

    /// Adds to what a sentence matches what the headings above it match, as far as they match more.
    pub(super) fn add_to(&self, met: &mut [f64]) {
        for above in self.met.iter().chain([&self.named]) {
            met.iter_mut().zip(above).for_each(|(met, above)| *met = met.max(*above));
        }
    }
}

/// What the names in a path, one after another, match of the question: less where they also name something else, as `tokio-util` does for
/// a question about `tokio`.
fn path_matches(path: &str, relevance: &Relevance) -> Vec<f64> {
    let mut most = relevance.term_matches(&[]);
    for name in path.split('/') {
        let mut own = terms::terms(name);
        let met = relevance.term_matches(&own);
        own.retain(|term| !term.contains(|c: char| c.is_ascii_digit()));
        let known = own.iter().filter(|term| relevance.knows(term)).count();
        let share = PATH_SHARE * if own.is_empty() { 1.0 } else { known as f64 / own.len() as f64 };
        most.iter_mut().zip(met).for_each(|(most, met)| *most = most.max(share * met));
    }
    most
}
