//! Exit codes, and failures that carry one. Scripts branch on these numbers, so they never change.

use std::fmt;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything that was requested was done.
    Ok,
    /// The command could not be carried out, or a check failed.
    Failed,
    /// The command line or the configuration is wrong.
    Usage,
    /// The question or the documents cannot be used.
    Refused,
    /// The broker or the content store cannot be reached.
    Unreachable,
    /// There is a report, but part of what was requested is missing from it.
    Partial,
    /// A statement of a standing question changed: there is a notice.
    Changed,
    /// The command was interrupted.
    Interrupted,
}

impl Exit {
    /// Returns the exit code of the process.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Unreachable => 4,
            Self::Partial => 5,
            Self::Changed => 6,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command failed, with its exit code and a remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFailure {
    /// The exit code to end with.
    pub exit: Exit,
    /// Stable error code for programs.
    pub code: &'static str,
    /// What failed and on which input: lower case, no full stop; may have several lines.
    pub message: String,
    /// What the user can run or set to fix it.
    pub remedy: Option<String>,
}

impl CommandFailure {
    /// Creates a failure without a remedy.
    #[must_use]
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { exit, code, message: message.into(), remedy: None }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl std::error::Error for CommandFailure {}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
