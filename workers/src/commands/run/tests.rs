use std::fs;
use std::path::PathBuf;

use clap::Parser;
use precis_proto::source::ContentRef;

use super::*;
use crate::cli::research_details::ShownEvent;
use crate::commands::{Cli, Command};
use crate::input::QueryFrom;
use crate::input::source::InputOrigin;
use crate::report::sample::{citation, report, source};

/// A folder with documents `a.txt`, `b.txt` and so on, and the arguments to run on it.
struct RunWorkspace {
    root: tempfile::TempDir,
}

impl RunWorkspace {
    fn new(texts: &[&str]) -> Self {
        let root = tempfile::tempdir().expect("a directory");
        fs::create_dir(root.path().join("docs")).expect("created");
        for (name, text) in ('a'..).zip(texts) {
            fs::write(root.path().join(format!("docs/{name}.txt")), text).expect("written");
        }
        Self { root }
    }

    fn out(&self) -> PathBuf {
        self.root.path().join("out")
    }

    fn args(&self, more: &[&str]) -> LocalSession {
        let at = |name: &str| self.root.path().join(name).display().to_string();
        let (docs, out) = (at("docs"), at("out"));
        let words = ["precis", "run", "--query", "why?", "--docs", &docs, "--out", &out, "--quiet"];
        let Command::Run(args) = Cli::parse_from([&words, more].concat()).command else { panic!("another command") };
        args.session()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.out()).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Prepares a run as the command does, with the settings nobody changed.
fn prepare(session: &LocalSession) -> PreparedRun<'_> {
    let output = Output::open(&session.out, false).expect("writable");
    let mut settings = Settings::default();
    settings.archive.enabled = true;
    session.check(false).expect("a question and documents");
    PreparedRun {
        session,
        settings,
        query: "why?".to_owned(),
        output,
        follows: FollowUpInputs::default(),
        use_cache: true,
    }
}

/// An engine that archives every text and cites the first one.
async fn archivist(
    _: &Settings,
    request: RunRequest,
    _: mpsc::Sender<ShownEvent>,
    _: CancellationToken,
) -> Result<Response, EmbeddedError> {
    let (mut rows, mut citations) = (Vec::new(), Vec::new());
    for input in request.sources {
        let InputOrigin::File { path, content } = input.origin else { panic!("an address") };
        let text = fs::read_to_string(path).expect("read");
        assert_eq!(ContentRef::from_bytes(text.as_bytes()), content);
        fs::write(request.archive_dir.join(format!("{}.txt", content.hex())), &text).expect("archived");
        rows.push(source(&input.source_id, Some(&text)));
        citations.push(citation(1, &input.source_id, &text));
    }
    citations.truncate(1);
    let mut response = report(rows);
    if let Some(data) = response.data.as_mut() {
        (data.report, data.citations) = ("Because [1].".to_owned(), citations);
    }
    Ok(response)
}

/// An engine that works until it is cancelled.
async fn tireless(
    _: &Settings,
    _: RunRequest,
    _: mpsc::Sender<ShownEvent>,
    cancel: CancellationToken,
) -> Result<Response, EmbeddedError> {
    cancel.cancelled().await;
    Ok(Response::failure(precis_proto::response::ErrorInfo {
        status: precis_proto::response::Status::Cancelled,
        ..stated_failure(&CommandFailure::new(Exit::Failed, "cancelled", "cancelled")).error.expect("an error")
    }))
}

#[tokio::test]
async fn a_run_writes_the_report_for_programs_editors_browsers_and_its_archive() {
    let workspace = RunWorkspace::new(&["one text", "another text"]);
    let args = workspace.args(&[]);
    let exit = prepare(&args).through(archivist, CancellationToken::new()).await;
    assert_eq!(exit, Ok(Exit::Ok));
    assert_eq!(workspace.names(), ["archive", "report.html", "report.json", "report.md"]);
    let written = fs::read_to_string(workspace.out().join("report.json")).expect("read");
    let response: Response = serde_json::from_str(&written).expect("an envelope");
    assert_eq!(response.data.expect("a report").sources.len(), 2);
    assert!(!written.contains(&workspace.root.path().display().to_string()), "an absolute path leaked");
    assert!(fs::read_to_string(workspace.out().join("report.html")).expect("read").contains("one text"));
}

