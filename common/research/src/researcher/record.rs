//! The record of an ended directive.

use precis_proto::research::{DirectiveStop, DroppedMessage, NotesFidelity, Query};
use precis_proto::task::TurnRole;

/// Most characters of the raw notes of a directive.
pub const MAX_NOTES_CHARS: usize = 50_000;

/// The record of an ended directive.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearcherRecord {
    /// Why it ended.
    pub stopped: DirectiveStop,
    /// Its queries in order, including those answered from the log.
    pub queries: Vec<Query>,
    /// Its reads in order, including failed ones.
    pub reads: Vec<ReadRecord>,
    /// Turns of the model.
    pub turns: u32,
    /// Charged calls: searches and reads that were made.
    pub tool_calls: u32,
    /// Answers of the model without a readable tool call.
    pub tool_parse_failures: u32,
    /// Messages dropped to make room, in the order they were dropped.
    pub dropped_messages: Vec<DroppedMessage>,
    /// The documents that these messages mention, by number, with what is left about each.
    pub notes_fidelity: Vec<NotesFidelity>,
    /// How often a task was made smaller because it overflowed the model's window.
    pub overflow_retries: u32,
    /// Excerpts that were not shown because they do not occur in their text.
    pub excerpts_left_out: u32,
    /// The text of all messages, at most [`MAX_NOTES_CHARS`] characters; cut at the beginning.
    pub notes: String,
    /// Characters cut from the notes.
    pub notes_cut: usize,
    /// The model's closing summary; empty if it gave none.
    pub summary: String,
    /// The model's thoughts, in order.
    pub thoughts: Vec<String>,
}

/// A read that was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRecord {
    /// Number of the search result; empty if no search returned it.
    pub number: String,
    /// Address of the search result; the model's text if no search returned it.
    pub address: String,
    /// The page that was asked for, then the one that was read; `None` for the one with the best passage.
    pub page: Option<u32>,
    /// Whether it was read.
    pub is_read: bool,
    /// Why it was not read; `None` if it was.
    pub failure: Option<String>,
}

/// The `messages` as one text, each after a line with its number and role, cut at the beginning to [`MAX_NOTES_CHARS`]; and the number of
/// characters cut.
pub(super) fn notes<'s>(messages: impl DoubleEndedIterator<Item = (usize, TurnRole, &'s str)>) -> (String, usize) {
    let all: Vec<String> = messages.map(|(n, role, text)| format!("[{n} {}]\n{text}\n", role.as_str())).collect();
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
