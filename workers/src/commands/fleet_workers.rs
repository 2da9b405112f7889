//! `precis sessions --workers`: who works in a fleet, as each told it within the last 15 seconds.

use precis_runtime::runner::roll::{WorkerEntry, workers};
use precis_runtime::store::Store;
use serde_json::json;

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet;

const HEADER: &str = "WORKER                                    VERSION   SESSIONS  JOBS    MEMORY  QUEUES\n";

/// Prints the workers on the roll in `store`.
///
/// # Errors
/// [`Exit::Unreachable`] if the store cannot be reached.
pub(super) async fn print(store: &Store, as_json: bool) -> Result<(), CommandFailure> {
    let found = workers(store, fleet::shared_now(store).await).await.map_err(|error| {
        let failure = CommandFailure::new(Exit::Unreachable, "store_unavailable", format!("list workers: {error}"));
        failure.with_remedy("set redis_url to the store of the fleet, and check it with `precis doctor`")
    })?;
    if found.is_empty() && !as_json {
        return terminal::print("no workers have told of themselves within 15 seconds\n");
    }
    if !as_json {
        terminal::print(HEADER)?;
    }
    for entry in &found {
        terminal::print_as(as_json, &line(as_json, entry))?;
    }
    Ok(())
}

fn line(as_json: bool, entry: &WorkerEntry) -> String {
    if as_json {
        return format!("{}\n", json!(entry));
    }
    let memory = entry.memory_bytes.map_or(String::new(), |bytes| format!("{} MiB", bytes >> 20));
    let draining = if entry.is_draining { " (draining)" } else { "" };
    let text = format!(
        "{:40}  {:8}  {:>8}  {:>4}  {memory:>8}  {}{draining}",
        entry.worker,
        entry.version,
        entry.sessions_held,
        entry.jobs_held,
        entry.queues.join(", ")
    );
    format!("{}\n", terminal::printable(text.trim_end()))
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;

    use super::*;

    #[test]
    fn a_worker_is_a_line_under_the_header() {
        let entry = WorkerEntry {
            worker: "w-1".to_owned(),
            version: "0.1.0".to_owned(),
            host: "h".to_owned(),
            queues: vec!["all".to_owned()],
            sessions_held: 3,
            jobs_held: 14,
            is_draining: true,
            memory_bytes: Some(200 << 20),
            told_at: Timestamp(0),
        };
        let text = line(false, &entry);
        let column = |name: &str| HEADER.find(name).expect("a column");
        assert_eq!(text.find("0.1.0"), Some(column("VERSION")), "{HEADER}{text}");
        assert_eq!(text.find("  14"), Some(column("JOBS")), "{HEADER}{text}");
        assert_eq!(text.find("all (draining)"), Some(column("QUEUES")), "{HEADER}{text}");
        assert!(text.contains("200 MiB"), "{text}");
    }
}
