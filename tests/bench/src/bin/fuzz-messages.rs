//! Tries readers with wrong inputs for as long as wanted: `fuzz-messages TARGET [SECONDS [SEED]]`. Writes an input that breaks a law
//! to `fuzz-TARGET.bin` and ends with 1. Not guided by coverage: see `precis_tests::fuzz`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use precis_tests::fuzz::run;
use precis_tests::fuzz::targets::TARGETS;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let target = TARGETS.iter().find(|target| arguments.first().is_some_and(|name| name == target.name));
    let Some(target) = target else {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("fuzz-messages TARGET [SECONDS [SEED]], with TARGET one of {}", names.join(", "));
        return ExitCode::from(2);
    };
    let (until, seed) = (Instant::now() + Duration::from_secs(number(1, 600)), number(2, 1));
    match run(target, seed, |_| Instant::now() > until) {
        Ok(tried) => {
            println!("{}: {tried} inputs of seed {seed}, no finding", target.name);
            ExitCode::SUCCESS
        }
        Err(finding) => {
            let file = format!("fuzz-{}.bin", target.name);
            let kept = std::fs::write(&file, &finding.input);
            println!(
                "{}: input {} of seed {seed} ({file}: {kept:?}): {}",
                target.name, finding.number, finding.message
            );
            ExitCode::FAILURE
        }
    }
}
