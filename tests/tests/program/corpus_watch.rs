//! A folder that is watched: its index follows the files, whatever happens to the folder meanwhile.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use precis_tests::program::CliWorkspace;

const PATIENCE: Duration = Duration::from_secs(60);

/// A running watch, and the lines it prints.
struct Watch {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

impl Watch {
    fn start(workspace: &CliWorkspace) -> Self {
        let mut command = workspace.command(&["corpus", "watch", "docs", "--every", "1s"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
        let out = lines(child.stdout.take().expect("a pipe"));
        let err = lines(child.stderr.take().expect("a pipe"));
        Self { child, out, err }
    }

    fn says(&self) -> String {
        self.out.recv_timeout(PATIENCE).expect("a line in time")
    }

    fn warns(&self) -> String {
        self.err.recv_timeout(PATIENCE).expect("a warning in time")
    }

    /// Ends it with `signal`; returns its exit code and what it printed unread.
    fn end(mut self, signal: &str) -> (Option<i32>, Vec<String>) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        let code = self.child.wait().expect("it ends").code();
        (code, self.out.iter().chain(self.err.iter()).collect())
    }
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[test]
fn a_watched_folder_is_searched_as_it_is_now() {
    let workspace = CliWorkspace::new();
    workspace.write("docs/dam.txt", "The dam holds 40 million litres.");
    let watch = Watch::start(&workspace);
    assert_eq!(watch.says(), "docs: 1 new (dam.txt); 1 documents");
    workspace.write("docs/dam.txt", "The dam holds 500 million litres.");
    workspace.write("docs/sub/whale.txt", "Whales sing in the sea.");
    assert_eq!(watch.says(), "docs: 1 new (sub/whale.txt), 1 changed (dam.txt); 2 documents");
    let found = workspace.run(&["corpus", "search", "docs", "How much does the dam hold?"]);
    assert!(found.stdout.contains("500 million"), "{}", found.stdout);
    // The same bytes with another date are no news.
    workspace.write("docs/dam.txt", "The dam holds 500 million litres.");
    std::thread::sleep(Duration::from_secs(3));
    std::fs::remove_file(workspace.at("docs/sub/whale.txt")).expect("it is there");
    assert_eq!(watch.says(), "docs: 1 removed (sub/whale.txt); 1 documents");
    assert_eq!(watch.end("-TERM"), (Some(0), Vec::new()));
}

#[test]
fn a_file_that_is_being_written_is_read_once_it_rests() {
    let workspace = CliWorkspace::new();
    workspace.write("docs/dam.txt", "The dam holds 40 million litres.");
    let watch = Watch::start(&workspace);
    watch.says();
    let begun = Instant::now();
    let mut text = String::new();
    while begun.elapsed() < Duration::from_secs(4) {
        text.push_str("Whales sing in the sea. ");
        workspace.write("docs/whale.txt", &text);
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(watch.out.try_recv().is_err(), "nothing is read while it is written");
    assert_eq!(watch.says(), "docs: 1 new (whale.txt); 2 documents");
    assert_eq!(watch.end("-INT"), (Some(0), Vec::new()));
}

#[test]
fn a_folder_that_is_away_for_a_while_loses_nothing() {
    let workspace = CliWorkspace::new();
    workspace.write("docs/dam.txt", "The dam holds 40 million litres.");
    let watch = Watch::start(&workspace);
    watch.says();
    // Away, then there and empty, as a mount point is.
    std::fs::rename(workspace.at("docs"), workspace.at("elsewhere")).expect("moved");
    assert!(watch.warns().contains("the index stays as it is"));
    std::fs::create_dir(workspace.at("docs")).expect("made");
    assert!(watch.warns().contains("the index stays as it is"));
    std::thread::sleep(Duration::from_secs(3));
    let found = workspace.run(&["corpus", "search", "docs", "How much does the dam hold?"]);
    assert!(found.stdout.contains("40 million"), "{}{}", found.stdout, found.stderr);
    std::fs::remove_dir(workspace.at("docs")).expect("empty");
    std::fs::rename(workspace.at("elsewhere"), workspace.at("docs")).expect("moved back");
    loop {
        if watch.warns().contains("can be read again") {
            break;
        }
    }
    workspace.write("docs/new.txt", "Whales sing in the sea.");
    assert_eq!(watch.says(), "docs: 1 new (new.txt); 2 documents", "the dam is not read again");
    assert_eq!(watch.end("-TERM").0, Some(0));
}

#[test]
fn an_interval_out_of_bounds_is_refused_with_what_is_expected() {
    let workspace = CliWorkspace::new();
    workspace.write("docs/dam.txt", "The dam holds 40 million litres.");
    for every in ["0s", "367d", "often"] {
        let ended = workspace.run(&["corpus", "watch", "docs", "--every", every]);
        assert_eq!(ended.code, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("expected"), "{}", ended.stderr);
    }
}
