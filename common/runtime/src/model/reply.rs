//! What a provider answered, whoever it is.

/// A text and what it took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// The text; empty where there was none.
    pub(super) text: String,
    /// Whether it stops at the length limit.
    pub(super) cut_off: bool,
    /// Input tokens with those the provider had cached, where it says.
    pub(super) input_tokens: Option<u64>,
    /// Those of them that the provider had cached; 0 where it does not say.
    pub(super) cached_input_tokens: u64,
    /// Output tokens with those of thoughts nobody sees, where it says.
    pub(super) output_tokens: Option<u64>,
}
