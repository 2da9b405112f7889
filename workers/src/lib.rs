//! The program `precis`: phases, jobs, commands and the wiring between them.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`cli`] | the command line as typed |
//! | [`commands`] | one file per command |
//! | [`asyncapi`] | what other services send and hear, as a document |
//! | [`exit`] | exit codes, and failures that carry one |
//! | [`input`] | the question, the documents and their identities |
//! | [`corpus`] | bringing the index of a folder up to date |
//! | [`known`] | what the command line says of single documents |
//! | [`embedded`] | a whole session in this process |
//! | [`follow`] | what a question on a finished session follows on |
//! | [`fleet`], [`signals`] | a worker that outlives its connections; asking a fleet for a session |
//! | [`phases`], [`jobs`] | one handler per file |
//! | [`pipeline`], [`settings`], [`gate`], [`parse`], [`pages`], [`elsewhere`] | handlers, models and settings put together |
//! | [`searching`] | search providers and settings put together |
//! | [`windows`] | how much the models take that nobody has described |
//! | [`counts`] | token counts that are not made twice |
//! | [`digest_breaker`] | whether digests are worth trying |
//! | [`reduction`] | reductions in the content store |
//! | [`outcome`] | what the result and the unread documents together amount to |
//! | [`output`] | the directory a report is written to, all or nothing |
//! | [`render`] | the files of a report |
//! | [`keeping`] | whether answers are kept between runs |
//! | [`originals`] | documents as they were when a report was made of them |
//! | [`archived`] | archived texts, found by their hash |
//! | [`progress`], [`summary`], [`usage`], [`terminal`] | what people see |

pub mod archived;
pub mod asyncapi;
pub mod cli;
pub mod commands;
pub mod corpus;
pub mod counts;
pub mod digest_breaker;
pub mod elsewhere;
pub mod embedded;
pub mod exit;
pub mod fleet;
pub mod follow;
pub mod gate;
pub mod input;
pub mod jobs;
pub mod keeping;
pub mod known;
pub mod lanes;
pub mod originals;
pub mod outcome;
pub mod output;
pub mod pages;
pub mod parse;
pub mod phases;
pub mod pipeline;
pub mod progress;
pub mod reduction;
mod remembered;
pub mod render;
pub mod searching;
pub mod settings;
pub mod signals;
mod summarize;
pub mod summary;
pub mod terminal;
mod texts;
mod typo;
pub mod usage;
pub mod windows;

#[cfg(test)]
mod sample;
