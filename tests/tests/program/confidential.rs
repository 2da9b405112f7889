//! What the user said about disclosure is part of the report, and later commands keep to it.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use precis_tests::program::{CliWorkspace, Ended, ended};
use precis_tests::search::{Page, ScriptedSearch};
use serde_json::{Value, json};

const QUESTION: &str = "Who pays for the Kestrelmoor delays at the harbour?";
const NOTE: &str = "# Harbour\n\nThe buyer pays for the Kestrelmoor delays at the harbour.";
const LANES: [&str; 5] = ["--corpus", "notes", "--web", "tavily", "--no-cache"];
/// The key with which reports are marked, seen from the working directory.
const KEY: &str = "../home/.local/share/precis/report-key";

/// A user with a folder, a search provider and a model elsewhere.
struct World {
    workspace: CliWorkspace,
    server: ScriptedSearch,
    /// How often a model elsewhere was sent a text.
    told: Arc<AtomicUsize>,
}

impl World {
    async fn new() -> Self {
        let page = Page::new("http://127.0.0.1:9/a", "Harbours", "Harbours of the coast.");
        let server = ScriptedSearch::start(vec![page], []).await;
        let model = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let told = Arc::new(AtomicUsize::new(0));
        let workspace = CliWorkspace::new();
        let address = model.local_addr().expect("bound");
        let far = format!("[providers.far]\nbase_url = \"http://{address}/v1\"\ntrust = \"foreign\"\n");
        workspace.configure(format!("{}\n{far}", server.tables()));
        workspace.write("notes/a.md", NOTE);
        let count = Arc::clone(&told);
        std::thread::spawn(move || model.incoming().flatten().for_each(|caller| listen(caller, &count)));
        Self { workspace, server, told }
    }

    async fn run(&self, args: &[&str]) -> Ended {
        let ended = self.tried(args, "HOME", None).await;
        assert!(matches!(ended.code, 0 | 1 | 5), "{args:?} {ended:?}");
        ended
    }

    /// Runs the program with another value of an environment variable.
    async fn tried(&self, args: &[&str], variable: &str, value: Option<&str>) -> Ended {
        let mut command = self.workspace.command(args);
        let (name, key) = ScriptedSearch::environment();
        command.env(name, key);
        command.envs(value.map(|value| (variable, value)));
        tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic")
    }

    /// Makes the report `first`, and a plan to fork from it.
    async fn research(&self, flags: &[&str]) {
        let args = [&["research", QUESTION, "--out", "first", "--force", "--quiet"], &LANES[..], flags].concat();
        self.run(&args).await;
        let plan = self.run(&["research", QUESTION, "--plan-only"]).await;
        self.workspace.write("plan.json", plan.stdout);
    }

    /// Continues the report `first` by each command that can search, with the provider named again; returns the new reports.
    async fn continued(&self, flags: &[&str]) -> Vec<(&'static str, Ended)> {
        let mut all = Vec::new();
        for (out, command) in [
            ("refreshed", &["refresh", "first"][..]),
            ("asked", &["ask", "first", "And when does it pay?"]),
            ("forked", &["fork", "first", "--plan", "plan.json", "--from-round", "0"]),
        ] {
            let args = [command, &LANES[..], &["--out", out, "--force"], flags].concat();
            all.push((out, self.run(&args).await));
        }
        all
    }

