//! Exit codes, and failures that carry one. Scripts branch on these numbers; they do not change.

use std::fmt;
use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Everything that was asked for is there.
    Ok,
    /// It could not be done, or what was checked does not hold.
    Failed,
    /// The command line or the configuration is wrong.
    Usage,
    /// The question or the documents cannot be worked with.
    Refused,
    /// Broker or store cannot be reached.
    Unreachable,
    /// There is a report, but something that was asked for is missing from it.
    Partial,
    /// Somebody stopped it.
    Interrupted,
}

impl Exit {
    /// The number the shell sees.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Unreachable => 4,
            Self::Partial => 5,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command ended without doing what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandFailure {
    /// How to end.
    pub exit: Exit,
    /// Stable code for programs.
    pub code: &'static str,
    /// What was tried on what: lower case, no full stop; may have several lines.
    pub message: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

impl CommandFailure {
    /// A failure without a remedy.
    #[must_use]
    pub fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { exit, code, message: message.into(), remedy: None }
    }

    /// The same with what to do about it.
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
