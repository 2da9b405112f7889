//! The program `precis`: phases, jobs, commands, and what puts them together.
//!
//! | module | contents |
//! | --- | --- |
//! | [`commands`] | the command line; one file per command |
//! | [`fleet`] | the worker that survives lost connections; submitting sessions to a fleet |
//! | [`assembly`] | builds handlers and models from the settings; runs a whole session in this process |
//! | [`report`] | the directory of a report, the outcome of a run, and what a later question takes over |
//! | [`phases`] | one handler per phase, and the order of phases |
//! | [`collections`] | indexes collections: their files as published corpora |
//! | [`jobs`] | one handler per job kind |
//! | [`documents`] | documents as text: fetching, parsing, token counts, archive types |
//! | [`input`] | the question, the documents and their identities |
//! | [`lanes`] | where a research session searches: folders, published corpora, the web |
//! | [`meaning`] | models that find what is said in other words, on this machine |
//! | [`estimate`] | what a session may cost, before it begins |
//! | [`options`] | the settings as handlers and models read them |
//! | [`cli`] | terminal output, exit codes and signals |
//!
//! A module imports only modules further down.

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod assembly;
pub mod cli;
pub mod collections;
pub mod commands;
pub mod documents;
pub mod estimate;
pub mod fleet;
pub mod input;
pub mod jobs;
pub mod lanes;
pub mod meaning;
pub mod options;
pub mod phases;
pub mod report;
pub(crate) mod standing;
