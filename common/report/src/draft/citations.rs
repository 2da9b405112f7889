//! Turns the finding ids in a draft into citation numbers.
//!
//! This module owns the numbering and the citation records; [`super::sanitize`] decides what else a draft may contain. Bracketed
//! numbers in a draft are citations: `[3]`, and `[3, 7]` if both are findings. A literal bracket is escaped: `\[12\]`.

use std::collections::BTreeSet;

use precis_proto::finding::{Finding, Quote};
use precis_proto::response::Citation;
use precis_proto::source::Source;

use super::numbering::CitationNumbering;
use super::ruling::{NoReview, Review};
use super::sanitize;

/// A draft with its citations in place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CitedDraft {
    /// Markdown without links, images and HTML; `[n]` cites, every other bracket is escaped.
    pub markdown: String,
    /// One per `n`, from 1, in order of first appearance; every one is used.
    pub citations: Vec<Citation>,
    /// Ids cited by the draft that name no finding, or a finding whose sources have no text; as written, each once, in order.
    pub removed: Vec<String>,
}

/// Numbers the citations of `draft` by first appearance, one number for each distinct place (source and locator).
///
/// A finding with two quotes gives `[1][2]`; a number that would be repeated right behind itself is written once. Ids that name no
/// finding are removed and listed. Do not run it on its own output: the numbers there are no longer finding ids.
#[must_use]
pub fn cite(draft: &str, findings: &[Finding], sources: &[Source]) -> CitedDraft {
    cite_reviewed(draft, findings, sources, &mut NoReview)
}

/// [`cite`] for a draft whose statements `review` may change.
#[must_use]
pub(crate) fn cite_reviewed(
    draft: &str,
    findings: &[Finding],
    sources: &[Source],
    review: &mut dyn Review,
) -> CitedDraft {
    let mut numbering = CitationNumbering::new(findings, sources);
    let markdown = sanitize::sanitize(draft, &mut numbering, review);
    CitedDraft { markdown, citations: numbering.citations, removed: numbering.removed }
}

impl CitedDraft {
    /// Ids of those of `findings` that it cites.
    #[must_use]
    pub fn finding_ids(&self, findings: &[Finding]) -> BTreeSet<u32> {
        let cites = |q: &Quote| self.citations.iter().any(|c| c.source_id == q.source_id && c.locator == q.locator);
        findings.iter().filter(|f| f.quotes.iter().any(cites)).map(|f| f.finding_id).collect()
    }
}

#[cfg(test)]
mod tests;
