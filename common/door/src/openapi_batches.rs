//! The routes of batches in the OpenAPI document.

use schemars::generate::SchemaGenerator;
use serde_json::{Value, json};

use crate::limits::{MAX_KEY_BYTES, MAX_PAGE, PAGE};
use crate::openapi_answers::{AWAY, FORBIDDEN, Problems, UNAUTHORIZED, answers, content};
use crate::routes::{BatchDocument, BatchPage, NewBatch};

/// The schemas of what these routes take and give.
pub(crate) struct Batches {
    one: Value,
    page: Value,
    new: Value,
}

impl Batches {
    pub(crate) fn new(schemas: &mut SchemaGenerator) -> Self {
        Self {
            one: schemas.subschema_for::<BatchDocument>().into(),
            page: schemas.subschema_for::<BatchPage>().into(),
            new: schemas.subschema_for::<NewBatch>().into(),
        }
    }

    fn response(&self, description: &str) -> Value {
        content(description, "application/json", &self.one)
    }

    /// `/v1/batches`.
    pub(crate) fn list(&self, problems: Problems<'_>) -> Value {
        let mut accepted = self.response("Every session is kept, and the broker has stored its request.");
        accepted["headers"] =
            json!({ "Location": { "description": "The address of the batch.", "schema": { "type": "string" } } });
        json!({ "get": self.pages(problems), "post": {
            "operationId": "submitBatch",
            "summary": "Submit many questions about the same documents",
            "description": "Each question becomes a session. Cut off in between, the same request with the same key goes on where it was.",
            "parameters": [{
                "name": "Idempotency-Key", "in": "header", "required": true,
                "description": "The same key with the same request is the same batch, at any door and however often it is sent.",
                "schema": { "type": "string", "minLength": 1, "maxLength": MAX_KEY_BYTES },
            }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": self.new } } },
            "responses": answers([("202", accepted)], problems(&[
                ("400", "The body is not JSON, or there is no key."), ("401", UNAUTHORIZED), ("403", FORBIDDEN), ("408", "The body came too slowly."),
                ("409", "The key was used with another request."), ("413", "The body is too large."), ("415", "The body is not JSON."),
                ("422", "The request is not valid."),
                ("429", "The caller submits too often, has too many sessions under way, or stored as much today as it may."), ("503", AWAY),
            ])),
        } })
    }

    fn pages(&self, problems: Problems<'_>) -> Value {
        json!({
            "operationId": "listBatches",
            "summary": "List batches, newest first",
            "parameters": [
                { "name": "limit", "in": "query", "description": "Most batches of the page.",
                  "schema": { "type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": PAGE } },
                { "name": "cursor", "in": "query", "description": "The `next` of the page before.", "schema": { "type": "string" } },
            ],
            "responses": answers(
                [("200", content("A page of batches, without their sessions.", "application/json", &self.page))],
                problems(&[("400", "A parameter that is not valid."), ("401", UNAUTHORIZED), ("403", FORBIDDEN), ("503", AWAY)]),
            ),
        })
    }

    /// `/v1/batches/{id}`.
    pub(crate) fn one(&self, problems: Problems<'_>) -> Value {
        json!({
            "parameters": [{ "name": "id", "in": "path", "required": true, "description": "The batch.", "schema": { "type": "string" } }],
            "get": {
                "operationId": "getBatch",
                "summary": "Show a batch with its sessions",
                "responses": answers([("200", self.response("The batch."))], problems(&[
                    ("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", "There is no such batch, or it belongs to another tenant."), ("503", AWAY),
                ])),
            },
        })
    }
}
