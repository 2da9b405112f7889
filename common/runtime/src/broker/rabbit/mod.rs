//! The broker on RabbitMQ: quorum queues, confirms in windows, direct reply-to. Built for what 3.10 and 4.x have in common.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `settings` | where the broker is, how to prove who we are, how long to wait |
//! | `connection` | what a worker holds: it publishes, replies and answers callers |
//! | `link` | the two connections of a worker, which live and end together |
//! | `publisher` | lanes: channels that carry one window of publishes at a time |
//! | `consumer`, `tag` | deliveries of a queue, single gets; the tag of a delivery |
//! | `answering` | the connection on which callers are answered at addresses of their own |
//! | `replies` | the lanes whose messages can be answered directly |
//! | `subscription` | an exchange heard through a queue of our own |
//! | `declare` | making, checking and measuring what a topology names |
//! | `properties` | envelope to AMQP properties and back |
//! | `fault` | the client library's errors as ours |
//!
//! Nothing here recovers: what ends, ends as a whole, and whoever supervises the worker opens a new connection. The client library
//! prints messages that came back, bodies included, under its own log target `lapin`: keep that target off.

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

pub use connection::RabbitConnection;
pub use consumer::RabbitConsumer;
pub use replies::RabbitReplies;
pub use settings::{ClientCertificate, RabbitSettings, RabbitTls};
pub use subscription::RabbitSubscription;
pub(super) use tag::RabbitTag;
