//! How much the models of three vendors take when they are called by their own names. Whoever knows better overrides it.

use super::model_limits::ModelLimits;
use crate::prices::is_same;

/// Windows and longest answers as the vendors' pages had them in November 2026; where pages differ, the smaller figures.
const TABLE: [(&str, ModelLimits); 22] = [
    ("anthropic:claude-fable-5-1", ModelLimits::combined(1_000_000, 128_000)),
    ("anthropic:claude-fable-5", ModelLimits::combined(1_000_000, 128_000)),
    ("anthropic:claude-opus-5-5", ModelLimits::combined(1_000_000, 128_000)),
    ("anthropic:claude-opus-5", ModelLimits::combined(1_000_000, 128_000)),
    ("anthropic:claude-opus-4-8", ModelLimits::combined(200_000, 64_000)),
    ("anthropic:claude-opus-4-7", ModelLimits::combined(200_000, 64_000)),
    ("anthropic:claude-opus-4-6", ModelLimits::combined(200_000, 64_000)),
    ("anthropic:claude-opus-4-5", ModelLimits::combined(200_000, 64_000)),
    ("anthropic:claude-sonnet-5-5", ModelLimits::combined(1_000_000, 128_000)),
    ("anthropic:claude-sonnet-5", ModelLimits::combined(1_000_000, 128_000)),
    ("anthropic:claude-sonnet-4-6", ModelLimits::combined(200_000, 64_000)),
    ("anthropic:claude-sonnet-4-5", ModelLimits::combined(200_000, 64_000)),
    ("anthropic:claude-haiku-5-5", ModelLimits::combined(1_000_000, 128_000)),
    ("anthropic:claude-haiku-4-5", ModelLimits::combined(200_000, 64_000)),
    ("gemini:gemini-3.5-flash", ModelLimits::input_only(1_000_000, 64_000)),
    ("gemini:gemini-3.5-flash-lite", ModelLimits::input_only(1_000_000, 64_000)),
    ("gemini:gemini-3.1-pro-preview", ModelLimits::input_only(1_000_000, 64_000)),
    ("openai:gpt-5.4", ModelLimits::combined(400_000, 128_000)),
    ("openai:gpt-5.4-mini", ModelLimits::combined(400_000, 128_000)),
    ("openai:gpt-5.4-nano", ModelLimits::combined(400_000, 128_000)),
    ("openai:gpt-5-mini", ModelLimits::combined(400_000, 128_000)),
    ("openai:gpt-4.1", ModelLimits::combined(1_000_000, 32_000)),
];

/// The limits of `provider` (`NAME:MODEL`), with or without a date behind the model's name.
pub(super) fn limits(provider: &str) -> Option<ModelLimits> {
    TABLE.iter().find(|(name, _)| is_same(provider, name)).map(|(_, limits)| *limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_by_its_name_and_by_its_name_with_a_date() {
        assert_eq!(limits("anthropic:claude-haiku-4-5-20251001"), Some(ModelLimits::combined(200_000, 64_000)));
        assert_eq!(limits("openai:gpt-4.1").map(|l| l.context_window), Some(1_000_000));
        assert_eq!((limits("house:claude-haiku-4-5"), limits("anthropic:claude-haiku-4-5-fast")), (None, None));
    }
}
