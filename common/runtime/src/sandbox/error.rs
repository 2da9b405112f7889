//! The ways a request to a child can go wrong.

use std::fmt;
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// The child ended, or answered nonsense, while it worked on this input. Permanent for that input: a child that had
    /// worked on others before was given a fresh successor, which ended too.
    #[error("the child {how}")]
    Died {
        /// What became of it.
        how: ChildDeath,
    },
    /// The child worked on this input for longer than the limit. Permanent for that input.
    #[error("the child did not answer within {} s", .limit.as_secs_f64())]
    TimedOut {
        /// The limit.
        limit: Duration,
    },
    /// The request was over the limit and not sent. Permanent for that input.
    #[error("a request of {bytes} bytes is over the limit of {limit}")]
    TooLarge {
        /// Header and body together.
        bytes: usize,
        /// Most that is sent.
        limit: usize,
    },
    /// The system has no filter of system calls for a child, and the settings demand one. Permanent on this machine.
    #[error("the child has no filter of system calls here, and sandbox is set to \"required\"")]
    Unconfined,
    /// No child could be started. Transient: it says nothing about the input.
    #[error("no child could be started: {0}")]
    Unavailable(String),
}

/// How a child ended, with the first line it wrote to standard error, where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildDeath {
    /// By a signal.
    Signal {
        /// Its number: 6 abort (also: out of memory, out of stack), 9 kill, 11 fault, 24 processor time.
        number: i32,
        /// First line of standard error.
        said: String,
    },
    /// By itself.
    Exit {
        /// Its code; 101 is a panic.
        code: i32,
        /// First line of standard error.
        said: String,
    },
    /// It was ended because its answer broke the protocol.
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
            Self::Malformed(what) => return write!(f, "gave a malformed answer: {what}"),
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
            (ChildDeath::Malformed("too long"), "the child gave a malformed answer: too long"),
        ] {
            assert_eq!(SandboxError::Died { how }.to_string(), words);
        }
    }
}
