//! The examples that CONTRIBUTING.md names run and end well. They are compiled into this binary, since each would cost a link of its own.

#[path = "../../examples/format_reader.rs"]
mod format_reader;
#[path = "../../examples/handler.rs"]
mod handler;
#[path = "../../examples/search_provider.rs"]
mod search_provider;
#[path = "../../examples/session.rs"]
mod session;

#[test]
fn a_reader_of_a_new_format_runs() {
    format_reader::main().expect("the example ends well");
}

#[test]
fn a_handler_of_ones_own_runs() {
    handler::main().expect("the example ends well");
}

#[test]
fn a_search_provider_of_ones_own_runs() {
    search_provider::main().expect("the example ends well");
}

#[test]
fn a_session_is_submitted_and_verified() {
    session::main().expect("the example ends well");
}

#[test]
fn each_example_is_run_here_and_named_for_contributors() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let guide = std::fs::read_to_string(format!("{root}/CONTRIBUTING.md")).expect("there is one");
    let here = include_str!("examples.rs");
    let mut examples = 0;
    for entry in std::fs::read_dir(format!("{root}/tests/examples")).expect("a folder") {
        let name = entry.expect("a file").file_name().into_string().expect("a name");
        assert!(guide.contains(&format!("tests/examples/{name}")), "CONTRIBUTING.md does not name {name}");
        assert!(here.contains(&format!("examples/{name}")), "{name} is not run");
        let source = std::fs::read_to_string(format!("{root}/tests/examples/{name}")).expect("a text");
        assert!(source.lines().count() < 120, "{name} is too long for an example");
        examples += 1;
    }
    assert_eq!(examples, 4);
}
