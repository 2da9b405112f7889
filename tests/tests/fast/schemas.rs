//! The JSON Schemas that are checked in are those of the types. `PRECIS_BLESS=1` writes them anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../proto/schemas")
}

/// File name and text of each schema as the types have it, as `precis schema NAME` prints it.
fn generated() -> BTreeMap<String, String> {
    let schemas = precis_proto::schema::all().into_iter();
    schemas.map(|(name, schema)| (name.to_owned(), format!("{:#}\n", Value::from(schema)))).collect()
}

fn checked_in() -> BTreeMap<String, String> {
    let files = fs::read_dir(folder()).expect("proto/schemas is a folder");
    let read = |file: fs::DirEntry| {
        let text = fs::read_to_string(file.path()).unwrap_or_else(|e| panic!("read {}: {e}", file.path().display()));
        (file.file_name().to_string_lossy().into_owned(), text)
    };
    files.map(|file| read(file.expect("an entry"))).collect()
}

#[test]
fn the_schemas_that_are_checked_in_are_those_of_the_types() {
    let generated = generated();
    if std::env::var_os("PRECIS_BLESS").is_some_and(|v| v == "1") {
        for (name, text) in &generated {
            fs::write(folder().join(name), text).expect("a schema can be written");
        }
    }
    let checked_in = checked_in();
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&checked_in), names(&generated), "files in proto/schemas");
    for (name, text) in generated {
        let same = checked_in[&name] == text;
        assert!(
            same,
            "proto/schemas/{name} is out of date; PRECIS_BLESS=1 cargo test -p precis-tests --test fast schemas writes it"
        );
    }
}

#[test]
fn each_schema_has_an_id_of_its_own() {
    let ids: std::collections::BTreeSet<String> = checked_in()
        .iter()
        .map(|(name, text)| {
            let schema: Value = serde_json::from_str(text).expect("JSON");
            let id = schema["$id"].as_str().unwrap_or_default().to_owned();
            assert_eq!(format!("{}.schema.json", id.rsplit(':').next().unwrap_or_default()), *name);
            id
        })
        .collect();
    assert!(ids.len() == checked_in().len() && ids.iter().all(|id| id.starts_with("urn:precis:schema:")), "{ids:?}");
}

#[test]
fn the_asyncapi_document_that_is_checked_in_is_that_of_the_topology() {
    let path = folder().join("../asyncapi.json");
    let generated = format!("{:#}\n", precis_workers::fleet::asyncapi::document());
    if std::env::var_os("PRECIS_BLESS").is_some_and(|v| v == "1") {
        fs::write(&path, &generated).expect("the document can be written");
    }
    let same = fs::read_to_string(&path).is_ok_and(|text| text == generated);
    assert!(
        same,
        "proto/asyncapi.json is out of date; PRECIS_BLESS=1 cargo test -p precis-tests --test fast schemas writes it"
    );
}

#[test]
fn the_openapi_document_that_is_checked_in_is_that_of_the_door() {
    let path = folder().join("../openapi.json");
    let generated = format!("{:#}\n", precis_door::openapi::document());
    if std::env::var_os("PRECIS_BLESS").is_some_and(|v| v == "1") {
        fs::write(&path, &generated).expect("the document can be written");
    }
    let same = fs::read_to_string(&path).is_ok_and(|text| text == generated);
    assert!(
        same,
        "proto/openapi.json is out of date; PRECIS_BLESS=1 cargo test -p precis-tests --test fast schemas writes it"
    );
}

#[test]
fn everything_the_asyncapi_document_refers_to_is_there() {
    let document = precis_workers::fleet::asyncapi::document();
    let mut open = vec![&document];
    while let Some(value) = open.pop() {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let is_there = match reference.strip_prefix('#') {
                Some(pointer) => document.pointer(pointer).is_some(),
                None => folder().join("..").join(reference).is_file(),
            };
            assert!(is_there, "{reference}");
        }
        open.extend(value.as_object().into_iter().flat_map(|o| o.values()));
        open.extend(value.as_array().into_iter().flatten());
    }
}
