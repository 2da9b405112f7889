//! Whether a report, as it is written, answers its question.
//!
//! Findings show what the documents could answer; only the statements of the report show what it does answer. So the status that readers see
//! is never higher than what the statements say, and a part of the question counts as answered only if a statement says something on it. A
//! model that judges is asked the same of the same statements, and its word is the last one.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `statements` | the statements that stand in a report |
//! | `line` | whether a question is answered, as a reader is told |
//! | `judged` | questions to a model that judges, and which of its answers count |

mod judged;
mod line;
mod statements;

use std::collections::BTreeMap;

use precis_proto::answer::{Answer, AnswerPart, AnswerStatus};
use precis_proto::claim::{AnswerOpinion, Verdict};
use precis_proto::research::{Research, SubQuestion};
use precis_proto::task::TaskFinding;
use precis_research::extractive::{asked_share, is_field_answered, parts};
use precis_text::terms;

pub use judged::{AnswerQuestion, MOST_QUESTIONS};
pub use line::{AnswerBasis, answer_line};
pub(crate) use line::{AnswerNotice, notice};
pub use statements::{StandingStatement, statements};

/// Share of what the findings say of the question that the statements must say more than. Statements that were chosen for another question
/// hold a word of this one by chance, seldom half of them.
const LEAST_SAID: f64 = 0.5;

/// What a report says, beside what was found for it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportSaid {
    /// What the report could have said.
    findings: Vec<TaskFinding>,
    /// What it does say.
    statements: Vec<StandingStatement>,
    /// Number of parts that a model is asked about.
    asked: usize,
    /// A model's opinions by their questions.
    judged: BTreeMap<String, AnswerOpinion>,
}

impl ReportSaid {
    /// What a report with these `statements` says, made from `findings`. Without findings nothing is known to be missing.
    #[must_use]
    pub fn new(findings: Vec<TaskFinding>, statements: Vec<StandingStatement>) -> Self {
        Self { findings, statements, asked: 0, judged: BTreeMap::new() }
    }

    /// What a report says of the parts of `research`, as it was found when the report was evaluated: its statements are known no more.
    #[must_use]
    pub fn as_told(research: &Research) -> Self {
        let told = |part: &SubQuestion| {
            let is_open = research.unanswered.iter().any(|open| open.sub_question == part.id);
            let verdict = if is_open { Verdict::NotSupported } else { Verdict::Supported };
            let question = part.text.clone();
            (question.clone(), AnswerOpinion { question, verdict, quote: String::new(), reason: String::new() })
        };
        Self { judged: research.plan.iter().map(told).collect(), ..Self::default() }
    }

    /// The model's opinions that count, by question.
    pub fn opinions(&self) -> impl Iterator<Item = &AnswerOpinion> {
        self.judged.values()
    }

    /// The answer that the report gives to `query`, if its findings would give `evidence`.
    ///
    /// Not in the documents if the statements say little of what the findings say of the question; partly if some part is in no statement.
    #[must_use]
    pub fn answer(&self, query: &str, evidence: &Answer) -> Answer {
        let plain = |status| Answer { status, line: String::new(), parts: Vec::new() };
        let whole = self.whole(query);
        match whole {
            Some(Verdict::Verbatim | Verdict::Supported | Verdict::Disputed) => return plain(AnswerStatus::Answered),
            Some(Verdict::NotSupported) => return plain(AnswerStatus::NotInDocuments),
            None if evidence.status == AnswerStatus::NotInDocuments || !self.says(query) => {
                return plain(AnswerStatus::NotInDocuments);
            }
            // The last two are never said of an answer.
            Some(Verdict::Partly | Verdict::NoClaim | Verdict::NotJudged) | None => {}
        }
        let parts = self.parts(query, evidence);
        match whole.is_none() && parts.iter().all(|part| part.is_answered) {
            true => plain(AnswerStatus::Answered),
            false => Answer { status: AnswerStatus::Partly, line: String::new(), parts },
        }
    }

