//! The OpenAPI document: the routes of [`routes`](crate::routes), with the schemas of the types that they take and give. The schemas are
//! those of `schemars`, as in the files of `proto/schemas`; nothing is described twice.

use std::sync::LazyLock;

use precis_proto::Phase;
use precis_proto::event::Event;
use precis_proto::request::ResearchRequest;
use precis_proto::response::{Response, Status};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use crate::base_path::BasePath;
use crate::estimates::Estimate;
use crate::limits::{MAX_KEY_BYTES, MAX_PAGE, MAX_QUERY_BYTES, MAX_WAIT_SECONDS, PAGE};
use crate::openapi_answers::{AWAY, FORBIDDEN, UNAUTHORIZED, answers, content};
use crate::openapi_batches::Batches;
use crate::openapi_collections::Collections;
use crate::problem::{PROBLEM, ProblemDocument};
use crate::reports::ReportVerdict;
use crate::routes::{SessionPage, StoredContent, WebhookDocument, WorkerList};
use crate::standing::SessionDocument;

/// Version of the document; that of the addresses is in their path.
const VERSION: &str = "1";
/// Where OpenAPI keeps schemas.
const SCHEMAS: &str = "/components/schemas";

/// Returns the document.
#[must_use]
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(build_document);
    &DOCUMENT
}

/// Returns the document of a door whose addresses are below `base`.
#[must_use]
pub fn document_at(base: &BasePath) -> Value {
    let mut document = document().clone();
    if !base.as_str().is_empty() {
        document["servers"][0]["url"] = base.as_str().into();
    }
    document
}

fn build_document() -> Value {
    let mut schemas = SchemaSettings::draft2020_12().with(|s| s.definitions_path = SCHEMAS.into()).into_generator();
    let paths = paths(&mut schemas);
    let mut components = schemas.take_definitions(true);
    without_id(&mut components);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Precis",
            "version": VERSION,
            "summary": "Turns a question and a set of documents into a short, cited report in which every quote can be verified.",
            "description": "Submit a session, follow its events, read its result. Ids and texts of other tenants are never shown: whatever is not \
                            the caller's own is answered with 404.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A token of `api_tokens`. A door without tokens listens on loopback addresses only and asks for none.",
            } },
            "schemas": components,
        },
    })
}

