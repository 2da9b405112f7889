//! Every code of a failure, through every command that starts a session in this process: caused, or listed with the reason why it cannot
//! be. The table of a fleet is `servers/every_code.rs`.

use std::time::Instant;

use precis_proto::dead_reason::DeadReason;
use precis_proto::failure_code::FailureCode;
use precis_tests::program::CliWorkspace;
use serde_json::{Value, json};

use super::every_end::{Change, changed, limited, workspace};

/// The commands, in the order of a row.
const COMMANDS: [&str; 5] = ["run", "research", "ask", "refresh", "fork"];

/// How a command comes to a failure.
#[derive(Clone, Copy)]
enum Cause {
    /// It cannot, for this reason.
    Never(&'static str),
    /// These arguments: the exit code, and what standard error contains.
    Given(&'static str, i32, &'static str),
    /// The same, after a report (the first word) was changed and written to `theirs`.
    Theirs(&'static str, Change, &'static str, i32, &'static str),
}

use Cause::{Given, Never, Theirs};

const BUILT: Cause = Never("commands build their requests from checked values");
const UPLOADED: Cause = Never("documents are passed by reference, without content, snippet or type of the user's");
const SILENT: Cause = Never("there is no earlier conversation");
const SEARCHLESS: Cause = Never("`run` does not search");
const ANSWERED: Cause = Never("the built-in model ends every chain, and fits every budget that the settings allow");
const DEFECT: Cause = Never("it would be a defect of the program");
const IN_MEMORY: Cause = Never("a cache that cannot be used is replaced by memory: `program::caches`");

const ASK: &str = "ask theirs q?";
const REFRESH: &str = "refresh theirs --corpus docs";
const FORK: &str = "fork theirs --plan plan.json --corpus docs";

/// The row of a code. Words in capitals stand for what [`word`] returns.
fn row(code: &FailureCode) -> [Cause; 5] {
    match code {
        FailureCode::MalformedRequest
        | FailureCode::UnsupportedVersion
        | FailureCode::SessionIdTaken
        | FailureCode::InvalidTenant
        | FailureCode::TenantNotAllowed
        | FailureCode::UserNotVerified
        | FailureCode::StorageQuotaReached
        | FailureCode::InvalidReplyTo
        | FailureCode::ContentNotProved
        | FailureCode::ResearchNotEnabled
        | FailureCode::WebhookNotAllowed => [BUILT; 5],
        FailureCode::UnknownCollection | FailureCode::CollectionNotIndexed => {
            [Never("there are no collections in one process: `servers::every_code`"); 5]
        }
        FailureCode::DuplicateSourceId => [Never("a document that is given twice is read once"); 5],
        FailureCode::SourceWithoutContent
        | FailureCode::AmbiguousSource
        | FailureCode::DocumentTooLarge
        | FailureCode::InvalidBase64
        | FailureCode::SnippetTooLong
        | FailureCode::ContentTypeTooLong => [UPLOADED; 5],
        FailureCode::TitleTooLong => [Never("a title that is too long is cut"); 5],
        FailureCode::RequestTooLarge => {
            let long = |data: &mut Value| data["report"] = json!("q ".repeat(10_000_000));
            let turn = |data: &mut Value| {
                data["history"] = json!([{ "role": "user", "content": "q ".repeat(10_000_000) }]);
            };
            let words = "fewer and shorter turns";
            [
                UPLOADED,
                UPLOADED,
                Theirs("precis-out", long, ASK, 3, words),
                SILENT,
                Theirs("found", turn, FORK, 3, words),
            ]
        }
        FailureCode::EmptyQuery => {
            let blank = |data: &mut Value| data["query"] = json!(" ");
            questions(
                ["run BLANK docs", "research BLANK --corpus docs", "ask precis-out BLANK"],
                blank,
                "the question is empty",
            )
        }
        FailureCode::QueryTooLong => {
            let long = |data: &mut Value| data["query"] = json!("q ".repeat(10_000));
            let args = ["run LONG docs", "research LONG --corpus docs", "ask precis-out LONG"];
            questions(args, long, "at most 10000 characters")
        }
        FailureCode::NoSources => [
            Given("run q?", 2, "no document is given"),
            Given("research q?", 2, "no folder or search provider"),
            Given("ask precis-out q? --only-new", 3, "no document to read"),
            Given("refresh precis-out", 2, "pass the files"),
            Given("fork found --plan plan.json", 2, "no folder or search provider"),
        ],
        FailureCode::TooManySources => [
            Given("run q? many", 3, "more than 5000 documents"),
            Given("research q? --corpus docs --docs many", 3, "more than 5000 documents"),
            Theirs("precis-out", many_rows, ASK, 3, "pass fewer documents"),
            Given("refresh precis-out many", 3, "more than 5000 documents"),
            Theirs("found", many_rows, FORK, 3, "pass fewer documents"),
        ],
        FailureCode::AddressTooLong => [
            Given("run q? --url ADDRESS", 2, "--url http"),
            Given("research q? --corpus docs --url ADDRESS", 2, "--url http"),
            Theirs("precis-out", long_address, ASK, 3, "--only-new"),
            Theirs("precis-out", long_address, "refresh theirs docs", 2, "--url http"),
            Theirs("found", long_address, FORK, 3, "leave this address out"),
        ],
        FailureCode::InvalidCeiling => everywhere("--set max_spend_usd=-1", "max_spend_usd"),
        FailureCode::InvalidReportTokens => everywhere("--set report_tokens=1", "report_tokens"),
        FailureCode::HistoryTooLong => {
            let turns =
                |data: &mut Value| data["history"] = json!(vec![json!({ "role": "user", "content": "x" }); 3_000]);
            let words = "the conversation of the earlier report is too long";
            [SILENT, SILENT, Theirs("precis-out", turns, ASK, 3, words), SILENT, Theirs("found", turns, FORK, 3, words)]
        }
        FailureCode::TooMuchPriorContext => {
            let none = Never("only `ask` passes on what was quoted");
            [none, none, Theirs("precis-out", many_citations, ASK, 3, "cites too many documents"), none, none]
        }
        FailureCode::ProjectContextTooLong => {
            let none = Never("it has no --project");
            let (run, ask) = ("run q? docs --project big.txt", "ask precis-out q? --project big.txt");
            [Given(run, 3, "big.txt"), none, Given(ask, 3, "big.txt"), none, none]
        }
        FailureCode::NothingToSearch => [
            SEARCHLESS,
            Given("research q?", 2, "--corpus DIR"),
            Given("ask precis-out q? --research", 2, "--corpus DIR"),
            Given("refresh found", 2, "--corpus DIR"),
            Given("fork found --plan plan.json", 2, "--corpus DIR"),
        ],
        FailureCode::TooManyEntries => searches("CORPORA", 2, "--corpus"),
        FailureCode::InvalidLimit => {
            let far = |data: &mut Value| data["research"]["budget"]["rounds"][1] = json!(9_999_999);
            let [run, research, ask, _, fork] = searches("--max-rounds 0", 2, "--max-rounds");
            [run, research, ask, Theirs("found", far, REFRESH, 3, "max_rounds"), fork]
        }
        FailureCode::InvalidName => searches("--allow-domain a/b", 3, "--allow-domain"),
        FailureCode::InvalidDate => searches("--since yesterday", 2, "--since"),
        FailureCode::InvalidPlan => {
            let planless = |data: &mut Value| data["research"]["plan"] = json!([]);
            [
                SEARCHLESS,
                Given("research q? --corpus docs --plan empty.json", 3, "--plan-only"),
                Never("it has no --plan"),
                Theirs("found", planless, REFRESH, 3, "--plan-only"),
                Given("fork found --plan empty.json --corpus docs", 3, "--plan-only"),
            ]
        }
        FailureCode::InvalidFork => {
            let none = Never("only `fork` forks");
            [none, none, none, none, Never("`fork` counts the rounds that it keeps itself")]
        }
        FailureCode::StateTooLarge => [Never("what grows with the work is kept on pages, not in the state"); 5],
        FailureCode::NoReadableSource => [
            Given("run q? blank.md", 3, "blank.md"),
            Never("a research without a readable document ends with a report that says so"),
            Given("ask precis-out q? --only-new --docs blank.md", 3, "blank.md"),
            Given("refresh precis-out blank.md", 3, "blank.md"),
            Never("a research without a readable document ends with a report that says so"),
        ],
        FailureCode::OverBudget | FailureCode::SummarizationFailed | FailureCode::CompressionFailed => [ANSWERED; 5],
        FailureCode::SearchProviderMissing => searches("--web nobody", 2, "nobody"),
        FailureCode::CorpusMissing => searches("--corpus missing", 3, "missing"),
        FailureCode::ContentStoreFull
        | FailureCode::ContentTooLarge
        | FailureCode::ContentDamaged
        | FailureCode::ContentStoreUnavailable => [IN_MEMORY; 5],
        FailureCode::Cancelled => {
            [Never("nobody cancels: `program::cli::an_interrupted_run_ends_with_130_and_leaves_nothing_behind`"); 5]
        }
        FailureCode::LedgerUnbalanced
        | FailureCode::CitationUnproved
        | FailureCode::NoResearch
        | FailureCode::NoPlan
        | FailureCode::NoCourse
        | FailureCode::NoReport => [DEFECT; 5],
        FailureCode::DeadLetter(_) => [Never("no message of a process that lives is redelivered"); 5],
        FailureCode::Other(_) => [Never("one process has one version"); 5],
    }
}

/// The row of a fault in the question: given, or read from a report that `change` wrote.
fn questions([run, research, ask]: [&'static str; 3], change: Change, words: &'static str) -> [Cause; 5] {
    let (refresh, fork) = (Theirs("found", change, REFRESH, 3, words), Theirs("found", change, FORK, 3, words));
    [Given(run, 3, words), Given(research, 3, words), Given(ask, 3, words), refresh, fork]
}

/// The row of an argument that every command takes.
fn everywhere(argument: &'static str, words: &'static str) -> [Cause; 5] {
    let with = |command: &str| Given(joined(command, argument), 2, words);
    [
        with("run q? docs"),
        with("research q? --corpus docs"),
        with("ask precis-out q?"),
        with("refresh precis-out docs"),
        with("fork found --plan plan.json --corpus docs"),
    ]
}

/// The row of an argument of every command that searches.
fn searches(argument: &'static str, exit: i32, words: &'static str) -> [Cause; 5] {
    let with = |command: &str| Given(joined(command, argument), exit, words);
    [
        SEARCHLESS,
        with("research q? --corpus docs"),
        with("ask precis-out q? --corpus docs"),
        with("refresh found --corpus docs"),
        with("fork found --plan plan.json --corpus docs"),
    ]
}

/// A few dozen short strings, which a test may leak.
fn joined(command: &str, argument: &str) -> &'static str {
    format!("{command} {argument}").leak()
}

fn many_rows(data: &mut Value) {
    let row = data["sources"][0].clone();
    let rows = (0..5_001).map(|n| {
        let mut row = row.clone();
        row["source_id"] = json!(format!("s{n}"));
        row
    });
    data["sources"] = rows.collect();
}

fn many_citations(data: &mut Value) {
    let citation = data["citations"][0].clone();
    let citations = (0..1_001).map(|n| {
        let mut citation = citation.clone();
        citation["source_id"] = json!(format!("s{n}"));
        citation
    });
    data["citations"] = citations.collect();
}

fn long_address(data: &mut Value) {
    data["sources"][0]["url"] = json!("http://e.example/".to_owned() + &"u".repeat(3_000));
}

/// What a word of the table stands for.
fn word(word: &str) -> Vec<String> {
    match word {
        "BLANK" => vec![" ".to_owned()],
        "LONG" => vec!["q ".repeat(10_000)],
        "ADDRESS" => vec!["http://e.example/".to_owned() + &"u".repeat(3_000)],
        "CORPORA" => ["--corpus", "docs"].repeat(200).into_iter().map(str::to_owned).collect(),
        word => vec![word.to_owned()],
    }
}

/// A workspace with everything that the table names.
fn world() -> CliWorkspace {
    let workspace = workspace();
    for n in 0..5_001 {
        workspace.write(&format!("many/{n}.md"), format!("Note {n} on delays."));
    }
    workspace.write("blank.md", "");
    workspace.write("big.txt", "q ".repeat(600_000));
    let plan = std::fs::read(workspace.at("plan.json")).expect("a plan");
    let mut plan: Value = serde_json::from_slice(&plan).expect("JSON");
    plan["plan"] = json!([]);
    workspace.write("empty.json", plan.to_string());
    workspace
}

fn codes() -> impl Iterator<Item = FailureCode> {
    let dead = DeadReason::KNOWN.iter().cloned().map(FailureCode::DeadLetter);
    FailureCode::KNOWN.iter().cloned().chain(dead).chain([FailureCode::Other("newer".to_owned())])
}

#[test]
fn every_failure_of_every_command_ends_in_time_with_its_words() {
    let workspace = world();
    let mut faults = Vec::new();
    for code in codes() {
        for (command, cause) in COMMANDS.into_iter().zip(row(&code)) {
            let (args, exit, words) = match cause {
                Never(reason) => {
                    assert!(!reason.is_empty());
                    continue;
                }
                Given(args, exit, words) => (args, exit, words),
                Theirs(from, change, args, exit, words) => {
                    changed(&workspace, from, change);
                    (args, exit, words)
                }
            };
            let args: Vec<String> = args.split(' ').chain(["--out", "new"]).flat_map(word).collect();
            assert_eq!(args[0], command, "{code}");
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let begun = Instant::now();
            let ended = limited(&workspace, &args);
            if ended.code != exit || !ended.stderr.contains(words) || workspace.at("new").exists() {
                let said: String = ended.stderr.chars().take(300).collect();
                faults.push(format!("{code} {command}: {} after {:?}, {said}", ended.code, begun.elapsed()));
                let _ = std::fs::remove_dir_all(workspace.at("new"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