    /// The parts of `query`, those of `evidence` first, and whether a statement says something on each.
    fn parts(&self, query: &str, evidence: &Answer) -> Vec<AnswerPart> {
        let mut said = evidence.parts.clone();
        for part in &mut said {
            part.is_answered = if part.is_answered { self.says(&part.text) } else { self.says_all_of(&part.text) };
        }
        for part in parts(query, &self.all()) {
            match said.iter_mut().find(|held| held.text == part.text) {
                Some(held) => held.is_answered &= part.is_answered,
                None => said.push(part),
            }
        }
        said
    }

    /// The model's verdict on the whole question: that on `query`, or what those on its parts add up to; `None` if it gave none on some
    /// part, because then nothing is known of the whole.
    fn whole(&self, query: &str) -> Option<Verdict> {
        if let Some(opinion) = self.judged.get(query) {
            return Some(opinion.verdict);
        }
        let verdicts: Vec<Verdict> = self.judged.values().map(|opinion| opinion.verdict).collect();
        let all = |wanted: fn(&Verdict) -> bool| verdicts.iter().all(wanted);
        match verdicts.is_empty() || verdicts.len() < self.asked {
            true => None,
            false if all(|one| matches!(one, Verdict::NotSupported)) => Some(Verdict::NotSupported),
            false if all(|one| matches!(one, Verdict::Supported | Verdict::Disputed)) => Some(Verdict::Supported),
            false => Some(Verdict::Partly),
        }
    }

    /// Whether the statements say enough of what the findings say of `part`, a question or a part of one. What no finding says anything of
    /// is not decided here.
    #[must_use]
    pub fn says(&self, part: &str) -> bool {
        if let Some(opinion) = self.judged.get(part) {
            return opinion.verdict != Verdict::NotSupported;
        }
        // A header field answers without a word of the question.
        if is_field_answered(part, &self.all()) {
            return true;
        }
        let given = asked_share(part, &self.findings);
        given <= 0.0 || asked_share(part, &self.all()) > LEAST_SAID * given
    }

    /// Whether a supported statement has all terms of `part`, with its title and headings; never if it has a single one, which any remark
    /// may hold.
    #[must_use]
    pub fn says_all_of(&self, part: &str) -> bool {
        if let Some(opinion) = self.judged.get(part) {
            return matches!(opinion.verdict, Verdict::Supported | Verdict::Disputed);
        }
        let asked = terms::query_terms(part);
        let holds_all = |statement: &StandingStatement| {
            let said = &statement.said;
            let own = [&said.statement, &said.title].into_iter().chain(&said.headings);
            let own: Vec<String> = own.flat_map(|text| terms::terms(text)).collect();
            asked.iter().all(|term| own.iter().any(|own| terms::likeness(term, own) > 0.0))
        };
        asked.len() > 1 && self.statements.iter().any(|statement| statement.is_supported && holds_all(statement))
    }

