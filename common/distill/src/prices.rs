//! What models charge for tokens: a table of list prices, and overrides of it. What a session may spend is decided elsewhere.

use std::collections::BTreeMap;

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Input.
    pub input: f64,
    /// Input that the provider had cached.
    pub cached_input: f64,
    /// Output.
    pub output: f64,
}

/// What the configuration says of one model; what it leaves out is as in the table, or nothing where the table does not know it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PriceOverride {
    /// See [`Price`].
    pub input: Option<f64>,
    /// See [`Price`]. Where neither this nor the table says, cached input costs what other input costs.
    pub cached_input: Option<f64>,
    /// See [`Price`].
    pub output: Option<f64>,
}

/// The prices of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    /// Overrides by `NAME:MODEL`.
    pub overrides: BTreeMap<String, PriceOverride>,
}

/// One row: input, cached input where it is known to be cheaper, output.
type PriceRow = (&'static str, f64, Option<f64>, f64);

/// List prices of the vendors as read in November 2026, without batch discounts. Where a vendor charges more for long prompts, those
/// of prompts up to 100,000 tokens.
const TABLE: [PriceRow; 24] = [
    ("anthropic:claude-fable-5-1", 10.0, Some(0.25), 50.0),
    ("anthropic:claude-fable-5", 10.0, Some(1.0), 50.0),
    ("anthropic:claude-opus-5-5", 4.0, Some(0.2), 20.0),
    ("anthropic:claude-opus-5", 5.0, Some(0.5), 25.0),
    ("anthropic:claude-opus-4-8", 5.0, Some(0.5), 25.0),
    ("anthropic:claude-opus-4-7", 5.0, Some(0.5), 25.0),
    ("anthropic:claude-opus-4-6", 5.0, Some(0.5), 25.0),
    ("anthropic:claude-opus-4-5", 5.0, Some(0.5), 25.0),
    ("anthropic:claude-sonnet-5-5", 2.0, Some(0.1), 10.0),
    ("anthropic:claude-sonnet-5", 2.0, Some(0.2), 10.0),
    ("anthropic:claude-sonnet-4-6", 3.0, Some(0.3), 15.0),
    ("anthropic:claude-sonnet-4-5", 3.0, Some(0.3), 15.0),
    ("anthropic:claude-haiku-5-5", 0.1, Some(0.01), 0.5),
    ("anthropic:claude-haiku-4-5", 1.0, Some(0.1), 5.0),
    ("gemini:gemini-3.5-flash", 1.5, None, 9.0),
    ("gemini:gemini-3.5-flash-lite", 0.3, None, 2.5),
    ("gemini:gemini-3.1-pro-preview", 2.0, None, 12.0),
    ("openai:gpt-5.5", 5.0, Some(0.5), 30.0),
    ("openai:gpt-5.4", 2.5, Some(0.25), 15.0),
    ("openai:gpt-5.4-mini", 0.75, Some(0.075), 4.5),
    ("openai:gpt-5.4-nano", 0.2, Some(0.02), 1.25),
    ("openai:gpt-5.2", 1.75, Some(0.175), 14.0),
    ("openai:gpt-5-mini", 0.25, Some(0.025), 2.0),
    ("openai:gpt-4.1", 2.0, Some(0.5), 8.0),
];

/// Shortest date at the end of a model's name: `-20251001`.
const DATE_CHARS: usize = 8;

impl Prices {
    /// The price of `provider` (`NAME:MODEL`): override, then table; `None` where neither knows it. A model with a date behind its
    /// name costs what the model costs.
    #[must_use]
    pub fn of(&self, provider: &str) -> Option<Price> {
        let row = TABLE.iter().find(|(name, ..)| is_same(provider, name));
        let known = row.map(|(_, input, cached, output)| PriceOverride {
            input: Some(*input),
            cached_input: *cached,
            output: Some(*output),
        });
        let said = self.overrides.get(provider);
        if said.is_none() && known.is_none() {
            return None;
        }
        let (said, known) = (said.copied().unwrap_or_default(), known.unwrap_or_default());
        let input = said.input.or(known.input).unwrap_or(0.0);
        // A known discount belongs to the known price.
        let discounted = said.cached_input.or(known.cached_input.filter(|_| said.input.is_none()));
        let output = said.output.or(known.output).unwrap_or(0.0);
        Some(Price { input, cached_input: discounted.unwrap_or(input), output })
    }
}

/// Whether `provider` is `name`, or `name` with a date behind it.
pub(crate) fn is_same(provider: &str, name: &str) -> bool {
    let is_date = |rest: &str| rest.len() >= DATE_CHARS && rest.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    provider.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(is_date))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, o: PriceOverride) -> Prices {
        Prices { overrides: BTreeMap::from([(name.to_owned(), o)]) }
    }

    #[test]
    fn a_price_comes_from_the_table_by_name_with_or_without_a_date() {
        let haiku = Some(Price { input: 1.0, cached_input: 0.1, output: 5.0 });
        let prices = Prices::default();
        for (provider, price) in [
            ("anthropic:claude-haiku-4-5", haiku),
            ("anthropic:claude-haiku-4-5-20251001", haiku),
            ("openai:gpt-5-mini-2025-08-07", Some(Price { input: 0.25, cached_input: 0.025, output: 2.0 })),
            ("gemini:gemini-3.5-flash", Some(Price { input: 1.5, cached_input: 1.5, output: 9.0 })),
            ("openai:gpt-5.4-mini-large", None),
            ("house:claude-haiku-4-5", None),
            ("local:extractive", None),
            ("[cli]claude:haiku", None),
        ] {
            assert_eq!(prices.of(provider), price, "{provider}");
        }
    }

    #[test]
    fn an_override_takes_what_it_leaves_out_from_the_table() {
        let o = |input, cached_input, output| PriceOverride { input, cached_input, output };
        let price = |input, cached_input, output| Some(Price { input, cached_input, output });
        let name = "openai:gpt-4.1";
        assert_eq!(with(name, o(None, None, Some(9.0))).of(name), price(2.0, 0.5, 9.0));
        assert_eq!(with(name, o(Some(1.0), None, None)).of(name), price(1.0, 1.0, 8.0), "no discount of another price");
        assert_eq!(with("house:m", o(Some(1.0), Some(0.1), Some(2.0))).of("house:m"), price(1.0, 0.1, 2.0));
        assert_eq!(with("house:m", o(None, None, Some(2.0))).of("house:m"), price(0.0, 0.0, 2.0));
    }

    #[test]
    fn every_row_is_found_by_its_own_name() {
        for (name, input, cached, output) in TABLE {
            let price = Prices::default().of(name).expect("is in the table");
            assert_eq!((price.input, price.cached_input, price.output), (input, cached.unwrap_or(input), output));
            assert!(price.cached_input <= input && input < output, "{name}");
        }
    }
}
