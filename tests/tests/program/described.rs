//! The door as its own description says: Schemathesis, a program that is not ours, reads `/openapi.json`, sends every operation valid and
//! invalid requests, the same ones in every run, and compares every answer with what is described.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use precis_proto::ids::sha256_hex;
use precis_tests::http_client::HttpClient;
use precis_tests::program::{CliWorkspace, ended};
use serde_json::{Value, json};

use super::embedded::{free_address, killed, started_with};

/// What is checked of every answer: no 5xx, and nothing that is not described.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
                      response_schema_conformance";
/// Requests are made from this, so that a failure comes again.
const SEED: &str = "41";
/// Where Schemathesis finds its settings.
const SETTINGS: &str = "schemathesis.toml";
const TOKEN: &str = "alpha";
const JSON: (&str, &str) = ("content-type", "application/json");
/// What signs webhooks.
const SECRET: (&str, &str) = ("HOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
/// Longest time for a first attempt to deliver a webhook.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ids of what is there to ask for.
struct Known {
    session: String,
    text: String,
    collection: String,
    batch: String,
}

impl Known {
    fn make(client: &HttpClient) -> Self {
        let tax = json!({ "source_id": "tax", "content": "The harbour tax is paid by the captain." });
        let told = json!({ "webhook": { "endpoint": "billing" } });
        let asked =
            json!({ "schema_version": 3, "query": "Who pays the harbour tax?", "sources": [&tax], "options": told });
        let made = |path: &str, body: Value| {
            let answer = client.call("POST", path, &body.to_string(), &[("idempotency-key", "known"), JSON]);
            assert!(answer.status < 300, "{}", String::from_utf8_lossy(&answer.body));
            answer.json()["id"].as_str().expect("an id").to_owned()
        };
        let session = made("/v1/sessions", asked);
        let shown = client.call("GET", &format!("/v1/sessions/{session}"), "", &[("prefer", "wait=60")]).json();
        assert_eq!(shown["status"], "completed");
        let result = client.call("GET", &format!("/v1/sessions/{session}/result"), "", &[]).json();
        let text = result["data"]["citations"][0]["source_text_hash"].as_str().expect("a hash").replace("sha256:", "");
        let since = Instant::now();
        while client.call("GET", &format!("/v1/sessions/{session}/webhook"), "", &[]).status != 200 {
            assert!(since.elapsed() < PATIENCE, "no webhook was tried");
            std::thread::sleep(Duration::from_millis(50));
        }
        let batch = made("/v1/batches", json!({ "schema_version": 3, "questions": ["Who?"], "sources": [tax] }));
        Self { session, text, collection: made("/v1/collections", json!({ "name": "Harbour" })), batch }
    }

    /// The settings of Schemathesis that name what is there. What removes a session or a collection is given none of it.
    fn settings(&self) -> String {
        let Self { session, text, collection, batch } = self;
        let of_session =
            ["getSession", "followSession", "getResult", "getMarkdown", "getPage", "getArchive", "getText"];
        let acting = ["stopSession", "cancelSession", "verifyReport", "getWebhook", "redeliverWebhook"];
        let sessions = of_session.iter().chain(&acting).map(|operation| (*operation, session));
        let collections = ["getCollection", "addFiles", "removeFile"].map(|operation| (operation, collection));
        let all = sessions.chain(collections).chain([("getBatch", batch)]);
        let settings = all.map(|(operation, id)| {
            let hash = if operation == "getText" { format!(", \"path.sha256\" = {text:?}") } else { String::new() };
            format!(
                "[[operations]]\ninclude-operation-id = {operation:?}\nparameters = {{ \"path.id\" = {id:?}{hash} }}\n"
            )
        });
        settings.collect()
    }
}

/// What a run of Schemathesis sends.
struct Examination<'a> {
    token: Option<&'a str>,
    /// `coverage` is what lies at the limits of each schema, `fuzzing` is by chance.
    phases: &'a str,
    /// Most requests by chance to each operation.
    cases: &'a str,
}

impl Examination<'_> {
    /// Lets Schemathesis examine the door at `address`: every answer must be described.
    fn run(&self, workspace: &CliWorkspace, address: SocketAddr) {
        let place = format!("http://{address}/openapi.json");
        let mut arguments = vec!["run", &place, "--checks", CHECKS, "--seed", SEED, "--phases", self.phases];
        // The same requests whatever an earlier run found, one after another, and every failure of the run.
        arguments.extend(["--max-examples", self.cases, "--workers", "1", "--generation-database", "none"]);
        arguments.extend(["--no-shrink", "--continue-on-failure", "--no-color"]);
        let authorization = self.token.map(|token| format!("Authorization: Bearer {token}"));
        arguments.extend(authorization.iter().flat_map(|field| ["--header", field.as_str()]));
        let examined = ended(workspace.within(Path::new("schemathesis"), &arguments));
        assert_eq!(examined.code, 0, "{}{}", examined.stdout, examined.stderr);
        let all = examined.stdout.contains("Tested: ") && !examined.stdout.contains(" 0 generated");
        assert!(all, "nothing was asked: {}", examined.stdout);
    }
}

#[test]
fn no_answer_is_a_server_error_or_undescribed() {
    let workspace = CliWorkspace::new();
    if std::process::Command::new("schemathesis").arg("--version").output().is_err() {
        eprintln!(
            "SKIPPED: there is no schemathesis: the description of the door is checked by no program that is not ours"
        );
        return;
    }
    // Nobody listens there: its record says so, and it is tried again much later.
    let webhook = format!(
        "fetch_allow_networks = ['127.0.0.0/8']\n[webhooks.billing]\nurl = 'http://{}/'\nsecret_env = '{}'\n",
        free_address(),
        SECRET.0
    );
    workspace.configure(&webhook);
    let open = HttpClient { address: free_address(), token: None };
    let door = started_with(&workspace, &open, &[SECRET]);
    workspace.write(SETTINGS, Known::make(&open).settings());
    Examination { token: None, phases: "coverage,fuzzing", cases: "40" }.run(&workspace, open.address);
    killed(door);

    let hash = sha256_hex(TOKEN.as_bytes());
    let scopes = "scopes = ['submit', 'read', 'operate']";
    workspace.configure(format!("{webhook}[api_tokens.alpha]\nsha256 = '{hash}'\ntenant = 'a'\n{scopes}\n"));
    // Ids by chance, with a token and without one.
    std::fs::remove_file(workspace.at(SETTINGS)).expect("written before");
    let known = HttpClient { address: free_address(), token: Some(TOKEN.to_owned()) };
    let door = started_with(&workspace, &known, &[SECRET]);
    for (token, cases) in [(Some(TOKEN), "15"), (None, "3")] {
        Examination { token, phases: "fuzzing", cases }.run(&workspace, known.address);
    }
    killed(door);
}