fn paths(schemas: &mut SchemaGenerator) -> Value {
    let session = schema::<SessionDocument>(schemas);
    let page = schema::<SessionPage>(schemas);
    let request = schema::<ResearchRequest>(schemas);
    let result = schema::<Response>(schemas);
    let event = schema::<Event>(schemas);
    let verdict = schema::<ReportVerdict>(schemas);
    let estimate = schema::<Estimate>(schemas);
    let stored = schema::<StoredContent>(schemas);
    let workers = schema::<WorkerList>(schemas);
    let (collections, batches) = (Collections::new(schemas), Batches::new(schemas));
    let webhook = schema::<WebhookDocument>(schemas);
    let problem = schema::<ProblemDocument<'_>>(schemas);
    let problems = |codes: &[(&str, &str)]| problems(codes, &problem);
    let shown = |description: &str| content(description, "application/json", &session);
    let paths = json!({
        "/v1/sessions": {
            "post": {
                "operationId": "submitSession",
                "summary": "Submit a session",
                "description": "Accepted means kept: the session has a record, and the broker has stored its request.",
                "parameters": [{
                    "name": "Idempotency-Key", "in": "header",
                    "description": "The same key with the same request is the same session, at any door and however often it is sent.",
                    "schema": { "type": "string", "minLength": 1, "maxLength": MAX_KEY_BYTES },
                }, {
                    "name": "dry_run", "in": "query", "allowEmptyValue": true,
                    "description": "`true`, or no value: only say what the session may cost. Takes JSON. Nothing is stored, and no model is called.",
                    "schema": { "type": "string", "enum": ["", "true", "false"] },
                }],
                "requestBody": {
                    "required": true,
                    "description": "The request of the wire without `session_id`: the door gives the id. As a form: the request as the first part, with \
                                    the name `request`, and then files, each of which becomes a source with its name as id and title.",
                    "content": {
                        "application/json": { "schema": request },
                        "multipart/form-data": { "schema": {
                            "type": "object",
                            "required": ["request"],
                            "properties": {
                                "request": request,
                                "file": { "type": "array", "items": { "type": "string", "format": "binary" } },
                            },
                        } },
                    },
                },
                "responses": answers(
                    [
                        ("200", content("What the session may cost, where `dry_run` asks for that.", "application/json", &estimate)),
                        ("202", with_location(&shown("The session."))),
                    ],
                    problems(&[("400", "No JSON or no form, or a header or parameter that is not valid."), ("401", UNAUTHORIZED), ("403", FORBIDDEN),
                        ("408", "The body came too slowly."), ("409", "The key was used with another request, or its session was removed."), ("413", "The body is too large."),
                        ("415", "The body is neither JSON nor a form; or a form, with `dry_run`."), ("422", "The request is not valid; `pointer` says where."),
                        ("429", "The token has submitted as fast as it may, or has as many sessions under way, or its tenant has stored as much today: RateLimit \
                          and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers) name the limit of the first two."),
                        ("503", "As many requests wait as may wait; or the broker or the content store cannot be used now.")]),
                ),
            },
            "get": {
                "operationId": "listSessions",
                "summary": "List sessions, newest first",
                "parameters": [
                    { "name": "limit", "in": "query", "description": "Most sessions of the page.",
                      "schema": { "type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": PAGE } },
                    { "name": "cursor", "in": "query", "description": "The `next` of the page before.", "schema": { "type": "string" } },
                    { "name": "tenant", "in": "query", "schema": { "type": "string" },
                      "description": "Sessions of this tenant, for tokens with the scope `operate`. A token sees those of its own tenant only." },
                    { "name": "status", "in": "query", "description": "Sessions with this status.",
                      "schema": { "type": "string", "enum": Status::ALL.map(Status::as_str) } },
                    { "name": "phase", "in": "query", "description": "Running sessions in this phase.",
                      "schema": { "type": "string", "enum": Phase::ALL.map(Phase::as_str) } },
                    { "name": "since", "in": "query", "description": time("Sessions accepted at this time or later"), "schema": { "type": "string" } },
                    { "name": "until", "in": "query", "description": time("Sessions accepted before this time"), "schema": { "type": "string" } },
                    { "name": "query", "in": "query", "description": "Sessions whose question contains this, in upper or lower case.",
                      "schema": { "type": "string", "minLength": 1, "maxLength": MAX_QUERY_BYTES } },
                ],
                "responses": answers(
                    [("200", content("A page of sessions.", "application/json", &page))],
                    problems(&[("400", "A parameter that is not valid."), ("401", UNAUTHORIZED), ("403", FORBIDDEN), ("503", AWAY)]),
                ),
            },
        },
        "/v1/sessions/{id}": { "parameters": [id()], "get": {
            "operationId": "getSession",
            "summary": "Show a session",
            "parameters": [{
                "name": "Prefer", "in": "header",
                "description": format!("`wait=N`: answer when the session has ended, at the latest after N seconds, {MAX_WAIT_SECONDS} at most."),
                "schema": { "type": "string" },
            }],
            "responses": answers([("200", shown("The session."))], problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("503", AWAY)])),
        }, "delete": {
            "operationId": "removeSession",
            "summary": "Remove a session",
            "description": "Removes its records, its result and its events; one that runs is cancelled first. For tokens with the scope `operate`, and for \
                            the token that submitted the session. Its Idempotency-Key stays used. Texts stay until their retention is over.",
            "responses": answers(
                [("204", json!({ "description": "It is removed." })), ("202", shown("It is cancelled, and is removed once it has ended."))],
                problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("503", AWAY)]),
            ),
        } },
        "/v1/sessions/{id}/events": { "parameters": [id()], "get": {
            "operationId": "followSession",
            "summary": "Follow a session",
            "description": "Server-sent events: `id` orders the events of a session, `event` is the word of the event, `data` its JSON. The stream ends \
                            after `session_finished`. An event `snapshot` has the session itself in place of events that are not kept any more.",
            "parameters": [{
                "name": "Last-Event-ID", "in": "header", "description": "The id of the last event that the reader has.",
                "schema": { "type": "string", "pattern": EVENT_ID },
            }],
            "responses": answers(
                [("200", content("The events, each with these fields.", "text/event-stream", &streamed_event(&event, &session))),
                 ("204", json!({ "description": "The session has ended, and the reader has its last event." }))],
                problems(&[("400", "Last-Event-ID is not the id of an event."), ("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("503", AWAY)]),
            ),
        } },
        "/v1/sessions/{id}/result": { "parameters": [id()], "get": {
            "operationId": "getResult",
            "summary": "Read the result of a session",
            "description": "The same bytes as over the broker, for ever.",
            "parameters": [{ "name": "If-None-Match", "in": "header", "description": "The `ETag` of a result that the caller has.", "schema": { "type": "string" } }],
            "responses": answers(
                [("200", with_tag(&content("The result.", "application/json", &result))), ("304", json!({ "description": "The caller has it." }))],
                problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("409", "The session has not ended."), ("503", AWAY)]),
            ),
        } },
        "/v1/sessions/{id}/report.md": { "parameters": [id()], "get": report("getMarkdown", "Read the report as Markdown", "text/markdown", &problems) },
        "/v1/sessions/{id}/report.html": { "parameters": [id()], "get": report("getPage", "Read the report as a page", "text/html", &problems) },
        "/v1/sessions/{id}/archive/{sha256}": { "parameters": [id(), hash("`source_text_hash` of a source of the report, without `sha256:`.")],
            "get": report("getText", "Read a text of the report: the canonical text whose characters its citations name", "text/plain", &problems) },
        "/v1/sessions/{id}/archive.zip": { "parameters": [id()], "get": {
            "operationId": "getArchive",
            "summary": "Read the report with its texts as a ZIP file",
            "description": "What `precis result --out` writes and `precis verify` checks: the same bytes for as long as the texts are there.",
            "responses": answers(
                [("200", with_tag(&content("The file.", "application/zip", &json!({ "type": "string", "format": "binary" }))))],
                problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("409", NO_REPORT),
                    ("413", "The files are too large to be sent as one."), ("503", AWAY)]),
            ),
        } },
        "/v1/sessions/{id}/verify": { "parameters": [id()], "post": {
            "operationId": "verifyReport",
            "summary": "Verify the report against its texts",
            "responses": answers(
                [("200", content("Whether it holds.", "application/json", &verdict))],
                problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("409", NO_REPORT), ("503", AWAY)]),
            ),
        } },
        "/v1/content/{sha256}": { "parameters": [hash("SHA-256 of the body, as lower-case hexadecimal digits.")], "put": {
            "operationId": "storeContent",
            "summary": "Store a document that requests refer to",
            "requestBody": { "required": true, "content": { "application/octet-stream": { "schema": { "type": "string", "format": "binary" } } } },
            "responses": answers(
                [("201", content("The document is stored; storing it again renews its retention.", "application/json", &stored))],
                problems(&[("400", "The address has no hash, or the body ended early."), ("401", UNAUTHORIZED), ("403", FORBIDDEN),
                    ("408", "The body came too slowly."), ("413", "The body is too large."), ("422", "The body has another hash."),
                    ("429", "The tenant has stored as much today as it may."), ("503", AWAY)]),
            ),
        } },
        "/v1/sessions/{id}/stop": { "parameters": [id()], "post": ended_by("stopSession", "Stop a session: it ends early, with a report on what it has", &shown, &problems) },
        "/v1/sessions/{id}/cancel": { "parameters": [id()], "post": ended_by("cancelSession", "Cancel a session: it ends now, without a report", &shown, &problems) },
        "/v1/batches": batches.list(&problems),
        "/v1/batches/{id}": batches.one(&problems),
        "/v1/collections": collections.list(&problems),
        "/v1/collections/{id}": collections.one(&problems),
        "/v1/collections/{id}/files": collections.files(&problems),
        "/v1/collections/{id}/files/{name}": collections.file(&problems),
        "/v1/sessions/{id}/webhook": { "parameters": [id()], "get": {
            "operationId": "getWebhook",
            "summary": "Show how far the delivery of a session's webhook is",
            "responses": answers(
                [("200", content("The delivery.", "application/json", &webhook))],
                problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", NO_WEBHOOK), ("503", AWAY)]),
            ),
        }, "post": {
            "operationId": "redeliverWebhook",
            "summary": "Send the webhook of a session once more",
            "description": "Under the same `webhook-id`, whether it was delivered or given up. For tokens with the scope `operate`, and for the token that \
                            submitted the session.",
            "responses": answers(
                [("202", content("The delivery as it was until now.", "application/json", &webhook))],
                problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", NO_WEBHOOK), ("503", AWAY)]),
            ),
        } },
        "/v1/workers": { "get": {
            "operationId": "listWorkers",
            "summary": "List the workers of the fleet",
            "description": "For tokens with the scope `operate`.",
            "responses": answers(
                [("200", content("The workers.", "application/json", &workers))],
                problems(&[("400", "A parameter that is not known."), ("401", UNAUTHORIZED), ("403", FORBIDDEN)]),
            ),
        } },
        "/healthz": { "get": open("isAlive", "The process responds", json!({ "200": plain() })) },
        "/readyz": { "get": open("isReady", "The door accepts requests",
            answers([("200", plain())], problems(&[("503", "The broker or the content store cannot be used.")]))) },
        "/openapi.json": { "get": open("getOpenApi", "This document",
            json!({ "200": { "description": "The document.", "content": { "application/json": { "schema": { "type": "object" } } } } })) },
    });
    paths
}

