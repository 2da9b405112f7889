//! The messages of a directive: all are kept for the notes, only some are shown to the model.
//!
//! Results of earlier turns are shown as numbers, titles and addresses only, since the model's thoughts have what mattered in them. If that
//! is still too long, complete pairs of call and result are dropped, oldest first.

use std::collections::BTreeMap;

use precis_context::prompt::{TURN_PERCENT, messages_out};
use precis_proto::fidelity::FidelityLevel;
use precis_proto::research::{DroppedMessage, NotesFidelity};
use precis_proto::task::{TurnMessage, TurnRole};
use precis_text::tokens;

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
    pub(super) fn shown_messages(&mut self) -> Vec<TurnMessage> {
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

    pub(super) fn record_overflow(&mut self) {
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

    /// The documents that the dropped messages mention, by number, with the level of what is left about each.
    pub(super) fn notes_fidelity(&self) -> Vec<NotesFidelity> {
        let mut tokens: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for entry in &self.entries {
            let whole = entry.costs[0] - MARK_TOKENS;
            for number in &entry.sources {
                let (before, after) = tokens.entry(*number).or_default();
                *before += whole;
                *after += if entry.is_dropped { 0 } else { whole };
            }
        }
        let lowered = tokens.into_iter().filter(|(_, (before, after))| after < before);
        lowered
            .map(|(n, (tokens_before, tokens_after))| {
                let level = level_of_notes(tokens_before, tokens_after);
                NotesFidelity { n, level, tokens_before, tokens_after }
            })
            .collect()
    }

    /// The dropped messages, in the order they were dropped, and the number of overflows.
    pub(super) fn dropped_messages(&self) -> (Vec<DroppedMessage>, u32) {
        (self.dropped.clone(), self.overflow_retries)
    }
}

/// The level of notes of which `after` tokens are left: each level stands for at least half, a quarter, or any part of them.
fn level_of_notes(before: u64, after: u64) -> FidelityLevel {
    match () {
        () if after >= before => FidelityLevel::Raw,
        () if after.saturating_mul(2) >= before => FidelityLevel::Condensed,
        () if after.saturating_mul(4) >= before => FidelityLevel::KeyPoints,
        () if after > 0 => FidelityLevel::Headline,
        () => FidelityLevel::Dropped,
    }
}

#[cfg(test)]
mod tests {
    use FidelityLevel::{Condensed, Dropped, Headline, KeyPoints, Raw};

    use super::*;

    #[test]
    fn notes_have_the_level_of_the_share_that_is_left() {
        for (after, want) in [
            (0, Dropped),
            (1, Headline),
            (24, Headline),
            (25, KeyPoints),
            (49, KeyPoints),
            (50, Condensed),
            (99, Condensed),
            (100, Raw),
        ] {
            assert_eq!(level_of_notes(100, after), want, "{after}");
        }
        assert_eq!(level_of_notes(0, 0), Raw);
    }

    fn line(text: &str, sources: &[u32]) -> TurnLine {
        TurnLine { role: TurnRole::Result, text: text.to_owned(), short: None, sources: sources.to_vec() }
    }

    #[test]
    fn a_dropped_message_lowers_only_notes_of_mentioned_documents() {
        let mut course = ResearcherCourse::new(100_000);
        for (text, sources) in [("one two three", &[4, 7][..]), ("one two three", &[4]), ("one two three", &[9])] {
            course.push(vec![line(text, sources)]);
        }
        assert_eq!(course.notes_fidelity(), []);
        course.left_out(&[1]);
        let whole = tokens::count("one two three");
        let left = |n, level, tokens_before, tokens_after| NotesFidelity { n, level, tokens_before, tokens_after };
        assert_eq!(course.notes_fidelity(), [left(4, Condensed, 2 * whole, whole), left(7, Dropped, whole, 0)]);
    }
}
