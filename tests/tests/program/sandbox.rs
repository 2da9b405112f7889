//! Promise 6: no document takes a worker down. Whatever a child does, its parent gets a typed answer and goes on.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use precis_extract::{ExtractLimits, HtmlMode};
use precis_runtime::runner::JobError;
use precis_runtime::sandbox::{ChildDeath, Sandbox, SandboxError, SandboxSettings};
use precis_runtime::telemetry::metrics;
use precis_tests::documents;
use precis_workers::documents::parse::{Parse, Parser};

const LONG: Duration = Duration::from_secs(60);

fn settings(args: &[&str]) -> SandboxSettings {
    SandboxSettings {
        executable: Some(PathBuf::from(env!("CARGO_BIN_EXE_sandbox-child"))),
        args: args.iter().map(|a| (*a).to_owned()).collect(),
        children: 1,
        wall: LONG,
        memory_bytes: 256 << 20,
        max_request_bytes: 1 << 20,
        max_response_bytes: 1 << 20,
        ..SandboxSettings::default()
    }
}

async fn ask(sandbox: &Sandbox, header: &str) -> Result<(String, Bytes), SandboxError> {
    let (header, body) = sandbox.run(header.into(), Bytes::from_static(b"body")).await?;
    Ok((String::from_utf8_lossy(&header).into_owned(), body))
}

/// The child's process id, which also shows that the pool goes on.
async fn child(sandbox: &Sandbox) -> String {
    ask(sandbox, "echo").await.expect("the pool goes on").0
}

async fn death(sandbox: &Sandbox, header: &str) -> ChildDeath {
    match ask(sandbox, header).await {
        Err(SandboxError::Died { how }) => how,
        other => panic!("{header}: a death was expected, not {other:?}"),
    }
}