/// The id of an event.
const EVENT_ID: &str = "^[0-9]+-[0-9]+$";
const UNKNOWN: &str = "There is no such session, or it belongs to another tenant.";
const NO_WEBHOOK: &str = "There is no such session, or it belongs to another tenant, or no webhook of it was tried.";
const NO_REPORT: &str = "The session has not ended, or ended without a report.";

fn time(what: &str) -> String {
    format!("{what}: RFC 3339, the start of a day (`2026-03-01`), or so long ago (`90s`, `30m`, `12h`, `7d`).")
}

fn schema<T: schemars::JsonSchema>(schemas: &mut SchemaGenerator) -> Value {
    schemas.subschema_for::<T>().into()
}

/// The schemas as they are sent: the door gives the id of a session.
fn without_id(components: &mut Map<String, Value>) {
    let Some(request) = components.get_mut("ResearchRequest").and_then(Value::as_object_mut) else { return };
    if let Some(properties) = request.get_mut("properties").and_then(Value::as_object_mut) {
        properties.shift_remove("session_id");
    }
    if let Some(required) = request.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name != "session_id");
    }
}

fn id() -> Value {
    json!({ "name": "id", "in": "path", "required": true, "description": "The session.", "schema": { "type": "string" } })
}

fn hash(description: &str) -> Value {
    json!({ "name": "sha256", "in": "path", "required": true, "description": description, "schema": { "type": "string", "pattern": "^[0-9a-f]{64}$" } })
}

