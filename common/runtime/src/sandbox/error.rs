//! Errors of a request to a child.

use std::fmt;
use std::time::Duration;

/// Why a request got no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// The child ended, or answered with an invalid message, while it worked on this input. Permanent for this input: if the child had
    /// worked on others before, the request was repeated in a fresh child, which ended too.
    #[error("the child {how}")]
    Died {
        /// How it ended.
        how: ChildDeath,
    },
    /// The child worked on this input longer than the limit. Permanent for this input.
    #[error("the child did not answer within {} s", .limit.as_secs_f64())]
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The request exceeds the limit and was not sent. Permanent for this input.
    #[error("a request must have at most {limit} bytes, got {bytes}")]
    TooLarge {
        /// Header and body together.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The system provides no system call filter for a child, and the settings require one. Permanent on this machine.
    #[error("the child has no system call filter on this machine, and sandbox is set to \"required\"")]
    Unconfined,
    /// No child could be started. Transient: unrelated to the input.
    #[error("no child could be started: {0}")]
    Unavailable(String),
}

/// How a child ended, with the first line it wrote to standard error, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildDeath {
    /// It was ended by a signal.
    Signal {
        /// Its number: 6 abort (also: out of memory, out of stack), 9 kill, 11 fault, 24 processor time.
        number: i32,
        /// First line of standard error.
        said: String,
    },
    /// It exited.
    Exit {
        /// Its exit code; 101 is a panic.
        code: i32,
        /// First line of standard error.
        said: String,
    },
    /// It was killed because its answer was invalid.
    Malformed(&'static str),
}

impl fmt::Display for ChildDeath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = match self {
            Self::Signal { number, said } => {
                write!(f, "was ended by signal {number}{}", signal_name(*number))?;
                said
            }
            Self::Exit { code, said } => {
                write!(f, "exited with code {code}")?;
                said
            }
            Self::Malformed(what) => return write!(f, "sent an invalid answer: {what}"),
        };
        if said.is_empty() { Ok(()) } else { write!(f, ": {said}") }
    }
}

fn signal_name(number: i32) -> &'static str {
    match number {
        6 => " (abort)",
        9 => " (kill)",
        11 => " (memory fault)",
        24 => " (processor time)",
        31 => " (forbidden system call)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_death_reads_as_the_end_of_a_sentence() {
        let abort = ChildDeath::Signal { number: 6, said: "memory allocation of 9 bytes failed".to_owned() };
        for (how, words) in [
            (abort, "the child was ended by signal 6 (abort): memory allocation of 9 bytes failed"),
            (ChildDeath::Exit { code: 101, said: String::new() }, "the child exited with code 101"),
            (ChildDeath::Malformed("too long"), "the child sent an invalid answer: too long"),
        ] {
            assert_eq!(SandboxError::Died { how }.to_string(), words);
        }
    }
}
