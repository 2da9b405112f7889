//! What counting tokens, allocating them and the gate before each model call cost, in one command:
//!
//! ```text
//! cargo run --release -p precis-tests --bin bench-tokens -- [--json]
//! ```
//!
//! Nothing is asserted; the machine is named above the figures.

use std::process::ExitCode;

use precis_tests::bench::machine::Machine;
use precis_tests::bench::tokens;

fn main() -> ExitCode {
    let as_json = match std::env::args().nth(1).as_deref() {
        None => false,
        Some("--json") => true,
        Some(other) => {
            eprintln!("error: unknown option `{other}`\n\nUsage: bench-tokens [--json]");
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
