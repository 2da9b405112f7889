//! `precis schema`: prints the JSON Schemas of the messages and the report, and the documents of both interfaces.

use clap::Args;
use serde_json::{Map, Value};

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;

/// Arguments of `precis schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Print one schema, such as `response` [default: all schemas, as one object]
    pub name: Option<String>,
}

const ENDING: &str = ".schema.json";

/// Prints one schema, or all of them as one object with their names as keys.
#[must_use]
pub fn run(args: &SchemaArgs) -> Exit {
    super::finish(choose_schema(args.name.as_deref()).and_then(|schema| terminal::print_json(&format!("{schema:#}\n"))))
}

fn choose_schema(name: Option<&str>) -> Result<Value, CommandFailure> {
    let schemas = precis_proto::schema::all();
    let mut all: Map<String, Value> =
        schemas.into_iter().map(|(file, schema)| (file.trim_end_matches(ENDING).to_owned(), schema.into())).collect();
    all.insert("asyncapi".to_owned(), crate::fleet::asyncapi::document());
    all.insert("openapi".to_owned(), precis_door::openapi::document().clone());
    let Some(name) = name else { return Ok(Value::Object(all)) };
    all.remove(name.trim_end_matches(ENDING)).ok_or_else(|| {
        let known: Vec<&str> = all.keys().map(String::as_str).collect();
        CommandFailure::new(
            Exit::Usage,
            "unknown_schema",
            format!("there is no schema `{name}`; known: {}", known.join(", ")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_found_by_its_name_with_or_without_ending() {
        let whole = choose_schema(None).expect("all");
        assert_eq!(choose_schema(Some("response")).expect("one"), whole["response"]);
        assert_eq!(choose_schema(Some("response.schema.json")).expect("one"), whole["response"]);
        let unknown = choose_schema(Some("respons")).expect_err("unknown");
        assert!(unknown.exit == Exit::Usage && unknown.message.contains("research-request"), "{unknown}");
    }
}
