//! How good the reports of ended sessions are: what `data.evaluation` and `data.research` count, summed over sessions.

use precis_proto::answer::{Answer, AnswerStatus};
use precis_proto::claim::{Claim, Verdict};
use precis_proto::research::Answered;
use precis_proto::response::ReportData;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

use super::instruments::Counters;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct VerdictLabels {
    verdict: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    answer: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CoverageLabels {
    covered: &'static str,
}

/// Reports of this process.
#[derive(Debug)]
pub(crate) struct ReportMetrics {
    statements: Counters<VerdictLabels>,
    answers: Counters<AnswerLabels>,
    sub_questions: Counters<CoverageLabels>,
    disagreements: Counter,
    iterations: Counter,
}

impl ReportMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            statements: <_>::default(),
            answers: <_>::default(),
            sub_questions: <_>::default(),
            disagreements: <_>::default(),
            iterations: <_>::default(),
        };
        // A series that begins with its first event shows no increase.
        for verdict in Verdict::ALL {
            drop(metrics.statements.get_or_create(&VerdictLabels { verdict: verdict.as_str() }));
        }
        for answer in AnswerStatus::ALL {
            drop(metrics.answers.get_or_create(&AnswerLabels { answer: answer.as_str() }));
        }
        for covered in Answered::ALL {
            drop(metrics.sub_questions.get_or_create(&CoverageLabels { covered: covered.as_str() }));
        }
        registry.register("report_statements", "Statements of reports, by verdict", metrics.statements.clone());
        registry.register("report_answers", "Reports, by how far they answer the question", metrics.answers.clone());
        let help = "Sub-questions of research, by how far what was found covers them";
        registry.register("research_sub_questions", help, metrics.sub_questions.clone());
        let help = "Values on which the sources of a report disagree";
        registry.register("report_disagreements", help, metrics.disagreements.clone());
        let help = "Further research iterations after a report was evaluated";
        registry.register("research_iterations", help, metrics.iterations.clone());
        metrics
    }

    /// Counts the report of a session that ended.
    pub(crate) fn count_report(&self, report: &ReportData) {
        self.count(&report.claims, report.answer.as_ref());
        self.disagreements.inc_by(report.disagreements.len() as u64);
        let Some(research) = &report.research else { return };
        for coverage in &research.coverage {
            self.sub_questions.get_or_create(&CoverageLabels { covered: coverage.answered.as_str() }).inc();
        }
        let iterations = research.refinement.as_ref().map_or(0, |refinement| refinement.iterations.len());
        self.iterations.inc_by(iterations as u64);
    }

    fn count(&self, claims: &[Claim], answer: Option<&Answer>) {
        for claim in claims {
            self.statements.get_or_create(&VerdictLabels { verdict: claim.verdict.as_str() }).inc();
        }
        if let Some(answer) = answer {
            self.answers.get_or_create(&AnswerLabels { answer: answer.status.as_str() }).inc();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Metrics;
    use super::*;

    #[test]
    fn statements_and_answers_are_counted_from_the_report_starting_at_zero() {
        let metrics = Metrics::new();
        let claim = |verdict: &str| -> Claim {
            let claim = json!({ "text": "It holds 5.", "verdict": verdict, "judged_by": "checks", "done": "kept" });
            serde_json::from_value(claim).expect("a claim")
        };
        let answer: Answer =
            serde_json::from_value(json!({ "status": "partly", "line": "Partly answered.", "parts": [] }))
                .expect("an answer");
        metrics.reports.count(&["verbatim", "verbatim", "partly"].map(claim), Some(&answer));
        metrics.reports.count(&[], None);
        let text = metrics.text();
        for series in [
            "precis_report_statements_total{verdict=\"verbatim\"} 2",
            "precis_report_statements_total{verdict=\"partly\"} 1",
            "precis_report_statements_total{verdict=\"not_supported\"} 0",
            "precis_report_answers_total{answer=\"partly\"} 1",
            "precis_report_answers_total{answer=\"not_in_documents\"} 0",
            "precis_research_sub_questions_total{covered=\"partly\"} 0",
            "precis_report_disagreements_total 0",
        ] {
            assert!(text.contains(series), "{series}\n{text}");
        }
    }
}
