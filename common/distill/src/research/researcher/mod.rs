//! A researcher: one directive, from its first search to its end, without waiting for anything itself.
//!
//! It says what to ask a model, takes the model's calls, says what to search and to read, and takes what that brought. Whoever runs
//! it does the asking. Whatever the model answers, no share of the budget is passed, and it ends: see [`Researcher`].
//!
//! | file | what it owns |
//! | --- | --- |
//! | `order` | what a researcher is given, and what it asks for |
//! | `outcome` | what a search and a read bring |
//! | `course` | the messages, what of them is shown, and what was dropped |
//! | `repeats` | queries made before |
//! | `results` | results as a model reads them |
//! | `seen_results` | documents by their numbers, and which passages are new |
//! | `state` | what a researcher knows, has spent and waits for |
//! | `call_result` | what a call of a turn brings, and what of it is said |
//! | `step` | the calls of a turn: which are made, refused or answered from the log |
//! | `record` | what is left when it has ended |

mod call_result;
mod course;
mod order;
mod outcome;
mod record;
mod repeats;
mod results;
mod seen_results;
mod state;
mod step;

#[cfg(test)]
mod tests;

use precis_proto::research::{DirectiveStop, Served};
use precis_proto::task::{Turn, TurnTask};

use call_result::{CallResult, joined};
pub use order::{Action, ParseFailure, ResearcherOrder};
pub use outcome::{ActionOutcome, Novelty, ResultView, SearchResults};
pub use record::{MAX_NOTES_CHARS, ReadRecord, ResearcherRecord};
pub(super) use repeats::normalized;
pub use results::EXCERPT_CHARS;
pub use seen_results::SeenResults;
pub use state::{Researcher, TURNS_PER_CALL};
pub use step::THOUGHTS_IN_A_ROW;

/// Charged calls of a directive where nothing else is said.
pub const DEFAULT_CALLS: u32 = 10;
/// How often an answer that cannot be read is asked for again.
pub const ASKED_AGAIN: u32 = 2;

impl Researcher {
    /// What to ask a model next; `None` where it has ended, or while what it has asked for is under way.
    #[must_use]
    pub fn next_task(&mut self) -> Option<TurnTask> {
        if self.stopped.is_some() || !self.waiting.is_empty() {
            return None;
        }
        let (searches_left, calls_left) = (self.searches_left(), self.calls_left());
        let mut messages = self.course.shown();
        if self.unread > 0 {
            messages.push(
                self.course.reminder("Your last answer held no tool call that can be read. Answer in the shape below."),
            );
        } else if self.is_closing {
            messages.push(self.course.reminder("Nothing is left to search or read with. Complete the directive."));
        }
        Some(TurnTask {
            directive: self.order.directive.clone(),
            brief: self.order.brief.clone(),
            today: self.order.today.clone(),
            messages,
            searches_left,
            calls_left,
        })
    }

    /// Takes the answer to [`Researcher::next_task`], and says what is to be done, in order; empty where that is nothing. A call that
    /// is over the budget, repeated or of an unknown address is answered here and not done.
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
        let actions = self.make(turn.calls);
        self.settle();
        actions
    }

    /// Takes what the action of `key` brought. What was not asked for is ignored.
    ///
    /// In which order outcomes are told changes nothing.
    pub fn told(&mut self, key: u32, outcome: ActionOutcome) {
        let Some(at) = self.waiting.iter().position(|part| part.key() == Some(key)) else { return };
        let said = match self.waiting[at] {
            CallResult::Search { place, .. } => self.searched(place, outcome),
            CallResult::Read { place, .. } => self.have_read(place, outcome),
            CallResult::Said(_) => return,
        };
        self.waiting[at] = CallResult::Said(said);
        self.settle();
    }

    /// Notes answers that whoever asked the model could not read and asked for again without telling.
    pub fn unreadable(&mut self, answers: u32) {
        self.parse_failures = self.parse_failures.saturating_add(answers);
    }

    /// Notes that the last task overflowed the window of its model: the next one is smaller, or of the same question again.
    pub fn overflowed(&mut self) {
        self.course.overflowed();
    }

    /// Notes the messages of the last task that were left out where it was written, by [`precis_proto::task::TurnMessage::n`].
    pub fn left_out(&mut self, messages: &[u32]) {
        self.course.left_out(messages);
    }

    /// Ends it from outside; what is under way is not waited for.
    pub fn stop(&mut self, why: DirectiveStop) {
        let open: Vec<u32> = self.waiting.iter().filter_map(CallResult::key).collect();
        for key in open {
            self.told(key, ActionOutcome::Failed("it was stopped before it was answered".to_owned()));
        }
        self.end(why);
    }

    /// Why it has ended; `None` while it goes on, or while what it has asked for is under way.
    #[must_use]
    pub fn finished(&self) -> Option<DirectiveStop> {
        let stop = self.stopped.filter(|_| self.waiting.is_empty())?;
        let made = || self.queries.iter().filter(|query| query.served != Served::Log);
        Some(match stop {
            // What its searches brought says more than how it ended.
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

    /// What is left of it.
    #[must_use]
    pub fn into_record(self) -> ResearcherRecord {
        let stopped = self.finished().unwrap_or(DirectiveStop::Stopped);
        let (notes, notes_cut) = record::notes(self.course.all());
        let (dropped_messages, overflow_retries) = self.course.dropped();
        ResearcherRecord {
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
        }
    }

    /// Once all that was asked for is there: writes it down, and sees whether that was the end.
    fn settle(&mut self) {
        if self.waiting.iter().any(CallResult::is_open) {
            return;
        }
        if !self.waiting.is_empty() {
            self.course.push(joined(std::mem::take(&mut self.waiting)));
        }
        if let Some(summary) = self.completing.take() {
            self.summary = summary;
            self.end(DirectiveStop::Complete);
        }
        if self.is_closing {
            self.end(DirectiveStop::Budget);
        }
        self.is_closing = self.calls_left() == 0;
        self.end_over_turns();
    }
}
