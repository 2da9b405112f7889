//! `precis fork`: a finished research gone on from one of its rounds with another plan. What was searched and read is not asked for again.

use precis_tests::page_site::PageSite;
use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::search::{Page, ScriptedSearch};
use serde_json::{Value, json};

const QUESTION: &str = "How much water does the reservoir of Talbruck hold?";
const DAM: &str = "The reservoir of Talbruck holds 77 million cubic metres of water. Its keeper is Ottilie Brandau.";
const TOWER: &str = "Ottilie Brandau lives in the tower of Varnby. The tower of Varnby was built in 1911 by Tom Fox.";

struct World {
    workspace: CliWorkspace,
    server: ScriptedSearch,
    site: PageSite,
}

impl World {
    async fn start() -> Self {
        let html =
            |title: &str, text: &str| format!("<!DOCTYPE html><title>{title}</title><article><p>{text}</p></article>");
        let site = PageSite::open(&[("dam", &html("Reservoir", DAM)), ("tower", &html("Tower", TOWER))]);
        let pages = vec![
            Page::new(&site.url("dam"), "Reservoir of Talbruck", DAM),
            Page::new(&site.url("tower"), "Tower of Varnby", TOWER),
        ];
        let server = ScriptedSearch::start(pages, []).await;
        let workspace = CliWorkspace::new();
        workspace.configure(format!("{}{}", site.settings(), server.tables()));
        workspace.write("notes/mill.md", "# Mill\n\nThe mill was closed in 2003.");
        Self { workspace, server, site }
    }

    async fn run(&self, args: &[&str]) -> Ended {
        let mut command = self.workspace.command(args);
        let (name, value) = ScriptedSearch::environment();
        command.env(name, value);
        tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic")
    }

    fn data(&self, dir: &str) -> Value {
        let report = std::fs::read(self.workspace.at(dir).join("report.json")).expect("a report");
        serde_json::from_slice::<Value>(&report).expect("JSON")["data"].clone()
    }

    /// A plan that asks this instead, in a file.
    async fn plan(&self, question: &str) {
        let shown = self.run(&["research", question, "--web", "tavily", "--plan-only"]).await;
        self.workspace.write("plan.json", shown.stdout);
    }
}

