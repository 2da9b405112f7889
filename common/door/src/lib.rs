//! The HTTP door of a fleet: takes requests, shows sessions, hands out results. Any number of doors serve one fleet, and none holds the
//! truth: what they answer is read from the content store and, where it may be lost, from the shared store.
//!
//! It sees the runtime and the messages. It does not know what a digest or a report is: what needs texts comes to it as one trait.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`server`] | connections: how many, how long, how fast |
//! | [`limits`] | the limits, each with its default |
//! | [`link`] | the broker connection: kept, and opened again |
//! | [`wakeups`] | tells those who wait that something happened to their session |
//! | [`callers`] | tokens, and who may call without one |
//! | [`door`] | what all handlers share; whom a session is shown to |
//! | [`routes`] | the table of routes, one handler per file |
//! | [`reports`] | the trait for what needs texts |
//! | [`estimates`] | what a session may cost, before it begins |
//! | `base_path` | the path that all addresses are below |
//! | `admission` | whether a token may submit one more session |
//! | [`storage`] | how much may be stored for whom on a day |
//! | [`problem`] | what went wrong, as `application/problem+json` |
//! | [`openapi`] | the OpenAPI document |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

mod admission;
mod base_path;
mod binding;
pub mod callers;
pub mod door;
pub mod estimates;
pub mod indexing;
mod indexing_standing;
pub mod limits;
pub mod link;
pub mod openapi;
mod openapi_answers;
mod openapi_batches;
mod openapi_collections;
pub mod problem;
mod reading;
pub mod reports;
pub mod routes;
pub mod server;
mod shares;
mod standing;
pub mod storage;
pub mod wakeups;

pub use base_path::{BasePath, BasePathFault};
pub use callers::{ApiToken, Callers, LOOPBACK_ONLY};
pub use door::{Door, DoorParts};
pub use estimates::{Estimate, EstimateRow, Figures};
pub use limits::DoorLimits;
pub use link::{Connect, Connecting, Link};
pub use reports::{ReportForm, ReportVerdict, Reporting, Reports};
pub use routes::router;
pub use server::{ServeError, listen, serve};
pub use storage::Storage;
