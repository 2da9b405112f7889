//! Command-line tools as providers: scripts that answer, hang, flood, die, and leave children behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use precis_proto::task::Task;
use precis_proto::warning::WarningCode;
use precis_runtime::model::{Chain, Endpoint, GuardConfig, ModelAnswer, ProviderConfig, ToolConfig};
use precis_tests::program::{self, CliWorkspace};
use precis_workers::assembly::pipeline::GUARD_COMMAND;
use tempfile::TempDir;

use crate::provider::{Bench, FAKE, call, findings, said, summary};

const LOCAL: &str = "local:extractive";
/// What fits every summary.
const ANSWER: &str = r#"{"summary": "It holds.", "key_points": ["It holds."]}"#;

/// A shell script as a provider. It is given a directory for its notes and the model; `answer` prints what fits a summary.
struct Stage {
    bench: Bench,
    dir: TempDir,
}

impl Stage {
    async fn new(script: &str) -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        let path = dir.path().join("tool.sh");
        fs::write(&path, format!("answer() {{ printf '%s' '{ANSWER}'; }}\n{script}\n")).expect("is written");
        let words = [path.to_str(), dir.path().to_str(), Some("{model}")];
        let args = words.into_iter().map(|word| word.expect("is Unicode").to_owned()).collect();
        let env = [("PATH", "/usr/bin:/bin"), ("TOKEN", "named")];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned().into())).to_vec();
        let mut bench = Bench::new([]).await;
        let tool = ToolConfig { command: "/bin/sh".to_owned(), args, env, guard: None };
        let config = ProviderConfig::new("fake", Endpoint::Tool(tool));
        bench.config = ProviderConfig { timeout: Duration::from_secs(20), ..config };
        Self { bench, dir }
    }

    async fn call(&self, task: &Task) -> ModelAnswer {
        self.bench.call(task).await
    }

    fn note(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.note(name)).unwrap_or_default()
    }

    /// How often the script has run, where it notes that with `echo >> "$1/runs"`.
    fn runs(&self) -> usize {
        self.read("runs").lines().count()
    }

    /// Waits until the process whose number the script noted has ended.
    async fn ended(&self, name: &str) {
        ended(&self.note(name)).await;
    }
}

