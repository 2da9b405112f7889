//! What is left of a directive when it has ended.

use precis_proto::research::{DirectiveStop, DroppedMessage, Query};
use precis_proto::task::TurnRole;

/// Most characters of the raw notes of a directive.
pub const MAX_NOTES_CHARS: usize = 50_000;

/// A directive that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearcherRecord {
    /// Why it ended.
    pub stopped: DirectiveStop,
    /// Its queries in order, those answered from the log among them.
    pub queries: Vec<Query>,
    /// What was to be read, in order.
    pub reads: Vec<ReadRecord>,
    /// Turns of a model.
    pub turns: u32,
    /// Charged calls: searches and reads that were made.
    pub tool_calls: u32,
    /// Answers of a model that held no tool call that could be read.
    pub tool_parse_failures: u32,
    /// Messages that were dropped to make room, in the order in which they were.
    pub dropped_messages: Vec<DroppedMessage>,
    /// How often a task was made smaller because its model said that it overflows.
    pub overflow_retries: u32,
    /// Excerpts that did not stand in their text and were not shown.
    pub excerpts_left_out: u32,
    /// All that was said, at most [`MAX_NOTES_CHARS`] characters; the oldest is cut.
    pub notes: String,
    /// Characters that were cut of them.
    pub notes_cut: usize,
    /// What the model said at the end; empty where it did not.
    pub summary: String,
}

/// A result that was to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRecord {
    /// Its number as a search gave it; empty where no search did.
    pub number: String,
    /// Its address; what the model wrote where no search gave one.
    pub address: String,
    /// Whether it was read.
    pub is_read: bool,
    /// Why not, in words; absent where it was.
    pub failure: Option<String>,
}

/// What was `said`, each below its number and role, from the end on as far as there is room, and the characters that were cut.
pub(super) fn notes<'s>(said: impl DoubleEndedIterator<Item = (usize, TurnRole, &'s str)>) -> (String, usize) {
    let all: Vec<String> = said.map(|(n, role, text)| format!("[{n} {}]\n{text}\n", role.as_str())).collect();
    let text = all.join("\n");
    let cut = text.chars().count().saturating_sub(MAX_NOTES_CHARS);
    let from = text.char_indices().nth(cut).map_or(text.len(), |(at, _)| at);
    (text[from..].to_owned(), cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_the_notes_is_cut() {
        let frame = "[1 think]\n\n".chars().count();
        for (chars, cut) in
            [(MAX_NOTES_CHARS - frame - 1, 0), (MAX_NOTES_CHARS - frame, 0), (MAX_NOTES_CHARS - frame + 1, 1)]
        {
            let text = "é".repeat(chars);
            let (notes, lost) = notes([(1, TurnRole::Think, text.as_str())].into_iter());
            assert_eq!((lost, notes.chars().count()), (cut, (chars + frame).min(MAX_NOTES_CHARS)), "{chars}");
        }
        let long = "x".repeat(MAX_NOTES_CHARS);
        let (notes, lost) = notes([(1, TurnRole::Think, long.as_str()), (2, TurnRole::Result, "last")].into_iter());
        assert!(notes.ends_with("[2 result]\nlast\n") && lost > 0);
        assert_eq!(super::notes(std::iter::empty()), (String::new(), 0));
    }
}
