//! JSON Schemas of the messages that other programs read or write, generated from the types and their doc comments.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};

use crate::digest::DigestPayload;
use crate::event::Event;
use crate::request::ResearchRequest;
use crate::response::Response;
use crate::standing::StandingQuestion;
use crate::state::SessionState;

/// Returns the file name and schema of each published message. Its `$id` is `urn:precis:schema:` and the name of the message, for programs
/// that know schemas by their ids.
#[must_use]
pub fn all() -> Vec<(&'static str, Schema)> {
    vec![
        ("research-request.schema.json", of::<ResearchRequest>("research-request")),
        ("session-state.schema.json", of::<SessionState>("session-state")),
        ("response.schema.json", of::<Response>("response")),
        ("digest.schema.json", of::<DigestPayload>("digest")),
        ("event.schema.json", of::<Event>("event")),
        ("standing-question.schema.json", of::<StandingQuestion>("standing-question")),
    ]
}

fn of<T: JsonSchema>(name: &str) -> Schema {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    schema.insert("$id".to_owned(), format!("urn:precis:schema:{name}").into());
    schema
}
