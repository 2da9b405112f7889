//! The wire format of Precis: every type that is sent between processes or read by other programs, and nothing else.
//!
//! The JSON form of these types is defined here only. The package performs no I/O and does not depend on queues, models or files.
//!
//! | module | contents |
//! | --- | --- |
//! | [`ids`] | session, source, job and tenant ids |
//! | [`account`] | the tenant of a session and its spending limits |
//! | [`phase`] | the phases of a session and their order |
//! | [`request`], [`prior`] | the request another service sends, and the conversation before it |
//! | [`state`] | the session between phases, its versions and their upgrades |
//! | [`job`] | job kinds, their bodies and their answers |
//! | [`call`] | the record of a model call |
//! | [`extraction`] | the result of extracting a document |
//! | [`task`] | model tasks and what they return |
//! | [`source`], [`locator`], [`block`] | documents, addresses in their texts, the structure of these texts |
//! | [`document_format`] | the table of document formats: names, media types, file extensions, first bytes |
//! | [`digest`], [`finding`], [`quote_context`] | evidence from documents, and what a quote needs beside itself |
//! | [`fidelity`], [`warning`], [`ledger`] | what was kept, what was lost, what it cost |
//! | [`compare`], [`answer`] | quotes side by side; whether the question is answered |
//! | [`computed`] | answers computed from the rows of a table |
//! | [`claim`] | the statements of a report, each with its verdict |
//! | [`judgement`] | how a model grades a report as a whole |
//! | [`research`] | how a report was researched |
//! | [`response`] | the response envelope `response-v2` and the report in it |
//! | [`evaluated`] | an evaluated report before refinement decides whether to keep it |
//! | [`fault`] | faults of a message body, reported to its sender |
//! | [`event`], [`control`] | progress events; cancel and stop messages |
//! | [`webhook`] | who is told over HTTP that a session has ended, and what |
//! | [`envelope`] | header and body of a message; encoding and size limits |
//! | [`dead_reason`], [`failure_code`], [`stop_reason`] | why a message became a dead letter, a session has no report, or ended early |
//! | [`schema`] | JSON Schemas of the published messages |
//!
//! A caller builds a [`request::ResearchRequest`], publishes it in an [`envelope::Envelope`] and reads a [`response::Response`]:
//!
//! ```
//! use precis_proto::envelope::{Envelope, Header, message_type};
//! use precis_proto::request::{RequestOptions, ResearchRequest};
//! use precis_proto::SessionId;
//!
//! let options = RequestOptions::default();
//! let request = ResearchRequest {
//!     schema_version: options.request_version(),
//!     session_id: SessionId::new("dam-1")?,
//!     query: "When was the dam built?".to_owned(),
//!     sources: Vec::new(),
//!     options,
//! };
//! let header = Header { message_type: message_type::REQUEST.to_owned(), ..Header::default() };
//! let envelope = Envelope::encode(header, &request)?;
//! assert_eq!(envelope.decode::<ResearchRequest>()?, request);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod account;
pub mod answer;
pub mod block;
mod bounded;
mod bounded_tree;
pub mod call;
pub mod claim;
mod closed_words;
pub mod compare;
pub mod computed;
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
pub mod meaning;
pub mod phase;
pub mod prior;
pub mod privacy;
pub mod quote_context;
pub mod request;
pub mod research;
pub mod response;
pub mod schema;
pub mod seal;
pub mod source;
pub mod standing;
pub mod state;
pub mod stop_reason;
pub mod task;
pub mod timestamp;
pub mod title;
pub mod warning;
pub mod webhook;
mod webhook_target;
mod words;

pub use block::{Block, BlockKind, CodeLine, FieldPlace, Recognition};
pub use closed_words::UnknownWord;
pub use document_format::DocumentFormat;
pub use ids::{CollectionId, JobId, LifeId, SessionId, SourceId, TenantId};
pub use locator::{CharRange, Locator};
pub use phase::Phase;
pub use timestamp::Timestamp;
