//! `precis ask --research`: a further question searches for what was not read yet, and leaves alone what was.

use precis_tests::page_site::PageSite;
use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::search::{Page, ScriptedSearch};
use serde_json::Value;

const NOTES: [(&str, &str); 5] = [
    ("bridge.md", "# Harbour bridge\n\nThe harbour bridge follows rule R-17 since it was built in 1987."),
    (
        "rules/r17.md",
        "# Rule R-17\n\nRule R-17 was written by Agnes Holm in 1979. It limits the load of bridges to 40 tonnes.",
    ),
    ("people/holm.md", "# Agnes Holm\n\nAgnes Holm was born in Varnby in 1931 and taught at the academy."),
    ("ferry.md", "# Ferry\n\nThe ferry crosses the bay every hour and carries 60 cars."),
    ("people/lund.md", "# Peter Lund\n\nPeter Lund was born in Olmsted in 1948 and wrote on tunnels."),
];
const QUESTION: &str = "Who wrote the rule that the harbour bridge follows?";

fn workspace() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    for (name, text) in NOTES {
        workspace.write(&format!("notes/{name}"), text);
    }
    workspace
}

fn said(ended: &Ended) -> String {
    format!("{}\n{}\n{}", ended.code, ended.stdout, ended.stderr)
}

fn data(workspace: &CliWorkspace, dir: &str) -> Value {
    let report = std::fs::read(workspace.at(dir).join("report.json")).expect("a report");
    serde_json::from_slice::<Value>(&report).expect("JSON")["data"].clone()
}

fn rows(data: &Value) -> &Vec<Value> {
    data["sources"].as_array().expect("rows")
}

/// The searches of a report, in order.
fn queries(data: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let directives = list(&data["research"]["rounds"]).into_iter().flat_map(|round| list(&round["directives"]));
    let queries = directives.flat_map(|directive| list(&directive["queries"]));
    queries.filter_map(|query| query["text"].as_str().map(str::to_owned)).collect()
}

/// Every hit has one fate.
fn assert_balanced(data: &Value) {
    let hits = data["research"]["hits"].as_object().expect("counts");
    let sum: u64 = hits.iter().filter(|(name, _)| *name != "found").filter_map(|(_, n)| n.as_u64()).sum();
    assert_eq!(hits["found"].as_u64(), Some(sum), "{hits:?}");
}

async fn run(workspace: &CliWorkspace, args: &[&str]) -> Ended {
    let mut command = workspace.command(args);
    let (name, value) = ScriptedSearch::environment();
    command.env(name, value);
    tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic")
}