/// Waits until as many processes as expected have `mark` as their last argument.
async fn until_running(mark: &str, expected: usize) {
    let wait = async {
        while running(mark) != expected {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, wait).await.unwrap_or_else(|_| panic!("{expected} processes marked {mark}"));
}

fn running(mark: &str) -> usize {
    let processes = std::fs::read_dir("/proc").expect("procfs").flatten();
    let lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    // Program and mark, nothing between: not the process that starts it.
    lines.filter(|l| l.split(|b| *b == 0).nth(1) == Some(mark.as_bytes())).count()
}

#[tokio::test]
async fn answers_come_back_as_the_child_gave_them() {
    let sandbox = Sandbox::new(settings(&[]));
    for body in [Bytes::new(), Bytes::from_static(b"\0\n\xff"), Bytes::from(vec![9; (1 << 20) - 16])] {
        let (_, answer) = sandbox.run(b"echo".to_vec(), body.clone()).await.expect("an answer");
        assert_eq!(answer, body);
    }
}

#[tokio::test]
async fn a_request_over_the_limit_is_not_sent() {
    let sandbox = Sandbox::new(settings(&[]));
    let answer = sandbox.run(b"echo".to_vec(), Bytes::from(vec![0; (1 << 20) - 3])).await;
    assert_eq!(answer, Err(SandboxError::TooLarge { bytes: (1 << 20) + 1, limit: 1 << 20 }));
}

#[tokio::test]
async fn each_child_end_is_a_typed_death_and_the_pool_continues() {
    let sandbox = Sandbox::new(settings(&[]));
    let signal =
        |how: &ChildDeath, expected: i32| matches!(how, ChildDeath::Signal { number, .. } if *number == expected);
    assert!(signal(&death(&sandbox, "abort").await, 6));
    child(&sandbox).await;
    assert_eq!(death(&sandbox, "exit").await, ChildDeath::Exit { code: 3, said: String::new() });
    child(&sandbox).await;
    assert!(signal(&death(&sandbox, "recurse").await, 6));
    child(&sandbox).await;
    let eaten = death(&sandbox, "eat").await;
    assert!(signal(&eaten, 6) && eaten.to_string().contains("memory allocation"), "{eaten}");
    child(&sandbox).await;
}

#[tokio::test]
async fn a_panic_says_where_and_never_what() {
    let how = death(&Sandbox::new(settings(&[])), "panic").await;
    let ChildDeath::Exit { code: 101, said } = &how else { panic!("{how:?}") };
    assert!(said.contains("bin/sandbox-child.rs") && !said.contains("secret") && !said.contains("/tests/"), "{said}");
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_wall_time() {
    let limit = Duration::from_millis(300);
    let sandbox = Sandbox::new(SandboxSettings { wall: limit, ..settings(&["endless"]) });
    assert_eq!(ask(&sandbox, "loop").await, Err(SandboxError::TimedOut { limit }));
    until_running("endless", 0).await;
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_limit_of_processor_time() {
    let sandbox = Sandbox::new(SandboxSettings { cpu_seconds: 1, ..settings(&[]) });
    let how = death(&sandbox, "loop").await;
    assert!(matches!(how, ChildDeath::Signal { number: 24, .. }), "{how}");
    child(&sandbox).await;
}

#[tokio::test]
async fn floods_are_cut_off() {
    let sandbox = Sandbox::new(settings(&[]));
    assert!(matches!(death(&sandbox, "flood").await, ChildDeath::Malformed(_)));
    child(&sandbox).await;
    let half = Bytes::from(vec![0; 600 << 10]);
    let answer = sandbox.run(b"double".to_vec(), half).await;
    assert!(matches!(answer, Err(SandboxError::Died { how: ChildDeath::Malformed(_) })), "{answer:?}");
    assert_eq!(ask(&sandbox, "shout").await.expect("standard error is read and thrown away").1, "body");
}

#[tokio::test]
async fn a_child_that_never_reads_times_out() {
    let limit = Duration::from_millis(300);
    let sandbox = Sandbox::new(SandboxSettings { wall: limit, ..settings(&["mute"]) });
    let more_than_a_pipe_holds = Bytes::from(vec![0; 1 << 19]);
    for body in [more_than_a_pipe_holds, Bytes::new()] {
        assert_eq!(sandbox.run(vec![], body).await, Err(SandboxError::TimedOut { limit }));
    }
}

#[tokio::test]
async fn without_a_child_nothing_is_said_about_the_input() {
    let nowhere = SandboxSettings { executable: Some(PathBuf::from("/nowhere/at/all")), ..settings(&[]) };
    for settings in [nowhere, settings(&["absent"])] {
        let answer = ask(&Sandbox::new(settings), "echo").await;
        assert!(matches!(answer, Err(SandboxError::Unavailable(_))), "{answer:?}");
    }
}

#[tokio::test]
async fn a_program_without_the_subcommand_does_not_multiply() {
    let answer = ask(&Sandbox::new(settings(&["parent", "multiplied"])), "echo").await;
    let Err(SandboxError::Unavailable(why)) = answer else { panic!("{answer:?}") };
    assert!(why.contains("must not start children"), "{why}");
    assert_eq!(running("multiplied"), 0);
}

#[tokio::test]
async fn a_child_is_replaced_after_its_share_of_requests() {
    let sandbox = Sandbox::new(SandboxSettings { recycle_after: 2, ..settings(&[]) });
    let (first, second, third) = (child(&sandbox).await, child(&sandbox).await, child(&sandbox).await);
    assert_eq!(first, second);
    assert_ne!(second, third);
}

#[tokio::test]
async fn a_child_that_has_grown_is_replaced() {
    let sandbox = Sandbox::new(settings(&[]));
    let (swollen, _) = ask(&sandbox, "swell").await.expect("within the limit");
    assert_ne!(swollen, child(&sandbox).await);
}

#[tokio::test]
async fn what_earlier_requests_left_behind_does_not_decide_about_a_later_one() {
    let sandbox = Sandbox::new(settings(&[]));
    let used = child(&sandbox).await;
    let (fresh, _) = ask(&sandbox, "die if used").await.expect("a fresh child answers");
    assert_ne!(used, fresh);
}

#[tokio::test]
async fn a_child_has_no_files_or_environment_and_attempts_are_harmless() {
    let (seen, _) = ask(&Sandbox::new(settings(&[])), "look").await.expect("an answer");
    assert_eq!(seen, "file=false named=false variables=1");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_that_reaches_out_is_killed_and_self_inspection_is_allowed() {
    let sandbox = Sandbox::new(settings(&[]));
    for reach in ["socket", "thread", "command", "signal"] {
        let how = death(&sandbox, reach).await;
        assert!(matches!(how, ChildDeath::Signal { number: 31, .. }), "{reach}: {how}");
        assert!(how.to_string().contains("forbidden system call"), "{how}");
    }
    ask(&sandbox, "limit of itself").await.expect("an answer");
    for other in [std::process::id(), 1] {
        let answer = sandbox.run(b"limit of another".to_vec(), Bytes::from(other.to_string())).await;
        let Err(SandboxError::Died { how: ChildDeath::Signal { number: 31, .. } }) = answer else {
            panic!("{answer:?}")
        };
    }
}

/// What the kernel makes of a call in a live child, in a process of its own.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
async fn fate_of_call(number: i64) -> Fate {
    let sandbox = Sandbox::new(settings(&[]));
    match sandbox.run(b"call".to_vec(), Bytes::from(number.to_string())).await {
        Err(SandboxError::Died { how: ChildDeath::Signal { number: 31, .. } }) => Fate::Ended,
        Err(SandboxError::Died { how: ChildDeath::Signal { number: 4, .. } }) if PROBES.contains(&number) => {
            Fate::Ended
        }
        Ok((answer, _)) if answer == b"errno 6" && PROBES.contains(&number) => Fate::Ended,
        Ok((answer, _)) if answer == b"errno 1" => Fate::Refused,
        // Answered, or carried out: to end in an orderly way, or to return from a signal that there was not.
        Ok(_) | Err(SandboxError::Died { .. }) => Fate::Allowed,
        Err(other) => panic!("call {number}: {other}"),
    }
}

/// `uretprobe` and `uprobe`: newer kernels let them past every filter, for their own trampolines, and whoever makes them from
/// anywhere else gets an illegal instruction or `ENXIO`.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const PROBES: [i64; 2] = [335, 336];

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Allowed,
    Refused,
    Ended,
}

/// Every call that x86_64 has, has had or may soon have, and those of its 32-bit forms: by number, since a filter knows no names.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_unlisted_system_call_ends_a_live_child() {
    /// Numbers are given out up to here, with room for years to come.
    const LAST: i64 = 520;
    /// The bit of the calls of x32.
    const X32: i64 = 0x4000_0000;
    use precis_runtime::sandbox::{ALLOWED, REFUSED};
    let x32 = [0, 1, 2, 9, 41, 56, 57, 59, 62, 101, 257, 425, 435, 512, 513, 520, 521, 547].map(|call| X32 | call);
    let numbers: Vec<i64> = (0..=LAST).chain(512..=547).chain(x32).chain([-1, i64::from(i32::MAX)]).collect();
    let mut surprises = Vec::new();
    for pair in numbers.chunks(4) {
        let tried = futures_util::future::join_all(pair.iter().map(|number| fate_of_call(*number))).await;
        for (number, fate) in pair.iter().zip(tried) {
            let expected = match number {
                call if ALLOWED.contains(call) || *call == libc::SYS_prlimit64 => Fate::Allowed,
                call if REFUSED.contains(call) => Fate::Refused,
                _ => Fate::Ended,
            };
            if fate != expected {
                surprises.push((*number, fate, expected));
            }
        }
    }
    assert_eq!(surprises, [], "call, what became of it, what the list says; of {} calls", numbers.len());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_says_which_walls_stand_and_the_kernel_says_so_too() {
    let sandbox = Sandbox::new(settings(&[]));
    let walls = sandbox.walls().await.expect("a child");
    assert!(walls.filter && walls.powerless, "{walls}");
    let pid = child(&sandbox).await;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it lives");
    let field = |name: &str| status.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default().trim().to_owned();
    assert_eq!((field("Seccomp:").as_str(), field("NoNewPrivs:").as_str()), ("2", "1"));
    for set in ["CapInh:", "CapPrm:", "CapEff:", "CapAmb:"] {
        assert_eq!(field(set), "0000000000000000", "{set}");
    }
    let namespace = |pid: &str, kind: &str| std::fs::read_link(format!("/proc/{pid}/ns/{kind}")).ok();
    if walls.namespaces && rustix::process::geteuid().is_root() {
        for kind in ["user", "net", "ipc", "uts"] {
            let (theirs, ours) = (namespace(&pid, kind), namespace("self", kind));
            assert!(theirs.is_some() && theirs != ours, "{kind}: {theirs:?}");
        }
    } else {
        eprintln!("SKIPPED: the namespaces of a child can be compared by root, where there are any: {walls}");
    }
}

/// A control group of this machine with a limit of memory; `None`, said aloud, where none can be made. Ends with the value.
#[cfg(target_os = "linux")]
struct Group(PathBuf);

#[cfg(target_os = "linux")]
impl Group {
    fn with_limit(bytes: u64) -> Option<Self> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let name = format!("precis-test-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        for (hierarchy, limit) in [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")]
        {
            let group = Self(std::path::Path::new(hierarchy).join(&name));
            let is_one = std::fs::create_dir(&group.0).is_ok() && group.0.join("cgroup.procs").exists();
            if is_one && std::fs::write(group.0.join(limit), bytes.to_string()).is_ok() {
                return Some(group);
            }
        }
        eprintln!("SKIPPED: no control group can be made here, so that nothing was tried in one");
        None
    }
}

#[cfg(target_os = "linux")]
impl Drop for Group {
    fn drop(&mut self) {
        // It may not have been made.
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_control_group_reserves_a_quarter_for_the_parent() {
    for limit in [1_u64 << 30, 512 << 20] {
        let Some(group) = Group::with_limit(limit) else { return };
        let enter = format!("echo $$ > {}/cgroup.procs && exec \"$0\" room", group.0.display());
        let output =
            Command::new("sh").args(["-c", &enter, env!("CARGO_BIN_EXE_sandbox-child")]).output().expect("starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut numbers = text.split_whitespace().filter_map(|word| word.parse::<u64>().ok());
        let (Some(children), Some(each)) = (numbers.next(), numbers.next()) else { panic!("{output:?}") };
        assert!(children >= 1 && children * each <= limit / 4 * 3, "{children} of {each} in {limit}");
        assert!(each >= 128 << 20, "{each}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn greedy_parsers_do_not_exhaust_their_group() {
    let limit = 512 << 20;
    let Some(group) = Group::with_limit(limit) else { return };
    // Whoever is taken takes the whole group along, where the kernel can do so: a worker would end with its parsers.
    let _ = std::fs::write(group.0.join("memory.oom.group"), "1");
    let enter = format!("echo $$ > {}/cgroup.procs && exec \"$0\" crowd", group.0.display());
    let output = Command::new("sh").args(["-c", &enter, env!("CARGO_BIN_EXE_sandbox-child")]).output().expect("starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let filled: Vec<u64> = text.lines().filter_map(|line| line.parse().ok()).collect();
    assert!(output.status.success() && !filled.is_empty(), "{output:?}");
    // They took what they might: a law that nobody tries is not held.
    assert!(filled.iter().sum::<u64>() << 20 >= limit / 4, "{filled:?}");
    let killed = ["memory.events", "memory.oom_control"].map(|file| group.0.join(file));
    let killed = killed.iter().find_map(|file| std::fs::read_to_string(file).ok()).expect("the kernel tells");
    assert!(killed.lines().any(|line| line == "oom_kill 0"), "{killed}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_kernel_takes_a_child_before_its_parent_where_memory_ends() {
    let sandbox = Sandbox::new(settings(&[]));
    let pid = child(&sandbox).await;
    let score = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).expect("it lives");
    assert_eq!(score(&pid).trim(), "1000");
    assert_ne!(score("self").trim(), "1000");
}

#[tokio::test]
async fn an_unfiltered_child_is_counted_and_idle_where_filters_are_required() {
    // It says that it is ready, and of no wall; then it never reads a byte.
    let limit = Duration::from_millis(300);
    let mute = || SandboxSettings { wall: limit, ..settings(&["mute"]) };
    let before = unfiltered();
    let used = ask(&Sandbox::new(mute()), "echo").await;
    assert_eq!(used, Err(SandboxError::TimedOut { limit }), "it was given the request");
    let sandbox = Sandbox::new(SandboxSettings { is_required: true, ..mute() });
    assert_eq!(ask(&sandbox, "echo").await, Err(SandboxError::Unconfined));
    assert!(unfiltered() >= before + 2 && precis_runtime::sandbox::is_unfiltered());
    let parser = Parser::in_sandbox(Arc::new(sandbox), ExtractLimits::default(), HtmlMode::Main);
    let refused = parser.parse(Bytes::from_static(b"text"), Parse::default()).await.expect_err("no filter");
    assert!(matches!(&refused, JobError::Permanent { code, .. } if code == "sandbox_missing"), "{refused}");
}

fn unfiltered() -> u64 {
    count("precis_parsers_unfiltered_total ")
}

#[tokio::test]
async fn a_dropped_request_takes_its_child_along_and_gives_its_turn_back() {
    let sandbox = Sandbox::new(settings(&["dropped"]));
    let request = ask(&sandbox, "loop");
    tokio::select! {
        _ = request => panic!("a loop does not answer"),
        () = until_running("dropped", 1) => {}
    }
    until_running("dropped", 0).await;
    child(&sandbox).await;
}

#[tokio::test]
async fn a_dropped_pool_takes_its_children_along() {
    let sandbox = Sandbox::new(settings(&["pooled"]));
    child(&sandbox).await;
    assert_eq!(running("pooled"), 1);
    drop(sandbox);
    until_running("pooled", 0).await;
}

#[tokio::test]
async fn a_killed_parent_takes_its_children_along() {
    let program = env!("CARGO_BIN_EXE_sandbox-child");
    let mut parent = Command::new(program).args(["parent", "orphan"]).stdin(Stdio::null()).spawn().expect("starts");
    until_running("orphan", 1).await;
    parent.kill().expect("it runs");
    parent.wait().expect("it was ours");
    until_running("orphan", 0).await;
}

#[tokio::test]
async fn a_document_reads_the_same_in_a_child_as_in_this_process() {
    let limits = ExtractLimits { max_bytes: 1 << 19, ..ExtractLimits::default() };
    let sandbox = Arc::new(Sandbox::new(settings(&["parse"])));
    let here = Parser::in_process(limits, HtmlMode::Main);
    let child = Parser::in_sandbox(sandbox, limits, HtmlMode::Main);
    let deep = "<div>".repeat(20_000) + "words";
    for (name, document) in [
        ("note.txt", &b"a note\n of some   words"[..]),
        ("page.html", b"<title>T</title><script>no</script><p>some &amp; <b>words</b></p>"),
        ("deep.html", deep.as_bytes()),
        ("read.md", b"# Head\n\n**bold** [link](http://example.com)"),
        ("paper.pdf", &documents::pdf(&["Some words"])),
        ("latin.txt", b"caf\xe9 and na\xefve"),
        ("empty.txt", b""),
        ("broken.pdf", b"%PDF-1.7 and no more"),
        ("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("archive.zip", b"PK\x03\x04\x14\0\0\0"),
    ] {
        let parse = || Parse { content_type: None, name: name.to_owned() };
        let (here, there) = (
            here.parse(Bytes::copy_from_slice(document), parse()).await,
            child.parse(Bytes::copy_from_slice(document), parse()).await,
        );
        let readable = |answer: Result<_, JobError>| answer.map_err(|e| e.to_string());
        assert_eq!(readable(here), readable(there), "{name}");
    }
}

#[tokio::test]
async fn a_document_that_kills_its_parser_is_unreadable_alone() {
    let settings = SandboxSettings { max_request_bytes: 16 << 20, ..settings(&["parse"]) };
    let parser = Parser::in_sandbox(Arc::new(Sandbox::new(settings)), ExtractLimits::default(), HtmlMode::Main);
    let parse = async |name: &str, document: Vec<u8>| {
        parser.parse(Bytes::from(document), Parse { content_type: None, name: name.to_owned() }).await
    };
    let before = parser_deaths();
    let unreadable = parse("bomb.pdf", documents::bomb(1 << 30)).await.expect_err("a bomb");
    assert!(matches!(&unreadable, JobError::Permanent { code, .. } if code == "unreadable"), "{unreadable}");
    assert_eq!(parser_deaths(), before + 1);
    let garbage: Vec<u8> = (0..1_u32 << 18).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    for (name, document, code) in [
        ("garbage.pdf", [b"%PDF-1.7\n", garbage.as_slice()].concat(), "unreadable"),
        ("garbage.bin", garbage.clone(), "unsupported"),
        ("nested.pdf", documents::nested_pdf(2 << 20), "no_text_layer"),
    ] {
        let refused = parse(name, document).await.expect_err(name);
        assert!(matches!(&refused, JobError::Permanent { code: found, .. } if found == code), "{name}: {refused}");
        assert_eq!(parse("paper.pdf", documents::pdf(&["Some words"])).await.expect("the next").text, "Some words");
    }
}

/// Children that died on a document, as operators see it.
fn parser_deaths() -> u64 {
    count("precis_parser_deaths_total ")
}

fn count(metric: &str) -> u64 {
    let text = metrics().text();
    let value = text.lines().find_map(|line| line.strip_prefix(metric));
    value.expect("the metric").parse().expect("a count")
}
