//! Claims: the statements of a report, each with the quotes it cites and a verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;
use crate::finding::Quote;
use crate::judgement::ReportJudgement;

/// A statement of a report as written by the model, and the result of comparing it with its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The statement as written, without its citations and with collapsed white space.
    pub text: String,
    /// Whether its quotes support it.
    pub verdict: Verdict,
    /// Numbers of the citations it was compared with, as far as the report still cites them, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<u32>,
    /// What each of several quotes supports on its own, by number; empty for a statement with fewer than two, and if the built-in model wrote
    /// it, whose statements have the words of each quote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_quote: Vec<QuoteSupport>,
    /// The checks made; left out if the statement is verbatim in its quote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// The sentence of an archived text that the verdict is based on; absent if none is close enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<Quote>,
    /// Whether the checks or a model gave the verdict.
    pub judged_by: JudgedBy,
    /// Reason given by the model; at most 300 characters. Absent if no model judged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was done with the statement in the report.
    pub done: Done,
    /// The text that replaced it in the report; absent if it was kept as written, or removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// The verdict on the text that replaced it; absent if none did, or if only its citations were replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now_verdict: Option<Verdict>,
}

/// What one of several quotes supports of a statement, by the checks alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuoteSupport {
    /// Number of the citation.
    pub n: u32,
    /// The verdict on the statement if it cited only this quote.
    pub verdict: Verdict,
}

closed_words! {
    /// Whether quotes support a statement.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum Verdict: serde {
        /// A quote contains it word for word.
        Verbatim => "verbatim",
        /// Its passages say all of it.
        Supported => "supported",
        /// Its passages say some of it, or less.
        Partly => "partly",
        /// Its passages say something else, or nothing about it.
        NotSupported => "not_supported",
        /// Its passages say it, and a passage also contradicts it or gives a different value for the same thing.
        Disputed => "disputed",
        /// It states nothing that a document could support: a label, a transition, or that the documents do not say something.
        NoClaim => "no_claim",
        /// Nobody judged it: its words are not those of a quote, and no model's judgement of it counts.
        NotJudged => "not_judged",
    }
}

impl Verdict {
    /// Returns whether the quotes support the statement.
    #[must_use]
    pub fn is_supported(self) -> bool {
        matches!(self, Self::Verbatim | Self::Supported)
    }
}

/// One check of a statement against its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Kind of the check.
    pub kind: CheckKind,
    /// The words of the statement; empty if it omits something that its quote says.
    pub said: String,
    /// The corresponding words of the quote; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// Whether both agree.
    pub holds: bool,
}

closed_words! {
    /// What a check compares.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum CheckKind: serde {
        /// A number that is not part of a date.
        Number => "number",
        /// A year, a month, a day of the week or of a month.
        Date => "date",
        /// The unit or scale of a number, or what it counts.
        Unit => "unit",
        /// A name or an identifier.
        Name => "name",
        /// A word that reverses the meaning of a sentence.
        Negation => "negation",
        /// Words in quotation marks.
        Quoted => "quoted",
        /// The subject and scope of the statement: its content words.
        Subject => "subject",
    }
}

/// How the verdict on a claim was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgedBy {
    /// By comparing words, without a model: verbatim, or not judged.
    Checks,
    /// By a model that saw only the statement and its passages, and whose deciding words occur in one of them.
    Model,
}

closed_words! {
    /// What was done with a statement in the report.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum Done: serde {
        /// It was kept as written.
        Kept => "kept",
        /// It was replaced: by a model that was shown why it failed, or by words of its quotes.
        Corrected => "corrected",
        /// It was removed.
        Removed => "removed",
        /// It was kept, with a remark after it.
        Marked => "marked",
    }
}

/// How far the statements of a report are supported: counts over their verdicts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// Number of statements compared with their quotes: the entries of `claims`.
    pub statements: u32,
    /// Share of statements that are verbatim or supported, 0 to 1; 0 without statements.
    pub supported_share: f64,
    /// Numbers of statements by verdict.
    pub verdicts: VerdictCounts,
    /// Number of corrected statements.
    pub corrected: u32,
    /// Number of removed statements.
    pub removed: u32,
    /// Number of statements kept with a remark.
    pub marked: u32,
    /// Numbers of statements that a model was asked to judge; absent if none was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeCounts>,
    /// A model's opinions on whether the report answers the question or its parts; empty if none was asked, or none counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<AnswerOpinion>,
    /// The judgement of the report as a whole by a model, separate from all counts; absent if no model judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<ReportJudgement>,
}

/// A model's opinion on whether the statements of a report answer a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerOpinion {
    /// The question of the session, or a part of it.
    pub question: String,
    /// `supported` if they answer it.
    pub verdict: Verdict,
    /// The words of the report that it rests on.
    pub quote: String,
    /// The reason; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Numbers of statements that a model was asked to judge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeCounts {
    /// All of them: the sum of the others.
    pub asked: u32,
    /// Statements with a valid judgement: the claims judged by a model.
    pub counted: u32,
    /// Statements without a valid judgement: none was given, or it is based on words that the quotes do not contain.
    pub refused: u32,
}

/// Numbers of statements by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictCounts {
    /// Contained in a quote word for word.
    pub verbatim: u32,
    /// Supported by their quotes.
    pub supported: u32,
    /// Supported in part.
    pub partly: u32,
    /// Refuted or not supported.
    pub not_supported: u32,
    /// Supported, but contradicted by another quote.
    pub disputed: u32,
    /// Without a claim.
    #[serde(default)]
    pub no_claim: u32,
    /// Judged by nobody.
    #[serde(default)]
    pub not_judged: u32,
}

impl Evaluation {
    /// Counts the verdicts and actions of `claims`.
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
                no_claim: by(Verdict::NoClaim),
                not_judged: by(Verdict::NotJudged),
            },
            corrected: done(Done::Corrected),
            removed: done(Done::Removed),
            marked: done(Done::Marked),
            judge: None,
            answers: Vec::new(),
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
            by_quote: Vec::new(),
            checks: Vec::new(),
            rests_on: None,
            judged_by: JudgedBy::Checks,
            reason: None,
            done,
            now: None,
            now_verdict: None,
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
        let VerdictCounts { verbatim, supported, partly, not_supported, disputed, no_claim, not_judged } =
            found.verdicts;
        assert_eq!([verbatim, supported, partly, not_supported, disputed, no_claim, not_judged], [1, 1, 1, 1, 0, 0, 0]);
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
