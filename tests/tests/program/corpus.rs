//! A corpus from outside: indexed once, searched often, and honest about what it could not read.

use std::fs;
use std::path::Path;

use precis_tests::program::{CliWorkspace, Ended};
use serde_json::Value;

fn workspace() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("docs/dams.md", "# Dams\n\nThe river has a dam of concrete. It was built in 1931.\n");
    workspace.write("docs/sub/whales.txt", "Whales sing in the sea.");
    workspace.write("docs/torn.pdf", "%PDF-1.7 torn");
    workspace.write("docs/picture.png", b"\x89PNG\r\n\x1a\n\0\0\0");
    workspace.write("docs/node_modules/x/whale.txt", "Whales of a program.");
    workspace.write("docs/.git/whale.txt", "Whales of the past.");
    workspace
}

fn json(ended: &Ended) -> Value {
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).expect("JSON")
}

fn search(workspace: &CliWorkspace, query: &str) -> Value {
    json(&workspace.run(&["corpus", "search", "docs", "--query", query, "--json"]))
}

fn paths(found: &Value) -> Vec<&str> {
    found["hits"].as_array().expect("hits").iter().map(|hit| hit["path"].as_str().expect("a path")).collect()
}

#[test]
fn a_folder_is_indexed_searched_shown_and_forgotten() {
    let workspace = workspace();
    let added = workspace.run(&["corpus", "add", "docs"]);
    assert_eq!(
        (added.code, added.stdout.as_str()),
        (0, "docs: 2 documents, 2 newly read, 2 not readable\n"),
        "{}",
        added.stderr
    );

    let found = search(&workspace, "Do whales sing?");
    assert_eq!(paths(&found), ["sub/whales.txt"]);
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&found), ["hits", "index"]);
    assert_eq!(keys(&found["hits"][0]), ["path", "locator", "text", "score", "unseen", "source_text_hash"]);
    assert_eq!(keys(&found["index"]), ["documents", "chunks", "bytes"]);
    let hit = &found["hits"][0];
    assert_eq!((&hit["locator"], &hit["text"]), (&"char:0-23".into(), &"Whales sing in the sea.".into()));
    let read: Value = json(&workspace.run(&["extract", "docs/sub/whales.txt", "--json"]));
    assert_eq!(hit["source_text_hash"], read["source_text_hash"]);

    let status = json(&workspace.run(&["corpus", "status", "docs", "--json"]));
    let failed: Vec<_> =
        status["failed"].as_array().expect("rows").iter().map(|row| (&row["path"], &row["code"])).collect();
    assert_eq!(failed, [(&"picture.png".into(), &"unsupported".into()), (&"torn.pdf".into(), &"unreadable".into())]);
    assert_eq!((&status["index"]["documents"], &status["files"]), (&2.into(), &4.into()));
    let shown = workspace.run(&["corpus", "status", "docs"]).stdout;
    assert!(shown.contains("4 files, 2 documents") && shown.contains("torn.pdf: "), "{shown}");

    assert_eq!(
        workspace.run(&["corpus", "add", "docs"]).stdout,
        "docs: 2 documents, 2 not readable, nothing changed\n"
    );
    fs::rename(workspace.at("docs/sub/whales.txt"), workspace.at("docs/songs.txt")).expect("moved");
    workspace.write("docs/dams.md", "# Dams\n\nThe river has a dam of earth.\n");
    let changed = workspace.run(&["corpus", "add", "docs"]);
    assert!(changed.stdout.starts_with("docs: 2 documents, 1 newly read"), "{}", changed.stdout);
    assert_eq!(
        (paths(&search(&workspace, "whales")), paths(&search(&workspace, "dams of earth"))),
        (vec!["songs.txt"], vec!["dams.md"])
    );

    let in_place = json(&workspace.run(&["corpus", "search", "docs", "whales", "--json"]));
    assert_eq!(paths(&in_place), ["songs.txt"]);

    assert_eq!(workspace.run(&["corpus", "remove", "docs"]).code, 0);
    assert_eq!(workspace.run(&["corpus", "search", "docs", "--query", "whales"]).code, 3);
    assert_eq!(workspace.run(&["corpus", "remove", "docs"]).code, 3);
}

