//! What a person sees while a model does not answer.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use precis_tests::program::CliWorkspace;
use precis_tests::provider::{Reply, Scripted};

/// More time than a line of waiting needs, in a run that was started just now.
const LONG: Duration = Duration::from_secs(45);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_learns_after_fifteen_seconds_what_a_run_waits_for() {
    let server = Scripted::start(vec![Reply::Hang; 9]).await;
    let workspace = CliWorkspace::new();
    workspace.write("docs/ice.txt", "The glacier lost a third of its ice in the last decade.");
    workspace.configure(format!("[providers.slow]\nbase_url = '{}'\n", server.base_url()));
    let args = ["run", "--query", "How much ice was lost?", "--docs", "docs", "--provider", "slow:m"];
    let mut command = workspace.command(&args);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let told = tokio::task::spawn_blocking(move || {
        let began = Instant::now();
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stderr.take().expect("is piped")).lines().map_while(Result::ok);
        let (sender, inbox) = mpsc::channel();
        let reading = thread::spawn(move || lines.map(|line| sender.send(line)).take_while(Result::is_ok).count());
        let mut seen: Vec<String> = Vec::new();
        while !seen.last().is_some_and(|line| line.contains("still waiting")) {
            match inbox.recv_timeout(LONG.saturating_sub(began.elapsed())) {
                Ok(line) => seen.push(line),
                Err(_) => break,
            }
        }
        let took = began.elapsed();
        // Nobody waits for the rest.
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        reading.join().expect("no panic");
        (seen, took)
    });
    let (seen, took) = told.await.expect("no panic");
    let expected = "synthesis: no answer from the synthesis model after 15 s; still waiting";
    assert_eq!(seen.last().map(String::as_str), Some(expected), "{seen:?}");
    assert!(took >= Duration::from_secs(15), "{took:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_ends_at_its_deadline_and_sent_calls_are_spent() {
    let server = Scripted::start(vec![Reply::Hang; 9]).await;
    let workspace = CliWorkspace::new();
    workspace.write("docs/ice.txt", "The glacier lost a third of its ice in the last decade.");
    let (url, roles) = (server.base_url(), "[roles.compression]\nproviders = ['slow:m']\n");
    workspace.configure(format!("[providers.slow]\nbase_url = '{url}'\n{roles}"));
    let mut said = String::new();
    // On a busy machine the jobs before the call take longer than the short time of the first try, and then nobody is asked.
    for seconds in [3, 9, 27] {
        let limit = format!("job_timeout={seconds}");
        let args = ["run", "--query", "How much ice was lost?", "--docs", "docs", "--set", &limit, "--json", "--force"];
        let mut command = workspace.command(&args);
        let (out, took) = tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            (command.output().expect("the program runs"), began.elapsed())
        })
        .await
        .expect("no panic");
        said = String::from_utf8_lossy(&out.stderr).into_owned();
        let report: serde_json::Value =
            serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("a report: {said}"));
        let spend = report["data"]["spend"].as_array().cloned().unwrap_or_default();
        let Some(row) = spend.iter().find(|row| row["provider"] == "slow:m") else { continue };
        assert!(row["unanswered_calls"].as_u64() >= Some(1) && row["input_tokens"].as_u64() > Some(100), "{row}");
        assert!(took < LONG + Duration::from_secs(seconds), "{took:?}: {said}");
        return;
    }
    panic!("no call was spent: {said}");
}
