//! Counting `o200k` with the crate tiktoken-rs, on the texts that `bench-tokens --texts DIR` wrote:
//!
//! ```text
//! cargo run --release --manifest-path tests/bench/tiktoken/Cargo.toml -- DIR
//! ```
//!
//! Prints megabytes per second of processor time and the count of each text; the lower middle one of five runs. Linux only.

use std::path::PathBuf;

const RUNS: usize = 5;

fn main() -> std::io::Result<()> {
    let dir = std::env::args().nth(1).map(PathBuf::from).expect("a directory of texts");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    let tokenizer = tiktoken_rs::o200k_base().expect("its vocabulary is built in");
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        let mut seconds = Vec::new();
        let mut tokens = None;
        for _ in 0..RUNS {
            let start = nanoseconds()?;
            tokens = std::panic::catch_unwind(|| tokenizer.encode_ordinary(&text).len()).ok();
            seconds.push((nanoseconds()? - start) as f64 / 1e9);
        }
        seconds.sort_by(f64::total_cmp);
        let rate = text.len() as f64 / 1e6 / seconds[(RUNS - 1) / 2];
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match tokens {
            Some(tokens) => println!("{name:<22}{rate:>10.1}{tokens:>12}"),
            None => println!("{name:<22}{:>10}{:>12}", "-", "panics"),
        }
    }
    Ok(())
}

/// Time this thread has been on a processor.
fn nanoseconds() -> std::io::Result<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(stat.split(' ').next().and_then(|n| n.parse().ok()).expect("the kernel's words"))
}
