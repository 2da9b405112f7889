//! The AsyncAPI document: what another service sends and hears over AMQP, generated from the topology and the wire's types.

use precis_proto::envelope::message_type;
use precis_proto::request::REQUEST_SCHEMA_VERSION;
use precis_proto::response::RESPONSE_VERSION;
use precis_runtime::broker::names;
use serde_json::{Value, json};

/// Version of the specification the document follows.
const ASYNCAPI: &str = "3.1.0";
/// Version of the AMQP bindings in it.
const BINDING: &str = "0.3.0";
const SCHEMA_FORMAT: &str = "application/schema+json;version=draft-2020-12";

/// The document. Payloads refer to the JSON Schemas beside it, in `schemas/`.
#[must_use]
pub fn document() -> Value {
    json!({
        "asyncapi": ASYNCAPI,
        "info": {
            "title": "Precis",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A question and documents in, a short cited report out. A request is published persistently, with a session id of the \
                caller's choice as message id and correlation id. The same id with the same body again is the same session. Every session ends in \
                exactly one result; repeats of it carry the same message id and the same bytes.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "defaultContentType": "application/json",
        "servers": { "broker": {
            "host": "localhost:5672", "protocol": "amqp", "protocolVersion": "0.9.1", "description": "RabbitMQ 3.10 or later",
        } },
        "channels": {
            "requests": channel(names::REQUEST_KEY, names::INGRESS, "direct", "ResearchRequest", &[]),
            "results": channel("{session_id}", names::RESULTS, "topic", "SessionResult", &["session_id"]),
            "replies": {
                "address": null,
                "description": "Where a request wants its answer (reply_to): a server-named queue, a direct reply address, or a queue with a configured prefix. It gets the result as well, and refusals come here alone.",
                "messages": { "SessionResult": { "$ref": "#/components/messages/SessionResult" } },
            },
            "events": channel("{event}.{session_id}", names::EVENTS, "topic", "SessionEvent", &["event", "session_id"]),
        },
        "operations": {
            "takeRequest": {
                "action": "receive",
                "summary": "A request becomes a session, or is refused with a result that says why and where.",
                "channel": { "$ref": "#/channels/requests" },
                "messages": [{ "$ref": "#/channels/requests/messages/ResearchRequest" }],
                "bindings": { "amqp": { "deliveryMode": 2, "mandatory": true, "bindingVersion": BINDING } },
                "reply": {
                    "channel": { "$ref": "#/channels/replies" },
                    "messages": [{ "$ref": "#/channels/replies/messages/SessionResult" }],
                },
            },
            "publishResult": {
                "action": "send",
                "summary": "Every result, once or more, always the same bytes.",
                "channel": { "$ref": "#/channels/results" },
                "messages": [{ "$ref": "#/channels/results/messages/SessionResult" }],
                "bindings": { "amqp": { "deliveryMode": 2, "bindingVersion": BINDING } },
            },
            "publishEvent": {
                "action": "send",
                "summary": "Progress; an event may be lost, and nothing depends on one.",
                "channel": { "$ref": "#/channels/events" },
                "messages": [{ "$ref": "#/channels/events/messages/SessionEvent" }],
            },
        },
        "components": { "messages": {
            "ResearchRequest": message(
                message_type::REQUEST,
                "research-request.schema.json",
                &format!("A question with its sources; schema_version {REQUEST_SCHEMA_VERSION}."),
            ),
            "SessionResult": message(
                message_type::RESULT,
                "response.schema.json",
                &format!("The response envelope {RESPONSE_VERSION}: a report with its proof, or a stated failure. Never compressed. One that is too large to travel names the whole of it in `whole`."),
            ),
            "SessionEvent": message(message_type::EVENT, "event.schema.json", "One thing that happened to a session."),
        } },
    })
}

fn channel(address: &str, exchange: &str, kind: &str, message: &str, parameters: &[&str]) -> Value {
    let exchange = json!({ "name": exchange, "type": kind, "durable": true, "autoDelete": false, "vhost": "/" });
    let mut channel = json!({
        "address": address,
        "messages": { message: { "$ref": format!("#/components/messages/{message}") } },
        "bindings": { "amqp": { "is": "routingKey", "exchange": exchange, "bindingVersion": BINDING } },
    });
    if !parameters.is_empty() {
        let described = |name: &str| match name {
            "event" => json!({ "description": "What happened, such as phase_finished." }),
            _ => json!({ "description": "The session's id." }),
        };
        channel["parameters"] = parameters.iter().map(|name| ((*name).to_owned(), described(name))).collect();
    }
    channel
}

fn message(message_type: &str, schema: &str, summary: &str) -> Value {
    json!({
        "name": message_type,
        "summary": summary,
        "contentType": "application/json",
        "correlationId": { "description": "The session's id.", "location": "$message.header#/correlation_id" },
        "headers": {
            "type": "object",
            "properties": { "traceparent": { "type": "string", "description": "W3C trace context; kept through the session." } },
        },
        "payload": { "schemaFormat": SCHEMA_FORMAT, "schema": { "$ref": format!("./schemas/{schema}") } },
        "bindings": { "amqp": { "messageType": message_type, "bindingVersion": BINDING } },
    })
}
