//! Questions that stand over collections: asked of a fleet when a collection changed, and told of when a statement did.

use precis_tests::http_client::HttpClient;
use serde_json::Value;

use super::collections::{add, indexed};
use super::door::{DoorProcess, configure};
use super::operate::Fleet;

const QUESTION: &str = "Who pays the harbour tax on tea?";

fn sessions(client: &HttpClient) -> usize {
    client.call("GET", "/v1/sessions", "", &[]).json()["data"].as_array().expect("rows").len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_collection_is_asked_again_and_gives_a_notice() {
    let Some(fleet) = Fleet::start().await else { return };
    configure(&fleet);
    fleet.fine(&["topology", "apply"]);
    let door = DoorProcess::start(&fleet);
    door.until(200);
    let client = door.of("alpha");
    let _worker = fleet.worker();
    let made = client.call("POST", "/v1/collections", "{\"name\": \"harbour\"}", &[]).json();
    let id = made["id"].as_str().expect("an id").to_owned();
    add(&client, &id, "tea.md", "The harbour tax on tea is paid by the captain of the ship.");
    add(&client, &id, "dike.md", "The dike of the harbour is nine metres high.");
    indexed(&client, &id);
    let stands = ["standing", "add", QUESTION, "--collection", &id, "--tenant", "a", "--out", "answer"];
    let said = fleet.fine(&stands);
    let question = said.split(' ').next().expect("an id").to_owned();
    let report = || std::fs::read_to_string(fleet.workspace.at("answer/report.md")).expect("a report");
    assert!(question.starts_with("q-") && report().contains("captain"), "{said}");
    assert_eq!(sessions(&client), 1);

    let again = fleet.run(&["standing", "run", &question]);
    assert_eq!((again.code, again.stdout.as_str(), sessions(&client)), (0, "", 1), "{}", again.stderr);

    add(&client, &id, "tea.md", "The harbour tax on tea is paid by the merchant of the town.");
    indexed(&client, &id);
    let changed = fleet.run(&["standing", "run", &question, "--json"]);
    assert_eq!((changed.code, sessions(&client)), (6, 2), "{}{}", changed.stdout, changed.stderr);
    let notices: Value = serde_json::from_str(&changed.stdout).expect("JSON alone");
    assert!(notices[0]["id"] == question.as_str() && report().contains("merchant"), "{notices}");
    let proved = fleet.run(&["verify", "answer/report.json", "--archive", "answer/archive"]);
    assert_eq!(proved.code, 0, "{}", proved.stdout);

    // One that is not there, or another tenant's, is refused in words, and the question stands.
    fleet.fine(&["collection", "remove", &id, "--tenant", "a"]);
    let gone = fleet.run(&["standing", "run", &question]);
    assert!(gone.code != 0 && gone.stderr.contains("no collection with this id"), "{}: {}", gone.code, gone.stderr);
    assert!(fleet.fine(&["standing", "list"]).contains(&question));
    let both = fleet.run(&["standing", "add", QUESTION, "--collection", &id, "--corpus", "notes"]);
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unanswering_fleet_is_awaited_to_the_limit_then_asked_again() {
    let Some(fleet) = Fleet::start().await else { return };
    configure(&fleet);
    fleet.fine(&["topology", "apply"]);
    let door = DoorProcess::start(&fleet);
    door.until(200);
    let client = door.of("alpha");
    let made = client.call("POST", "/v1/collections", "{\"name\": \"harbour\"}", &[]).json();
    let id = made["id"].as_str().expect("an id").to_owned();
    let worker = fleet.worker();
    add(&client, &id, "tea.md", "The harbour tax on tea is paid by the captain of the ship.");
    indexed(&client, &id);
    drop(worker);
    let stands = ["standing", "add", QUESTION, "--collection", &id, "--tenant", "a", "--out", "answer"];
    let said = fleet.run(&[&stands[..], &["--set", "standing_wait=1"]].concat());
    assert!(said.code == 1 && said.stderr.contains("no result after 1 s"), "{}: {}", said.code, said.stderr);
    let _worker = fleet.worker();
    let again = fleet.run(&["standing", "run"]);
    assert_eq!((again.code, sessions(&client)), (0, 1), "the same session: {}", again.stderr);
    assert!(std::fs::read_to_string(fleet.workspace.at("answer/report.md")).expect("a report").contains("captain"));
}