#[tokio::test]
async fn a_named_document_that_cannot_be_read_leaves_a_partial_report() {
    let workspace = RunWorkspace::new(&["one text"]);
    let missing = workspace.root.path().join("missing.pdf").display().to_string();
    let args = workspace.args(&["--docs", &missing]);
    let exit = prepare(&args).through(archivist, CancellationToken::new()).await;
    assert_eq!(exit, Ok(Exit::Partial));
    let written = fs::read_to_string(workspace.out().join("report.json")).expect("read");
    let data = serde_json::from_str::<Response>(&written).expect("an envelope").data.expect("a report");
    assert!(data.session.incomplete);
    assert_eq!(data.sources[1].failure.as_ref().map(|f| f.message.as_str()), Some("no such file or directory"));
}

#[tokio::test]
async fn a_cancelled_run_ends_with_130_and_leaves_nothing() {
    let workspace = RunWorkspace::new(&["one text"]);
    let args = workspace.args(&[]);
    let cancel = CancellationToken::new();
    let run = prepare(&args).through(tireless, cancel.clone());
    let ((), exit) = tokio::join!(async { cancel.cancel() }, run);
    assert_eq!(exit.unwrap_or_else(|failure| failure.exit), Exit::Interrupted);
    assert!(!workspace.out().exists());
}

#[tokio::test]
async fn a_second_run_does_not_read_the_report_of_the_first() {
    let workspace = RunWorkspace::new(&["one text"]);
    let mut args = workspace.args(&[]);
    args.docs = vec![workspace.root.path().to_owned()];
    for _ in 0..2 {
        assert_eq!(prepare(&args).through(archivist, CancellationToken::new()).await, Ok(Exit::Ok));
        let written = fs::read_to_string(workspace.out().join("report.json")).expect("read");
        let data = serde_json::from_str::<Response>(&written).expect("an envelope").data.expect("a report");
        assert_eq!(data.sources.len(), 1);
    }
}

#[test]
fn the_first_word_is_the_question_unless_a_flag_gives_it() {
    let root = tempfile::tempdir().expect("a directory");
    let file = root.path().join("a.txt");
    fs::write(&file, "text").expect("written");
    let here = file.display().to_string();
    let asked = |words: &[&str]| {
        let Command::Run(args) = Cli::parse_from([&["precis", "run"], words].concat()).command else { panic!("a run") };
        let session = args.session();
        session.check(false).map(|()| (session.question, session.docs))
    };
    let text = |question: &str| QueryFrom::Text(question.to_owned());
    for (words, question, docs) in [
        (&["why?", "a", "b"][..], text("why?"), &["a", "b"][..]),
        (&["why?", "a", "--docs", "b"], text("why?"), &["a", "b"]),
        (&["--query", "why?", "a", "b"], text("why?"), &["a", "b"]),
        (&["--query-file", "q", "a"], QueryFrom::File("q".into()), &["a"]),
        (&["why?", "-"], text("why?"), &["-"]),
        (&["-", "a"], text("-"), &["a"]),
        (&["why?", "--url", "http://a"], text("why?"), &[]),
    ] {
        let docs = docs.iter().map(PathBuf::from).collect();
        assert_eq!(asked(words).expect("sound"), (question, docs), "{words:?}");
    }
    for (words, said) in [
        (&["why?"][..], "no document is given"),
        (&[here.as_str()], "is read as the question, and no document is given"),
        (&[here.as_str(), "why?"], "the question comes before the documents"),
        (&["-", "-"], "`-` is both the question and a document"),
    ] {
        let failure = asked(words).expect_err(said);
        assert_eq!(failure.exit, Exit::Usage);
        assert!(failure.message.contains(said), "{}", failure.message);
    }
}
