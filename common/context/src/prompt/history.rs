//! Fits earlier turns into a budget: tool results are shortened, the oldest complete turns are left out, then long answers are cut. The
//! latest turn always stays, because the question continues it.

use precis_proto::prior::{Said, SpeakerRole};

use super::carried_context::preview;
use crate::truncate::{self, Count};

/// Most messages considered, the latest ones. Tokens decide what is sent; this bounds the counting. Chosen, not measured.
pub const MAX_MESSAGES: usize = 100;
/// Characters kept of a tool result. Chosen, not measured.
pub const TOOL_RESULT_CHARS: usize = 200;
/// Characters to which answers are cut if leaving out turns does not make enough room. Chosen, not measured.
const LONG_ANSWER_CHARS: usize = 2_000;

/// A history fitted into a budget.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FittedHistory {
    /// The text sent, each message after its mark line; may be empty.
    pub(super) text: String,
    /// Tokens of the whole history as given.
    pub(super) offered: u64,
    /// Tokens of `text`; at most the budget.
    pub(super) tokens: u64,
    /// Turns left out.
    pub(super) turns_dropped: usize,
    /// Turns given.
    pub(super) turns: usize,
    /// Messages sent with a shortened tool result.
    pub(super) results_cut: usize,
    /// Whether the latest turn had to be cut.
    pub(super) is_cut: bool,
}

/// A history with its turns counted.
pub(super) struct History<'a> {
    /// Oldest first.
    turns: Vec<HistoryTurn>,
    nonce: &'a str,
}

/// A question and its answers.
#[derive(Default)]
struct HistoryTurn {
    /// Its messages, tool results shortened.
    said: Vec<Said>,
    /// Messages that were shortened.
    results_cut: usize,
    /// Tokens as given, and of `said`.
    offered: u64,
    tokens: u64,
}

impl HistoryTurn {
    fn from_messages(given: &[&Said], nonce: &str, count: Count<'_>) -> Self {
        let said: Vec<Said> = given.iter().map(|message| compact(message)).collect();
        let results_cut =
            given.iter().zip(&said).filter(|(given, said)| given.content.trim() != said.content.trim()).count();
        let tokens = count(&render_messages(&said, nonce));
        let offered = match results_cut {
            0 => tokens,
            _ => count(&render_messages(given.iter().copied(), nonce)).max(tokens),
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

    /// Tokens of all turns as given.
    pub(super) fn offered_tokens(&self) -> u64 {
        self.turns.iter().map(|turn| turn.offered).sum()
    }

    /// Tokens of all turns as they would be sent.
    pub(super) fn wanted_tokens(&self) -> u64 {
        self.turns.iter().map(|turn| turn.tokens).sum()
    }

    /// Tokens of the latest turn; 0 if there is none.
    pub(super) fn latest(&self) -> u64 {
        self.turns.last().map_or(0, |turn| turn.tokens)
    }

    /// As many of the latest turns as fit `budget`; of the latest one at least its beginning, if anything fits.
    pub(super) fn within(&self, budget: u64, count: Count<'_>) -> FittedHistory {
        let mut kept =
            FittedHistory { offered: self.offered_tokens(), turns: self.turns.len(), ..FittedHistory::default() };
        if self.turns.is_empty() {
            return kept;
        }
        let mut first = self.first_within(budget);
        loop {
            let text: String = self.turns[first..].iter().map(|turn| render_messages(&turn.said, self.nonce)).collect();
            let tokens = count(&text);
            if tokens <= budget {
                let results_cut = self.turns[first..].iter().map(|turn| turn.results_cut).sum();
                if first == 0 && results_cut == 0 {
                    // Joined turns may cost less than their sum: nothing was dropped, so report equal numbers.
                    kept.offered = tokens;
                }
                return FittedHistory { text, tokens, turns_dropped: first, results_cut, ..kept };
            }
            // Joined turns may cost more than their sum: leave out one more.
            if first + 1 == self.turns.len() {
                break;
            }
            first += 1;
        }
        let (text, tokens) = self.latest_within(budget, count);
        kept.turns_dropped = self.turns.len() - usize::from(!text.is_empty());
        FittedHistory { text, tokens, is_cut: true, ..kept }
    }

    /// Index of the first of the latest turns that fit `budget` and [`MAX_MESSAGES`]; that of the latest if none fits.
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

    /// The latest turn in at most `budget` tokens: long answers are cut first, then the longest message, answers before the question.
    fn latest_within(&self, budget: u64, count: Count<'_>) -> (String, u64) {
        let mut turn = self.turns.last().map(|turn| turn.said.clone()).unwrap_or_default();
        for answer in turn.iter_mut().filter(|m| m.role != SpeakerRole::User) {
            answer.content = preview(&answer.content, LONG_ANSWER_CHARS);
        }
        let mut limit = budget;
        loop {
            let text = render_messages(&turn, self.nonce);
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

/// The latest [`MAX_MESSAGES`] messages with tool results shortened, to be carried into the next session.
#[must_use]
pub fn compacted_history(said: &[Said]) -> Vec<Said> {
    said[said.len().saturating_sub(MAX_MESSAGES)..].iter().map(compact).collect()
}

/// The text of messages, each after a line `#NONCE said ROLE`.
fn render_messages<'m>(turn: impl IntoIterator<Item = &'m Said>, nonce: &str) -> String {
    turn.into_iter().map(|m| format!("#{nonce} said {}\n{}\n", m.role.as_str(), m.content.trim())).collect()
}

/// The message with tool results shortened: a tool's whole message, or the [`RESULT_TAGS`] elements in an answer.
fn compact(message: &Said) -> Said {
    let content = match message.role {
        SpeakerRole::Tool => preview(message.content.trim(), TOOL_RESULT_CHARS),
        SpeakerRole::Assistant => without_results(&message.content),
        SpeakerRole::User => message.content.clone(),
    };
    Said { role: message.role, content }
}

/// Elements that contain tool results: the first three of note-taking assistants, the others of model vendors.
const RESULT_TAGS: [&str; 6] =
    ["localSearch", "readNote", "note_context", "tool_result", "tool_response", "web_search"];

fn without_results(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((body, end)) = next_result(rest) {
        out.push_str(&rest[..body.start]);
        out.push_str(&preview(rest[body.clone()].trim(), TOOL_RESULT_CHARS));
        out.push_str(&rest[body.end..end]);
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The next tool result element: the range of its body, and its end, which is never 0.
fn next_result(text: &str) -> Option<(std::ops::Range<usize>, usize)> {
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
            Some((body..end, end + close.len()))
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
