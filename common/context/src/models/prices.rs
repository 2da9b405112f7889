//! Token prices of models: the list prices of the catalogue, and overrides. Spending limits are handled elsewhere.

use std::collections::BTreeMap;

use super::catalogue::served_model;

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

/// Configured prices of one model; a missing price is taken from the catalogue, and is 0 if the catalogue does not know the model.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PriceOverride {
    /// See [`Price`].
    pub input: Option<f64>,
    /// See [`Price`]. If neither this nor the catalogue gives it, cached input costs as much as other input.
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

impl Prices {
    /// The price of `provider` (`NAME:MODEL`): from the override, then the catalogue; `None` if neither knows the model. A model name with
    /// a date has the price of the model.
    #[must_use]
    pub fn of(&self, provider: &str) -> Option<Price> {
        let known = served_model(provider).map(|row| PriceOverride {
            input: Some(row.price.input),
            cached_input: row.price.cached_input,
            output: Some(row.price.output),
        });
        let configured = self.overrides.get(provider);
        if configured.is_none() && known.is_none() {
            return None;
        }
        let (configured, known) = (configured.copied().unwrap_or_default(), known.unwrap_or_default());
        let input = configured.input.or(known.input).unwrap_or(0.0);
        // The catalogue's discount belongs to the catalogue's price, so it does not apply to an overridden one.
        let discounted = configured.cached_input.or(known.cached_input.filter(|_| configured.input.is_none()));
        let output = configured.output.or(known.output).unwrap_or(0.0);
        Some(Price { input, cached_input: discounted.unwrap_or(input), output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, o: PriceOverride) -> Prices {
        Prices { overrides: BTreeMap::from([(name.to_owned(), o)]) }
    }

    #[test]
    fn a_price_comes_from_the_catalogue_with_or_without_date() {
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
    fn an_override_takes_what_it_leaves_out_from_the_catalogue() {
        let o = |input, cached_input, output| PriceOverride { input, cached_input, output };
        let price = |input, cached_input, output| Some(Price { input, cached_input, output });
        let name = "openai:gpt-4.1";
        assert_eq!(with(name, o(None, None, Some(9.0))).of(name), price(2.0, 0.5, 9.0));
        assert_eq!(with(name, o(Some(1.0), None, None)).of(name), price(1.0, 1.0, 8.0), "no discount of another price");
        assert_eq!(with("house:m", o(Some(1.0), Some(0.1), Some(2.0))).of("house:m"), price(1.0, 0.1, 2.0));
        assert_eq!(with("house:m", o(None, None, Some(2.0))).of("house:m"), price(0.0, 0.0, 2.0));
    }
}
