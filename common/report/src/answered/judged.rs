//! What a model that judges is asked of a report: whether its statements answer the question, or each part of it.

use precis_proto::claim::AnswerOpinion;
use precis_proto::task::{JUDGED_REASON_CHARS, JudgePassage, JudgeTask, Judgement};
use precis_text::tokens;

use super::ReportSaid;
use crate::claims::{points_somewhere, verbatim};

/// Most tokens of a question and the statements of one call; further statements are left out. Chosen, not measured.
const CALL_TOKENS: u64 = 6_000;

/// Most parts of a question that a model is asked about, the first ones. Bounds cost. Chosen, not measured.
pub const MOST_QUESTIONS: usize = 8;

/// A question to a model about a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerQuestion {
    /// The task it is given.
    pub task: JudgeTask,
    /// Tokens of question and statements.
    pub tokens: u64,
}

impl ReportSaid {
    /// One question for each of `parts`, the first ones, with as many statements as fit a call; none if nothing is stated.
    #[must_use]
    pub fn questions(&mut self, parts: &[String]) -> Vec<AnswerQuestion> {
        self.asked = parts.len();
        let question = |part: &String| {
            let (mut passages, mut total) = (Vec::new(), tokens::count(part));
            for (id, statement) in (1_u32..).zip(&self.statements) {
                let title = &statement.said.title;
                total += tokens::count(&statement.written) + tokens::count(title);
                if total > CALL_TOKENS {
                    break;
                }
                passages.push(JudgePassage { id, title: title.clone(), text: statement.written.clone() });
            }
            let task = JudgeTask { question: part.clone(), passages };
            (!task.passages.is_empty()).then_some(AnswerQuestion { task, tokens: total })
        };
        parts.iter().take(MOST_QUESTIONS).filter_map(question).collect()
    }

    /// Takes a model's answer to `question`. It counts only with words of a statement that it was shown.
    pub fn hear(&mut self, question: &AnswerQuestion, answer: &Judgement) {
        let Some(verdict) = answer.verdict.filter(|verdict| Judgement::VERDICTS.contains(verdict)) else { return };
        let is_shown = |passage: &JudgePassage| verbatim(&passage.text, &answer.quote).is_some();
        if !points_somewhere(&answer.quote) || !question.task.passages.iter().any(is_shown) {
            return;
        }
        let opinion = AnswerOpinion {
            question: question.task.question.clone(),
            verdict,
            quote: answer.quote.clone(),
            reason: answer.reason.chars().take(JUDGED_REASON_CHARS).collect(),
        };
        self.judged.insert(opinion.question.clone(), opinion);
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::claim::Verdict;
    use precis_proto::task::TaskFinding;

    use super::super::StandingStatement;
    use super::*;

    fn said(statements: &[&str]) -> ReportSaid {
        let standing = |text: &&str| {
            let said = serde_json::json!({
                "id": 1, "topic": "", "statement": text, "title": "notes", "source": 1, "score": 1.0
            });
            let said: TaskFinding = serde_json::from_value(said).expect("a finding");
            StandingStatement { written: (*text).to_owned(), said, is_supported: true }
        };
        ReportSaid::new(Vec::new(), statements.iter().map(standing).collect())
    }

    #[test]
    fn each_part_is_asked_about_with_the_statements_that_fit() {
        let long = "word ".repeat(usize::try_from(CALL_TOKENS).unwrap_or(usize::MAX));
        let parts: Vec<String> = (0..MOST_QUESTIONS + 1).map(|n| format!("Part {n}?")).collect();
        for asked in [MOST_QUESTIONS - 1, MOST_QUESTIONS, MOST_QUESTIONS + 1] {
            let found = said(&["It fell.", &long]).questions(&parts[..asked]);
            assert_eq!(found.len(), asked.min(MOST_QUESTIONS));
            assert!(found.iter().all(|one| one.task.passages.len() == 1 && one.tokens > CALL_TOKENS));
        }
        assert!(said(&[]).questions(&parts).is_empty() && said(&[&long]).questions(&parts).is_empty());
    }

    #[test]
    fn an_answer_counts_only_with_words_of_a_statement() {
        let answer = |verdict, quote: &str| Judgement { verdict, quote: quote.to_owned(), reason: String::new() };
        for (answer, counts) in [
            (answer(Some(Verdict::Supported), "lost a third"), true),
            (answer(Some(Verdict::NotSupported), "ice  lost a\nthird"), true),
            (answer(Some(Verdict::Supported), "gained a third"), false),
            (answer(Some(Verdict::Supported), "a"), false),
            (answer(Some(Verdict::Verbatim), "lost a third"), false),
            (answer(None, "lost a third"), false),
        ] {
            let mut said = said(&["The ice lost a third."]);
            let question = said.questions(&["How much was lost?".to_owned()]).remove(0);
            said.hear(&question, &answer);
            assert_eq!(said.opinions().count(), usize::from(counts), "{answer:?}");
        }
    }
}