    fn report(&self, dir: &str) -> Value {
        let bytes = std::fs::read(self.workspace.at(dir).join("report.json")).expect("a report");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// The label of a report: is the question confidential, are the files public, was privacy strict.
    fn label(&self, dir: &str) -> [bool; 3] {
        let privacy = &self.report(dir)["data"]["privacy"];
        ["confidential_query", "public", "strict_privacy"].map(|name| privacy[name].as_bool().expect("a label"))
    }

    fn queries(&self) -> usize {
        self.server.queries().len()
    }

    /// How often the model elsewhere was sent a text since the last time.
    fn told(&self) -> usize {
        self.told.swap(0, Ordering::SeqCst)
    }
}

/// Reads what a caller sends, and counts it if it contains a text; that a server is asked for its models tells it nothing.
fn listen(mut caller: TcpStream, told: &AtomicUsize) {
    let mut heard = Vec::new();
    caller.set_read_timeout(Some(Duration::from_millis(300))).expect("set");
    let _ = caller.read_to_end(&mut heard);
    if String::from_utf8_lossy(&heard).contains("Kestrelmoor") {
        told.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_confidential_question_stays_so_in_every_later_command() {
    let world = World::new().await;
    world.research(&["--confidential-query"]).await;
    assert_eq!(world.label("first"), [true, false, false]);
    for (out, ended) in world.continued(&[]).await {
        assert!(ended.stderr.contains("the earlier question is confidential; pass --public-query"), "{ended:?}");
        assert_eq!(world.label(out), [true, false, false], "{out}");
    }
    // Without a search nothing is withheld, and the label goes on all the same.
    world.run(&["ask", "first", "And when?", "--out", "plain"]).await;
    world.run(&[&["ask", "plain", "And why?", "--out", "again"], &LANES[..]].concat()).await;
    assert_eq!(world.server.queries(), Vec::<String>::new());
}

#[tokio::test]
async fn a_confidential_question_is_searched_if_the_user_says_so_by_name() {
    let world = World::new().await;
    world.research(&["--confidential-query"]).await;
    let mut before = 0;
    for (out, ended) in world.continued(&["--public-query"]).await {
        assert!(!ended.stderr.contains("no search provider is asked"), "{ended:?}");
        assert_eq!(world.label(out), [false, false, false], "{out}");
    }
    assert!(world.queries() >= 3, "{:?}", world.server.queries());
    before += world.queries();
    let both = ["ask", "first", "And?", "--public-query", "--confidential-query", "--out", "both"];
    assert_eq!(world.tried(&[&both[..], &LANES].concat(), "HOME", None).await.code, 2);
    assert_eq!(world.queries(), before);
}

#[tokio::test]
async fn files_of_a_later_command_are_public_only_if_stated() {
    let world = World::new().await;
    world.research(&["--public"]).await;
    assert_eq!(world.label("first"), [false, true, false]);
    world.continued(&["--quiet"]).await;
    let outs = ["refreshed", "forked", "asked"];
    assert_eq!(outs.map(|out| world.label(out)[1]), [false; 3], "the folder may be another one");
    world.continued(&["--public", "--quiet"]).await;
    assert_eq!(outs.map(|out| world.label(out)[1]), [true; 3]);
    world.run(&["ask", "first", "And when?", "--web", "tavily", "--out", "plain"]).await;
    assert!(world.label("plain")[1], "no further file is given");
    world.run(&["ask", "first", "And when?", "--docs", "notes", "--out", "more"]).await;
    assert!(!world.label("more")[1]);
}

#[tokio::test]
async fn strict_privacy_lasts_until_a_flag_turns_it_off() {
    let world = World::new().await;
    world.research(&["--set", "strict_privacy=true"]).await;
    assert_eq!(world.label("first"), [false, false, true]);
    let far = ["--provider", "far:m", "--docs", "notes", "--only-new"];
    let asked = world.run(&[&["ask", "first", "And when?", "--out", "strict"], &far[..]].concat()).await;
    assert!(asked.stderr.contains("--set strict_privacy=false"), "{asked:?}");
    assert_eq!((world.told(), world.label("strict")), (0, [false, false, true]));
    for (out, _) in world.continued(&["--quiet"]).await {
        assert!(world.label(out)[2], "{out}");
    }
    world.run(&["refresh", "strict", "notes", "--out", "again", "--provider", "far:m"]).await;
    assert_eq!((world.told(), world.label("again")), (0, [false, false, true]));
    let loosened = ["ask", "strict", "And?", "--set", "strict_privacy=false", "--out", "loose"];
    world.run(&[&loosened[..], &far].concat()).await;
    assert!(world.told() > 0, "control: the model is asked otherwise");
    assert_eq!(world.label("loose"), [false, false, false]);
}

type Change = fn(&mut Value);

#[tokio::test]
async fn the_question_of_a_foreign_report_reaches_no_search_provider() {
    let world = World::new().await;
    world.research(&[]).await;
    let own = world.queries();
    assert!(own > 0, "an open question of the user's own is searched");
    world.continued(&["--quiet"]).await;
    let before = world.queries();
    assert!(before > own, "and so are those that follow it");
    world.run(&["run", "Who pays?", "notes", "--out", "other"]).await;
    let other = world.report("other")["mark"].clone();
    let whole = world.report("first");
    let changes: [(&str, Change); 5] = [
        ("no mark", |report| drop(report.as_object_mut().expect("an object").remove("mark"))),
        ("a forged mark", |report| report["mark"] = json!(format!("hmac-sha256:{}", "0".repeat(64)))),
        ("the seal as its mark", |report| report["mark"] = report["seal"].clone()),
        ("another question", |report| report["data"]["query"] = json!("Who pays for the Kestrelmoor delays?")),
        ("another history", |report| {
            report["data"]["history"] = json!([{ "role": "user", "content": "Kestrelmoor?" }])
        }),
    ];
    let mut theirs: Vec<(&str, Value)> = changes
        .into_iter()
        .map(|(what, change)| {
            let mut report = whole.clone();
            change(&mut report);
            (what, report)
        })
        .collect();
    let mut copied = whole.clone();
    copied["mark"] = other;
    theirs.push(("the mark of another report", copied));
    for (what, report) in theirs {
        world.workspace.write("first/report.json", report.to_string());
        for (out, ended) in world.continued(&[]).await {
            assert!(ended.stderr.contains("does not carry your mark"), "{what}: {ended:?}");
            assert!(world.label(out)[0], "{what}: {out}");
        }
        assert_eq!(world.queries(), before, "{what}: {:?}", world.server.queries());
    }
    world.continued(&["--public-query"]).await;
    assert!(world.queries() > before);
}

#[tokio::test]
async fn a_label_that_was_changed_does_not_hold_and_verify_refuses_it() {
    let world = World::new().await;
    world.research(&["--confidential-query"]).await;
    world.run(&["verify", "first"]).await;
    let mut report = world.report("first");
    report["data"]["privacy"]["confidential_query"] = json!(false);
    world.workspace.write("first/report.json", report.to_string());
    let verified = world.run(&["verify", "first"]).await;
    assert!(verified.code == 1 && verified.stdout.contains("seal"), "{verified:?}");
    world.continued(&["--quiet"]).await;
    assert_eq!(world.server.queries(), Vec::<String>::new());
}

#[tokio::test]
async fn without_a_key_everything_is_confidential_and_commands_go_on() {
    let world = World::new().await;
    world.research(&[]).await;
    let before = world.queries();
    let ask = [&["ask", "first", "And when?", "--out", "asked", "--force"], &LANES[..]].concat();
    world.workspace.write("no-directory", "");
    let place = world.workspace.at("no-directory");
    let place = place.to_str().expect("UTF-8");
    let without_home = [("XDG_DATA_HOME", place), ("XDG_DATA_HOME", "/proc/no")];
    for (variable, value) in without_home {
        let ended = world.tried(&ask, variable, Some(value)).await;
        assert!(matches!(ended.code, 0 | 5), "{ended:?}");
        assert!(ended.stderr.contains("the key with which your reports are marked cannot be used"), "{ended:?}");
        assert!(ended.stderr.contains("the report is not marked as yours"), "{ended:?}");
        assert!(world.label("asked")[0] && world.report("asked")["mark"].is_null());
    }
    let homeless = world.tried(&["run", "Who pays?", "notes", "--out", "homeless"], "HOME", Some("")).await;
    assert!(homeless.code == 0 && homeless.stderr.contains("set HOME or XDG_DATA_HOME"), "{homeless:?}");
    world.workspace.write(KEY, "short");
    let ended = world.run(&ask).await;
    assert!(ended.stderr.contains("expected 32 bytes, got 5; remove it"), "{ended:?}");
    assert_eq!(world.queries(), before, "{:?}", world.server.queries());
}

#[tokio::test]
async fn the_key_is_private_and_in_no_log_or_report() {
    let world = World::new().await;
    world.research(&[]).await;
    let key = world.workspace.at(KEY);
    let bytes = std::fs::read(&key).expect("a key");
    assert_eq!(std::fs::metadata(&key).expect("a key").permissions().mode() & 0o777, 0o600);
    let logged = ["ask", "first", "And when?", "--out", "asked", "--set", "log=trace", "--verbose"];
    let ended = world.run(&[&logged[..], &LANES].concat()).await;
    let files: Vec<PathBuf> = walk(&world.workspace.at("../home")).chain(walk(&world.workspace.at("."))).collect();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let holds =
        |text: &[u8]| [&bytes[..], hex.as_bytes()].iter().any(|key| text.windows(key.len()).any(|at| at == *key));
    let is_key = |path: &PathBuf| path.ends_with("report-key");
    assert!(files.iter().any(is_key) && files.len() > 5, "{files:?}");
    for path in files.iter().filter(|path| !is_key(path)) {
        assert!(!holds(&std::fs::read(path).expect("a file")), "{}", path.display());
    }
    assert!(!ended.stderr.is_empty() && !holds(ended.stderr.as_bytes()) && !holds(ended.stdout.as_bytes()));
}

fn walk(dir: &Path) -> std::vec::IntoIter<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("a directory").flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path].into_iter() })
        .collect::<Vec<_>>()
        .into_iter()
}
