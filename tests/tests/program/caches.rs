//! What is kept between runs is believed only where nobody else can have put it there, and is nobody else's to read.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use precis_tests::program::{CliWorkspace, Ended, ended};
use serde_json::Value;

const QUERY: &str = "Who pays for each delay?";

fn workspace() -> CliWorkspace {
    let workspace = CliWorkspace::new();
    workspace.write("a.md", "# A\n\nThe buyer pays for each delay in full.\n");
    workspace
}

fn ask(workspace: &CliWorkspace, more: &[&str]) -> Ended {
    workspace.run(&[&["run", "--query", QUERY, "--docs", "a.md"], more].concat())
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

#[test]
fn without_a_home_nothing_is_kept_and_the_run_goes_on() {
    let workspace = workspace();
    let temporary = workspace.at("tmp");
    fs::create_dir(&temporary).expect("made");
    for home in [None, Some(""), Some("relative")] {
        let mut command = workspace.command(&["run", "--query", QUERY, "--docs", "a.md"]);
        command.env_remove("HOME").envs(home.map(|home| ("HOME", home))).env("TMPDIR", &temporary);
        let told = ended(command);
        assert!(told.code == 0 && told.stderr.contains("nothing is kept between runs"), "{}", told.stderr);
        assert_eq!(fs::read_dir(&temporary).expect("listed").count(), 0, "{home:?}: something stayed");
        assert!(!workspace.at("relative").exists());
    }
}

#[test]
fn a_cache_that_others_may_write_to_is_refused_with_a_remedy() {
    let workspace = workspace();
    let cache = workspace.at("cache");
    fs::create_dir(&cache).expect("made");
    let set = format!("cache_dir={}", cache.display());
    for (bits, fine) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false), (0o1777, false)] {
        fs::set_permissions(&cache, Permissions::from_mode(bits)).expect("ours");
        let told = ask(&workspace, &["--set", &set]);
        assert_eq!(told.code, if fine { 0 } else { 3 }, "{bits:o}: {}", told.stderr);
        assert!(fine || told.stderr.contains("chmod"), "{}", told.stderr);
        assert_eq!(mode(&cache), bits, "it keeps its permissions");
        assert_eq!(ask(&workspace, &["--set", &set, "--no-cache"]).code, 0);
    }
}

#[test]
fn the_usual_cache_is_not_used_where_another_user_owns_it() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("SKIPPED: only root can give a directory away");
        return;
    }
    let workspace = workspace();
    let cache = workspace.at("../home/.cache/precis");
    fs::create_dir_all(&cache).expect("made");
    chown(&cache, Some(65_534), None).expect("given away");
    let told = ask(&workspace, &[]);
    assert!(told.code == 0 && told.stderr.contains("belongs to user 65534"), "{}", told.stderr);
    assert_eq!(fs::read_dir(&cache).expect("listed").count(), 0);
    let set = format!("cache_dir={}", cache.display());
    assert_eq!(ask(&workspace, &["--set", &set]).code, 3);
}

fn everything(dir: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        visit(&entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            everything(&entry.path(), visit);
        }
    }
}

#[test]
fn kept_and_written_files_are_private_under_any_umask() {
    let workspace = workspace();
    let program = precis_tests::program::path().display().to_string();
    let line = format!("umask 0; exec {program} run --query '{QUERY}' --docs a.md");
    let told = ended(workspace.within(Path::new("/bin/sh"), &["-c", &line]));
    assert_eq!(told.code, 0, "{}", told.stderr);
    let mut seen = 0;
    for dir in [workspace.at("../home/.cache"), workspace.at("precis-out")] {
        everything(&dir, &mut |path| {
            let expected = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(path) & 0o777 & !expected, 0, "{} is {:o}", path.display(), mode(path));
            seen += 1;
        });
    }
    assert!(seen > 10, "only {seen} files were found");
}

