//! Spans as the JSON of OTLP (<https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>). Pure.

use serde_json::{Value, json};

use super::span::{Attribute, Span};

/// The status code of OTLP for a failure.
const STATUS_ERROR: u8 = 2;

/// The body of a request that exports `spans` of a resource with these attributes.
#[must_use]
pub(super) fn request(resource: &[(String, String)], spans: &[Span]) -> Value {
    let resource: Vec<Value> = resource.iter().map(|(name, value)| word(name, value)).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{
            "scope": { "name": "precis", "version": crate::VERSION },
            "spans": spans.iter().map(span).collect::<Vec<_>>(),
        }],
    }] })
}

fn span(span: &Span) -> Value {
    let mut value = json!({
        "traceId": format!("{:032x}", span.context.trace()),
        "spanId": format!("{:016x}", span.context.span()),
        "flags": 1,
        "name": span.name,
        "kind": span.kind as u8,
        // 64-bit numbers are strings in the JSON of protobuf.
        "startTimeUnixNano": span.start.as_nanos().to_string(),
        "endTimeUnixNano": span.end.as_nanos().to_string(),
        "attributes": span.attributes.iter().map(|(name, value)| attribute(name, value)).collect::<Vec<_>>(),
    });
    if let Some(parent) = span.parent {
        value["parentSpanId"] = Value::from(format!("{parent:016x}"));
    }
    if span.error.is_some() {
        value["status"] = json!({ "code": STATUS_ERROR });
    }
    value
}

fn attribute(name: &str, value: &Attribute) -> Value {
    match value {
        Attribute::Word(text) => word(name, text),
        Attribute::Number(number) => json!({ "key": name, "value": { "intValue": number.to_string() } }),
    }
}

fn word(name: &str, text: &str) -> Value {
    json!({ "key": name, "value": { "stringValue": text } })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::telemetry::spans::SpanKind;
    use crate::telemetry::trace::TraceContext;

    #[test]
    fn a_span_is_written_as_the_specification_has_it() {
        let context =
            TraceContext::parse("00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01").expect("a context");
        let written = Span {
            context,
            parent: Some(0xeee1_9b7e_c3c1_b173),
            name: "chat m".to_owned(),
            kind: SpanKind::Client,
            start: Duration::from_nanos(1_544_712_660_000_000_000),
            end: Duration::from_nanos(1_544_712_661_000_000_000),
            attributes: vec![("my.span.attr", Attribute::Word("some".to_owned())), ("n", Attribute::Number(7))],
            error: Some("timeout".to_owned()),
        };
        let request = request(&[("service.name".to_owned(), "precis".to_owned())], &[written]);
        let resource = &request["resourceSpans"][0];
        assert_eq!(
            resource["resource"]["attributes"][0],
            json!({ "key": "service.name", "value": { "stringValue": "precis" } })
        );
        let expected = json!({
            "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "parentSpanId": "eee19b7ec3c1b173",
            "flags": 1, "name": "chat m", "kind": 3,
            "startTimeUnixNano": "1544712660000000000", "endTimeUnixNano": "1544712661000000000",
            "attributes": [
                { "key": "my.span.attr", "value": { "stringValue": "some" } },
                { "key": "n", "value": { "intValue": "7" } },
            ],
            "status": { "code": 2 },
        });
        assert_eq!(resource["scopeSpans"][0]["spans"][0], expected);
    }
}
