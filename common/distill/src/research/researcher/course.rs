//! The messages of a directive: all are kept for the notes, only some are shown to the model.
//!
//! Results of earlier turns are shown as numbers, titles and addresses only, since the model's thoughts have what mattered in them. If that
//! is still too long, complete pairs of call and result are dropped, oldest first.

use precis_proto::research::DroppedMessage;
use precis_proto::task::{TurnMessage, TurnRole};

use crate::prompt::{TURN_PERCENT, messages_out};
use crate::tokens;

/// Share of the room for messages that is kept after each overflow, in percent. Chosen, not measured.
const OVERFLOW_PERCENT: u64 = 65;
/// Most tokens of the mark above a message.
const MARK_TOKENS: u64 = 24;

#[derive(Debug)]
pub(super) struct ResearcherCourse {
    entries: Vec<CourseEntry>,
    /// Tokens available for messages.
    room: u64,
    /// Number of recorded turns.
    turn: u32,
    dropped: Vec<DroppedMessage>,
    overflow_retries: u32,
}

#[derive(Debug)]
struct CourseEntry {
    role: TurnRole,
    text: String,
    /// Text shown in later turns; `None` if unchanged.
    short: Option<String>,
    /// Tokens of `text` and of the text shown later, each with its mark.
    costs: [u64; 2],
    turn: u32,
    /// Numbers of the documents it mentions.
    sources: Vec<u32>,
    is_dropped: bool,
}

/// A message of a turn.
#[derive(Debug)]
pub(super) struct TurnLine {
    pub(super) role: TurnRole,
    pub(super) text: String,
    /// Text shown in later turns; `None` if unchanged.
    pub(super) short: Option<String>,
    /// Numbers of the documents it mentions.
    pub(super) sources: Vec<u32>,
}

impl ResearcherCourse {
    pub(super) fn new(window: u64) -> Self {
        let room = window / 100 * TURN_PERCENT;
        Self { entries: Vec::new(), room, turn: 0, dropped: Vec::new(), overflow_retries: 0 }
    }

    /// Records the messages of one turn, in order.
    pub(super) fn push(&mut self, lines: Vec<TurnLine>) {
        self.turn += 1;
        for TurnLine { role, text, short, mut sources } in lines {
            sources.sort_unstable();
            sources.dedup();
            let cost = |text: &str| tokens::count(text) + MARK_TOKENS;
            let whole = cost(&text);
            let costs = [whole, short.as_deref().map_or(whole, cost)];
            self.entries.push(CourseEntry { role, text, short, costs, turn: self.turn, sources, is_dropped: false });
        }
    }

    /// The messages shown to the model, oldest first. Messages without room are dropped for good, so that what was shown never comes back.
    pub(super) fn shown(&mut self) -> Vec<TurnMessage> {
        let last = self.entries.iter().rev().find(|entry| entry.role == TurnRole::Result).map_or(0, |entry| entry.turn);
        let places: Vec<usize> = (0..self.entries.len()).filter(|at| !self.entries[*at].is_dropped).collect();
        let is_whole = |entry: &CourseEntry| entry.turn >= last;
        let message = |at: &usize| {
            let entry = &self.entries[*at];
            let text = entry.short.as_ref().filter(|_| !is_whole(entry)).unwrap_or(&entry.text);
            TurnMessage { n: *at as u32 + 1, role: entry.role, text: text.clone() }
        };
        let messages: Vec<TurnMessage> = places.iter().map(message).collect();
        let costs: Vec<u64> = places
            .iter()
            .map(|at| {
                let entry = &self.entries[*at];
                entry.costs[usize::from(!is_whole(entry))]
            })
            .collect();
        let out = messages_out(&messages, &costs, self.room);
        for at in &out {
            self.drop(places[*at], "window");
        }
        messages.into_iter().enumerate().filter(|(at, _)| !out.contains(at)).map(|(_, message)| message).collect()
    }

    /// A message that is shown once and not recorded.
    pub(super) fn reminder(&self, text: &str) -> TurnMessage {
        TurnMessage { n: self.entries.len() as u32 + 1, role: TurnRole::Reminder, text: text.to_owned() }
    }

    pub(super) fn overflowed(&mut self) {
        self.overflow_retries += 1;
        self.room = self.room * OVERFLOW_PERCENT / 100;
    }

    pub(super) fn left_out(&mut self, messages: &[u32]) {
        for n in messages {
            // Numbers count from 1; 0 wraps and finds nothing.
            let at = (*n as usize).wrapping_sub(1);
            if self.entries.get(at).is_some_and(|entry| !entry.is_dropped) {
                self.drop(at, "overflow");
            }
        }
    }

    fn drop(&mut self, at: usize, why: &str) {
        let entry = &mut self.entries[at];
        entry.is_dropped = true;
        let (role, sources) = (entry.role.as_str().to_owned(), entry.sources.clone());
        self.dropped.push(DroppedMessage { n: at as u32 + 1, role, why: why.to_owned(), sources });
    }

    /// All messages, as number, role and text.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = (usize, TurnRole, &str)> {
        self.entries.iter().enumerate().map(|(at, entry)| (at + 1, entry.role, entry.text.as_str()))
    }

    /// The dropped messages, in the order they were dropped, and the number of overflows.
    pub(super) fn dropped(&self) -> (Vec<DroppedMessage>, u32) {
        (self.dropped.clone(), self.overflow_retries)
    }
}
