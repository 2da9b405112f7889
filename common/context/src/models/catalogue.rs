//! The known models, one row each. Incomplete rows do not compile: a model with a price has a window too.

use super::model_limits::ModelLimits;

/// US dollars per million tokens, as a vendor lists them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListPrice {
    /// Input.
    pub input: f64,
    /// Input that the provider had cached, if it is known to be cheaper.
    pub cached_input: Option<f64>,
    /// Output.
    pub output: f64,
}

/// A model that a vendor offers at a list price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServedModel {
    /// `NAME:MODEL`, without a date.
    pub name: &'static str,
    /// Its limits.
    pub limits: ModelLimits,
    /// Its price.
    pub price: ListPrice,
}

const fn served_entry(
    name: &'static str,
    limits: ModelLimits,
    input: f64,
    cached: Option<f64>,
    output: f64,
) -> ServedModel {
    ServedModel { name, limits, price: ListPrice { input, cached_input: cached, output } }
}

const fn combined_limits(window: u64, output: u64) -> ModelLimits {
    ModelLimits::with_combined_window(window, output)
}

const fn apart(window: u64, output: u64) -> ModelLimits {
    ModelLimits::input_only(window, output)
}

/// Models under their vendors' own names: window and longest answer from the vendors' pages in November 2026, the smaller figures if
/// pages differ; then list prices of input, cached input and output at the same time, without batch discounts. If a vendor charges more
/// for long prompts, the prices are those of prompts up to 100,000 tokens.
pub const SERVED: [ServedModel; 24] = [
    served_entry("anthropic:claude-fable-5-1", combined_limits(1_000_000, 128_000), 10.0, Some(0.25), 50.0),
    served_entry("anthropic:claude-fable-5", combined_limits(1_000_000, 128_000), 10.0, Some(1.0), 50.0),
    served_entry("anthropic:claude-opus-5-5", combined_limits(1_000_000, 128_000), 4.0, Some(0.2), 20.0),
    served_entry("anthropic:claude-opus-5", combined_limits(1_000_000, 128_000), 5.0, Some(0.5), 25.0),
    served_entry("anthropic:claude-opus-4-8", combined_limits(200_000, 64_000), 5.0, Some(0.5), 25.0),
    served_entry("anthropic:claude-opus-4-7", combined_limits(200_000, 64_000), 5.0, Some(0.5), 25.0),
    served_entry("anthropic:claude-opus-4-6", combined_limits(200_000, 64_000), 5.0, Some(0.5), 25.0),
    served_entry("anthropic:claude-opus-4-5", combined_limits(200_000, 64_000), 5.0, Some(0.5), 25.0),
    served_entry("anthropic:claude-sonnet-5-5", combined_limits(1_000_000, 128_000), 2.0, Some(0.1), 10.0),
    served_entry("anthropic:claude-sonnet-5", combined_limits(1_000_000, 128_000), 2.0, Some(0.2), 10.0),
    served_entry("anthropic:claude-sonnet-4-6", combined_limits(200_000, 64_000), 3.0, Some(0.3), 15.0),
    served_entry("anthropic:claude-sonnet-4-5", combined_limits(200_000, 64_000), 3.0, Some(0.3), 15.0),
    served_entry("anthropic:claude-haiku-5-5", combined_limits(1_000_000, 128_000), 0.1, Some(0.01), 0.5),
    served_entry("anthropic:claude-haiku-4-5", combined_limits(200_000, 64_000), 1.0, Some(0.1), 5.0),
    served_entry("gemini:gemini-3.5-flash", apart(1_000_000, 64_000), 1.5, None, 9.0),
    served_entry("gemini:gemini-3.5-flash-lite", apart(1_000_000, 64_000), 0.3, None, 2.5),
    served_entry("gemini:gemini-3.1-pro-preview", apart(1_000_000, 64_000), 2.0, None, 12.0),
    served_entry("openai:gpt-5.5", combined_limits(400_000, 128_000), 5.0, Some(0.5), 30.0),
    served_entry("openai:gpt-5.4", combined_limits(400_000, 128_000), 2.5, Some(0.25), 15.0),
    served_entry("openai:gpt-5.4-mini", combined_limits(400_000, 128_000), 0.75, Some(0.075), 4.5),
    served_entry("openai:gpt-5.4-nano", combined_limits(400_000, 128_000), 0.2, Some(0.02), 1.25),
    served_entry("openai:gpt-5.2", combined_limits(400_000, 128_000), 1.75, Some(0.175), 14.0),
    served_entry("openai:gpt-5-mini", combined_limits(400_000, 128_000), 0.25, Some(0.025), 2.0),
    served_entry("openai:gpt-4.1", combined_limits(1_000_000, 32_000), 2.0, Some(0.5), 8.0),
];

