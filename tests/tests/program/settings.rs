//! Settings from outside: where they come from, how they are shown, and what the program says of the machine that they apply to.

use precis_tests::program::{CliWorkspace, ended};
use serde_json::Value;

/// Origin and value of `key` in `precis config show --json`.
fn setting(shown: &str, key: &str) -> (String, Value) {
    let shown: Value = serde_json::from_str(shown).expect("JSON");
    let rows = shown["settings"].as_array().expect("settings");
    let row = rows.iter().find(|row| row["key"] == key).unwrap_or_else(|| panic!("no {key}"));
    (row["from"].as_str().expect("an origin").to_owned(), row["value"].clone())
}

#[test]
fn an_unknown_key_exits_2_with_file_line_and_suggestion() {
    let workspace = CliWorkspace::new();
    workspace.write("mine.toml", "html = \"main\"\n\ndigest_polcy = \"off\"\n");
    for args in [&["config", "show"][..], &["run", "--query", "x", "--docs", "."]] {
        let ended = workspace.run(&[args, &["--config", "mine.toml"]].concat());
        assert_eq!(ended.code, 2);
        let line = "error: unknown key `digest_polcy` in mine.toml line 3; did you mean `digest_policy`?\n";
        assert_eq!(ended.stderr, line);
    }
}

#[test]
fn a_flag_beats_the_environment_beats_the_file_beats_the_default() {
    let workspace = CliWorkspace::new();
    let show = |env: Option<&str>, args: &[&str]| {
        let mut command = workspace.command(&[&["config", "show", "--json"], args].concat());
        command.envs(env.map(|value| ("PRECIS_REPORT_TOKENS", value)));
        setting(&ended(command).stdout, "report_tokens")
    };
    assert_eq!(show(None, &[]), ("default".to_owned(), Value::Null));
    workspace.configure("report_tokens = 700");
    assert_eq!(show(None, &[]), ("file".to_owned(), 700.into()));
    assert_eq!(show(Some("800"), &[]), ("env".to_owned(), 800.into()));
    assert_eq!(show(Some("800"), &["--set", "report_tokens=900"]), ("flag".to_owned(), 900.into()));
}

#[test]
fn settings_are_shown_with_their_origin_and_without_passwords() {
    let workspace = CliWorkspace::new();
    workspace.configure(
        "amqp_url = 'amqp://precis:hunter2@broker/'\n[providers.fast]\nbase_url = 'http://u:hunter2@h/v1'\n",
    );
    for args in [&["config", "show"][..], &["config", "show", "--json"]] {
        let ended = workspace.run(args);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(!ended.stdout.contains("hunter2"), "{}", ended.stdout);
        assert!(ended.stdout.contains("amqp://precis:***@broker/"), "{}", ended.stdout);
    }
    let shown = workspace.run(&["config", "show"]).stdout;
    assert!(shown.contains("precis.toml line 1") && shown.contains("precis.toml line 3"), "{shown}");
}

#[test]
fn the_sample_is_a_valid_configuration() {
    let workspace = CliWorkspace::new();
    workspace.configure(workspace.run(&["config", "sample"]).stdout);
    let ended = workspace.run(&["config", "show"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

#[test]
fn doctor_says_which_walls_stand_around_parsers_and_tools() {
    let workspace = CliWorkspace::new();
    let check = |what: &str| {
        let told: Value = serde_json::from_str(&workspace.run(&["doctor", "--json"]).stdout).expect("JSON");
        let checks = told["checks"].as_array().expect("checks").clone();
        let found = checks.into_iter().find(|check| check["what"] == what).unwrap_or_else(|| panic!("no {what}"));
        (found["finding"].as_str().expect("a finding").to_owned(), found["detail"].as_str().expect("words").to_owned())
    };
    let (finding, detail) = check("sandbox");
    assert!(finding == "ok" && detail.contains("confined by filter"), "{finding}: {detail}");
    assert_eq!(check("tools"), ("ok".to_owned(), "none is used".to_owned()));
    let tool = "[providers.t]\nkind = 'tool'\ncommand = '/bin/cat'\nargs = ['{model}']\n";
    workspace.configure(format!("[roles.synthesis]\nproviders = ['t:m']\n{tool}fenced = false\n"));
    let (finding, detail) = check("tools");
    assert!(finding == "warning" && !detail.is_empty(), "{finding}: {detail}");
    workspace.configure(format!("[roles.synthesis]\nproviders = ['t:m']\n{tool}"));
    let expected = if precis_runtime::model::has_fences() { "ok" } else { "warning" };
    assert_eq!(check("tools").0, expected);
}
