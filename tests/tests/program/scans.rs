//! Pages that are pictures: recognized by Debian's tesseract, and by scripted programs that mean harm.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use bytes::Bytes;
use precis_runtime::ocr::{HELPER_COMMAND, OcrError, OcrLimits, OcrTool, recognize};
use precis_tests::program::{self, CliWorkspace, Ended};
use precis_tests::scan::scanned;
use serde_json::Value;

const FIRST: &str = "The Sorpe dam was built in 1935.\nIt holds 70 million tonnes of water.";
const SECOND: &str = "The keeper of the dam is Ada Muster.";
const TESSERACT: &str = "/usr/bin/tesseract";

fn has_tesseract() -> bool {
    let is_there = Path::new(TESSERACT).exists();
    if !is_there {
        eprintln!("SKIPPED: {TESSERACT} is not installed; nothing was recognized by a real program");
    }
    is_there
}

/// A workspace with a scan and a program of this shell script.
fn with_tool(script: &str) -> (CliWorkspace, PathBuf) {
    let workspace = CliWorkspace::new();
    workspace.write("scan.pdf", scanned(&[FIRST, SECOND]));
    workspace.write("reader", script);
    let tool = workspace.at("reader");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("ours");
    (workspace, tool)
}

fn extracted(workspace: &CliWorkspace, settings: &[&str]) -> Ended {
    let set = settings.iter().flat_map(|setting| ["--set", setting]);
    let args: Vec<&str> = ["extract", "--json", "scan.pdf"].into_iter().chain(set).collect();
    workspace.run(&args)
}

fn json(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {} {}", ended.stdout, ended.stderr))
}

#[test]
fn a_scan_is_read_quoted_and_marked_wherever_it_is_shown() {
    if !has_tesseract() {
        return;
    }
    let (workspace, _) = with_tool("");
    workspace.configure("ocr = \"tesseract\"\nocr_languages = \"eng\"\n");
    let read = json(&extracted(&workspace, &[]));
    let recognized = &read["blocks"][0]["recognized"];
    assert!(recognized["engine"].as_str().is_some_and(|engine| engine.starts_with("tesseract ")), "{read}");
    assert_eq!(
        (recognized["languages"].as_str(), recognized["picture"].as_str().map(str::len)),
        (Some("eng"), Some(64))
    );
    let ended = workspace.run(&["run", "Who is the keeper of the dam?", "scan.pdf", "--quiet"]);
    let report = fs::read(workspace.at("precis-out/report.json")).unwrap_or_else(|e| panic!("{e} {}", ended.stderr));
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    let citations = report["data"]["citations"].as_array().expect("a list");
    let quote = citations.iter().find(|quote| quote["text"] == SECOND).unwrap_or_else(|| panic!("{report}"));
    assert_eq!(
        (quote["recognized"]["engine"].clone(), quote["locator"].as_str()),
        (recognized["engine"].clone(), Some("page:2:char:0-36"))
    );
    let said = format!("recognized from a picture of page 2 by {}", recognized["engine"].as_str().expect("a name"));
    for page in ["precis-out/report.md", "precis-out/report.html"] {
        let page = fs::read_to_string(workspace.at(page)).expect("a page");
        assert!(page.replace('\\', "").contains(&said), "{page}");
    }
    let verified = workspace.run(&["verify", "precis-out"]);
    assert_eq!(verified.code, 0, "{} {}", verified.stdout, verified.stderr);
}

#[test]
fn a_report_that_hides_what_recognized_its_quote_is_refused() {
    let (workspace, tool) = with_tool("#!/bin/sh\nprintf 'The keeper of the dam is Ada Muster.\\n'\n");
    workspace.configure(format!("ocr = {:?}\n", tool.display().to_string()));
    let ended = workspace.run(&["run", "Who is the keeper of the dam?", "scan.pdf", "--quiet"]);
    let path = workspace.at("precis-out/report.json");
    let mut report: Value =
        serde_json::from_slice(&fs::read(&path).unwrap_or_else(|e| panic!("{e} {}", ended.stderr))).expect("JSON");
    let by = report["data"]["citations"][0]["recognized"]["engine"].as_str().expect("marked").to_owned();
    assert!(by.starts_with("reader ") && by.len() == "reader ".len() + 8, "{by}");
    let citation = report["data"]["citations"][0].as_object_mut().expect("an object");
    citation.remove("recognized").expect("marked");
    fs::write(&path, serde_json::to_vec(&report).expect("JSON")).expect("ours");
    let verified = workspace.run(&["verify", "precis-out"]);
    assert!(
        verified.code != 0 && format!("{}{}", verified.stdout, verified.stderr).contains("recognized in a picture by"),
        "{} {}",
        verified.stdout,
        verified.stderr
    );
}

