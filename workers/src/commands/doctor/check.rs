//! One check and its result.

use std::time::{Duration, Instant};

use precis_runtime::store::StoreError;
use serde::Serialize;

use crate::cli::exit::CommandFailure;

/// Longest wait for a single answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The answer of Redis; `None` without one in time. Retried because the first attempts may come before the client has connected.
pub(super) async fn ask_redis<T, F>(mut ask: impl FnMut() -> F) -> Option<T>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Ok(answer) = ask().await {
            return Some(answer);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    None
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CheckResult {
    /// As it should be.
    Ok,
    /// Works, but slower or with less protection.
    Warning,
    /// Does not work.
    Fault,
}

#[derive(Debug, Serialize)]
pub(super) struct DoctorCheck {
    pub(super) what: &'static str,
    pub(super) finding: CheckResult,
    pub(super) detail: String,
}

impl DoctorCheck {
    pub(super) fn new(what: &'static str, finding: CheckResult, detail: impl Into<String>) -> Self {
        Self { what, finding, detail: detail.into() }
    }
}

/// A check that failed, with the remedy of the failure unless that is this command.
pub(super) fn fault(what: &'static str, failure: CommandFailure) -> DoctorCheck {
    let remedy =
        failure.remedy.filter(|r| !r.contains("precis doctor")).map_or(String::new(), |r| format!("; try: {r}"));
    DoctorCheck::new(what, CheckResult::Fault, failure.message + &remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit::Exit;

    #[test]
    fn remedies_never_name_the_running_command() {
        for (remedy, told) in [
            ("precis doctor", "no"),
            ("run `precis doctor` for details", "no"),
            ("set redis_url", "no; try: set redis_url"),
        ] {
            let failure = CommandFailure::new(Exit::Failed, "x", "no").with_remedy(remedy);
            assert_eq!(fault("broker", failure).detail, told, "{remedy}");
        }
    }
}
