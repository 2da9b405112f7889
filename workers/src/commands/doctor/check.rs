//! One check and its result.

use std::time::Duration;

use serde::Serialize;

/// Longest wait for a single answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

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