/// Models under the names used by command-line tools: they are paid for by subscription, so they have no price. Source: the vendors' pages.
const OF_TOOLS: [(&str, ModelLimits); 15] = [
    ("codex:gpt-5.2-codex", combined_limits(400_000, 128_000)),
    ("cursor-agent:gpt-5.2-codex", combined_limits(400_000, 128_000)),
    ("opencode:openai/gpt-5.2-codex", combined_limits(400_000, 128_000)),
    ("codex:gpt-4.1", combined_limits(1_000_000, 32_000)),
    ("cursor-agent:gpt-4.1", combined_limits(1_000_000, 32_000)),
    ("opencode:openai/gpt-4.1", combined_limits(1_000_000, 32_000)),
    ("codex:o3", combined_limits(200_000, 100_000)),
    ("codex:o4-mini", combined_limits(200_000, 100_000)),
    ("opencode:openai/o3", combined_limits(200_000, 100_000)),
    ("opencode:openai/o4-mini", combined_limits(200_000, 100_000)),
    ("claude:opus", combined_limits(200_000, 64_000)),
    ("claude:sonnet", combined_limits(200_000, 64_000)),
    ("claude:haiku", combined_limits(200_000, 64_000)),
    ("gemini:flash", apart(1_000_000, 32_000)),
    ("gemini:pro", apart(1_000_000, 64_000)),
];

/// Length of the shortest date at the end of a model name: `-20251001`.
const DATE_CHARS: usize = 8;

/// The row of `provider` (`NAME:MODEL`), with or without a date after the model name; `None` if the model is unknown.
#[must_use]
pub fn served_model(provider: &str) -> Option<&'static ServedModel> {
    SERVED.iter().find(|row| is_same(provider, row.name))
}

/// The limits of the model of a command-line tool; `bare` is `NAME:MODEL`.
pub(crate) fn limits_of_tool(bare: &str) -> Option<ModelLimits> {
    OF_TOOLS.iter().find(|(name, _)| *name == bare).map(|(_, limits)| *limits)
}

/// Whether `provider` is `name`, optionally followed by a date.
fn is_same(provider: &str, name: &str) -> bool {
    let is_date = |rest: &str| rest.len() >= DATE_CHARS && rest.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    provider.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(is_date))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_by_name_with_or_without_date() {
        let limits = |provider: &str| served_model(provider).map(|row| row.limits);
        assert_eq!(
            limits("anthropic:claude-haiku-4-5-20251001"),
            Some(ModelLimits::with_combined_window(200_000, 64_000))
        );
        assert_eq!(limits("openai:gpt-4.1").map(|l| l.context_window), Some(1_000_000));
        assert_eq!((limits("house:claude-haiku-4-5"), limits("anthropic:claude-haiku-4-5-fast")), (None, None));
    }

    #[test]
    fn every_row_is_found_by_its_own_name_and_makes_sense() {
        for row in &SERVED {
            assert_eq!(served_model(row.name), Some(row), "an earlier row is taken for it");
            let ServedModel { name, limits, price } = row;
            assert!(0 < limits.max_output_tokens && limits.max_output_tokens < limits.context_window, "{name}");
            assert!(0.0 < price.input && price.input < price.output, "{name}");
            assert!(price.cached_input.is_none_or(|cached| cached < price.input), "{name}");
        }
        for (name, limits) in OF_TOOLS {
            assert_eq!((limits_of_tool(name), served_model(name)), (Some(limits), None));
        }
    }
}
