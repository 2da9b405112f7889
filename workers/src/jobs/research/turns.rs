//! Runs a directive with a model: turns of tool calls, each search and read charged, until it is done or its share is used up.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::job::{Research as Kind, ResearchJob};
use precis_proto::label::Label;
use precis_proto::research::{AssignmentResult, CompletedSearch, DirectiveStop, NumberBlock, SeenDocument, Served};
use precis_proto::source::ContentRef;
use precis_proto::task::{Task, Turn, TurnDirective};
use precis_research::RESERVE;
use precis_research::researcher::{DEFAULT_CALLS, ParseFailure, Researcher, ResearcherOrder, SeenResults};
use precis_runtime::model::Code;
use precis_runtime::runner::{JobContext, JobError};

use super::lane::ResearchLane;
use super::told;
use super::turn_actions::TurnActions;
use crate::jobs::content_failed;

/// The number block used if the job has none, as from an older worker.
const ALL_NUMBERS: NumberBlock = NumberBlock { first: 1, step: 1 };

/// Runs the directive to its end. The planned searches are made only if the model made none. Returns its result and its notes, which the result refers to and the caller stores.
pub(super) async fn run_directive(
    job: &ResearchJob,
    reach: &ResearchLane,
    window: u64,
    ctx: &JobContext<Kind>,
) -> Result<(AssignmentResult, Bytes), JobError> {
    let documents = load_seen(job, ctx).await?;
    let seen = SeenResults::new(&documents, job.numbers.unwrap_or(ALL_NUMBERS));
    let mut work = TurnActions { reach, job, made: Vec::new(), read: Vec::new(), seen, ctx };
    let mut answers = TurnAnswers::default();
    let mut researcher = Researcher::new(order(job, documents, window));
    let whole = ctx.time_left();
    while researcher.finished().is_none() {
        let Some(task) = researcher.next_task() else { break };
        if is_late(ctx.time_left(), whole) {
            researcher.stop(DirectiveStop::Time);
            break;
        }
        let answer = turn(job.label(), Task::Turn(task), &mut researcher, &mut answers, ctx).await;
        let thoughts = told::thoughts(answer.as_ref().ok());
        let actions = researcher.answered(answer);
        told::announce(&job.assignment.id, told::calls(thoughts, &actions), ctx).await;
        for (key, outcome) in work.perform(&actions).await? {
            researcher.told(key, outcome);
        }
        if work.made.iter().any(|made| made.ended.is_some()) {
            researcher.stop(DirectiveStop::Stopped);
        }
    }
    if work.made.is_empty() {
        work.search_planned(job.assignment.own_searches as usize).await;
    }
    Ok(build_result(researcher, work, answers))
}

/// Builds the result of the directive, and its notes.
fn build_result(researcher: Researcher, work: TurnActions<'_>, answers: TurnAnswers) -> (AssignmentResult, Bytes) {
    let record = researcher.into_record();
    let raw_notes_chars = record.notes.chars().count() as u32;
    let notes = Bytes::from(record.notes);
    let result = AssignmentResult {
        made: with_logged(work.made, &record.queries),
        read: work.read,
        turns: record.turns,
        tool_calls: record.tool_calls,
        tool_parse_failures: record.tool_parse_failures,
        unreadable: answers.unreadable,
        dropped_messages: record.dropped_messages,
        notes_fidelity: record.notes_fidelity,
        overflow_retries: record.overflow_retries + answers.overflows,
        excerpts_left_out: record.excerpts_left_out,
        numbers: work.seen.into_numbers(),
        stopped: Some(record.stopped),
        raw_notes: Some(ContentRef::from_bytes(&notes)),
        raw_notes_chars,
        summary: record.summary,
        thoughts: record.thoughts,
    };
    (result, notes)
}

/// Whether too little time is left for another turn: one that is cut short is paid for and lost.
fn is_late(left: Duration, whole: Duration) -> bool {
    left.is_zero() || left < whole.mul_f64(RESERVE)
}

fn order(job: &ResearchJob, seen: Vec<SeenDocument>, window: u64) -> ResearcherOrder {
    let assignment = &job.assignment;
    ResearcherOrder {
        directive: TurnDirective {
            id: assignment.id.clone(),
            topic: assignment.topic.clone(),
            perspective: assignment.perspective.clone(),
            evidence_needed: assignment.evidence_needed.clone(),
            sub_questions: job.sub_questions.clone(),
        },
        brief: job.query.clone(),
        today: job.created_at.to_string().chars().take(10).collect(),
        earlier: job.earlier.clone(),
        seen,
        asked: job.asked.clone(),
        searches: assignment.own_searches,
        calls: DEFAULT_CALLS,
        window,
    }
}

/// Loads the documents found in earlier rounds.
async fn load_seen(job: &ResearchJob, ctx: &JobContext<Kind>) -> Result<Vec<SeenDocument>, JobError> {
    let Some(reference) = &job.seen else { return Ok(Vec::new()) };
    let bytes = ctx.services().content.get(reference).await.map_err(|e| content_failed(&e))?;
    serde_json::from_slice(&bytes).map_err(|e| JobError::permanent("content_unreadable", e.to_string()))
}

/// Counts over the model calls of a directive.
#[derive(Default)]
struct TurnAnswers {
    /// Number of answers that could not be parsed, by `NAME:MODEL`.
    unreadable: BTreeMap<String, u32>,
    /// Number of payloads shrunk because they overflowed a window.
    overflows: u32,
}

/// Runs one turn of the model; an unreadable answer and the failure of every provider are both parse failures.
async fn turn(
    label: Label,
    task: Task,
    researcher: &mut Researcher,
    answers: &mut TurnAnswers,
    ctx: &JobContext<Kind>,
) -> Result<Turn, ParseFailure> {
    let called = match ctx.model_labelled(label, &task).await {
        Ok(called) => called,
        Err(error) => {
            if error.code == Code::Overflow {
                researcher.overflowed();
            }
            return Err(ParseFailure);
        }
    };
    researcher.unreadable(called.unreadable.values().sum());
    answers.overflows += called.overflows;
    for (provider, count) in called.unreadable {
        *answers.unreadable.entry(provider).or_default() += count;
    }
    // Do not send again what the gate left out of the window; record it.
    let gone: Vec<u32> = called.cut.iter().filter(|cut| cut.tokens_after == 0).map(|cut| cut.id).collect();
    researcher.left_out(&gone);
    serde_json::from_value(called.value).map_err(|_| ParseFailure)
}

/// Merges the searches made with those answered from the log, in the order of `queries`.
fn with_logged(made: Vec<CompletedSearch>, queries: &[precis_proto::research::Query]) -> Vec<CompletedSearch> {
    let mut made = made.into_iter();
    let mut all = Vec::new();
    for query in queries {
        if query.served == Served::Log {
            all.push(CompletedSearch {
                text: query.text.clone().unwrap_or_default(),
                provider: query.provider.clone(),
                served: Served::Log,
                hits: Vec::new(),
                usd: 0.0,
                failure: None,
                ended: None,
                withheld: None,
            });
        } else {
            all.extend(made.next());
        }
    }
    all.extend(made);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_researcher_ends_while_a_fifth_of_its_time_is_left() {
        let seconds = Duration::from_secs;
        for (left, whole, want) in [(100, 100, false), (20, 100, false), (19, 100, true), (0, 100, true), (0, 0, true)]
        {
            assert_eq!(is_late(seconds(left), seconds(whole)), want, "{left} of {whole}");
        }
    }
}
