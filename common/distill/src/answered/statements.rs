//! The statements that stand in a report, in the form in which findings are judged.

use precis_proto::claim::{Claim, Done, Verdict};
use precis_proto::response::Citation;
use precis_proto::source::Source;
use precis_proto::task::TaskFinding;

use crate::claims::SettledDraft;

/// A statement that stands in a report.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingStatement {
    /// Its words in the report.
    pub written: String,
    /// Its words and its place. If its quotes support it, it is read with the sentence of them that it rests on: a model may use other words.
    pub said: TaskFinding,
    /// Whether its quotes support it.
    pub is_supported: bool,
}

/// The cited statements that stand in a report, in its order. Removed statements, and those that their quotes refute, say nothing.
#[must_use]
pub fn statements(settled: &SettledDraft, sources: &[Source]) -> Vec<StandingStatement> {
    let statement = |(id, claim): (u32, &Claim)| {
        let citations = settled.cited.citations.iter();
        let cited: Vec<&Citation> = citations.filter(|one| claim.quotes.contains(&one.n)).collect();
        let first = cited.first()?;
        let mut numbered = (1_u32..).zip(sources);
        let (number, source) = numbered.find(|(_, source)| source.source_id == first.source_id)?;
        let written = claim.now.as_deref().unwrap_or(&claim.text);
        let mut text = written.to_owned();
        // Not the whole quotes: a quote of several sentences may answer what the statement does not say.
        if let Some(rests_on) = claim.rests_on.as_ref().filter(|_| is_supported(claim)) {
            text.extend([" ", rests_on.text.as_str()]);
        }
        let said = TaskFinding {
            id,
            topic: String::new(),
            statement: text,
            title: source.title.clone(),
            source: number,
            score: 1.0,
            headings: first.headings.clone(),
            path: source.path.clone().unwrap_or_default(),
        };
        Some(StandingStatement { written: written.to_owned(), said, is_supported: is_supported(claim) })
    };
    (1_u32..).zip(settled.claims.iter().filter(|claim| stands(claim))).filter_map(statement).collect()
}

fn stands(claim: &Claim) -> bool {
    match claim.done {
        Done::Removed => false,
        Done::Corrected => true,
        Done::Kept | Done::Marked => claim.verdict != Verdict::NotSupported,
    }
}

/// Whether the text in the report is supported: a corrected one has the words of a quote.
fn is_supported(claim: &Claim) -> bool {
    claim.verdict.is_supported() || claim.verdict == Verdict::Disputed || claim.done == Done::Corrected
}
