//! Compares two reports on one question: which documents and statements are new, gone, changed or disputed since the earlier one, with the
//! quotes of both.
//!
//! Pure, and from the reports alone: no source text is read. Statements are paired by their words, so a statement in other words counts as
//! one gone and one new.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `pair` | pairs the statements of both reports |
//! | `page` | the changes for readers, as Markdown and as one line |

mod page;
mod pair;

use std::collections::BTreeMap;

use precis_proto::Timestamp;
use precis_proto::claim::{Claim, Done, Verdict};
use precis_proto::response::{Citation, ReportData, SourceRow};
use serde::Serialize;

pub use page::{line, markdown};

/// Version of the format of `changes.json`; raised when it changes.
pub const CHANGES_VERSION: u32 = 1;

/// The differences of the later of two reports from the earlier one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changes {
    /// [`CHANGES_VERSION`].
    pub schema_version: u32,
    /// The question of the later report.
    pub query: String,
    /// When the earlier report was made, if recorded.
    pub before: Option<Timestamp>,
    /// When the later report was made, if recorded.
    pub now: Option<Timestamp>,
    /// Changed documents: those of the earlier report first, then new ones.
    pub sources: Vec<SourceChange>,
    /// Number of unchanged documents.
    pub sources_unchanged: u32,
    /// Changed statements, in the order of the later report; gone ones last.
    pub statements: Vec<StatementChange>,
    /// Number of unchanged statements.
    pub statements_unchanged: u32,
    /// What the later report cost.
    pub cost: Cost,
}

/// What a report cost: the sum of its spend rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Model calls that reached a provider; those of the built-in model cost nothing and count too.
    pub calls: u64,
    /// Searches that reached a search provider.
    pub searches: u64,
    /// US dollars; 0 if the prices are unknown or zero.
    pub usd: f64,
}

impl Cost {
    fn of(data: &ReportData) -> Self {
        data.spend.iter().fold(Self::default(), |sum, row| Self {
            calls: sum.calls + row.calls,
            searches: sum.searches + row.searches,
            usd: sum.usd + row.cost_usd,
        })
    }
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Only in the later report.
    New,
    /// Only in the earlier report.
    Gone,
    /// In both, with a different text.
    Changed,
    /// Of a statement: another quote of the later report now gives a different value.
    Disputed,
}

/// A changed document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceChange {
    /// New, gone or changed.
    pub change: Change,
    /// Path or address; its title if it has neither.
    pub document: String,
    /// Hash of its earlier text; absent if it had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Hash of its later text; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// A changed statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatementChange {
    /// Kind of the change.
    pub change: Change,
    /// In the earlier report; absent if it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Stated>,
    /// In the later report; absent if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Stated>,
}

/// A statement of one of the reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stated {
    /// Its text in the report, without citations.
    pub text: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The quotes it cites.
    pub quotes: Vec<StatedQuote>,
}

/// A quote of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatedQuote {
    /// Path or address of its document; the title if it has neither.
    pub document: String,
    /// The quote, verbatim.
    pub text: String,
    /// Change of the document; absent if it is unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
}

impl Changes {
    /// Compares the later report `now` with the earlier report `before`.
    #[must_use]
    pub fn between(before: &ReportData, now: &ReportData) -> Self {
        let sources = sources(before, now);
        let known = before.sources.iter().filter(|row| sources.iter().all(|change| change.document != document(row)));
        let changed: BTreeMap<&str, Change> = sources.iter().map(|s| (s.document.as_str(), s.change)).collect();
        let (earlier, later) = (statements_of(before, &changed), statements_of(now, &changed));
        let paired = pair::pair_statements(&texts(&earlier), &texts(&later));
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
            cost: Cost::of(now),
        }
    }

    /// Whether there are no changes.
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

/// The statements of a report, in order, each once; removed ones are left out.
fn statements_of(data: &ReportData, changed: &BTreeMap<&str, Change>) -> Vec<Stated> {
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