#[test]
fn what_cannot_be_done_is_refused_with_the_remedy() {
    let workspace = workspace();
    workspace.write("empty/.hidden", "x");
    workspace.write("pictures/a.png", b"\x89PNG\r\n\x1a\n\0\0\0");
    for (args, code, said) in [
        (&["add", "nowhere"][..], 3, "nowhere"),
        (&["add", "docs/dams.md"], 3, "pass the folder"),
        (&["add", "empty"], 3, "there is no document to index"),
        (&["add", "pictures"], 3, "none of the files can be read"),
        (&["status", "docs"], 3, "precis corpus add"),
        (&["search", "docs", "--query", "whales"], 3, "precis corpus add"),
        (&["search", "docs", "--query", " "], 3, "the question is empty"),
        (&["search", "docs", "whales"], 3, "precis corpus add"),
        (&["search", "docs", "whales", "--query", "whales"], 2, "--query"),
        (&["search", "docs"], 2, "QUESTION"),
        (&["search", "docs", "--query", "x", "--limit", "many"], 2, "--limit"),
        (&["remove", "docs"], 3, "not indexed"),
    ] {
        let ended = workspace.run(&[&["corpus"], args].concat());
        assert_eq!(ended.code, code, "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{args:?}: {}", ended.stderr);
    }
    assert_eq!(workspace.run(&["corpus", "add", "docs"]).code, 0);
    for (limit, code) in [("999", 0), ("1000", 0), ("1001", 3)] {
        let ended = workspace.run(&["corpus", "search", "docs", "--query", "whales", "--limit", limit]);
        assert_eq!(ended.code, code, "{limit}: {}", ended.stderr);
    }
    let refused = workspace.run(&["corpus", "search", "nowhere", "--query", "x", "--json"]);
    let error: Value = serde_json::from_str(&refused.stdout).expect("JSON");
    assert_eq!(error["error"]["code"], "no_such_folder");
}

#[test]
fn without_a_place_of_ones_own_nothing_is_indexed() {
    let workspace = workspace();
    let mut command = workspace.command(&["corpus", "add", "docs"]);
    command.env_remove("HOME").env_remove("XDG_CACHE_HOME");
    let ended = precis_tests::program::ended(command);
    assert!(ended.code == 3 && ended.stderr.contains("cache_dir"), "{}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn links_cannot_escape_and_kept_files_are_private() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let workspace = workspace();
    workspace.write("secret/plan.txt", "The secret whale.");
    symlink(workspace.at("secret"), workspace.at("docs/door")).expect("linked");
    symlink(workspace.at("docs"), workspace.at("docs/sub/circle")).expect("linked");
    workspace.write("cache/x", "");
    fs::set_permissions(workspace.at("cache"), fs::Permissions::from_mode(0o700)).expect("ours");
    let set = ["--set", "cache_dir=cache"];
    let cache = format!("cache_dir={}", workspace.at("cache").display());
    let with = |args: &[&str]| workspace.run(&[args, &[set[0], cache.as_str()]].concat());
    assert_eq!(with(&["corpus", "add", "docs"]).code, 0);
    let found = json(&with(&["corpus", "search", "docs", "--query", "secret whale", "--json"]));
    assert_eq!(paths(&found), ["sub/whales.txt"]);
    let status = json(&with(&["corpus", "status", "docs", "--json"]));
    assert!(status["failed"].to_string().contains("outside the folder"), "{status}");
    let mut dirs = vec![workspace.at("cache/corpora")];
    while let Some(dir) = dirs.pop() {
        assert_eq!(mode(&dir), 0o700, "{}", dir.display());
        for entry in fs::read_dir(&dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
            }
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("there").permissions().mode() & 0o777
    }
}

#[test]
fn a_damaged_index_is_reported_and_rebuilt() {
    let workspace = workspace();
    let set = format!("cache_dir={}", workspace.at("cache").display());
    let run = |args: &[&str]| workspace.run(&[args, &["--set", set.as_str()]].concat());
    assert_eq!(run(&["corpus", "add", "docs"]).code, 0);
    let corpus =
        fs::read_dir(workspace.at("cache/corpora")).expect("corpora").next().expect("one").expect("a corpus").path();
    fs::write(corpus.join("index-1/meta.json"), "{").expect("damaged");
    let searched = run(&["corpus", "search", "docs", "--query", "whales"]);
    assert!(searched.code == 1 && searched.stderr.contains("precis corpus add"), "{}", searched.stderr);
    let added = run(&["corpus", "add", "docs"]);
    assert!(added.code == 0 && added.stderr.contains("the index was rebuilt"), "{}", added.stderr);
    assert_eq!(run(&["corpus", "search", "docs", "--query", "whales"]).code, 0);
}
