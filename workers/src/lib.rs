//! The program `precis`: phases, jobs, commands and the wiring between them.
//!
//! | room | what it owns |
//! | --- | --- |
//! | [`cli`] | what is typed, what a terminal shows, how the program ends |
//! | [`commands`] | one file per command |
//! | [`input`] | the question, the documents and their identities |
//! | [`documents`] | documents as text: parsed, indexed, counted, kept |
//! | [`lanes`] | where a research session searches: folders, what is published, the web |
//! | [`phases`], [`jobs`] | one handler per file |
//! | [`wiring`] | handlers, models and settings put together |
//! | [`embedded`] | a whole session in this process |
//! | [`fleet`] | a worker that outlives its connections; asking a fleet for a session |
//! | [`report`] | the directory of a report, and how a run ended |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod cli;
pub mod commands;
pub mod documents;
pub mod embedded;
pub mod fleet;
pub mod input;
pub mod jobs;
pub mod lanes;
pub mod phases;
pub mod report;
pub mod wiring;
