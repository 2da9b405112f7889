//! What a provider answered, whoever it is.

use super::failure::{Code, Failure};

/// Largest text of an answer, in bytes: far above any report, and a quarter of what a session's state may have. A longer one is no
/// answer, and the next provider is asked.
const MAX_TEXT_BYTES: usize = 256 * 1024;

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

impl Reply {
    /// The reply itself, where its text is within [`MAX_TEXT_BYTES`].
    ///
    /// # Errors
    /// [`Code::AnswerTooLarge`].
    pub(super) fn within_limit(self) -> Result<Self, Failure> {
        match self.text.len() {
            bytes if bytes > MAX_TEXT_BYTES => {
                let message = format!("a text of {bytes} bytes is over the limit of {MAX_TEXT_BYTES}");
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
