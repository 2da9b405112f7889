//! Nothing private is told by a run. A word that stands in a raw text and in no passage chosen from it is found in the archive and
//! nowhere else that a reader looks; a key is found nowhere at all, not even where the program keeps things for itself. Looked
//! through: standard output with and without `--json`, standard error down to debug, every file of the report, the home directory.

use std::path::Path;

use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::provider::{Reply, Scripted};

/// Stands in a raw text, far from what is asked for.
const CANARY: &str = "zebrafinch93417";
const API_KEY: &str = "sk-planted-key-5512";
/// Part of an address that is fetched in vain. The report names its sources, this one too; a log does not.
const TOKEN: &str = "planted-token-8841";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_tells_neither_a_raw_text_nor_a_secret() {
    // A provider that repeats what it was sent where it should not.
    let provider = Scripted::start([
        Reply::Repeat(400, CANARY),
        Reply::Repeat(500, CANARY),
        Reply::Text(format!("your key is {API_KEY}")),
    ])
    .await;
    let workspace = CliWorkspace::new();
    let river = "The river Alba rose by three metres after the storm of 1953, and the dam held. ".repeat(40);
    let aside = "Nobody asked for the weather of another place and time, and this says nothing else. ".repeat(60);
    workspace.write("river.txt", format!("{river} {aside} {CANARY} {aside}"));
    workspace.configure(format!(
        "digest_policy = 'always'\nlog = 'debug'\n[providers.scripted]\nbase_url = '{}'\napi_key_env = 'SCRIPTED_KEY'\n\
         [roles.summarization]\nproviders = ['scripted:m']\n[roles.synthesis]\nproviders = ['scripted:m']\n",
        provider.base_url()
    ));
    for (out, flags) in [("plain", &[][..]), ("as-json", &["--json"])] {
        let told = run(&workspace, out, flags).await;
        assert!(workspace.names(out).contains(&"report.json".to_owned()), "{}", told.stderr);
        assert!(told.stderr.contains("digest.started"), "the log has no audit events: {}", told.stderr);
        // The report itself, where it is asked for.
        let kept_back = if flags.is_empty() { &[CANARY, API_KEY][..] } else { &[API_KEY] };
        silent("standard output", &told.stdout, kept_back);
        silent("standard error", &told.stderr, &[CANARY, API_KEY]);
        told.stderr.lines().filter(|line| line.contains("DEBUG")).for_each(|line| silent("the log", line, &[TOKEN]));
        // Where the texts are archived the report holds the digest, whose snippets need not be quoted.
        let report = workspace.at(out).join("report.json").display().to_string();
        let told = files_with(&workspace.at(out), CANARY, "archive");
        assert!(told.iter().all(|file| *file == report), "{told:?}");
        // It was there to be found.
        assert_eq!(
            files_with(&workspace.at(out), CANARY, "").len(),
            1 + told.len(),
            "the canary is not even in the archive"
        );
    }
    assert_eq!(files_with(workspace.at("").parent().expect("a root"), API_KEY, ""), Vec::<String>::new());
    assert!(provider.seen().iter().any(|seen| seen.headers["authorization"].contains(API_KEY)));
}

async fn run(workspace: &CliWorkspace, out: &str, flags: &[&str]) -> Ended {
    let address = format!("http://127.0.0.1/private?token={TOKEN}");
    let query = "What did the river Alba do after the storm?";
    let mut arguments = vec!["run", "--query", query, "--docs", "river.txt", "--url", &address, "--out", out];
    arguments.extend(flags);
    let mut command = workspace.command(&arguments);
    command.env("SCRIPTED_KEY", API_KEY);
    tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic")
}

fn silent(who: &str, text: &str, needles: &[&str]) {
    for needle in needles {
        if let Some(at) = text.find(needle) {
            let from = text[..at].char_indices().rev().nth(300).map_or(0, |(at, _)| at);
            panic!("{who} tells {needle}: {}", &text[from..at + needle.len()]);
        }
    }
}

/// Files below `dir` that hold `needle`, those in a folder called `but` left out.
fn files_with(dir: &Path, needle: &str, but: &str) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let found = entries.flat_map(|path| match path.is_dir() {
        true if path.file_name().is_some_and(|name| name == but) => Vec::new(),
        true => files_with(&path, needle, but),
        false => {
            let holds = std::fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(needle));
            if holds { vec![path.display().to_string()] } else { Vec::new() }
        }
    });
    found.collect()
}