#[test]
fn an_archive_directory_that_is_there_keeps_its_permissions() {
    let workspace = workspace();
    let archive = workspace.at("shared");
    fs::create_dir(&archive).expect("made");
    for bits in [0o755, 0o1777] {
        fs::set_permissions(&archive, Permissions::from_mode(bits)).expect("ours");
        let told = ask(&workspace, &["--set", &format!("research_archive_dir={}", archive.display())]);
        assert_eq!((told.code, mode(&archive)), (0, bits), "{}", told.stderr);
        everything(&archive, &mut |path| {
            assert_eq!(mode(path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
        });
    }
}

/// Files below `dir` whose names end in `ending`, in no order.
fn ending_in(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    everything(dir, &mut |path| {
        if path.extension().is_some_and(|known| known == ending) {
            found.push(path.to_owned());
        }
    });
    found
}

#[test]
fn a_run_removes_expired_texts_from_a_shared_archive() {
    const HOURS: u64 = 24;
    let near = Duration::from_secs(300);
    let kept = Duration::from_secs(HOURS * 3_600);
    for (age, stays) in [(kept - near, true), (kept + near, false)] {
        let workspace = workspace();
        workspace.write("b.md", "# B\n\nThe seller pays for each delay in part.\n");
        let archive = workspace.at("shared");
        let dir = format!("research_archive_dir={}", archive.display());
        let hours = format!("content_archive_ttl_hours={HOURS}");
        let run = |document| {
            let args = ["run", "--query", QUERY, "--docs", document, "--set", &dir, "--set", &hours];
            let told = workspace.run(&args);
            assert_eq!(told.code, 0, "{}", told.stderr);
        };
        run("a.md");
        let sidecars = ending_in(&archive, "json");
        let [sidecar] = &sidecars[..] else { panic!("{sidecars:?}") };
        let file = fs::File::open(sidecar).expect("ours");
        file.set_modified(SystemTime::now() - age).expect("settable");
        run("b.md");
        assert_eq!((sidecar.exists(), sidecar.with_extension("txt").exists()), (stays, stays), "{age:?}");
        let texts = ending_in(&archive, "txt");
        assert_eq!(texts.len(), 1 + usize::from(stays), "what was kept just now stays: {texts:?}");
    }
}

#[test]
fn a_document_hash_is_in_report_and_archive_and_changes_are_noticed() {
    let workspace = workspace();
    assert_eq!(ask(&workspace, &[]).code, 0);
    let report: Value =
        serde_json::from_slice(&fs::read(workspace.at("precis-out/report.json")).expect("written")).expect("JSON");
    let bytes = fs::read(workspace.at("a.md")).expect("ours");
    let hash = precis_proto::source::ContentRef::from_bytes(&bytes).to_string();
    assert_eq!(report["data"]["sources"][0]["original_sha256"], hash.as_str());
    let sidecars = ending_in(&workspace.at("precis-out/archive"), "json");
    let sidecars: Vec<String> = sidecars.iter().map(|path| fs::read_to_string(path).expect("a sidecar")).collect();
    assert!(sidecars.len() == 1 && sidecars[0].contains(&hash), "{sidecars:?}");

    let verify = |docs: &str| workspace.run(&["verify", "precis-out/report.json", "--docs", docs]);
    let told = verify("a.md");
    assert!(
        told.code == 0 && told.stdout.contains("documents: 1 unchanged since they were read, 0 changed"),
        "{}",
        told.stdout
    );
    workspace.write("a.md", "# A\n\nThe supplier pays for each delay in full.\n");
    let told = verify("a.md");
    assert!(told.code == 1 && told.stdout.contains("has changed since it was read"), "{}", told.stdout);
    workspace.write("b.md", "Something else.\n");
    assert_eq!(verify("b.md").code, 0);
}

fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn a_foreign_report_neither_hangs_nor_fills_its_reader() {
    let workspace = workspace();
    assert_eq!(ask(&workspace, &[]).code, 0);
    let mut text = None;
    everything(&workspace.at("precis-out/archive"), &mut |path| {
        if path.extension().is_some_and(|ending| ending == "txt") {
            text = Some(path.to_owned());
        }
    });
    let text = text.expect("an archived text");
    let original = fs::read(&text).expect("read");
    let verify = || {
        // A hang is an end by `timeout`, with 124.
        let program = precis_tests::program::path().display().to_string();
        let words = ["20", &program, "verify", "precis-out/report.json"];
        ended(workspace.within(Path::new("/usr/bin/timeout"), &words))
    };
    assert_eq!(verify().code, 0);
    for trap in ["pipe", "link to a device", "link to itself elsewhere", "large"] {
        fs::remove_file(&text).expect("ours");
        match trap {
            "pipe" => pipe(&text),
            "link to a device" => std::os::unix::fs::symlink("/dev/zero", &text).expect("linked"),
            "link to itself elsewhere" => {
                fs::write(workspace.at("elsewhere.txt"), &original).expect("written");
                std::os::unix::fs::symlink(workspace.at("elsewhere.txt"), &text).expect("linked");
            }
            _ => fs::File::create(&text).and_then(|file| file.set_len(1 << 40)).expect("a sparse file"),
        }
        let told = verify();
        assert!(told.code == 1 && told.stdout.contains("NOT VERIFIED"), "{trap}: {} {}", told.code, told.stdout);
    }
    fs::remove_file(workspace.at("precis-out/report.json")).expect("ours");
    pipe(&workspace.at("precis-out/report.json"));
    assert_eq!(verify().code, 3);
}

#[test]
fn a_pipe_or_device_in_a_foreign_report_folder_does_not_block() {
    let workspace = workspace();
    let program = precis_tests::program::path().display().to_string();
    for trap in ["pipe", "device"] {
        fs::create_dir_all(workspace.at("precis-out/archive")).expect("ours");
        let report = workspace.at("precis-out/report.json");
        match trap {
            "pipe" => pipe(&report),
            _ => std::os::unix::fs::symlink("/dev/zero", &report).expect("linked"),
        }
        for words in [&["archive", "get", "a.md"][..], &["run", "--query", QUERY, "--docs", "a.md"]] {
            let arguments = [&["20", program.as_str()], words].concat();
            let mut command = workspace.within(Path::new("/usr/bin/timeout"), &arguments);
            command.stdin(std::process::Stdio::null());
            let told = ended(command);
            assert!(matches!(told.code, 0 | 1 | 3), "{trap} {words:?}: {} {}", told.code, told.stderr);
        }
        fs::remove_dir_all(workspace.at("precis-out")).expect("ours");
    }
}

#[test]
fn no_command_waits_for_a_pipe_or_a_device() {
    let workspace = workspace();
    pipe(&workspace.at("pipe"));
    let program = precis_tests::program::path().display().to_string();
    for file in ["pipe", "/dev/zero"] {
        for words in [
            &["extract", file][..],
            &["tokens", file],
            &["run", "--query", QUERY, "--docs", "a.md", "--project", file],
            &["run", "--query-file", file, "--docs", "a.md"],
            &["config", "show", "--config", file],
            &["verify", file],
            &["ask", file, QUERY],
        ] {
            let mut command =
                workspace.within(Path::new("/usr/bin/timeout"), &[&["20", program.as_str()], words].concat());
            command.stdin(std::process::Stdio::null());
            let told = ended(command);
            assert!(matches!(told.code, 2 | 3), "{words:?}: {} {}", told.code, told.stderr);
            let why = ["pipe, a device", "not a file", "no report", "holds"].iter().any(|w| told.stderr.contains(w));
            assert!(why, "{words:?}: {}", told.stderr);
        }
    }
}
