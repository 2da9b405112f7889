//! The broker on RabbitMQ: quorum queues, confirms in windows, direct reply-to. Uses only what 3.10 and 4.x have in common.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `settings` | the address, the credentials, the time limits |
//! | `connection` | the handle of a worker: publishes, replies, answers callers |
//! | `transport` | TCP and TLS below AMQP |
//! | `link` | the two connections of a worker, which end together |
//! | `publisher` | lanes: channels that send one window of publishes at a time |
//! | `consumer`, `tag` | deliveries of a queue, single gets; the tag of a delivery |
//! | `answering` | the connection for replies to callers' direct reply addresses |
//! | `replies` | the lanes that receive direct replies to their messages |
//! | `subscription` | a subscription to an exchange, through an exclusive queue |
//! | `declare` | declares, checks and measures a topology |
//! | `properties` | converts envelopes to AMQP properties and back |
//! | `fault` | converts the client library's errors |
//!
//! Nothing here reconnects: if one part ends, everything ends, and the supervisor of the worker opens a new connection. The client
//! library logs returned messages, including their bodies, under its own log target `lapin`: keep that target off.

mod answering;
mod connection;
mod consumer;
mod declare;
mod fault;
mod link;
mod properties;
mod publisher;
mod replies;
mod settings;
mod subscription;
mod tag;
mod transport;

pub use connection::RabbitConnection;
pub use consumer::RabbitConsumer;
pub use replies::RabbitReplies;
pub use settings::{ClientCertificate, RabbitSettings, RabbitTls};
pub use subscription::RabbitSubscription;
pub(super) use tag::RabbitTag;
