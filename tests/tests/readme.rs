//! The README says what the code says: the script that proves a report, the table of keys, command lines that parse.
//! `PRECIS_BLESS=1` writes the table of keys anew; everything else is written by people.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use precis_runtime::config::{Settings, Sources, load};
use precis_workers::cli::{Cli, Command};

const BEGIN: &str = "<!-- configuration -->\n";
const END: &str = "<!-- /configuration -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("a README")
}

/// Language and text of each fenced block.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let (mut found, mut open) = (Vec::new(), None);
    for line in text.lines() {
        open = match (open.take(), line.strip_prefix("```")) {
            (None, Some(language)) => Some((language.trim(), String::new())),
            (Some(block), Some(_)) => {
                found.push(block);
                None
            }
            (Some((language, body)), None) => Some((language, body + line + "\n")),
            (None, None) => None,
        };
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

/// The commands of a shell line, word by word. Knows quotes, comments and what stands between commands; no more is in a README.
fn commands(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut word, mut quote) = (vec![Vec::new()], None::<String>, None);
    for c in line.chars().chain([' ']) {
        match (c, quote) {
            (_, Some(mark)) if c == mark => quote = None,
            (_, None) if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ('#', None) if word.is_none() => break,
            (' ', None) => match word.take() {
                Some(mark) if ["|", "&&", ";"].contains(&mark.as_str()) => commands.push(Vec::new()),
                Some(word) => commands.last_mut().expect("starts with one").push(word),
                None => {}
            },
            _ => word.get_or_insert_default().push(c),
        }
    }
    commands
}

/// The words that the program would see, where a command starts it.
fn arguments(command: &[String]) -> Option<&[String]> {
    let end = command.iter().position(|word| word.starts_with('>')).unwrap_or(command.len());
    match &command[..end] {
        [first, ..] if first == "precis" => Some(&command[1..end]),
        [cargo, ..] if cargo == "cargo" => {
            let start = command.windows(3).position(|w| w[0] == "--bin" && w[1] == "precis" && w[2] == "--")?;
            Some(&command[start + 3..end])
        }
        _ => None,
    }
}

/// Every command line in the README's blocks that starts the program, with what it parses to.
fn parsed() -> Vec<(String, Cli)> {
    let text = readme();
    let shell = blocks(&text).into_iter().filter(|(language, _)| ["sh", "bash", "console"].contains(language));
    let lines = shell.flat_map(|(_, body)| body.replace("\\\n", "").lines().map(str::to_owned).collect::<Vec<_>>());
    let found = lines.flat_map(|line| commands(&line));
    let parse = |command: Vec<String>| {
        let line = command.join(" ");
        let words = std::iter::once("precis").chain(arguments(&command)?.iter().map(String::as_str));
        Some((line.clone(), Cli::try_parse_from(words).unwrap_or_else(|e| panic!("{line}\n{e}"))))
    };
    found.filter_map(parse).collect()
}

#[test]
fn the_script_in_the_readme_is_the_one_the_tests_run() {
    let script = fs::read_to_string(root().join("tests/fixtures/verify.py")).expect("the script");
    let text = readme();
    let shown: Vec<String> = blocks(&text).into_iter().filter(|(l, _)| *l == "python").map(|(_, body)| body).collect();
    assert_eq!(shown, [script]);
}

#[test]
fn the_table_of_keys_is_that_of_the_types() {
    let text = readme();
    let (before, rest) = text.split_once(BEGIN).expect("a begin marker");
    let (table, after) = rest.split_once(END).expect("an end marker");
    let expected = format!("\n{}\n", precis_runtime::config::reference_markdown());
    if std::env::var_os("PRECIS_BLESS").is_some_and(|v| v == "1") {
        fs::write(root().join("README.md"), format!("{before}{BEGIN}{expected}{END}{after}")).expect("written");
        return;
    }
    let hint = "the table of keys is out of date; PRECIS_BLESS=1 cargo test -p precis-tests --test readme writes it";
    assert!(table == expected, "{hint}");
}

#[test]
fn every_configuration_shown_is_valid_and_changes_something() {
    let text = readme();
    let shown: Vec<String> = blocks(&text).into_iter().filter(|(l, _)| *l == "toml").map(|(_, body)| body).collect();
    assert!(shown.len() >= 5, "only {} configurations were found", shown.len());
    let dir = tempfile::TempDir::new().expect("a temporary directory");
    let file = dir.path().join("precis.toml");
    for body in shown {
        fs::write(&file, &body).expect("is written");
        let sources = Sources { file: Some(file.clone()), ..Sources::default() };
        let loaded = load(&sources).unwrap_or_else(|e| panic!("{e}\n{body}"));
        assert_ne!(loaded.settings, Settings::default(), "{body}");
    }
}

#[test]
fn every_command_line_parses() {
    let parsed = parsed();
    assert!(parsed.len() >= 10, "only {} command lines were found", parsed.len());
}

#[test]
fn the_first_command_reads_documents_that_are_there() {
    let parsed = parsed();
    let (line, cli) = parsed.first().expect("a run in a clone");
    let Command::Run(run) = &cli.command else { panic!("{line} is no run") };
    let missing: Vec<_> = run.paths.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(!run.paths.is_empty() && missing.is_empty(), "{missing:?}");
    assert!(readme().contains("cargo install --path workers --locked"));
}

#[test]
fn every_test_that_is_named_exists() {
    let text = readme();
    let named: Vec<&str> =
        text.split("--test ").skip(1).filter_map(|rest| rest.split([' ', '`', '\n']).next()).collect();
    assert!(named.len() >= 5, "{named:?}");
    for name in named {
        let tests = root().join("tests/tests");
        let there = tests.join(format!("{name}.rs")).is_file() || tests.join(name).join("main.rs").is_file();
        assert!(there, "there is no test {name}");
    }
}

#[test]
fn a_shell_line_is_split_as_a_shell_would() {
    let line = r#"echo "Who # pays?" | precis run --query - --docs 'a b' c > out # done"#;
    let expected =
        [vec!["echo", "Who # pays?"], vec!["precis", "run", "--query", "-", "--docs", "a b", "c", ">", "out"]];
    assert_eq!(commands(line), expected);
    assert_eq!(arguments(&commands(line)[1]).map(<[String]>::len), Some(6));
}
