//! The most tokens and dollars of calls: every request as long as the gate lets it be, to every provider of the chain.

use precis_runtime::config::{LOCAL_MODEL, Settings};

use super::calls::PhaseCalls;
use crate::options::{limits, prices};
use precis_door::Figures;

/// The models that calls of a role may pay, in the order in which they are called: those before the built-in one, which always answers.
pub(super) fn payable(settings: &Settings, role: precis_proto::task::Role) -> Vec<String> {
    settings.chain(role).into_iter().take_while(|link| link != LOCAL_MODEL).collect()
}

/// The most that `calls` may cost.
pub(super) fn most(settings: &Settings, calls: &PhaseCalls) -> Figures {
    let (limits, prices) = (limits(settings), prices(settings));
    let number = calls.most;
    let mut sum = Figures { calls: number, usd: Some(0.0), ..Figures::default() };
    for link in payable(settings, calls.work.role()) {
        let model = limits.of(&link).0;
        let requests = number.saturating_mul(calls.work.requests());
        // A short answer leaves more of the window to the prompt, a long one less: each at its most.
        let input = requests.saturating_mul(limits.room(&link, &model, 0).input);
        let output = requests.saturating_mul(limits.room(&link, &model, calls.wanted_output).output);
        sum.requests = sum.requests.saturating_add(requests);
        sum.input_tokens = sum.input_tokens.saturating_add(input);
        sum.output_tokens = sum.output_tokens.saturating_add(output);
        let usd = prices.of(&link).map(|price| {
            let dearest = price.input.max(price.cached_input);
            (input as f64 * dearest + output as f64 * price.output) / 1e6
        });
        sum.usd = sum.usd.zip(usd).map(|(sum, usd)| sum + usd);
    }
    sum
}

#[cfg(test)]
mod tests {
    use precis_proto::Phase;
    use serde_json::json;

    use super::super::work::Work;
    use super::*;

    #[test]
    fn each_paid_provider_may_be_charged_for_every_request() {
        let settings = |providers: serde_json::Value| -> Settings {
            serde_json::from_value(json!({
                "roles": { "compression": { "providers": providers } }, "providers": { "a": { "kind": "openai", "base_url": "http://127.0.0.1:1/v1" } },
                "runtime_overhead": 0, "prices": { "a:m": { "input": 1.0, "output": 2.0 } },
                "model_context_overrides": { "a:m": { "context_window": 10_000, "max_output_tokens": 1_000, "output_reserved": 1_000 },
                    "a:n": { "context_window": 10_000, "max_output_tokens": 1_000, "output_reserved": 1_000 } },
            }))
            .expect("settings")
        };
        let calls = |most| PhaseCalls { phase: Phase::Compression, work: Work::Compress, most, wanted_output: 0 };
        let one = most(&settings(json!(["a:m"])), &calls(3));
        assert_eq!((one.calls, one.requests, one.input_tokens, one.output_tokens), (3, 24, 183_600, 24_000));
        assert!((one.usd.expect("a price") - 0.2316).abs() < 1e-9, "{one:?}");
        let two = most(&settings(json!(["a:m", "a:n", "local:extractive", "a:m"])), &calls(3));
        assert_eq!((two.requests, two.input_tokens, two.usd), (48, 367_200, None), "one has no price");
    }
}
