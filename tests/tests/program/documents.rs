//! `precis extract` and `precis fetch` from outside, and what a hostile document does to a run.

use std::io::Write;
use std::process::Stdio;

use precis_proto::ids::sha256_hex;
use precis_tests::documents;
use precis_tests::program::{CliWorkspace, Ended};
use serde_json::Value;

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ended.stdout, ended.stderr))
}

fn report(workspace: &CliWorkspace) -> Value {
    let report = std::fs::read(workspace.at("precis-out/report.json")).expect("a report");
    serde_json::from_slice(&report).expect("JSON")
}

#[test]
fn an_extracted_document_has_pages_that_slice_its_text() {
    let workspace = CliWorkspace::new();
    workspace.write("two.pdf", documents::pdf(&["Some words", "and more"]));
    workspace.write("note.txt", "  Caf\u{e9},\n\n a < b \u{1f600} ");
    for (file, content_type, text, pages) in [
        ("two.pdf", "application/pdf", "Some words\n\n---PAGE 2---\n\nand more", &["Some words", "and more"][..]),
        ("note.txt", "text/plain", "Caf\u{e9}, a < b \u{1f600}", &[]),
    ] {
        let ended = workspace.run(&["extract", file, "--json"]);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let found = json(&ended);
        assert!(found["source_id"].as_str().is_some_and(|id| id.starts_with("src-")), "{found}");
        assert_eq!((&found["content_type"], &found["text"]), (&content_type.into(), &text.into()));
        assert_eq!(found["source_text_hash"], format!("sha256:{}", sha256_hex(text.as_bytes())));
        assert_eq!(found["warnings"], serde_json::json!([]));
        let rows = found["pages"].as_array().expect("pages");
        let place = |row: &Value, key: &str| usize::try_from(row[key].as_u64().expect(key)).expect("small");
        let slice = |row: &Value| {
            let (start, end) = (place(row, "start"), place(row, "end"));
            text.chars().skip(start).take(end - start).collect::<String>()
        };
        assert_eq!(rows.iter().map(slice).collect::<Vec<_>>(), pages);
        assert!(rows.iter().enumerate().all(|(n, row)| place(row, "page") == n + 1), "{rows:?}");
    }
}

#[test]
fn what_a_limit_cuts_from_a_document_is_in_its_warnings() {
    let workspace = CliWorkspace::new();
    workspace.write("two.pdf", documents::pdf(&["Some words end here.", "More follow."]));
    let found = json(&workspace.run(&["extract", "two.pdf", "--json", "--set", "max_document_pages=1"]));
    let about = "kept the first 20 of about 40 characters, pages not read being estimated";
    assert_eq!(found["warnings"], serde_json::json!(["read 1 of 2 pages", about]));
    let set = ["--docs", "two.pdf", "--set", "max_document_pages=1"];
    let ended = workspace.run(&[&["run", "--query", "Which words are there?"][..], &set].concat());
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let report = report(&workspace);
    let ledger = report["data"]["content_fidelity"].as_object().expect("a ledger").values().next().expect("a source");
    let record = &ledger["phases"]["extraction"];
    assert_eq!((&record["level"], &record["reason"]), (&"truncated".into(), &"budget_limit".into()), "{record}");
    assert!(record["tokens_before"].as_u64() > record["tokens_after"].as_u64(), "{record}");
}

#[test]
fn a_document_without_text_exits_3_with_code_and_message() {
    let workspace = CliWorkspace::new();
    workspace.write("empty.txt", "");
    workspace.write("locked.pdf", documents::locked_pdf());
    workspace.write("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    workspace.write("broken.pdf", "%PDF-1.7\n1 0 obj\n<< /Type /Catalog");
    workspace.write("long.txt", "a".repeat(2_000));
    for (file, code) in [
        ("empty.txt", "empty"),
        ("locked.pdf", "encrypted"),
        ("image.png", "unsupported"),
        ("broken.pdf", "unreadable"),
        ("long.txt", "too_large"),
        ("missing.txt", "unreadable"),
    ] {
        let args = ["extract", file, "--set", "max_document_bytes=1000"];
        let ended = workspace.run(&[&args[..], &["--json"]].concat());
        assert_eq!(ended.code, 3, "{file}: {}{}", ended.stdout, ended.stderr);
        let error = &json(&ended)["error"];
        assert_eq!(error["code"], code, "{file}: {error}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{file}: {error}");
        let ended = workspace.run(&args);
        assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{file}");
        assert!(!ended.stderr.is_empty(), "{file}");
    }
}

#[test]
fn a_dry_fetch_judges_each_input_line_and_reports_denials() {
    let workspace = CliWorkspace::new();
    let mut command = workspace.command(&["fetch", "--dry-run", "--no-resolve", "--json", "-"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"https://example.com/a\nhttp://10.0.0.1/\n\nnonsense\n").expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("text");
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let column = |key: &str| rows.iter().map(|row| row[key].as_str().unwrap_or("none")).collect::<Vec<_>>();
    assert_eq!(column("url"), ["https://example.com/a", "http://10.0.0.1/", "nonsense"]);
    assert_eq!(column("verdict"), ["allow", "deny", "deny"]);
    assert!(column("reason")[0] == "none" && column("reason")[1].starts_with("special_address"), "{lines}");
    let ended = workspace.run(&["fetch", "--no-resolve", "https://example.com/"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{}", ended.stderr);
    assert!(ended.stderr.contains("--dry-run"), "{}", ended.stderr);
}

#[test]
fn a_bomb_in_a_folder_costs_its_own_row_and_nothing_else() {
    let workspace = CliWorkspace::new();
    workspace.write(
        "docs/rain.txt",
        "The main risk of the project is rain. Work stops on wet days. Nobody can change that.",
    );
    workspace.write("docs/bomb.pdf", documents::bomb(5 << 28));
    let ended = workspace.run(&["run", "--query", "What is the main risk?", "--docs", "docs"]);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    let report = report(&workspace);
    let rows = report["data"]["sources"].as_array().expect("sources");
    let failures: Vec<&Value> = rows.iter().map(|row| &row["failure"]).filter(|failure| failure.is_object()).collect();
    assert_eq!((rows.len(), failures.len()), (2, 1), "{rows:?}");
    assert_eq!(failures[0]["code"], "unreadable");
}
