//! The command line from outside: what users type, what they get back.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use precis_tests::program::{CliWorkspace, ended};
use serde_json::Value;

#[test]
fn help_and_version_are_plain_text_and_succeed() {
    let workspace = CliWorkspace::new();
    let help = workspace.run(&["--help"]);
    assert_eq!(help.code, 0);
    for word in ["run", "verify", "config", "schema", "completions", "Examples:", "Exit codes:"] {
        assert!(help.stdout.contains(word), "{word} is not in\n{}", help.stdout);
    }
    assert!(!help.stdout.contains('\u{1b}'), "colours although nobody sees them");
    let run = workspace.run(&["run", "--help"]);
    assert!(run.code == 0 && run.stdout.contains("--docs") && run.stdout.contains("precis-out"), "{}", run.stdout);
    assert!(workspace.run(&["--version"]).stdout.starts_with("precis "));
    assert!(workspace.names("").is_empty(), "help wrote something");
}

#[test]
fn a_wrong_command_line_ends_with_2_and_says_what_was_meant() {
    let workspace = CliWorkspace::new();
    for (args, said) in [
        (&["run", "--qeury", "x", "--docs", "."][..], "--query"),
        (&["run", "--query", "x"], "--url"),
        (&["run", "--docs", "x"], "--query-file"),
        (&["verfy"], "verify"),
        (&["run", "--query", "x", "--url", "ftp://example.org"], "http:// or https://"),
        (&["run", "--query", "x", "--docs", ".", "--set", "html"], "KEY=VALUE"),
        (
            &["run", "--query", "x", "--docs", ".", "--provider", "nobody:x"],
            "error: flag --provider is wrong: expected NAME:MODEL",
        ),
        (&["run", "--query", "x", "--docs", ".", "--report-tokens", "1"], "from 200 to 20000"),
        (&["run", "--query", "x", "--docs", ".", "--config", "missing.toml"], "missing.toml"),
        (&["schema", "respons"], "research-request"),
    ] {
        let ended = workspace.run(args);
        assert_eq!(ended.code, 2, "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{args:?}: {}", ended.stderr);
    }
    assert!(workspace.names("").is_empty(), "a refused command line wrote something");
}

