//! A researcher: the state machine of one directive carried out by a model. It does no input or output itself.
//!
//! It returns the next task for a model, takes the model's calls, returns the searches and reads to make, and takes their outcomes; the
//! caller carries them out. Whatever the model answers, the budget is not exceeded and the directive ends: see [`Researcher`].
//!
//! | file | what it owns |
//! | --- | --- |
//! | `order` | input of a researcher, and the actions it requests |
//! | `outcome` | outcomes of searches and reads |
//! | `course` | the messages: all, those shown, those dropped |
//! | `pages` | a document that is read, page by page |
//! | `repeats` | queries made before |
//! | `results` | results as text for a model |
//! | `seen_results` | document numbers, and which passages are new |
//! | `state` | the state: results known, budget spent, actions under way |
//! | `call_result` | the result of a call in a turn, as messages |
//! | `step` | the calls of a turn: made, refused, or answered from the log |
//! | `record` | the record of an ended directive |

mod call_result;
mod course;
mod order;
mod outcome;
mod pages;
mod record;
mod repeats;
mod results;
mod seen_results;
mod state;
mod step;

#[cfg(test)]
mod tests;

use precis_proto::research::{DirectiveStop, Served};
use precis_proto::task::{ToolCall, Turn, TurnRole, TurnTask};

use call_result::{CallResult, join_messages};
pub use order::{Action, ParseFailure, ResearcherOrder};
pub use outcome::{ActionOutcome, Novelty, ResultView, SearchResults};
pub use pages::{DocumentPage, PAGE_TOKENS, document_page};
pub use record::{MAX_NOTES_CHARS, ReadRecord, ResearcherRecord};
pub(super) use repeats::normalize;
pub use results::EXCERPT_CHARS;
pub use seen_results::SeenResults;
pub use state::{LEAST_ROUNDS, Researcher, TURNS_PER_CALL};
pub use step::THOUGHTS_IN_A_ROW;

/// Default number of charged calls of a directive.
pub const DEFAULT_CALLS: u32 = 10;
/// Turns in a row without a search or read that end a directive with no search left; a turn that asks for what cannot be had counts as
/// all of them.
const IDLE_TURNS: u32 = 2;
/// Turns without a search or read between them that ask for what cannot be had, after which a directive ends with searches left.
const REFUSED_TURNS: u32 = 3;
/// Retries after an unreadable answer.
pub const ASKED_AGAIN: u32 = 2;

impl Researcher {
    /// The next task for the model; `None` if the directive has ended, or while actions are under way.
    #[must_use]
    pub fn next_task(&mut self) -> Option<TurnTask> {
        if self.stopped.is_some() || !self.waiting.is_empty() {
            return None;
        }
        let (mut searches_left, mut searches_now, mut calls_left) =
            (self.searches_left(), self.searches_now(), self.calls_left());
        let mut messages = self.course.shown_messages();
        if self.unread > 0 {
            messages.push(
                self.course.reminder("Your last answer held no tool call that can be read. Answer in the shape below."),
            );
        } else if self.is_closing {
            let why = if searches_left == 0 { "No search is left." } else { "The last calls could not be made." };
            messages.push(self.course.reminder(&format!("{why} Complete the directive with what was found.")));
            (searches_left, searches_now, calls_left) = (0, 0, 0);
        }
        Some(TurnTask {
            directive: self.order.directive.clone(),
            brief: self.order.brief.clone(),
            today: self.order.today.clone(),
            earlier: self.order.earlier.clone(),
            messages,
            searches_left,
            searches_now,
            calls_left,
        })
    }

    /// Takes the answer to [`Researcher::next_task`] and returns the actions to carry out, in order; may be empty. Calls beyond the budget,
    /// repeated ones and reads of an unknown address are answered here and cause no action.
    pub fn answered(&mut self, answer: Result<Turn, ParseFailure>) -> Vec<Action> {
        if self.stopped.is_some() || !self.waiting.is_empty() {
            return Vec::new();
        }
        self.turns += 1;
        let turn = match answer {
            Ok(turn) if !turn.calls.is_empty() => turn,
            Ok(_) | Err(ParseFailure) => {
                self.parse_failures += 1;
                self.unread += 1;
                if self.is_closing {
                    self.end(DirectiveStop::Budget);
                } else if self.unread > ASKED_AGAIN {
                    self.end(DirectiveStop::Failed);
                }
                self.end_over_turns();
                return Vec::new();
            }
        };
        self.unread = 0;
        let is_thought = turn.calls.iter().all(|call| matches!(call, ToolCall::Think { .. }));
        let actions = self.make(turn.calls);
        (self.idle, self.refused) = match (actions.is_empty(), is_thought) {
            (false, _) => (0, 0),
            (true, true) => (self.idle + 1, self.refused),
            (true, false) => (IDLE_TURNS, self.refused + 1),
        };
        self.settle();
        actions
    }

