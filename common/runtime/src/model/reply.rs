//! The reply of a provider, independent of its format.

use super::failure::{Code, Failure};

/// Largest text of an answer, in bytes: far above any report, and a quarter of the limit of a session's state. A longer one counts as a
/// failure, and the next provider is called.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// An answer's text and its token usage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// The text; empty if there is none.
    pub(super) text: String,
    /// Whether the text was cut off at the length limit.
    pub(super) cut_off: bool,
    /// Input tokens including cached ones, if the provider reports them.
    pub(super) input_tokens: Option<u64>,
    /// Input tokens that the provider had cached; 0 if it does not report them.
    pub(super) cached_input_tokens: u64,
    /// Output tokens including hidden thoughts, if the provider reports them.
    pub(super) output_tokens: Option<u64>,
}

impl Reply {
    /// Returns the reply if its text is within [`MAX_TEXT_BYTES`].
    ///
    /// # Errors
    /// [`Code::AnswerTooLarge`] if it is not.
    pub(super) fn within_limit(self) -> Result<Self, Failure> {
        match self.text.len() {
            bytes if bytes > MAX_TEXT_BYTES => {
                let message = format!("the answer has {bytes} bytes, the limit is {MAX_TEXT_BYTES}");
                Err(Failure::new(Code::AnswerTooLarge, message))
            }
            _ => Ok(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_over_its_limit_is_no_answer() {
        for (bytes, is_answer) in [(MAX_TEXT_BYTES - 1, true), (MAX_TEXT_BYTES, true), (MAX_TEXT_BYTES + 1, false)] {
            let reply = Reply { text: "x".repeat(bytes), ..Reply::default() };
            let code = reply.within_limit().err().map(|failure| failure.code);
            assert_eq!(code, (!is_answer).then_some(Code::AnswerTooLarge), "{bytes}");
        }
    }
}
