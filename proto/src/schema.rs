//! JSON Schemas of the messages that other programs read or write, generated from the types and their doc comments.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};

use crate::digest::DigestPayload;
use crate::event::Event;
use crate::request::ResearchRequest;
use crate::response::Response;
use crate::state::SessionState;

/// Returns the file name and schema of each published message.
#[must_use]
pub fn all() -> Vec<(&'static str, Schema)> {
    vec![
        ("research-request.schema.json", of::<ResearchRequest>()),
        ("session-state.schema.json", of::<SessionState>()),
        ("response.schema.json", of::<Response>()),
        ("digest.schema.json", of::<DigestPayload>()),
        ("event.schema.json", of::<Event>()),
    ]
}

fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>()
}