    /// Takes the outcome of the action with this `key`; an unknown key is ignored. The order in which outcomes arrive does not matter.
    pub fn told(&mut self, key: u32, outcome: ActionOutcome) {
        let Some(at) = self.waiting.iter().position(|part| part.key() == Some(key)) else { return };
        let said = match self.waiting[at] {
            CallResult::Search { place, .. } => self.record_search(place, outcome),
            CallResult::Read { place, .. } => self.have_read(place, outcome),
            CallResult::Said(_) => return,
        };
        self.waiting[at] = CallResult::Said(said);
        self.settle();
    }

    /// Counts unreadable answers that the caller retried itself.
    pub fn unreadable(&mut self, answers: u32) {
        self.parse_failures = self.parse_failures.saturating_add(answers);
    }

    /// Records that the last task overflowed the model's window: the next one is smaller.
    pub fn overflowed(&mut self) {
        self.course.record_overflow();
    }

    /// Records the messages that were left out when the last prompt was written, by [`precis_proto::task::TurnMessage::n`].
    pub fn left_out(&mut self, messages: &[u32]) {
        self.course.left_out(messages);
    }

    /// Ends the directive from outside; actions under way count as failed.
    pub fn stop(&mut self, why: DirectiveStop) {
        let open: Vec<u32> = self.waiting.iter().filter_map(CallResult::key).collect();
        for key in open {
            self.told(key, ActionOutcome::Failed("it was stopped before it was answered".to_owned()));
        }
        self.end(why);
    }

    /// Why the directive ended; `None` while it continues or actions are under way.
    #[must_use]
    pub fn finished(&self) -> Option<DirectiveStop> {
        let stop = self.stopped.filter(|_| self.waiting.is_empty())?;
        let made = || self.queries.iter().filter(|query| query.served != Served::Log);
        Some(match stop {
            // The outcome of its searches is more informative than how it ended.
            DirectiveStop::Complete | DirectiveStop::Budget if made().next().is_some() => {
                if made().all(|query| query.failure.is_some()) {
                    DirectiveStop::Failed
                } else if made().all(|query| query.hits == 0) {
                    DirectiveStop::NoResults
                } else {
                    stop
                }
            }
            stop => stop,
        })
    }

    /// The record of the directive.
    #[must_use]
    pub fn into_record(self) -> ResearcherRecord {
        let stopped = self.finished().unwrap_or(DirectiveStop::Stopped);
        let (notes, notes_cut) = record::notes(self.course.all());
        let thoughts = self.course.all().filter(|(_, role, _)| *role == TurnRole::Think);
        let thoughts = thoughts.map(|(_, _, text)| text.to_owned()).collect();
        let (dropped_messages, overflow_retries) = self.course.dropped_messages();
        ResearcherRecord {
            notes_fidelity: self.course.notes_fidelity(),
            stopped,
            queries: self.queries,
            reads: self.reads,
            turns: self.turns,
            tool_calls: self.calls,
            tool_parse_failures: self.parse_failures,
            dropped_messages,
            overflow_retries,
            excerpts_left_out: self.excerpts_left_out,
            notes,
            notes_cut,
            summary: self.summary,
            thoughts,
        }
    }

    /// Asks for completion in one last turn once no tool can do anything: no call is left, or no search and nothing new to read, or the
    /// last turns made nothing of what was left to search or read. Ends at once if there is nothing to sum up.
    fn close(&mut self) {
        let is_spent = self.calls_left() == 0;
        let is_searched = self.searches_left() == 0;
        let is_stuck = self.refused >= REFUSED_TURNS;
        if !(is_spent || is_stuck || is_searched && (self.idle >= IDLE_TURNS || !self.may_read())) {
            return;
        }
        if self.known.is_empty() {
            self.end(DirectiveStop::Budget);
        }
        self.is_closing = true;
    }

    /// Once no action is under way: records the turn's messages and ends the directive if it is complete or out of budget.
    fn settle(&mut self) {
        if self.waiting.iter().any(CallResult::is_open) {
            return;
        }
        if !self.waiting.is_empty() {
            self.course.push(join_messages(std::mem::take(&mut self.waiting)));
        }
        if let Some(summary) = self.completing.take() {
            self.summary = summary;
            self.end(DirectiveStop::Complete);
        }
        if self.is_closing {
            self.end(DirectiveStop::Budget);
        }
        self.close();
        self.end_over_turns();
    }
}
