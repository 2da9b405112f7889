//! Whether a report, as it is written, answers its question.
//!
//! Findings show what the documents could answer; only the statements of a report show what it does answer. So the status that readers see
//! is never higher than what the statements say, and a part of the question counts as answered only if a statement says something on it.

use precis_proto::answer::{Answer, AnswerStatus};
use precis_proto::claim::{Claim, Done, Verdict};
use precis_proto::response::{Citation, ReportData};
use precis_proto::task::TaskFinding;

use crate::equal_words::equal_words;
use crate::extractive::{asked_share, parts};
use crate::terms;

/// Share of what the findings say of the question that the statements must say more than. Statements that were chosen for another question
/// hold a word of this one by chance, seldom half of them.
const LEAST_SAID: f64 = 0.5;

/// A statement that stands in a report.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingStatement {
    /// Its words and its place, in the form in which findings are judged. Statements that their quotes support are read with these, since
    /// they name what "it" is.
    pub said: TaskFinding,
    /// Whether its quotes support it.
    pub is_supported: bool,
}

/// The statements that stand in a report, in its order. Removed statements, and those that their quotes refute, say nothing.
#[must_use]
pub fn statements(data: &ReportData) -> Vec<StandingStatement> {
    let statement = |(id, claim): (u32, &Claim)| {
        let cited: Vec<&Citation> = data.citations.iter().filter(|one| claim.quotes.contains(&one.n)).collect();
        let first = cited.first()?;
        let mut rows = (1_u32..).zip(&data.sources);
        let (number, source) = rows.find(|(_, source)| source.source_id == first.source_id)?;
        let written = claim.now.as_deref().unwrap_or(&claim.text);
        let mut text = written.to_owned();
        let is_quote = |citation: &&Citation| equal_words(&citation.text) == equal_words(written);
        if is_supported(claim) && !cited.iter().any(is_quote) {
            cited.iter().for_each(|citation| text.extend([" ", citation.text.as_str()]));
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
        Some(StandingStatement { said, is_supported: is_supported(claim) })
    };
    (1_u32..).zip(data.claims.iter().filter(|claim| stands(claim))).filter_map(statement).collect()
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

/// The answer that a report with these `statements` gives to `query`, if its `findings` would give `evidence`.
///
/// Not in the documents if the statements say little of what the findings say of the question; partly if some part is in no statement.
#[must_use]
pub fn of_report(query: &str, evidence: &Answer, findings: &[TaskFinding], statements: &[StandingStatement]) -> Answer {
    if evidence.status == AnswerStatus::NotInDocuments || !says(query, findings, statements) {
        return Answer { status: AnswerStatus::NotInDocuments, line: String::new(), parts: Vec::new() };
    }
    let mut said = evidence.parts.clone();
    for part in &mut said {
        part.is_answered = match part.is_answered {
            true => says(&part.text, findings, statements),
            false => says_all_of(&part.text, statements),
        };
    }
    let all: Vec<TaskFinding> = statements.iter().map(|statement| statement.said.clone()).collect();
    for part in parts(query, &all) {
        match said.iter_mut().find(|held| held.text == part.text) {
            Some(held) => held.is_answered &= part.is_answered,
            None => said.push(part),
        }
    }
    match said.iter().all(|part| part.is_answered) {
        true => Answer { status: AnswerStatus::Answered, line: String::new(), parts: Vec::new() },
        false => Answer { status: AnswerStatus::Partly, line: String::new(), parts: said },
    }
}

/// Whether the statements say enough of what the findings say of `part`, a question or a part of one. What no finding says anything of is
/// not decided here.
#[must_use]
pub fn says(part: &str, findings: &[TaskFinding], statements: &[StandingStatement]) -> bool {
    let all: Vec<TaskFinding> = statements.iter().map(|statement| statement.said.clone()).collect();
    let given = asked_share(part, findings);
    given <= 0.0 || asked_share(part, &all) > LEAST_SAID * given
}

/// Whether a supported statement has all terms of `part`, with its title and headings; never if it has a single one, which any remark may
/// hold.
#[must_use]
pub fn says_all_of(part: &str, statements: &[StandingStatement]) -> bool {
    let asked = terms::query_terms(part);
    let holds_all = |statement: &StandingStatement| {
        let said = &statement.said;
        let own = [&said.statement, &said.title].into_iter().chain(&said.headings);
        let own: Vec<String> = own.flat_map(|text| terms::terms(text)).collect();
        asked.iter().all(|term| own.iter().any(|own| terms::likeness(term, own) > 0.0))
    };
    asked.len() > 1 && statements.iter().any(|statement| statement.is_supported && holds_all(statement))
}

#[cfg(test)]
mod tests {
    use AnswerStatus::{Answered, NotInDocuments, Partly};

    use super::*;
    use crate::extractive::judge;

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
        }
    }

    fn standing(said: TaskFinding) -> StandingStatement {
        StandingStatement { said, is_supported: true }
    }

    fn status(query: &str, findings: &[&str], statements: &[&str]) -> (AnswerStatus, Vec<String>) {
        let findings: Vec<TaskFinding> = findings.iter().map(|text| finding(text)).collect();
        let statements: Vec<StandingStatement> = statements.iter().map(|text| standing(finding(text))).collect();
        let evidence = judge(query, &findings, None).expect("a question with terms");
        let answer = of_report(query, &evidence, &findings, &statements);
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
        let said = [standing(finding("The reservoir holds much water."))];
        assert_eq!(of_report(QUERY, &evidence, &[finding("A bank may hold money.")], &said), evidence);
    }

    #[test]
    fn all_of_a_part_stands_in_one_statement_with_its_title_and_headings() {
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
            assert_eq!(says_all_of(part, std::slice::from_ref(statement)), says_it, "{part}");
        }
    }
}
