//! What a model that judges is asked of a report: whether its statements answer the question, or each part of it.

use precis_proto::claim::AnswerOpinion;
use precis_proto::task::{
    JUDGED_REASON_CHARS, JudgePartsTask, JudgePassage, JudgeTask, Judgement, SUB_QUESTION_BOUND, Task,
};
use precis_text::tokens;

use super::ReportSaid;
use crate::claims::{points_somewhere, verbatim};

/// Most tokens of a question and the statements of one call; further statements are left out. Chosen, not measured.
const CALL_TOKENS: u64 = 6_000;

/// Most parts of a question that a model is asked about, the first ones: as many as a plan may have.
pub const MOST_QUESTIONS: usize = SUB_QUESTION_BOUND;

/// What a model is asked about a report: whether its statements answer a question, or each part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerQuestion {
    /// The question, or its parts; never empty.
    parts: Vec<String>,
    /// The statements that it is shown; never empty.
    passages: Vec<JudgePassage>,
    /// Tokens of question and statements.
    pub tokens: u64,
}

impl AnswerQuestion {
    /// The task it is given: one call for all parts, because a call for each would leave none for the last ones. A question without parts is
    /// answered by a [`Judgement`], one with parts by [`PartVerdicts`](precis_proto::task::PartVerdicts).
    #[must_use]
    pub fn task(&self) -> Task {
        let passages = self.passages.clone();
        match self.parts.as_slice() {
            [question] => Task::Judge(JudgeTask { question: question.clone(), passages }),
            parts => Task::JudgeParts(JudgePartsTask { parts: parts.to_vec(), passages }),
        }
    }

    /// Whether it is about the parts of a question.
    #[must_use]
    pub fn has_parts(&self) -> bool {
        self.parts.len() > 1
    }
}

impl ReportSaid {
    /// What to ask of `parts`, the first ones, with as many statements as fit a call; `None` if nothing is stated.
    #[must_use]
    pub fn question(&mut self, parts: &[String]) -> Option<AnswerQuestion> {
        self.asked = parts.len();
        let parts: Vec<String> = parts.iter().take(MOST_QUESTIONS).cloned().collect();
        let (mut passages, mut total) = (Vec::new(), parts.iter().map(|part| tokens::count(part)).sum::<u64>());
        for (id, statement) in (1_u32..).zip(&self.statements) {
            let title = &statement.said.title;
            total += tokens::count(&statement.written) + tokens::count(title);
            if total > CALL_TOKENS {
                break;
            }
            passages.push(JudgePassage { id, title: title.clone(), text: statement.written.clone() });
        }
        (!passages.is_empty() && !parts.is_empty()).then_some(AnswerQuestion { parts, passages, tokens: total })
    }

    /// Takes a model's answer on part `part` of `question`, counted from 1. It counts only with words of a statement that it was shown.
    pub fn hear(&mut self, question: &AnswerQuestion, part: u32, answer: &Judgement) {
        let Some(verdict) = answer.verdict.filter(|verdict| Judgement::VERDICTS.contains(verdict)) else { return };
        let Some(part) = (part as usize).checked_sub(1).and_then(|at| question.parts.get(at)) else { return };
        let is_shown = |passage: &JudgePassage| verbatim(&passage.text, &answer.quote).is_some();
        if !points_somewhere(&answer.quote) || !question.passages.iter().any(is_shown) {
            return;
        }
        let opinion = AnswerOpinion {
            question: part.clone(),
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
    fn all_parts_are_asked_about_at_once_with_the_statements_that_fit() {
        let long = "word ".repeat(usize::try_from(CALL_TOKENS).unwrap_or(usize::MAX));
        let parts: Vec<String> = (0..MOST_QUESTIONS + 1).map(|n| format!("Part {n}?")).collect();
        for asked in [1, MOST_QUESTIONS - 1, MOST_QUESTIONS, MOST_QUESTIONS + 1] {
            let found = said(&["It fell.", &long]).question(&parts[..asked]).expect("asked");
            assert_eq!((found.parts.len(), found.passages.len()), (asked.min(MOST_QUESTIONS), 1));
            assert_eq!(found.has_parts(), matches!(found.task(), Task::JudgeParts(_)));
            assert!(found.tokens > CALL_TOKENS);
        }
        assert!(said(&[]).question(&parts).is_none() && said(&[&long]).question(&parts).is_none());
    }

    #[test]
    fn an_answer_is_of_the_part_with_its_number() {
        let mut said = said(&["The ice lost a third."]);
        let parts = ["How much was lost?".to_owned(), "Who saw it?".to_owned()];
        let question = said.question(&parts).expect("asked");
        let answer =
            Judgement { verdict: Some(Verdict::Supported), quote: "lost a third".to_owned(), ..Judgement::default() };
        for part in [0, 2, 3] {
            said.hear(&question, part, &answer);
        }
        let heard: Vec<&str> = said.opinions().map(|one| one.question.as_str()).collect();
        assert_eq!(heard, ["Who saw it?"]);
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
            let question = said.question(&["How much was lost?".to_owned()]).expect("asked");
            said.hear(&question, 1, &answer);
            assert_eq!(said.opinions().count(), usize::from(counts), "{answer:?}");
        }
    }
}
