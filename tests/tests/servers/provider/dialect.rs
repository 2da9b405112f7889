//! Servers that know only a part of the chat format.

use precis_runtime::model::Vendor;
use precis_tests::provider::Reply;
use serde_json::Value;

use crate::provider::{Bench, FAKE, call, summary};

#[tokio::test]
async fn what_a_server_does_not_know_is_left_out_from_then_on() {
    for (param, gone, instead) in [
        ("max_completion_tokens", "max_completion_tokens", Some("max_tokens")),
        ("response_format", "response_format", None),
        ("temperature", "temperature", None),
        ("seed", "seed", None),
    ] {
        let answer = r#"{"summary": "It holds.", "key_points": ["It holds."]}"#;
        let bench = Bench::new([Reply::Unknown(param), Reply::Text(answer.into()), Reply::Text(answer.into())]).await;
        let models = bench.models();
        let first = call(&models, "s", &summary(1)).await;
        let second = call(&models, "s", &summary(2)).await;
        assert_eq!((first.provider.as_str(), second.provider.as_str()), (FAKE, FAKE), "{param}");
        assert_eq!((first.warnings.len(), first.records.len()), (0, 1), "{param}");
        let seen = bench.server.seen();
        let has = |n: usize, key: &str| seen[n].body.get(key).is_some_and(|v: &Value| !v.is_null());
        assert_eq!(seen.len(), 3, "{param}: learned once");
        assert!(has(0, gone) && !has(1, gone) && !has(2, gone), "{param}");
        assert!(instead.is_none_or(|key| has(1, key) && has(2, key)), "{param}");
    }
}

#[tokio::test]
async fn a_server_that_knows_none_of_it_is_still_served() {
    let answer = r#"{"summary": "It holds.", "key_points": ["It holds."]}"#;
    let refusals = ["response_format", "max_completion_tokens"].map(Reply::Unknown);
    let bench = Bench::new(refusals.into_iter().chain([Reply::Text(answer.into())])).await;
    assert_eq!(bench.call(&summary(1)).await.provider, FAKE);
    assert_eq!(bench.server.calls(), 3);
}

#[tokio::test]
async fn a_shape_is_tried_in_an_older_form_before_omission() {
    let answer = r#"{"summary": "It holds.", "key_points": ["It holds."]}"#;
    for (vendor, own, older) in
        [(Vendor::Anthropic, "output_config", "tool_choice"), (Vendor::Gemini, "responseJsonSchema", "responseSchema")]
    {
        let bench = Bench::speaking(vendor, [Reply::Unknown(own)]).await;
        let models = bench.models();
        assert_eq!(call(&models, "s", &summary(1)).await.provider, FAKE, "{vendor:?}");
        bench.server.play([Reply::Unknown(older), Reply::Text(answer.into())]);
        assert_eq!(call(&models, "s", &summary(2)).await.provider, FAKE, "{vendor:?}");
        let seen = bench.server.seen();
        let bodies: Vec<String> = seen.iter().map(|s| s.body.to_string()).collect();
        assert_eq!(seen.len(), 4, "{vendor:?}: each form is learned once");
        assert!(bodies[0].contains(own) && bodies[1].contains(older) && bodies[2].contains(older), "{vendor:?}");
        assert!(seen[0].schema().is_some() && seen[3].schema().is_none(), "{vendor:?}");
    }
}

#[tokio::test]
async fn a_model_that_takes_no_temperature_is_sent_none() {
    for vendor in [Vendor::Anthropic, Vendor::Gemini] {
        let bench = Bench::speaking(vendor, [Reply::Unknown("temperature")]).await;
        assert_eq!(bench.call(&summary(1)).await.provider, FAKE, "{vendor:?}");
        let seen = bench.server.seen();
        assert!(seen[0].body.to_string().contains("temperature") && !seen[1].body.to_string().contains("temperature"));
    }
}
