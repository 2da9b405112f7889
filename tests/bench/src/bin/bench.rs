//! How fast it is, on this machine, in one command:
//!
//! ```text
//! cargo build --release --workspace
//! cargo run --release -p precis-bench --bin bench -- [--docs DIR] [--precis PATH] [--json]
//! ```
//!
//! Prints round trips of jobs and sessions through the real runner and the memory broker on one core, whole runs of the built
//! program on up to 100 documents of a folder, and how long the program takes to start. Nothing is asserted. What cannot be
//! measured is named as skipped.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use precis_bench::fleet::{self, Load};
use precis_bench::machine::Machine;
use precis_bench::{Figures, documents, start, table, whole_run};

const USAGE: &str = "\
Usage: bench [OPTIONS]

Options:
  --docs DIR      Folder of documents for the whole run [default: $PRECIS_CORPUS]
  --precis PATH   The program [default: beside this one]
  --sessions N    Sessions with jobs [default: 200]
  --jobs N        Jobs of each [default: 100]
  --empty N       Sessions without jobs [default: 2000]
  --repeats N     Times the runner is measured [default: 3]
  --json          Print JSON
  --help          Print this";

/// Documents of a whole run, at most.
const DOCUMENTS: usize = 100;

/// What was asked for.
struct Asked {
    docs: Option<PathBuf>,
    precis: PathBuf,
    load: Load,
    json: bool,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let asked = match read(&args) {
        Ok(asked) => asked,
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match measure(&asked, format!("bench {}", args.join(" "))) {
        Ok(figures) => print(&figures, asked.json),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read(args: &[String]) -> Result<Asked, String> {
    let beside = std::env::current_exe().map_err(|e| format!("find this program: {e}"))?;
    let mut asked = Asked {
        docs: std::env::var_os("PRECIS_CORPUS").filter(|dir| !dir.is_empty()).map(PathBuf::from),
        precis: beside.with_file_name(format!("precis{}", std::env::consts::EXE_SUFFIX)),
        load: Load { sessions: 200, jobs: 100, empty_sessions: 2_000, repeats: 3 },
        json: false,
    };
    let mut args = args.iter();
    while let Some(flag) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{flag} wants a value"));
        match flag.as_str() {
            "--json" => asked.json = true,
            "--docs" => asked.docs = Some(value()?.into()),
            "--precis" => asked.precis = std::path::absolute(value()?).map_err(|e| format!("--precis: {e}"))?,
            "--sessions" => asked.load.sessions = count(flag, value()?)?,
            "--jobs" => asked.load.jobs = count(flag, value()?)?,
            "--empty" => asked.load.empty_sessions = count(flag, value()?)?,
            "--repeats" => asked.load.repeats = count(flag, value()?)?,
            _ => return Err(format!("unknown option `{flag}`")),
        }
    }
    Ok(asked)
}

fn count(flag: &str, value: &str) -> Result<usize, String> {
    value.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("{flag} wants a number from 1, not `{value}`"))
}

/// Measures what can be measured, one after the other, so that nothing competes with itself.
fn measure(asked: &Asked, command: String) -> Result<Figures, String> {
    let machine = Machine::here();
    let fleet = fleet::measure(asked.load)?;
    let mut skipped = Vec::new();
    let mut or_skip = |what: &str, why: String| skipped.push(format!("{what}: {why}"));
    let whole_runs = on_documents(asked).unwrap_or_else(|why| {
        or_skip("whole run", why);
        Vec::new()
    });
    let start = present(&asked.precis).and_then(start::measure).map_err(|why| or_skip("precis --help", why)).ok();
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    Ok(Figures { machine, command, profile, fleet, whole_runs, start, skipped })
}

fn on_documents(asked: &Asked) -> Result<Vec<whole_run::WholeRun>, String> {
    let dir = asked.docs.as_deref().ok_or("no documents; name a folder with --docs or PRECIS_CORPUS")?;
    let precis = present(&asked.precis)?;
    let documents = documents::choose(dir, DOCUMENTS)?;
    if documents.is_empty() {
        return Err(format!("no documents in {}", dir.display()));
    }
    whole_run::measure(precis, &documents)
}

fn present(precis: &Path) -> Result<&Path, String> {
    let missing = || format!("{} is not there; build it, or name it with --precis", precis.display());
    if precis.is_file() { Ok(precis) } else { Err(missing()) }
}

/// The figures go to standard output; beside JSON, what was skipped is said on standard error too, where a person sees it.
fn print(figures: &Figures, json: bool) -> ExitCode {
    if json {
        for skipped in &figures.skipped {
            eprintln!("SKIPPED: {skipped}");
        }
        match serde_json::to_string_pretty(figures) {
            Ok(text) => println!("{text}"),
            Err(error) => {
                eprintln!("error: write JSON: {error}");
                return ExitCode::FAILURE;
            }
        }
    } else {
        print!("{}", table::render(figures));
    }
    ExitCode::SUCCESS
}
