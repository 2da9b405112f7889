//! README and guides say what the code says: the script that proves a report, the table of keys, command lines that parse, paths that
//! exist. `PRECIS_BLESS=1` writes the table of keys anew; everything else is written by people.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use precis_runtime::config::{Settings, Sources, load};
use precis_workers::commands::{Cli, Command};

const BEGIN: &str = "<!-- configuration -->\n";
const END: &str = "<!-- /configuration -->";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("a README")
}

/// Every Markdown file of the project, with its path from the root.
fn pages() -> Vec<(PathBuf, String)> {
    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).expect("a directory of ours").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let ours = !name.starts_with('.')
                && !["target", "node_modules", "corpus", "fixtures", "gold"].contains(&name.as_str());
            if path.is_dir() && ours {
                walk(&path, found);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    let (mut files, root) = (Vec::new(), root().canonicalize().expect("the root"));
    walk(&root, &mut files);
    files.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page");
        (path.strip_prefix(&root).expect("within the root").to_path_buf(), text)
    };
    files.into_iter().map(read).collect()
}

/// README and the guides that it leads to.
fn guides() -> String {
    let guides = pages().into_iter().filter(|(path, _)| path == Path::new("README.md") || path.starts_with("docs"));
    // The README first, whose first command is the first of all.
    let (readme, docs): (Vec<_>, Vec<_>) = guides.partition(|(path, _)| path == Path::new("README.md"));
    readme.into_iter().chain(docs).map(|(_, text)| text + "\n").collect()
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

/// Every command line in the blocks of the guides that starts the program, with what it parses to.
fn parsed() -> Vec<(String, Cli)> {
    let text = guides();
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
    let page = root().join("docs/configuration.md");
    let text = fs::read_to_string(&page).expect("a guide");
    let (before, rest) = text.split_once(BEGIN).expect("a begin marker");
    let (table, after) = rest.split_once(END).expect("an end marker");
    let expected = format!("\n{}\n", precis_runtime::config::reference_markdown());
    if std::env::var_os("PRECIS_BLESS").is_some_and(|v| v == "1") {
        fs::write(&page, format!("{before}{BEGIN}{expected}{END}{after}")).expect("written");
        return;
    }
    let hint =
        "the table of keys is out of date; PRECIS_BLESS=1 cargo test -p precis-tests --test fast readme writes it";
    assert!(table == expected, "{hint}");
}

#[test]
fn every_configuration_shown_is_valid_and_changes_something() {
    let text = guides();
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

/// Speed and module of each test that `text` names as `--test SPEED MODULE`; without a module where none follows.
fn named_tests(text: &str) -> Vec<(&str, Option<&str>)> {
    fn named(rest: &str) -> Option<(&str, Option<&str>)> {
        let is_name = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase() || "_:".contains(c));
        let mut words = rest.split(['`', '\n']).next()?.split(' ');
        let (speed, module) = (words.next()?, words.next().filter(is_name));
        Some((speed, module.and_then(|module| module.split("::").next())))
    }
    text.split("--test ").skip(1).filter_map(named).collect()
}

#[test]
fn every_test_that_is_named_exists() {
    assert_eq!(
        named_tests("`--test fast budget -- --nocapture`, `--test fleet`"),
        [("fast", Some("budget")), ("fleet", None)]
    );
    let all: String = pages().into_iter().map(|(_, text)| text).collect();
    let named = named_tests(&all);
    assert!(named.len() >= 5, "{named:?}");
    for (speed, module) in named {
        // A test of a package of its own.
        if root().join("common/report/tests").join(format!("{speed}.rs")).is_file() {
            continue;
        }
        let dir = root().join("tests/tests").join(speed);
        assert!(dir.join("main.rs").is_file(), "there is no test {speed}");
        let there =
            |module: &str| dir.join(format!("{module}.rs")).is_file() || dir.join(module).join("mod.rs").is_file();
        assert!(module.is_none_or(there), "there is no module {module:?} in {speed}");
    }
}

/// Targets of links and pictures in `text` that lie in the tree, without their anchors.
fn targets(text: &str) -> Vec<&str> {
    let prose = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    prose
        .filter(|target| !target.contains("://") && !target.starts_with(['#', '<']) && !target.contains(' '))
        .filter_map(|target| target.split('#').next())
        .collect()
}

#[test]
fn every_link_in_markdown_leads_to_something() {
    assert_eq!(targets("[a](b.md#c) ![d](e/f.png) [g](https://h) [i](#j)"), ["b.md", "e/f.png"]);
    let mut links = 0;
    for (page, text) in pages() {
        for target in targets(&text) {
            links += 1;
            let there = root().join(page.parent().expect("a parent")).join(target).exists();
            assert!(there, "{} links to {target}, which does not exist", page.display());
        }
    }
    assert!(links >= 30, "only {links} links were found");
}

#[test]
fn the_front_door_is_short() {
    let lines = readme().lines().count();
    assert!(lines <= 180, "README.md has {lines} lines, 180 at most: the guides in docs/ take the rest");
}

#[test]
fn a_shell_line_is_split_as_a_shell_would() {
    let line = r#"echo "Who # pays?" | precis run --query - --docs 'a b' c > out # done"#;
    let expected =
        [vec!["echo", "Who # pays?"], vec!["precis", "run", "--query", "-", "--docs", "a b", "c", ">", "out"]];
    assert_eq!(commands(line), expected);
    assert_eq!(arguments(&commands(line)[1]).map(<[String]>::len), Some(6));
}
