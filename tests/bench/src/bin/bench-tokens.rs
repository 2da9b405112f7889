//! What counting tokens, allocating them and the gate before each model call cost, in one command:
//!
//! ```text
//! cargo run --release -p precis-bench --bin bench-tokens -- [--json | --gate]
//! cargo run --release -p precis-bench --bin bench-tokens -- --texts DIR
//! ```
//!
//! Nothing is asserted; the machine is named above the figures. `--gate` measures the gate alone. The second form writes the texts that are counted, so that others
//! can be measured on them: `tests/bench/tiktoken.py` and `tests/bench/tiktoken`.

use std::path::Path;
use std::process::ExitCode;

use precis_bench::machine::Machine;
use precis_bench::tokens;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let as_json = match args[..] {
        [] => false,
        ["--json"] => true,
        ["--gate"] => {
            println!("{}", tokens::Gate::measured());
            return ExitCode::SUCCESS;
        }
        ["--texts", dir] => return write_texts(Path::new(dir)),
        _ => {
            eprintln!("error: unknown options\n\nUsage: bench-tokens [--json | --gate | --texts DIR]");
            return ExitCode::from(2);
        }
    };
    let (machine, figures) = (Machine::here(), tokens::measure());
    if as_json {
        println!("{}", serde_json::json!({ "machine": machine, "tokens": figures }));
    } else {
        println!("{}, {} cores", machine.system, machine.cores);
        print!("{}", figures.as_text());
    }
    ExitCode::SUCCESS
}

fn write_texts(dir: &Path) -> ExitCode {
    let write = |(name, text): (&str, String)| std::fs::write(dir.join(format!("{name}.txt")), text);
    let written = std::fs::create_dir_all(dir).and_then(|()| tokens::texts().into_iter().try_for_each(write));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: write to {}: {error}", dir.display());
            ExitCode::FAILURE
        }
    }
}