#[test]
fn without_ocr_a_scan_stays_what_it_is_and_says_so() {
    let (workspace, _) = with_tool("");
    for settings in [&[][..], &["ocr=off"]] {
        let ended = extracted(&workspace, settings);
        assert_ne!(ended.code, 0);
        assert!(ended.stdout.contains("no text layer") && !ended.stdout.contains("recognized"), "{}", ended.stdout);
    }
    let typed = precis_tests::documents::text_at(20.0, 700.0, "Typed words.");
    let page = precis_tests::scan::picture_of(FIRST);
    workspace.write("scan.pdf", precis_tests::documents::pdf_of_contents(&[typed, page]));
    let read = json(&extracted(&workspace, &[]));
    assert_eq!(read["warnings"][0], "page 2 shows pictures and has no text", "{read}");
}

#[test]
fn a_page_with_text_is_never_recognized() {
    let (workspace, tool) = with_tool("#!/bin/sh\nprintf 'Invented.\\n'\n");
    let both = precis_tests::scan::picture_of(FIRST) + &precis_tests::documents::text_at(20.0, 700.0, "Typed words.");
    workspace.write("scan.pdf", precis_tests::documents::pdf_of_contents(&[both]));
    let read = json(&extracted(&workspace, &[&format!("ocr={}", tool.display())]));
    assert_eq!(
        (read["text"].as_str(), read["warnings"].as_array().map(Vec::len)),
        (Some("Typed words."), Some(0)),
        "{read}"
    );
}

#[test]
fn a_folder_of_documents_cannot_switch_recognition_on() {
    let (workspace, tool) = with_tool("#!/bin/sh\nprintf 'Invented.\\n'\n");
    workspace.write("precis.toml", format!("ocr = {:?}\n", tool.display().to_string()));
    assert_eq!(workspace.run(&["trust", "."]).code, 0);
    let ended = extracted(&workspace, &[]);
    assert!(ended.code != 0 && ended.stderr.contains("ocr"), "{} {}", ended.stdout, ended.stderr);
    assert!(!ended.stdout.contains("Invented"));
}

#[test]
fn a_missing_program_is_said_and_costs_nothing_else() {
    let (workspace, _) = with_tool("");
    let ended = extracted(&workspace, &["ocr=/no/such/reader"]);
    assert!(
        ended.stdout.contains("no text layer") && ended.stdout.contains("/no/such/reader cannot be started"),
        "{}",
        ended.stdout
    );
}

/// What a program of these lines prints, and the folder that it lies in.
fn tried(lines: &str) -> (CliWorkspace, Result<String, OcrError>) {
    let (workspace, tool) = with_tool(&format!("#!/bin/bash\n{lines}\n"));
    let said = run(&tool, OcrLimits { page_time: Duration::from_secs(20), ..OcrLimits::default() });
    (workspace, said)
}

fn run(tool: &Path, limits: OcrLimits) -> Result<String, OcrError> {
    let tool = OcrTool::find(&tool.display().to_string(), None, None)?.with_helper(program::path().to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(recognize(&tool, Bytes::from_static(b"P5\n1 1\n255\n\xff"), &limits))
}

#[test]
fn a_program_that_reaches_out_gets_nothing_and_leaves_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("ours");
    let port = listener.local_addr().expect("bound").port();
    let secret = tempfile::NamedTempFile::new().expect("a file");
    fs::write(secret.path(), "a secret\n").expect("written");
    let (file, us) = (secret.path().display().to_string(), std::process::id());
    let mark = format!("{file}-mark");
    for (what, attempt) in [
        ("socket", format!(": <> /dev/tcp/127.0.0.1/{port}")),
        ("datagram", ": <> /dev/udp/127.0.0.1/53".to_owned()),
        ("new file", format!(": > {mark}")),
        ("device", ": >> /dev/null".to_owned()),
        ("append", format!(": >> {file}")),
        ("file of a user", format!("read -r line < {file}")),
        ("file of the system", "read -r line < /etc/passwd".to_owned()),
        ("another process", format!("read -r -d '' line < /proc/{us}/environ")),
        ("list of processes", "ls=(/proc/[0-9]*) && [ -d \"${ls[0]}\" ]".to_owned()),
        ("process", "(exit 0)".to_owned()),
        ("signal", format!("kill -0 {us}")),
        ("environment", "[ -n \"$HOME\" ]".to_owned()),
    ] {
        let script = format!("if {attempt}; then echo done; fi\necho end");
        let free = Command::new("/bin/bash").args(["-c", &script]).env("HOME", "/").output().expect("a shell");
        assert_eq!(free.stdout, b"done\nend\n", "{what}: not even outside: {free:?}");
        drop(fs::remove_file(&mark));
        let _ = listener.accept();
        let (_workspace, said) = tried(&script);
        let is_ended_for_it = matches!(&said, Err(OcrError::Failed(_)));
        assert!(is_ended_for_it || said.as_deref() == Ok("end\n"), "{what}: {said:?}");
    }
    assert!(!Path::new(&mark).exists());
    assert_eq!(fs::read(secret.path()).expect("ours"), b"a secret\n");
    assert!(listener.accept().is_err(), "somebody connected");
}

