//! Two reports on one question, the later beside the earlier: which documents and which statements are new, gone, changed or disputed
//! since, each with the quotes it stood and stands on.
//!
//! Pure, and of the reports alone: no text is read. Statements are paired by their words; what two different wordings have in common it
//! does not know, so that a statement that is said in other words is one that is gone and one that is new.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `pair` | which statement of the later report is which of the earlier |
//! | `page` | the same for readers, as Markdown and in a line |

mod page;
mod pair;

use std::collections::BTreeMap;

use precis_proto::Timestamp;
use precis_proto::claim::{Claim, Done, Verdict};
use precis_proto::response::{Citation, ReportData, SourceRow};
use serde::Serialize;

pub use page::{line, markdown};

/// Raised when `changes.json` changes its form.
pub const CHANGES_VERSION: u32 = 1;

/// What is different in the later of two reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// [`CHANGES_VERSION`].
    pub schema_version: u32,
    /// The question of the later report.
    pub query: String,
    /// When the earlier report was made; absent where it does not say.
    pub before: Option<Timestamp>,
    /// When the later one was.
    pub now: Option<Timestamp>,
    /// Documents that are not as they were: those of the earlier report first, then the new ones.
    pub sources: Vec<SourceChange>,
    /// Documents that are.
    pub sources_unchanged: u32,
    /// Statements that are not as they were, in the order of the later report; what is gone stands last.
    pub statements: Vec<StatementChange>,
    /// Statements that are.
    pub statements_unchanged: u32,
}

/// What became of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is in the later report only.
    New,
    /// It is in the earlier report only.
    Gone,
    /// It is in both, and reads otherwise.
    Changed,
    /// Of a statement: another quote of the later report gives another value for the same, which was not so before.
    Disputed,
}

/// A document that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceChange {
    /// New, gone or changed.
    pub change: Change,
    /// Path or address; its title where it has neither.
    pub document: String,
    /// Hash of its text before; absent where it had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Hash of its text now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// A statement that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatementChange {
    /// What became of it.
    pub change: Change,
    /// As it stood; absent where it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Stated>,
    /// As it stands; absent where it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Stated>,
}

/// A statement of one of the reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stated {
    /// What stands in the report, without citations.
    pub text: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The quotes it cites.
    pub quotes: Vec<StatedQuote>,
}

/// A quote of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatedQuote {
    /// Path or address of its document; its title where it has neither.
    pub document: String,
    /// As it stands in the document.
    pub text: String,
    /// What became of the document; absent where it is as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
}

impl Changes {
    /// `now` beside `before`.
    #[must_use]
    pub fn between(before: &ReportData, now: &ReportData) -> Self {
        let sources = sources(before, now);
        let known = before.sources.iter().filter(|row| sources.iter().all(|change| change.document != document(row)));
        let changed: BTreeMap<&str, Change> = sources.iter().map(|s| (s.document.as_str(), s.change)).collect();
        let (earlier, later) = (stated(before, &changed), stated(now, &changed));
        let paired = pair::paired(&texts(&earlier), &texts(&later));
        let mut statements = Vec::new();
        let mut statements_unchanged = 0;
        for (at, now) in later.iter().enumerate() {
            let before = paired[at].map(|at| &earlier[at]);
            let is_disputed = |stated: &Stated| stated.verdict == Verdict::Disputed;
            let change = match before {
                _ if is_disputed(now) && !before.is_some_and(is_disputed) => Change::Disputed,
                None => Change::New,
                Some(before) if before.text == now.text => {
                    statements_unchanged += 1;
                    continue;
                }
                Some(_) => Change::Changed,
            };
            statements.push(StatementChange { change, before: before.cloned(), now: Some(now.clone()) });
        }
        let gone = (0..earlier.len()).filter(|at| !paired.contains(&Some(*at)));
        statements.extend(gone.map(|at| StatementChange {
            change: Change::Gone,
            before: Some(earlier[at].clone()),
            now: None,
        }));
        let at = |data: &ReportData| data.generated.as_ref().map(|generated| generated.at);
        Self {
            schema_version: CHANGES_VERSION,
            query: now.query.clone(),
            before: at(before),
            now: at(now),
            sources_unchanged: known.count() as u32,
            sources,
            statements,
            statements_unchanged,
        }
    }

    /// Whether nothing is different.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty() && self.statements.is_empty()
    }
}

fn document(row: &SourceRow) -> &str {
    row.path.as_deref().or(row.url.as_deref()).unwrap_or(&row.title)
}

fn sources(before: &ReportData, now: &ReportData) -> Vec<SourceChange> {
    let find = |data: &'_ ReportData, name: &str| data.sources.iter().find(|row| document(row) == name).cloned();
    let mut found = Vec::new();
    for row in &before.sources {
        let later = find(now, document(row));
        let change = match &later {
            None => Change::Gone,
            Some(later) if later.source_text_hash == row.source_text_hash => continue,
            Some(_) => Change::Changed,
        };
        let now = later.and_then(|later| later.source_text_hash);
        let document = document(row).to_owned();
        found.push(SourceChange { change, document, before: row.source_text_hash.clone(), now });
    }
    let is_new = |row: &&SourceRow| find(before, document(row)).is_none();
    found.extend(now.sources.iter().filter(is_new).map(|row| SourceChange {
        change: Change::New,
        document: document(row).to_owned(),
        before: None,
        now: row.source_text_hash.clone(),
    }));
    found
}

/// The statements that stand in a report, in order, each once.
fn stated(data: &ReportData, changed: &BTreeMap<&str, Change>) -> Vec<Stated> {
    let quote = |n: &u32| -> Option<StatedQuote> {
        let citation: &Citation = data.citations.iter().find(|citation| citation.n == *n)?;
        let row = data.sources.iter().find(|row| row.source_id == citation.source_id);
        let document = row.map_or(citation.title.as_str(), document);
        let change = changed.get(document).copied();
        Some(StatedQuote { document: document.to_owned(), text: citation.text.clone(), change })
    };
    let mut found: Vec<Stated> = Vec::new();
    for claim in data.claims.iter().filter(|claim| claim.done != Done::Removed) {
        let text = standing(claim).to_owned();
        if found.iter().all(|known| known.text != text) {
            let quotes = claim.quotes.iter().filter_map(quote).collect();
            found.push(Stated { text, verdict: claim.verdict, quotes });
        }
    }
    found
}

fn standing(claim: &Claim) -> &str {
    claim.now.as_deref().unwrap_or(&claim.text)
}

fn texts(stated: &[Stated]) -> Vec<&str> {
    stated.iter().map(|one| one.text.as_str()).collect()
}

#[cfg(test)]
mod tests;