#[test]
fn schemas_and_completions_are_printed_and_a_closed_pipe_is_no_error() {
    let workspace = CliWorkspace::new();
    let schema: Value = serde_json::from_str(&workspace.run(&["schema", "response"]).stdout).expect("JSON");
    assert!(schema["properties"]["meta"].is_object());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ended = workspace.run(&["completions", shell]);
        assert!(ended.code == 0 && ended.stdout.contains("precis"), "{shell}: {}", ended.stderr);
    }
    let mut child =
        workspace.command(&["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn unusable_input_is_refused_with_3_and_a_reason() {
    let workspace = CliWorkspace::new();
    std::fs::create_dir(workspace.at("empty")).expect("a directory");
    std::fs::create_dir(workspace.at("x.pdf")).expect("a directory");
    workspace.write("images/a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    workspace.write("hidden/.secret.txt", "text");
    workspace.write("large/huge.txt", vec![b'a'; 2_000]);
    workspace.write("latin1.txt", b"Caf\xe9?");
    workspace.write("long.txt", "a".repeat(100_000));
    workspace.write("fine.txt", "text");
    let why = |docs: &[&'static str]| [&["--query", "why salt?", "--docs"], docs].concat();
    for (args, said) in [
        (why(&["empty"]), "there is no document to read: `empty` contains none"),
        (why(&["x.pdf"]), "`x.pdf` contains none"),
        (why(&["hidden"]), "hidden files are ignored"),
        (why(&["images"]), "a.png: a document that looks like png is not supported"),
        (why(&["*.doc"]), "no file matches `*.doc`"),
        (why(&["missing.pdf"]), "missing.pdf: no such file or directory"),
        (why(&["large", "--set", "max_document_bytes=1000"]), "huge.txt: 2000 bytes are more than"),
        (vec!["--query", " ", "--docs", "fine.txt"], "the question is empty"),
        (vec!["--query", "Why?", "--docs", "fine.txt"], "What do you want to know?"),
        (vec!["--query-file", "long.txt", "--docs", "fine.txt"], "at most 10000 characters"),
        (vec!["--query-file", "latin1.txt", "--docs", "fine.txt"], "not UTF-8"),
        (vec!["--query-file", "missing.txt", "--docs", "fine.txt"], "missing.txt"),
    ] {
        let ended = workspace.run(&[&["run"], args.as_slice()].concat());
        assert_eq!(ended.code, 3, "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{args:?}: {}", ended.stderr);
        assert!(ended.stdout.is_empty());
        assert!(!workspace.at("precis-out").exists(), "{args:?} left something behind");
    }
}

#[test]
fn a_question_about_nothing_is_refused_before_anything_is_published_or_searched() {
    let workspace = CliWorkspace::new();
    workspace.write("fine.txt", "text");
    let request = r#"{"schema_version": 1, "session_id": "a", "query": "Warum?", "sources": [], "options": {}}"#;
    workspace.write("request.json", request);
    for args in [
        &["submit", "--query", "Why?", "--docs", "fine.txt"][..],
        &["submit", "--request", "request.json"],
        &["research", "Why?", "--corpus", "."],
    ] {
        let ended = workspace.run(args);
        assert_eq!(ended.code, 3, "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("What do you want to know?"), "{args:?}: {}", ended.stderr);
    }
}

#[test]
fn question_and_paths_suffice_and_standard_input_is_a_document() {
    let workspace = answered();
    for args in [&["run", QUESTION, "docs"][..], &["run", QUESTION, "docs/*.md", "docs/*.txt"]] {
        let ended = workspace.run(args);
        assert_eq!(ended.code, 0, "{args:?}: {}", ended.stderr);
        assert_eq!(
            report_of(&workspace, "precis-out")["data"]["sources"].as_array().map(Vec::len),
            Some(2),
            "{args:?}"
        );
    }
    let mut command = workspace.command(&["run", QUESTION, "-", "--out", "piped"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(b"The main risk is the harvest.\n").expect("written");
    drop(stdin);
    let ended = child.wait_with_output().expect("ends");
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    let report = report_of(&workspace, "piped");
    assert_eq!(report["data"]["sources"][0]["title"], "standard-input");
    assert!(report["data"]["report"].as_str().expect("a report").contains("harvest"));
    for (args, said) in [
        (&["run", QUESTION][..], "no document is given"),
        (&["run", "docs", QUESTION], "the question comes before the documents"),
        (&["rnu", QUESTION], "'run'"),
    ] {
        let ended = workspace.run(args);
        assert_eq!(ended.code, 2, "{args:?}");
        assert!(ended.stderr.contains(said), "{args:?}: {}", ended.stderr);
    }
}

#[test]
fn unread_folder_members_are_listed_with_reasons_in_every_form() {
    let workspace = answered();
    workspace.write("docs/table.gz", b"\x1f\x8b\x08\0\0\0\0\0");
    workspace.write("docs/letter.ppt", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0");
    workspace.write("docs/noise.bin", (0..=255).cycle().take(4_096).collect::<Vec<u8>>());
    let ended = workspace.run(&["run", QUESTION, "docs"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let report = report_of(&workspace, "precis-out");
    let markdown = std::fs::read_to_string(workspace.at("precis-out/report.md")).expect("a report");
    for (name, looks_like) in
        [("table.gz", "gzip"), ("letter.ppt", "Office file of the form before 2007"), ("noise.bin", "binary data")]
    {
        let rows = report["data"]["sources"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["title"] == name).unwrap_or_else(|| panic!("no row of {name}"));
        let reason = row["failure"]["message"].as_str().expect("a reason");
        assert!(row["failure"]["code"] == "unsupported" && reason.contains(looks_like), "{reason}");
        assert!(markdown.contains(name) && markdown.contains(looks_like), "{name}: {markdown}");
    }
    let told = ended.stdout.lines().find(|line| line.contains("SOURCE_UNREADABLE")).expect("a warning");
    assert!(
        ended.stdout.contains("3 not readable") && told.contains("looks like") && told.contains("and 1 more"),
        "{told}"
    );
}

#[test]
fn a_directory_with_files_of_the_user_is_refused_unless_forced() {
    let workspace = answered();
    workspace.write("mine/report.md", "my own words");
    let ended = workspace.run(&["run", QUESTION, "docs", "--out", "mine"]);
    assert_eq!((ended.code, workspace.names("mine")), (3, vec!["report.md".to_owned()]), "{}", ended.stderr);
    assert!(ended.stderr.contains("--force"), "{}", ended.stderr);
    for more in [&["--force"][..], &[]] {
        let args = [&["run", QUESTION, "docs", "--out", "mine"], more].concat();
        assert_eq!(workspace.run(&args).code, 0, "a report over a report needs no force");
    }
    for answer in ["precis-answer", "precis-answer-2"] {
        assert_eq!(workspace.run(&["ask", "mine", QUESTION]).code, 0);
        assert!(workspace.names(answer).contains(&"report.json".to_owned()), "{answer}");
    }
}

#[test]
fn a_silent_named_provider_makes_the_report_partial_with_reason() {
    let workspace = answered();
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    workspace.write("dead.toml", format!("[providers.dead]\nbase_url = 'http://{gone}/v1'\n"));
    for (provider, words) in [
        ("dead:m", &["connect_failed", "start the server at http://127.0.0.1:"][..]),
        ("[cli]opencode:m", &["tool_missing", "no program `opencode` in PATH", "[providers.opencode]"]),
    ] {
        let mut command =
            workspace.command(&["run", QUESTION, "docs", "--provider", provider, "--config", "dead.toml"]);
        let ended = ended({
            command.env("PATH", workspace.at("nothing"));
            command
        });
        assert_eq!(ended.code, 5, "{provider}: {}{}", ended.stdout, ended.stderr);
        let report = report_of(&workspace, "precis-out");
        let warnings = report["data"]["warning_details"].to_string();
        for word in words {
            assert!(ended.stdout.contains(word) && ended.stderr.contains(word), "{word}: {}", ended.stdout);
            assert!(warnings.contains(word), "{word}: {warnings}");
        }
        let most = |line: &str| line.matches("failed (").count();
        assert!(ended.stdout.lines().all(|line| most(line) <= 1), "said twice in a line: {}", ended.stdout);
        assert_eq!(report["data"]["session"]["incomplete"], true);
    }
}

#[test]
fn a_refusal_is_an_envelope_where_json_was_asked_for() {
    let workspace = CliWorkspace::new();
    let ended = workspace.run(&["run", "--query", "why salt?", "--docs", "missing.pdf", "--json"]);
    let envelope: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(ended.code, 3);
    assert_eq!(envelope["success"], false);
    assert_eq!(envelope["error"]["code"], "no_readable_source");
    assert_eq!(envelope["meta"]["version"], "response-v2");
}

#[test]
fn an_unwritable_output_directory_is_reported_before_any_work() {
    let workspace = CliWorkspace::new();
    workspace.write("fine.txt", "text");
    workspace.write("file", "mine");
    for out in ["file", "file/below", "/dev/null/x"] {
        let ended = workspace.run(&["run", "--query", "why salt?", "--docs", "fine.txt", "--out", out]);
        assert_eq!(ended.code, 1, "{out}: {}", ended.stderr);
        assert!(ended.stderr.contains("nothing was written") && ended.stderr.contains("--out"), "{}", ended.stderr);
    }
    assert_eq!(workspace.names(""), ["file", "fine.txt"]);
    assert_eq!(std::fs::read(workspace.at("file")).expect("read"), b"mine");
}

#[test]
fn verify_refuses_what_is_no_report() {
    let workspace = CliWorkspace::new();
    workspace.write("report.json", "{");
    workspace.write("other/report.json", "{\"success\": 1}");
    std::fs::create_dir(workspace.at("other/archive")).expect("a directory");
    for (report, code, said) in
        [("missing.json", 3, "missing.json"), ("report.json", 3, "is not a report"), ("other", 1, "not a report")]
    {
        let ended = workspace.run(&["verify", report]);
        assert_eq!(ended.code, code, "{report}: {}{}", ended.stdout, ended.stderr);
        assert!((ended.stdout + &ended.stderr).contains(said), "{report}");
    }
}

const QUESTION: &str = "What is the main risk?";

/// A folder `docs` with two documents that answer [`QUESTION`].
fn answered() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write(
        "docs/rain.txt",
        "The main risk of the project is rain. Work stops on wet days. Nobody can change that.",
    );
    workspace.write(
        "docs/frost.md",
        "# Winter\n\nFrost is a further risk. The main risk in winter is **frost** on the road.",
    );
    workspace
}

fn report_of(workspace: &CliWorkspace, out: &str) -> Value {
    let text = std::fs::read_to_string(workspace.at(out).join("report.json")).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

fn calls(report: &Value, field: &str) -> u64 {
    let rows = report["data"]["spend"].as_array().expect("spend");
    rows.iter().map(|row| row[field].as_u64().expect("a count")).sum()
}

#[test]
fn a_run_writes_a_verified_report_and_repeats_without_model_calls() {
    let workspace = answered();
    let run = &["run", "--query", QUESTION, "--docs", "docs"];
    let first = workspace.run(run);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(first.stdout.contains("verify it: precis verify precis-out/report.json"), "{}", first.stdout);
    assert!(first.stderr.contains("extraction"), "{}", first.stderr);
    assert_eq!(workspace.names("precis-out"), ["archive", "report.html", "report.json", "report.md"]);
    assert!(calls(&report_of(&workspace, "precis-out"), "calls") > 0);
    let verified = workspace.run(&["verify", "precis-out/report.json"]);
    assert!(verified.code == 0 && verified.stdout.starts_with("verified: "), "{}", verified.stdout);

    let second = workspace.run(run);
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert_eq!(calls(&report_of(&workspace, "precis-out"), "calls"), 0);
    assert!(calls(&report_of(&workspace, "precis-out"), "cached_calls") > 0);
    let fresh = workspace.run(&[run, &["--no-cache"][..]].concat());
    assert!(fresh.code == 0 && calls(&report_of(&workspace, "precis-out"), "calls") > 0, "{}", fresh.stderr);
}

#[test]
fn a_flipped_byte_in_the_archive_is_found() {
    let workspace = answered();
    assert_eq!(workspace.run(&["run", "--query", QUESTION, "--docs", "docs", "--quiet"]).code, 0);
    let report = report_of(&workspace, "precis-out");
    let cited = &report["data"]["citations"][0];
    let hash = cited["source_text_hash"].as_str().expect("a hash").trim_start_matches("sha256:");
    let source = cited["source_id"].as_str().expect("an id");
    let path = workspace.at(&format!("precis-out/archive/{source}/{hash}.txt"));
    let mut bytes = std::fs::read(&path).expect("an archived text");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    let ended = workspace.run(&["verify", "precis-out"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.contains("mismatch: ") && ended.stdout.contains("NOT VERIFIED"), "{}", ended.stdout);
}

#[test]
fn json_is_the_report_on_standard_output_and_quiet_is_nothing() {
    let workspace = answered();
    let json = workspace.run(&["run", "--query", QUESTION, "--docs", "docs", "--json"]);
    let written = std::fs::read_to_string(workspace.at("precis-out/report.json")).expect("a report");
    assert_eq!((json.code, json.stdout), (0, written));
    let quiet = workspace.run(&["run", "--query", QUESTION, "--docs", "docs", "--quiet"]);
    assert_eq!((quiet.code, quiet.stdout, quiet.stderr), (0, String::new(), String::new()));
}

#[test]
fn no_path_of_this_machine_is_in_any_output() {
    let workspace = answered();
    let docs = workspace.at("docs").display().to_string();
    assert_eq!(workspace.run(&["run", "--query", QUESTION, "--docs", &docs, "--quiet"]).code, 0);
    let root = workspace.at("").display().to_string();
    let root = root.trim_end_matches('/');
    for name in ["report.json", "report.md", "report.html"] {
        let text = std::fs::read_to_string(workspace.at("precis-out").join(name)).expect("a file");
        assert!(!text.contains(root), "{name} tells where the documents lie");
    }
}

#[test]
fn a_failing_named_document_is_partial_and_a_folder_member_warns() {
    let workspace = answered();
    workspace.write("broken/rain.txt", "The main risk of the project is rain.");
    workspace.write("broken/zero.pdf", "");
    workspace.write("broken/cut.pdf", "%PDF-1.7\n1 0 obj\n<< /Type /Catalog");
    workspace.write("broken/latin1.txt", b"Caf\xe9: the main risk is the na\xefve plan.");
    workspace.write("broken/huge.txt", vec![b'a'; 17 << 20]);
    for (docs, code, failed) in [
        (&["broken"][..], 0, 3),
        (&["docs", "broken/zero.pdf"], 5, 1),
        (&["docs", "broken/cut.pdf"], 5, 1),
        (&["docs", "broken/huge.txt"], 5, 1),
        (&["docs", "missing.txt"], 5, 1),
    ] {
        let ended = workspace.run(&[&["run", "--query", QUESTION, "--docs"], docs].concat());
        assert_eq!(ended.code, code, "{docs:?}: {}{}", ended.stdout, ended.stderr);
        let report = report_of(&workspace, "precis-out");
        let rows = report["data"]["sources"].as_array().expect("sources");
        assert_eq!(rows.iter().filter(|row| row["failure"].is_object()).count(), failed, "{docs:?}");
        assert_eq!(report["data"]["session"]["incomplete"], code == 5, "{docs:?}");
        assert_eq!(workspace.run(&["verify", "precis-out"]).code, 0, "{docs:?}");
    }
    for alone in ["zero.pdf", "cut.pdf", "huge.txt"] {
        let ended =
            workspace.run(&["run", "--query", QUESTION, "--docs", &format!("broken/{alone}"), "--out", "alone"]);
        assert_eq!(ended.code, 3, "{}", ended.stderr);
        assert!(ended.stderr.contains(alone) && !workspace.at("alone").exists(), "{}", ended.stderr);
    }
}

#[test]
fn a_question_of_one_stopword_is_answered_by_position() {
    let workspace = answered();
    assert_eq!(workspace.run(&["run", "--query", "the", "--docs", "docs"]).code, 0);
    assert_eq!(workspace.run(&["verify", "precis-out"]).code, 0);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_report_unchanged() {
    let workspace = answered();
    const OLD: &str = r#"{"success": true, "data": {}, "meta": {}}"#;
    workspace.write("precis-out/report.json", OLD);
    let program = precis_tests::program::path().display().to_string();
    // Files over 12 KiB fail as they do on a full disk, except that the error has another name. report.html is one.
    let script = "trap '' XFSZ; ulimit -f 24; exec \"$0\" \"$@\"";
    let args = ["-c", script, &program, "run", "--query", QUESTION, "--docs", "docs", "--no-cache"];
    let ended = ended(workspace.within(Path::new("/bin/sh"), &args));
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("error: write report.") && ended.stderr.contains("nothing was written"),
        "{}",
        ended.stderr
    );
    assert_eq!(workspace.names("precis-out"), ["report.json"]);
    assert_eq!(std::fs::read(workspace.at("precis-out/report.json")).expect("read"), OLD.as_bytes());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_ends_with_130_and_leaves_nothing_behind() {
    let workspace = answered();
    // A model server that takes a call and never answers, so that there is something to interrupt.
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = server.local_addr().expect("an address");
    workspace.configure(format!("[providers.slow]\nbase_url = 'http://{address}/v1'\n"));
    let args = ["run", "--query", QUESTION, "--docs", "docs", "--provider", "slow:model"];
    let child = workspace.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let (mut call, _) = server.accept().expect("a call");
    assert!(call.read(&mut [0; 16]).expect("a request") > 0);
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(signal.success());
    let output = child.wait_with_output().expect("ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("interrupted; nothing was written"), "{stderr}");
    assert!(!workspace.at("precis-out").exists());
}