#[test]
fn read_documents_keep_their_numbers_and_only_new_ones_count() {
    let workspace = workspace();
    let first = workspace.run(&["research", QUESTION, "--corpus", "notes", "--max-sources", "2", "--quiet"]);
    assert_eq!(first.code, 0, "{}", said(&first));
    let before = data(&workspace, "precis-out");
    assert_eq!(rows(&before).len(), 2, "{}", before["sources"]);

    // "she" stands in the answer alone: the folder is searched with words of it.
    let limits = ["--max-sources", "1", "--max-refinements", "0", "--out", "second", "--quiet"];
    let asked = ["ask", "precis-out", "And where was she born?", "--research", "--corpus", "notes"];
    let second = workspace.run(&[&asked[..], &limits[..]].concat());
    assert!(matches!(second.code, 0 | 5), "{}", said(&second));
    let after = data(&workspace, "second");
    assert!(after["report"].to_string().contains("Varnby"), "{}", after["report"]);
    assert_balanced(&after);
    let named = |data: &Value| -> Vec<(String, String)> {
        let row = |row: &Value| (row["source_id"].to_string(), row["path"].to_string());
        rows(data).iter().map(row).collect()
    };
    assert_eq!(named(&after)[..2], named(&before)[..], "the same number, id and file");
    assert_eq!(rows(&after).len(), 3, "{}", after["sources"]);
    assert_eq!(rows(&after)[2]["path"], "people/holm.md");
    assert_eq!(after["research"]["budget"]["sources"], serde_json::json!([1, 1]), "limits are of what is new");
    let made = queries(&after);
    for row in rows(&after) {
        let found_by = row["found_by"].as_array().cloned().unwrap_or_default();
        assert!(found_by.iter().all(|query| made.iter().any(|made| query == made)), "{row}");
    }
    assert!(after["research"]["hits"]["duplicate"].as_u64() >= Some(1), "{}", after["research"]["hits"]);
    let proved = workspace.run(&["verify", "second"]);
    assert_eq!(proved.code, 0, "{}", said(&proved));

    // What has changed since it was read is another document.
    workspace.write("notes/bridge.md", "# Harbour bridge\n\nThe harbour bridge follows rule R-18 since it was mended.");
    let asked =
        ["ask", "precis-out", "Which rule does the harbour bridge follow?", "--corpus", "notes", "--out", "third"];
    let third = workspace.run(&[&asked[..], &["--quiet"]].concat());
    assert_eq!(third.code, 0, "{}", said(&third));
    let third = data(&workspace, "third");
    assert!(third["report"].to_string().contains("R-18"), "{}", third["report"]);
    assert_eq!(rows(&third).iter().filter(|row| row["path"] == "bridge.md").count(), 2, "{}", third["sources"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_page_is_not_fetched_again_and_searches_disclose_nothing() {
    let html =
        |title: &str, text: &str| format!("<!DOCTYPE html><title>{title}</title><article><p>{text}</p></article>");
    let dam = "The reservoir of Talbruck holds 77 million cubic metres of water. Its keeper is Ottilie Brandau, named in 1990.";
    let keeper = "Ottilie Brandau is the keeper of the reservoir of Talbruck. Ottilie Brandau lives in the tower beside the dam.";
    let site = PageSite::open(&[("dam", &html("Reservoir", dam)), ("keeper", &html("Keeper", keeper))]);
    let pages = vec![
        Page::new(
            &site.url("dam"),
            "Reservoir of Talbruck",
            "The reservoir of Talbruck holds 77 million cubic metres of water.",
        ),
        Page::new(&site.url("keeper"), "Keeper", "The keeper of the reservoir lives in the tower beside the dam."),
    ];
    let server = ScriptedSearch::start(pages, []).await;
    let workspace = CliWorkspace::new();
    workspace.configure(format!("{}{}", site.settings(), server.tables()));
    let first = "How much water does the reservoir of Talbruck hold?";
    let limits = ["--max-sources", "1", "--max-refinements", "0", "--quiet"];
    let ended = run(&workspace, &[&["research", first, "--web", "tavily"], &limits[..]].concat()).await;
    assert_eq!(ended.code, 0, "{}", said(&ended));
    assert_eq!(site.asked(), ["/dam"]);
    let asked = server.calls();

    let more = ["--web", "tavily", "--max-refinements", "0", "--out", "second", "--quiet"];
    let ended = run(&workspace, &[&["ask", "precis-out", "And where does its keeper live?"], &more[..]].concat()).await;
    assert_eq!(ended.code, 0, "{}", said(&ended));
    assert_eq!(site.asked(), ["/keeper"], "the page that was read is not fetched again");
    let after = data(&workspace, "second");
    assert_balanced(&after);
    assert_eq!(rows(&after).iter().filter(|row| row["url"] == site.url("dam")).count(), 1, "{}", after["sources"]);
    let new = server.queries().split_off(asked);
    assert!(new.iter().any(|query| query.contains("talbruck")), "what the last question named joins: {new:?}");
    assert_eq!(workspace.run(&["verify", "second"]).code, 0);

    // Of a report on files nothing but the user's questions is told.
    workspace.write(
        "files/contract.txt",
        "The reservoir of Talbruck belongs to Zephyrine Quorvix. Quorvix pays for the Marrowgate dam.",
    );
    let ended =
        run(&workspace, &["run", "Whom does the reservoir of Talbruck belong to?", "files", "--out", "files-out"])
            .await;
    assert_eq!(ended.code, 0, "{}", said(&ended));
    let asked = server.calls();
    let ended =
        run(&workspace, &["ask", "files-out", "And who keeps it?", "--research", "--web", "tavily", "--out", "fourth"])
            .await;
    assert!(matches!(ended.code, 0 | 5), "{}", said(&ended));
    let told = server.queries().split_off(asked);
    assert!(told.iter().any(|query| query.to_lowercase().contains("talbruck")), "{told:?}");
    for word in ["zephyrine", "quorvix", "marrowgate", "pays"] {
        assert!(!told.iter().any(|query| query.to_lowercase().contains(word)), "{word}: {told:?}");
    }
}

#[test]
fn a_research_that_names_nothing_to_search_is_refused_with_the_remedy() {
    let workspace = workspace();
    assert_eq!(workspace.run(&["run", "How many cars does the ferry carry?", "notes/ferry.md", "--quiet"]).code, 0);
    for (args, words) in [
        (&["--research"][..], "--corpus DIR"),
        (&["--max-rounds", "2"], "--corpus DIR"),
        (&["--depth", "deep"], "--corpus DIR"),
        (&["--since", "2024-01-01"], "--corpus DIR"),
        (&["--research", "--web", "nobody"], "nobody"),
    ] {
        let ended = workspace.run(&[&["ask", "precis-out", "And who pays?"], args].concat());
        assert_eq!(ended.code, 2, "{args:?} {}", said(&ended));
        assert!(ended.stderr.contains(words), "{args:?} {}", said(&ended));
        assert!(!workspace.at("precis-answer").exists(), "{args:?}");
    }
}
