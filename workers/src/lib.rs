//! The program `precis`: phases, jobs, commands and the wiring between them.
//!
//! | module | contents |
//! | --- | --- |
//! | [`cli`] | the command line, terminal output and exit codes |
//! | [`commands`] | one file per command |
//! | [`input`] | the question, the documents and their identities |
//! | [`documents`] | documents as text: parsing, indexing, token counts, archive types |
//! | [`lanes`] | where a research session searches: folders, published corpora, the web |
//! | [`phases`], [`jobs`] | one handler per file |
//! | [`wiring`] | builds handlers and models from the settings |
//! | [`embedded`] | runs a whole session in this process |
//! | [`fleet`] | the worker that survives lost connections; submitting sessions to a fleet |
//! | [`report`] | the directory of a report, and the outcome of a run |

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
