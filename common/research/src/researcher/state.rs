//! The state of a researcher: results known, budget spent, actions under way.

use std::collections::BTreeMap;

use precis_proto::research::{DirectiveStop, Query, SeenDocument};

use super::call_result::CallResult;
use super::course::ResearcherCourse;
use super::order::ResearcherOrder;
use super::record::ReadRecord;
use super::repeats::QueryRepeats;

/// Rounds of search, think, search that a researcher can make, whatever it asks for first.
pub const LEAST_ROUNDS: u32 = 3;
/// Turns of the model allowed for each charged call.
pub const TURNS_PER_CALL: u32 = 3;

/// A result that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KnownResult {
    pub(super) number: String,
    pub(super) address: String,
    /// When it was published; empty if unknown.
    pub(super) published: String,
}

/// The results that were found in earlier rounds.
fn known_before(seen: &[SeenDocument]) -> BTreeMap<String, KnownResult> {
    let both = |one: &SeenDocument| {
        let address = one.address.clone().unwrap_or_else(|| one.document.clone());
        let result = KnownResult { number: one.number.to_string(), address, published: String::new() };
        [(result.number.clone(), result.clone()), (result.address.clone(), result)]
    };
    seen.iter().flat_map(both).collect()
}

/// The state machine of one directive.
///
/// Loop: give [`Researcher::next_task`] to a model, pass its answer to [`Researcher::answered`], carry out the returned actions and pass
/// their outcomes to [`Researcher::told`], until [`Researcher::finished`] returns a reason. It ends after at most [`TURNS_PER_CALL`] turns
/// for each granted call.
#[derive(Debug)]
pub struct Researcher {
    pub(super) order: ResearcherOrder,
    pub(super) course: ResearcherCourse,
    pub(super) repeats: QueryRepeats,
    pub(super) queries: Vec<Query>,
    pub(super) reads: Vec<ReadRecord>,
    /// Results, keyed by number and by address.
    pub(super) known: BTreeMap<String, KnownResult>,
    /// For each number that was read, the last page read and the number of pages.
    pub(super) pages: BTreeMap<String, (u32, u32)>,
    /// Repeated read requests of each result, by number and page.
    pub(super) again: BTreeMap<(String, Option<u32>), usize>,
    /// Results of the last turn's calls so far, in order; empty between turns.
    pub(super) waiting: Vec<CallResult>,
    pub(super) next_key: u32,
    pub(super) turns: u32,
    /// Charged calls, searches among them.
    pub(super) calls: u32,
    pub(super) searches: u32,
    pub(super) parse_failures: u32,
    /// Parse failures in a row.
    pub(super) unread: u32,
    pub(super) thoughts_in_a_row: u32,
    /// Turns in a row that caused no search and no read; one that asks for what cannot be had counts as more.
    pub(super) idle: u32,
    /// Turns that asked for what cannot be had since the last search or read.
    pub(super) refused: u32,
    /// Calls for a search that made one.
    pub(super) search_calls: u32,
    /// Whether there was a thought since the last search.
    pub(super) has_thought: bool,
    /// The model's closing summary, while its last calls are under way.
    pub(super) completing: Option<String>,
    /// Whether the budget is spent and the model was asked to complete.
    pub(super) is_closing: bool,
    pub(super) summary: String,
    pub(super) excerpts_left_out: u32,
    pub(super) stopped: Option<DirectiveStop>,
}

impl Researcher {
    /// A researcher before its first turn. If no call or no search is granted, it has ended at once.
    #[must_use]
    pub fn new(order: ResearcherOrder) -> Self {
        let nothing = order.calls == 0 || order.searches == 0;
        Self {
            course: ResearcherCourse::new(order.window),
            repeats: QueryRepeats::new(&order.asked),
            queries: Vec::new(),
            reads: Vec::new(),
            known: known_before(&order.seen),
            pages: BTreeMap::new(),
            again: BTreeMap::new(),
            waiting: Vec::new(),
            next_key: 1,
            turns: 0,
            calls: 0,
            searches: 0,
            parse_failures: 0,
            unread: 0,
            thoughts_in_a_row: 0,
            idle: 0,
            refused: 0,
            search_calls: 0,
            has_thought: false,
            completing: None,
            is_closing: false,
            summary: String::new(),
            excerpts_left_out: 0,
            stopped: nothing.then_some(DirectiveStop::Budget),
            order,
        }
    }

    pub(super) fn calls_left(&self) -> u32 {
        self.order.calls.saturating_sub(self.calls)
    }

    pub(super) fn searches_left(&self) -> u32 {
        self.order.searches.saturating_sub(self.searches).min(self.calls_left())
    }

    /// Searches that may be made in the next call: enough are kept for [`LEAST_ROUNDS`] of search, think, search.
    pub(super) fn searches_now(&self) -> u32 {
        let left = self.searches_left();
        let owed = LEAST_ROUNDS.saturating_sub(self.search_calls + 1);
        left.saturating_sub(owed).max(left.min(1))
    }

    /// Whether there is a result of which a page was not read yet.
    pub(super) fn may_read(&self) -> bool {
        let is_unread = |result: &KnownResult| {
            let pages = self.pages.get(&result.number).map_or(1, |(_, of)| *of as usize);
            self.reads.iter().filter(|read| read.number == result.number).count() < pages
        };
        self.calls_left() > 0 && self.known.values().any(is_unread)
    }

    pub(super) fn end(&mut self, why: DirectiveStop) {
        self.stopped.get_or_insert(why);
    }

    pub(super) fn end_over_turns(&mut self) {
        if self.turns >= self.order.calls.saturating_mul(TURNS_PER_CALL) {
            self.end(DirectiveStop::Budget);
        }
    }
}
