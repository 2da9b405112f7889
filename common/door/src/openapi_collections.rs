//! The routes of collections in the OpenAPI document.

use schemars::generate::SchemaGenerator;
use serde_json::{Value, json};

use crate::indexing::CollectionDocument;
use crate::limits::{MAX_FILE_NAME_BYTES, MAX_KEY_BYTES, MAX_PAGE, PAGE};
use crate::openapi_answers::{AWAY, FORBIDDEN, Problems, UNAUTHORIZED, answers, content};
use crate::routes::{CollectionPage, NewCollection, NewFiles};

const UNKNOWN: &str = "There is no such collection, or it belongs to another tenant.";
const TOO_OFTEN: &str =
    "The caller submits too often, or the tenant has as much as it may; Retry-After says where waiting helps.";

/// The schemas of what these routes take and give.
pub(crate) struct Collections {
    one: Value,
    page: Value,
    new: Value,
    files: Value,
}

impl Collections {
    pub(crate) fn new(schemas: &mut SchemaGenerator) -> Self {
        Self {
            one: schemas.subschema_for::<CollectionDocument>().into(),
            page: schemas.subschema_for::<CollectionPage>().into(),
            new: schemas.subschema_for::<NewCollection>().into(),
            files: schemas.subschema_for::<NewFiles>().into(),
        }
    }

    fn response(&self, description: &str) -> Value {
        content(description, "application/json", &self.one)
    }

    /// `/v1/collections`.
    pub(crate) fn list(&self, problems: Problems<'_>) -> Value {
        let mut made = self.response("The collection.");
        made["headers"] =
            json!({ "Location": { "description": "The address of the collection.", "schema": { "type": "string" } } });
        json!({
            "post": {
                "operationId": "createCollection",
                "summary": "Make a collection of documents",
                "parameters": [{
                    "name": "Idempotency-Key", "in": "header",
                    "description": "The same key with the same name is the same collection.",
                    "schema": { "type": "string", "minLength": 1, "maxLength": MAX_KEY_BYTES },
                }],
                "requestBody": { "required": false, "content": { "application/json": { "schema": self.new } } },
                "responses": answers([("201", made)], problems(&[
                    ("400", "The body is not JSON, or a header is not valid."), ("401", UNAUTHORIZED), ("403", FORBIDDEN),
                    ("408", "The body came too slowly."), ("409", "The key was used with another name, or its collection was removed."),
                    ("413", "The body is too large."), ("415", "The body is not JSON."), ("422", "The name is not valid."),
                    ("429", TOO_OFTEN), ("503", AWAY),
                ])),
            },
            "get": {
                "operationId": "listCollections",
                "summary": "List collections, newest first",
                "parameters": [
                    { "name": "limit", "in": "query", "description": "Most collections of the page.",
                      "schema": { "type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": PAGE } },
                    { "name": "cursor", "in": "query", "description": "The `next` of the page before.", "schema": { "type": "string" } },
                ],
                "responses": answers(
                    [("200", content("A page of collections, without their files.", "application/json", &self.page))],
                    problems(&[("400", "A parameter that is not valid."), ("401", UNAUTHORIZED), ("403", FORBIDDEN), ("503", AWAY)]),
                ),
            },
        })
    }

    /// `/v1/collections/{id}`.
    pub(crate) fn one(&self, problems: Problems<'_>) -> Value {
        json!({
            "parameters": [id()],
            "get": {
                "operationId": "getCollection",
                "summary": "Show a collection with its files",
                "responses": answers([("200", self.response("The collection."))],
                    problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("503", AWAY)])),
            },
            "delete": {
                "operationId": "removeCollection",
                "summary": "Remove a collection",
                "description": "For tokens with the scope `operate`, and for the token that made it. Sessions that search it go on; what it held goes when \
                                its retention is over.",
                "responses": answers([("204", json!({ "description": "It is removed." }))],
                    problems(&[("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN), ("503", AWAY)])),
            },
        })
    }

    /// `/v1/collections/{id}/files`.
    pub(crate) fn files(&self, problems: Problems<'_>) -> Value {
        json!({ "parameters": [id()], "post": {
            "operationId": "addFiles",
            "summary": "Add files to a collection",
            "description": "As one new version, or not at all. A file takes the place of one with the same name. Workers index the version afterwards.",
            "requestBody": {
                "required": true,
                "description": "A form whose parts are files, or JSON that names documents which were stored with `PUT /v1/content/{sha256}`.",
                "content": {
                    "multipart/form-data": { "schema": {
                        "type": "object",
                        "properties": { "file": { "type": "array", "items": { "type": "string", "format": "binary" } } },
                    } },
                    "application/json": { "schema": self.files },
                },
            },
            "responses": answers([("200", self.response("The collection with the files."))], problems(&[
                ("400", "The body is neither a form nor JSON, or ended early."), ("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", UNKNOWN),
                ("408", "The body came too slowly."), ("413", "The body is too large."), ("415", "The body is neither a form nor JSON."),
                ("422", "A file has no valid name or proof, is not there, or there are too many."), ("429", TOO_OFTEN), ("503", AWAY),
            ])),
        } })
    }

    /// `/v1/collections/{id}/files/{name}`.
    pub(crate) fn file(&self, problems: Problems<'_>) -> Value {
        let name = json!({ "name": "name", "in": "path", "required": true, "description": "The file.",
            "schema": { "type": "string", "minLength": 1, "maxLength": MAX_FILE_NAME_BYTES } });
        json!({ "parameters": [id(), name], "delete": {
            "operationId": "removeFile",
            "summary": "Remove a file from a collection",
            "responses": answers([("204", json!({ "description": "The newest version has no such file." }))], problems(&[
                ("401", UNAUTHORIZED), ("403", FORBIDDEN), ("404", "There is no such collection or file."), ("429", TOO_OFTEN), ("503", AWAY),
            ])),
        } })
    }
}

fn id() -> Value {
    json!({ "name": "id", "in": "path", "required": true, "description": "The collection.", "schema": { "type": "string" } })
}