/// An operation that shows a report or one of its texts.
fn report(
    operation: &str,
    summary: &str,
    kind: &str,
    problems: &impl Fn(&[(&str, &str)]) -> Vec<(String, Value)>,
) -> Value {
    json!({
        "operationId": operation,
        "summary": summary,
        "responses": answers(
            [("200", content("The text.", kind, &json!({ "type": "string" })))],
            problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("409", NO_REPORT), ("503", AWAY)]),
        ),
    })
}

fn plain() -> Value {
    content("Yes.", "text/plain", &json!({ "type": "string" }))
}

/// The fields of an event of a stream, whose `data` is the JSON of an event, or of a session in a `snapshot`, which has no id.
fn streamed_event(event: &Value, session: &Value) -> Value {
    json!({
        "type": "object",
        "required": ["event", "data"],
        "properties": {
            "id": { "type": "string", "pattern": EVENT_ID },
            "event": { "type": "string" },
            "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": { "anyOf": [event, session] } },
        },
    })
}

fn with_location(answer: &Value) -> Value {
    let mut answer = answer.clone();
    answer["headers"] =
        json!({ "Location": { "description": "The address of the session.", "schema": { "type": "string" } } });
    answer
}

fn with_tag(answer: &Value) -> Value {
    let mut answer = answer.clone();
    answer["headers"] =
        json!({ "ETag": { "description": "SHA-256 of the bytes, in quotes.", "schema": { "type": "string" } } });
    answer
}

fn problems(codes: &[(&str, &str)], problem: &Value) -> Vec<(String, Value)> {
    codes.iter().map(|(code, description)| ((*code).to_owned(), content(description, PROBLEM, problem))).collect()
}

fn ended_by(
    operation: &str,
    summary: &str,
    shown: &impl Fn(&str) -> Value,
    problems: &impl Fn(&[(&str, &str)]) -> Vec<(String, Value)>,
) -> Value {
    json!({
        "operationId": operation,
        "summary": summary,
        "description": "For tokens with the scope `operate`, and for the token that submitted the session.",
        "responses": answers(
            [("200", shown("The session had ended before.")), ("202", shown("The workers are told."))],
            problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("503", AWAY)]),
        ),
    })
}

/// An operation that needs no token.
fn open(operation: &str, summary: &str, responses: Value) -> Value {
    json!({ "operationId": operation, "summary": summary, "security": [], "responses": responses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_the_document_refers_to_is_in_it() {
        let mut open = vec![document()];
        let mut references = 0;
        while let Some(value) = open.pop() {
            if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
                references += 1;
                assert!(document().pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
            }
            open.extend(value.as_object().into_iter().flat_map(|object| object.values()));
            open.extend(value.as_array().into_iter().flatten());
        }
        assert!(references > 20);
    }

    #[test]
    fn a_request_over_http_has_no_session_id() {
        let request = &document()["components"]["schemas"]["ResearchRequest"];
        assert!(request["properties"]["query"].is_object());
        assert!(request["properties"].get("session_id").is_none());
        assert!(!request["required"].as_array().expect("a list").contains(&json!("session_id")));
    }
}
