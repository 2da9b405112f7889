//! Every code of a failure, through both commands that ask a fleet: caused, or listed with the reason why it cannot be. What breaks a rule
//! of requests ends with exit code 3 before anything is published, in the words of a run in one process (`program/every_code.rs`).

use precis_proto::dead_reason::DeadReason;
use precis_proto::failure_code::FailureCode;
use precis_tests::program::{self, Ended, ended};
use serde_json::{Value, json};

use super::operate::Fleet;

/// Longest time a command may take, in seconds; `timeout` ends it with the exit code 124.
const LIMIT: &str = "60";
/// Hash of a text that nobody stored.
const UNKNOWN: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";

/// How `submit --request` or `ask SESSION` comes to a failure.
#[derive(Clone, Copy)]
enum Cause {
    /// It cannot, for this reason.
    Never(&'static str),
    /// These further arguments: the exit code, and what is printed.
    Args(&'static str, i32, &'static str),
    /// The request after this change: the exit code, and what is printed.
    Request(fn(&mut Value), i32, &'static str),
}

use Cause::{Args, Never, Request};

const BUILT: Cause = Never("`ask` builds its request from checked values");
const UPLOADED: Cause = Never("`ask` passes documents by reference, without content, snippet or type of the user's");
const ANSWERED: Cause = Never("the built-in model ends every chain, and fits every budget that the settings allow");
const DEFECT: Cause = Never("it would be a defect of the program");

/// The row of a code: `submit --wait`, then `ask`.
fn row(code: &FailureCode) -> [Cause; 2] {
    match code {
        FailureCode::MalformedRequest => [Request(|r| r["query"] = json!(5), 3, "not a valid request"), BUILT],
        FailureCode::RequestTooLarge => {
            let long = |r: &mut Value| r["sources"][0]["content"] = json!("q ".repeat(2_000_000));
            [Request(long, 3, "exceeds the limit"), Never("what it repeats comes from a result, which is smaller")]
        }
        FailureCode::UnsupportedVersion => [Request(|r| r["schema_version"] = json!(99), 3, "schema_version"), BUILT],
        FailureCode::SessionIdTaken => {
            let taken = |r: &mut Value| (r["session_id"], r["query"]) = (json!("base"), json!("Who else?"));
            [Request(taken, 1, "is already used"), Never("its session id is new")]
        }
        FailureCode::InvalidTenant => [Args("--tenant TENANT", 1, "tenant"), Never("it has no --tenant")],
        FailureCode::TenantNotAllowed => [Args("--tenant acme", 1, "acme"), Never("it has no --tenant")],
        FailureCode::UserNotVerified => [Never("the program always names its user"); 2],
        FailureCode::StorageQuotaReached => [
            Args("--set max_stored_mib_per_day=1", 3, "may store 1 MiB a day"),
            Args("--set max_stored_mib_per_day=1", 3, "tomorrow"),
        ],
        FailureCode::InvalidReplyTo => [Never("--wait listens at an address of its own"); 2],
        FailureCode::ContentNotProved => {
            let forged = |r: &mut Value| {
                r["sources"] = json!([{ "source_id": "a", "content_ref": UNKNOWN, "content_proof": "0" }]);
            };
            [Request(forged, 1, "content_proof"), Never("it proves what it refers to")]
        }
        FailureCode::EmptyQuery => both(|r| r["query"] = json!(" "), "QUESTION BLANK", 3, "the query is empty"),
        FailureCode::QueryTooLong => {
            both(|r| r["query"] = json!("q ".repeat(10_000)), "QUESTION LONG", 3, "at most 10000 characters")
        }
        FailureCode::NoSources => {
            [Request(|r| r["sources"] = json!([]), 3, "no sources"), Args("--only-new", 3, "no document to read")]
        }
        FailureCode::TooManySources => {
            let many = |r: &mut Value| {
                let source = |n: u32| json!({ "source_id": format!("s{n}"), "content": "x" });
                r["sources"] = (0..5_001).map(source).collect();
            };
            [Request(many, 3, "at most 5000 sources"), Args("--docs many", 3, "more than 5000 documents")]
        }
        FailureCode::UnknownCollection => {
            let unknown = |r: &mut Value| {
                r["schema_version"] = json!(3);
                r["options"]["research"] = json!({ "collections": [{ "id": "0".repeat(32) }] });
            };
            [Request(unknown, 1, "no collection with this id"), Never("it names no collection")]
        }
        FailureCode::CollectionNotIndexed => {
            [Never("`servers::collections` has one that is not indexed yet"), Never("it names no collection")]
        }
        FailureCode::DuplicateSourceId => {
            let twice = |r: &mut Value| r["sources"] = json!([r["sources"][0], r["sources"][0]]);
            [Request(twice, 3, "appears twice"), Never("a document that is given twice is read once")]
        }
        FailureCode::SourceWithoutContent => {
            [Request(|r| r["sources"] = json!([{ "source_id": "a" }]), 3, "needs one of"), UPLOADED]
        }
        FailureCode::AmbiguousSource => {
            [Request(|r| r["sources"][0]["content_base64"] = json!("eA=="), 3, "a"), UPLOADED]
        }
        FailureCode::DocumentTooLarge => {
            let large =
                |r: &mut Value| r["sources"] = json!([{ "source_id": "a", "content_base64": "A".repeat(14_000_000) }]);
            [Request(large, 3, "pass the document as a file"), UPLOADED]
        }
        FailureCode::InvalidBase64 => {
            let odd = |r: &mut Value| r["sources"] = json!([{ "source_id": "a", "content_base64": "!" }]);
            [Request(odd, 3, "pass the document as a file"), UPLOADED]
        }
        FailureCode::TitleTooLong => [Never("a title that is too long is cut"); 2],
        FailureCode::AddressTooLong => {
            let long =
                |r: &mut Value| r["sources"][0]["url"] = json!("http://e.example/".to_owned() + &"u".repeat(3_000));
            [Request(long, 3, "leave this address out"), Args("--url ADDRESS", 2, "--url http")]
        }
        FailureCode::SnippetTooLong => {
            [Request(|r| r["sources"][0]["snippet"] = json!("x".repeat(2_001)), 3, "snippet"), UPLOADED]
        }
        FailureCode::ContentTypeTooLong => {
            [Request(|r| r["sources"][0]["content_type"] = json!("x".repeat(201)), 3, "content_type"), UPLOADED]
        }
        FailureCode::InvalidCeiling => {
            [Request(|r| r["options"]["max_spend_usd"] = json!(-1), 3, "max_spend_usd"), Never("it has no ceiling")]
        }
        FailureCode::InvalidReportTokens => {
            let short = |r: &mut Value| r["options"]["report_tokens"] = json!(1);
            [Request(short, 3, "report_tokens"), Args("--report-tokens 1", 2, "--report-tokens")]
        }
        FailureCode::HistoryTooLong => {
            let long = |r: &mut Value| {
                r["options"]["history"] = json!(vec![json!({ "role": "user", "content": "x" }); 2_001]);
            };
            [Request(long, 3, "history"), Never("a conversation grows by two turns a question")]
        }
        FailureCode::TooMuchPriorContext => {
            let many = |r: &mut Value| r["options"]["prior_context"] = json!(vec![json!({ "text": "x" }); 1_001]);
            [Request(many, 3, "prior_context"), Never("a result cites fewer documents")]
        }
        FailureCode::ProjectContextTooLong => {
            let long = |r: &mut Value| r["options"]["project_context"] = json!("q ".repeat(600_000));
            [Request(long, 3, "project_context"), Args("--project big.txt", 3, "big.txt")]
        }
        FailureCode::ResearchNotEnabled => [Never("only in a fleet that is being upgraded: `emit_version`"); 2],
        FailureCode::NothingToSearch => [
            Request(|r| r["options"]["research"] = json!({}), 3, "--corpus DIR"),
            Args("--research", 2, "--corpus DIR"),
        ],
        FailureCode::TooManyEntries => both(|r| search(r, "web", json!(vec!["x"; 13])), "WEB", 3, "at most"),
        FailureCode::InvalidLimit => [
            Request(|r| search(r, "max_rounds", json!(0)), 3, "max_rounds"),
            Args("--web x --max-rounds 0", 2, "--max-rounds"),
        ],
        FailureCode::InvalidName => {
            both(|r| search(r, "allow_domains", json!(["a/b"])), "--web x --allow-domain a/b", 3, "--allow-domain")
        }
        FailureCode::InvalidDate => {
            [Request(|r| search(r, "since", json!("never")), 3, "--since"), Args("--web x --since never", 2, "--since")]
        }
        FailureCode::InvalidPlan => {
            let empty = |r: &mut Value| {
                let brief = json!({ "question": "q", "restated": "q", "type": "fact", "complexity": "simple",
                    "language": "en", "assumptions": [], "written_by": "x" });
                search(r, "plan", json!({ "brief": brief, "plan": [] }));
            };
            [Request(empty, 3, "--plan-only"), Never("it has no --plan")]
        }
        FailureCode::InvalidFork => {
            [Never("`fork` runs in one process; without a proof a fork is `content_not_proved`"); 2]
        }
        FailureCode::WebhookNotAllowed => {
            let nobody = |r: &mut Value| r["options"]["webhook"] = json!({ "endpoint": "nobody" });
            [Request(nobody, 1, "no webhook endpoints"), BUILT]
        }
        FailureCode::StateTooLarge => [Never("what grows with the work is kept on pages, not in the state"); 2],
        FailureCode::NoReadableSource => {
            let page = |r: &mut Value| r["sources"] = json!([{ "source_id": "a", "url": "http://127.0.0.1:1/" }]);
            [
                Request(page, 1, "no source could be read"),
                Args("--only-new --url http://127.0.0.1:1/", 1, "no source could"),
            ]
        }
        FailureCode::OverBudget | FailureCode::SummarizationFailed | FailureCode::CompressionFailed => [ANSWERED; 2],
        FailureCode::SearchProviderMissing => {
            both(|r| search(r, "web", json!(["nobody"])), "--web nobody", 1, "nobody")
        }
        FailureCode::CorpusMissing => {
            let unknown = |r: &mut Value| search(r, "corpus", json!([{ "manifest": UNKNOWN }]));
            [Request(unknown, 1, "corpus"), Args("--corpus UNKNOWN", 1, "corpus")]
        }
        FailureCode::ContentStoreFull
        | FailureCode::ContentTooLarge
        | FailureCode::ContentDamaged
        | FailureCode::ContentStoreUnavailable => [Never("a fault of the store: `servers::store_fleet`"); 2],
        FailureCode::Cancelled => [Never("nobody cancels: `servers::operate` does"); 2],
        FailureCode::LedgerUnbalanced
        | FailureCode::CitationUnproved
        | FailureCode::NoResearch
        | FailureCode::NoPlan
        | FailureCode::NoCourse
        | FailureCode::NoReport => [DEFECT; 2],
        FailureCode::DeadLetter(_) => [Never("it takes a message that kills workers: `fleet::poison`"); 2],
        FailureCode::Other(_) => [Never("it takes a worker of a newer version"); 2],
    }
}

/// The row of a fault that a request and an argument of `ask` have in common.
fn both(change: fn(&mut Value), args: &'static str, exit: i32, words: &'static str) -> [Cause; 2] {
    [Request(change, exit, words), Args(args, exit, words)]
}

/// Makes a request a research, with one option.
fn search(request: &mut Value, name: &str, value: Value) {
    request["options"]["research"] = json!({ "web": ["x"] });
    request["options"]["research"][name] = value;
}

/// What a word of the table stands for.
fn word(word: &str) -> Vec<String> {
    match word {
        "BLANK" => vec![" ".to_owned()],
        "LONG" => vec!["q ".repeat(10_000)],
        "UNKNOWN" => vec![UNKNOWN.to_owned()],
        "ADDRESS" => vec!["http://e.example/".to_owned() + &"u".repeat(3_000)],
        "TENANT" => vec!["t".repeat(201)],
        "WEB" => ["--web", "x"].repeat(13).into_iter().map(str::to_owned).collect(),
        word => vec![word.to_owned()],
    }
}

fn limited(fleet: &Fleet, args: &[String]) -> Ended {
    let program = program::path().to_str().expect("a path in UTF-8");
    let args: Vec<&str> = [LIMIT, program].into_iter().chain(args.iter().map(String::as_str)).collect();
    ended(fleet.within("timeout".as_ref(), &args))
}

/// The arguments of a command that has this cause; the request of a submission is written.
fn args(fleet: &Fleet, command: &str, code: &FailureCode, cause: Cause) -> Option<(Vec<String>, i32, &'static str)> {
    let mut request = json!({ "schema_version": 3, "session_id": format!("s-{code}"), "query": "Who pays?", "options": {},
        "sources": [{ "source_id": "a", "content": "The buyer pays for each delay." }] });
    let (more, exit, words) = match cause {
        Never(reason) => {
            assert!(!reason.is_empty(), "{code}");
            return None;
        }
        Args(more, exit, words) => (more, exit, words),
        Request(change, exit, words) => {
            change(&mut request);
            ("", exit, words)
        }
    };
    fleet.workspace.write("request.json", request.to_string());
    let (question, more) = more.strip_prefix("QUESTION ").map_or(("q?", more), |question| (question, ""));
    let start = match command {
        "submit" => "submit --request request.json --wait".to_owned(),
        _ => format!("ask base {question}"),
    };
    let words_given = format!("{start} {more} --out new");
    Some((words_given.split_whitespace().flat_map(word).collect(), exit, words))
}

fn codes() -> impl Iterator<Item = FailureCode> {
    let dead = DeadReason::KNOWN.iter().cloned().map(FailureCode::DeadLetter);
    FailureCode::KNOWN.iter().cloned().chain(dead).chain([FailureCode::Other("newer".to_owned())])
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fleet_failure_ends_its_commands_in_time_with_remedy() {
    let Some(fleet) = Fleet::start().await else { return };
    fleet.workspace.configure("[tenants.acme]\nusers = [\"nobody\"]\n");
    fleet.fine(&["topology", "apply"]);
    let _worker = fleet.worker();
    fleet.fine(&["submit", "--query", "Who pays the harbour tax?", "--docs", "tea.md", "--session", "base", "--wait"]);
    for n in 0..5_001 {
        fleet.workspace.write(&format!("many/{n}.md"), format!("Note {n} on delays."));
    }
    fleet.workspace.write("big.txt", "q ".repeat(600_000));
    let mut faults = Vec::new();
    for code in codes() {
        for (command, cause) in ["submit", "ask"].into_iter().zip(row(&code)) {
            let Some((args, exit, words)) = args(&fleet, command, &code, cause) else { continue };
            let ended = limited(&fleet, &args);
            let told = format!("{}{}", ended.stderr, ended.stdout);
            if ended.code != exit || !told.contains(words) || fleet.workspace.at("new").exists() {
                faults.push(format!(
                    "{code} {command}: {}, {}",
                    ended.code,
                    told.chars().take(400).collect::<String>()
                ));
                let _ = std::fs::remove_dir_all(fleet.workspace.at("new"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(fleet.fine(&["dead", "ls"]), "no dead letters\n");
}
