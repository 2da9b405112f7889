//! The layers of a payload, from the fixed rules to the current question, and the tokens of each.
//!
//! | layer | holds |
//! | --- | --- |
//! | L1 | the rules, the same for every call of a task kind, and the background of the project |
//! | L2 | context carried over from earlier turns, as headings and previews |
//! | L3 | the evidence of this turn |
//! | L4 | earlier turns |
//! | L5 | the question and the shape of the answer |
//!
//! Everything except rules and question is untrusted: it is enclosed in marks and cut if it does not fit. L2 and L4 are empty for a session
//! without earlier ones and for tasks that need only their own text.

use precis_proto::closed_words;

use crate::truncate::Count;

closed_words! {
    /// A layer of a payload.
    #[derive(PartialOrd, Ord)]
    pub enum Layer {
        /// The rules.
        System => "L1",
        /// Context carried over.
        Previous => "L2",
        /// The evidence of this turn.
        Evidence => "L3",
        /// Earlier turns.
        History => "L4",
        /// The question.
        User => "L5",
    }
}

/// Tokens of one layer of one payload. `estimated = kept + dropped`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerCount {
    /// The layer.
    pub layer: Layer,
    /// Tokens offered.
    pub estimated: u64,
    /// Tokens allowed: the input room minus the layers before it.
    pub budget: u64,
    /// Tokens sent.
    pub kept: u64,
    /// Tokens left out.
    pub dropped: u64,
}

impl LayerCount {
    /// A layer sent whole or in part; `kept` is at most `estimated`.
    #[must_use]
    pub fn new(layer: Layer, estimated: u64, budget: u64, kept: u64) -> Self {
        let kept = kept.min(estimated);
        Self { layer, estimated, budget, kept, dropped: estimated - kept }
    }
}

closed_words! {
    /// The author of a message.
    pub enum Speaker {
        /// The rules.
        System => "system",
        /// The task.
        User => "user",
    }
}

/// One message of a payload. Speakers alternate, which the chat templates of several open models require.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its author.
    pub speaker: Speaker,
    /// Its text.
    pub text: String,
    /// Bytes at its beginning that calls of other kinds on the same passages send as well, so that a provider can keep them.
    pub shared_bytes: usize,
}

/// Tokens a chat format adds to each message.
/// Source: the counting recipe that OpenAI published for its chat models; other vendors add as much or less.
pub const MESSAGE_OVERHEAD_TOKENS: u64 = 4;
/// Tokens a chat format adds to a request. Source: as [`MESSAGE_OVERHEAD_TOKENS`].
pub const REQUEST_OVERHEAD_TOKENS: u64 = 3;

/// Tokens of `messages` as a chat provider counts them, without schema and without the answer.
#[must_use]
pub fn count_messages(messages: &[Message], count: Count<'_>) -> u64 {
    messages.iter().map(|m| MESSAGE_OVERHEAD_TOKENS + count(&m.text)).sum::<u64>() + REQUEST_OVERHEAD_TOKENS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_balances_even_if_it_claims_more_than_offered() {
        for (estimated, kept) in [(10, 10), (10, 4), (10, 0), (10, 12), (0, 0)] {
            let row = LayerCount::new(Layer::Evidence, estimated, 100, kept);
            assert_eq!(row.kept + row.dropped, estimated);
        }
    }

    #[test]
    fn messages_are_counted_with_what_the_chat_format_adds() {
        let messages = [
            Message { speaker: Speaker::System, text: "one two".into(), shared_bytes: 0 },
            Message { speaker: Speaker::User, text: "three".into(), shared_bytes: 0 },
        ];
        assert_eq!(count_messages(&messages, &|t| t.split(' ').count() as u64), 3 + (4 + 2) + (4 + 1));
    }
}