/// Waits until the process whose number was noted in `file` has ended.
async fn ended(file: &Path) {
    let pid = fs::read_to_string(file).unwrap_or_default().trim().to_owned();
    assert!(!pid.is_empty(), "{} was noted", file.display());
    let until = Instant::now() + Duration::from_secs(20);
    while is_alive(&pid) {
        assert!(Instant::now() < until, "waited for the end of process {pid}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The program itself as a guard.
fn guard() -> Option<GuardConfig> {
    Some(GuardConfig { executable: program::path().to_owned(), args: vec![GUARD_COMMAND.to_owned()] })
}

fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    // A process that nobody has asked about yet is dead all the same.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// The code with which the tool failed.
fn code(called: &ModelAnswer) -> String {
    assert_eq!(called.provider, LOCAL, "{:?}", called.warnings);
    let message = said(called, WarningCode::ProviderFallback)[0];
    message.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("names a code").0.to_owned()
}

#[tokio::test]
async fn a_tool_runs_in_an_empty_place_with_only_named_variables() {
    let stage = Stage::new(
        r#"cat > "$1/prompt"; env > "$1/env"; pwd > "$1/pwd"; ls -A > "$1/ls"; echo "$2" > "$1/model"; answer"#,
    )
    .await;
    let called = stage.call(&summary(1)).await;
    assert_eq!((called.provider.as_str(), called.warnings.len(), called.records.len()), (FAKE, 0, 1));
    assert!(called.records[0].input_tokens > 50 && called.records[0].output_tokens > 5, "counted here");
    let prompt = stage.read("prompt");
    assert!(prompt.contains("Result 1 holds") && prompt.contains("\"key_points\""), "{prompt}");
    // What a shell sets for itself is not ours.
    let env = stage.read("env");
    let own = ["PWD", "OLDPWD", "SHLVL", "_"];
    let names: Vec<&str> =
        env.lines().filter_map(|l| l.split_once('=')).map(|(n, _)| n).filter(|n| !own.contains(n)).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(env.contains("TOKEN=named") && names.contains(&"PATH"));
    assert_eq!((stage.read("model").trim(), stage.read("ls").as_str()), ("small", ""));
    assert!(!Path::new(stage.read("pwd").trim()).exists(), "its working directory is gone");
}

#[tokio::test]
async fn what_a_tool_reads_is_counted() {
    // It answers a summary, and says to findings what is none: its reading is paid for in any case.
    let stage = Stage::new(r#"cat > "$1/prompt"; answer"#).await;
    for task in [summary(1), findings(60)] {
        let called = stage.call(&task).await;
        let read = bpe_openai::o200k_base().count(&stage.read("prompt")) as u64;
        // A second try reads a complaint more: the last one is the one that was noted.
        let counted = called.records.iter().rev().find(|r| r.provider == FAKE).expect("a call").input_tokens;
        assert!(read > 50 && read <= counted, "{read} tokens read, {counted} counted");
    }
}

#[tokio::test]
async fn no_shell_reads_what_a_chain_says() {
    let mut stage = Stage::new(r#"cat > /dev/null; printf '%s' "$2" > "$1/model"; answer"#).await;
    let model = r#"$(touch "$1/pwned"); `id` | "x" *"#;
    stage.bench.chain = Chain::new([format!("fake:{model}")]);
    assert_eq!(stage.call(&summary(1)).await.provider, format!("fake:{model}"));
    assert_eq!(stage.read("model"), model);
    assert!(!stage.note("pwned").exists());
}

#[tokio::test]
async fn a_tool_that_hangs_is_ended_with_all_it_started() {
    let mut stage = Stage::new(r#"sleep 600 & echo $! > "$1/child"; echo $$ > "$1/self"; sleep 600"#).await;
    stage.bench.config.timeout = Duration::from_secs(5);
    stage.bench.policy.tries = 1;
    assert_eq!(code(&stage.call(&summary(1)).await), "timeout");
    stage.ended("self").await;
    stage.ended("child").await;
}

#[tokio::test]
async fn a_tool_is_ended_when_its_process_stops() {
    let stage = Stage::new(r#"echo $$ > "$1/new"; mv "$1/new" "$1/self"; sleep 600"#).await;
    let models = stage.bench.models();
    let waiting = tokio::spawn({
        let models = models.clone();
        async move { crate::provider::try_call(&models, "s", &summary(1), crate::provider::LONG).await }
    });
    let until = Instant::now() + Duration::from_secs(20);
    while !stage.note("self").exists() {
        assert!(Instant::now() < until, "waited for the tool to start");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(!models.drain(Duration::from_millis(50)).await);
    assert_eq!(waiting.await.expect("does not panic").expect_err("is told").code.as_str(), "stopped");
    stage.ended("self").await;
}

#[tokio::test]
async fn a_tool_that_floods_is_ended_at_the_limit() {
    for stream in ["", ">&2"] {
        let mut stage = Stage::new(&format!(r#"echo $$ > "$1/self"; yes {stream}"#)).await;
        stage.bench.config.timeout = Duration::from_secs(if stream.is_empty() { 60 } else { 5 });
        stage.bench.policy.tries = 1;
        let expected = if stream.is_empty() { "answer_too_large" } else { "timeout" };
        assert_eq!(code(&stage.call(&summary(1)).await), expected, "{stream}");
        stage.ended("self").await;
    }
}

#[tokio::test]
async fn a_dying_tool_is_retried_once_before_the_next_provider() {
    for (end, expected) in [
        ("exit 3", "tool_failed"),
        ("kill -9 $$", "tool_failed"),
        ("true", "bad_answer"),
        (r#"printf '%s' '{"type": "result", "is_error": true, "result": "overloaded"}'"#, "server_error"),
    ] {
        let stage = Stage::new(&format!(r#"echo >> "$1/runs"; cat > /dev/null; {end}"#)).await;
        assert_eq!((code(&stage.call(&summary(1)).await).as_str(), stage.runs()), (expected, 2), "{end}");
    }
}

#[tokio::test]
async fn a_failure_that_will_not_change_is_not_tried_again() {
    let stage = Stage::new(r#"echo >> "$1/runs"; echo 'Not logged in' >&2; exit 1"#).await;
    assert_eq!((code(&stage.call(&summary(1)).await).as_str(), stage.runs()), ("unauthorized", 1));
    let mut stage = Stage::new("").await;
    let missing = ToolConfig { command: "precis-no-such-tool".into(), args: Vec::new(), env: Vec::new(), guard: None };
    stage.bench.config.endpoint = Endpoint::Tool(missing);
    let called = stage.call(&summary(1)).await;
    assert_eq!(code(&called), "tool_missing");
    let told = said(&called, WarningCode::ProviderFallback)[0];
    assert!(
        told.contains("there is no program `precis-no-such-tool` in PATH; install `precis-no-such-tool`"),
        "{told}"
    );
}

#[tokio::test]
async fn a_tool_whose_child_stays_has_answered_and_its_child_ends() {
    let stage = Stage::new(r#"cat > /dev/null; sleep 600 & echo $! > "$1/child"; answer"#).await;
    let started = Instant::now();
    assert_eq!(stage.call(&summary(1)).await.provider, FAKE);
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    stage.ended("child").await;
}

#[tokio::test]
async fn a_detached_child_holding_the_output_is_not_waited_for() {
    let stage = Stage::new(r#"cat > /dev/null; answer; setsid sleep 30 & exit 0"#).await;
    let started = Instant::now();
    assert_eq!(stage.call(&summary(1)).await.provider, FAKE);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_tool_need_not_read_to_the_end() {
    let stage =
        Stage::new(r#"printf '%s' '{"findings": [{"statement": "It holds.", "passages": [1], "score": 1}]}'"#).await;
    // Several times what a pipe holds.
    assert_eq!(stage.call(&findings(1_500)).await.provider, FAKE);
}

#[tokio::test]
async fn an_answer_of_a_tool_is_remembered_until_it_is_called_otherwise() {
    let mut stage = Stage::new(r#"echo >> "$1/runs"; cat > /dev/null; answer"#).await;
    let models = stage.bench.models();
    assert_eq!(call(&models, "s", &summary(1)).await, call(&models, "s", &summary(1)).await);
    assert_eq!(stage.runs(), 1);
    let Endpoint::Tool(tool) = &mut stage.bench.config.endpoint else { panic!("is a tool") };
    tool.args.push("--verbose".to_owned());
    assert_eq!(stage.call(&summary(1)).await.provider, FAKE);
    assert_eq!(stage.runs(), 2);
}

#[tokio::test]
async fn a_guard_passes_on_what_a_tool_says_and_how_it_ends() {
    let guarded = |stage: &mut Stage, command: Option<&str>| {
        let Endpoint::Tool(tool) = &mut stage.bench.config.endpoint else { panic!("is a tool") };
        tool.guard = guard();
        tool.command = command.map_or(tool.command.clone(), str::to_owned);
    };
    let mut stage = Stage::new(r#"cat > "$1/prompt"; answer"#).await;
    guarded(&mut stage, None);
    assert_eq!(stage.call(&summary(1)).await.provider, FAKE);
    assert!(stage.read("prompt").contains("Result 1 holds"));
    for (end, expected) in
        [("exit 3", "tool_failed"), ("kill -9 $$", "tool_failed"), ("echo log in; exit 1", "unauthorized")]
    {
        let mut stage = Stage::new(end).await;
        guarded(&mut stage, None);
        assert_eq!(code(&stage.call(&summary(1)).await), expected, "{end}");
    }
    let mut stage = Stage::new("").await;
    guarded(&mut stage, Some("precis-no-such-tool"));
    assert_eq!(code(&stage.call(&summary(1)).await), "tool_missing");
    let mut stage = Stage::new(r#"sleep 600 & echo $! > "$1/child"; echo $$ > "$1/self"; sleep 600"#).await;
    guarded(&mut stage, None);
    (stage.bench.config.timeout, stage.bench.policy.tries) = (Duration::from_secs(5), 1);
    assert_eq!(code(&stage.call(&summary(1)).await), "timeout");
    stage.ended("child").await;
    stage.ended("self").await;
}

#[tokio::test]
async fn a_tool_and_its_children_end_when_its_caller_is_killed() {
    let workspace = CliWorkspace::new();
    workspace.write(
        "tool.sh",
        r#"sleep 600 & echo $! > child; mv child "$1/child"; echo $$ > self; mv self "$1/self"; sleep 600"#,
    );
    workspace.write("docs/ice.txt", "The glacier loses ice where the summer is warm.\n");
    let (script, notes) = (workspace.at("tool.sh"), workspace.at("docs").with_file_name("notes"));
    fs::create_dir(&notes).expect("a directory");
    let config = format!(
        "[providers.slow]\nkind = \"tool\"\ncommand = \"/bin/sh\"\nargs = [{script:?}, {notes:?}, \"{{model}}\"]\n"
    );
    workspace.configure(config);
    let words = ["run", "--query", "Where does it lose ice?", "--docs", "docs", "--provider", "slow:m"];
    let mut asking = workspace.command(&words);
    let temporary = workspace.at("tmp");
    fs::create_dir(&temporary).expect("a directory");
    asking.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
    let mut asking = asking.spawn().expect("the program starts");
    let until = Instant::now() + Duration::from_secs(60);
    while !notes.join("self").exists() {
        assert!(Instant::now() < until && asking.try_wait().expect("is ours").is_none(), "waited for the tool");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    asking.kill().and_then(|()| asking.wait()).expect("is ours");
    ended(&notes.join("child")).await;
    ended(&notes.join("self")).await;
    let places = || fs::read_dir(&temporary).expect("listed").flatten().map(|e| e.file_name()).collect::<Vec<_>>();
    while places().iter().any(|name| name.to_string_lossy().starts_with("precis-tool-")) {
        assert!(Instant::now() < until, "its working directory stayed: {:?}", places());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A guarded stage.
async fn guarded(script: &str) -> Stage {
    let mut stage = Stage::new(script).await;
    let Endpoint::Tool(tool) = &mut stage.bench.config.endpoint else { panic!("is a tool") };
    tool.guard = guard();
    stage
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_tool_set_apart_ends_with_it_however_it_ends() {
    let apart = r#"cat > /dev/null; setsid sh -c 'echo $$ > "$0/apart"; exec sleep 600' "$1" & while ! [ -s "$1/apart" ]; do :; done;"#;
    let stage = guarded(&format!("{apart} answer")).await;
    assert_eq!(stage.call(&summary(1)).await.provider, FAKE);
    stage.ended("apart").await;

    let mut stage = guarded(&format!("{apart} sleep 600")).await;
    (stage.bench.config.timeout, stage.bench.policy.tries) = (Duration::from_secs(5), 1);
    assert_eq!(code(&stage.call(&summary(1)).await), "timeout");
    stage.ended("apart").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_guarded_tool_has_no_privileges_to_gain() {
    let stage = guarded(r#"cat > /dev/null; cp /proc/self/status "$1/status"; answer"#).await;
    assert_eq!(stage.call(&summary(1)).await.provider, FAKE);
    let status = stage.read("status");
    let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default().trim().to_owned();
    assert_eq!(field("NoNewPrivs:"), "1");
    // Of root's capabilities at most those to read and write files, and to end processes: bits 1 and 5.
    let held = u64::from_str_radix(&field("CapPrm:"), 16).expect("a set");
    assert_eq!(held & !0b10_0010, 0, "{held:x}");
}

/// A run of the program with `script` as its only provider, in a home that does not lie among temporary files.
#[cfg(target_os = "linux")]
fn run_with(script: &str, more: &str) -> (TempDir, TempDir, std::process::Output) {
    let home = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a home");
    let workspace = TempDir::new().expect("a directory");
    let write = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().expect("a parent")).and_then(|()| fs::write(path, text)).expect("is written");
    };
    for name in [".ssh/id", ".tool/state", "papers/own.txt"] {
        write(home.path().join(name), "a line of its own");
    }
    write(workspace.path().join("tool.sh"), script);
    write(workspace.path().join("docs/ice.txt"), "The glacier loses ice where the summer is warm.\n");
    let settings = format!(
        "[providers.tool]\nkind = \"tool\"\ncommand = \"/bin/sh\"\nargs = [{:?}, {:?}, \"{{model}}\"]\n{more}",
        workspace.path().join("tool.sh"),
        workspace.path()
    );
    write(home.path().join(".config/precis/precis.toml"), &settings);
    // Whoever starts it may have left something open.
    let mut run = std::process::Command::new("/bin/sh");
    run.args(["-c", r#"exec 9</etc/passwd; exec "$0" "$@""#]).arg(program::path());
    run.args(["run", "--query", "Where does it lose ice?", "--docs", "docs", "--no-cache", "--provider", "tool:m"]);
    run.current_dir(workspace.path()).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
    let output = run.env("A_KEY", "canary-of-the-environment").output().expect("the program starts");
    (home, workspace, output)
}

#[cfg(target_os = "linux")]
#[test]
fn a_tool_sees_no_environment_or_keys_and_changes_no_document() {
    if !precis_runtime::model::has_fences() {
        eprintln!("SKIPPED: this system has no Landlock");
        return;
    }
    if Path::new(env!("CARGO_TARGET_TMPDIR")).starts_with("/tmp") {
        eprintln!(
            "SKIPPED: this checkout lies below /tmp, and so does every home in it: tools may read what lies there"
        );
        return;
    }
    // Its guard's parent is the program.
    let script = r#"cat > /dev/null; cd "$HOME"
        worker=$(cut -d' ' -f4 /proc/$PPID/stat); cat /proc/$worker/environ /proc/$PPID/environ > "$1/environment" 2>&1
        ls /proc/self/fd > "$1/descriptors"; cat .ssh/id > "$1/key" 2>&1; cat papers/own.txt > "$1/paper" 2>&1
        echo more >> papers/own.txt; echo more >> .tool/state; echo more >> .config/precis/precis.toml; echo done > "$1/done""#;
    let (home, workspace, output) = run_with(script, "");
    let told =
        |name: &str| String::from_utf8_lossy(&fs::read(workspace.path().join(name)).unwrap_or_default()).into_owned();
    assert!(told("done").contains("done"), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!told("environment").contains("canary"), "{}", told("environment"));
    assert!(told("descriptors").lines().any(|fd| fd == "1") && !told("descriptors").lines().any(|fd| fd == "9"));
    assert!(!told("key").contains("a line of its own"), "a key was read");
    assert!(told("paper").contains("a line of its own"), "{}", told("paper"));
    let own = |name: &str| fs::read_to_string(home.path().join(name)).expect("is there");
    assert!(own(".tool/state").contains("more"), "a tool keeps its state");
    assert!(!own("papers/own.txt").contains("more") && !own(".config/precis/precis.toml").contains("more"));

    let (_home, workspace, _) = run_with(r#"cat > /dev/null; cat "$HOME/.ssh/id" > "$1/key""#, "fenced = false\n");
    assert!(fs::read_to_string(workspace.path().join("key")).is_ok_and(|key| key.contains("a line of its own")));
}
