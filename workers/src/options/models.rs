//! The windows and prices of the models, resolved from the configuration.

use precis_context::models::BudgetingMode;
use precis_context::models::prices::{PriceOverride, Prices};
use precis_context::prompt::{LimitOverride, Limits};
use precis_proto::task::Role;
use precis_runtime::config::{self, Settings};
use precis_text::tokens::Tokenizer;

/// Whether the first model of the role is not the built-in one.
#[must_use]
pub fn is_model(settings: &Settings, role: Role) -> bool {
    settings.chain(role).first().is_some_and(|first| first != config::LOCAL_MODEL)
}

/// Returns the windows of the models and how tokens are counted. Without token management only the models' own limits apply.
#[must_use]
pub fn limits(settings: &Settings) -> Limits {
    let overrides = settings.models.model_context_overrides.iter();
    let overrides = overrides.map(|(name, o)| (name.clone(), limit_override(o))).collect();
    let servers = settings.models.servers();
    let tokens = &settings.tokens;
    match tokens.enabled {
        true => Limits {
            overrides,
            servers,
            runtime_overhead: tokens.runtime_overhead,
            safety_margin: tokens.safety_margin,
            auto_compact_threshold: tokens.auto_compact_threshold,
            allow_dropping: tokens.allow_content_dropping,
        },
        false => Limits {
            overrides,
            servers,
            runtime_overhead: 0,
            safety_margin: 0.0,
            auto_compact_threshold: None,
            allow_dropping: tokens.allow_content_dropping,
        },
    }
}

fn limit_override(o: &config::ContextOverride) -> LimitOverride {
    LimitOverride {
        context_window: o.context_window,
        max_output_tokens: o.max_output_tokens,
        budgeting_mode: o.budgeting_mode.map(|mode| match mode {
            config::BudgetingModeSetting::Combined => BudgetingMode::Combined,
            config::BudgetingModeSetting::InputOnly => BudgetingMode::InputOnly,
        }),
        output_reserved: o.output_reserved,
        tokenizer: o.tokenizer.map(|name| match name {
            config::TokenizerName::O200k => Tokenizer::O200k,
            config::TokenizerName::Cl100k => Tokenizer::Cl100k,
            config::TokenizerName::Estimate => Tokenizer::Estimate,
        }),
    }
}

/// Returns the prices of the models.
#[must_use]
pub fn prices(settings: &Settings) -> Prices {
    let overrides = settings.models.prices.iter().map(|(name, price)| {
        let over = PriceOverride { input: price.input, cached_input: price.cached_input, output: price.output };
        (name.clone(), over)
    });
    Prices { overrides: overrides.collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(json: serde_json::Value) -> Settings {
        serde_json::from_value(json).expect("settings")
    }

    #[test]
    fn every_model_of_a_vendor_name_is_in_the_catalogue() {
        let missing: Vec<String> = precis_runtime::config::tier_models()
            .filter(|model| precis_context::models::catalogue::served_model(model).is_none())
            .collect();
        assert_eq!(missing, [""; 0], "their windows and prices are not known");
    }

    #[test]
    fn an_override_may_name_the_tokenizer() {
        let s = settings(json!({ "model_context_overrides": { "house:llama": { "tokenizer": "cl100k" } } }));
        assert_eq!(limits(&s).tokenizer("house:llama"), Tokenizer::Cl100k);
    }
}
