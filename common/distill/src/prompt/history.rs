//! Earlier turns within a budget: tool results shortened, the oldest complete turns left out first, then long answers cut; the
//! latest turn always stays, as it is what a question continues.

use precis_proto::prior::{Said, SpeakerRole};

use super::carried_context::preview;
use super::{Count, truncate};

/// Most messages looked at, the latest ones. Tokens decide what is sent; this bounds what is counted. Chosen, not
/// measured.
pub const MAX_MESSAGES: usize = 100;
/// Characters kept of what a tool returned. Chosen, not measured.
pub const TOOL_RESULT_CHARS: usize = 200;
/// An answer longer than this is cut where turns alone do not make room, in characters. Chosen, not measured.
const LONG_ANSWER_CHARS: usize = 2_000;

/// What is left of a history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FittedHistory {
    /// As it is shown, each message below its mark; empty where there is none.
    pub(super) text: String,
    /// Tokens of the whole history as it was given.
    pub(super) offered: u64,
    /// Tokens of `text`; at most the budget.
    pub(super) tokens: u64,
    /// Turns left out.
    pub(super) turns_dropped: usize,
    /// Turns there were.
    pub(super) turns: usize,
    /// Messages sent of which a tool's result was cut.
    pub(super) results_cut: usize,
    /// Whether the latest turn had to be cut.
    pub(super) is_cut: bool,
}

/// A history that was counted once.
pub(super) struct History<'a> {
    /// Oldest first.
    turns: Vec<HistoryTurn>,
    nonce: &'a str,
}

/// A question and what was answered.
#[derive(Default)]
struct HistoryTurn {
    /// With tool results shortened.
    said: Vec<Said>,
    /// Messages that were shortened.
    results_cut: usize,
    /// Tokens as they were given, and of `said`.
    offered: u64,
    tokens: u64,
}

impl HistoryTurn {
    fn from_messages(given: &[&Said], nonce: &str, count: Count<'_>) -> Self {
        let said: Vec<Said> = given.iter().map(|message| compacted(message)).collect();
        let results_cut =
            given.iter().zip(&said).filter(|(given, said)| given.content.trim() != said.content.trim()).count();
        let tokens = count(&shown(&said, nonce));
        let offered = match results_cut {
            0 => tokens,
            _ => count(&shown(given.iter().copied(), nonce)).max(tokens),
        };
        Self { said, results_cut, offered, tokens }
    }
}

impl<'a> History<'a> {
    /// Shortens tool results, groups messages into turns and counts them.
    pub(super) fn new(said: &[Said], nonce: &'a str, count: Count<'_>) -> Self {
        let mut turns: Vec<Vec<&Said>> = Vec::new();
        for message in said.iter().filter(|m| !m.content.trim().is_empty()) {
            match turns.last_mut() {
                Some(turn) if message.role != SpeakerRole::User => turn.push(message),
                _ => turns.push(vec![message]),
            }
        }
        Self { turns: turns.iter().map(|turn| HistoryTurn::from_messages(turn, nonce, count)).collect(), nonce }
    }

    /// Tokens of all turns as they were given.
    pub(super) fn offered(&self) -> u64 {
        self.turns.iter().map(|turn| turn.offered).sum()
    }

    /// Tokens of all turns as they would be sent.
    pub(super) fn wanted(&self) -> u64 {
        self.turns.iter().map(|turn| turn.tokens).sum()
    }

    /// Tokens of the latest turn; 0 where there is none.
    pub(super) fn latest(&self) -> u64 {
        self.turns.last().map_or(0, |turn| turn.tokens)
    }

    /// As many of the latest turns as cost at most `budget`; of the latest one at least its beginning, where anything fits.
    pub(super) fn within(&self, budget: u64, count: Count<'_>) -> FittedHistory {
        let mut kept = FittedHistory { offered: self.offered(), turns: self.turns.len(), ..FittedHistory::default() };
        if self.turns.is_empty() {
            return kept;
        }
        let mut first = self.first_within(budget);
        loop {
            let text: String = self.turns[first..].iter().map(|turn| shown(&turn.said, self.nonce)).collect();
            let tokens = count(&text);
            if tokens <= budget {
                let results_cut = self.turns[first..].iter().map(|turn| turn.results_cut).sum();
                if first == 0 && results_cut == 0 {
                    // Turns may cost less together than alone: what is sent whole has lost nothing.
                    kept.offered = tokens;
                }
                return FittedHistory { text, tokens, turns_dropped: first, results_cut, ..kept };
            }
            // Turns may cost more together than alone.
            if first + 1 == self.turns.len() {
                break;
            }
            first += 1;
        }
        let (text, tokens) = self.latest_within(budget, count);
        kept.turns_dropped = self.turns.len() - usize::from(!text.is_empty());
        FittedHistory { text, tokens, is_cut: true, ..kept }
    }

