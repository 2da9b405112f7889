//! What is said in other words, found by the vectors of a server, and what happens where the server gives none.

use std::time::Duration;

use precis_tests::program::{CliWorkspace, Ended};
use precis_tests::vector_server::{VectorReply, VectorServer};
use serde_json::{Value, json};

const HOUSE: &str = "# House rules\n\nThe front door is locked at ten in the evening. Guests ring the bell.\n\n\
    Dogs and cats stay with their owners at home; no animal is let in.\n\n\
    Breakfast is served from seven to nine in the hall.\n";
const FAIR: &str = "# The fair\n\nThe mayor opens the fair. Stalls sell bread and cloth until night.\n";
const QUESTION: &str = "Can I bring my pets?";
const SAME: [(&str, &str); 3] = [("pets", "animal"), ("dogs", "animal"), ("cats", "animal")];
/// Not the number of the built-in format: a server's vectors have their own.
const DIMENSIONS: usize = 256;

fn server() -> VectorServer {
    VectorServer::open(DIMENSIONS, &SAME)
}

/// A workspace whose user names the server, with more settings of the role and of the top level.
fn workspace(server: &VectorServer, role: &str, top: &str) -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("house.md", HOUSE);
    workspace.configure(format!(
        "{top}\n[providers.house]\nbase_url = '{}'\ntimeout = 1\n[roles.embedding]\nproviders = ['house:toy']\n\
         dimensions = {DIMENSIONS}\n{role}\n",
        server.base_url()
    ));
    workspace
}

/// What is found without a server.
fn by_words() -> Value {
    let workspace = CliWorkspace::new();
    workspace.write("house.md", HOUSE);
    asked(&workspace, &[])
}

const RUN: [&str; 8] = ["run", "--query", QUESTION, "--docs", "house.md", "--out", "out", "--force"];

fn asked(workspace: &CliWorkspace, more: &[&str]) -> Value {
    let ended = workspace.run(&[&RUN, more].concat());
    // Exit code 5 says that the documents do not answer; the report is there then too.
    assert!([0, 5].contains(&ended.code), "{} {}{}", ended.code, ended.stdout, ended.stderr);
    data(workspace)
}

fn data(workspace: &CliWorkspace) -> Value {
    let report = std::fs::read(workspace.at("out/report.json")).expect("a report");
    serde_json::from_slice::<Value>(&report).expect("JSON")["data"].take()
}

fn opening(data: &Value) -> &str {
    data["report"].as_str().and_then(|report| report.split("\n\n").nth(1)).unwrap_or_default()
}

/// The warning that a session went on by words, if there is one.
fn warned(data: &Value) -> Option<String> {
    let all = data["warning_details"].as_array().expect("warnings").iter();
    let mut own = all.filter(|one| one["code"] == "MEANING_LIMITED").filter_map(|one| one["message"].as_str());
    own.next().map(str::to_owned)
}

#[test]
fn a_server_of_vectors_finds_what_shares_no_word_and_is_asked_once() {
    let server = server();
    let by_words = by_words();
    assert!(!opening(&by_words).contains("no animal") && by_words["meaning_server"].is_null(), "{by_words:#}");
    let workspace = workspace(&server, "", "");
    let found = asked(&workspace, &[]);
    assert!(opening(&found).contains("no animal is let in"), "{found:#}");
    let requests = server.asked();
    assert!(
        !requests.is_empty() && requests.iter().all(|one| one.path == "/v1/embeddings" && one.body["model"] == "toy")
    );
    assert_eq!(found["meaning"].as_str().map(str::len), Some(64), "{found:#}");
    let server_of = json!({ "model": "house:toy", "dimensions": DIMENSIONS, "reproducible": false });
    assert_eq!(found["meaning_server"], server_of);
    let spend = found["spend"].as_array().expect("rows").iter().find(|row| row["role"] == "embedding").cloned();
    let spend = spend.expect("a row of the role");
    assert!(spend["calls"].as_u64() > Some(0) && spend["input_tokens"].as_u64() > Some(0), "{spend}");
    for page in ["out/report.md", "out/report.html"] {
        let page = std::fs::read_to_string(workspace.at(page)).expect("a page");
        assert!(page.contains("not reproducible") && page.contains("house:toy"), "{page}");
    }
    assert_eq!(workspace.run(&["verify", "out/report.json"]).code, 0);
    let again = asked(&workspace, &[]);
    assert_eq!(again["report"], found["report"]);
    assert!(server.asked().is_empty(), "vectors are kept");
}

