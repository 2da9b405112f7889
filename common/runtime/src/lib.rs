//! Everything that waits: configuration, broker, store, content, models, the runner.
//!
//! This crate deals with queues, leases and time; what a digest or a summary is does not belong here.

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub mod archive;
pub mod broker;
pub mod cache;
pub mod clock;
pub mod collections;
pub mod config;
pub mod content;
pub mod failpoints;
pub mod fetch;
pub mod files;
mod http;
pub mod journal;
mod key_family;
pub mod model;
pub mod ocr;
pub mod own_process;
mod paid;
pub mod records;
pub mod runner;
pub mod sandbox;
pub mod search;
pub mod secret_url;
pub mod store;
pub mod telemetry;
pub mod tls;
pub mod webhooks;
