//! Claims: the statements of a report, each with the quotes it cites and a verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Quote;
use crate::judgement::ReportJudgement;

/// A statement of a report, as its model wrote it, and what came of comparing it with its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The statement without its citations, as it was written, white space collapsed.
    pub text: String,
    /// Whether its quotes carry it.
    pub verdict: Verdict,
    /// Numbers of the citations it was compared with, as far as the report still cites them, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<u32>,
    /// What was compared; left out where the statement stands in its quote word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The sentence of an archived text that the verdict rests on; absent where none comes near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<Quote>,
    /// Who judged.
    pub judged_by: JudgedBy,
    /// Why, in the words of the model that judged; at most 300 characters. Absent where the checks did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What became of it in the report.
    pub done: Done,
    /// What stands in its place; absent where it stands as it was written, or nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// Whether quotes carry a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It stands in a quote word for word.
    Verbatim,
    /// Its numbers, dates, names and negations stand in its quotes, and enough of its other words.
    Supported,
    /// Nothing of it is refuted, but its quotes say less.
    Partly,
    /// Its quotes say something else, or nothing of it.
    NotSupported,
    /// Its quotes carry it, and another quote of the report gives another value for the same.
    Disputed,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Verbatim, Self::Supported, Self::Partly, Self::NotSupported, Self::Disputed];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Supported => "supported",
            Self::Partly => "partly",
            Self::NotSupported => "not_supported",
            Self::Disputed => "disputed",
        }
    }

    /// Whether the quotes carry the statement.
    #[must_use]
    pub fn is_supported(self) -> bool {
        matches!(self, Self::Verbatim | Self::Supported)
    }
}

/// One thing that a statement and its quotes were compared in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What it is.
    pub kind: CheckKind,
    /// The words of the statement; empty where it leaves out what its quote says.
    pub said: String,
    /// What the quote has in their place; absent where it has nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// Whether both agree.
    pub holds: bool,
}

/// What a check compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// A number that is no part of a date.
    Number,
    /// A year, a month, a day of the week or of a month.
    Date,
    /// What a number counts or measures, or its scale.
    Unit,
    /// A name or an identifier.
    Name,
    /// A word that turns a sentence round.
    Negation,
    /// Words in quotation marks.
    Quoted,
    /// What the statement is about, and how far it goes: its content words.
    Subject,
}

impl CheckKind {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Date => "date",
            Self::Unit => "unit",
            Self::Name => "name",
            Self::Negation => "negation",
            Self::Quoted => "quoted",
            Self::Subject => "subject",
        }
    }
}

/// Who judged a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgedBy {
    /// The comparison of words, numbers, names and negations, without a model.
    Checks,
    /// A model that saw the statement and its quotes alone, after nothing was refuted by the checks.
    Model,
}

/// What became of a statement in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// It stands as it was written.
    Kept,
    /// Words of its quotes, or another citation, stand in its place.
    Corrected,
    /// It was taken out.
    Removed,
    /// It stands with a remark behind it.
    Marked,
}

impl Done {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Corrected => "corrected",
            Self::Removed => "removed",
            Self::Marked => "marked",
        }
    }
}

/// How far the statements of a report are supported: counted over their verdicts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// Statements that were compared with their quotes: the entries of `claims`.
    pub statements: u32,
    /// Share of them that is verbatim or supported, 0 to 1; 0 without statements.
    pub supported_share: f64,
    /// Statements by verdict.
    pub verdicts: VerdictCounts,
    /// Statements that words of their quotes, or another citation, replaced.
    pub corrected: u32,
    /// Statements that were taken out.
    pub removed: u32,
    /// Statements that stand with a remark.
    pub marked: u32,
    /// What came of asking a model; absent where none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeCounts>,
    /// What a model says of the report as a whole, apart from all that is counted; absent where no model judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<ReportJudgement>,
}

/// Statements that a model was asked to judge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeCounts {
    /// All of them: those below.
    pub asked: u32,
    /// Whose judgement counts: the claims that were judged by a model.
    pub counted: u32,
    /// Whose judgement does not count: it was not given, or rests on words that the quotes do not hold.
    pub refused: u32,
}

/// Statements by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictCounts {
    /// In a quote word for word.
    pub verbatim: u32,
    /// Carried by their quotes.
    pub supported: u32,
    /// Carried in part.
    pub partly: u32,
    /// Refuted or not carried.
    pub not_supported: u32,
    /// Carried, and contradicted by another quote.
    pub disputed: u32,
}

impl Evaluation {
    /// Counts `claims`.
    #[must_use]
    pub fn from_claims(claims: &[Claim]) -> Self {
        let count = |holds: &dyn Fn(&Claim) -> bool| -> u32 {
            u32::try_from(claims.iter().filter(|claim| holds(claim)).count()).unwrap_or(u32::MAX)
        };
        let by = |verdict: Verdict| count(&|claim| claim.verdict == verdict);
        let done = |done: Done| count(&|claim| claim.done == done);
        let supported = count(&|claim| claim.verdict.is_supported());
        let statements = count(&|_| true);
        Self {
            statements,
            supported_share: if statements == 0 { 0.0 } else { f64::from(supported) / f64::from(statements) },
            verdicts: VerdictCounts {
                verbatim: by(Verdict::Verbatim),
                supported: by(Verdict::Supported),
                partly: by(Verdict::Partly),
                not_supported: by(Verdict::NotSupported),
                disputed: by(Verdict::Disputed),
            },
            corrected: done(Done::Corrected),
            removed: done(Done::Removed),
            marked: done(Done::Marked),
            judge: None,
            judgement: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(verdict: Verdict, done: Done) -> Claim {
        Claim {
            text: "It fell.".to_owned(),
            verdict,
            quotes: vec![1],
            checks: Vec::new(),
            rests_on: None,
            judged_by: JudgedBy::Checks,
            reason: None,
            done,
            now: None,
        }
    }

    #[test]
    fn an_evaluation_counts_its_claims() {
        assert_eq!(Evaluation::from_claims(&[]).supported_share, 0.0);
        let claims = [
            claim(Verdict::Verbatim, Done::Kept),
            claim(Verdict::Supported, Done::Kept),
            claim(Verdict::Partly, Done::Marked),
            claim(Verdict::NotSupported, Done::Removed),
        ];
        let found = Evaluation::from_claims(&claims);
        assert_eq!((found.statements, found.supported_share), (4, 0.5));
        assert_eq!((found.corrected, found.removed, found.marked), (0, 1, 1));
        let VerdictCounts { verbatim, supported, partly, not_supported, disputed } = found.verdicts;
        assert_eq!([verbatim, supported, partly, not_supported, disputed], [1, 1, 1, 1, 0]);
    }

    #[test]
    fn words_on_the_wire_are_those_of_the_enumerations() {
        for verdict in Verdict::ALL {
            assert_eq!(serde_json::to_value(verdict).expect("a word"), verdict.as_str());
        }
        for done in [Done::Kept, Done::Corrected, Done::Removed, Done::Marked] {
            assert_eq!(serde_json::to_value(done).expect("a word"), done.as_str());
        }
        let json = serde_json::to_value(claim(Verdict::Verbatim, Done::Kept)).expect("JSON");
        assert_eq!(
            json,
            serde_json::json!({
                "text": "It fell.", "verdict": "verbatim", "quotes": [1], "judged_by": "checks", "done": "kept"
            })
        );
    }
}