#[test]
fn whatever_a_server_of_vectors_does_the_session_goes_on_by_words() {
    let by_words = by_words();
    let replies = [
        VectorReply::Changed(|answer| {
            answer["data"].as_array_mut().expect("rows").pop();
        }),
        VectorReply::Changed(|answer| answer["data"][0]["index"] = Value::Null),
        VectorReply::Changed(|answer| answer["data"][0]["embedding"][3] = Value::Null),
        VectorReply::Changed(|answer| answer["data"][0]["embedding"] = json!([1.0, 2.0])),
        VectorReply::Changed(|answer| answer["data"] = json!([])),
        VectorReply::Bytes(Vec::new()),
        VectorReply::Bytes(br#"{"data": [{"index": 0, "embedding": [NaN]}]}"#.to_vec()),
        VectorReply::Bytes(vec![b' '; 10 << 20]),
        VectorReply::Status(400, r#"{"error": {"message": "no such model"}}"#),
        VectorReply::Status(401, "{}"),
        VectorReply::Status(429, "{}"),
        VectorReply::Status(503, "<html>"),
        VectorReply::Silence(Duration::from_secs(4)),
    ];
    std::thread::scope(|scope| {
        for reply in replies {
            let by_words = &by_words;
            scope.spawn(move || {
                let server = VectorServer::open(DIMENSIONS, &SAME);
                server.play(reply.clone());
                let data = asked(&workspace(&server, "", ""), &["--quiet"]);
                assert!(!server.asked().is_empty(), "{reply:?}");
                let warned = warned(&data).unwrap_or_else(|| panic!("no warning: {reply:?} {data:#}"));
                assert!(warned.contains("`roles.embedding` (house:toy)"), "{warned}");
                let of =
                    |data: &Value| (data["report"].clone(), data["meaning"].clone(), data["meaning_server"].clone());
                assert_eq!(of(&data), of(by_words), "{reply:?}");
            });
        }
    });
}

#[test]
fn a_dead_server_of_vectors_is_named_with_what_to_do() {
    let server = server();
    let workspace = workspace(&server, "", "");
    let set = ["--set", "providers.house.base_url=http://127.0.0.1:9/v1"];
    let data = asked(&workspace, &set);
    assert!(
        warned(&data).is_some_and(|said| said.contains("connect_failed") && said.contains("start the server")),
        "{data:#}"
    );
    // A failure is not kept: the next run asks again.
    assert!(opening(&asked(&workspace, &[])).contains("no animal is let in"));
}

#[test]
fn texts_go_in_batches_with_their_prefixes_and_the_key() {
    let server = server();
    let role = "query_prefix = 'query: '\npassage_prefix = 'passage: '\nbatch_texts = 2";
    let workspace = workspace(&server, role, "");
    let args = [&RUN[..], &["--set", "providers.house.api_key_env=HOUSE_KEY"]].concat();
    let mut command = workspace.command(&args);
    command.env("HOUSE_KEY", "sk-hidden-key");
    let Ended { code, stdout, stderr } = precis_tests::program::ended(command);
    assert!([0, 5].contains(&code), "{code} {stdout}{stderr}");
    let requests = server.asked();
    assert!(requests.iter().all(|one| one.authorization == "Bearer sk-hidden-key"), "{requests:?}");
    let texts: Vec<Vec<String>> = requests.iter().map(|one| one.texts()).collect();
    assert!(texts.iter().all(|texts| (1..=2).contains(&texts.len())), "{texts:?}");
    assert!(texts.iter().any(|texts| texts.len() == 2), "{texts:?}");
    let all: Vec<String> = texts.concat();
    assert!(all.iter().all(|text| text.starts_with("query: ") || text.starts_with("passage: ")), "{all:?}");
    assert_eq!(all.iter().filter(|text| text.starts_with("query: ")).count(), 1, "a question is asked once");
    let report = std::fs::read_to_string(workspace.at("out/report.json")).expect("a report");
    assert!(!format!("{stdout}{stderr}{report}").contains("sk-hidden-key"));
}

#[test]
fn a_server_and_a_model_inside_are_refused_together() {
    let server = server();
    let workspace = workspace(&server, "", "meaning.model = 'e5-small'");
    let refused = workspace.run(&RUN);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("roles.embedding") && refused.stderr.contains("meaning.model"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_foreign_server_gets_no_private_text_and_doctor_says_so() {
    let server = server();
    let workspace = workspace(&server, "", "strict_privacy = true");
    let doctor = |set: &[&str]| {
        let ended = workspace.run(&[&["doctor"], set].concat());
        let lines = ended.stdout.lines().filter(|line| line.contains("roles.embedding")).map(str::to_owned);
        lines.collect::<Vec<_>>().join("\n")
    };
    assert!(doctor(&[]).contains("house:toy"), "a server on this machine is local");
    assert!(doctor(&[]).contains("not reproducible"));
    let foreign = ["--set", "providers.house.trust=foreign"];
    assert!(doctor(&foreign).contains("strict_privacy"), "{}", doctor(&foreign));
    let data = asked(&workspace, &foreign);
    assert!(server.asked().is_empty() && data["meaning"].is_null());
}

#[test]
fn without_a_price_nothing_is_sent_under_a_ceiling_in_dollars() {
    let server = server();
    let workspace = workspace(&server, "", "max_spend_usd = 1.0");
    let data = asked(&workspace, &[]);
    assert!(warned(&data).is_some_and(|said| said.contains("[prices]")), "{data:#}");
    assert!(server.asked().is_empty());
    let priced = asked(&workspace, &["--set", "prices.\"house:toy\".input=1000.0"]);
    assert!(opening(&priced).contains("no animal is let in"), "{priced:#}");
    let spend = priced["spend"].as_array().expect("rows").iter().find(|row| row["role"] == "embedding").cloned();
    assert!(spend.is_some_and(|row| row["cost_usd"].as_f64() > Some(0.0)));
}

#[test]
fn a_folder_gets_a_servers_vectors_and_is_searched_by_them() {
    let server = server();
    let workspace = workspace(&server, "", "");
    workspace.write("docs/house.md", HOUSE);
    workspace.write("docs/fair.md", FAIR);
    let first = |set: &[&str]| {
        let found = workspace.run(&[&["corpus", "search", "docs", QUESTION, "--json"], set].concat());
        let hits: Value = serde_json::from_str(&found.stdout).unwrap_or_else(|e| panic!("{e}: {}", found.stderr));
        (hits["hits"][0]["text"].as_str().unwrap_or_default().to_owned(), found.stderr)
    };
    server.play(VectorReply::Status(503, "{}"));
    let failed = workspace.run(&["corpus", "add", "docs", "--meaning"]);
    assert!(failed.code == 1 && failed.stderr.contains("roles.embedding"), "{} {}", failed.code, failed.stderr);
    server.play(VectorReply::Vectors);
    let added = workspace.run(&["corpus", "add", "docs", "--meaning"]);
    assert!(added.code == 0 && added.stdout.contains("2 with vectors"), "{}{}", added.stdout, added.stderr);
    let _ = server.asked();
    assert_eq!(workspace.run(&["corpus", "add", "docs", "--meaning"]).code, 0);
    assert!(server.asked().is_empty(), "each vector is made once");
    assert!(first(&[]).0.contains("no animal is let in"));
    let passages = server.asked();
    assert!(passages.len() == 1 && passages[0].texts() == [QUESTION], "{passages:?}");
    server.play(VectorReply::Status(503, "{}"));
    let (_, said) = first(&[]);
    assert!(said.contains("words alone"), "{said}");
    server.play(VectorReply::Vectors);
    let _ = server.asked();
    let args = ["research", QUESTION, "--corpus", "docs", "--out", "out", "--quiet"];
    assert!([0, 5].contains(&workspace.run(&args).code));
    assert!(opening(&data(&workspace)).contains("no animal is let in"), "{:#}", data(&workspace));
    let status = workspace.run(&["corpus", "status", "docs"]);
    assert!(status.stdout.contains("house:toy"), "{}", status.stdout);
}
