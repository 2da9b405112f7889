//! The wire of Precis: every type that travels between processes or is read by other programs, and nothing else.
//!
//! This package alone knows how those types look as JSON. It talks to nobody and refuses to know queues, models or files.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`ids`] | session, source, job and tenant identities |
//! | [`account`] | whose session it is, and what it may spend |
//! | [`phase`] | the phases of a session and their order |
//! | [`request`], [`prior`] | what another service sends, and what was before it |
//! | [`state`] | the session as it waits between phases, its versions and their upgrades |
//! | [`job`] | job kinds, their bodies, their answers |
//! | [`call`] | a model call as it is counted |
//! | [`extraction`] | what extraction makes of the bytes of a document |
//! | [`task`] | what a model is asked to do, and what it returns |
//! | [`source`], [`locator`], [`block`] | documents, addresses in their texts, the structure of these texts |
//! | [`document_format`] | the formats of documents: names, media types, endings, first bytes |
//! | [`digest`], [`finding`] | evidence from documents |
//! | [`fidelity`], [`warning`], [`ledger`] | what was kept, what was lost, what it cost |
//! | [`compare`], [`answer`] | quotes side by side; whether the question is answered |
//! | [`claim`] | the statements of a report, each with its verdict |
//! | [`judgement`] | what a model says of a report as a whole |
//! | [`research`] | how a report was researched |
//! | [`response`] | the response envelope `response-v2` and the report in it |
//! | [`evaluated`] | a report before it is known whether it is kept |
//! | [`fault`] | what is wrong with a body, told to whoever sent it |
//! | [`event`], [`control`] | progress out, cancellation in |
//! | [`envelope`] | header and body as they travel; encoding and its limits |
//! | [`dead_reason`], [`failure_code`], [`stop_reason`] | why a message was given up on, a session has no report, or ended early |
//! | [`schema`] | JSON Schemas of all of these |

pub mod account;
pub mod answer;
pub mod block;
mod bounded;
mod bounded_tree;
pub mod call;
pub mod claim;
pub mod compare;
pub mod confidence;
pub mod control;
pub mod dead_reason;
pub mod digest;
pub mod document_format;
pub mod envelope;
pub mod evaluated;
pub mod event;
pub mod extraction;
pub mod failure_code;
pub mod fault;
pub mod fidelity;
pub mod finding;
pub mod ids;
pub mod job;
pub mod judgement;
pub mod label;
pub mod ledger;
pub mod locator;
pub mod phase;
pub mod prior;
pub mod request;
pub mod research;
pub mod response;
pub mod schema;
pub mod seal;
pub mod source;
pub mod state;
pub mod stop_reason;
pub mod task;
pub mod timestamp;
pub mod warning;
mod words;

pub use block::{Block, BlockKind};
pub use document_format::DocumentFormat;
pub use ids::{JobId, SessionId, SourceId, TenantId};
pub use locator::{CharRange, Locator};
pub use phase::Phase;
pub use timestamp::Timestamp;