    fn all(&self) -> Vec<TaskFinding> {
        self.statements.iter().map(|statement| statement.said.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use AnswerStatus::{Answered, NotInDocuments, Partly};
    use precis_proto::task::Judgement;
    use precis_research::extractive::judge;

    use super::*;

    const QUERY: &str = "How much water does the reservoir hold?";

    fn finding(text: &str) -> TaskFinding {
        TaskFinding {
            id: 1,
            topic: String::new(),
            statement: text.to_owned(),
            title: "notes".to_owned(),
            source: 1,
            score: 0.7,
            headings: Vec::new(),
            path: String::new(),
            context: Vec::new(),
            similarity: None,
        }
    }

    fn standing(said: TaskFinding) -> StandingStatement {
        StandingStatement { written: said.statement.clone(), said, is_supported: true }
    }

    fn status(query: &str, findings: &[&str], statements: &[&str]) -> (AnswerStatus, Vec<String>) {
        let findings: Vec<TaskFinding> = findings.iter().map(|text| finding(text)).collect();
        let statements: Vec<StandingStatement> = statements.iter().map(|text| standing(finding(text))).collect();
        let evidence = judge(query, &findings, None).expect("a question with terms");
        let answer = ReportSaid::new(findings, statements).answer(query, &evidence);
        let open = answer.parts.into_iter().filter(|part| !part.is_answered).map(|part| part.text);
        (answer.status, open.collect())
    }

    #[test]
    fn a_report_that_speaks_of_something_else_does_not_answer() {
        let found = ["The reservoir can hold 3 million cubic metres of water.", "The ferry Mara carries 40 cars."];
        for (statements, want) in [
            (&found[..], Answered),
            (&found[..1], Answered),
            (&["The reservoir holds much water."], Answered),
            (&found[1..], NotInDocuments),
            (&["The water is cold."], NotInDocuments),
            (&[], NotInDocuments),
        ] {
            assert_eq!(status(QUERY, &found, statements).0, want, "{statements:?}");
        }
    }

    #[test]
    fn a_part_that_no_statement_speaks_of_is_open() {
        let query = "How much did Nordwerk earn in 2024 and 2025?";
        let found = ["Nordwerk did earn 3 million euros in 2024.", "Nordwerk did earn 4 million euros in 2025."];
        assert_eq!(status(query, &found, &found), (Answered, vec![]));
        assert_eq!(status(query, &found, &found[..1]), (Partly, vec!["2025".to_owned()]));
        assert_eq!(status(query, &found[..1], &found[..1]), (Partly, vec!["2025".to_owned()]));
    }

    #[test]
    fn what_the_findings_do_not_answer_no_report_answers() {
        let evidence = Answer { status: NotInDocuments, line: String::new(), parts: Vec::new() };
        let said = vec![standing(finding("The reservoir holds much water."))];
        assert_eq!(ReportSaid::new(vec![finding("A bank may hold money.")], said).answer(QUERY, &evidence), evidence);
    }

    #[test]
    fn a_part_is_answered_within_one_statement_with_title_and_headings() {
        let statement =
            standing(TaskFinding { headings: vec!["Reservoir".to_owned()], ..finding("It can hold much water.") });
        let doubted = StandingStatement { is_supported: false, ..statement.clone() };
        for (part, statement, says_it) in [
            ("water in the reservoir", &statement, true),
            ("water in the reservoir", &doubted, false),
            ("water in the reservoir of Brem", &statement, false),
            ("water", &statement, false),
            ("", &statement, false),
        ] {
            let said = ReportSaid::new(Vec::new(), vec![statement.clone()]);
            assert_eq!(said.says_all_of(part), says_it, "{part}");
        }
    }

    #[test]
    fn the_word_of_a_model_that_judges_is_the_last_one() {
        let (near, far) =
            ("The reservoir can hold 3 million cubic metres of water.", "The ferry Mara carries 40 cars.");
        let none = Answer { status: NotInDocuments, line: String::new(), parts: Vec::new() };
        for (statement, verdict, want) in [
            (far, Verdict::NotSupported, NotInDocuments),
            (near, Verdict::NotSupported, NotInDocuments),
            (near, Verdict::Partly, Partly),
            (far, Verdict::Supported, Answered),
        ] {
            let mut said = ReportSaid::new(vec![finding(near)], vec![standing(finding(statement))]);
            let question = said.question(&[QUERY.to_owned()]).expect("asked");
            let quote = statement.split_once(' ').map_or("", |(_, rest)| rest).to_owned();
            said.hear(&question, 1, &Judgement { verdict: Some(verdict), quote, reason: "so".to_owned() });
            assert_eq!(said.answer(QUERY, &none).status, want, "{statement} {verdict:?}");
        }
    }

    #[test]
    fn opinions_on_parts_are_not_opinions_on_the_whole() {
        let statement = "The reservoir can hold 3 million cubic metres of water.";
        let evidence = Answer { status: NotInDocuments, line: String::new(), parts: Vec::new() };
        let parts = ["How much does it hold?".to_owned(), "Who built it?".to_owned()];
        for (heard, want) in [(1, NotInDocuments), (2, Answered)] {
            let mut said = ReportSaid::new(vec![finding(statement)], vec![standing(finding(statement))]);
            let question = said.question(&parts).expect("asked");
            for part in 1..=heard {
                let quote = "3 million cubic metres".to_owned();
                said.hear(
                    &question,
                    part,
                    &Judgement { verdict: Some(Verdict::Supported), quote, reason: String::new() },
                );
            }
            assert_eq!(said.answer(QUERY, &evidence).status, want, "{heard} of 2 parts");
        }
    }
}
