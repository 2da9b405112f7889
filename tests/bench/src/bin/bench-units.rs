//! The units of web pages with their traits, for `tests/bench/points.py`, which fits the points that decide what of a page is read:
//!
//! ```text
//! cargo run -p precis-bench --bin bench-units -- LIST > UNITS
//! ```
//!
//! LIST is a file with the path of one page in each line. UNITS is one JSON object for each: `file` and `units`, a list of `[text, steps]`; the first
//! line is the list of the traits.

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(list) = std::env::args().nth(1).and_then(|path| std::fs::read_to_string(path).ok()) else {
        eprintln!("usage: bench-units LIST, a file with the path of one page in each line");
        return ExitCode::FAILURE;
    };
    println!("{}", serde_json::json!(precis_extract::names_of_traits()));
    for file in list.lines() {
        let Ok(page) = std::fs::read(file) else {
            eprintln!("{file}: cannot be read");
            return ExitCode::FAILURE;
        };
        let units = precis_extract::units_of_page(&String::from_utf8_lossy(&page));
        println!("{}", serde_json::json!({ "file": file, "units": units }));
    }
    ExitCode::SUCCESS
}
