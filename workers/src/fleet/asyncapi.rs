//! The AsyncAPI document: the messages another service sends and receives over AMQP, generated from the topology and the wire types.

use precis_proto::envelope::message_type;
use precis_proto::request::REQUEST_SCHEMA_VERSION;
use precis_proto::response::RESPONSE_VERSION;
use precis_runtime::broker::names;
use serde_json::{Value, json};

/// Version of the AsyncAPI specification.
const ASYNCAPI: &str = "3.1.0";
/// Version of its AMQP bindings.
const BINDING: &str = "0.3.0";
/// The virtual host of the files for operators; another one is as good.
const VHOST: &str = "precis";
const SCHEMA_FORMAT: &str = "application/schema+json;version=draft-2020-12";

/// Builds the document. Payloads refer to the JSON Schemas next to it, in `schemas/`.
#[must_use]
pub fn document() -> Value {
    json!({
        "asyncapi": ASYNCAPI,
        "info": {
            "title": "Precis",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Turns a question and documents into a short cited report. Publish a request persistently, with a session id of \
                your choice as message id and correlation id. Publishing the same id with the same body again refers to the same session. Every \
                session ends with exactly one result; repeats of it carry the same message id and the same bytes.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "defaultContentType": "application/json",
        "servers": { "broker": {
            "host": "localhost:5672", "protocol": "amqp", "protocolVersion": "0.9.1", "description": "RabbitMQ 3.10 or later",
            "security": [{ "$ref": "#/components/securitySchemes/callerPassword" }],
        } },
        "channels": channels(),
        "operations": operations(),
        "components": components(),
    })
}

/// Where messages are published and received.
fn channels() -> Value {
    json!({
        "requests": channel(names::REQUEST_KEY, names::INGRESS, "direct", "ResearchRequest", &[]),
        "results": channel("{session_id}", names::RESULTS, "topic", "SessionResult", &["session_id"]),
        "replies": {
            "address": null,
            "description": "The queue a request names in reply_to: a server-named queue, a direct reply address, or a queue with a configured name pattern. It also receives the result; refusals are sent only here.",
            "messages": {
                "SessionResult": { "$ref": "#/components/messages/SessionResult" },
                "RequestRefusal": { "$ref": "#/components/messages/RequestRefusal" },
            },
        },
        "events": channel("{event}.{session_id}", names::EVENTS, "topic", "SessionEvent", &["event", "session_id"]),
        "control": channel("", names::CONTROL, "fanout", "SessionControl", &[]),
    })
}

/// What a worker does with the messages of each channel.
fn operations() -> Value {
    json!({
        "takeRequest": {
            "action": "receive",
            "summary": "A request becomes a session, or is refused with a message that names the reason and the field.",
            "channel": { "$ref": "#/channels/requests" },
            "messages": [{ "$ref": "#/channels/requests/messages/ResearchRequest" }],
            "bindings": { "amqp": { "deliveryMode": 2, "mandatory": true, "bindingVersion": BINDING } },
            "reply": {
                "address": { "description": "The queue that the request names.", "location": "$message.header#/reply_to" },
                "channel": { "$ref": "#/channels/replies" },
                "messages": [
                    { "$ref": "#/channels/replies/messages/SessionResult" },
                    { "$ref": "#/channels/replies/messages/RequestRefusal" },
                ],
            },
        },
        "publishResult": {
            "action": "send",
            "summary": "Every result is published at least once, always with the same bytes.",
            "channel": { "$ref": "#/channels/results" },
            "messages": [{ "$ref": "#/channels/results/messages/SessionResult" }],
            "bindings": { "amqp": { "deliveryMode": 2, "bindingVersion": BINDING } },
        },
        "publishEvent": {
            "action": "send",
            "summary": "Progress events; they may be lost, and nothing depends on them.",
            "channel": { "$ref": "#/channels/events" },
            "messages": [{ "$ref": "#/channels/events/messages/SessionEvent" }],
        },
        "takeControl": {
            "action": "receive",
            "summary": "Ends a session of the same verified user; any other control message is ignored.",
            "channel": { "$ref": "#/channels/control" },
            "messages": [{ "$ref": "#/channels/control/messages/SessionControl" }],
        },
    })
}

/// The messages, and how a caller proves who it is.
fn components() -> Value {
    json!({ "securitySchemes": { "callerPassword": {
        "type": "userPassword",
        "description": "A user of the broker with the permissions of precis-caller. A request's user_id, if set, has to be that user.",
    } }, "messages": {
        "ResearchRequest": message(
            message_type::REQUEST,
            "research-request.schema.json",
            &format!("A question with its sources; schema_version {REQUEST_SCHEMA_VERSION}."),
        ),
        "SessionResult": message(
            message_type::RESULT,
            "response.schema.json",
            &format!("The response envelope {RESPONSE_VERSION}: a report with its evidence, or a failure. Never compressed. If it is too large for a message, `whole` refers to the complete response in the content store."),
        ),
        "RequestRefusal": message(
            message_type::REFUSAL,
            "response.schema.json",
            "A failure without a session. `error.request_sha256` is the SHA-256 of the refused message's body: ignore a refusal with another hash than your own request's.",
        ),
        "SessionEvent": message(message_type::EVENT, "event.schema.json", "One event of a session."),
        "SessionControl": control(),
    } })
}

fn channel(address: &str, exchange: &str, kind: &str, message: &str, parameters: &[&str]) -> Value {
    let exchange = json!({ "name": exchange, "type": kind, "durable": true, "autoDelete": false, "vhost": VHOST });
    let mut channel = json!({
        "address": address,
        "messages": { message: { "$ref": format!("#/components/messages/{message}") } },
        "bindings": { "amqp": { "is": "routingKey", "exchange": exchange, "bindingVersion": BINDING } },
    });
    if !parameters.is_empty() {
        let described = |name: &str| match name {
            "event" => json!({ "description": "The kind of event, such as phase_finished." }),
            _ => json!({ "description": "The session's id." }),
        };
        channel["parameters"] = parameters.iter().map(|name| ((*name).to_owned(), described(name))).collect();
    }
    channel
}

/// Stopping and cancelling. Small enough to have its schema here.
fn control() -> Value {
    let payload = json!({
        "type": "object",
        "required": ["control", "session_id"],
        "properties": {
            "control": { "enum": ["cancel", "stop"], "description": "`cancel`: no report. `stop`: a report on what was found so far." },
            "session_id": { "type": "string", "description": "The session to end." },
        },
    });
    let mut message = message(message_type::CONTROL, "", "Ends a session early.");
    message["payload"]["schema"] = payload;
    message["examples"] = json!([{ "payload": { "control": "cancel", "session_id": "contracts-7f3a9c" } }]);
    message
}

fn message(message_type: &str, schema: &str, summary: &str) -> Value {
    json!({
        "name": message_type,
        "summary": summary,
        "contentType": "application/json",
        "correlationId": { "description": "The session's id.", "location": "$message.header#/correlation_id" },
        "headers": {
            "type": "object",
            "properties": {
                "traceparent": { "type": "string", "description": "W3C trace context; kept through the session." },
                "x-precis-tenant": {
                    "type": "string",
                    "description": "The tenant that pays, in requests. A user who belongs to a tenant can name no other.",
                },
            },
        },
        "payload": { "schemaFormat": SCHEMA_FORMAT, "schema": { "$ref": format!("./schemas/{schema}") } },
        "bindings": { "amqp": { "messageType": message_type, "bindingVersion": BINDING } },
    })
}

#[cfg(test)]
mod tests {
    use precis_proto::SessionId;
    use precis_proto::control::Control;

    use super::*;

    #[test]
    fn the_control_messages_of_the_document_are_those_of_the_workers() {
        let document = document();
        let message = &document["components"]["messages"]["SessionControl"];
        let session_id = SessionId::new("s").expect("an id");
        let known = [Control::Cancel { session_id: session_id.clone() }, Control::Stop { session_id }];
        let words: Vec<Value> = known.iter().map(|control| json!(control)["control"].clone()).collect();
        assert_eq!(message["payload"]["schema"]["properties"]["control"]["enum"], json!(words));
        let example = message["examples"][0]["payload"].clone();
        assert!(serde_json::from_value::<Control>(example).is_ok());
    }
}