    /// The first turn of the longest run of latest ones that costs at most `budget`; the latest one in any case.
    fn first_within(&self, budget: u64) -> usize {
        let newest = self.turns.len() - 1;
        let (mut first, mut sum, mut messages) = (newest, self.latest(), self.turns[newest].said.len());
        for at in (0..newest).rev() {
            let turn = &self.turns[at];
            (sum, messages) = (sum + turn.tokens, messages + turn.said.len());
            if sum > budget || messages > MAX_MESSAGES {
                break;
            }
            first = at;
        }
        first
    }

    /// The latest turn in at most `budget` tokens: long answers cut, then whatever is longest.
    fn latest_within(&self, budget: u64, count: Count<'_>) -> (String, u64) {
        let mut turn = self.turns.last().map(|turn| turn.said.clone()).unwrap_or_default();
        for answer in turn.iter_mut().filter(|m| m.role != SpeakerRole::User) {
            answer.content = preview(&answer.content, LONG_ANSWER_CHARS);
        }
        let mut limit = budget;
        loop {
            let text = shown(&turn, self.nonce);
            let tokens = count(&text);
            if tokens <= budget {
                return (text, tokens);
            }
            let longest = turn.iter_mut().max_by_key(|m| (m.role != SpeakerRole::User, m.content.len()));
            let Some(longest) = longest.filter(|m| !m.content.is_empty()) else { break };
            limit = count(&longest.content).saturating_sub(tokens - budget + 2).min(limit);
            longest.content = truncate::prefix(&longest.content, limit, count).trim_end().to_owned();
            turn.retain(|m| !m.content.is_empty());
            limit = budget;
        }
        (String::new(), 0)
    }
}

/// The latest [`MAX_MESSAGES`] messages with tool results shortened: what a next session need carry of them.
#[must_use]
pub fn compacted_history(said: &[Said]) -> Vec<Said> {
    said[said.len().saturating_sub(MAX_MESSAGES)..].iter().map(compacted).collect()
}

/// Messages as they are shown, each below a line `#NONCE said ROLE`.
fn shown<'m>(turn: impl IntoIterator<Item = &'m Said>, nonce: &str) -> String {
    turn.into_iter().map(|m| format!("#{nonce} said {}\n{}\n", m.role.as_str(), m.content.trim())).collect()
}

/// The message with tool results shortened: a tool's whole message, and `<tag>…</tag>` blocks of tools in an answer.
fn compacted(message: &Said) -> Said {
    let content = match message.role {
        SpeakerRole::Tool => preview(message.content.trim(), TOOL_RESULT_CHARS),
        SpeakerRole::Assistant => without_results(&message.content),
        SpeakerRole::User => message.content.clone(),
    };
    Said { role: message.role, content }
}

/// Elements that hold what a tool returned: the first three are those of note-taking assistants, the others those of model vendors.
const RESULT_TAGS: [&str; 6] =
    ["localSearch", "readNote", "note_context", "tool_result", "tool_response", "web_search"];

fn without_results(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((start, body, end)) = next_result(rest) {
        out.push_str(&rest[..body.start]);
        out.push_str(&preview(rest[body.clone()].trim(), TOOL_RESULT_CHARS));
        out.push_str(&rest[body.end..end]);
        debug_assert!(start < end, "an element has a length");
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The next element of a tool: where it begins, its body, where it ends.
fn next_result(text: &str) -> Option<(usize, std::ops::Range<usize>, usize)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('<').map(|at| from + at) {
        let name = RESULT_TAGS.iter().find(|tag| {
            let behind = text[at + 1..].strip_prefix(**tag);
            behind.is_some_and(|rest| rest.starts_with(['>', ' ', '\n']))
        });
        let element = name.and_then(|name| {
            let body = at + text[at..].find('>')? + 1;
            let close = format!("</{name}>");
            let end = body + text[body..].find(&close)?;
            Some((at, body..end, end + close.len()))
        });
        if element.is_some() {
            return element;
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests;