#[test]
fn a_program_that_hangs_is_ended_at_its_limit() {
    let (_workspace, tool) = with_tool("#!/bin/bash\nexec sleep 600\n");
    let limit = Duration::from_secs(2);
    let since = Instant::now();
    assert_eq!(run(&tool, OcrLimits { page_time: limit, ..OcrLimits::default() }), Err(OcrError::TimedOut { limit }));
    assert!(since.elapsed() < Duration::from_secs(30));
    let (_workspace, tool) = with_tool("#!/bin/bash\nwhile :; do :; done\n");
    assert_eq!(run(&tool, OcrLimits { page_time: limit, ..OcrLimits::default() }), Err(OcrError::TimedOut { limit }));
}

#[test]
fn the_time_of_a_page_is_kept_on_both_sides() {
    // There is no "at the limit" of a time; what sleeps for 1 s is within 10 s, and what sleeps for 10 s is not within 1 s.
    for (sleeps, limit, is_within) in [(1, 10, true), (10, 1, false)] {
        let (_workspace, tool) = with_tool(&format!("#!/bin/bash\nexec sleep {sleeps}\n"));
        let limits = OcrLimits { page_time: Duration::from_secs(limit), ..OcrLimits::default() };
        assert_eq!(run(&tool, limits).is_ok(), is_within, "{sleeps} of {limit}");
    }
}

#[test]
fn output_is_read_to_its_limit_and_floods_are_cut() {
    for (bytes, is_taken) in [(999, true), (1_000, true), (1_001, false)] {
        let (_workspace, tool) = with_tool(&format!("#!/bin/bash\nprintf '%{bytes}s' x\n"));
        let said = run(&tool, OcrLimits { page_bytes: 1_000, ..OcrLimits::default() });
        let expected = is_taken.then_some(bytes).ok_or(OcrError::TooMuch { limit: 1_000 });
        assert_eq!(said.map(|text| text.len()), expected, "{bytes}");
    }
    let (_workspace, tool) = with_tool("#!/bin/bash\nexec head -c 1000000000 /dev/urandom\n");
    let limit = OcrLimits::default().page_bytes;
    assert_eq!(run(&tool, OcrLimits::default()), Err(OcrError::TooMuch { limit }));
}

#[test]
fn memory_is_given_up_to_its_limit() {
    // The address space of a process is counted in pages, and what the shell needs is not known: the string is what makes the difference.
    let (_workspace, tool) = with_tool("#!/bin/bash\nprintf -v text '%200000000s' x\necho ${#text}\n");
    for (mib, is_given) in [(64, false), (1_500, true)] {
        let said = run(&tool, OcrLimits { memory_bytes: mib << 20, ..OcrLimits::default() });
        assert_eq!(said.as_deref() == Ok("200000000\n"), is_given, "{mib} MiB: {said:?}");
    }
}

#[test]
fn pages_are_recognized_up_to_their_number() {
    let (workspace, tool) = with_tool("#!/bin/sh\nprintf 'Words of a page.\\n'\n");
    for (most, recognized, said) in [(1, 1, "1 page were not"), (2, 2, ""), (3, 2, "")] {
        let read =
            json(&extracted(&workspace, &[&format!("ocr={}", tool.display()), &format!("ocr_max_pages={most}")]));
        let count = read["text"].as_str().expect("a text").matches("Words of a page.").count();
        assert_eq!(count, recognized, "{most}");
        assert_eq!(read["warnings"].to_string().contains("ocr_max_pages"), !said.is_empty(), "{read}");
    }
}

#[test]
fn where_the_profile_cannot_be_had_the_program_is_not_started() {
    // In the profile itself no second one can be set up, so this is such a machine.
    let (_workspace, tool) = with_tool("#!/bin/sh\necho started\n");
    let program = program::path().display().to_string();
    let tool = tool.display().to_string();
    let args = [HELPER_COMMAND, "10", "1073741824", &program, HELPER_COMMAND, "10", "1073741824", &tool];
    let ended = CliWorkspace::new().run(&args);
    assert_eq!((ended.code, ended.stdout.as_str()), (97, ""), "{}", ended.stderr);
    assert!(!ended.stderr.trim().is_empty());
    let (workspace, helper) = with_tool("#!/bin/sh\necho no limit to file access >&2\nexit 97\n");
    let tool =
        OcrTool::find(&workspace.at("reader").display().to_string(), None, None).expect("there").with_helper(helper);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let said = runtime.block_on(recognize(&tool, Bytes::new(), &OcrLimits::default()));
    let missing = "no limit to file access".to_owned();
    assert_eq!(said, Err(OcrError::Unconfined { missing }));
}