fn said(ended: &Ended) -> String {
    format!("{}\n{}\n{}", ended.code, ended.stdout, ended.stderr)
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// The searches of a round.
fn queries(round: &Value) -> Vec<Value> {
    list(&round["directives"]).iter().flat_map(|directive| list(&directive["queries"])).collect()
}

fn texts(queries: &[Value]) -> Vec<&str> {
    queries.iter().filter_map(|query| query["text"].as_str()).collect()
}

fn sum_of_fates(data: &Value) -> u64 {
    let hits = data["research"]["hits"].as_object().expect("counts");
    hits.iter().filter(|(name, _)| *name != "found").filter_map(|(_, n)| n.as_u64()).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_and_reads_are_kept_for_a_fork_with_another_plan() {
    let world = World::start().await;
    let limits = ["--web", "tavily", "--max-sources", "1", "--max-rounds", "1", "--max-refinements", "0", "--quiet"];
    let ended = world.run(&[&["research", QUESTION], &limits[..]].concat()).await;
    assert_eq!(ended.code, 0, "{}", said(&ended));
    let before = world.data("precis-out");
    let made = world.server.queries();
    assert_eq!(world.site.asked(), ["/dam"]);

    world.plan("Who built the tower of Varnby?").await;
    let more = ["--plan", "plan.json", "--max-refinements", "0", "--web", "tavily"];
    let ended = world.run(&[&["fork", "precis-out", "--quiet"], &more[..]].concat()).await;
    assert!(matches!(ended.code, 0 | 5), "{}", said(&ended));
    let after = world.data("precis-fork");
    let own = world.server.queries().split_off(made.len());
    assert!(!own.is_empty() && own.iter().all(|query| !made.contains(query)), "{own:?} after {made:?}");
    assert_eq!(world.site.asked(), ["/tower"], "the page that was read is not fetched again");

    let rounds = list(&after["research"]["rounds"]);
    let kept = queries(&rounds[0]);
    assert_eq!(texts(&kept), texts(&queries(&before["research"]["rounds"][0])), "the kept round has its searches");
    assert!(kept.iter().all(|query| query["served"] == "memo" && query["usd"].is_null()), "{kept:?}");
    assert!(rounds.len() > 1 && queries(&rounds[1]).iter().any(|query| query["text"].to_string().contains("Varnby")));
    let spent: u64 = list(&after["spend"]).iter().filter_map(|row| row["searches"].as_u64()).sum();
    assert_eq!(spent, own.len() as u64, "only what is new is paid: {}", after["spend"]);
    assert_eq!(
        after["research"]["hits"]["found"].as_u64(),
        Some(sum_of_fates(&after)),
        "{}",
        after["research"]["hits"]
    );

    let forked = &after["research"]["forked"];
    let bytes = std::fs::read(world.workspace.at("precis-out/report.json")).expect("a report");
    let hash = precis_proto::source::ContentRef::from_bytes(&bytes).to_string();
    assert_eq!((&forked["session"], &forked["round"]), (&before["session"]["id"], &json!(1)));
    assert_eq!(forked["report"], json!(hash));
    let rows = list(&after["sources"]);
    assert_eq!(rows[0]["source_id"], before["sources"][0]["source_id"]);
    assert!(list(&rows[0]["found_by"]).iter().any(|query| query == QUESTION), "{}", rows[0]);
    assert!(rows.iter().any(|row| row["url"] == world.site.url("tower")), "{}", after["sources"]);
    for dir in ["precis-out", "precis-fork"] {
        let proved = world.run(&["verify", dir]).await;
        assert_eq!(proved.code, 0, "{dir} {}", said(&proved));
    }
    let page = std::fs::read_to_string(world.workspace.at("precis-fork/report.md")).expect("written");
    assert!(page.contains("Forked from the report of session") && page.contains("its first round is kept"), "{page}");

    // A lane that is not named again keeps its rounds and is not searched.
    let asked = world.server.calls();
    let local = ["--plan", "plan.json", "--corpus", "notes", "--max-refinements", "0", "--out", "local", "--quiet"];
    let ended = world.run(&[&["fork", "precis-out"], &local[..]].concat()).await;
    assert!(matches!(ended.code, 0 | 5), "{}", said(&ended));
    let local = world.data("local");
    assert_eq!(texts(&queries(&local["research"]["rounds"][0])), texts(&queries(&before["research"]["rounds"][0])));
    assert_eq!((world.server.calls(), world.site.asked()), (asked, Vec::new()));
    assert_eq!(world.run(&["verify", "local"]).await.code, 0);

    // A fork is forked like any other report.
    let again = ["--from-round", "2", "--out", "again", "--quiet"];
    let ended = world.run(&[&["fork", "precis-fork"], &again[..], &more[..]].concat()).await;
    assert!(matches!(ended.code, 0 | 5), "{}", said(&ended));
    let again = world.data("again");
    assert_eq!(again["research"]["forked"]["session"], after["session"]["id"]);
    assert_eq!(texts(&queries(&again["research"]["rounds"][0])), texts(&kept));
    assert_eq!(world.site.asked(), Vec::<String>::new(), "both pages were read");
    assert_eq!(world.run(&["verify", "again"]).await.code, 0);

    // Of no round only the plan is new.
    let asked = world.server.calls();
    let ended = world
        .run(&[&["fork", "precis-out", "--from-round", "0", "--out", "anew", "--quiet"], &more[..]].concat())
        .await;
    assert!(matches!(ended.code, 0 | 5), "{}", said(&ended));
    let anew = world.data("anew");
    assert_eq!(anew["research"]["forked"]["round"], 0);
    let first = texts(&queries(&anew["research"]["rounds"][0])).join("\n");
    assert!(!first.contains("Talbruck"), "{first}");
    assert!(
        list(&anew["sources"]).iter().all(|row| !list(&row["found_by"]).contains(&json!(QUESTION))),
        "{}",
        anew["sources"]
    );
    assert!(world.server.calls() >= asked);
    assert_eq!(world.run(&["verify", "anew"]).await.code, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_impossible_fork_is_refused_with_a_remedy_and_no_calls() {
    let world = World::start().await;
    let limits = ["--web", "tavily", "--max-rounds", "1", "--max-refinements", "0", "--quiet"];
    assert_eq!(world.run(&[&["research", QUESTION], &limits[..]].concat()).await.code, 0);
    assert_eq!(world.run(&["run", "When was the mill closed?", "notes", "--out", "plain", "--quiet"]).await.code, 0);
    world.plan("Who built the tower of Varnby?").await;
    let plan = std::fs::read_to_string(world.workspace.at("plan.json")).expect("written");
    world.workspace.write("later.json", plan.replacen('{', "{ \"version\": 2,", 1));
    let copied = |from: &str, to: &str| {
        world.workspace.write(to, std::fs::read(world.workspace.at(from)).expect("a file"));
    };
    copied("precis-out/report.json", "bare/report.json");
    std::fs::create_dir_all(world.workspace.at("bare/archive")).expect("a directory");
    copied("precis-out/report.json", "alone/report.json");
    let (calls, _) = (world.server.calls(), world.site.asked());
    let web = ["--web", "tavily"];
    for (args, lanes, code, words) in [
        (&["fork", "precis-out", "--plan", "plan.json"][..], &[][..], 2, "--corpus DIR"),
        (&["fork", "precis-out", "--plan", "plan.json", "--from-round", "2"], &web, 3, "from 0 to 1"),
        (&["fork", "precis-out", "--plan", "later.json"], &web, 3, "--plan-only"),
        (&["fork", "precis-out", "--plan", "nowhere.json"], &web, 3, "nowhere.json"),
        (&["fork", "plain", "--plan", "plan.json"], &web, 3, "is not a research report"),
        (&["fork", "bare", "--plan", "plan.json"], &web, 3, "whole archive"),
        (&["fork", "alone", "--plan", "plan.json"], &web, 3, "archive"),
        (&["fork", "nowhere", "--plan", "plan.json"], &web, 3, "nowhere"),
        (&["fork", "precis-out", "--plan", "plan.json"], &["--web", "nobody"], 2, "nobody"),
    ] {
        let ended = world.run(&[args, lanes].concat()).await;
        assert_eq!(ended.code, code, "{args:?} {}", said(&ended));
        assert!(ended.stderr.contains(words), "{args:?} {}", said(&ended));
        assert!(!world.workspace.at("precis-fork").exists(), "{args:?}");
    }
    assert_eq!((world.server.calls(), world.site.asked()), (calls, Vec::new()));
}
